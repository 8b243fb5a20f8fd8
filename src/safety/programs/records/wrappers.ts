import { type StaticVerdict, unknown } from '../../verdict.ts';
import { given, type Reading, type Records } from '../record.ts';

/** Programs that run the command in their arguments. */
export const WRAPPERS_RECORDS: Records = {
  sudo: {
    values:
      '-u --user -g --group -h --host -p --prompt -C --close-from -r --role -t --type -U --other-user -D --chdir -R --chroot -T --command-timeout',
    wraps: {
      session: true,
      values: '-u -g -h -p -C -r -t -T -U -D -R --user --group --host --prompt --chdir --role --type --chroot',
      idle: '-l -v -k -K -V --list --validate',
    },
    stopsAtOperand: true,
    tune: '-b -E -H -i -K -k -n -P -S -s -v -u= -g= -h= -p= -r= -t= -U= -T= -B -N --user= --group= --host= --prompt= --role= --type= --other-user= --preserve-env[=] --set-home --login --non-interactive --background --stdin --validate --reset-timestamp --remove-timestamp --bell --command-timeout=',
    load: '-A -C= -D= -R= --chdir= --chroot= -e --edit --askpass',
    idle: '-V -l --list --version --help',
    operands: 'command',
  },
  doas: {
    values: '-u -C -a',
    wraps: { session: true, values: '-u -C' },
    stopsAtOperand: true,
    tune: '-n -s -u= -L',
    load: '-C=',
    operands: 'command',
  },
  nice: {
    exact: true,
    valuesOf: 'first',
    wraps: {},
    stopsAtOperand: true,
    tune: '-# -n= --adjustment=',
    operands: 'command',
  },
  ionice: {
    exact: true,
    values: '-c --class -n --classdata -p --pid -P -u',
    wraps: { values: '-c -n --class --classdata', idle: '-p' },
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
    // With -p alone it shows; the word behind it is the process.
    judge: (_, reading) =>
      given(reading, '-p') && reading.operands.length > 0 ? unknown('changes another process') : undefined,
  },
  timeout: {
    exact: true,
    valuesOf: 'first',
    wraps: { skip: 1 },
    stopsAtOperand: true,
    tune: '-k= -s= -v -p -f --kill-after= --signal= --preserve-status --foreground --verbose',
    operands: 'tune command',
  },
  time: {
    exact: true,
    valuesOf: 'first',
    wraps: {},
    stopsAtOperand: true,
    tune: '-f= -p -v -a -q -l -h --format= --portability --verbose --append --quiet',
    write: '-o= --output=',
    operands: 'command',
  },
  'setsid command builtin': {
    of: {
      setsid: { exact: true, wraps: {} },
      builtin: { wraps: {} },
      command: { wraps: { idle: '-v -V' } },
    },
    stopsAtOperand: true,
    tune: '-c -f -w -p -a -i -d -s -m -u -t=',
    idle: '-v -V',
    operands: 'command',
  },
  exec: { wraps: { values: '-a' }, stopsAtOperand: true, tune: '-c -l', load: '-a=', operands: 'command' },
  stdbuf: {
    exact: true,
    valuesOf: 'first',
    wraps: {},
    stopsAtOperand: true,
    tune: '-i= -o= -e= --input= --output= --error=',
    operands: 'command',
  },
  nohup: { exact: true, wraps: {}, stopsAtOperand: true, operands: 'command' },
  env: {
    values: '-u --unset -C --chdir -S --split-string',
    stopsAtOperand: true,
    tune: '-0 -i -u= -v --null --ignore-environment --unset= --debug --block-signal[=] --default-signal[=] --ignore-signal[=] --list-signal-handling -',
    load: '-C= --chdir=',
    run: '',
    operands: 'command',
  },
  xargs: {
    values: '-I -n --max-args -P --max-procs -L --max-lines -d --delimiter -a --arg-file -s --max-chars -E',
    helpers: 'echo',
    stopsAtOperand: true,
    tune: '-# -0 -d= -e[=] -E= -i[=] -I= -l[=] -L= -n= -o -p -P= -r -s= -t -x --null --delimiter= --eof[=] --replace[=] --max-lines[=] --max-args= --open-tty --interactive --max-procs= --no-run-if-empty --max-chars= --verbose --exit --process-slot-var= --show-limits',
    read: '-a= --arg-file=',
    operands: 'command',
  },
  watch: {
    valuesOf: 'first',
    wraps: { values: '-n --interval -q', joined: true },
    helpers: 'sh',
    stopsAtOperand: true,
    tune: '-b -c -C -d -e -g -n= -p -q= -r -t -w -x -s= --beep --color --no-color --differences[=] --errexit --chgexit --interval= --precise --equexit= --no-rerun --no-title --no-wrap --exec --shotsdir=',
    operands: 'shell',
  },
  flock: {
    valuesOf: 'first',
    wraps: { values: '-w -E --timeout --wait --conflict-exit-code', code: '-c --command', skip: 1 },
    stopsAtOperand: true,
    tune: '-e -x -s -n -u -w= -o -F -E= -v --exclusive --shared --nonblock --nb --unlock --timeout= --wait= --close --no-fork --conflict-exit-code= --verbose',
    run: '-c= --command=',
    operands: 'add command',
  },
  strace: {
    exact: true,
    valuesOf: 'first',
    wraps: { values: '-e -o -s -u -E -a -I -O -S -X', idle: '-p' },
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
          ? unknown('changes what the program is told')
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
        ? unknown('a tool of valgrind that is not its own')
        : undefined,
  },
};

/** More letters of each text than a tracer shows by itself. */
const SHOWN_LETTERS = 32;

/** A tracer prints what a program is given and what it reads: the environment with `-v`, and the texts of files. */
function tracesData({ given: options }: Reading): StaticVerdict | undefined {
  for (const { name, value = '' } of options) {
    if (name === '-v' || (name === '-e' && /^(abbrev|verbose|read|write)\b/.test(value)))
      return unknown('shows the environment, or what the program reads');
    if (/^(-s|--string-limit)$/.test(name) && !(Number(value) <= SHOWN_LETTERS))
      return unknown('shows what the program reads');
  }
  return undefined;
}

/** Programs that run a command, of whose other options nobody has written down what they do. */
export const UNREAD_WRAPPERS: Records = {
  chroot: { unread: true, values: '--userspec --groups', wraps: { skip: 1, session: true } },
  nsenter: { unread: true, values: '-t --target -S --setuid -G --setgid', wraps: { session: true } },
  su: {
    unread: true,
    values: '-s --shell -c --command -g --group -G -w -T',
    wraps: { session: true, values: '-s -g -G -w --shell --group', code: '-c --command', skip: 1, dash: true },
  },
  pkexec: { unread: true, wraps: { values: '--user' } },
  sshpass: { unread: true, wraps: { values: '-p -f -d -P' } },
  busybox: { unread: true, wraps: { session: true } },
};

/** Programs of which only a little is known: enough for the rows that name them, never for a proof. */
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
  zypper: { unread: true, dryRun: '-D --dry-run' },
  shutdown: { unread: true, dryRun: '-k' },
  sgdisk: { unread: true, dryRun: '-p --print -P --pretend -i -v' },
  'mkfs.xfs fsck': { unread: true, dryRun: '-N' },
  'tmpreaper tmpwatch': { unread: true, dryRun: '-t --test' },
  p4: { unread: true, dryRun: '-n' },
  'socat telnet mail mailx sendmail mutt ftp': {
    unread: true,
    traits: ['sends'],
  },
  sftp: { unread: true, traits: ['sends', 'namesOnly'] },
  fzf: { unread: true, traits: ['printsSetup'] },
  'grunt gulp': { unread: true, traits: ['runsProject'] },
};
