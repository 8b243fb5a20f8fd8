import { isCredential } from '../../knowledge/credential-files.ts';
import { runCode } from '../programs/code.ts';
import { overwrite } from '../programs/paths.ts';
import { type Machine, plain } from '../shell/machine.ts';
import { UNKNOWN } from '../shell/taint.ts';
import { destructive, harmless, unknown, worse } from '../verdict.ts';
import { LANGUAGES, type Language } from './languages.ts';
import { isPure } from './pure.ts';
import { type PythonRun, readPython } from './python/judge.ts';
import { type Skeleton, skeleton } from './skeleton.ts';
import { judgeSql } from './sql.ts';

const MAX_CODE_CHARS = 100_000;

/** A loop whose condition never changes, in code that names no way out of one. */
function runsOn(source: string): boolean {
  if (/\bfork\b\s*(?:\(\s*\)\s*)?while\s+(1|true)\b/.test(source)) return true;
  if (!/\b(while|for|loop|until)\b/.test(source)) return false;
  const endless =
    /\bwhile[\s(!]*(1|[Tt]rue)\b|\bfor\s*\(\s*;\s*;\s*\)|\bloop\s*(do|\{)|\bitertools\.(count|repeat|cycle)\b/.test(
      source,
    );
  return endless && !/\b(break|exit|return|last|die|raise|throw|quit|_exit|yield)\b/.test(source);
}

/** What shows whatever the language: loops without end, what is given away, the shell's lines of IPython. */
function noteAtOnce(machine: Machine, program: string, source: string): void {
  if (runsOn(source))
    machine.note(
      /\bfork\b/.test(source)
        ? destructive('fork bomb', 'starts processes without end')
        : unknown(`${program} code: a loop without end`),
    );
  if (CONNECTS.test(source) && HANDS_OVER.test(source))
    machine.note(destructive('curl | sh', 'gives a shell to the network'));
  machine.sends ||= SENDS.test(source);
  machine.namesCredential ||= textsOf(source).some(isCredential);
  if (program !== 'python') return;
  for (const [, line = ''] of source.matchAll(/^[^\S\n]*!(.+)$/gm)) runCode(machine, line);
}

/**
 * Reads source code for calls that delete, overwrite or run something, and notes what it finds. Code in which nothing
 * is found stays unknown, since such languages can hide anything, unless every call in it is on a list of harmless ones.
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

/** `exec(base64.b64decode("…"))`: the decoded text where it is there to be read, else code nobody can see. */
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

/** `x["name"]` → `x.name`, `__import__("os")` → `os`, `require("fs")` stays. */
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

/** `import os as o; o.remove(…)`: names stand for what they were imported from. */
function unalias(code: string): string {
  let out = code;
  let left = 20;
  for (const [, module = '', alias = ''] of code.matchAll(/\bimport\s+([\w.]+)\s+as\s+(\w+)/g)) {
    if (--left > 0 && alias !== module) out = out.replace(new RegExp(`\\b${alias}\\s*\\.`, 'g'), `${module}.`);
  }
  return out;
}

/** Variables that are given one text: `c = "rm x"`, `$c = "rm x"`, `const c = "rm x"`. */
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
        machine.note(unknown('runs a command that is not known', { unresolved: true }));
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

/** `#{x}` and `$x` in a string that a shell will read. */
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
        // Perl: the mode stands before the file, or in one string with it.
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

/** Calls by which code gives something to another machine, in the languages that one-liners are written in. */
const SENDS =
  /\.\s*request\s*\(|\b(requests|httpx|session|client|axios|got|http|https)\s*\.\s*(post|put|patch|request)\b|\burlopen\s*\([^()]*,|\.\s*send(all|to|mail|_message)?\s*\(|\bfetch\s*\([\s\S]{0,300}?\b(method|body)\b|Net::HTTP|\bpost_form\b|->\s*(post|put|request)\b|\bcurl_(exec|setopt)\b|file_get_contents\s*\(\s*["']https?:|\bfsockopen\b|TCPSocket|IO::Socket|\b(ftplib|smtplib|paramiko|http\.client)\b|\.\s*(storbinary|upload\w*|put_object)\s*\(/;

const CONNECTS =
  /\bsocket\b|TCPSocket|fsockopen|\bnet\b["'`]?\)?\s*\.\s*(connect|createConnection|Socket)|\/inet\d?\/(tcp|udp)|IO::Socket|\bsockaddr_in\b/;
/** A shell that is given what came in, or whose output goes out. */
const HANDS_OVER =
  /\bdup2\s*\(|["'`](\/(usr\/)?bin\/)?(ba|da|z|k|tc|c)?sh( -i)?["'`]|\bsh -i\b|["'`](cmd|powershell)(\.exe)?["'`]/;

/** The words of the texts in quotes. */
function textsOf(source: string): readonly string[] {
  return [...source.matchAll(/(["'`])((?:(?!\1)[^\\\n])*)\1/g)].flatMap(([, , text = '']) => text.split(/\s+/));
}
