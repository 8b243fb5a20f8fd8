import { type StaticVerdict, unknown } from '../../verdict.ts';
import { type CallFacts, given, type Reading, type Records } from '../record.ts';
import { judgeBases } from './services.ts';
import { grouped, SHOWN, shows } from './shown.ts';

/** A hypervisor of this machine: other addresses start a program, or log in elsewhere. */
function judgeHypervisor({ program }: CallFacts, reading: Reading): StaticVerdict | undefined {
  const odd = reading.given.some(
    ({ name, value = '' }) => /^(-c|--connect)$/.test(name) && !/^[a-z]+:\/\/\/(system|session|default)?$/.test(value),
  );
  return program === 'virsh' && odd ? unknown('asks a hypervisor through what an address names') : undefined;
}

/** Clouds, clusters and virtual machines, of which the gate knows what they show. */
export const CLOUDS: Records = {
  heroku: {
    needs: true,
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
      'config config:get': { operands: 'tune', open: 'shows the secrets of an app' },
    },
  },
  vault: {
    needs: true,
    ...grouped('kv secrets auth policy token', 'list metadata', 'status version list path-help', {
      tune: `${SHOWN} -format= -field= -mount= -version= -detailed`,
      singleDash: true,
    }),
    traits: ['speaks'],
  },
  'consul nomad': {
    needs: true,
    ...grouped(
      'catalog kv node job alloc operator',
      'services nodes get list status',
      'members info version validate plan status',
      { singleDash: true, tune: `${SHOWN} -detailed -short -verbose -datacenter=` },
    ),
    traits: ['speaks'],
  },
  gsutil: {
    needs: true,
    family: 'files',
    findings: [
      {
        name: 'gsutil rsync -d',
        shapes: ['rsync -d'],
        reason: 'deletes files at the other end',
        match: ['gsutil rsync -d a gs://b', 'gsutil -m rsync -r -d a gs://b'],
        pass: ['gsutil rsync -r a gs://b', 'gsutil rsync -n -d a gs://b'],
      },
    ],
    dryRun: { rsync: '-n' },
    traits: ['sends', 'speaks'],
    reaches: true,
    helpers: 'python3 uname dirname readlink tput',
    tune: '-m -q',
    subs: { 'ls cat stat du hash version help': { operands: 'tune', tune: '-l -L -r -R -a -h -s -c -b -d' } },
  },
  doctl: {
    needs: true,
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
  'fly flyctl vercel netlify wrangler firebase railway': {
    needs: { 'fly flyctl vercel netlify wrangler firebase': true },
    ...grouped(
      'apps machine machines volumes ips domains env projects sites  kv d1 deployments',
      'list ls show status info',
      'status logs ls list inspect whoami version releases info regions projects:list',
      { tune: `${SHOWN} -a= -n= -s= --yes` },
    ),
    traits: ['speaks'],
    of: {
      'fly flyctl': {
        wraps: { sub: 'ssh', code: '-C --command', onlyCode: true, skip: 99, elsewhere: true },
      },
    },
  },
  pulumi: {
    needs: true,
    ...grouped('stack config plugin', 'ls list output history', 'whoami version about logs', {
      tune: `${SHOWN} --diff --non-interactive -s= --expect-no-changes`,
      delete: '--refresh',
    }),
    traits: ['speaks'],
  },
  bq: {
    needs: true,
    valuesOf: 'first',
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
    needs: true,
    ...grouped('profile addons config', 'list view get', 'status ip version logs profile ', {
      tune: `${SHOWN} -p= -o= --output=`,
    }),
    wraps: { sub: 'ssh', values: '-n --node -p --profile', joined: true, elsewhere: true },
    traits: ['printsSetup', 'speaks'],
  },
  kind: {
    needs: true,
    ...grouped('get', 'clusters nodes ', 'version', { tune: `${SHOWN} --name=` }),
    traits: ['speaks'],
  },
  kustomize: {
    needs: true,
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
  'istioctl argocd flux velero kubeadm eksctl': {
    needs: { 'istioctl argocd flux': true },
    ...grouped(
      'app cluster repo account proj backup schedule certs config get',
      'list get diff history logs describe check-expiration view',
      'version analyze proxy-status ps check get logs tree stats',
      { tune: `${SHOWN} -n= -A -o= --output= --all-namespaces` },
    ),
    traits: ['speaks'],
  },
  'crictl ctr buildah skopeo': {
    needs: true,
    ...grouped(
      'images image containers',
      'list ls',
      'ps pods images info version inspecti logs stats containers list-tags imagefsinfo',
      { tune: `${SHOWN} -o= --output= --tls-verify= --no-trunc` },
    ),
    traits: ['speaks'],
  },
  etcdctl: {
    needs: true,
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
            ? unknown('shows all that is kept, secrets among it')
            : undefined,
      },
      'member endpoint alarm': { subs: { 'list status health hashkv': {} } },
    },
  },
  'rabbitmqctl nodetool': {
    needs: { rabbitmqctl: true },
    ...shows(
      'status list_queues list_exchanges list_users list_vhosts list_bindings list_connections list_consumers cluster_status list_permissions list_policies ping info ring tpstats describecluster netstats tablestats version gossipinfo compactionstats',
      { tune: `${SHOWN} -p= -n= -h=` },
    ),
    of: { rabbitmqctl: { traits: ['speaks'] } },
  },
  'kafka-topics kafka-topics.sh kafka-consumer-groups kafka-consumer-groups.sh': {
    needs: { 'kafka-topics kafka-topics.sh': true },
    of: { 'kafka-topics kafka-topics.sh': { traits: ['speaks'] } },
    singleDash: true,
    tune: '--bootstrap-server= --list --describe --topic= --group= --all-groups --members --offsets --state --zookeeper= --exclude-internal',
    load: '--command-config=',
    delete: '--delete --create --alter --reset-offsets --execute --delete-offsets --to-earliest --to-latest',
  },
  'virsh vboxmanage VBoxManage multipass': {
    needs: { 'virsh multipass': true },
    ...shows(
      'list dominfo domstate domblklist domiflist net-list net-info pool-list pool-info vol-list nodeinfo version capabilities snapshot-list snapshot-info uri vncdisplay domifaddr showvminfo showhdinfo info',
      { tune: `${SHOWN} -c= --connect= --inactive --name --title -l`, judge: judgeHypervisor },
    ),
    traits: ['speaks'],
    of: { multipass: { wraps: { sub: 'exec', skip: 1, elsewhere: true } } },
  },
  vagrant: {
    needs: true,
    ...grouped('box plugin snapshot', 'list', 'status version global-status port validate', {
      tune: `${SHOWN} --machine-readable`,
    }),
    wraps: { sub: 'ssh', code: '-c --command', onlyCode: true, skip: 99, remote: 'ssh', elsewhere: true },
    traits: ['printsSetup', 'speaks'],
  },
  'lxc incus': {
    needs: true,
    ...grouped(
      'config image profile network storage box plugin snapshot remote',
      'show list info get',
      'list info version status global-status port validate',
      { tune: `${SHOWN} -c= -f= -p= --columns= --machine-readable` },
    ),
    wraps: { sub: 'exec', skip: 1, elsewhere: true },
    traits: ['speaks'],
  },
  adb: {
    needs: true,
    wraps: { values: '-s', sub: 'shell', joined: true, elsewhere: true },
    tune: '-s= -d -e',
    subs: { 'devices version get-state get-serialno logcat': { tune: '-l -d -v= -t= -s', operands: 'tune' } },
  },
};
