import { isCredential } from '../../knowledge/credential-files.ts';
import { pattern } from '../../text/pattern.ts';
import { runCode } from '../programs/code.ts';
import { overwrite } from '../programs/paths.ts';
import { type Machine, plain } from '../shell/machine.ts';
import { UNKNOWN } from '../shell/taint.ts';
import { destructive, harmless, unknown, worse } from '../verdict.ts';
import { type Comments, isPure, type Skeleton, skeleton } from './pure.ts';
import { type PythonRun, readPython } from './python/judge.ts';
import { judgeSql } from './sql.ts';

const MAX_CODE_CHARS = 100_000;

/** Returns whether the code has a loop whose condition never changes and no statement that leaves it. */
function runsOn(source: string): boolean {
  if (/\bfork\b\s*(?:\(\s*\)\s*)?while\s+(1|true)\b/.test(source)) return true;
  if (!/\b(while|for|loop|until)\b/.test(source)) return false;
  const endless =
    /\bwhile[\s(!]*(1|[Tt]rue)\b|\bfor\s*\(\s*;\s*;\s*\)|\bloop\s*(do|\{)|\bitertools\.(count|repeat|cycle)\b/.test(
      source,
    );
  return endless && !/\b(break|exit|return|last|die|raise|throw|quit|_exit|yield)\b/.test(source);
}

/** Notes effects that are visible in any language: endless loops, data that is sent, and shell lines of IPython. */
function noteAtOnce(machine: Machine, program: string, source: string): void {
  if (runsOn(source))
    machine.note(
      /\bfork\b/.test(source)
        ? destructive('fork bomb', 'starts processes endlessly')
        : unknown(`${program} code: an endless loop`),
    );
  if (CONNECTS.test(source) && HANDS_OVER.test(source))
    machine.note(destructive('curl | sh', 'opens a shell to the network'));
  machine.sends ||= SENDS.test(source);
  machine.namesCredential ||= textsOf(source).some(isCredential);
  if (program !== 'python') return;
  for (const [, line = ''] of source.matchAll(/^[^\S\n]*!(.+)$/gm)) runCode(machine, line);
}

/**
 * Reads source code for calls that delete, overwrite or run something, and notes them. Code without findings stays
 * unknown, since such languages can hide anything, unless every call in it is on a list of harmless ones.
 */
export function readCode(machine: Machine, program: string, source: string, run: PythonRun = {}, depth = 0): void {
  noteAtOnce(machine, program, source);
  if (program === 'python' && readPython(machine, source, run)) return;
  const language = LANGUAGES[program];
  if (!language) {
    machine.note(unknown(`${program} code`));
    return;
  }
  if (source.length > MAX_CODE_CHARS || depth > 4) {
    machine.note(unknown(`${program} code beyond the limits`, { unresolved: true }));
    return;
  }
  const parts = skeleton(source, language.comments, language.backtickRuns === true);
  const read = { ...parts, code: unalias(members(parts)) };
  const rule = `${program} code`;
  const loss = language.losses.find(([pattern]) => pattern.test(read.code));
  if (loss) {
    machine.note(destructive(rule, `${program}: ${loss[1]}`));
    return;
  }
  if (isPure(program, source, read)) {
    machine.note(harmless('code that only computes, reads and prints'));
    return;
  }
  machine.note(unknown(`${program} code`));
  for (const found of read.code.matchAll(/\bmethod\s*[:=]\s*"(\d+)"/g)) {
    if (/^delete$/i.test(textOf(read, found[1]))) machine.note(destructive('HTTP DELETE', 'asks a server to delete'));
  }
  readNames(machine, language, read, rule);
  readShell(machine, language, read);
  for (const [, text = ''] of matchesOf(source, language.rawShell)) runCode(machine, text);
  readWrites(machine, language, read);
  for (const [, text] of matchesOf(read.code, language.sql)) {
    const verdict = judgeSql(textOf(read, text));
    if (verdict.verdict === 'destructive') machine.note(verdict);
  }
  for (const [, text, name] of matchesOf(read.code, language.evaluates)) {
    if (text !== undefined) readCode(machine, program, textOf(read, text), {}, depth + 1);
    else if (name !== undefined) readEvaluated(machine, program, read, depth);
  }
}

function matchesOf(code: string, pattern: RegExp | undefined): Iterable<RegExpExecArray> {
  return pattern ? code.matchAll(pattern) : [];
}

/** `exec(base64.b64decode("…"))`: judges the decoded text where it is in the source, else unreadable code. */
function readEvaluated(machine: Machine, program: string, read: Skeleton, depth: number): void {
  const decoded =
    /b64decode\s*\(\s*b?"(\d+)"|atob\s*\(\s*"(\d+)"|base64_decode\s*\(\s*"(\d+)"|decode64\s*\(\s*"(\d+)"|fromhex\s*\(\s*"(\d+)"/.exec(
      read.code,
    );
  const index = decoded?.slice(1).find((value) => value !== undefined);
  if (index !== undefined) {
    const encoding = decoded?.[5] === undefined ? 'base64' : 'hex';
    readCode(machine, program, Buffer.from(textOf(read, index), encoding).toString('utf8'), {}, depth + 1);
    machine.note(destructive('decoded code', 'runs decoded code'));
  } else machine.note(destructive('unresolved code', 'runs text as code'));
}

function textOf(read: Skeleton, index: string | undefined): string {
  return read.strings[Number(index)] ?? '';
}

/** Rewrites element access as members: `x["name"]` to `x.name`, `__import__("os")` to `os`; `require("fs")` stays. */
function members(read: Skeleton): string {
  const name = (index: string) => textOf(read, index);
  return read.code
    .replace(/(?<=[\w)\]])\s*\[\s*"(\d+)"\s*\](?=\s*\()/g, (whole, index: string) =>
      /^\w+$/.test(name(index)) ? `.${name(index)}` : whole,
    )
    .replace(/(?:__import__|importlib\.import_module|import_module)\s*\(\s*"(\d+)"\s*\)/g, (whole, index: string) =>
      /^[\w.]+$/.test(name(index)) ? name(index) : whole,
    )
    .replace(/\bgetattr\s*\(\s*([\w.]+)\s*,\s*"(\d+)"\s*\)/g, (whole, object: string, index: string) =>
      /^\w+$/.test(name(index)) ? `${object}.${name(index)}` : whole,
    )
    .replace(
      /\.(?:send|public_send|__send__)\s*\(\s*(?::(\w+)|"(\d+)")\s*,?/g,
      (_, symbol: string | undefined, index: string | undefined) => `.${symbol ?? name(index ?? '')}(`,
    );
}

/** `import os as o; o.remove(…)`: replaces names by what they were imported from. */
function unalias(code: string): string {
  let out = code;
  let left = 20;
  for (const [, module = '', alias = ''] of code.matchAll(/\bimport\s+([\w.]+)\s+as\s+(\w+)/g)) {
    if (--left > 0 && alias !== module) out = out.replace(new RegExp(`\\b${alias}\\s*\\.`, 'g'), `${module}.`);
  }
  return out;
}

/** Returns variables with a single text: `c = "rm x"`, `$c = "rm x"`, `const c = "rm x"`. */
function constants(read: Skeleton): ReadonlyMap<string, string> {
  const out = new Map<string, string>();
  for (const [, name = '', index] of read.code.matchAll(/(?<![\w.$@])[$@]?(\w+)\s*=\s*[frb]?"(\d+)"(?!\s*[.+%])/g)) {
    if (out.size < 200) out.set(name, textOf(read, index));
  }
  return out;
}

const DECODES =
  /b64decode|decode_base64|decode64|fromhex|unhexlify|atob\s*\(|base64_decode|Buffer\s*\.\s*from|\bpack\b|unpack1?\b|rot13|codecs\s*\.|\bchr\s*\(|fromCharCode|hex2bin|zlib|gzinflate/;

function readNames(machine: Machine, language: Language, read: Skeleton, rule: string): void {
  const { dangerousNames, reflection } = language;
  if (!dangerousNames || !reflection?.test(read.code)) return;
  if (read.strings.some((text) => dangerousNames.test(text))) {
    machine.note(destructive(rule, 'calls something that deletes or runs commands by a name in a string'));
  }
}

function readShell(machine: Machine, language: Language, read: Skeleton): void {
  const known = constants(read);
  for (const found of read.code.matchAll(/`(\d+)`/g)) runCode(machine, interpolated(textOf(read, found[1])));
  for (const found of language.shell ? read.code.matchAll(language.shell) : []) {
    const after = read.code.slice(found.index + found[0].length);
    const text = /^"(\d+)"\s*([.+%]|,)?/.exec(after);
    if (text) runCode(machine, interpolated(textOf(read, text[1])) + (text[2] && text[2] !== ',' ? UNKNOWN : ''));
    else {
      const variable = /^\s*[$@]?(\w+)\s*[),;}\s]/.exec(`${after};`)?.[1];
      const value = variable === undefined ? undefined : known.get(variable);
      if (value !== undefined) runCode(machine, interpolated(value));
      else if (DECODES.test(read.code)) machine.note(destructive('decoded code', 'runs decoded text as a command'));
      else if (!/^\s*\[/.test(after) && !/^\s*\)/.test(after)) {
        machine.note(unknown('runs an unknown command', { unresolved: true }));
      }
    }
  }
  for (const found of language.spawn ? read.code.matchAll(language.spawn) : []) {
    const list =
      (found[1] ?? '').split(/\b(?:stdout|stderr|check|capture_output|text|cwd|env|stdio|encoding)\b/)[0] ?? '';
    const words = [...list.matchAll(/"(\d+)"|(?<=[,[(]\s*)[A-Za-z_$]\w*/g)].map((word) =>
      word[1] === undefined ? UNKNOWN : textOf(read, word[1]),
    );
    const first = words[0];
    if (first !== undefined && !(words.length === 1 && /\s/.test(first)))
      machine.runFields(words.map(plain), { stdin: '' });
  }
}

/** Resolves `#{x}` and `$x` in a string that a shell will read. */
function interpolated(text: string): string {
  return text.replace(/#\{[^}]*\}|\{\w*\}/g, UNKNOWN);
}

function readWrites(machine: Machine, language: Language, read: Skeleton): void {
  for (const pattern of language.writes ?? []) {
    for (const found of read.code.matchAll(pattern)) {
      const second = found[2] === undefined ? undefined : textOf(read, found[2]);
      let path = found[1] === undefined ? UNKNOWN : textOf(read, found[1]);
      let mode = second;
      if (/^open/.test(found[0]) && /^\s*[+]?[<>|]/.test(path)) {
        // In Perl the mode precedes the file, or is in one string with it.
        mode = /^\s*\+?>(?!>)/.test(path) ? 'w' : 'r';
        path = second ?? path.replace(/^\s*\+?[<>|]+\s*/, '');
      }
      if (mode !== undefined && !/^[wx>]|w/.test(mode)) continue;
      if (mode?.startsWith('x')) continue;
      const tail = read.code.slice(found.index, found.index + 200);
      if (/FILE_APPEND|\bflag\s*:/.test(tail) || /flags\s*:\s*"\d+"/.test(tail)) continue;
      machine.note(
        worse(unknown('writes a file'), overwrite(machine, path, 'code over a file', 'empties an existing file')),
      );
    }
  }
}

/** Calls by which code sends something to another machine, in the languages of one-liners. */
const SENDS = pattern(String.raw`
    \.\s*request\s*\(|\b(requests|httpx|session|client|axios|got|http|https)\s*\.\s*(post|put|patch|request)\b
    |\burlopen\s*\([^()]*,|\.\s*send(all|to|mail|_message)?\s*\(|\bfetch\s*\([\s\S]{0,300}?\b(method|body)\b
    |Net::HTTP|\bpost_form\b|->\s*(post|put|request)\b|\bcurl_(exec|setopt)\b
    |file_get_contents\s*\(\s*["']https?:|\bfsockopen\b|TCPSocket|IO::Socket|\b(ftplib|smtplib|paramiko
    |http\.client)\b|\.\s*(storbinary|upload\w*|put_object)\s*\(
  `);

const CONNECTS =
  /\bsocket\b|TCPSocket|fsockopen|\bnet\b["'`]?\)?\s*\.\s*(connect|createConnection|Socket)|\/inet\d?\/(tcp|udp)|IO::Socket|\bsockaddr_in\b/;
/** Signs that a shell is connected to the network, by its input or its output. */
const HANDS_OVER =
  /\bdup2\s*\(|["'`](\/(usr\/)?bin\/)?(ba|da|z|k|tc|c)?sh( -i)?["'`]|\bsh -i\b|["'`](cmd|powershell)(\.exe)?["'`]/;

/** Returns the words in quoted texts. */
function textsOf(source: string): readonly string[] {
  return [...source.matchAll(/(["'`])((?:(?!\1)[^\\\n])*)\1/g)].flatMap(([, , text = '']) => text.split(/\s+/));
}

/** How to find calls in a language's source that would delete, overwrite, or run something. */
type Language = {
  readonly comments: Comments;
  /** Whether backticks run a shell command. */
  readonly backtickRuns?: boolean;
  /** Calls that delete, kill or overwrite, on the code without strings. */
  readonly losses: readonly (readonly [RegExp, string])[];
  /** Calls whose first string is a shell command; the pattern ends before the argument. */
  readonly shell?: RegExp;
  /** Commands without quotes in the source; captures their text. */
  readonly rawShell?: RegExp;
  /** Calls whose strings are the words of a command. */
  readonly spawn?: RegExp;
  /** Calls that open a file for writing: captures the path's string index where it is a string. */
  readonly writes?: readonly RegExp[];
  /** Running text as code of the same language; captures the string index where it is a string. */
  readonly evaluates?: RegExp;
  /** Matches calls whose string is SQL. */
  readonly sql?: RegExp;
  /** Names in strings that are calls in disguise. */
  readonly dangerousNames?: RegExp;
  /** Functions that call something by such a name: `getattr`, `call_user_func`, `send`. */
  readonly reflection?: RegExp;
};

const SQL_CALL =
  /\b(?:execute|executescript|executemany|query|exec_driver_sql|raw|unsafe|\$executeRawUnsafe|do|prepare|mysqli_query|pg_query|run)\s*\(\s*(?:\w+\s*,\s*|\$\w+\s*,\s*)?(?:text\s*\(\s*|[fr])?"(\d+)"/g;

const PYTHON: Language = {
  comments: 'hash',
  losses: [
    [
      /\bos\s*\.\s*(remove|unlink|rmdir|removedirs|truncate|ftruncate|replace|kill|killpg)\s*\(/,
      'deletes, replaces or kills',
    ],
    [/\bshutil\s*\.\s*rmtree\b/, 'deletes a directory tree'],
    [/(?<![.\w])(rmtree|unlink|rmdir|removedirs|send2trash)\s*\(/, 'deletes files'],
    [
      /\bfrom\s+(os|shutil)\s+import\b[^\n]*\b(remove|unlink|rmtree|rmdir|removedirs|replace|kill|truncate)\b/,
      'deletes files',
    ],
    [/\.\s*(unlink|rmdir|rmtree)\s*\(/, 'deletes files'],
    [/\bmap\s*\(\s*os\.(remove|unlink|rmdir)/, 'deletes files'],
    [/\.\s*truncate\s*\(\s*\d*\s*\)/, 'truncates a file'],
    [/\b(requests|httpx|session|client)\s*\.\s*delete\s*\(/, 'asks a server to delete'],
    [/\.\s*(delete|terminate|purge|destroy|deregister|revoke)_\w+\s*\(/, 'deletes through a service’s API'],
    [
      /\.\s*drop_(table|database|collection|all|schema|index|constraint|column)\s*\(|\.\s*(dropDatabase|flushall|flushdb|delete_many|delete_one|drop_collection)\s*\(/,
      'deletes data',
    ],
    [/\.objects\b[^\n;]*\.\s*delete\s*\(/, 'deletes records'],
    [/\.\s*(kill|terminate)\s*\(\s*\)/, 'ends a process'],
    [/\.\s*os\s*\.\s*(remove|unlink|rmdir|system)\b/, 'deletes files'],
    [/fileinput\.(input|FileInput)\s*\([^)]*inplace\s*=\s*(True|1)/, 'edits files in place'],
    [/\bos\.chmod\s*\([^)]*0?o?777|\bos\.(chown|lchown)\s*\(/, 'changes permissions'],
  ],
  shell: pattern(
    String.raw`
      \b(?:os\s*\.\s*(?:system|popen)|commands\.getoutput|subprocess\s*\.\s*(?:run|call|Popen|check_call
      |check_output|getoutput|getstatusoutput)|(?<![.\w])(?:system|popen|Popen|check_output|check_call)
      |create_subprocess_shell|pty\.spawn)\s*\(\s*(?:args\s*=\s*)?[frb]?
    `,
    'g',
  ),
  spawn: pattern(
    String.raw`
      \b(?:subprocess\s*\.\s*(?:run|call|Popen|check_call|check_output)|(?<![.\w])(?:Popen|check_output
      |check_call|run)|pty\.spawn|os\.(?:exec[lv]p?e?|spawn[lv]p?e?|posix_spawnp?)
      |create_subprocess_exec)\s*\(\s*([^)]*)\)
    `,
    'g',
  ),
  writes: [
    /\bopen\s*\(\s*(?:[fr]?"(\d+)"|[\w.[\]()]+)\s*,\s*(?:mode\s*=\s*)?"(\d+)"/g,
    /\b(?:os\s*\.\s*rename|shutil\s*\.\s*(?:move|copy|copy2|copyfile))\s*\([^,()]*,\s*[fr]?"(\d+)"/g,
    /(?:\bPath\s*\(\s*[fr]?"(\d+)"\s*\)|[\w)\]])\s*\.\s*write_(?:text|bytes)\s*\(/g,
  ],
  evaluates: /(?<![.\w])(?:exec|eval|compile|runpy\.run_path|execfile)\s*\(\s*(?:"(\d+)"|([^)\s]))/g,
  sql: SQL_CALL,
  dangerousNames:
    /^(remove|unlink|rmtree|rmdir|removedirs|system|popen|kill|truncate|os|shutil|subprocess|check_output|call|Popen)$/,
  reflection: /\bgetattr\s*\(|__import__|import_module|__builtins__|__dict__|globals\s*\(\s*\)|methodcaller|attrgetter/,
};

const NODE: Language = {
  comments: 'slash',
  losses: [
    [
      /(?:\.|\b)(rmSync|unlinkSync|rmdirSync|truncateSync|ftruncateSync|emptyDirSync|removeSync|rimrafSync)\s*\(/,
      'deletes or empties files',
    ],
    [
      /\b(?:fs|fsp|fse|promises|fsPromises|Deno)\s*(?:\.\s*promises\s*)?\??\.\s*(rm|unlink|rmdir|truncate|remove|emptyDir|removeSync)\s*\(/,
      'deletes or empties files',
    ],
    [
      /\brequire\s*\(\s*"\d+"\s*\)\s*(?:\.\s*promises\s*)?\.\s*(rm|unlink|rmdir|truncate|remove|emptyDir)\s*\(/,
      'deletes or empties files',
    ],
    [/(?<![.\w])(rimraf|unlink|rmdir|del|trash)\s*\(/, 'deletes files'],
    [/\bimport\s*\(\s*"\d+"\s*\)[^;]{0,200}?\.\s*(rm|unlink|rmdir|truncate)\s*\(/, 'deletes or empties files'],
    [
      /\{[^{}]*\b(rm|unlink|rmdir|truncate|rmSync|unlinkSync)\b[^{}]*\}\s*(?:from|=)\s*(?:await\s+)?(?:import|require)?\s*\(?\s*"\d+"/,
      'deletes or empties files',
    ],
    [/\bprocess\s*\.\s*binding\s*\(\s*"\d+"\s*\)\s*\.\s*(unlink|rmdir|rename|ftruncate)\b/, 'deletes files'],
    [/\bprocess\s*\.\s*kill\s*\(/, 'kills a process'],
    [
      /\.\s*(dropDatabase|deleteMany|deleteOne|dropCollection|flushall|flushdb|dropTable|truncateTable)\s*\(|\.\s*drop\s*\(\s*\)/,
      'deletes data',
    ],
    [
      /\.\s*(findOneAndDelete|findOneAndReplace|replaceOne|updateMany|updateOne|bulkWrite|findAndModify|dropUser|dropRole|dropIndex|dropIndexes|shutdownServer|renameCollection|dropAllUsers)\s*\(/,
      'overwrites or deletes data',
    ],
    [/\bdb\s*\.\s*\w+(?:\s*\.\s*\w+\([^)]*\))?\s*\.\s*(remove|update|save)\s*\(/, 'overwrites or deletes data'],
    [/\baxios\s*\.\s*delete\s*\(/, 'asks a server to delete'],
    [/\b(?:Delete|Terminate|Purge)\w+Command\s*\(/, 'deletes through a service’s API'],
  ],
  shell:
    /(?:\b(?:exec|execSync)|\bchild_process\s*\.\s*(?:exec|execSync)|\)\s*\.\s*(?:exec|execSync)|\bexeca(?:\.command|Command)(?:Sync)?)\s*\(\s*/g,
  spawn: /(?:\b|\.\s*)(?:spawn|spawnSync|execFile|execFileSync|execa|Command)\s*\(\s*([^)]*)\)/g,
  writes: [
    pattern(
      String.raw`
      (?:\b|\.\s*)(?:writeFileSync|writeFile|createWriteStream|outputFile|outputFileSync|writeTextFile
      |writeTextFileSync|copyFileSync\s*\([^,]*,|copyFile\s*\([^,]*,|renameSync\s*\([^,]*,)\s*\(?\s*(?:"(\d+)"
      |[\w.$])
    `,
      'g',
    ),
  ],
  evaluates: /(?<![.\w])(?:eval|Function|runInThisContext|runInNewContext)\s*\(\s*(?:"(\d+)"|([^)\s]))/g,
  sql: SQL_CALL,
  dangerousNames: /^(rmSync|unlinkSync|rmdirSync|unlink|rm|rmdir|truncateSync|execSync|child_process|writeFileSync)$/,
  reflection: /\[\s*"\d+"\s*\]\s*\(|\[[^\]]*\]\s*\(/,
};

const PERL: Language = {
  comments: 'hash',
  backtickRuns: true,
  losses: [
    [
      /(?<![$@%{>\w-]|(?<!\b(?:map|grep|do|eval|sub)\s*)\{)(unlink|rmdir|rmtree|remove_tree|truncate)\b(?!\s*=>)/,
      'deletes or empties files',
    ],
    [/(?<![$@%{>\w-]|(?<!\b(?:map|grep|do|eval|sub)\s*)\{)kill\b(?!\s*=>)/, 'kills processes'],
    [/(?<![$@%{>\w-])(chmod\s+0?777|chown)\b/, 'changes permissions'],
    [/(?<![$@%{>\w-])rename\b\s*[\s(]/, 'renames over files'],
  ],
  shell: /(?<![$@%{>\w-])(?:system|exec|readpipe)\s*\(?\s*/g,
  spawn: /(?<![$@%{>\w-])(?:system|exec)\s*\(?([^;)]*)/g,
  writes: [/\bopen\s*\(?\s*(?:my\s+)?[$\w]+\s*,\s*"(\d+)"(?:\s*,\s*(?:"(\d+)"|[$\w]))?/g],
  evaluates: /(?<![$@%{>\w-])eval\s*\(?\s*(?:"(\d+)"|([^\s{"]))/g,
  sql: SQL_CALL,
};

const RUBY: Language = {
  comments: 'hash',
  backtickRuns: true,
  losses: [
    [/\b(?:File|Dir|Pathname|IO)\s*\.\s*(delete|unlink|rmdir|truncate|rename)\b/, 'deletes or replaces files'],
    [
      /\b(?:FileUtils|Fileutils)\s*\.\s*(rm|rm_r|rm_rf|rm_f|remove\w*|rmtree|rmdir|safe_unlink|mv|cp_r|copy_entry)\b/,
      'deletes or replaces files',
    ],
    [/(?<![.\w])(rm_rf|rm_r|rm_f|remove_entry\w*|remove_dir|rmtree)\b/, 'deletes files'],
    [/\.\s*(rmtree|unlink|rmdir)\b/, 'deletes files'],
    [/\bProcess\s*\.\s*kill\b/, 'kills a process'],
    [/\.\s*(delete_all|destroy_all|drop_table|drop_database|destroy!|truncate)\b/, 'deletes data'],
    [/\.each\s*\(?\s*&\s*File\.method\s*\(\s*:(delete|unlink)/, 'deletes files'],
  ],
  shell: /(?<![.\w])(?:Kernel\s*\.\s*)?(?:system|exec|spawn|IO\.popen|Open3\.\w+|popen)\s*\(?\s*/g,
  spawn: /(?<![.\w])(?:Kernel\s*\.\s*)?(?:system|exec|spawn|IO\.popen|Open3\.\w+)\s*\(?([^;)]*)/g,
  writes: [
    /\b(?:File|IO)\s*\.\s*(?:write|binwrite)\s*\(?\s*(?:"(\d+)"|\w)/g,
    /\b(?:File\s*\.\s*(?:open|new)|(?<![.\w])open)\s*\(?\s*(?:"(\d+)"|[\w.]+)\s*,\s*"(\d+)"/g,
  ],
  evaluates: /(?<![.\w])(?:eval|instance_eval|class_eval)\s*\(?\s*(?:"(\d+)"|([^\s{"]))/g,
  sql: SQL_CALL,
  dangerousNames: /^(system|exec|delete|unlink|rm_rf|rm)$/,
  reflection: /\.(?:send|public_send|__send__|method)\b|const_get/,
};

const PHP: Language = {
  comments: 'both',
  backtickRuns: true,
  losses: [
    [/(?<![$>:\w])(unlink|rmdir|ftruncate|rename|posix_kill|chown|chgrp)\s*\(/, 'deletes, replaces or kills'],
    [/(?<![$>:\w])chmod\s*\([^)]*0?777/, 'changes permissions'],
    [
      /->\s*(?:delete|forceDelete)\s*\(\s*\)|Storage::delete|File::delete|->deleteDirectory\s*\(|::truncate\s*\(\s*\)|->truncate\s*\(\s*\)|Schema::drop/,
      'deletes data',
    ],
  ],
  shell: /(?<![$>:\w])(?:system|exec|shell_exec|passthru|popen|proc_open|pcntl_exec)\s*\(\s*/g,
  writes: [/\bfile_put_contents\s*\(\s*(?:"(\d+)"|[$\w])/g, /\bfopen\s*\(\s*(?:"(\d+)"|[$\w]+)\s*,\s*"(\d+)"/g],
  evaluates: /(?<![$>:\w])(?:eval|assert|create_function)\s*\(\s*(?:"(\d+)"|([^)\s]))/g,
  sql: SQL_CALL,
  dangerousNames: /^(unlink|rmdir|system|exec|shell_exec|passthru)$/,
  reflection: /\barray_map\b|\bcall_user_func|\barray_walk\b|\$\w+\s*\(|"\d+"\s*\(/,
};

const LUA: Language = {
  comments: 'dash',
  losses: [
    [/\bos\s*\.\s*(remove|rename)\b/, 'deletes or replaces files'],
    [/\blfs\s*\.\s*rmdir\b/, 'deletes a directory'],
  ],
  shell: /\b(?:os\.execute|io\.popen)\s*\(?\s*/g,
  writes: [/\bio\.open\s*\(\s*(?:"(\d+)"|\w+)\s*,\s*"(\d+)"/g],
  evaluates: /\b(?:load|loadstring|dofile)\s*\(\s*(?:"(\d+)"|([^)\s]))/g,
};

const OTHER: Language = {
  comments: 'hash',
  losses: [
    [
      /\b(removeFile|removeDirectory\w*|removePathForcibly|removeItem|delete-file|delete-directory[\w/-]*)\b|\bfile\s*:\s*del\w*/,
      'deletes files',
    ],
    [
      /(?<![.$\w])(unlink|file\.remove|rm|file\.rename|file\s+delete|remove\.packages|deleteFile|removeFile|removeDirectory\w*|delete_file)\s*\(?\s*["\w(c]/,
      'deletes files',
    ],
    [/\bFile\s*\.\s*(rm|rm_rf|rmdir|rename)\b/, 'deletes files'],
    [/\.\s*(delete|deleteDir|deleteOnExit|deleteRecursively|deleteIfExists)\s*\(\s*\)/, 'deletes files'],
    [
      /\b(Remove-Item|Clear-Content|Clear-RecycleBin|Format-Volume|Stop-Process|Stop-Computer|Remove-\w+|Set-Content|Out-File)\b/i,
      'deletes or overwrites',
    ],
  ],
  shell: /(?<![.\w])(?:system|exec|run|shell|do\s+shell\s+script)\s*\(?\s*/g,
};

const TCL: Language = {
  comments: 'hash',
  losses: [[/\bfile\s+(delete|rename\s+-force)\b/, 'deletes files']],
  rawShell: /(?:^|[\n;[{])\s*(?:exec|spawn|system)\s+(?:--?\w*\s+)*([^\n;\]]+)/g,
};

const APPLE: Language = {
  comments: 'dash',
  losses: [
    [/\b(delete|empty\s+(the\s+)?trash|shut\s*down|restart|erase|quit|move)\b/i, 'deletes, stops or moves something'],
  ],
  shell: /\bdo\s+shell\s+script\s+/g,
};

const LISP: Language = {
  comments: 'semicolon',
  losses: [
    [
      /[('](delete-file|delete-directory|kill-process|signal-process|dired-delete-file|rename-file|kill-emacs-hook)\b/,
      'deletes files',
    ],
    [/\((write-region|write-file|save-buffer|save-some-buffers|append-to-file)\b/, 'overwrites files'],
  ],
  spawn: /\((?:call-process|start-process|process-file|process-lines)\s+([^)]*)/g,
  shell:
    /\((?:shell-command|shell-command-to-string|call-process-shell-command|async-shell-command|uiop:run-program)\s+/g,
};

/** The languages, by the program that runs them. */
const LANGUAGES: Readonly<Record<string, Language>> = {
  python: PYTHON,
  node: NODE,
  deno: NODE,
  bun: NODE,
  mongosh: NODE,
  perl: PERL,
  ruby: RUBY,
  php: PHP,
  lua: LUA,
  Rscript: OTHER,
  R: OTHER,
  julia: OTHER,
  tclsh: TCL,
  expect: TCL,
  wish: TCL,
  groovy: OTHER,
  osascript: APPLE,
  scala: OTHER,
  elixir: OTHER,
  swift: OTHER,
  ghc: OTHER,
  pwsh: OTHER,
  emacs: LISP,
  jshell: OTHER,
  erl: OTHER,
  racket: OTHER,
  sbcl: LISP,
  guile: LISP,
};
