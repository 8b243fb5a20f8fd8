import { hasUnknown } from '../../shell/taint.ts';
import { type StaticVerdict, unknown } from '../../verdict.ts';
import { endsOnlyOwn, isKill, isQuiet, lookAt, signalOf } from '../paths.ts';
import { type CallFacts, given, type Reading, type Records, row } from '../record.ts';
import { judgeItems } from './network.ts';
import { grouped, SHOWN } from './services.ts';

/** Services, networks, disks and sessions of this machine. */
export const SYSTEM: Records = {
  systemctl: {
    family: 'processes and services',
    findings: [
      row('power target', 'stops or restarts the machine', {
        shapes: [
          'start /^(reboot|poweroff|halt|kexec|suspend|hibernate|hybrid-sleep|rescue|emergency|shutdown|exit|soft-reboot)\\.target$/',
        ],
      }),
    ],
    traits: ['speaks'],
    global: true,
    tune: '-# -a -l -n= -o= -p= -q -t= --all --failed --full --lines= --no-legend --no-pager --output= --plain --property= --quiet --state= --type= --user --system --value --reverse --after --before --show-types --no-ask-password --recursive --with-dependencies --timestamp= ',
    load: '-H= -M= --host= --machine= --root= --image=',
    idle: '--version -h --help',
    delete: '--now -f --force --runtime -s= --signal= --kill-who= --kill-whom= --job-mode= --what=',
    subs: {
      '': {},
      'status show cat help list-units list-unit-files list-timers list-sockets list-dependencies list-jobs list-machines is-active is-enabled is-failed is-system-running get-default list-automounts list-paths':
        {
          operands: 'tune',
          judge: (_, reading) =>
            reading.path[0] === 'show' &&
            reading.given.some(({ name, value = '' }) => /^(-p|--property)$/.test(name) && /Environment/i.test(value))
              ? unknown('shows the environment of a service')
              : undefined,
        },
      'show-environment': { operands: 'tune' },
      'start reload daemon-reload': { operands: 'tune', open: 'starts or reloads services' },
      'enable unmask preset add-wants': { operands: 'tune', open: 'makes a service start later' },
    },
  },
  service: {
    helpers: 'basename dirname systemctl sed',
    operands: 'tune',
    tune: '--status-all',
    idle: '--version',
    judge: ({ args }) => (args.at(-1)?.text === 'status' ? undefined : unknown('runs init scripts')),
  },
  'timedatectl hostnamectl localectl loginctl resolvectl': {
    tune: '-a -p= -l -n= -o= --all --no-pager --property= --value --full --static --pretty --transient --no-legend --legend= --json=',
    load: '-H= -M=',
    subs: {
      '': {},
      'status show timesync-status show-timesync list-timezones list-locales list-keymaps list list-sessions list-users list-seats show-session show-user session-status user-status lldp query statistics dns domain hostname chassis':
        {
          operands: 'tune',
          judge: (_, reading) =>
            reading.operands.length > (/^(hostname|chassis)$/.test(reading.path[0] ?? '') ? 0 : 1) &&
            /^(hostname|chassis|dns|domain)$/.test(reading.path[0] ?? '')
              ? unknown('changes a setting of this machine')
              : undefined,
        },
    },
    global: true,
  },
  ufw: {
    subs: {
      status: { operands: 'tune' },
      'show version': { operands: 'tune' },
      app: { subs: { list: {}, info: { operands: 'tune' } } },
    },
  },
  iptables: {
    values: '--protocol --source --destination --jump --in-interface --out-interface --match --state --comment',
    tune: '-# -L[=] -S[=] -n -v -x -t= --list[=] --list-rules[=] --line-numbers --numeric --verbose --table= -w[=] -4 -6 -C= -p= --dport= --sport= -s= -d= -i= -o= -j= -m= --check=',
    operands: 'tune',
    judge: ({ args }) =>
      args.some(({ text }) => /^-(L|S|C|nL|vnL|nvL|Ln?v?)|^--(list|check)/.test(text))
        ? undefined
        : unknown('changes the firewall'),
  },
  nft: {
    tune: '-a -n -s -j -y --handle --numeric --stateless --json',
    dry: '-c --check',
    load: '-f= -i',
    operands: 'tune',
    judge: (_, reading) =>
      /^list$/.test(reading.operands[0]?.text ?? '') ? undefined : unknown('changes the firewall'),
  },
  sysctl: {
    tune: '-a -n -e -N -q -b --all --values --names --pattern= -r= --ignore -A -X',
    load: '-p[=] --load[=] --system',
    delete: '-w --write',
    operands: 'tune',
    judge: (_, reading) =>
      reading.operands.some(({ text }) => text.includes('=') || hasUnknown(text))
        ? unknown('changes the kernel')
        : undefined,
  },
  mount: {
    tune: '-l -t= --show-labels --types=',
    operands: 'tune',
    judge: (_, reading) => (reading.operands.length > 0 ? unknown('mounts something') : undefined),
  },
  swapon: {
    tune: '-s --show[=] --summary --noheadings --raw --bytes',
    idle: '--help',
    judge: (_, reading) => (given(reading, '-s', '--show', '--summary') ? undefined : unknown('turns on swap')),
  },
  fdisk: {
    tune: '-l -x -d -J -s= -F -V -o= -u[=] -b= -L[=] --list --list-details --dump --json --list-free --list-types --show-size --bytes --color[=] --verify --show-pt-geometry',
    operands: 'read',
    judge: (_, reading) =>
      given(
        reading,
        '-l',
        '-x',
        '-d',
        '-J',
        '-s',
        '-F',
        '-V',
        '--list',
        '--list-details',
        '--dump',
        '--json',
        '--list-free',
        '--list-types',
        '--verify',
      )
        ? undefined
        : unknown('changes a partition table'),
  },
  'smartctl hdparm': {
    tune: '-a -i -H -A -x -l= -n= -d= -c -C -I -t -T -g -v --all --info --health --attributes --scan --xall --log= --nocheck= --device= --json[=] --scan-open --capabilities',
    operands: 'read',
    judge: ({ program }, reading) =>
      program === 'smartctl' &&
      reading.given.some(({ name, value = '' }) => name === '-t' || (/^-l|^--log/.test(name) && value.includes(',')))
        ? unknown('starts a test of the disk, or changes what it logs')
        : undefined,
  },
  'zpool zfs': {
    traits: ['speaks'],
    subs: {
      'destroy receive recv send create add': {
        dry: '-n',
        tune: '-v -r -R -p -f -d',
        operands: 'tune',
        judge: (_, reading) => (given(reading, '-n') ? undefined : unknown('changes a pool')),
      },
      'list status iostat history get version events holds diff': {
        operands: 'tune',
        tune: '-# -H -p -r -o= -t= -v -x -s= -S= -L -P -T= -d= -i -l -D -g -a -F',
      },
    },
  },
  vgs: {
    tune: '-a -o= -v --all --options= --units= --noheadings --separator= --reportformat= --segments -S= -O= -c -C -m',
    operands: 'tune',
  },
  crontab: {
    values: '-s',
    tune: '-l -u= -V',
    delete: '-r -i -e',
    operands: 'judged',
    judge: ({ program, args }) =>
      program === 'atq' || args.some(({ text }) => text === '-l') ? undefined : unknown('replaces scheduled jobs'),
  },
  tmux: {
    values: '-s -F -e -T',
    tune: '-# -2 -u -v -L= ',
    load: '-f= -c= -S=',
    idle: '-V',
    subs: {
      'ls list-sessions list-windows list-panes list-keys list-buffers list-clients display-message has-session has show-options show-buffer info lsw lsp lsc lsk lsb display':
        {
          tune: '-# -a -s -p -t= -F= -v -g -c= -d=',
          operands: 'tune',
          judge: ({ args }) =>
            args.some(({ text }) => text.includes('#(')) ? unknown('a format may run a command') : undefined,
        },
      'capture-pane capturep send-keys send': {
        operands: 'judged',
        tune: '-# -a -C -e -J -N -p -P -q -S= -E= -t= -b= -l -X -R -M -H -F -K -c=',
        judge: () => unknown('reads or types in a terminal that may be yours'),
      },
      'attach attach-session a select-window select-pane': { tune: '-t= -d -r', operands: 'tune' },
      '': { open: 'starts a session' },
      'new new-session neww new-window split-window splitw run run-shell': {
        operands: 'judged',
        tune: '-# -A -d -h -v -l -s= -n= -t= -c= -x= -y= -F= -P -p= -b -E -D -X',
      },
    },
  },
  screen: {
    idle: '-ls -list -v',
    singleDash: true,
    operands: 'judged',
    open: 'starts a session',
    tune: '-d -m -r -x -R -S= -t= -c= -h= -T= -L -A -U -q -D -X -Q -p= -wipe',
  },
  kill: {
    family: 'processes and services',
    findings: [
      row('kill -9', 'kill -9', { bounded: 'signals', when: (call) => isKill(signalOf(call)) && !endsOnlyOwn(call) }),
      row('kill', 'ends a process', {
        bounded: 'signals',
        // See the rule above.
        when: (call) => !isQuiet(call) && call.args.length > 0 && !endsOnlyOwn(call),
      }),
    ],
    tune: '-# -l[=] -L -n= -s= -9 -15 -TERM -KILL -INT -HUP -SIGTERM -SIGKILL -SIGINT --signal=',
    operands: 'judged',
  },
};

/** Disks, volumes and modules, and their maintenance: looking, and dry runs. */
export const DISKS: Records = {
  mdadm: {
    tune: '-D -E -Q -v -b --detail --examine --query --scan --verbose --brief',
    operands: 'read',
    judge: (_, reading) =>
      given(reading, '-D', '-E', '-Q', '--detail', '--examine', '--query') ? undefined : unknown('changes an array'),
  },
  btrfs: {
    family: 'disks',
    findings: [
      row('btrfs delete', 'deletes or rewrites a subvolume or device', {
        shapes: [
          'subvolume|sub|su delete|del',
          'device|dev remove|delete|del|replace',
          'replace start',
          'filesystem|fi resize',
          'check --repair',
          'rescue *',
          'balance start',
          'quota disable',
          'qgroup destroy',
        ],
      }),
    ],
    dryRun: { balance: '--dry-run' },
    traits: ['speaks'],
    subs: {
      'subvolume sub su': {
        subs: { 'list show get-default': { operands: 'read', tune: '-a -c -d -g -G= -o -p -q -r -R -s -t -u' } },
      },
      'filesystem fi device dev scrub balance qgroup': {
        subs: {
          'df show usage du stats status ': { operands: 'read', tune: '-b -h -T -s -r -e --raw --human-readable' },
        },
      },
    },
  },
  wipefs: {
    family: 'disks',
    findings: [row('wipefs', 'wipefs', { shapes: ['-a|--all|-o|--offset|-f|--force'] })],
    tune: '-p -i -J -O= -q --no-act --parsable --noheadings --json --output=',
    dry: '-n --no-act',
    delete: '-a -o= -f -b --all --offset= --force --backup',
    operands: 'read',
  },
  'iptables-save': { tune: '-c -t= -M=', write: '-f= --file=' },
  'iptables-restore': {
    dry: '-t --test',
    tune: '-n -v -c -w',
    operands: 'read',
    judge: (_, reading) => (given(reading, '-t', '--test') ? undefined : unknown('replaces the firewall')),
  },
  'mkfs.ext4': {
    dry: '-n',
    idle: '-V',
    tune: '-v -q -t= -L= -b= -m= -T=',
    operands: 'read',
    judge: (_, reading) => (given(reading, '-n') ? undefined : unknown('formats')),
  },
  lvremove: {
    dry: '-t --test',
    tune: '-v -y -L= -n= -l= --yes --verbose',
    operands: 'tune',
    judge: (_, reading) => (given(reading, '-t', '--test') ? undefined : unknown('changes volumes')),
  },
};

/** Judges an inventory: a program is run; a list of names or a plain file is read. */
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

/** A single replacement, without the letter that makes it run code. */
const RENAMES = /^(s|tr|y)\/(\\.|\((?!\?\??\{)|[^/\\$@({])*\/(\\.|\$\d|[^/\\$@({])*\/[gixrs]*$/;

/** Programs with the subcommands that only show, and the dry runs of those that change something. */
export const TOOLS: Records = {
  // Commands of this program that only read; another configuration may name programs that they start.
  'aish-tui': {
    load: '--config=',
    subs: {
      undo: {
        tune: '--list',
        delete: '--yes',
        operands: 'tune',
        judge: (_, reading) => (given(reading, '--list') ? undefined : unknown('asks what to restore')),
      },
      doctor: { tune: '--json' },
      safety: { subs: { check: { tune: '--jsonl --strict', operands: 'tune' } } },
      route: { tune: '--jsonl', read: '--known=', operands: 'tune' },
      secrets: { subs: { check: { tune: '--jsonl', operands: 'tune' } } },
      config: { subs: { check: { operands: 'read' } } },
    },
  },
  patch: {
    family: 'files',
    findings: [
      row('patch over files', 'changes files in place', {
        kept: true,
        shapes: ['-f|--force|-R|--reverse|-E|--remove-empty-files'],
      }),
    ],
    values: '-B -Y -z',
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
      // Its code runs even if no file is renamed.
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
  'http https xh xhs': {
    traits: ['sends'],
    tune: '-v -h -b -j -f -p= --json --form --headers --body --print= --verbose --pretty= --follow --timeout= --check-status -I --ignore-stdin --all',
    send: '-a= --auth= --session= --proxy= --verify= --cert= --auth-type=',
    write: '-o= --output= -d --download',
    operands: 'ask',
    leaves: { as: 'items' },
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
      'validate generate version ': { control: /\.prisma$|(^|\/)prisma\.config\.[cm]?[jt]s$/, tune: '--schema=' },
      migrate: { subs: { status: { tune: '--schema=' } } },
    },
  },
  'flask ': { subs: { routes: { tune: '--sort= --all-methods' } }, load: '--app= -A=' },
  glab: {
    ...grouped('mr issue repo ci release', 'list view diff status', 'version', {
      tune: `${SHOWN} -R= --repo= -s= -l= -P= -p=`,
    }),
    leaves: {
      as: 'forge',
      when: /^(mr|issue|release|snippet|repo|variable) (?!list\b|view\b|diff\b|status\b|checkout\b|clone\b)/,
    },
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
        : unknown('may overwrite an earlier dump'),
  },
  createdb: { tune: '-h= -p= -U= -O= -E= -T= -w -W -e -d ', operands: 'tune' },
  'ssh-agent': { wraps: { idle: '-k -s -c' }, traits: ['printsSetup'], tune: '-s -c -D -d -t=', delete: '-k' },
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
  // The handler distinguishes a session of the user from one driven by commands.
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
    values: '--euid -U -t --terminal --parent -g --pgroup -G -s --session -F --pidfile',
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

/** Judges unittest: modules must be named like tests, or be given as tests; `discover` searches for such modules. */
function judgeUnittest(_: CallFacts, reading: Reading) {
  const places = [
    ...reading.operands.map(({ text }) => text).filter((text) => text !== 'discover'),
    ...reading.given.flatMap(({ name, value = '' }) => (name === '-s' ? [value] : [])),
  ];
  const odd = places.find((text) => !/^[./]*$|(^|[./_])(tests?|specs?)([./_]|$)/.test(text));
  return odd === undefined ? undefined : unknown(`${odd.slice(0, 40)} need not be a test`, { runsFiles: true });
}
