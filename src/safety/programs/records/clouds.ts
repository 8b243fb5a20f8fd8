import { unknown } from '../../verdict.ts';
import { given, type Records, type Spec } from '../record.ts';
import { judgeBases } from './services.ts';

/** Options that nearly every tool of this kind has, and that only choose what is shown. */
export const SHOWN =
  '-a -q -v --all --json --quiet --verbose --no-color --limit= --format= --app= --org= --team= --region= --project= --namespace= --context= --scope= --env= --environment= --no-truncate --raw --tail --num= --page= --filter=  --lines= --stack= --show-urns ';

/** A program of a few subcommands that only show something, some of them in groups. */
export const grouped = (groups: string, subs: string, direct: string, more: Partial<Spec> = {}): Spec => ({
  global: true,
  tune: SHOWN,
  subs: { [groups]: { subs: { [subs]: { operands: 'tune' } } }, [direct]: { operands: 'tune' } },
  ...more,
});

/** Clouds, clusters and virtual machines, of which the gate knows what they show. */
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
    of: {
      fly: {
        wraps: { sub: 'ssh', code: '-C --command', onlyCode: true, skip: 99, elsewhere: true },
      },
    },
  },
  pulumi: {
    ...grouped('stack config plugin', 'ls list output history', 'whoami version about logs', {
      tune: `${SHOWN} --diff --non-interactive -s= --expect-no-changes`,
      delete: '--refresh',
    }),
    traits: ['speaks'],
  },
  bq: {
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
            ? unknown('shows all that is kept, secrets among it')
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
