import type { Field } from '../shell/machine.ts';
import { plain } from '../shell/machine.ts';
import { HOLE, hasHole } from '../shell/marks.ts';
import { destructive, unknown } from '../verdict.ts';
import type { Call } from './call.ts';
import { runCode } from './code.ts';
import type { Handler, Handlers } from './handler.ts';

/** How a wrapper's own arguments end and the command it runs begins. */
type Wrapper = {
  /** Its options that take a value. */
  readonly values?: string;
  /** Operands of its own before the command (`timeout 5 cmd`). */
  readonly skip?: number;
  /** A subcommand that must come first (`poetry run cmd`); otherwise the tables judge. */
  readonly sub?: string;
  /** Options whose value is shell code. */
  readonly code?: string;
  /** The remaining words are joined and given to a shell. */
  readonly joined?: boolean;
  /** Without such an option it is no wrapper. */
  readonly onlyCode?: boolean;
  /** Options that mean: nothing is run. */
  readonly idle?: string;
};

const PREFIX: Readonly<Record<string, Wrapper>> = {
  sudo: {
    values: '-u -g -h -p -C -r -t -T -U -D -R --user --group --host --prompt --chdir --role --type --chroot',
    idle: '-l -v -k -K -V --list --validate',
  },
  doas: { values: '-u -C' },
  run0: { values: '-u --user -g --group -D --chdir --unit' },
  nice: { values: '-n --adjustment' },
  ionice: { values: '-c -n --class --classdata', idle: '-p' },
  chrt: { skip: 1, idle: '-p -m' },
  taskset: { skip: 1, idle: '-p' },
  nohup: {},
  'ld.so': { values: '--library-path --preload --argv0 --audit' },
  setsid: {},
  timeout: { values: '-s -k --signal --kill-after', skip: 1 },
  gtimeout: { values: '-s -k', skip: 1 },
  time: { values: '-f -o --format --output' },
  stdbuf: { values: '-i -o -e --input --output --error' },
  unbuffer: {},
  command: { idle: '-v -V' },
  builtin: {},
  exec: { values: '-a' },
  coproc: {},
  noglob: {},
  nocorrect: {},
  caffeinate: { values: '-t -w' },
  chronic: {},
  ts: {},
  errno: {},
  faketime: { skip: 1 },
  fakeroot: {},
  fakechroot: {},
  proot: { values: '-r -b -w -q' },
  pkexec: { values: '--user' },
  gosu: { skip: 1 },
  'su-exec': { skip: 1 },
  setuidgid: { skip: 1 },
  chpst: { values: '-u -U -b -/ -C -l -L -n -o -p -f -c -r -t -m -d -s -e' },
  setpriv: { values: '--reuid --regid --groups --inh-caps --ambient-caps --bounding-set' },
  prlimit: { values: '-p --pid', idle: '-p' },
  cgexec: { values: '-g' },
  numactl: { values: '-C -m -N -i -p', idle: '-H -s --hardware --show' },
  setarch: { skip: 1 },
  linux32: {},
  linux64: {},
  strace: { values: '-e -o -s -u -E -a -I -O -S -X', idle: '-p' },
  ltrace: { values: '-e -o -s -u -a -l -n', idle: '-p' },
  valgrind: {},
  catchsegv: {},
  rlwrap: {},
  socksify: {},
  torsocks: {},
  torify: {},
  proxychains: { values: '-f' },
  proxychains4: { values: '-f' },
  firejail: { values: '--profile' },
  bwrap: {
    values:
      '--setenv --unsetenv --chdir --tmpfs --dev --proc --dir --hostname --uid --gid --perms --seccomp --cap-add --cap-drop --lock-file --sync-fd',
  },
  unshare: { values: '-S -G -R -w --setuid --setgid --root --wd --propagation' },
  nsenter: { values: '-t -S -G --target --setuid --setgid' },
  chroot: { values: '--userspec --groups', skip: 1 },
  'arch-chroot': { values: '-u', skip: 1 },
  'systemd-run': {
    values:
      '-u -p -H -M -E --unit --property --slice --uid --gid --nice --working-directory --setenv --on-active --on-calendar --on-boot --description',
  },
  'systemd-inhibit': { values: '' },
  'dbus-run-session': {},
  'dbus-launch': {},
  'xvfb-run': { values: '-s -n -e -w -f --server-args' },
  'ssh-agent': { idle: '-k -s -c' },
  sem: { values: '-j --id' },
  lxrun: {},
  aoss: {},
  optirun: {},
  primusrun: {},
  'toolbox run': {},
  toybox: {},
  busybox: {},
  hyperfine: { values: '-w -r -m -M -P -N -n --warmup --runs --export-json --export-markdown', joined: true },
  watch: { values: '-n --interval -q', joined: true },
  entr: {},
  dotenv: { values: '-f' },
  dotenvx: { sub: 'run' },
  'cross-env': {},
  envdir: { skip: 1 },
  'with-contenv': {},
  direnv: { sub: 'exec', skip: 1 },
  poetry: { sub: 'run' },
  pipenv: { sub: 'run' },
  uv: { sub: 'run', values: '--with --python -p --extra --group --env-file --project --directory' },
  rye: { sub: 'run' },
  hatch: { sub: 'run' },
  pdm: { sub: 'run' },
  pixi: { sub: 'run' },
  conda: { sub: 'run', values: '-n --name -p --prefix --cwd' },
  mamba: { sub: 'run', values: '-n --name -p --prefix --cwd' },
  bundle: { sub: 'exec' },
  rbenv: { sub: 'exec' },
  pyenv: { sub: 'exec' },
  mise: { sub: 'exec|x' },
  asdf: { sub: 'exec', skip: 1 },
  devbox: { sub: 'run' },
  volta: { sub: 'run' },
  fnm: { sub: 'exec' },
  dagger: { sub: 'run' },
  npx: { values: '-p --package -w', code: '-c --call' },
  bunx: {},
  'aws-vault': { sub: 'exec', skip: 1 },
  op: { sub: 'run' },
  doppler: { sub: 'run' },
  infisical: { sub: 'run' },
  chamber: { sub: 'exec', skip: 1 },
  perf: { sub: 'stat|record', values: '-e -o -p -C -F -g' },
  'nix-shell': { values: '-p -A -I', code: '--run --command' },
  nix: { sub: 'shell|develop', values: '', code: '-c --command' },
  scl: { sub: 'enable', skip: 1, joined: true },
  distrobox: { sub: 'enter', values: '-n --name' },
  'docker-machine': { sub: 'ssh', skip: 1, joined: true },
  multipass: { sub: 'exec', skip: 1 },
  lxc: { sub: 'exec', skip: 1 },
  incus: { sub: 'exec', skip: 1 },
  'lxc-attach': { values: '-n --name' },
  machinectl: { sub: 'shell', skip: 1 },
  vagrant: { sub: 'ssh', code: '-c --command', onlyCode: true },
  adb: { sub: 'shell', values: '-s', joined: true },
  heroku: { sub: 'run', values: '-a --app', joined: true },
  fly: { sub: 'ssh', code: '-C --command', onlyCode: true, skip: 9 },
  flyctl: { sub: 'ssh', code: '-C --command', onlyCode: true, skip: 9 },
  gcloud: { code: '--command', onlyCode: true, skip: 9 },
  wsl: { values: '-d -u --cd' },
  mosh: { skip: 1, joined: true },
  rsh: { values: '-l', skip: 1, joined: true },
  sshpass: { values: '-p -f -d -P' },
  autossh: { values: '-M -b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w', skip: 1, joined: true },
  ssh: { values: '-B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w', skip: 1, joined: true },
  pdsh: { values: '-w -x -g -R -l', joined: true },
  pssh: { values: '-h -H -l -p -t -o -e -O', joined: true },
  clush: { values: '-w -g -x', joined: true },
  su: { values: '-s -g -G -w --shell --group', code: '-c --command', skip: 1 },
  runuser: { values: '-u -g -G -s -w --user --group --shell', code: '-c --command', skip: 0 },
  script: { values: '-m -o -E -T -I -B -O', code: '-c --command', skip: 9 },
  flock: { values: '-w -E --timeout --wait --conflict-exit-code', code: '-c --command', skip: 1 },
  lockrun: { values: '-L' },
  nodemon: { code: '-x --exec' },
  watchexec: { values: '-e -w -i -f -r --exts --watch --ignore' },
  concurrently: { joined: true, values: '-n -c --names' },
  expect: { code: '' },
  tcpdump: { values: '-i -w -r -c -s -C -G -W -V -F -E -D -B -Z', code: '-z', skip: 99 },
  ionotify: {},
  sg: { skip: 1, code: '-c' },
  newgrp: { skip: 99 },
  daemonize: { values: '-a -c -e -o -p -l -u -E' },
  's6-setuidgid': { skip: 1 },
  tini: { values: '-p -e' },
  'dumb-init': {},
};

/** All wrappers that follow the table. */
export const WRAPPERS: Handlers = Object.fromEntries(
  Object.entries(PREFIX).map(([name, wrapper]): [string, Handler] => [name, (call) => unwrap(call, wrapper)]),
);

function unwrap(call: Call, wrapper: Wrapper): string | undefined {
  const { machine, args } = call;
  const values = new Set((wrapper.values ?? '').split(' '));
  const code = new Set((wrapper.code ?? '').split(' ').filter((name) => name !== ''));
  const idle = new Set((wrapper.idle ?? '').split(' ').filter((name) => name !== ''));
  let skip = wrapper.skip ?? 0;
  let sub = wrapper.sub;
  let at = 0;
  for (; at < args.length; at++) {
    const { text } = args[at] as Field;
    if (text === '--') {
      if (sub !== undefined) return undefined;
      at++;
      if (skip > 0 && skip < 9 && call.program !== 'runuser') at += skip;
      break;
    }
    if (text === '-' && (call.program === 'su' || call.program === 'runuser')) continue;
    if (text.startsWith('-') && text !== '-') {
      const name = text.includes('=') ? text.slice(0, text.indexOf('=')) : text;
      const cluster = clusterEnd(text);
      if (code.has(name) || code.has(cluster)) {
        const inline = text.includes('=') && text.startsWith('--') ? text.slice(text.indexOf('=') + 1) : undefined;
        return runCode(machine, inline ?? args.slice(at + 1)[0]?.text ?? '', call.io);
      }
      if (idle.has(name)) return call.program === 'command' ? `/usr/bin/${args.at(-1)?.text ?? ''}\n` : HOLE;
      if (values.has(name) && name === text) at++;
      else if (!text.startsWith('--') && values.has(cluster) && cluster !== text) at++;
      continue;
    }
    if (sub !== undefined) {
      if (!sub.split('|').includes(text)) return undefined;
      sub = undefined;
      continue;
    }
    // Assignments before the command: `sudo A=1 cmd`.
    if (/^[A-Za-z_]\w*=/.test(text) && !wrapper.joined) continue;
    if (skip-- > 0) continue;
    break;
  }
  if (sub !== undefined) return undefined;
  const rest = args.slice(at);
  if (wrapper.onlyCode) return undefined;
  if (rest.length === 0) return wrapper.sub ? undefined : idleWrapper(call);
  if (wrapper.joined) return runCode(machine, rest.map((field) => field.text).join(' '), call.io);
  return machine.runFields(rest, call.io);
}

/** The last letter of a cluster as an option: `-lc` may end in `-c`. */
function clusterEnd(text: string): string {
  return /^-[A-Za-z]{2,}$/.test(text) ? `-${text.at(-1)}` : text;
}

function idleWrapper(call: Call): string {
  const { machine, program, io } = call;
  if (program === 'ssh' && call.args.some((field) => /^-(V|T|Q|G|O)$/.test(field.text)) && io.stdin === undefined)
    return HOLE;
  if (/^(ssh|su|sudo|doas|busybox|chroot|nsenter|unshare|docker|runuser|machinectl|wsl)$/.test(program)) {
    if (io.stdin !== undefined && io.stdin !== '') return runCode(machine, io.stdin, { stdin: '' });
    machine.note(unknown('starts a session'));
  }
  return HOLE;
}

/** Wrappers with a way of their own. */
export const SPECIAL_WRAPPERS: Handlers = {
  env(call) {
    const { machine, args, io } = call;
    for (let at = 0; at < args.length; at++) {
      const text = args[at]?.text ?? '';
      const split = /^(?:-[iv0]*S|--split-string=?)([\s\S]*)$/.exec(text);
      if (split) {
        const code = [split[1] || (args[++at]?.text ?? ''), ...args.slice(at + 1).map((field) => field.text)].join(' ');
        return runCode(machine, code, io);
      }
      const assigned = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(text);
      if (assigned) machine.scope.set(assigned[1] ?? '', assigned[2] ?? '');
      else if (/^(-u|-C|--unset|--chdir)$/.test(text)) at++;
      else if (text !== '-' && !text.startsWith('-')) return machine.runFields(args.slice(at), io);
    }
    return HOLE;
  },
  xargs(call) {
    const { machine, args, io } = call;
    let at = 0;
    let replace: string | undefined;
    for (; at < args.length; at++) {
      const text = args[at]?.text ?? '';
      if (!text.startsWith('-')) break;
      if (text === '-I') replace = args[++at]?.text ?? '{}';
      else if (text.startsWith('-I')) replace = text.slice(2);
      else if (/^(-i|--replace)/.test(text))
        replace = /^--replace=(.*)/.exec(text)?.[1] ?? (text.slice(2).replace(/^-replace$/, '') || '{}');
      else if (
        /^-[0-9a-zA-Z]*[nPLdasE]$/.test(text) ||
        /^--(max-args|max-procs|max-lines|delimiter|arg-file|max-chars)$/.test(text)
      )
        at++;
    }
    const command = args.slice(at);
    const own = args.slice(0, at).map((field) => field.text);
    const separator = own.some((word) => /^(-\w*0|--null)$/.test(word))
      ? '\0'
      : own.some((word) => /^(-d|--delimiter)/.test(word))
        ? '\n'
        : /[\s\0]+/;
    const items = (io.stdin === undefined || hasHole(io.stdin) ? HOLE : io.stdin)
      .split(separator)
      .filter((item) => item !== '');
    if (command.length === 0) return HOLE;
    if (replace === undefined) return machine.runFields([...command, ...items.map(plain)], { stdin: '' });
    const lines = hasHole(io.stdin ?? HOLE) ? [HOLE] : (io.stdin ?? '').split('\n').filter((line) => line !== '');
    for (const line of lines.length === 0 ? [HOLE] : lines.slice(0, 8)) {
      machine.runFields(
        command.map(({ text, glob }) => ({ text: text.replaceAll(replace, line), glob })),
        { stdin: '' },
      );
    }
    return HOLE;
  },
  parallel(call) {
    const { machine, io } = call;
    const words = call.args.map((field) => field.text);
    const lists = words.findIndex((word) => /^:::/.test(word));
    const own = lists < 0 ? words : words.slice(0, lists);
    let at = 0;
    while (at < own.length && (own[at] ?? '').startsWith('-')) {
      at +=
        /^(-j|--jobs|-I|--colsep|-S|--sshlogin|-a|--joblog|--results|--delay|--timeout|-N|-n|--workdir|-d|--retries|--load|--tagstring)$/.test(
          own[at] ?? '',
        )
          ? 2
          : 1;
    }
    const items = lists < 0 ? (io.stdin ?? HOLE).split('\n').filter((line) => line !== '') : words.slice(lists + 1);
    const command = own.slice(at).join(' ');
    for (const item of items.slice(0, 8)) {
      const line =
        command === '' ? item : /\{[^ ]*\}/.test(command) ? command.replace(/\{[^ ]*?\}/g, item) : `${command} ${item}`;
      runCode(machine, line, { stdin: '' });
    }
    return HOLE;
  },
  find: (call) => runFind(call),
  fd(call) {
    const at = call.args.findIndex((field) => /^(-x|-X|--exec|--exec-batch)$/.test(field.text));
    if (at >= 0) call.machine.runFields(withHole(call.args.slice(at + 1)), { stdin: '' });
    return HOLE;
  },
  tmux(call) {
    const [, ...rest] = call.operands;
    const sub = call.operands[0]?.text ?? '';
    if (/^kill-(server|session|window|pane)$|^kill/.test(sub)) return undefined;
    if (/^(send-keys|send)$/.test(sub)) {
      const words = call.args.map((field) => field.text);
      const at = words.indexOf(sub);
      const keys = words
        .slice(at + 1)
        .filter(
          (word, index, all) =>
            word !== '-t' && all[index - 1] !== '-t' && !/^(Enter|C-m|C-j|Space|-l|-X|-R)$/.test(word),
        );
      return runCode(call.machine, keys.join(' '), { stdin: '' });
    }
    if (
      /^(new|new-session|neww|new-window|splitw|split-window|respawn-pane|run|run-shell|if|if-shell|popup|display-popup|pipe-pane)$/.test(
        sub,
      )
    ) {
      const code = rest.map((operand) => operand.text).join(' ');
      if (code !== '') return runCode(call.machine, code, { stdin: '' });
    }
    return HOLE;
  },
  screen(call) {
    const words = call.args.map((field) => field.text);
    const x = words.indexOf('-X');
    if (x >= 0) {
      if (words.slice(x).some((word) => /^(quit|kill)$/.test(word)))
        call.machine.note(destructive('terminal session', 'ends a terminal session'));
      if (words[x + 1] === 'stuff')
        return runCode(
          call.machine,
          words
            .slice(x + 2)
            .join(' ')
            .replace(/\\n|\\r|\^M/g, '\n'),
          { stdin: '' },
        );
      return HOLE;
    }
    const at = words.findIndex(
      (word, index) => !word.startsWith('-') && !/^-(S|c|t|h|T)$|^-\w*S$/.test(words[index - 1] ?? ''),
    );
    return at >= 0 ? call.machine.runFields(call.args.slice(at), { stdin: '' }) : HOLE;
  },
};

function withHole(fields: readonly Field[]): Field[] {
  const end = fields.findIndex((field) => field.text === ';' || field.text === '+');
  const words = (end < 0 ? fields : fields.slice(0, end)).map(({ text, glob }) => ({
    text: text.replace(/\{[./]*\}/g, HOLE),
    glob,
  }));
  return words.some((field) => field.text.includes(HOLE)) ? words : [...words, plain(HOLE)];
}

function runFind(call: Call): string | undefined {
  const { machine, args } = call;
  for (let at = 0; at < args.length; at++) {
    const text = args[at]?.text ?? '';
    if (/^-(exec|execdir|ok|okdir)$/.test(text)) {
      const command = withHole(args.slice(at + 1));
      const found = machine.watch(() => machine.runFields(command, { stdin: '' }));
      machine.note(/^rm\b/.test(found.rule ?? '') ? destructive('find -exec rm') : found);
    }
  }
  return undefined;
}
