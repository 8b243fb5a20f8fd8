import { hasUnknown } from '../../shell/taint.ts';
import { unknown } from '../../verdict.ts';
import { given, type Records } from '../record.ts';

/** Commands of the shell itself, and what every system has beside it. */
export const SHELL: Records = {
  'break continue return exit wait jobs logout times dirs ulimit popd fg bg clear reset sync': {
    tune: '-n -p -f -a -l -r -s -c -v -S -H -u= -t= -x -N',
    operands: 'tune',
    judge: (call) =>
      call.args.some(({ text }) => /\[.*[$`(]/.test(text)) ? unknown('runs code in an index') : undefined,
  },
  'true false : test [ echo printf print expr': {
    traits: ['keepsWords'],
    of: { 'test [': { traits: ['namesOnly', 'keepsWords'] }, 'echo printf': {} },
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
    // Its `ls` is a function, which asks for colours first.
    helpers: 'dircolors',
    stopsAtOperand: true,
    operands: 'judged',
  },
  'sh bash dash zsh ksh ash': {
    stopsAtOperand: true,
    tune: '-c -e -x -u -n -l -i -s -v -f -a -b -h -m -k -p -t -B -C -E -H -P -T -o= -O= +o= +O= +e +x --norc --noprofile --login --posix --verbose --noediting --no-config --command=',
    load: '--rcfile= --init-file= -r --restricted --init-command= -D',
    operands: 'judged',
    // An option of zsh or ksh may change how everything after it is read.
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
  'mapfile readarray': {
    tune: '-d= -n= -O= -s= -t -u= -c=',
    run: '-C=',
    operands: 'judged',
  },
  umask: {
    tune: '-S -p',
    operands: 'tune',
    judge: (_, reading) =>
      reading.operands.every(({ text }) => /^0?[0-7]?[0-7][2367]$/.test(text))
        ? undefined
        : unknown('lets others write to what is made from now on'),
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
    valuesOf: 'first',
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
      ps: { valuesOf: 'first' },
      pgrep: {
        values: '--signal -u --euid -U -t --terminal -P --parent -g --pgroup -G -s --session -F --pidfile',
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
    of: {
      journalctl: {
        values:
          '-u --unit -n --lines -S --since -U --until -p --priority -o --output -t --identifier -D --directory --file -g --grep -F --field --vacuum-size --vacuum-time --vacuum-files -M',
      },
    },
    tune: '-# -a -b= -e -f -F= -g= -H -i -k -l -L[=] -m -M= -n= -N -o= -p= -P -q -r -S= -t= -T -u= -U= -w -W -x -d --all --boot[=] --pager-end --follow --field= --grep= --case-sensitive[=] --dmesg --full --merge --lines[=] --output= --priority= --no-pager --no-hostname --no-tail --quiet --reverse --since= --until= --identifier= --ctime --unit= --user-unit= --user --system --utc --catalog --list-boots --disk-usage --header --fields --facility= --level= --decode --human --color[=] --reltime --raw --time-format= --nopager --kernel --userspace --show-delta --notime --output-fields= --cursor= --after-cursor= --show-cursor --list-catalog --file=',
    read: '-D= --directory= --root=',
    write: '--cursor-file=',
    delete:
      '-C -c -E -n=0 --clear --read-clear --console-off --console-level= --rotate --vacuum-size= --vacuum-time= --vacuum-files= --flush --sync --relinquish-var --setup-keys --update-catalog --force --smart-relinquish-var',
    operands: 'tune',
    judge: ({ program }, reading) =>
      program === 'dmesg' && given(reading, '-n', '-D', '-E') ? unknown('changes what the console shows') : undefined,
  },
  'man info apropos whatis help': {
    helpers: 'sh preconv tbl eqn nroff troff groff grotty col locale gzip zcat less pager cat tput',
    tune: '-# -a -d -D -e= -f -i -I -k -K -l -m= -M= -N -s= -S= -u -w -W -L= -p= --all --apropos --whatis --where --path --sections= --locale= --names-only --regex --wildcard --list --update-noop --exact --long --usage --short --platform= --language=',
    run: '-P= --pager= -H[=] --html[=]',
    load: '-C= --config-file= -R= --recode= --preprocessor= -T[=] -X[=] -Z',
    write: '-o= --output= --dribble=',
    // A page may be a file of any name.
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
        ? unknown('shows what passwords are made of')
        : /^(hosts|ahosts\w*|networks|netgroup)$/.test(reading.operands[0]?.text ?? '') &&
            reading.operands.some(({ text }) => hasUnknown(text))
          ? unknown('asks other machines for a name with parts that are not known')
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
