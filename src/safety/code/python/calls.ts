import { DIGITS, OWN_TEMP, UNKNOWN } from '../../shell/taint.ts';
import {
  DANGEROUS_NAME,
  isHandle,
  type Judging,
  judgeHelp,
  MODULE_ATTRIBUTE,
  REFLECTION,
  reflects,
} from './modules.ts';
import type { Expr, NodeOf } from './scopes.ts';
import { nameOf } from './values.ts';

/** Judges `os.system(text)` and similar calls. */
function judgeShellText(judge: Judging, call: Call): void {
  shell(judge, call, call.args[0] ?? keyword(call, 'cmd', 'command'));
}

function shell(judge: Judging, call: Call, text: Expr | undefined): void {
  const texts = text ? judge.values.texts(text) : [UNKNOWN];
  if (text && isDecoded(judge, text))
    judge.note(call, { kind: 'destructive', rule: 'decoded code', reason: 'runs decoded text as a command' });
  for (const value of texts)
    judge.note(call, { kind: 'shell', text: value.replaceAll(DIGITS, UNKNOWN), ...surroundings(judge, call) });
}

/** Returns whether a node calls `base64.b64decode(…).decode()`, under any name. */
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
function judgeProcess(judge: Judging, call: Call, name: string): void {
  const spread = call.keywords.some(({ arg }) => !arg) || call.args.some((arg) => arg.nodeType === 'Starred');
  const odd = call.keywords.find(
    ({ arg }) => arg !== undefined && /^(env|executable|preexec_fn|startupinfo|user|group)$/.test(arg),
  );
  // The third positional argument is the program that really runs.
  if (spread || call.args.length > 2) judge.unknown(call, 'runs an unknown command', true);
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
      if (text.includes(UNKNOWN)) judge.unknown(call, 'runs an unknown command', true);
      else judge.note(call, { kind: 'call', words: [text], ...surroundings(judge, call) });
    }
    return;
  }
  for (const list of lists) {
    const words = list.map((item) => (typeof item === 'string' ? item : wordOf(judge, item)));
    if (inShell && words[0] !== undefined)
      judge.note(call, { kind: 'shell', text: words[0], ...surroundings(judge, call) });
    else if (words[0] === undefined || words[0].includes(UNKNOWN)) judge.unknown(call, 'runs an unknown command', true);
    else judge.note(call, { kind: 'call', words, ...surroundings(judge, call) });
  }
}

/** `os.execvp(file, [name, …])`, `os.execl(file, name, …)`, `os.spawnlp(mode, file, name, …)`, `pty.spawn([…])`. */
function judgeReplacement(judge: Judging, call: Call, name: string): void {
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
    judge.unknown(call, 'runs an unknown command', true);
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

/** Returns the command's input and its directory. */
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
  return { ...(text === undefined ? {} : { stdin: text }), ...(cwd && !isNone(cwd) ? { cwd: judge.word(cwd) } : {}) };
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

type Call = NodeOf<'Call'>;
type JudgeCall = (judge: Judging, call: Call, name: string) => void;

/** Returns the argument of a call, by position or by name. */
function argument(call: Call, at: number, ...names: readonly string[]): Expr | undefined {
  return call.args[at] ?? call.keywords.find(({ arg }) => arg !== undefined && names.includes(arg))?.value;
}

function spreads(call: Call): boolean {
  return call.args.some((arg) => arg.nodeType === 'Starred') || call.keywords.some(({ arg }) => !arg);
}

/** `open(file, mode)` and its like, with the mode at position `at`. */
function judgeOpen(at: number): JudgeCall {
  return (judge, call) => {
    if (spreads(call)) return judge.unknown(call, 'opens an unknown file');
    if (call.keywords.some(({ arg }) => arg === 'opener'))
      return judge.unknown(call, 'opens files with its own function');
    const mode = argument(call, at, 'mode');
    openAs(judge, call, argument(call, 0, 'file', 'filename', 'name', 'fileobj'), mode);
  };
}

function openAs(judge: Judging, call: Call, file: Expr | undefined, mode: Expr | undefined): void {
  for (const text of mode ? judge.values.texts(mode) : ['r']) {
    if (!/^[rwaxbtU+:|*\w]{1,6}$/.test(text)) judge.unknown(call, 'opens a file in an unknown mode');
    else if (/^[rbtU]+(:[\w*]*|\|[\w*]*)?$/.test(text)) reads(judge, call, file);
    // `r+` changes existing content; `a` and `x` lose nothing.
    else judge.write(call, file, /^[abt]+\+?[bt]?$|x/.test(text) ? 'append' : 'write');
  }
}

function reads(judge: Judging, call: Call, file: Expr | undefined): void {
  for (const path of file ? judge.values.texts(underHome(judge, file)) : []) judge.note(call, { kind: 'read', path });
}

/** Judges the path in `os.path.expanduser('~/x')` and `Path('~/x').expanduser()` as written, with its `~`. */
function underHome(judge: Judging, file: Expr): Expr {
  if (file.nodeType !== 'Call' || nameOf(file.func) !== 'expanduser') return file;
  if (judge.values.references.exactly(file.func) === 'os.path.expanduser') return file.args[0] ?? file;
  return file.func.nodeType === 'Attribute' ? file.func.value : file;
}
/**
 * Describes a call as the program that does the same, word by word; a number stands for the argument at that position.
 */
function likeProgram(words: string, ...names: readonly (readonly string[])[]): JudgeCall {
  return (judge, call) => {
    if (spreads(call)) return judge.unknown(call, `calls ${words.split(' ')[0]} on an unknown value`);
    const parts = words.split(' ').map((word) => {
      const place = /^\d$/.test(word) ? Number(word) : undefined;
      return place === undefined ? [word] : judge.paths(argument(call, place, ...(names[place] ?? [])));
    });
    for (const at of parts.keys()) {
      if ((parts[at]?.length ?? 0) > 1) {
        for (const choice of parts[at] ?? []) {
          judge.program(
            call,
            parts.map((part, index) => (index === at ? choice : part.length === 1 ? (part[0] ?? UNKNOWN) : UNKNOWN)),
          );
        }
        return;
      }
    }
    judge.program(
      call,
      parts.map((part) => part[0] ?? UNKNOWN),
    );
  };
}

const SOURCE = ['src', 'path'];
const TARGET = ['dst'];

/** Deletes something that the code did not make itself. */
function deletes(words: string): JudgeCall {
  return (judge, call) => remove(judge, call, argument(call, 0, 'path'), words);
}

function remove(judge: Judging, call: Call, target: Expr | undefined, words: string): void {
  for (const path of judge.paths(target)) {
    if (judge.made.has(path) && path.includes(DIGITS)) continue;
    if (path.startsWith(OWN_TEMP)) continue;
    judge.program(call, [...words.split(' '), path]);
  }
}

function unknown(reason: string): JudgeCall {
  return (judge, call) => judge.unknown(call, reason);
}

function destructive(reason: string): JudgeCall {
  return (judge, call) => judge.note(call, { kind: 'destructive', rule: 'python code', reason: `python: ${reason}` });
}

const nothing: JudgeCall = () => {};

function changesMode(judge: Judging, call: Call): void {
  const mode = argument(call, 1, 'mode');
  const adds = mode?.nodeType === 'BinOp' && mode.op.nodeType === 'BitOr' && /^S_I[RX]/.test(nameOf(mode.right) ?? '');
  const value = mode?.nodeType === 'Constant' && typeof mode.value === 'number' ? mode.value : undefined;
  const words = value !== undefined ? value.toString(8) : adds ? '+x' : UNKNOWN;
  for (const path of judge.paths(argument(call, 0, 'path'))) judge.program(call, ['chmod', words, path]);
}

/** A directory that the code itself makes may also be deleted by it. */
function makesDirectory(judge: Judging, call: Call): void {
  for (const path of judge.paths(argument(call, 0, 'name')))
    if (!path.includes(UNKNOWN)) judge.program(call, ['mkdir', '-p', '--', path]);
}

/** Ends a process: its own child, or one given by number. */
function kills(judge: Judging, call: Call): void {
  const [target] = call.args;
  if (target && isOwnProcess(judge, target)) return;
  judge.note(call, { kind: 'destructive', rule: 'python code', reason: 'python: ends a process' });
}

function isOwnProcess(judge: Judging, node: Expr, depth = 0): boolean {
  if (depth > 3) return false;
  if (node.nodeType === 'Attribute') return node.attr === 'pid';
  if (node.nodeType === 'Call') {
    const name = judge.values.references.exactly(node.func);
    const [first] = node.args;
    if (name === 'os.getpgid' && first) return isOwnProcess(judge, first, depth + 1);
    return name === 'os.fork' || name === 'os.getpid';
  }
  const bindings = node.nodeType === 'Name' ? (judge.values.references.bindings(node) ?? []) : [];
  return (
    bindings.length > 0 &&
    bindings.every((binding) => binding.kind === 'value' && isOwnProcess(judge, binding.value, depth + 1))
  );
}

/** `exec(text)`: judges the text where it is known; unknown code is never harmless. */
function runsText(judge: Judging, call: Call): void {
  const [first] = call.args;
  const text = first ? judge.values.text(first) : undefined;
  if (text !== undefined) {
    judge.unknown(call, 'runs text as code', true);
    return judge.nested(call, text);
  }
  const decoded = first ? decodedText(judge, first) : undefined;
  if (decoded === undefined)
    return judge.note(call, { kind: 'destructive', rule: 'unresolved code', reason: 'runs text as code' });
  judge.nested(call, decoded);
  judge.note(call, { kind: 'destructive', rule: 'decoded code', reason: 'runs decoded code' });
}

function decodedText(judge: Judging, node: Expr, depth = 0): string | undefined {
  if (node.nodeType !== 'Call' || depth > 4) return undefined;
  const name = nameOf(node.func);
  const [first] = node.args;
  if (name === 'decode' && node.func.nodeType === 'Attribute') return decodedText(judge, node.func.value, depth + 1);
  if (name === 'compile' && first) return judge.values.text(first) ?? decodedText(judge, first, depth + 1);
  const text = first ? judge.values.text(first) : undefined;
  if (text === undefined || !/^(b64decode|fromhex|unhexlify|decodebytes)$/.test(name ?? '')) return undefined;
  return Buffer.from(text, /b64|decodebytes/.test(name ?? '') ? 'base64' : 'hex').toString('utf8');
}

/** Treats `getattr(x, 'name')` as that attribute; with an unknown name it may be anything. */
function getsAttribute(judge: Judging, call: Call): void {
  const [object, name] = call.args;
  const texts = name ? [...judge.values.texts(name)] : [UNKNOWN];
  const known = object !== undefined && texts.every((text) => /^[A-Za-z]\w*$/.test(text));
  if (!known) return reflects(judge, call);
  // A use of a module’s attribute is judged like the attribute’s full name.
  const followed = judge.values.references.of(call);
  if (followed.length > 0 && followed.every((name) => CALLS.has(name))) return;
  const leads = (text: string) =>
    METHODS.has(text) || DANGEROUS_NAME.test(text) || REFLECTION.test(text) || MODULE_ATTRIBUTE.test(text);
  if (texts.some(leads)) reflects(judge, call);
}

function imports(judge: Judging, call: Call): void {
  const [first] = call.args;
  const texts = [...judge.values.texts(first)];
  if (!texts.every((text) => /^[\w.]+$/.test(text))) return reflects(judge, call);
  for (const text of texts) judge.imported(call, text);
}

/** Judges a network request: harmless if it only reads from one known address and sends only known text. */
function asks(judge: Judging, call: Call): void {
  const [url, ...more] = call.args;
  const texts = url ? [...judge.values.texts(url)] : [];
  // A request to this machine sends nothing away.
  const fixed =
    texts.length > 0 &&
    texts.every((text) => /^https?:\/\/(?:[^\uE000]*$|(?:localhost|127\.0\.0\.1|0\.0\.0\.0)(?::\d+)?\/)/.test(text));
  const quiet = call.keywords.every(
    ({ arg, value }) =>
      /^(timeout|stream|verify|allow_redirects|context)$/.test(arg ?? '') || (arg === 'headers' && isConstant(value)),
  );
  if (!fixed || !quiet || more.length > 0) judge.unknown(call, 'sends a request with unknown parts');
}

function isConstant(node: Expr): boolean {
  if (node.nodeType === 'Constant') return true;
  return (
    node.nodeType === 'Dict' &&
    node.values.every((value) => isConstant(value)) &&
    node.keys.every((key) => key && isConstant(key))
  );
}

/** Judges reading a table from a file, or from a URL if nothing unknown is sent with it. */
function readsTable(judge: Judging, call: Call): void {
  for (const path of judge.values.texts(argument(call, 0, 'filepath_or_buffer', 'path', 'io', 'fname')))
    if (path.startsWith(UNKNOWN) && !isHandle(judge.values, call.args[0] ?? call))
      judge.unknown(call, 'reads from an unknown place');
}

/** Makes a file with a new name in the temporary directory, unless the code gives another directory. */
function makesTemporary(judge: Judging, call: Call): void {
  const named = call.keywords.filter(({ arg }) => !arg || /^(dir|prefix|suffix)$/.test(arg));
  const placed = call.args.filter((arg) => arg.nodeType !== 'Constant' || typeof arg.value === 'string');
  const known = (node: Expr) => {
    const text = judge.values.text(node);
    return text !== undefined && (!text.includes('/') || /^\/(var\/)?tmp$/.test(text));
  };
  if (![...named.map(({ value }) => value), ...placed].every(known) || named.some(({ arg }) => !arg))
    judge.unknown(call, 'makes a temporary file in an unknown place');
}

function opensLog(judge: Judging, call: Call): void {
  const file = argument(call, call.keywords.some(({ arg }) => arg === 'filename') ? -1 : 0, 'filename');
  const mode = argument(call, 1, 'mode', 'filemode');
  if (file) openAs(judge, call, file, mode ?? { nodeType: 'Constant', value: 'a', lineno: 1, col_offset: 0 });
}

/** numpy adds an ending to a file name without one. */
function savesArray(judge: Judging, call: Call, name: string): void {
  const file = argument(call, 0, 'file', 'fname');
  const ending = { 'numpy.save': '.npy', 'numpy.savetxt': '' }[name] ?? '.npz';
  if (spreads(call) || ending === '' || (file && isHandle(judge.values, file))) return judge.write(call, file);
  for (const path of judge.paths(file))
    judge.note(call, { kind: 'write', path: path === UNKNOWN || path.endsWith(ending) ? path : path + ending });
}

function all(names: string, judge: JudgeCall): [string, JudgeCall][] {
  return names.split(/\s+/).map((name) => [name, judge]);
}

/** Functions of modules and builtins that have an effect, by their full names. */
export const CALLS: ReadonlyMap<string, JudgeCall> = new Map([
  ...all(
    'builtins.open io.open codecs.open gzip.open bz2.open lzma.open zipfile.ZipFile tarfile.open tarfile.TarFile gzip.GzipFile',
    judgeOpen(1),
  ),
  ...all('os.getenv os.environ.get', () => undefined),
  ['builtins.help', judgeHelp],
  ...all('builtins.exec builtins.eval', runsText),
  ...all('builtins.compile', (judge, call) => judge.unknown(call, 'compiles text', true)),
  ...all('builtins.__import__ importlib.import_module', imports),
  ...all('builtins.getattr', getsAttribute),
  ...all(
    'builtins.setattr builtins.delattr builtins.globals builtins.locals builtins.vars builtins.breakpoint builtins.__builtins__ operator.attrgetter operator.methodcaller',
    reflects,
  ),
  ...all('os.remove os.unlink posix.remove posix.unlink', deletes('rm')),
  ...all('os.rmdir os.removedirs', deletes('rmdir')),
  ...all('shutil.rmtree', deletes('rm -rf')),
  ...all('os.rename os.replace os.renames shutil.move', likeProgram('mv -f 0 1', SOURCE, TARGET)),
  ...all('shutil.copy shutil.copy2 shutil.copyfile', likeProgram('cp 0 1', SOURCE, TARGET)),
  ...all('shutil.copytree', likeProgram('cp -r 0 1', SOURCE, TARGET)),
  ...all('shutil.copymode shutil.copystat', unknown('changes permissions')),
  ...all('os.truncate', likeProgram('truncate -s 0 0', ['path'])),
  ...all('os.chmod', changesMode),
  ...all('os.mkdir os.makedirs', makesDirectory),
  ...all('os.chown os.lchown shutil.chown os.lchmod os.fchmod os.fchown', destructive('changes permissions')),
  ...all('os.link os.symlink', unknown('makes a link')),
  ...all('os.kill os.killpg', kills),
  ...all('os.fork os.forkpty', unknown('starts a copy of itself')),
  ...all('os.chdir os.fchdir', nothing),
  ...all('os.open', (judge, call) => {
    const [, flags] = call.args;
    if (flags && judge.values.references.exactly(flags) === 'os.O_RDONLY') reads(judge, call, call.args[0]);
    else judge.write(call, call.args[0]);
  }),
  ...all('os.system os.popen subprocess.getoutput subprocess.getstatusoutput commands.getoutput', judgeShellText),
  ...all(
    'subprocess.run subprocess.call subprocess.Popen subprocess.check_call subprocess.check_output asyncio.create_subprocess_shell',
    judgeProcess,
  ),
  ...all(
    'os.execl os.execlp os.execle os.execlpe os.execv os.execvp os.execve os.execvpe os.spawnl os.spawnlp os.spawnv os.spawnvp os.spawnle os.spawnve os.posix_spawn os.posix_spawnp pty.spawn asyncio.create_subprocess_exec',
    judgeReplacement,
  ),
  ...all('requests.get requests.head requests.options urllib.request.urlopen', asks),
  ...all('requests.delete httpx.delete', (judge, call) =>
    judge.note(call, { kind: 'destructive', rule: 'HTTP DELETE', reason: 'asks a server to delete' }),
  ),
  ...all('urllib.request.urlretrieve', (judge, call) => {
    judge.write(call, argument(call, 1, 'filename'));
    if (!judge.values.text(call.args[0])?.startsWith('http')) judge.unknown(call, 'sends a request with unknown parts');
  }),
  ...all('logging.basicConfig logging.FileHandler', opensLog),
  ...all(
    'tempfile.mkdtemp tempfile.mktemp tempfile.mkstemp tempfile.NamedTemporaryFile tempfile.TemporaryDirectory tempfile.TemporaryFile tempfile.SpooledTemporaryFile',
    makesTemporary,
  ),
  ...all('matplotlib.use', (judge, call) => {
    if (!/^\w+$/.test(judge.values.text(call.args[0]) ?? '')) judge.unknown(call, 'loads an unknown backend');
  }),
  ...all('numpy.save numpy.savez numpy.savez_compressed numpy.savetxt', savesArray),
  ...all('unittest.main', (judge, call) => {
    const odd = call.args.some((arg) => judge.values.text(arg) !== '__main__');
    if (odd || call.keywords.some(({ arg }) => !/^(verbosity|exit|failfast|buffer|warnings|argv)$/.test(arg ?? '')))
      judge.unknown(call, 'imports a module by its name in a text');
  }),
  ...all('numpy.load', (judge, call) => {
    if (spreads(call) || call.args.length > 1 || call.keywords.some(({ arg }) => arg === 'allow_pickle'))
      judge.unknown(call, 'loads objects from a file');
    else readsTable(judge, call);
  }),
  ...all(
    'numpy.loadtxt numpy.genfromtxt pandas.read_csv pandas.read_json pandas.read_excel pandas.read_parquet pandas.read_table pandas.read_fwf pandas.read_feather pandas.read_orc',
    readsTable,
  ),
  ...all('yaml.load yaml.load_all', (judge, call) => {
    const loader = argument(call, 1, 'Loader');
    if (!loader || !/^yaml\.(Safe|CSafe|Base)Loader$/.test(judge.values.references.exactly(loader) ?? ''))
      judge.unknown(call, 'loads objects from a text');
  }),
  ...all('fileinput.input fileinput.FileInput', (judge, call) => {
    if (call.keywords.some(({ arg }) => arg === 'inplace'))
      judge.note(call, { kind: 'destructive', rule: 'python code', reason: 'python: edits files in place' });
  }),
]);

/** Methods that do harm on objects of some class. They count on every object. */
export const METHODS: ReadonlyMap<string, (judge: Judging, call: Call, node: NodeOf<'Attribute'>) => void> = new Map<
  string,
  (judge: Judging, call: Call, node: NodeOf<'Attribute'>) => void
>([
  ['write_text', (judge, call, node) => judge.write(call, node.value)],
  ['read_text', (judge, call, node) => reads(judge, call, node.value)],
  ['read_bytes', (judge, call, node) => reads(judge, call, node.value)],
  ['write_bytes', (judge, call, node) => judge.write(call, node.value)],
  ['open', opens],
  ['unlink', (judge, call, node) => remove(judge, call, node.value, 'rm')],
  ['rmdir', (judge, call, node) => remove(judge, call, node.value, 'rmdir')],
  ['rmtree', (judge, call, node) => remove(judge, call, node.value, 'rm -rf')],
  ['rename', renames],
  ['replace', renames],
  ['symlink_to', (judge, call) => judge.unknown(call, 'makes a link')],
  ['hardlink_to', (judge, call) => judge.unknown(call, 'makes a link')],
  ['chmod', (judge, call) => judge.unknown(call, 'changes permissions')],
  ['lchmod', (judge, call) => judge.unknown(call, 'changes permissions')],
  [
    'truncate',
    (judge, call) => {
      // A table's `truncate` has keyword arguments.
      if (call.keywords.length === 0) judge.unknown(call, 'truncates a file');
    },
  ],
  ['delete', deletesRecords],
  ['kill', endsProcess],
  ['terminate', endsProcess],
  ['send_signal', endsProcess],
  ...['execute', 'executescript', 'executemany', 'query', 'exec_driver_sql'].map(
    (name): [string, (judge: Judging, call: Call) => void] => [name, runsSql],
  ),
]);

/** `path.open(mode)`; `archive.open(name, mode)`. */
function opens(judge: Judging, call: Call, node: NodeOf<'Attribute'>): void {
  if (spreads(call)) return judge.unknown(call, 'opens an unknown file');
  const mode = argument(call, 0, 'mode');
  const inArchive =
    judge.importedNames.has('zipfile') && mode && !/^[rwaxbt+]{1,3}$/.test(judge.values.text(mode) ?? '');
  openAs(judge, call, node.value, inArchive ? argument(call, 1, 'mode') : mode);
}

/** `path.rename(target)`; a text's `replace` has two arguments, a table's and a date's have keywords. */
function renames(judge: Judging, call: Call, node: NodeOf<'Attribute'>): void {
  const [target, ...others] = call.args;
  if (!target || others.length > 0 || call.keywords.length > 0 || target.nodeType === 'Dict') return;
  for (const path of judge.paths(node.value))
    judge.program(call, ['mv', '-f', path, judge.paths(target)[0] ?? UNKNOWN]);
}

/** Ends a child of the code itself: no listed module returns processes of other programs. */
function endsProcess(judge: Judging, call: Call): void {
  if (judge.importedNames.has('psutil')) destructive('ends a process')(judge, call, '');
}

/** `Model.objects.filter(…).delete()`. */
function deletesRecords(judge: Judging, call: Call, node: NodeOf<'Attribute'>): void {
  for (let at: Expr = node.value; at.nodeType === 'Attribute' || at.nodeType === 'Call'; ) {
    if (at.nodeType === 'Attribute' && at.attr === 'objects') return destructive('deletes records')(judge, call, '');
    at = at.nodeType === 'Attribute' ? at.value : at.func;
  }
}

function runsSql(judge: Judging, call: Call): void {
  const text = call.args[0] ? judge.values.text(call.args[0]) : undefined;
  if (text !== undefined) judge.note(call, { kind: 'sql', text });
}
