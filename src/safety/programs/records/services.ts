import { isCredential } from '../../../knowledge/credential-files.ts';
import { pattern } from '../../../text/pattern.ts';
import { verbOf } from '../../verbs.ts';
import { FORMATS, type StaticVerdict, unknown } from '../../verdict.ts';
import { bringsFiles } from '../paths.ts';
import { type CallFacts, given, isDryReading, type Reading, type Records, row, type Spec } from '../record.ts';
import { judgeJq } from './text.ts';

const DOCKER_RUN: Spec = {
  stopsAtOperand: true,
  tune: '-# -d -i -t -it -P -q --detach --interactive --tty --rm --init --read-only --name= -e= --env= -w= --workdir= -u= --user= --hostname= -h= -l= --label= --platform= --network= --net= -m= --memory= --memory-swap= --cpus= --cpu-shares= --pull= --quiet --shm-size= --stop-signal= --stop-timeout= --ulimit= --tmpfs= --expose= -p= --publish= --publish-all --ip= --no-healthcheck --health-cmd= --detach-keys= --sig-proxy= -a= --attach= --cap-drop= --domainname= --entrypoint= -T --no-deps --index=  --service-ports --no-TTY --build',
  read: '--env-file=',
  write: '--cidfile=',
  send: '--restart= --dns= --log-driver= --log-opt=',
  load: '-v= --volume= --mount= --privileged --device= --pid= --ipc= --volumes-from= --security-opt= --cap-add= --userns= --uts= --cgroup-parent= --gpus= --runtime= --add-host= --link= --annotation=',
  operands: 'tune command',
  judge: (_, reading) => judgeRun(reading),
};

/** Judges starting a container: harmless with a common image, a network of its own, and no secret of the shell. */
function judgeRun({ given: options, path, operands }: Reading) {
  for (const { name, value = '' } of options) {
    const isSecret = /^(-e|--env)$/.test(name) ? isSecretName(value) : name === '--env-file' && isCredential(value);
    if (isSecret) return unknown('hands a secret to a container');
    if (/^--net(work)?$/.test(name) && /^(host|container:)/.test(value))
      return unknown('shares the network of this machine');
  }
  return path.includes('run') && isForeignImage(operands[0]?.text ?? '') ? unknown('runs someone’s image') : undefined;
}

/** Returns whether an image is somebody’s (`someone/image`, `host/image`); the registry curates plain names. */
function isForeignImage(image: string): boolean {
  return image.includes('/') && !/^(docker\.io\/|public\.ecr\.aws\/docker\/)?library\//.test(image);
}

/**
 * Judges inspecting a container, which shows its variables and so its passwords, unless a format selects other data.
 */
function judgeInspect(_: CallFacts, reading: Reading) {
  const things = reading.path[0];
  if (/^(image|volume|network|context|node|builder|manifest|plugin)$/.test(things ?? '')) return undefined;
  const format = reading.given.findLast(({ name }) => name === '-f' || name === '--format')?.value;
  const type = reading.given.findLast(({ name }) => name === '--type')?.value;
  if (/^(image|volume|network)$/.test(type ?? '')) return undefined;
  const picks =
    format !== undefined &&
    !/Env|\.Config\s*\}|json\s+\.\s*\}|\{\{\s*\.\s*\}\}|^json$|Spec|range|index|with/i.test(format);
  return picks ? undefined : unknown('shows the environment of a container');
}

/** Judges starting services: those of the project’s own file are known, another file is unread code. */
function judgeServices(_: CallFacts, reading: Reading) {
  if (reading.given.some(({ name, value = '' }) => name === '--scale' && /=0*$/.test(value)))
    return unknown('stops and removes containers of a service');
  return given(reading, '-f', '--file', '--project-directory')
    ? unknown('starts services of another file', { runsFiles: true })
    : undefined;
}

/** Returns whether `-e NAME` passes on a secret of the shell’s environment. */
function isSecretName(value: string): boolean {
  return !value.includes('=') && /KEY|SECRET|TOKEN|PASS|CREDENTIAL|AUTH/i.test(value);
}
const LOOKS: Spec = {
  operands: 'tune',
  tune: '-# -a -f= -n= -q -s -l -t -w --all --filter= --format= --last= --latest --no-trunc --quiet --size --digests --tail= --since= --until= --timestamps --follow --details --no-stream --type= --human -H --no-color --no-log-prefix --services --profiles --volumes --images --hash= --resolve-image-digests --status= --json --tree --orphans[=] --limit= --index --verbose --no-interpolate --no-headers',
};

const BUILD: Spec = {
  operands: 'project',
  tune: '-# -q -t= --tag= --no-cache --pull --build-arg= --target= --platform= --progress= --quiet --rm --force-rm --label= --squash',
  read: '--env-file=',
  project: '-f= --file=',
  write: '--iidfile= --metadata-file=',
  send: '--push --network= -o= --output=',
  load: '--ssh= --secret= --build-context= --allow= --add-host= --security-opt= --cache-from=',
  control: /(^|\/)([Dd]ocker|Container)file[^/]*$/,
  judge: (_, reading) =>
    reading.given.some(({ role, value }) => role === 'project' && value === '-')
      ? unknown('builds from its input', { runsFiles: true })
      : undefined,
};

const docker: Spec = {
  leaves: { as: 'image', when: /^((image|manifest|compose|buildx|builder) )?(push|build|bake)\b/ },
  reaches: 'pull push search',
  traits: ['printsSetup', 'speaks'],
  keys: '--secret',
  tune: '-D --debug -l= --log-level=',
  load: '-H= --host= -c= --context= --config= --tls --tlscacert= --tlscert= --tlskey= --tlsverify',
  idle: '-v --version --help -h',
  subs: {
    'ps images info version stats port diff history search events': { ...LOOKS, tune: `${LOOKS.tune} -f=` },
    top: { ...LOOKS, judge: judgeTop },
    inspect: { ...LOOKS, tune: `${LOOKS.tune} -f=`, judge: judgeInspect },
    logs: { ...LOOKS, tune: `${LOOKS.tune?.replace('-f=', '-f')} -f` },
    run: DOCKER_RUN,
    exec: { ...DOCKER_RUN, load: '--privileged' },
    'pull wait': { operands: 'tune', tune: '-q -a --quiet --platform= --all-tags' },
    start: { operands: 'tune', tune: '-a -i --attach --interactive' },
    attach: { open: 'attaches to a running program', operands: 'tune', tune: '-a -i --attach --interactive' },
    create: { operands: 'judged', open: 'makes a container', tune: DOCKER_RUN.tune ?? '' },
    build: BUILD,
    buildx: { subs: { build: BUILD, 'ls inspect version du': LOOKS } },
    'push tag': {
      operands: 'tune',
      tune: '-a -q --all-tags --quiet',
      open: 'publishes an image, or gives its name to another',
    },
    save: { tune: '', write: '-o= --output=', operands: 'tune' },
    export: { write: '-o= --output=', operands: 'tune' },
    'container image network volume context system builder manifest plugin node service stack swarm secret config trust scout':
      {
        subs: {
          inspect: { ...LOOKS, tune: `${LOOKS.tune} -f=`, judge: judgeInspect },
          'ls list ps logs top stats port diff history df info show tasks version': LOOKS,
          exec: DOCKER_RUN,
          run: DOCKER_RUN,
          create: {
            operands: 'tune',
            tune: '--subnet= --gateway= --label= --name= --attachable --internal',
            load: '-d= --driver= -o= --opt=',
          },
          pull: { operands: 'tune' },
        },
      },
    compose: {
      // Settings in such a file can also select further service files.
      load: '--env-file=',
      project: '-f= --file= --project-directory=',
      tune: '-p= --project-name= --profile= --ansi= --progress= --compatibility --parallel= --all-resources',
      dry: '--dry-run',
      global: true,
      idle: '-v --version -h',
      subs: {
        config: {
          ...LOOKS,
          write: '-o= --output=',
          judge: (_, reading) =>
            given(
              reading,
              '-q',
              '--quiet',
              '--services',
              '--images',
              '--volumes',
              '--profiles',
              '--hash',
              '--no-interpolate',
            ) && !reading.given.some(({ value }) => value === 'false')
              ? undefined
              : unknown('shows the services with the values of .env'),
        },
        'ps ls images top port events version logs stats volumes': {
          ...LOOKS,
          tune: `${LOOKS.tune?.replace('-f=', '-f')} -f`,
          write: '-o= --output=',
        },
        'exec run': DOCKER_RUN,
        pull: { operands: 'tune', tune: '-q --quiet --include-deps --ignore-pull-failures' },
        'up build create': {
          judge: judgeServices,
          operands: 'tune',
          tune: '-# -d -q --detach --build --no-build --no-recreate --no-deps --wait --scale= -t= --timeout= --pull[=] --quiet-pull --no-cache --quiet --no-color --no-log-prefix --attach=',
          delete: '--force-recreate --remove-orphans -V --renew-anon-volumes',
          control: /(^|\/)((docker-)?compose[^/]*\.ya?ml|Dockerfile[^/]*)$/,
        },
        'start push restart stop down rm kill pause unpause cp watch wait': {
          operands: 'judged',
          open: 'starts or changes services',
          runsFiles: true,
          tune: '-# -d --detach --build --no-build --force-recreate --no-recreate --remove-orphans --no-deps --wait --scale= -t= --timeout= --pull= --quiet-pull --no-cache -v',
        },
      },
    },
    'commit login logout cp rm rmi prune stop kill restart pause unpause rename update load import': {
      operands: 'judged',
      open: 'changes something, or sends it',
      tune: '-f -a -m= --force --all --author= --message= -t= --time= -v --volumes -i= --input= -u= -p= --password-stdin --username= -q --quiet',
    },
    help: { operands: 'tune' },
  },
};

/** The records of programs for containers. */
export const DOCKER: Records = { docker, 'docker-compose': { ...(docker.subs?.compose as Spec) } };

/**
 * Judges `docker top`: the words after the container’s name are options of `ps`, of which `e` shows the environment.
 */
function judgeTop(_: CallFacts, reading: Reading): StaticVerdict | undefined {
  return reading.operands.slice(1).some(({ text }) => /^[a-zA-Z]*e[a-zA-Z]*$|^-[a-zA-Z]*E/.test(text))
    ? unknown('shows the environment of running containers')
    : undefined;
}

/** Options of most such tools, which only choose what is shown. */
export const SHOWN =
  '-a -q -v --all --json --quiet --verbose --no-color --limit= --format= --app= --org= --team= --region= --project= --namespace= --context= --scope= --env= --environment= --no-truncate --raw --tail --num= --page= --filter=  --lines= --stack= --show-urns ';

/** A program with a few subcommands that only show something, some of them in groups. */
export const grouped = (groups: string, subs: string, direct: string, more: Partial<Spec> = {}): Spec => ({
  global: true,
  tune: SHOWN,
  subs: { [groups]: { subs: { [subs]: { operands: 'tune' } } }, [direct]: { operands: 'tune' } },
  ...more,
});

/** Clouds, clusters and virtual machines, with the subcommands that only show. */
export const CLOUDS: Records = {
  heroku: {
    wraps: {
      sub: 'run|run:detached',
      values: '-a --app -s --size -e --env -r --remote',
      joinedAlone: true,
      elsewhere: true,
    },
    traits: ['speaks'],
    reaches: true,
    global: true,
    tune: `${SHOWN} -t -n= -d= -s= -r= -p=`,
    subs: {
      'apps logs ps releases addons domains auth:whoami pg:info status version info apps:info buildpacks features': {
        operands: 'tune',
      },
      'config config:get': { operands: 'tune' },
    },
  },
  vault: {
    ...grouped('kv secrets auth policy token', 'list metadata', 'status version list path-help', {
      tune: `${SHOWN} -format= -field= -mount= -version= -detailed`,
      singleDash: true,
    }),
    traits: ['speaks'],
  },
  gsutil: {
    family: 'files',
    findings: [row('gsutil rsync -d', 'deletes files at the other end', { shapes: ['rsync -d'] })],
    dryRun: { rsync: '-n' },
    leaves: { as: 'bucket', when: /^(cp|mv|rsync)\b/ },
    traits: ['sends', 'speaks'],
    reaches: true,
    helpers: 'python3 uname dirname readlink tput',
    tune: '-m -q',
    subs: { 'ls cat stat du hash version help': { operands: 'tune', tune: '-l -L -r -R -a -h -s -c -b -d' } },
  },
  doctl: {
    wraps: { code: '--ssh-command', onlyCode: true, skip: 99, elsewhere: true },
    traits: ['speaks'],
    reaches: true,
    global: true,
    tune: `${SHOWN} --output= -o= --no-header`,
    subs: {
      'compute kubernetes databases apps account registry projects': {
        subs: {
          'droplet cluster image volume domain region size snapshot load-balancer firewall ssh-key': {
            subs: { 'list get': { operands: 'tune' } },
          },
          'list get': { operands: 'tune' },
        },
      },
    },
  },
  'fly vercel': {
    ...grouped(
      'apps machine machines volumes ips domains env projects sites  kv d1 deployments',
      'list ls show status info',
      'status logs ls list inspect whoami version releases info regions projects:list',
      { tune: `${SHOWN} -a= -n= -s= --yes` },
    ),
    traits: ['speaks'],
    of: { fly: { wraps: { sub: 'ssh', code: '-C --command', onlyCode: true, skip: 99, elsewhere: true } } },
  },
  pulumi: {
    ...grouped('stack config plugin', 'ls list output history', 'whoami version about logs', {
      tune: `${SHOWN} --diff --non-interactive -s= --expect-no-changes`,
      delete: '--refresh',
    }),
    traits: ['speaks'],
  },
  bq: {
    traits: ['speaks'],
    helpers: 'python3 uname dirname readlink tput',
    tune: '--project_id= --location= --format= --dataset_id= -q --quiet --headless',
    subs: {
      'ls show head': { operands: 'tune', tune: '-a -n= -d -j -p --max_results= --schema --format= --start_row=' },
      query: {
        operands: 'judged',
        tune: '--use_legacy_sql[=] --nouse_legacy_sql --dry_run --format= --max_rows= -n= --batch --label=',
      },
      version: {},
    },
  },
  minikube: {
    ...grouped('profile addons config', 'list view get', 'status ip version logs profile ', {
      tune: `${SHOWN} -p= -o= --output=`,
    }),
    wraps: { sub: 'ssh', values: '-n --node -p --profile', joined: true, elsewhere: true },
    traits: ['printsSetup', 'speaks'],
  },
  kustomize: {
    subs: {
      build: {
        operands: 'project',
        judge: (_, reading) => judgeBases(reading),
        tune: '--load-restrictor= --reorder= --enable-managedby-label',
        load: '--enable-exec --enable-alpha-plugins --enable-helm --helm-command= --network',
        write: '-o= --output=',
      },
      version: {},
    },
  },
  etcdctl: {
    traits: ['speaks'],
    global: true,
    tune: `${SHOWN} --endpoints= -w= --write-out= --cacert= --cert= --key= --user=`,
    subs: {
      'get version': {
        operands: 'tune',
        tune: '--prefix --keys-only --print-value-only --limit= --rev= --from-key --count-only --sort-by= --order=',
        judge: (_, reading) =>
          reading.path[0] === 'get' &&
          given(reading, '--prefix', '--from-key') &&
          !given(reading, '--keys-only', '--count-only') &&
          /^$|^\/?$|registry|secret/.test(reading.operands[0]?.text ?? '')
            ? unknown('shows all stored data, including secrets')
            : undefined,
      },
      'member endpoint alarm': { subs: { 'list status health hashkv': {} } },
    },
  },
  vagrant: {
    ...grouped('box plugin snapshot', 'list', 'status version global-status port validate', {
      tune: `${SHOWN} --machine-readable`,
    }),
    wraps: { sub: 'ssh', code: '-c --command', onlyCode: true, skip: 99, remote: 'ssh', elsewhere: true },
    traits: ['printsSetup', 'speaks'],
  },
};

const KUBE = '-n= --namespace= --request-timeout= -v=  --cluster= --user= --context=';
const KUBE_LOAD =
  '--kubeconfig= --cache-dir= --as= --as-group= --token= -s= --server= --insecure-skip-tls-verify --certificate-authority= --client-key= --client-certificate= --log-file= --profile= --profile-output= --password= --username=';
const kubeLooks: Spec = {
  operands: 'tune',
  tune: '-# -A -l= -L= -o= -w -R -c=  --all-namespaces --selector= --label-columns= --output= --watch --watch-only --show-labels --sort-by= --field-selector= --no-headers --show-kind --ignore-not-found --chunk-size= --output-watch-events --show-managed-fields --template= --containers --since= --since-time= --tail= --timestamps --follow --previous -p --all-containers[=] --prefix --max-log-requests= --limit-bytes= --recursive --api-version= --api-group= --namespaced[=] --verbs= --list --quiet -q --client --short --for= --timeout= --revision= --server-print[=]  --minify --flatten --show-events[=] --types= --no-prefix --use-protocol-buffers --sum --container=',
  load: '--raw= -f= --filename= -k= --kustomize=',
};

const kubectl: Spec = {
  tune: KUBE,
  load: KUBE_LOAD,
  global: true,
  idle: '--help -h',
  dry: '--dry-run[=]',
  subs: {
    'get describe top explain api-resources api-versions cluster-info version events wait': {
      ...kubeLooks,
      judge: (call, reading) => judgeKube(call, reading),
    },
    'logs log': { ...kubeLooks, tune: `${kubeLooks.tune} -f`, load: '' },
    auth: { subs: { 'can-i whoami': kubeLooks } },
    config: {
      subs: {
        'view get-contexts current-context get-clusters get-users': { ...kubeLooks, load: '--raw --merge' },
        'use-context use set-context set rename-context': {
          operands: 'tune',
          tune: '--current --namespace= --cluster= --user=',
          open: 'changes the server of later commands',
        },
      },
    },
    rollout: { subs: { 'status history': kubeLooks } },
    diff: { operands: 'judged', open: 'runs KUBECTL_EXTERNAL_DIFF', tune: '-f= -k= -R --filename=' },
    exec: {
      tune: '-c= -i -t -it -q --container= --stdin --tty --quiet --pod-running-timeout=',
      load: '-f= --filename=',
      operands: 'tune shell',
      judge: () => undefined,
    },
    'completion help options': { operands: 'tune' },
    plugin: { subs: { list: { tune: '--name-only' } } },
    kustomize: {
      operands: 'project',
      judge: (_, reading) => judgeBases(reading),
      load: '--enable-exec --enable-alpha-plugins --enable-helm --helm-command=',
      write: '-o= --output=',
    },
    'port-forward': { operands: 'tune', tune: '--pod-running-timeout=', load: '--address=' },
    'create apply expose autoscale annotate label scale run': {
      operands: 'tune',
      tune: '-# -f= -l= -o= -i -t -it -R -c= --filename= --selector= --output= --image= --replicas= --port= --target-port= --type= --restart= --rm --timeout= --from-literal= --env= --labels= --min= --max= --cpu-percent= --save-config --validate[=] --server-side --address= --wait[=] --name= --class= --rule= --clusterrole= --schedule= --all --recursive --external-ip= --protocol= --current-replicas=',
      read: '--from-file= --from-env-file=',
      load: '-k= --kustomize= --overrides= --command --stdin --attach --privileged --serviceaccount= --user=',
      delete: '--overwrite --prune --force --force-conflicts',
      judge: (_, reading) => (isDryReading(reading) ? judgeManifest(reading) : unknown('changes the cluster')),
    },
    'delete replace patch set taint drain cordon uncordon cp proxy attach debug edit': {
      operands: 'judged',
      tune: '-# -f= -k= -l= -o= -p= -i -t -it -R -c= --filename= --selector= --output= --image= --replicas= --port= --target-port= --type= --restart= --rm --overwrite --record --grace-period= --timeout= --all --wait[=] --ignore-not-found --from-literal= --from-file= --env= --labels= --min= --max= --cpu-percent= --command --stdin --tty --quiet --save-config --validate[=] --server-side --local --list --address= --current-replicas= --patch= --containers= --force --now --cascade[=] --ignore-daemonsets --delete-emptydir-data --target= --profile=',
      judge: (_, reading) =>
        reading.given.some(({ role, value }) => role === 'dry' && !/^(none|false)$/.test(value ?? ''))
          ? undefined
          : unknown('changes the cluster, or sends to it'),
    },
  },
};

function judgeKube(_: CallFacts, reading: Reading) {
  return reading.given.some(({ name, value = '' }) => /^(-o|--output)$/.test(name) && /-file/.test(value))
    ? unknown('prints from a file')
    : undefined;
}

/** A record for a cloud’s command line, whose words describe the effect: a reading verb, with known options. */
function cloud(reads: RegExp, others = /^$/): Spec {
  return {
    helpers: 'python3 uname dirname readlink tput',
    tune: '-# -q -o= -g= -n= --profile= --lookup-attributes= --delete --expires-in= --output= --region= --query= --no-cli-pager --no-paginate --max-items= --page-size= --starting-token= --filters= --filter= --format= --project= --zone= --zones= --location= --limit= --sort-by= --subscription= --resource-group= --name= --ids= --instance-ids= --bucket= --prefix= --key= --table-name= --function-name= --stack-name= --cluster= --cluster-name= --log-group-name= --log-stream-name= --start-time= --end-time= --filter-pattern= --recursive --human-readable --summarize --quiet --group-names= --group-ids= --vpc-ids= --image-ids= --owners= --user-name= --role-name= --policy-arn= --db-instance-identifier= --queue-url= --topic-arn= --namespace= --metric-name= --dimensions= --period= --statistics= --names= --services= --service= --tasks= --task-definition=  --no-sign-request --color= --only-show-errors --show-details -d --uri --flatten= --page-token= --max-results= --include= --all --tag= --tags= --delimiter= --request-payer=  --state= --status= --type= --resource-type= --hosted-zone-id= --instance-id= --group-name= --launch-template-ids= --key-names= --snapshot-ids= --volume-ids= --subnet-ids= --since= --follow --secret-id= --version-id=',
    load: '--endpoint-url= --cli-input-json= --cli-input-yaml= --ca-bundle= --no-verify-ssl --debug --account= --impersonate-service-account= --configuration= --access-token-file= --flags-file= --log-http --generate-cli-skeleton[=] --cli-binary-format= --parameters= --verbosity=',
    idle: '--version --help',
    operands: 'tune',
    dry: '--dry-run --dryrun',
    judge: ({ args }, reading) => {
      const list = reading.operands.map(({ text }) => text);
      if (list.at(-1) === 'help' || isDryReading(reading)) return undefined;
      if (/^(configure list|webapp log tail)$/.test(list.join(' '))) return undefined;
      if (/^compute ssh /.test(list.join(' ')) && args.some(({ text: word }) => /^--(command(=.*)?)?$/.test(word)))
        return undefined;
      const at = list.findIndex((word) => reads.test(word));
      const text = list.slice(0, 4).join(' ');
      if (
        others.test(list.join(' ')) ||
        at < 0 ||
        at > 4 ||
        list.slice(0, at).some((word) => verbOf(word) === 'destroys')
      )
        return unknown(`${text.slice(0, 60)} may not only read`);
      return undefined;
    },
  };
}

/** Tools for clusters, clouds and forges. */
export const SERVICES: Records = {
  kubectl: {
    ...kubectl,
    traits: ['sends', 'printsSetup', 'speaks'],
    keys: '--kubeconfig --client-key -o --output',
    reaches: true,
  },
  helm: {
    values: '--kube-context --version',
    dryRun: '--dry-run',
    traits: ['sends', 'printsSetup', 'speaks'],
    keys: '--kubeconfig -o --output',
    reaches: true,
    tune: `${KUBE} --debug`,
    load: KUBE_LOAD.replace('-s=', ''),
    global: true,
    idle: '--help -h',
    dry: '--dry-run[=]',
    subs: {
      'list ls status history search show template lint get version env inspect': {
        operands: 'read',
        tune: '-# -a -A -f= -o= -q -d -r -l= -g --all --all-namespaces --output= --short --date --reverse --max= --selector= --filter= --failed --deployed --pending --superseded --revision= --set= --set-string= --values= --version= --strict --include-crds --show-only= -s= --name-template= --devel --versions --quiet --api-versions= --no-hooks --is-upgrade --kube-version= --generate-name --max-col-width= --regexp --short --template=',
        read: '--set-file=',
        judge: judgeChart,
        into: '--output-dir=',
        load: '--post-renderer= --post-renderer-args= --repo= --username= --password= --ca-file= --keyring= --verify --validate',
      },
      repo: { subs: { list: { tune: '-o=' }, update: { operands: 'tune' } } },
      plugin: { subs: { list: {} } },
      'dependency dep': { subs: { list: { operands: 'read' } } },
      'install upgrade': {
        operands: 'tune read',
        tune: '-# -n= -i --install --set= --set-string= --version= --wait --timeout= --atomic --create-namespace --generate-name --reuse-values --history-max= --description= --namespace=',
        read: '-f= --values= --set-file=',
        load: '--post-renderer= --repo= --username= --password= --ca-file= --keyring= --insecure-skip-tls-verify',
        delete: '--force --replace --cleanup-on-fail --reset-values --no-hooks',
        judge: (call, reading) => (isDryReading(reading) ? judgeChart(call, reading) : unknown('changes the cluster')),
      },
      'uninstall rollback test package pull push create registry': {
        operands: 'judged',
        tune: '-# -f= -i --install --set= --set-string= --values= --version= --wait --timeout= --atomic --create-namespace --generate-name --reuse-values --reset-values --force --cleanup-on-fail --history-max= --keep-history --debug -d= --destination= --untar --devel',
        load: '--post-renderer= --repo=',
        judge: (_, reading) =>
          reading.given.some(({ role, value }) => role === 'dry' && !/^(none|false)$/.test(value ?? ''))
            ? undefined
            : unknown('changes the cluster or the project'),
      },
    },
  },
  terraform: {
    values: '-lock-timeout -replace',
    wraps: { sub: 'run-all|run|stack', as: 'terraform', values: '-chdir --working-dir --terragrunt-working-dir' },
    traits: ['speaks'],
    singleDash: true,
    tune: '-no-color -version',
    load: '-chdir=',
    subs: {
      'version providers fmt validate show output graph state workspace get': {
        singleDash: true,
        operands: 'tune',
        tune: '-json -raw -check -diff -recursive -no-color -write=false -list=true -type= -state= -id=',
        judge: (_, reading) => judgeTerraform(reading),
      },
      'plan refresh init apply destroy import taint untaint console test force-unlock login': {
        singleDash: true,
        operands: 'judged',
        open: 'runs providers, or changes what they manage',
        runsFiles: true,
        tune: '-input= -lock= -var= -var-file= -target= -no-color -refresh= -detailed-exitcode -json -upgrade -reconfigure -backend= -backend-config= -compact-warnings -parallelism= -destroy -auto-approve -out=',
      },
    },
  },
  aws: {
    ...cloud(
      /^(describe-|list-|head-|ls$|get-(?!.*(token|secret|password|credential|authorization|parameter))|filter-log-events|get-caller-identity|simulate-|estimate-|lookup-|search-|query$|scan$|tail$|wait$)/,
      /s3api get-object|get-login|ssm start-session/,
    ),
    values: '--acl --cli-connect-timeout --cli-read-timeout',
    leaves: { as: 'bucket', when: /^s3 (cp|mv|sync)\b/ },
    traits: ['sends', 'speaks'],
    reaches: true,
  },
  gcloud: {
    leaves: { as: 'bucket', when: /^storage (cp|mv|rsync)\b/ },
    ...cloud(/^(list|describe|info|get-value|get-iam-policy|read|get|list-.*|search.*)$/),
    values: '--metadata --metadata-from-file --member --role --billing-project --command',
    wraps: { code: '--command', onlyCode: true, skip: 99, remote: 'ssh', elsewhere: true },
    traits: ['sends', 'printsSetup', 'speaks'],
    reaches: true,
  },
  az: {
    ...cloud(/^(list|show|list-.*|show-.*|get-(?!credentials)\S*|exists|check-.*)$/),
    values: '-l --vault-name --account-name --container-name',
    traits: ['sends', 'speaks'],
    reaches: true,
  },
  gh: {
    values: '-f --body --title -a',
    leaves: {
      as: 'forge',
      when: pattern(String.raw`
        ^(pr|issue|release|gist|repo|project|label|workflow|run|secret|variable|ruleset|codespace|ssh-key
        |gpg-key)\x20(?!list\b|ls\b|view\b|status\b|diff\b|checks\b|checkout\b|clone\b|get\b|logs\b|search\b
        |download\b|watch\b)|^api\b
      `),
    },
    traits: ['sends', 'printsSetup', 'speaks'],
    reaches: true,
    global: true,
    tune: '-R= --repo= ',
    idle: '--version --help -h',
    judge: (_, reading) => {
      // Its jq can read the whole environment.
      for (const { name, value = '' } of reading.given) {
        const found = name === '-q' || name === '--jq' ? judgeJq(value) : undefined;
        if (found) return found;
      }
      return undefined;
    },
    subs: {
      'pr issue repo release run workflow gist label secret variable codespace cs org project ruleset cache ssh-key gpg-key extension alias config attestation':
        {
          subs: {
            checkout: {
              operands: 'tune',
              tune: '-b= --branch= --detach',
              delete: '-f --force --recurse-submodules',
              judge: ({ machine }) => {
                bringsFiles(machine, '.');
                return undefined;
              },
            },
            clone: {
              operands: 'tune add',
              judge: (_, reading) =>
                reading.operands.length > 2 || reading.operands.some(({ text }) => text.startsWith('-'))
                  ? unknown('hands on options to git')
                  : undefined,
            },
            'list ls view status diff checks get logs search ': {
              operands: 'tune',
              tune: '-# -a= -A= -B= -H= -L= -l= -s= -S= -q= -t= -c  -e= -j= -u= -b= -o= -v -r  -d --json= --jq= --template= --limit= --state= --author= --assignee= --label= --search= --base= --head= --comments --log --log-failed --job= --exit-status --verbose --watch --interval= --name-only --patch --color= --workflow= --branch= --event= --user= --status= --commit= --created= --draft --app= --milestone= --mention= --org= --source --fork --language= --topic= --visibility= --archived --no-archived --raw --files --filename= --required --attempt=',
              load: '-w --web',
            },
          },
        },
      api: {
        tune: '-i -q= -t= -H= -p= --include --paginate --jq= --template= --header= --silent --slurp --cache= --preview= --verbose -X= --method= -f= --raw-field= -F= --field=',
        send: '--hostname= --input=',
        operands: 'tune',
        judge: (call, reading) => judgeGhApi(call, reading),
      },
      auth: { subs: { status: { tune: '-h= -a --hostname= --active' } } },
      search: {
        subs: {
          'code commits issues prs repos': {
            operands: 'tune',
            tune: '-L= -q= -t= --limit= --json= --jq= --owner= --repo= --language= --state= --author= --label= --sort= --order=',
          },
        },
      },
      status: { tune: '-e= -o=' },
      'browse completion help': { operands: 'tune', tune: '-n -s= --no-browser' },
    },
  },
};

/** Judges a chart: one from an address is other people’s code. */
function judgeChart(_: CallFacts, reading: Reading) {
  return reading.operands.some(({ text }) => /:\/\//.test(text))
    ? unknown('renders or installs from an address')
    : undefined;
}

function judgeTerraform(reading: Reading) {
  const [sub] = reading.path;
  const second = reading.operands[0]?.text ?? '';
  if (sub === 'fmt') return given(reading, '-check', '-write=false') ? undefined : FORMATS;
  if (sub === 'state') return /^(list|show)$/.test(second) ? undefined : unknown('changes the state');
  if (sub === 'workspace') return /^(list|show)$/.test(second) ? undefined : unknown('changes a workspace');
  if (sub === 'get') return unknown('fetches modules');
  if (sub === 'providers' && !/^(|schema)$/.test(second)) return unknown('fetches providers');
  return undefined;
}

function judgeGhApi(_: CallFacts, reading: Reading) {
  const method = reading.given.findLast(({ name }) => name === '-X' || name === '--method')?.value ?? '';
  const fields = given(reading, '-f', '-F', '--raw-field', '--field');
  const query = reading.given.map(({ value }) => value ?? '').join(' ');
  if (reading.operands[0]?.text === 'graphql')
    return /\bmutation\b/.test(query) || /=@/.test(query) ? unknown('changes something on the forge') : undefined;
  return /^(|GET)$/.test(method) && (!fields || method === 'GET')
    ? undefined
    : unknown('changes something on the forge');
}

/** Judges a manifest: one from an address is other people’s code, and one that grants rights does more than add. */
function judgeManifest(reading: Reading) {
  const text = [
    ...reading.given.map(({ value }) => value ?? ''),
    ...reading.operands.map(({ text: word }) => word),
  ].join(' ');
  if (/https?:\/\//.test(text)) return unknown('applies a file from an address');
  return /binding|token|clusterrole|cronjob|privileged|loadbalancer|nodeport|0\.0\.0\.0/i.test(text)
    ? unknown('grants rights, or opens a port')
    : undefined;
}

/** Judges the base of a kustomization: one of another host is fetched (`github.com/x/y`, `x.example//path?ref=v1`). */
function judgeBases(reading: Reading) {
  return reading.operands.some(({ text }) => /^[\w.-]+\.[a-z]{2,}[/:]|^git@|\/\/|\?/.test(text))
    ? unknown('builds on another host')
    : undefined;
}
