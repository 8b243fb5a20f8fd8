import { type StaticVerdict, unknown } from '../../verdict.ts';
import { lookAt } from '../paths.ts';
import { type CallFacts, given, type Reading, type Records } from '../record.ts';
import { grouped, SHOWN } from './clouds.ts';
import { judgeItems } from './network.ts';

/** An inventory that is a program is run; a list of names or a plain file is read. */
export function judgeInventory(_: CallFacts, reading: Reading): StaticVerdict | undefined {
  for (const { name, value = '' } of reading.given)
    if (
      /^(-i|--inventory)$/.test(name) &&
      !/^[\w.@-]+,[\w.,@-]*$|^(?!\/|~|\.\.)[\w./-]*(\.(ini|ya?ml|cfg)|(^|\/)(hosts|inventory))$/.test(value)
    )
      return unknown('an inventory may be a program', { runsFiles: true });
  if (given(reading, '--list', '--host', '--vars', '--export'))
    return unknown('shows the variables of hosts, passwords among them');
  return undefined;
}

/** One exchange of text, without the letter that makes it code. */
const RENAMES = /^(s|tr|y)\/(\\.|\((?!\?\??\{)|[^/\\$@({])*\/(\\.|\$\d|[^/\\$@({])*\/[gixrs]*$/;

/** Programs of which the gate knows what they show, and the dry runs of those that change something. */
export const TOOLS: Records = {
  patch: {
    family: 'files',
    findings: [
      {
        name: 'patch over files',
        kept: true,
        shapes: ['-f|--force|-R|--reverse|-E|--remove-empty-files'],
        reason: 'changes files in place',
        match: ['patch -R -p1 < a.diff', 'patch -f -p1 -i a.diff'],
        pass: ['patch --dry-run -p1 < a.diff', 'patch -R --dry-run -p1 < a.diff'],
      },
    ],
    values: '-i --input -d --directory -p --strip -o --output -r --reject-file -F --fuzz -D -B -Y -z -V',
    dry: '--dry-run',
    tune: '-p= -N -s -u -c -l -t -Z -F= --strip= --forward --silent --verbose --quiet --ignore-whitespace --fuzz=',
    read: '-i= --input=',
    load: '-e --ed',
    delete: '-f -R -E --force --reverse --remove-empty-files -b -V=',
    write: '-o= --output= -r= --reject-file= -d= --directory= -D= --ifdef=',
    operands: 'read',
    judge: (_, reading) => {
      if (!given(reading, '--dry-run')) return unknown('changes files in place');
      return given(reading, '-o', '--output') ? unknown('writes its result in a dry run, too') : undefined;
    },
  },
  rename: {
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
  nginx: {
    tune: '-t -T -q',
    idle: '-v -V -h',
    load: '-c= -g= -p=',
    delete: '-s=',
    judge: (_, reading) => (given(reading, '-t', '-T') ? undefined : unknown('starts a server')),
  },
  http: {
    traits: ['sends'],
    tune: '-v -h -b -j -f -p= --json --form --headers --body --print= --verbose --pretty= --follow --timeout= --check-status -I --ignore-stdin --all',
    send: '-a= --auth= --session= --proxy= --verify= --cert= --auth-type=',
    write: '-o= --output= -d --download',
    operands: 'ask',
    judge: judgeItems,
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
  'manage.py': {
    traits: ['runsProject'],
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
  artisan: {
    traits: ['runsProject', 'speaks'],
    subs: { 'route:list list about': { operands: 'tune', tune: '--json --columns=' } },
  },
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
  glab: {
    ...grouped('mr issue repo ci release', 'list view diff status', 'version', {
      tune: `${SHOWN} -R= --repo= -s= -l= -P= -p=`,
    }),
    traits: ['sends', 'speaks'],
    reaches: true,
  },
  svn: {
    dryRun: '--dry-run',
    subs: {
      'status st log diff info list ls cat blame proplist propget help': {
        operands: 'read',
        tune: '-# -r= -l= -v -q -u -c= --limit= --revision= --verbose --xml --summarize ',
      },
    },
  },
  'ansible-inventory': {
    helpers: 'ldconfig',
    tune: '-i= --inventory= -l -t= --list --graph --host= --yaml --toml --vars -v --export',
    load: '--vault-password-file= --playbook-dir= -M=',
    operands: 'tune',
    judge: judgeInventory,
  },
  mongodump: {
    tune: '-h= -u= -p= -d= -c= --host= --port= --db= --collection= --username= --gzip --quiet --uri= --query=',
    into: '-o= --out=',
    write: '--archive[=]',
    judge: ({ machine }, reading) =>
      given(reading, '-o', '--out', '--archive') || (machine.files && lookAt(machine, 'dump') === 'absent')
        ? undefined
        : unknown('writes over what an earlier dump left'),
  },
  createdb: { tune: '-h= -p= -U= -O= -E= -T= -w -W -e -d ', operands: 'tune' },
  'ssh-agent': {
    wraps: { idle: '-k -s -c' },
    traits: ['printsSetup'],
    tune: '-s -c -D -d -t=',
    delete: '-k',
  },
  direnv: {
    traits: ['printsSetup'],
    wraps: { sub: 'exec', skip: 1 },
    subs: { 'hook status version init': { operands: 'tune', tune: '--cmd=' } },
  },
  'ssh-copy-id': {
    traits: ['namesOnly'],
    tune: '-i= -n -p= -o=',
    open: 'adds a key to another machine',
    operands: 'tune',
  },
  code: { idle: '--list-extensions --version -v --status', open: 'an editor session', operands: 'judged' },
  // Its handler knows a session of the person from one that is driven.
  'vim nano pico': {
    of: { vim: { values: '-c --cmd -S -u -i -w -W -T' } },
    idle: '--version',
    operands: 'judged',
    stopsAtOperand: true,
  },
  emacs: {
    values: '--eval -eval -f --funcall -l --load --script --visit',
    singleDash: true,
    idle: '--version',
    operands: 'judged',
    stopsAtOperand: true,
    open: 'an editor session',
  },
  pkill: {
    values: '--signal -u --euid -U -t --terminal -P --parent -g --pgroup -G -s --session -F --pidfile',
    tune: '-# -0 -x -f -u= -n -o -P= -l --signal= --exact --full --uid=',
    operands: 'tune',
    judge: ({ args }) => (args[0]?.text === '-0' ? undefined : unknown('sends a signal')),
  },
  unittest: {
    operands: 'project',
    project: '-s= -t=',
    tune: '-v -q -f -b -p= -k=',
    control: /\.py$/,
    judge: judgeUnittest,
  },
};

/** Modules are named like tests, or lie among them; `discover` looks for such by itself, where the tests are. */
function judgeUnittest(_: CallFacts, reading: Reading) {
  const places = [
    ...reading.operands.map(({ text }) => text).filter((text) => text !== 'discover'),
    ...reading.given.flatMap(({ name, value = '' }) => (name === '-s' ? [value] : [])),
  ];
  const odd = places.find((text) => !/^[./]*$|(^|[./_])(tests?|specs?)([./_]|$)/.test(text));
  return odd === undefined ? undefined : unknown(`${odd.slice(0, 40)} need not be a test`, { runsFiles: true });
}
