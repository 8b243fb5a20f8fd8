import { type StaticVerdict, unknown } from '../../verdict.ts';
import { type CallFacts, given, type Reading, type Records, type Spec } from '../record.ts';

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

/** A container of a usual image, in a network of its own, with no secret of the shell. */
function judgeRun({ given: options, path, operands }: Reading) {
  for (const { name, value = '' } of options) {
    if (/^(-e|--env)$/.test(name) && isSecretName(value)) return unknown('hands a secret to a container');
    if (/^--net(work)?$/.test(name) && /^(host|container:)/.test(value))
      return unknown('shares the network of this machine');
  }
  return path.includes('run') && isForeignImage(operands[0]?.text ?? '')
    ? unknown('runs an image of somebody')
    : undefined;
}

/** `someone/image`, `host.example/image`: anybody's. A plain name is one of those that the registry itself looks after. */
function isForeignImage(image: string): boolean {
  return image.includes('/') && !/^(docker\.io\/|public\.ecr\.aws\/docker\/)?library\//.test(image);
}

/** What a container was given holds its passwords: all of it is shown unless a format picks something else. */
function judgeInspect(_: CallFacts, reading: Reading) {
  const things = reading.path[0];
  if (/^(image|volume|network|context|node|builder|manifest|plugin)$/.test(things ?? '')) return undefined;
  const format = reading.given.findLast(({ name }) => name === '-f' || name === '--format')?.value;
  const type = reading.given.findLast(({ name }) => name === '--type')?.value;
  if (/^(image|volume|network)$/.test(type ?? '')) return undefined;
  const picks =
    format !== undefined &&
    !/Env|\.Config\s*\}|json\s+\.\s*\}|\{\{\s*\.\s*\}\}|^json$|Spec|range|index|with/i.test(format);
  return picks ? undefined : unknown('shows the environment that a container was given');
}

/** Services as the project's own file says; another file is code that nobody has looked at. */
function judgeServices(_: CallFacts, reading: Reading) {
  if (reading.given.some(({ name, value = '' }) => name === '--scale' && /=0*$/.test(value)))
    return unknown('stops and removes containers of a service');
  return given(reading, '-f', '--file', '--project-directory')
    ? unknown('starts what another file says', { runsFiles: true })
    : undefined;
}

/** `-e NAME` hands on the value the shell has. */
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
  send: '--push --network=',
  load: '--ssh= --secret= --build-context= --allow= --add-host= --security-opt= --cache-from=',
  control: /(^|\/)([Dd]ocker|Container)file[^/]*$/,
  judge: (_, reading) =>
    reading.given.some(({ role, value }) => role === 'project' && value === '-')
      ? unknown('builds what its input says', { runsFiles: true })
      : undefined,
};

const docker: Spec = {
  reaches: 'pull push search',
  valuesOf: 'all',
  traits: ['sends', 'printsSetup', 'speaks'],
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
    attach: {
      open: 'takes part in what runs',
      operands: 'tune',
      tune: '-a -i --attach --interactive',
    },
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
      // What such a file sets chooses further files of services, too.
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

/** Containers. */
export const DOCKER: Records = {
  docker,
  'docker-compose': { ...(docker.subs?.compose as Spec), valuesOf: 'all' },
};

/** The words behind a container's name are options of `ps`, of which `e` shows the environment. */
function judgeTop(_: CallFacts, reading: Reading): StaticVerdict | undefined {
  return reading.operands.slice(1).some(({ text }) => /^[a-zA-Z]*e[a-zA-Z]*$|^-[a-zA-Z]*E/.test(text))
    ? unknown('shows the environment of what runs there')
    : undefined;
}
