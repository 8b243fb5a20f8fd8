import { isAbsolute } from 'node:path';
import { type ParsedScript, parse } from 'unbash';
import { pattern } from '../text/pattern.ts';
import { type FileContent, type FileLook, type Own, type ReadFile, Reading, readContent } from './files.ts';
import { CREDENTIAL_LEAVES, namesCredential } from './programs/credentials.ts';
import { dispatch } from './programs/dispatch.ts';
import { judgeAssignment, judgeDefinition } from './programs/environment.ts';
import { programName } from './programs/name.ts';
import { judgeRedirect } from './programs/outputs.ts';
import { absolute } from './programs/paths.ts';
import { ShellInterpreter } from './shell/interpreter.ts';
import {
  depthOf,
  type Field,
  type Io,
  MAX_COMMAND_CHARS,
  MAX_DEPTH,
  MAX_SEPARATORS,
  type Machine,
  plain,
  type Redirect,
} from './shell/machine.ts';
import { ENDLESS, escapeMarks } from './shell/taint.ts';
import { destructive, harmless, type StaticVerdict, type UserPattern, unknown, worse } from './verdict.ts';

export type JudgeOptions = {
  /** The directory in which the command would run; without it the file system is not read. */
  readonly cwd?: string;
  /** Looks at files (see `realFiles`). Without it every truncation counts as one of an existing file. */
  readonly files?: FileLook;
  /** The contents of the files that the command runs; without it none is read. */
  readonly reading?: Reading;
  readonly own?: Own;
  /** Directories and files of this program, absolute and with links resolved, which no model may change. */
  readonly ours?: readonly string[];
  /**
   * Whether the model that will read the output runs on this machine, so that showing it something sends nothing away.
   */
  readonly localModel?: boolean;
  /** The user’s own patterns, matched against the command as written. */
  readonly userPatterns?: readonly UserPattern[];
  /** Names of disabled rules. */
  readonly disabledRules?: readonly string[];
};

const NOTHING: ReadonlySet<string> = new Set();
/** Control characters that can make a line look like another. Replacement characters are tolerated. */
const ODD = /[\0-\x08\x0b-\x1f\x7f\u0080-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufffd]/;

/** Called for each call and each redirection of a command as they are found. */
export type Watcher = {
  /** A call begins; further calls that it makes come before its `end`. */
  call(fields: readonly Field[], io: Io, machine: Machine): void;
  end?(): void;
  assignment?(): void;
  redirect(redirect: Redirect): void;
};

/** Judges what a shell command would do, by reading it (SF-2). Never throws, runs nothing, calls no model. */
export function judgeCommand(command: string, options: JudgeOptions = {}, watcher?: Watcher): StaticVerdict {
  try {
    return judgeText(command, options, watcher);
  } catch {
    return judgeByPatterns(command, 'could not be parsed');
  }
}

/**
 * Judges writing to the file `path` like a redirection that appends to it; also used for tools that write files. `~` is
 * the home directory.
 */
export function judgeWrite(path: string, options: JudgeOptions): StaticVerdict {
  const home = options.files?.home;
  const place = home !== undefined && /^~(\/|$)/.test(path) ? home + path.slice(1) : path;
  return judgeCommand(`: >> ${quote(place)}`, { ...options, userPatterns: [] });
}

/** Returns the text as one word of the shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function judgeText(command: string, options: JudgeOptions, watcher: Watcher | undefined): StaticVerdict {
  const own = userVerdict(command, options.userPatterns);
  const tooMuch = beyondLimits(command);
  if (tooMuch) return worse(judgeByPatterns(command, tooMuch), own);
  const disabled = options.disabledRules?.length ? new Set(options.disabledRules) : NOTHING;
  const { reading } = options;
  const shell = new ShellInterpreter(
    {
      call(machine, fields, io, redirects) {
        watcher?.call(fields, io, machine);
        const accounted = reading?.accounted;
        const output = dispatch(machine, fields, io, redirects, disabled);
        if (reading && reading.accounted === accounted && !WRITES_NOTHING.test(programName(fields[0]?.text ?? '')))
          reading.mayWrite = true;
        watcher?.end?.();
        return output;
      },
      assignment(machine, name, value, exported) {
        watcher?.assignment?.();
        machine.note(judgeAssignment(machine, name, value, exported));
      },
      definition: (machine, name) => machine.note(judgeDefinition(name)),
      redirect(machine, redirect) {
        watcher?.redirect(redirect);
        if (/^<>?$/.test(redirect.operator))
          machine.namesCredential ||= namesCredential(machine, plain(redirect.target));
        if (reading && redirect.operator.includes('>')) noteTarget(machine, reading, redirect.target);
        machine.note(judgeRedirect(machine, redirect));
      },
    },
    { cwd: options.cwd, files: options.files, reading, own: options.own, ours: options.ours, source: command },
    disabled,
  );
  const script = parsed(escapeMarks(command));
  const printed = shell.runScript(script, { stdin: undefined });
  if (printed.includes(ENDLESS)) shell.note(unknown('prints endlessly'));
  if (shell.namesCredential && shell.sends) shell.note(CREDENTIAL_LEAVES);
  else if (shell.namesCredential && !options.localModel) shell.note(unknown('may show a credential to the model'));
  if (options.files?.ranOut())
    shell.note(destructive('unresolved code', 'names files that could not be checked in time', [0, command.length]));
  if (reading?.mayDiffer(new Set([...shell.scope.made, ...shell.changed]), shell.usedOwn))
    shell.note(unknown('runs a file that may have changed by then', { runsFiles: true }));
  const verdict = withFacts(worse(withReason(shell), own), shell, reading);
  if (verdict.verdict !== 'destructive' && script.errors?.length)
    return worse(verdict, judgeByPatterns(command, 'not valid shell syntax'));
  if (ODD.test(command)) return worse(verdict, unknown('control characters in the command', { unresolved: true }));
  return verdict;
}

/** Returns the verdict; the reason of a safe one says what it depends on. */
function withReason({ verdict, runsProject, usedOwn }: ShellInterpreter): StaticVerdict {
  if (verdict.verdict !== 'safe') return verdict;
  if (runsProject) return { ...verdict, reason: 'obeys unread files of this project' };
  return usedOwn.size > 0 ? { ...verdict, reason: 'changes only what this session made' } : verdict;
}

/** The last text that was parsed. */
let last: { readonly text: string; readonly script: ParsedScript } | undefined;

/** A command is judged several times in a row with more facts each time. The tree is never changed. */
function parsed(text: string): ParsedScript {
  if (last?.text !== text) last = { text, script: parse(text) };
  return last.script;
}

function withFacts(judged: StaticVerdict, shell: ShellInterpreter, reading: Reading | undefined): StaticVerdict {
  const { sendings } = shell;
  const credential = shell.namesCredential ? { credential: true } : {};
  const shown = { ...judged, ...credential, ...(shell.changesOurs ? { changesOurs: true as const } : {}) };
  const verdict = sendings.length > 0 ? { ...shown, sendings } : shown;
  if (!shell.files) return verdict;
  const writes = [...new Set([...shell.scope.made, ...shell.usedOwn, ...(reading?.targets ?? [])])].filter((path) =>
    isAbsolute(path),
  );
  const brings = [...shell.scope.links];
  return {
    ...verdict,
    basis: { reads: reading?.reads ?? [], own: [...shell.usedOwn], writes, ...(brings.length > 0 ? { brings } : {}) },
  };
}

/** Programs that write only to the files they name or to package stores, and wrappers of other programs. */
const WRITES_NOTHING = pattern(String.raw`
    ^(find|xargs|sort|sed|awk|jq|rg|egrep|fgrep|hash|source|\.|mkdir|chmod|rm|rmdir|kill|pkill|diff|cmp|seq
    |basename|dirname|realpath|md5sum|sha256sum|tree|nl|od|strings|pgrep|lsof|ss|netstat|read|local|return|shift
    |break|continue|declare|let|bc|cat|head|tail|ls|grep|echo|printf|true|false|test|\[|:|cd|pwd|sleep|wc|which
    |type|date|whoami|export|set|unset|timeout|time|nice|nohup|sudo|env|pip|apt|apt-get|exit|file|stat|ps|du|df
    |cut|tr|uniq|python|bash|sh)$
  `);

function noteTarget(machine: Machine, reading: Reading, target: string): void {
  const path = absolute(machine, target);
  if (path === undefined) reading.mayWrite ||= !/^(\d+-?|-)$/.test(target);
  else reading.targets.add(path);
}

function beyondLimits(command: string): string | undefined {
  if (command.length > MAX_COMMAND_CHARS) return 'longer than is looked at';
  if (depthOf(command) > MAX_DEPTH) return 'nested deeper than is looked at';
  if (command.length > MAX_SEPARATORS && separators(command) > MAX_SEPARATORS) return 'too many commands to be checked';
  return undefined;
}

function separators(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 59 || c === 38 || c === 124 || c === 96) count++;
  }
  return count;
}

function userVerdict(command: string, patterns: readonly UserPattern[] | undefined): StaticVerdict {
  let verdict = harmless();
  for (const { pattern, reason } of patterns ?? []) {
    const found = compile(pattern).exec(command);
    if (!found) continue;
    const part = [found.index, found.index + found[0].length] as const;
    verdict = worse(verdict, { ...destructive(`user: ${pattern}`, reason, part, 4), byUser: true });
  }
  return verdict;
}

/** A pattern that is not a valid regular expression is taken as plain text. */
function compile(pattern: string): RegExp {
  try {
    return new RegExp(pattern);
  } catch {
    return new RegExp(pattern.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  }
}

/** Patterns on raw text, for commands that can't be parsed or exceed the limits. Quoting is ignored: better alarm. */
const RAW: readonly (readonly [RegExp, string])[] = [
  [/\brm\s+(-\S+\s+)*-\w*[rR]/, 'rm -rf'],
  [/\brm\s+(-\S+\s+)*-\w*f/, 'rm -fr'],
  [/\b(rm|unlink|rmdir|shred)\s+\S/, 'rm'],
  [/\bfind\s[^\n]{0,400}-delete\b/, 'find -delete'],
  [/\bfind\s[^\n]{0,400}-exec(dir)?\s+\S*rm\b/, 'find -exec rm'],
  [/>\s*\/dev\/(sd|hd|vd|nvme|mmcblk|disk|mapper)/, 'write to raw disk'],
  [/\bdd\s[^\n]{0,400}\bof=\/dev\//, 'dd to device'],
  [/\bmkfs(\.\w+)?\s/, 'mkfs (format)'],
  [/\bwipefs\s/, 'wipefs'],
  [/\btruncate\s/, 'truncate to zero'],
  [/\bgit\s[^\n]{0,200}\bpush\s[^\n]{0,200}--force/, 'git push --force'],
  [/\bgit\s[^\n]{0,200}\bpush\s[^\n]{0,200}\s-\w*f\b/, 'git push -f'],
  [/\bgit\s[^\n]{0,200}\breset\s[^\n]{0,200}--hard/, 'git reset --hard'],
  [/\bgit\s[^\n]{0,200}\bclean\s[^\n]{0,200}-\w*f/, 'git clean -fd'],
  [/\bgit\s[^\n]{0,200}\bbranch\s[^\n]{0,200}-D\b/, 'git branch -D'],
  [/\bdrop\s+table\b/i, 'DROP TABLE'],
  [/\bdrop\s+(database|schema)\b/i, 'DROP DATABASE'],
  [/\btruncate\s+table\b/i, 'TRUNCATE TABLE'],
  [/\bkill\s+(-\S+\s+)*-(9|KILL|SIGKILL)\b/, 'kill -9'],
  [/\bp?killall?\s+(-\S+\s+)*-(9|KILL)\b|\bpkill\s/, 'pkill -9'],
  [/\bchmod\s+(-\S+\s+)*0?777\b/, 'chmod 777'],
  [/\bchown\s[^\n]{0,200}\s\/(\s|$)/, 'chown on root path'],
  [/\b(curl|wget)\b[^\n]{0,1000}\|\s*(sudo\s+)?(ba|z|da|k)?sh\b/, 'curl | sh'],
  [/\b(shutdown|reboot|poweroff|halt)\b/, 'shutdown'],
  [/(^|[^>=&\d-])>\|?\s*[\w./~"'$]/, 'truncating redirection'],
];

/** The longest raw text that is searched at each end; text between them can only make the verdict unknown. */
const WINDOW_CHARS = 400_000;

/** Returns the verdict on text that can't be parsed: destructive or unknown, never harmless. */
function judgeByPatterns(text: string, why: string): StaticVerdict {
  const start = text.length > 2 * WINDOW_CHARS ? text.length - WINDOW_CHARS : 0;
  const windows = start > 0 ? [text.slice(0, WINDOW_CHARS), text.slice(start)] : [text];
  let verdict = unknown(why, { unresolved: true });
  for (const [index, window] of windows.entries()) {
    for (const [pattern, rule] of RAW) {
      const found = pattern.exec(window);
      const at = (found?.index ?? 0) + (index === 1 ? start : 0);
      if (found) verdict = worse(verdict, destructive(rule, rule, [at, at + found[0].length]));
    }
  }
  return verdict;
}

/** The most rounds in which a judgement may ask for files: a script, and three levels of what it runs or imports. */
const MAX_ROUNDS = 5;
/** The most files that are read for one command. */
const MAX_FILES = 60;
/** The longest time spent waiting for files, in ms. */
const MAX_READING_MS = 1000;
/** A turn of the event loop counts as this much at most, in ms: other work is not the judgement's. */
const TICK_MS = 50;

type ReadingOptions = {
  /** Whether something else is running that may write at the same time: a missing file may soon exist. */
  readonly busy?: boolean;
  /** Milliseconds that may be spent waiting for files; 1000 by default. */
  readonly readingMs?: number;
  /** Reads a file; `readContent` by default. */
  readonly read?: ReadFile;
};

/**
 * Judges a shell command with the files that it runs (SF-11). The verdict's `basis` names the files. A file that could
 * not be read in time counts as destructive: no one can vouch for a text that exists but was not read. Runs nothing,
 * calls no model, never rejects.
 */
export async function judgeWithFiles(
  command: string,
  options: JudgeOptions,
  reads: ReadingOptions = {},
): Promise<StaticVerdict> {
  const [verdict, inTime] = await withFilesRead((reading) => judgeCommand(command, { ...options, reading }), reads);
  return inTime ? verdict : worse(verdict, unseen(command));
}

/** Judges again with the files that the last round asked for. Not `inTime`: some could not be read in time. */
export async function withFilesRead<T>(
  look: (reading: Reading) => T,
  { busy = false, readingMs = MAX_READING_MS, read = readContent }: ReadingOptions = {},
): Promise<readonly [found: T, inTime: boolean]> {
  const known = new Map<string, FileContent>();
  const patience = new Patience(readingMs);
  for (let round = 0; ; round++) {
    const reading = new Reading(known, busy);
    const found = look(reading);
    const wanted = [...reading.wanted].slice(0, MAX_FILES - known.size);
    if (wanted.length === 0 || round === MAX_ROUNDS) return [found, true];
    // Time spent judging does not count: the first judgement of a session is slow and would leave none for reading.
    const contents = await patience.wait(Promise.all(wanted.map(async (path) => [path, await read(path)] as const)));
    if (!contents) return [found, false];
    for (const [path, content] of contents) known.set(path, content);
  }
}

function unseen(command: string): StaticVerdict {
  return destructive('unresolved code', 'runs a file that could not be read in time', [0, command.length]);
}

/** A time limit over several waits; a turn of the event loop counts as one tick, however long. */
class Patience {
  #left: number;

  constructor(milliseconds: number) {
    this.#left = milliseconds;
  }

  /** Returns the promise's value, or undefined once the time is over. */
  async wait<T>(promise: Promise<T>): Promise<T | undefined> {
    const found = promise.then((value) => ({ value }));
    while (this.#left > 0) {
      const tick = Math.min(TICK_MS, this.#left);
      const ended = await Promise.race([found, after(tick)]);
      if (ended) return ended.value;
      this.#left -= tick;
    }
    return undefined;
  }
}

function after(milliseconds: number): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), milliseconds).unref();
  });
}
