/**
 * Uses Ansible to run a command on many hosts. Ansible evaluates nearly everything it is given as a template, so the
 * judged command is passed as data: in a file that marks it as unsafe, which Ansible documents as never evaluated.
 * From an inventory it takes only names.
 */
import { UNATTENDED_CODE } from '../../knowledge/unattended.ts';
import { isJsonObject, parseJson } from '../../text/json.ts';
import { visible } from '../../text/sanitize.ts';
import { shellQuote } from '../../text/shell.ts';
import { askWords, endCode, FACTS, killCode } from './container.ts';

/**
 * `folder`: the private directory on the host. It is passed as input, so that the command is the same text for all
 * hosts.
 */
export type AnsibleHost = { readonly name: string; readonly folder: string };

/** How many hosts one Ansible process works on at the same time. */
export const MAX_FORKS = 50;
/** The maximum size of a report on one host, in bytes: a multiple of the output kept on the host. */
export const MAX_REPORT_BYTES = 16 * 1024 * 1024;
const MAX_WHY_CHARS = 300;

/** The module's arguments: values of variables, which are data. */
const WORDS = {
  cmd: '{{ aish_command }}',
  stdin: '{{ aish_folder }}',
  strip_empty_ends: false,
};

/**
 * Ansible's own ssh asks nobody and runs only our command. Everything else, including host keys, follows ssh's
 * configuration.
 */
const SSH_ARGS = [
  'BatchMode=yes',
  'RemoteCommand=none',
  'RequestTTY=no',
  'ServerAliveInterval=15',
  'ServerAliveCountMax=3',
  'ControlMaster=auto',
  'ControlPersist=60s',
];

/** Returns the files of one call by name, for a private directory in which Ansible is started. */
export function ansibleFiles(command: string, hosts: readonly AnsibleHost[]): Readonly<Record<string, string>> {
  const rows = hosts.map(
    ({ name, folder }, at) =>
      `    ${aliasOf(at)}: {ansible_host: ${unsafeText(name)}, aish_folder: ${unsafeText(folder)}}\n`,
  );
  return {
    'ansible.cfg': '',
    // Use generated names, because a host's name could be read as a range, a port or a pattern.
    'inventory.yml': `all:\n  vars:\n    ansible_connection: ansible.builtin.ssh\n    ansible_python_interpreter: auto_silent\n    ansible_become: false\n  hosts:\n${rows.join('')}`,
    'command.yml': `aish_command: ${unsafeText(command)}\n`,
  };
}

/** Returns Ansible’s arguments for that call. Ansible writes one file per host to `told`, named by `aliasOf`. */
export function ansibleArguments(hosts: readonly AnsibleHost[]): readonly string[] {
  const forks = Math.min(hosts.length, MAX_FORKS);
  const task = ['-m', 'ansible.builtin.shell', '-a', JSON.stringify(WORDS)];
  return ['all', '-i', 'inventory.yml', ...task, '-e', '@command.yml', '-t', 'told', '-f', String(forks)];
}

/**
 * Returns a host's name in the inventory of its call.
 * @param at the host's index in the call
 */
export function aliasOf(at: number): string {
  return `h${at}`;
}

/**
 * Returns Ansible's environment: without variables of Ansible and Python, which name files to read and programs to
 * run, and with only its built-in plugins and collections.
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
    // Ansible starts only in a UTF-8 locale.
    ...(isUtf8 ? {} : { LC_ALL: 'C.UTF-8' }),
    ANSIBLE_CONFIG: `${work}/ansible.cfg`,
    ANSIBLE_HOME: `${work}/home`,
    ANSIBLE_LOCAL_TEMP: `${work}/tmp`,
    ANSIBLE_INVENTORY_ENABLED: 'ansible.builtin.yaml',
    ANSIBLE_SSH_ARGS: SSH_ARGS.map((option) => `-o ${option}`).join(' '),
    ANSIBLE_SSH_CONTROL_PATH_DIR: sockets,
    ANSIBLE_TIMEOUT: '20',
    // Write nothing on the host: neither the module, nor a line with the command in the system's log.
    ANSIBLE_PIPELINING: 'True',
    ANSIBLE_NO_TARGET_SYSLOG: 'True',
    ANSIBLE_NOCOLOR: 'True',
  };
}

/** Returns a text as YAML that is never evaluated. ASCII only, so that no parser's rules about characters matter. */
export function unsafeText(text: string): string {
  const escaped = text.replace(/[^\x20-\x7e]|["\\]/gu, (char) => {
    if (char === '"' || char === '\\') return `\\${char}`;
    return `\\U${(char.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}`;
  });
  return `!unsafe "${escaped}"`;
}

/** The result of a command on one host. */
export type Carried =
  | { readonly kind: 'ran'; readonly exit: number; readonly output: string }
  /** A different command ran than the judged one, if the returned text is right. */
  | { readonly kind: 'altered' }
  /** The command may have run or not. `why`: one line. */
  | { readonly kind: 'failed'; readonly why: string };

/**
 * Parses the report on a host. The command it contains must equal the command that was sent, byte for byte.
 * @returns undefined if the report is incomplete, or has not arrived yet
 */
export function readCarried(text: string, command: string): Carried | undefined {
  const told = parseJson(text);
  if (!isJsonObject(told)) return undefined;
  const { cmd, rc, stdout, msg, unreachable, module_stderr: complaint } = told;
  if (unreachable === true || cmd === undefined)
    return { kind: 'failed', why: whyOf(complaint) ?? whyOf(msg) ?? 'no word of why' };
  if (cmd !== command) return { kind: 'altered' };
  if (typeof rc !== 'number' || !Number.isInteger(rc) || Math.abs(rc) > 255 || typeof stdout !== 'string')
    return { kind: 'failed', why: whyOf(msg) ?? 'it never reported the end' };
  // A signal ended it.
  return { kind: 'ran', exit: rc < 0 ? 128 - rc : rc, output: stdout };
}

/** The last line of an error message, as harmless text. */
export function whyOf(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  const lines = text.split(/[\r\n]+/).map((line) => line.trim());
  const last = lines.findLast((line) => line !== '');
  return last === undefined ? undefined : visible(last.slice(0, MAX_WHY_CHARS));
}

// The scripts for hosts reached through Ansible. Each first reads the private directory's name from its input. A
// command can outlive Ansible's connection, so a file that only one process can create marks its start, and the host
// itself limits its time.

const READ = 'IFS= read -r b || exit 1';
/** The most bytes of an output that are kept on the host. */
export const MAX_OUTPUT_BYTES = 1_000_000;

/** The text after an output: the exit code, and whether all of the output was read. */
const LAST = /aish-tui (\d{1,3}) (whole|part)$/;
const MAX_LAST_CHARS = 24;

const lineOf = (words: readonly string[]): string => words.map(shellQuote).join(' ');

/** Returns a command line for a piece of our code; `$b` is the private directory. */
export function askLine(code: string): string {
  return lineOf(askWords(`${READ}\n${code}`));
}

/** Creates the private directory with an unguessable name, and reports facts about the machine for `readFacts`. */
export const SETUP_CODE = `umask 077; mkdir "$b" || exit 1\n${FACTS}`;
/** Ends the remaining commands and removes the directory. */
export const CLOSE_CODE = `for f in "$b"/*.pid; do [ -e "$f" ] || continue; f=\${f%.pid}; ${killCode('"$f"')}; done; rm -rf "$b"`;

/**
 * Runs `$3` in `$2`, at most once and at most `$4` seconds. A file that only one process can create marks its start;
 * its end is written to a second file. It keeps the beginning of the output and reads the rest, so that the command
 * does not notice; background processes delay nobody. After the output it reports a normal end (`readRun`): anything
 * else that ends it, such as a signal, produces an exit code that is not the command's.
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

/**
 * Returns the command line for a judged command.
 * @param name the name of its records;
 * @param seconds its time limit
 */
export function runLine(name: string, directory: string, command: string, seconds: number): string {
  return lineOf(['/bin/sh', '-c', RUN, 'aish-tui', name, directory, command, String(Math.ceil(seconds))]);
}

/**
 * Parses the output of such a line.
 * @returns undefined if it did not end normally
 */
export function readRun(
  exit: number,
  text: string,
): { readonly output: string; readonly isWhole: boolean } | undefined {
  const [last, code, read] = LAST.exec(text.slice(-MAX_LAST_CHARS)) ?? [];
  if (last === undefined || Number(code) !== exit) return undefined;
  return { output: text.slice(0, -last.length), isWhole: read === 'whole' };
}

/**
 * Ends a command that still runs, and reports its end for `readEnd`. A command that has just started has no process
 * yet: this waits for it, and reports nothing if it does not appear.
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
