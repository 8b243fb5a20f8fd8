import { DIGITS, UNKNOWN } from '../../shell/taint.ts';
import type { Judging } from './judging.ts';
import { nameOf } from './references.ts';
import type { Expr, NodeOf } from './tree.ts';

type Call = NodeOf<'Call'>;

/** `os.system(text)` and its like. */
export function judgeShellText(judge: Judging, call: Call): void {
  shell(judge, call, call.args[0] ?? keyword(call, 'cmd', 'command'));
}

function shell(judge: Judging, call: Call, text: Expr | undefined): void {
  const texts = text ? judge.values.texts(text) : [UNKNOWN];
  if (text && isDecoded(judge, text))
    judge.note(call, { kind: 'destructive', rule: 'decoded code', reason: 'runs decoded text as a command' });
  for (const value of texts)
    judge.note(call, { kind: 'shell', text: value.replaceAll(DIGITS, UNKNOWN), ...surroundings(judge, call) });
}

/** `base64.b64decode(…).decode()`, under whatever name. */
function isDecoded(judge: Judging, node: Expr, depth = 0): boolean {
  if (depth > 4) return false;
  if (node.nodeType === 'Call') {
    if (DECODES.test(nameOf(node.func) ?? '')) return true;
    return node.func.nodeType === 'Attribute' && isDecoded(judge, node.func.value, depth + 1);
  }
  const bindings = node.nodeType === 'Name' ? (judge.values.references.bindings(node) ?? []) : [];
  return bindings.some((binding) => binding.kind === 'value' && isDecoded(judge, binding.value, depth + 1));
}

const DECODES =
  /^(b\d+decode|[ab]85decode|standard_b64decode|urlsafe_b64decode|decodebytes|fromhex|unhexlify|decompress|chr)$/;

/** `subprocess.run([…])`, `subprocess.run('…', shell=True)`. */
export function judgeProcess(judge: Judging, call: Call, name: string): void {
  const spread = call.keywords.some(({ arg }) => !arg) || call.args.some((arg) => arg.nodeType === 'Starred');
  const odd = call.keywords.find(
    ({ arg }) => arg !== undefined && /^(env|executable|preexec_fn|startupinfo|user|group)$/.test(arg),
  );
  // The third by place is the program that is run in place of the one that is named.
  if (spread || call.args.length > 2) judge.unknown(call, 'runs a command that is not known', true);
  else if (odd) judge.unknown(call, `runs a command with ${odd.arg} of its own`);
  const command = call.args[0] ?? keyword(call, 'args');
  if (!command) return;
  const shellOption = keyword(call, 'shell');
  const inShell = name.endsWith('_shell') || (shellOption !== undefined && !isFalse(shellOption));
  const lists = judge.values.lists(command) ?? splitText(judge, command);
  if (!lists) {
    if (inShell) return shell(judge, call, command);
    const texts = [...judge.values.texts(command)];
    for (const text of texts) {
      if (text.includes(UNKNOWN)) judge.unknown(call, 'runs a command that is not known', true);
      else judge.note(call, { kind: 'call', words: [text], ...surroundings(judge, call) });
    }
    return;
  }
  for (const list of lists) {
    const words = list.map((item) => (typeof item === 'string' ? item : wordOf(judge, item)));
    if (inShell && words[0] !== undefined)
      judge.note(call, { kind: 'shell', text: words[0], ...surroundings(judge, call) });
    else if (words[0] === undefined || words[0].includes(UNKNOWN))
      judge.unknown(call, 'runs a command that is not known', true);
    else judge.note(call, { kind: 'call', words, ...surroundings(judge, call) });
  }
}

/** `os.execvp(file, [name, …])`, `os.execl(file, name, …)`, `os.spawnlp(mode, file, name, …)`, `pty.spawn([…])`. */
export function judgeReplacement(judge: Judging, call: Call, name: string): void {
  const args = /\.spawn[lv]/.test(name) ? call.args.slice(1) : call.args;
  const [file, ...rest] = args;
  const first = rest[0];
  const listed = name === 'pty.spawn' ? file : /[.](exec|spawn)v|posix_spawn/.test(name) ? first : undefined;
  const lists = listed ? judge.values.lists(listed) : undefined;
  const program = name === 'pty.spawn' || !file ? [] : [wordOf(judge, file)];
  const words =
    listed === undefined
      ? [...program, ...(name.startsWith('asyncio') ? rest : rest.slice(1)).map((item) => wordOf(judge, item))]
      : lists?.[0]
        ? [...program, ...lists[0].slice(program.length).map((item) => wordOf(judge, item))]
        : undefined;
  if (!words?.[0] || words[0].includes(UNKNOWN) || (lists && lists.length > 1)) {
    judge.unknown(call, 'runs a command that is not known', true);
    return;
  }
  judge.note(call, { kind: 'call', words });
  if (!name.startsWith('asyncio')) judge.unknown(call, 'becomes another program');
}

function wordOf(judge: Judging, item: Expr): string {
  return judge.values.references.exactly(item) === 'sys.executable' ? 'python3' : judge.word(item);
}

/** `'ls -l'.split()`, `shlex.split('ls -l')`. */
function splitText(judge: Judging, node: Expr): readonly (readonly string[])[] | undefined {
  if (node.nodeType !== 'Call' || nameOf(node.func) !== 'split') return undefined;
  const source =
    judge.values.references.exactly(node.func) === 'shlex.split'
      ? node.args[0]
      : node.func.nodeType === 'Attribute' && node.args.length === 0
        ? node.func.value
        : undefined;
  const text = source ? judge.values.text(source) : undefined;
  return text === undefined || /["'\\]/.test(text) ? undefined : [text.trim().split(/\s+/)];
}

/** What the command reads and where it runs. */
function surroundings(judge: Judging, call: Call): { stdin?: string; cwd?: string } {
  const given = keyword(call, 'input');
  const stdin = keyword(call, 'stdin');
  const cwd = keyword(call, 'cwd');
  const text = given
    ? judge.word(given)
    : stdin
      ? /DEVNULL$/.test(judge.values.references.exactly(stdin) ?? '')
        ? ''
        : UNKNOWN
      : undefined;
  return {
    ...(text === undefined ? {} : { stdin: text }),
    ...(cwd && !isNone(cwd) ? { cwd: judge.word(cwd) } : {}),
  };
}

function keyword(call: Call, ...names: readonly string[]): Expr | undefined {
  return call.keywords.find(({ arg }) => arg !== undefined && names.includes(arg))?.value;
}

function isFalse(node: Expr): boolean {
  return node.nodeType === 'Constant' && (node.value === false || node.value === null || node.value === 0);
}

function isNone(node: Expr): boolean {
  return node.nodeType === 'Constant' && node.value === null;
}
