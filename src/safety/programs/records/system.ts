import { unknown } from '../../verdict.ts';
import { endsOnlyOwn, isKill, isQuiet, signalOf } from '../ownership.ts';
import { given, type Records } from '../record.ts';

/** Services, networks, disks and sessions of this machine. */
export const SYSTEM: Records = {
  systemctl: {
    family: 'processes and services',
    findings: [
      {
        name: 'power target',
        shapes: [
          'start /^(reboot|poweroff|halt|kexec|suspend|hibernate|hybrid-sleep|rescue|emergency|shutdown|exit|soft-reboot)\\.target$/',
        ],
        reason: 'stops or restarts the machine',
        match: ['systemctl start reboot.target', 'sudo systemctl start --no-block poweroff.target'],
        pass: ['systemctl start nginx', 'systemctl status reboot.target', 'systemctl start graphical.target'],
      },
    ],
    values:
      '-t --type -p --property -H --host -M --machine -s --signal --kill-who -o --output -n --lines --root --state --what',
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
    values:
      '-t --table -p --protocol -s --source -d --destination -j --jump -i --in-interface -o --out-interface -m --match --dport --sport --state --comment',
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
      reading.operands.some(({ text }) => text.includes('=')) ? unknown('changes the kernel') : undefined,
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
    values: '-u -s',
    tune: '-l -u= -V',
    delete: '-r -i -e',
    operands: 'judged',
    judge: ({ program, args }) =>
      program === 'atq' || args.some(({ text }) => text === '-l') ? undefined : unknown('replaces scheduled jobs'),
  },
  tmux: {
    values: '-L -S -f -t -s -n -c -F -x -y -e -T',
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
      'capture-pane capturep': { tune: '-# -a -C -e -J -N -p -P -q -S= -E= -t= -b=' },
      'attach attach-session a select-window select-pane': { tune: '-t= -d -r', operands: 'tune' },
      '': { open: 'starts a session' },
      'new new-session neww new-window split-window splitw send-keys send run run-shell': {
        operands: 'judged',
        tune: '-# -A -d -h -v -l -s= -n= -t= -c= -x= -y= -F= -P -p= -b -E -D -X',
      },
    },
  },
  screen: {
    valuesOf: 'first',
    idle: '-ls -list -v',
    singleDash: true,
    operands: 'judged',
    open: 'starts a session',
    tune: '-d -m -r -x -R -S= -t= -c= -h= -T= -L -A -U -q -D -X -Q -p= -wipe',
  },
  kill: {
    family: 'processes and services',
    findings: [
      {
        name: 'kill -9',
        // A signal is written in five ways, and what is own hangs on what the command has started.
        when: (call) => isKill(signalOf(call)) && !endsOnlyOwn(call),
        reason: 'kill -9',
        match: ['kill -9 123', 'kill -KILL 1', 'kill -s SIGKILL 123', 'kill -s 9 %1', 'kill -SIGKILL $$'],
        pass: ['kill -l 9', 'kill -0 123'],
      },
      {
        name: 'kill',
        // As above.
        when: (call) => !isQuiet(call) && call.args.length > 0 && !endsOnlyOwn(call),
        reason: 'ends a process',
        match: ['kill 123', 'kill -TERM $(cat app.pid)', 'kill %1', 'kill -- -1'],
        pass: ['kill -0 123', 'kill -l', 'kill -CONT 5', 'sleep 9 & kill $!', 'sleep 9 &\np=$!; kill -9 "$p"'],
      },
    ],
    valuesOf: 'first',
    tune: '-# -l[=] -L -n= -s= -9 -15 -TERM -KILL -INT -HUP -SIGTERM -SIGKILL -SIGINT --signal=',
    operands: 'judged',
  },
};

/** Disks, volumes, modules and what keeps them in order: looking, and dry runs. */
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
      {
        name: 'btrfs delete',
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
        reason: 'deletes or rewrites a subvolume or device',
        match: ['btrfs subvolume delete /mnt/@x', 'btrfs device remove /dev/sdb /mnt', 'btrfs check --repair /dev/sdb'],
        pass: ['btrfs subvolume list /', 'btrfs filesystem df /', 'btrfs scrub status /'],
      },
    ],
    dryRun: { balance: '--dry-run' },
    traits: ['speaks'],
    subs: {
      'subvolume sub su': {
        subs: { 'list show get-default': { operands: 'read', tune: '-a -c -d -g -G= -o -p -q -r -R -s -t -u' } },
      },
      'filesystem fi device dev scrub balance qgroup': {
        subs: {
          'df show usage du stats status ': {
            operands: 'read',
            tune: '-b -h -T -s -r -e --raw --human-readable',
          },
        },
      },
    },
  },
  wipefs: {
    family: 'disks',
    findings: [
      {
        name: 'wipefs',
        shapes: ['-a|--all|-o|--offset|-f|--force'],
        reason: 'wipefs',
        match: ['wipefs -a /dev/sdb', 'wipefs --all --force /dev/sdb'],
        pass: ['wipefs /dev/sdb', 'wipefs -n -a /dev/sdb', 'wipefs --no-act --all /dev/sdb'],
      },
    ],
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
