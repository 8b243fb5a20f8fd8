import { type StaticVerdict, unknown } from '../../verdict.ts';
import { type CallFacts, given, type Reading, type Records, type Spec } from '../record.ts';
import { judgeBases } from './services.ts';

/** Options that nearly every tool of this kind has, and that only choose what is shown. */
const SHOWN =
  '-a -q -v --all --json --quiet --verbose --no-color --limit= --format= --app= --org= --team= --region= --project= --namespace= --context= --scope= --env= --environment= --no-truncate --raw --tail --num= --page= --filter=  --lines= --stack= --show-urns ';
/** Subcommands that only show something. */
const shows = (subs: string, more: Partial<Spec> = {}): Spec => ({
  global: true,
  tune: SHOWN,
  subs: { [subs]: { operands: 'tune' } },
  ...more,
});

/** A program of a few subcommands that only show something, some of them in groups. */
const grouped = (groups: string, subs: string, direct: string, more: Partial<Spec> = {}): Spec => ({
  global: true,
  tune: SHOWN,
  subs: { [groups]: { subs: { [subs]: { operands: 'tune' } } }, [direct]: { operands: 'tune' } },
  ...more,
});

/** An inventory that is a program is run; a list of names or a plain file is read. */
export function judgeInventory(_: CallFacts, reading: Reading): StaticVerdict | undefined {
  for (const { name, value = '' } of reading.given)
    if (
      /^(-i|--inventory)$/.test(name) &&
      !/^[\w.@-]+,[\w.,@-]*$|^(?!\/|~|\.\.)[\w./-]*(\.(ini|ya?ml|cfg)|(^|\/)(hosts|inventory))$/.test(value)
    )
      return unknown('an inventory may be a program', { runsFiles: true });
  return undefined;
}

/** A hypervisor of this machine: other addresses start a program, or log in elsewhere. */
function judgeHypervisor({ program }: CallFacts, reading: Reading): StaticVerdict | undefined {
  const odd = reading.given.some(
    ({ name, value = '' }) => /^(-c|--connect)$/.test(name) && !/^[a-z]+:\/\/\/(system|session|default)?$/.test(value),
  );
  return program === 'virsh' && odd ? unknown('asks a hypervisor through what an address names') : undefined;
}

/** One exchange of text, without the letter that makes it code. */
const RENAMES = /^(s|tr|y)\/(\\.|\((?!\?\??\{)|[^/\\$@({])*\/(\\.|\$\d|[^/\\$@({])*\/[gixrs]*$/;

/** A bundle or an address brings another repository, and its settings run hooks. */
function judgeRepository(_: CallFacts, reading: Reading): StaticVerdict | undefined {
  const odd = reading.given.some(({ name, value = '' }) => /^(-R|--repository)$/.test(name) && value.includes(':'));
  return odd ? unknown('reads a repository of another place') : undefined;
}

/** Programs of which the gate knows what they show, and the dry runs of those that change something. */
export const TOOLS: Records = {
  heroku: {
    global: true,
    tune: `${SHOWN} -t -n= -d= -s= -r= -p=`,
    subs: {
      'apps logs ps releases addons domains auth:whoami pg:info status version info apps:info buildpacks features': {
        operands: 'tune',
      },
      'config config:get': { operands: 'tune', open: 'shows the secrets of an app' },
    },
  },
  vault: grouped('kv secrets auth policy token', 'list metadata', 'status version list path-help', {
    tune: `${SHOWN} -format= -field= -mount= -version= -detailed`,
    singleDash: true,
  }),
  'consul nomad': grouped(
    'catalog kv node job alloc operator',
    'services nodes get list status',
    'members info version validate plan status',
    { singleDash: true, tune: `${SHOWN} -detailed -short -verbose -datacenter=` },
  ),
  gsutil: {
    helpers: 'python3 uname dirname readlink tput',
    tune: '-m -q',
    subs: { 'ls cat stat du hash version help': { operands: 'tune', tune: '-l -L -r -R -a -h -s -c -b -d' } },
  },
  doctl: {
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
  'fly flyctl vercel netlify wrangler firebase railway': grouped(
    'apps machine machines volumes ips domains env projects sites  kv d1 deployments',
    'list ls show status info',
    'status logs ls list inspect whoami version releases info regions projects:list',
    { tune: `${SHOWN} -a= -n= -s= --yes` },
  ),
  pulumi: grouped('stack config plugin', 'ls list output history', 'whoami version about logs', {
    tune: `${SHOWN} --diff --non-interactive -s= --expect-no-changes`,
    delete: '--refresh',
  }),
  bq: {
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
  minikube: grouped('profile addons config', 'list view get', 'status ip version logs profile ', {
    tune: `${SHOWN} -p= -o= --output=`,
  }),
  kind: grouped('get', 'clusters nodes ', 'version', { tune: `${SHOWN} --name=` }),
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
  'istioctl argocd flux velero kubeadm eksctl': grouped(
    'app cluster repo account proj backup schedule certs config get',
    'list get diff history logs describe check-expiration view',
    'version analyze proxy-status ps check get logs tree stats',
    { tune: `${SHOWN} -n= -A -o= --output= --all-namespaces` },
  ),
  'crictl ctr buildah skopeo': grouped(
    'images image containers',
    'list ls',
    'ps pods images info version inspect inspecti inspectp logs stats containers list-tags imagefsinfo',
    { tune: `${SHOWN} -o= --output= --tls-verify= --no-trunc` },
  ),
  etcdctl: {
    global: true,
    tune: `${SHOWN} --endpoints= -w= --write-out= --cacert= --cert= --key= --user=`,
    subs: {
      'get version': {
        operands: 'tune',
        tune: '--prefix --keys-only --print-value-only --limit= --rev= --from-key --count-only --sort-by= --order=',
      },
      'member endpoint alarm': { subs: { 'list status health hashkv': {} } },
    },
  },
  'rabbitmqctl nodetool': shows(
    'status list_queues list_exchanges list_users list_vhosts list_bindings list_connections list_consumers cluster_status list_permissions list_policies ping info ring tpstats describecluster netstats tablestats version gossipinfo compactionstats',
    { tune: `${SHOWN} -p= -n= -h=` },
  ),
  'kafka-topics kafka-topics.sh kafka-consumer-groups kafka-consumer-groups.sh': {
    singleDash: true,
    tune: '--bootstrap-server= --list --describe --topic= --group= --all-groups --members --offsets --state --zookeeper= --exclude-internal',
    load: '--command-config=',
    delete: '--delete --create --alter --reset-offsets --execute --delete-offsets --to-earliest --to-latest',
  },
  'virsh vboxmanage VBoxManage multipass': shows(
    'list dominfo domstate domblklist domiflist net-list net-info pool-list pool-info vol-list nodeinfo version capabilities snapshot-list snapshot-info uri vncdisplay domifaddr showvminfo showhdinfo info',
    { tune: `${SHOWN} -c= --connect= --inactive --name --title -l`, judge: judgeHypervisor },
  ),
  vagrant: grouped('box plugin snapshot', 'list', 'status version global-status port validate', {
    tune: `${SHOWN} --machine-readable`,
  }),
  'lxc incus': grouped(
    'config image profile network storage box plugin snapshot remote',
    'show list info get',
    'list info version status global-status port validate',
    { tune: `${SHOWN} -c= -f= -p= --columns= --machine-readable` },
  ),
  adb: {
    tune: '-s= -d -e',
    subs: { 'devices version get-state get-serialno logcat': { tune: '-l -d -v= -t= -s', operands: 'tune' } },
  },
  nmcli: {
    tune: '-t -f= -p -m= -g= -c= -w= -a -s --terse --fields= --pretty --mode= --get-values= --colors= ',
    subs: {
      '': {},
      'general g': { subs: { '': {}, 'status hostname permissions logging': {} } },
      'device d dev connection c con': {
        subs: {
          '': {},
          'status show': { operands: 'tune', tune: '--active' },
          wifi: {
            subs: { '': {}, list: { tune: '--rescan=', operands: 'tune' } },
            tune: '--active',
          },
        },
      },
      'radio networking': { subs: { '': {} } },
    },
  },
  ethtool: {
    tune: '-i -S -k -a -g -c -l -m -T -d -n -u --show-ring --statistics --driver --show-features',
    operands: 'tune',
    judge: (_, reading) => (reading.operands.length > 1 ? unknown('changes the network') : undefined),
  },
  certbot: {
    dry: '--dry-run',
    tune: '-n -q --non-interactive --quiet',
    subs: {
      'certificates plugins': {},
      'renew certonly': {
        tune: '-d= --cert-name=',
        load: '--pre-hook= --post-hook= --deploy-hook= --renew-hook= --manual-auth-hook=',
        judge: (_, reading) => (given(reading, '--dry-run') ? undefined : unknown('asks for certificates')),
      },
    },
    global: true,
  },
  patch: {
    dry: '--dry-run',
    tune: '-p= -N -s -u -c -l -t -Z -F= --strip= --forward --silent --verbose --quiet --ignore-whitespace --fuzz=',
    read: '-i= --input=',
    load: '-e --ed',
    delete: '-f -R -E --force --reverse --remove-empty-files -b -V=',
    write: '-o= --output= -r= --reject-file= -d= --directory= -D= --ifdef=',
    operands: 'read',
    judge: (_, reading) => (given(reading, '--dry-run') ? undefined : unknown('changes files in place')),
  },
  'rename prename': {
    dry: '-n --nono --no-act',
    tune: '-v --verbose',
    operands: 'judged',
    judge: (_, reading) =>
      // Its code runs, also where no file is renamed.
      given(reading, '-n', '--nono', '--no-act') && RENAMES.test(reading.operands[0]?.text ?? '')
        ? undefined
        : unknown('renames files'),
  },
  passwd: {
    tune: '-S -a --status --all',
    operands: 'tune',
    judge: (_, reading) => (given(reading, '-S', '--status') ? undefined : unknown('changes a password')),
  },
  chage: {
    tune: '-l --list -i',
    operands: 'tune',
    judge: (_, reading) => (given(reading, '-l', '--list') ? undefined : unknown('changes an account')),
  },
  duplicity: {
    subs: { 'collection-status list-current-files': { operands: 'tune', tune: '--time= --no-encryption' } },
  },
  nginx: {
    tune: '-t -T -q',
    idle: '-v -V -h',
    load: '-c= -g= -p=',
    delete: '-s=',
    judge: (_, reading) => (given(reading, '-t', '-T') ? undefined : unknown('starts a server')),
  },
  'apachectl apache2ctl': { subs: { 'configtest status fullstatus': {}, '': { tune: '-t -S -M -v -V' } } },
  'http https xh': {
    tune: '-v -h -b -j -f -p= --json --form --headers --body --print= --verbose --pretty= --follow --timeout= --check-status --ignore-stdin --all',
    send: '-a= --auth= --session= --proxy= --verify= --cert= --auth-type=',
    write: '-o= --output= -d --download',
    operands: 'ask',
  },
  'pre-commit': {
    open: 'runs hooks of the project',
    runsFiles: true,
    operands: 'judged',
    tune: '--all-files -a --files',
  },
  alembic: {
    subs: {
      'current history heads show check branches': { operands: 'tune', tune: '-v --verbose -r= --indicate-current' },
      'upgrade downgrade': {
        dry: '--sql',
        operands: 'tune',
        judge: (_, reading) => (given(reading, '--sql') ? undefined : unknown('changes a database')),
      },
    },
    load: '-c= -x= -n=',
  },
  'manage.py django-admin': {
    subs: {
      'showmigrations check diffsettings inspectdb sqlmigrate help version': {
        operands: 'tune',
        tune: '--list --plan -l -p --deploy  --database=',
      },
      'runserver test shell dbshell migrate makemigrations collectstatic': {
        open: 'runs the project',
        runsFiles: true,
        operands: 'judged',
        tune: '-c= --noinput --command=',
      },
    },
  },
  artisan: { subs: { 'route:list list about': { operands: 'tune', tune: '--json --columns=' } } },
  prisma: {
    subs: {
      'validate generate version ': {
        control: /\.prisma$|(^|\/)prisma\.config\.[cm]?[jt]s$/,
        tune: '--schema=',
      },
      migrate: { subs: { status: { tune: '--schema=' } } },
    },
  },
  'flask ': { subs: { routes: { tune: '--sort= --all-methods' } }, load: '--app= -A=' },
  glab: grouped('mr issue repo ci release', 'list view diff status', 'version', {
    tune: `${SHOWN} -R= --repo= -s= -l= -P= -p=`,
  }),
  hg: {
    tune: '-q -v',
    project: '-R= --repository= --cwd=',
    global: true,
    judge: judgeRepository,
    control: /(^|\/)\.hg\/hgrc$/,
    subs: {
      'status st log diff summary id identify cat annotate branches branch tags heads parents paths manifest files locate root version help incoming outgoing':
        {
          operands: 'read',
          tune: '-# -r= -l= -p -g -a -m -A -u -c= --stat --template= -T= --rev= --limit= --git --all',
        },
    },
    load: '--config=',
  },
  svn: {
    subs: {
      'status st log diff info list ls cat blame proplist propget help': {
        operands: 'read',
        tune: '-# -r= -l= -v -q -u -c= --limit= --revision= --verbose --xml --summarize ',
      },
    },
  },
  jj: {
    subs: { 'status st log diff show': { operands: 'tune', tune: '-# -r= -n= -T= -s -p --stat --no-graph --limit=' } },
    load: '--config= --config-toml=',
  },
  'ansible-inventory ansible-doc ansible-config ansible-lint': {
    tune: '-i= --inventory= -l -t= --list --graph --host= --yaml --toml --vars -v --export',
    load: '--vault-password-file= --playbook-dir= -M=',
    operands: 'tune',
    judge: judgeInventory,
  },
  mongodump: {
    tune: '-h= -u= -p= -d= -c= --host= --port= --db= --collection= --username= --gzip --quiet --uri= --query=',
    into: '-o= --out=',
    write: '--archive[=]',
  },
  'createdb createuser': { tune: '-h= -p= -U= -O= -E= -T= -w -W -e -d ', operands: 'tune' },
  'ssh-agent': { tune: '-s -c -D -d -t=', delete: '-k' },
  'direnv starship zoxide': { subs: { 'hook status version init': { operands: 'tune', tune: '--cmd=' } } },
  'ssh-copy-id': { tune: '-i= -n -p= -o=', open: 'adds a key to another machine', operands: 'tune' },
  lpstat: { tune: '-a -d -p -t -r -s -v', operands: 'tune' },
  'code subl': { idle: '--list-extensions --version -v --status', open: 'an editor session', operands: 'judged' },
  'vim nano emacs pico micro helix hx kak': {
    idle: '--version',
    operands: 'judged',
    stopsAtOperand: true,
    open: 'an editor session',
  },
  pkill: {
    tune: '-# -0 -x -f -u= -n -o -P= -l --signal= --exact --full --uid=',
    operands: 'tune',
    judge: ({ args }) => (args[0]?.text === '-0' ? undefined : unknown('sends a signal')),
  },
  unittest: { operands: 'project', project: '-s= -t=', tune: '-v -q -f -b -p= -k=', control: /\.py$/ },
  'trivy grype syft': shows('image fs config repo version', {
    tune: `${SHOWN} --severity= --ignore-unfixed --exit-code= -f= --scanners=`,
    write: '-o= --output=',
  }),
};
