import { hasUnknown } from '../../shell/taint.ts';
import { type StaticVerdict, unknown } from '../../verdict.ts';
import { given, type Reading, type Records } from '../record.ts';

/** Builtin commands of the shell, and basic programs of every system. */
export const SHELL: Records = {
  'break continue return exit wait jobs logout times dirs ulimit popd fg bg clear reset sync': {
    tune: '-n -p -f -a -l -r -s -c -v -S -H -u= -t= -x -N',
    operands: 'tune',
    judge: (call) =>
      call.args.some(({ text }) => /\[.*[$`(]/.test(text)) ? unknown('runs code in an index') : undefined,
  },
  'true false : test [ echo printf print expr': {
    traits: ['keepsWords'],
    of: { 'test [': { traits: ['namesOnly', 'keepsWords'] } },
    noOptions: true,
    operands: 'judged',
    judge: (call) =>
      call.args.some(({ text }) => /\[.*[$`(]/.test(text)) && call.program !== 'echo' && call.program !== 'printf'
        ? unknown('runs code in an index')
        : undefined,
  },
  fish: {
    tune: '-c= -n -l -i -p= --command= --login --interactive --no-execute --no-config --private -P -N',
    run: '-C= --init-command=',
    load: '-d= -o= -D= --debug= --debug-output= --profile= --profile-startup=',
    // `ls` may be a function that asks `dircolors` for colours first.
    helpers: 'dircolors',
    stopsAtOperand: true,
    operands: 'judged',
  },
  'sh bash dash zsh ksh ash': {
    stopsAtOperand: true,
    tune: '-c -e -x -u -n -l -i -s -v -f -a -b -h -m -k -p -t -B -C -E -H -P -T -o= -O= +o= +O= +e +x --norc --noprofile --login --posix --verbose --noediting --no-config --command=',
    load: '--rcfile= --init-file= -r --restricted --init-command= -D',
    operands: 'judged',
    // An option of zsh or ksh may change how everything after it is parsed.
    judge: ({ program }, reading) =>
      /^(zsh|m?ksh)$/.test(program) && reading.given.some(({ name }) => !/^-[cflisexunv]$/.test(name))
        ? unknown(`an option of ${program} that changes how it reads`)
        : undefined,
  },
  'cd pushd': { traits: ['namesOnly'], tune: '-L -P -e -n -@', operands: 'read' },
  pwd: { tune: '-L -P' },
  'eval source . let set shift unset getopts read export declare typeset local readonly': {
    of: { 'set read export declare typeset local readonly': { traits: ['keepsWords'] } },
    stopsAtOperand: true,
    operands: 'judged',
    tune: '-# -a -A -d= -e -E -f -g -i= -I -l -n= -N= -o= +o= -p= -r -s -t= -u= -x -v -O= -c= -C= -b -h -k -m -B -H -P -T +e +x +u',
  },
  'mapfile readarray': { tune: '-d= -n= -O= -s= -t -u= -c=', run: '-C=', operands: 'judged' },
  umask: {
    tune: '-S -p',
    operands: 'tune',
    judge: (_, reading) =>
      reading.operands.every(({ text }) => /^0?[0-7]?[0-7][2367]$/.test(text))
        ? undefined
        : unknown('lets others write to new files'),
  },
  'shopt unalias': {
    tune: '-s -u -q -p -o -a -S',
    operands: 'tune',
    judge: (call) =>
      call.args.some(({ text }) => text === 'expand_aliases')
        ? unknown('lets aliases take the place of programs')
        : undefined,
  },
  alias: { tune: '-p', operands: 'judged' },
  trap: { tune: '-l -p', operands: 'judged' },
  'type which whereis': { tune: '-a -f -p -P -t -s -b -m -u -l --all --tty-only --skip-alias', operands: 'tune' },
  hash: { tune: '-r -l -t -d', load: '-p=', operands: 'tune' },
  history: { tune: '-#', operands: 'tune', delete: '-c -d= -w -a -r -n -s -p' },
  'complete compgen compopt': {
    tune: '-a -b -c -d -e -f -g -j -k -s -u -v -A= -G= -W= -P= -S= -X= -o= -p -r -D -E -I -l -P',
    load: '-F= -x=',
    run: '-C=',
    operands: 'tune',
  },
  sleep: { operands: 'tune' },
  date: {
    output: {
      counts: /^(-u |--utc )?(-d \S+ |--date=\S+ )?\+%(s|N|s%N|Y|m|d|H|M|S|j|u|y|-[mdHM]|Y%m%d|H%M|H%M%S|Y%m%d%H%M%S)$/,
    },
    tune: '-d= -I[=] -R -u --date= --iso-8601[=] --rfc-2822 --rfc-email --rfc-3339= --utc --universal --debug -j -v= --resolution',
    read: '-f= --file= -r= --reference=',
    delete: '-s= --set=',
    operands: 'tune',
    judge: (_, reading) =>
      reading.operands.some(({ text }) => !text.startsWith('+')) ? unknown('date sets the clock') : undefined,
  },
  cal: { tune: '-# -3 -1 -y -m= -j -w -M -S -b -h -A= -B= -n=', operands: 'tune' },
  'uname arch nproc hostname hostid tty logname whoami groups users uptime id w who free lscpu lsblk lsusb lspci lsmod lsb_release locale getconf printenv last lastb':
    {
      of: {
        arch: { wraps: { values: '-arch -e -d' } },
        locale: { traits: ['printsSetup'] },
        nproc: { output: { counts: /^(--all|--ignore=\d+)?$/ } },
        id: { output: { counts: /^-[ugG]$/ } },
      },
      tune: '-# -a -A -b -B -c -C -d -D -e -f -F -g -G -h -H -i -I -J -k -K -l -L -m -M -n= -N -o= -O -p -P -q -r -R -s= -S -t -T -u -U -v -w -x -X -y -z -Z -all --all --kernel-name --nodename --kernel-release --machine --operating-system --ignore= --fqdn --short --ip-address --pretty --since --user --group --groups --name --real --zero --human --giga --mega --total --wide --seconds= --count= --bytes --fs --list --json --output= --paths --extended[=] --parse[=] --topology --tree --null --no-legend --noheadings --nodeps --raw --id --description --release --codename --inverse --sort= --numeric --ascii --verbose --date= --boot --heading --lookup --mesg --writable --runlevel --process --login --time --dead --ips --time-format= --limit= --fullnames --hostlast --nohostname --system --physical --online --offline',
      operands: 'tune',
      judge: ({ program }, reading) =>
        program === 'hostname' && reading.operands.length > 0 ? unknown('sets the name of this machine') : undefined,
    },
  'ps pgrep pidof pstree': {
    of: {
      pgrep: {
        values: '--signal --euid -U -t --terminal --parent -g --pgroup -G -s --session -F --pidfile',
        output: { counts: /^-c / },
      },
    },
    oldStyle: true,
    tune: '-# -a -A -c -C= -d= -e -E -f -F -g= -G= -h -H -i -j -l -L -m -M -n -N -o= -O= -p= -P= -q= -r -s= -S -t= -T -u= -U= -v -V -w -x -X -y -Z -k= -z --count --delimiter= --full --list-name --list-full --newest --oldest --parent= --pgroup= --group= --session= --terminal= --euid= --uid= --exact --pidfile= --inverse --sort= --forest --format= --no-headers --no-heading --headers --ppid= --pid= --user= --cols= --rows= --width= --deselect --cumulative --tty= --sid= --ignore-case --lightweight --ns= --single-shot --separator= --arguments --compact-not --show-pids --show-parents --hide-threads --unicode --ascii',
    operands: 'tune',
  },
  'top htop': {
    tune: '-# -b -c -d= -H -i -n= -o= -p= -s -S -u= -U= -w= -1 -t -C -M --sort= --tree --pid= --no-color --delay= -l= -e= -E= -O',
    operands: 'tune',
  },
  'vmstat iostat mpstat sar pidstat': {
    tune: '-# -a -A -b -B -c -C -d -D -f -h -H -I= -k -m -n= -N -o -p= -P= -q -r -R -S= -s -t -u -v -V -w -W -x -y -z --dec= --human',
    operands: 'tune',
  },
  'lsof fuser': {
    traits: ['namesOnly'],
    tune: '-# -a -b -c= -C -d= -e= -F= -g -i= -K -l -L -M -n -N -o -O -p= -P -Q -r= -R -s= -S= -t -T= -u= -U -v -V -w -x= -X -+D -4 -6 --namespace= --verbose --all',
    write: '-D=',
    delete: '-k -kill --kill',
    operands: 'read',
    judge: (call) =>
      call.program === 'lsof' && call.args.some(({ text }) => /^-i$/.test(text)) ? undefined : undefined,
  },
  'dmesg journalctl': {
    of: { journalctl: { values: '--lines' } },
    tune: '-# -a -b= -e -f -F= -g= -H -i -k -l -L[=] -m -M= -n= -N -o= -p= -P -q -r -S= -t= -T -u= -U= -w -W -x -d --all --boot[=] --pager-end --follow --field= --grep= --case-sensitive[=] --dmesg --full --merge --lines[=] --output= --priority= --no-pager --no-hostname --no-tail --quiet --reverse --since= --until= --identifier= --ctime --unit= --user-unit= --user --system --utc --catalog --list-boots --disk-usage --header --fields --facility= --level= --decode --human --color[=] --reltime --raw --time-format= --nopager --kernel --userspace --show-delta --notime --output-fields= --cursor= --after-cursor= --show-cursor --list-catalog --file=',
    read: '-D= --directory= --root=',
    write: '--cursor-file=',
    delete:
      '-C -c -E -n=0 --clear --read-clear --console-off --console-level= --rotate --vacuum-size= --vacuum-time= --vacuum-files= --flush --sync --relinquish-var --setup-keys --update-catalog --force --smart-relinquish-var',
    operands: 'tune',
    judge: ({ program }, reading) =>
      program === 'dmesg' && given(reading, '-n', '-D', '-E') ? unknown('changes the console') : undefined,
  },
  'man info apropos whatis help': {
    helpers: 'sh preconv tbl eqn nroff troff groff grotty col locale gzip zcat less pager cat tput',
    tune: '-# -a -d -D -e= -f -i -I -k -K -l -m= -M= -N -s= -S= -u -w -W -L= -p= --all --apropos --whatis --where --path --sections= --locale= --names-only --regex --wildcard --list --update-noop --exact --long --usage --short --platform= --language=',
    run: '-P= --pager= -H[=] --html[=]',
    load: '-C= --config-file= -R= --recode= --preprocessor= -T[=] -X[=] -Z',
    write: '-o= --output= --dribble=',
    // A manual page may be any file.
    operands: 'read',
  },
  bc: { tune: '-h -i -l -q -s -w -v --mathlib --quiet --standard --warn --interactive', operands: 'read' },
  dc: {
    tune: '-V -h',
    run: '',
    load: '-f= --file=',
    operands: 'read',
    judge: (call) => (/!/.test(`${call.line} ${call.io.stdin ?? '!'}`) ? unknown('dc can run commands') : undefined),
  },
  'tput stty': {
    of: { tput: { output: { counts: /^(cols|lines|colors)$/ } } },
    tune: '-T= -S -a -g',
    read: '-F=',
    operands: 'tune',
    judge: ({ program, io }, reading) =>
      program === 'stty' && (given(reading, '-F') || io.stdin !== undefined) && reading.operands.length > 0
        ? unknown('changes another terminal')
        : undefined,
  },
  yes: { operands: 'tune' },
  getent: {
    traits: ['sends'],
    tune: '-i --no-idn',
    operands: 'tune',
    judge: (_, reading) =>
      /^g?shadow$/.test(reading.operands[0]?.text ?? '')
        ? unknown('shows password hashes')
        : /^(hosts|ahosts\w*|networks|netgroup)$/.test(reading.operands[0]?.text ?? '') &&
            reading.operands.some(({ text }) => hasUnknown(text))
          ? unknown('looks up a name with unknown parts')
          : undefined,
  },
  uuidgen: {
    tune: '-# -r -t -n= -c -s -y -1 -m= -S= -A -B -v --random --time --method= --salt= -l -N= -C -0 -a= -x=',
    operands: 'tune',
  },
  'getfacl getfattr lsattr getcap mountpoint findmnt blkid': {
    of: { 'getfacl lsattr': { traits: ['namesOnly'] } },
    tune: '-# -a -c -d -e -f -h -l -n= -o= -p -q -R -s -t= -T= -u -v -x -D -m= -L -P -J -b -r -U -C -k -S= -O= -N= --absolute-names --omit-header --recursive --tabular --numeric --json --list --output= --target= --source= --types= --raw --noheadings --dump --df --real --bytes --fstab --mtab --kernel --match= --tag= ',
    operands: 'read',
  },
  getopt: {
    traits: ['printsSetup'],
    tune: '-a -l= -n= -o= -q -Q -s= -T -u --alternative --longoptions= --name= --options= --quiet --shell= --test --unquoted',
    operands: 'tune',
  },
  logger: {
    tune: '-i -s -t= -p= -u= -a= -c= --tag= --priority= --stderr --urgency= --app-name= --icon= --expire-time=',
    operands: 'tune',
  },
  'nvidia-smi': {
    tune: '-L -q -l= -i= -d= -x --query-gpu= --format= --list-gpus --query --loop= --id= --query-compute-apps= --display=',
    write: '-f= --filename=',
    subs: { '': {}, 'topo pmon dmon nvlink': { tune: '-m -s -c= -i=', operands: 'tune' } },
  },
  ldd: { open: 'ldd may run the program it looks at' },
  'nm objdump readelf size addr2line c++filt': {
    argFiles: true,
    tune: '-# -a -A -B -b= -C -d -D -e= -f -F -g -G -h -H -i -I -j= -l -L -m= -M= -n -N -o -p -P -r -R= -s -S -t -T -u -v -V -w -W -x -X -z -c -E -U= --all --debug-syms --demangle[=] --dynamic --defined-only --extern-only --line-numbers --no-sort --print-size --size-sort --undefined-only --with-symbol-versions --disassemble[=] --disassemble-all --source --section= --syms --full-contents --headers --sections --segments --program-headers --relocs --notes --symbols --dyn-syms --file-header --version-info --wide --hex-dump= --string-dump= --no-show-raw-insn --start-address= --stop-address= --architecture= --disassembler-options= --reverse-sort --format= --radix= --print-file-name --archive-headers --dwarf[=] --functions --inlines --pretty-print --exe= --basenames',
    load: '--plugin=',
    operands: 'read',
  },
};

/** Programs that run the command in their arguments. */
export const WRAPPERS_RECORDS: Records = {
  sudo: {
    values: '--close-from',
    wraps: { session: true, idle: '-l -v -k -K -V --list --validate' },
    stopsAtOperand: true,
    tune: '-b -E -H -i -K -k -n -P -S -s -v -u= -g= -h= -p= -r= -t= -U= -T= -B -N --user= --group= --host= --prompt= --role= --type= --other-user= --preserve-env[=] --set-home --login --non-interactive --background --stdin --validate --reset-timestamp --remove-timestamp --bell --command-timeout=',
    load: '-A -C= -D= -R= --chdir= --chroot= -e --edit --askpass',
    idle: '-V -l --list --version --help',
    operands: 'command',
  },
  doas: {
    values: '-a',
    wraps: { session: true },
    stopsAtOperand: true,
    tune: '-n -s -u= -L',
    load: '-C=',
    operands: 'command',
  },
  nice: { exact: true, wraps: {}, stopsAtOperand: true, tune: '-# -n= --adjustment=', operands: 'command' },
  ionice: {
    exact: true,
    values: '--pid',
    wraps: { idle: '-p' },
    stopsAtOperand: true,
    tune: '-c= -n= -t -P= -u= --class= --classdata= --ignore',
    idle: '-p=',
    operands: 'command',
    judge: (_, reading) =>
      given(reading, '-p') && given(reading, '-c', '-n', '--class', '--classdata')
        ? unknown('changes another process')
        : undefined,
  },
  taskset: {
    exact: true,
    wraps: { skip: 1, idle: '-p' },
    stopsAtOperand: true,
    tune: '-a -b -c -d -f -i -m -o -r -v --all-tasks --batch --fifo --idle --max --other --rr --cpu-list',
    idle: '-p=',
    operands: 'tune command',
    // With -p alone it shows the limits; the next word is the process.
    judge: (_, reading) =>
      given(reading, '-p') && reading.operands.length > 0 ? unknown('changes another process') : undefined,
  },
  timeout: {
    exact: true,
    wraps: { skip: 1 },
    stopsAtOperand: true,
    tune: '-k= -s= -v -p -f --kill-after= --signal= --preserve-status --foreground --verbose',
    operands: 'tune command',
  },
  time: {
    exact: true,
    wraps: {},
    stopsAtOperand: true,
    tune: '-f= -p -v -a -q -l -h --format= --portability --verbose --append --quiet',
    write: '-o= --output=',
    operands: 'command',
  },
  'setsid command builtin': {
    of: { setsid: { exact: true, wraps: {} }, builtin: { wraps: {} }, command: { wraps: { idle: '-v -V' } } },
    stopsAtOperand: true,
    tune: '-c -f -w -p -a -i -d -s -m -u -t=',
    idle: '-v -V',
    operands: 'command',
  },
  exec: { wraps: {}, stopsAtOperand: true, tune: '-c -l', load: '-a=', operands: 'command' },
  stdbuf: {
    exact: true,
    wraps: {},
    stopsAtOperand: true,
    tune: '-i= -o= -e= --input= --output= --error=',
    operands: 'command',
  },
  nohup: { exact: true, wraps: {}, stopsAtOperand: true, operands: 'command' },
  env: {
    values: '-S --split-string',
    stopsAtOperand: true,
    tune: '-0 -i -u= -v --null --ignore-environment --unset= --debug --block-signal[=] --default-signal[=] --ignore-signal[=] --list-signal-handling -',
    load: '-C= --chdir=',
    run: '',
    operands: 'command',
  },
  xargs: {
    values: '--max-lines',
    helpers: 'echo',
    stopsAtOperand: true,
    tune: '-# -0 -d= -e[=] -E= -i[=] -I= -l[=] -L= -n= -o -p -P= -r -s= -t -x --null --delimiter= --eof[=] --replace[=] --max-lines[=] --max-args= --open-tty --interactive --max-procs= --no-run-if-empty --max-chars= --verbose --exit --process-slot-var= --show-limits',
    read: '-a= --arg-file=',
    operands: 'command',
  },
  watch: {
    wraps: { joined: true },
    helpers: 'sh',
    stopsAtOperand: true,
    tune: '-b -c -C -d -e -g -n= -p -q= -r -t -w -x -s= --beep --color --no-color --differences[=] --errexit --chgexit --interval= --precise --equexit= --no-rerun --no-title --no-wrap --exec --shotsdir=',
    operands: 'shell',
  },
  flock: {
    wraps: { code: '-c --command', skip: 1 },
    stopsAtOperand: true,
    tune: '-e -x -s -n -u -w= -o -F -E= -v --exclusive --shared --nonblock --nb --unlock --timeout= --wait= --close --no-fork --conflict-exit-code= --verbose',
    run: '-c= --command=',
    operands: 'add command',
  },
  strace: {
    exact: true,
    wraps: { idle: '-p' },
    stopsAtOperand: true,
    tune: '-# -c -C -d -D -f -F -h -i -k -n -q -qq -r -t -tt -ttt -T -v -V -w -x -xx -y -yy -Y -z -Z -a= -b= -e= -I= -O= -P= -s= -S= -U= -X= --follow-forks --summary --summary-only --trace= --signal= --status= --quiet= --string-limit= --absolute-timestamps[=] --relative-timestamps[=] --syscall-times[=] --decode-fds[=] --attach=',
    write: '-o= --output= -ff --output-separately --output-append-mode -A',
    load: '-p= --attach= -E= -u= --env= --user= --inject= --fault=',
    operands: 'command',
    // `-o '|cmd'` and `-o '!cmd'` start a command.
    judge: (_, reading) =>
      reading.given.some(({ name, value }) => /^(-o|--output)$/.test(name) && /^[|!]/.test(value ?? ''))
        ? unknown('gives its report to a command')
        : reading.given.some(({ name, value }) => name === '-e' && /^(inject|fault)\b/.test(value ?? ''))
          ? unknown('changes the program’s input')
          : tracesData(reading),
  },
  valgrind: {
    exact: true,
    wraps: {},
    stopsAtOperand: true,
    tune: '-q -v --tool= --leak-check= --track-origins= --show-leak-kinds= --error-exitcode= --trace-children= --num-callers= --quiet --verbose --undef-value-errors= --show-reachable=',
    write: '--log-file= --xml-file= --callgrind-out-file= --massif-out-file= --cachegrind-out-file= --dhat-out-file=',
    read: '--suppressions=',
    operands: 'command',
    judge: (_, reading) =>
      reading.given.some(({ name, value = '' }) => name === '--tool' && !/^\w+$/.test(value))
        ? unknown('a foreign tool of valgrind')
        : undefined,
  },
};

/** More letters of each text than a tracer shows by default. */
const SHOWN_LETTERS = 32;

/** Returns whether a tracer prints data of the program: the environment with `-v`, or the contents of files. */
function tracesData({ given: options }: Reading): StaticVerdict | undefined {
  for (const { name, value = '' } of options) {
    if (name === '-v' || (name === '-e' && /^(abbrev|verbose|read|write)\b/.test(value)))
      return unknown('shows the environment, or what the program reads');
    if (/^(-s|--string-limit)$/.test(name) && !(Number(value) <= SHOWN_LETTERS))
      return unknown('shows what the program reads');
  }
  return undefined;
}

/** Programs that run a command, but whose other options are not listed. */
export const UNREAD_WRAPPERS: Records = {
  chroot: { unread: true, values: '--userspec --groups', wraps: { skip: 1, session: true, elsewhere: true } },
  nsenter: { unread: true, values: '-t --target -S --setuid -G --setgid', wraps: { session: true, elsewhere: true } },
  su: {
    unread: true,
    values: '-s --shell -c --command -g --group -G -w -T',
    wraps: { session: true, code: '-c --command', skip: 1, dash: true },
  },
  pkexec: { unread: true, wraps: { values: '--user' } },
  sshpass: { unread: true, wraps: { values: '-p -f -d -P' } },
  busybox: { unread: true, wraps: { session: true } },
};

/** Programs with a few known facts: enough for rules, never for a proof. */
export const UNREAD: Records = {
  erl: { unread: true, singleDash: true, code: /^-eval$/ },
  racket: { unread: true, code: /^(-e|--eval)$/ },
  parallel: {
    unread: true,
    values:
      '-j --jobs -I --colsep -S --sshlogin -a --arg-file --joblog --results --delay --timeout -N -n --tmpdir --workdir -d --delimiter --retries --load --tagstring',
    dryRun: '--dry-run --dryrun',
  },
  killall: { unread: true, values: '-s --signal -u --user -y -o' },
  useradd: { unread: true, values: '-c -d -e -f -g -G -k -s -u -b -K -p -R' },
  usermod: { unread: true, values: '-c -d -e -f -g -G -l -p -s -u -R -v -w' },
  at: { unread: true, values: '-f -q -t' },
  zypper: {
    unread: true,
    leaves: { as: 'packages', when: /^(install|in|update|up|dup|dist-upgrade)\b/ },
    dryRun: '-D --dry-run',
  },
  shutdown: { unread: true, dryRun: '-k' },
  sgdisk: { unread: true, dryRun: '-p --print -P --pretend -i -v' },
  'mkfs.xfs fsck': { unread: true, dryRun: '-N' },
  'tmpreaper tmpwatch': { unread: true, dryRun: '-t --test' },
  p4: { unread: true, dryRun: '-n' },
  socat: { unread: true, leaves: { as: 'stream' }, traits: ['sends'] },
  'telnet ftp lftp tnftp tftp smbclient': { unread: true, traits: ['sends'] },
  'mail mailx sendmail mutt': { unread: true, leaves: { as: 'mail' }, traits: ['sends'] },
  twine: { unread: true, leaves: { as: 'publish', when: /^upload\b/ }, traits: ['sends'] },
  sftp: { unread: true, leaves: { as: 'upload' }, traits: ['sends', 'namesOnly'], keys: '-i -o' },
  fzf: { unread: true, traits: ['printsSetup'] },
  'grunt gulp': { unread: true, traits: ['runsProject'] },
};
