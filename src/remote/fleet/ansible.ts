/**
 * Ansible as what carries a command to many hosts at once. It evaluates nearly everything that it is given, so what was
 * judged goes there as data: a file in which the text is marked as unsafe, which Ansible documents as never evaluated. Of an
 * inventory it gets names, and nothing else.
 */
import { isJsonObject, parseJson } from '../../text/json.ts';
import { visible } from '../../text/sanitize.ts';

/** `folder`: the private directory there. Ansible hands it over as input, so that the command is the same text for all. */
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
