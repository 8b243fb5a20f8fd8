/**
 * Ansible as what carries a command to many hosts at once. It evaluates nearly everything that it is given, so what was
 * judged goes there as data: a file in which the text is marked as unsafe, which Ansible documents as never evaluated.
 * Of an inventory it gets names, and nothing else.
 */
import { UNATTENDED_CODE } from '../../knowledge/unattended.ts';
import { isJsonObject, parseJson } from '../../text/json.ts';
import { visible } from '../../text/sanitize.ts';
import { shellQuote } from '../../text/shell.ts';
import { askWords, endCode, FACTS, killCode } from './container.ts';

/**
 * `folder`: the private directory there. Ansible hands it over as input, so that the command is the same text for all.
 */
export type AnsibleHost = { readonly name: string; readonly folder: string };

/** Hosts that one Ansible works on at the same time; the others wait within it. */
export const MAX_FORKS = 50;
/** Bytes of what it may tell of one host: some times the most that is kept of an output there. */
export const MAX_REPORT_BYTES = 16 * 1024 * 1024;
const MAX_WHY_CHARS = 300;

/** What its module is given: values of variables, which are data. */
const WORDS = {
  cmd: '{{ aish_command }}',
  stdin: '{{ aish_folder }}',
  strip_empty_ends: false,
};

/** Its own ssh asks nobody, and no command but ours runs; all else, host keys too, is as ssh is configured. */
const SSH_ARGS = [
  'BatchMode=yes',
  'RemoteCommand=none',
  'RequestTTY=no',
  'ServerAliveInterval=15',
  'ServerAliveCountMax=3',
  'ControlMaster=auto',
  'ControlPersist=60s',
];

/** The files of one call, by name; they are to lie in a private directory, in which it is started. */
export function ansibleFiles(command: string, hosts: readonly AnsibleHost[]): Readonly<Record<string, string>> {
  const rows = hosts.map(
    ({ name, folder }, at) =>
      `    ${aliasOf(at)}: {ansible_host: ${unsafeText(name)}, aish_folder: ${unsafeText(folder)}}\n`,
  );
  return {
    'ansible.cfg': '',
    // Names are words of ours, since a name may read as a range, a port or a pattern.
    'inventory.yml': `all:\n  vars:\n    ansible_connection: ansible.builtin.ssh\n    ansible_python_interpreter: auto_silent\n    ansible_become: false\n  hosts:\n${rows.join('')}`,
    'command.yml': `aish_command: ${unsafeText(command)}\n`,
  };
}

/** The arguments of that call. A file for each host comes into `told`, named as `aliasOf` says. */
export function ansibleArguments(hosts: readonly AnsibleHost[]): readonly string[] {
  const forks = Math.min(hosts.length, MAX_FORKS);
  const task = ['-m', 'ansible.builtin.shell', '-a', JSON.stringify(WORDS)];
  return ['all', '-i', 'inventory.yml', ...task, '-e', '@command.yml', '-t', 'told', '-f', String(forks)];
}

/** What a host is called in the inventory of its call. @param at its place there */
export function aliasOf(at: number): string {
  return `h${at}`;
}

/**
 * Its environment: none of Ansible's and Python's own variables, which name files to read and programs to run, and no
 * configuration, plugin or collection but those that it came with.
 * @param work the directory of the call
 * @param sockets a private directory with a short path
 */
export function ansibleEnvironment(
  env: Readonly<Record<string, string>>,
  work: string,
  sockets: string,
): Readonly<Record<string, string>> {
  const kept = Object.fromEntries(Object.entries(env).filter(([name]) => !/^(?:ANSIBLE|PYTHON)/.test(name)));
  const isUtf8 = /utf-?8/i.test(env.LC_ALL || env.LC_CTYPE || env.LANG || '');
  return {
    ...kept,
    // It does not start in any other.
    ...(isUtf8 ? {} : { LC_ALL: 'C.UTF-8' }),
    ANSIBLE_CONFIG: `${work}/ansible.cfg`,
    ANSIBLE_HOME: `${work}/home`,
    ANSIBLE_LOCAL_TEMP: `${work}/tmp`,
    ANSIBLE_INVENTORY_ENABLED: 'ansible.builtin.yaml',
    ANSIBLE_SSH_ARGS: SSH_ARGS.map((option) => `-o ${option}`).join(' '),
    ANSIBLE_SSH_CONTROL_PATH_DIR: sockets,
    ANSIBLE_TIMEOUT: '20',
    // Nothing is written there, neither the module nor a line with the command in the system's log.
    ANSIBLE_PIPELINING: 'True',
    ANSIBLE_NO_TARGET_SYSLOG: 'True',
    ANSIBLE_NOCOLOR: 'True',
  };
}

/** A text as YAML that is never evaluated: in ASCII, so that no reader's rules about characters come between. */
export function unsafeText(text: string): string {
  const escaped = text.replace(/[^\x20-\x7e]|["\\]/gu, (char) => {
    if (char === '"' || char === '\\') return `\\${char}`;
    return `\\U${(char.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}`;
  });
  return `!unsafe "${escaped}"`;
}

/** What became of a command on one host. */
export type Carried =
  | { readonly kind: 'ran'; readonly exit: number; readonly output: string }
  /** What ran is not what was judged, if what came back is true. */
  | { readonly kind: 'altered' }
  /** It may have run or not. `why`: one line. */
  | { readonly kind: 'failed'; readonly why: string };

/**
 * Reads what was told of a host. The command that came back must be the one that went, byte for byte.
 * @returns undefined where it is no whole report, or not yet
 */
export function readCarried(text: string, command: string): Carried | undefined {
  const told = parseJson(text);
  if (!isJsonObject(told)) return undefined;
  const { cmd, rc, stdout, msg, unreachable, module_stderr: complaint } = told;
  if (unreachable === true || cmd === undefined)
    return { kind: 'failed', why: whyOf(complaint) ?? whyOf(msg) ?? 'no word of why' };
  if (cmd !== command) return { kind: 'altered' };
  if (typeof rc !== 'number' || !Number.isInteger(rc) || Math.abs(rc) > 255 || typeof stdout !== 'string')
    return { kind: 'failed', why: whyOf(msg) ?? 'it told no end' };
  // Ended by a signal.
  return { kind: 'ran', exit: rc < 0 ? 128 - rc : rc, output: stdout };
}

/** The last line of a complaint, as harmless text. */
export function whyOf(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  const lines = text.split(/[\r\n]+/).map((line) => line.trim());
  const last = lines.findLast((line) => line !== '');
  return last === undefined ? undefined : visible(last.slice(0, MAX_WHY_CHARS));
}

// What runs on a host that Ansible reaches. The first line of the input names the private directory there. Nothing here
// hangs on a connection: Ansible's ends when it likes, and a command outlives it. So a command's beginning is a file
// that can be made once, and its time is bounded there.

const READ = 'IFS= read -r b || exit 1';
/** What is kept of an output there. */
export const MAX_OUTPUT_BYTES = 1_000_000;

/** What stands behind an output: the end of it, and whether all of the output was read. */
const LAST = /aish-tui (\d{1,3}) (whole|part)$/;
const MAX_LAST_CHARS = 24;

const lineOf = (words: readonly string[]): string => words.map(shellQuote).join(' ');

/** A command line that runs a piece of code of ours; `$b` is the private directory. */
export function askLine(code: string): string {
  return lineOf(askWords(`${READ}\n${code}`));
}

/** Makes the private directory, whose name nobody can know, and tells of the machine; for `readFacts`. */
export const SETUP_THERE = `umask 077; mkdir "$b" || exit 1\n${FACTS}`;
/** Ends what is left of its commands, and removes the directory. */
export const CLOSE_THERE = `for f in "$b"/*.pid; do [ -e "$f" ] || continue; f=\${f%.pid}; ${killCode('"$f"')}; done; rm -rf "$b"`;

/**
 * Runs `$3` in `$2`, at most once, for at most `$4` seconds: its beginning is a file that only one can make, its end is
 * written beside it. Of its output the beginning is kept and the rest is read, so that the command does not notice;
 * what it leaves in the background keeps nobody waiting. Behind the output it says that it has come to its own end
 * (`readRun`): whatever else ends it, a signal or a lack of processes, leaves a code that is not the command's.
 */
const RUN = `${READ}; at=$b/$1
last() { printf 'aish-tui %s %s' "$1" "$2"; exit "$1"; }
u=$(umask); umask 077
set -C; { true >"$at.began"; } 2>/dev/null || exit 126; set +C
cd -- "$2" 2>&1 || { echo 1 >"$at.end"; last 1 whole; }
mkfifo "$at.pipe" || { echo 126 >"$at.end"; last 126 whole; }
${UNATTENDED_CODE}
s=; command -v setsid >/dev/null 2>&1 && s=setsid
b=/bin/sh; command -v bash >/dev/null 2>&1 && b=bash
{ n=0
  while dd bs=65536 count=1 >>"$at.out"; m=$(($(wc -c <"$at.out"))); [ $m -gt $n ] && [ $m -lt ${MAX_OUTPUT_BYTES} ]; do n=$m; done
  true >"$at.read"
  cat
} <"$at.pipe" >/dev/null 2>&1 &
( umask "$u"; exec $s "$b" -c -- "$3" ) </dev/null >"$at.pipe" 2>&1 &
p=$!
printf '%s\\n' "$p" >"$at.pid"
{ n=0
  while [ -e "$at.pid" ]; do
    if [ "$n" -ge "$4" ]; then kill -TERM "-$p" || kill -TERM "$p"; sleep 2; kill -KILL "-$p" || kill -KILL "$p"; break; fi
    sleep 1; n=$((n+1))
  done
} </dev/null >/dev/null 2>&1 &
wait "$p"; c=$?
printf '%s\\n' "$c" >"$at.end.new" && mv -f "$at.end.new" "$at.end"
n=0
until [ -e "$at.read" ] || [ $n -ge 10 ]; do n=$((n+1)); sleep 0.1 2>/dev/null || sleep 1; done
r=part; [ -e "$at.read" ] && r=whole
cat "$at.out" || r=part
rm -f "$at.pid" "$at.pipe" "$at.out" "$at.read"
last "$c" "$r"`;

/** A command line that runs a judged command. @param name of its records; @param seconds that it may take */
export function runLine(name: string, directory: string, command: string, seconds: number): string {
  return lineOf(['/bin/sh', '-c', RUN, 'aish-tui', name, directory, command, String(Math.ceil(seconds))]);
}

/** What was carried back of such a line. @returns undefined where it did not come to its own end */
export function readRun(
  exit: number,
  text: string,
): { readonly output: string; readonly isWhole: boolean } | undefined {
  const [last, code, read] = LAST.exec(text.slice(-MAX_LAST_CHARS)) ?? [];
  if (last === undefined || Number(code) !== exit) return undefined;
  return { output: text.slice(0, -last.length), isWhole: read === 'whole' };
}

/**
 * Ends what is left of a command, and tells how it ended, for `readEnd`. One that has only just begun has no process
 * yet: that is waited for, and where it does not come, nothing is told.
 */
export function endingCode(name: string): string {
  const file = `"$b"/${name}`;
  return `n=0
while [ -e ${file}.began ] && ! [ -s ${file}.pid ] && ! [ -e ${file}.end ]; do
  [ $n -lt 50 ] || exit 1
  n=$((n+1)); sleep 0.1 2>/dev/null || sleep 1
done
${killCode(file)} 2>/dev/null
${endCode(file)}`;
}
