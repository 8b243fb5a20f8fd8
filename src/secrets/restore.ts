/**
 * Converts a command with handles to the command that runs (SE-1): each secret is passed in an environment variable.
 */

import { forEachChild, parse, type SyntaxNode } from 'unbash';
import { pattern } from '../text/pattern.ts';
import { handlesIn } from './vault.ts';

/** A command with secrets in place of its handles, or the reason why there is none. */
export type Restored =
  | {
      readonly kind: 'restored';
      /**
       * The command that runs: references to `env` instead of handles. A value appears in clear text only where no
       * reference works.
       */
      readonly command: string;
      /** The same command with the true values as quoted words, for the gate. */
      readonly judged: string;
      readonly env: Readonly<Record<string, string>>;
      /** Why a value might become code, if it might: then the user decides. */
      readonly unsafe?: string;
    }
  /** Handles without a known value. */
  | { readonly kind: 'unknown'; readonly handles: readonly string[] };

const NAME = 'AISH_SECRET_';
const AS_CODE = 'a secret would stand where the shell may take it for code';
/** Characters with a meaning inside quotes. */
const ACTIVE = /[$`\\'"]/;
/** Characters that are plain text in every shell and language. */
const PLAIN = /^[A-Za-z0-9_.,:/@%+=-]+$/;

/**
 * A command without handles is returned unchanged.
 * @param value returns the value of a handle
 * @param asWritten whether a value was first seen in a command written by a model or the user: it is a piece of that
 * text with its escapes, and is restored unchanged
 */
export function restoreCommand(
  command: string,
  value: (handle: string) => string | undefined,
  asWritten: (handle: string) => boolean = () => false,
): Restored {
  const found = handlesIn(command);
  const unknown = found.filter(({ handle }) => value(handle) === undefined).map(({ handle }) => handle);
  if (unknown.length > 0) return { kind: 'unknown', handles: [...new Set(unknown)] };
  if (found.length === 0) return { kind: 'restored', command, judged: command, env: {} };
  const places = placesOf(
    command,
    found.map(({ at }) => at),
  );
  const restoring = new Restoring(command);
  for (const [index, { handle, at }] of found.entries()) {
    const secret = value(handle) ?? '';
    if (asWritten(handle) && ACTIVE.test(secret)) restoring.putAsWritten(at, handle, secret);
    else restoring.put(at, handle, secret, places[index] ?? { kind: 'odd' });
  }
  return restoring.done();
}

/** A command whose handles are replaced one by one, in its executed and its judged form. */
class Restoring {
  private readonly names = new Map<string, string>();
  private readonly env: Record<string, string> = {};
  private readonly runs: Pieces;
  private readonly judged: Pieces;
  private readonly command: string;
  private unsafe: string | undefined;

  constructor(command: string) {
    this.command = command;
    this.runs = new Pieces(command);
    this.judged = new Pieces(command);
  }

  putAsWritten(at: number, handle: string, secret: string): void {
    this.runs.put(at, handle.length, secret);
    this.judged.put(at, handle.length, secret);
    // The handle was written in one kind of quotes and may now be inside another.
    if (/`|\$[({]/.test(secret)) this.unsafe ??= AS_CODE;
  }

  put(at: number, handle: string, secret: string, place: Place): void {
    if (place.kind === 'comment') return;
    const name = this.names.get(handle) ?? `${NAME}${this.names.size + 1}`;
    this.names.set(handle, name);
    const plain = PLAIN.test(secret);
    const [run, judge] = inserted(place, secret, name, plain);
    if (run.includes(name)) this.env[name] = secret;
    this.runs.put(at, handle.length, run);
    this.judged.put(at, handle.length, judge);
    if (!plain) this.unsafe ??= dangerOf(place, secret);
  }

  done(): Restored {
    const { env } = this;
    const restored = { command: this.runs.done(), judged: this.judged.done() };
    // In any context the judged command must have the same structure as the executed one.
    if (!sameShape(restored.command, restored.judged)) this.unsafe ??= AS_CODE;
    // The gate knows the value only at its own place.
    if (Object.keys(env).length > 0 && this.command.includes(NAME))
      this.unsafe ??= 'it names the variable of a secret itself';
    return { kind: 'restored', ...restored, env, ...(this.unsafe === undefined ? {} : { unsafe: this.unsafe }) };
  }
}

/** Returns the replacement of a handle, for the shell and for the gate. */
function inserted({ kind }: Place, secret: string, name: string, plain: boolean): readonly [string, string] {
  const quoted = `'${secret.replaceAll("'", "'\\''")}'`;
  switch (kind) {
    case 'bare':
      return [`"$${name}"`, quoted];
    case 'single':
      return [`'"$${name}"'`, `'${quoted}'`];
    case 'ansi':
      return [`'"$${name}"$'`, `'${quoted}$'`];
    case 'double':
      return [`\${${name}}`, `"${quoted}"`];
    case 'document':
      return [`\${${name}}`, secret.replace(/[\\$`]/g, '\\$&')];
    case 'literalDocument':
      return [secret, secret];
    case 'odd':
    case 'comment':
      return [plain ? secret : `\${${name}}`, secret];
  }
}

function dangerOf(place: Place, secret: string): string | undefined {
  if (place.code !== undefined) return `a secret would become part of what ${place.code} runs`;
  if (place.kind === 'odd') return AS_CODE;
  // A line of the value may end the document.
  if (place.kind === 'literalDocument' && secret.includes('\n'))
    return 'a secret of several lines would stand in a here-document';
  return undefined;
}

/** Replaces pieces of a text, from left to right. */
class Pieces {
  readonly #text: string;
  #out = '';
  #from = 0;

  constructor(text: string) {
    this.#text = text;
  }

  put(at: number, length: number, piece: string): void {
    this.#out += this.#text.slice(this.#from, at) + piece;
    this.#from = at + length;
  }

  done(): string {
    return this.#out + this.#text.slice(this.#from);
  }
}

// The context of a position in a shell command: quotes, a here-document, code for another program.

type Place = {
  readonly kind: 'bare' | 'single' | 'double' | 'ansi' | 'document' | 'literalDocument' | 'comment' | 'odd';
  /** The program that would run it as code. */
  readonly code?: string;
};

/** Longer commands are not parsed. */
const MAX_COMMAND_CHARS = 60_000;
const ODD: Place = { kind: 'odd' };

/** Programs that run the text in their arguments. */
const INTERPRETERS = pattern(String.raw`
    ^(?:(?:ba|da|z|k|fi|a|tc|c|pw)?sh|eval|source|\.|trap|ssh|mosh|su|python[\d.]*|pypy\d?|perl[\d.]*|ruby[\d.]*
    |node|nodejs|deno|bun|php[\d.]*|lua[\d.]*|Rscript|osascript|[gmn]?awk|sed|expect|tclsh|psql|mysql|mariadb
    |sqlite3|mongosh?|sqlcmd|sqlplus|duckdb|clickhouse-client|jq|yq|xargs|parallel|watch|find|make|at|batch
    |crontab|tmux|screen|script|gdb|vim?|nvim|ed|ex|emacs|git|env|nsenter|chroot|docker|podman|kubectl
    |systemd-run|flock|timeout|bc|dc|let|declare|test|\[)$
  `);
/**
 * Interpreters that also take data as operands: code only if the operand looks like code, or follows an option for
 * code.
 */
const ALSO_DATA =
  /^(?:psql|mysql|mariadb|mongosh?|sqlcmd|sqlplus|git|docker|podman|kubectl|env|timeout|ssh|find|watch|test|\[|su|jq|yq|flock|systemd-run|declare|make)$/;
/** Programs that run what they read. */
const READERS = pattern(String.raw`
    ^(?:(?:ba|da|z|k|fi|a|tc|c|pw)?sh|sudo|ssh|python[\d.]*|perl[\d.]*|ruby[\d.]*|node|nodejs|deno|bun|php[\d.]*
    |lua[\d.]*|psql|mysql|mariadb|sqlite3|mongosh?|sqlcmd|sqlplus|duckdb|xargs|parallel|at|batch|crontab|bc|dc
    |ed|ex|expect)$
  `);
const CODE_OPTION = /^(?:-\w{0,3}[cerE]|--(?:command|execute|eval|expression|run))$/;

/** Returns the context of each offset. If the command can't be parsed, every context counts as unusual. */
function placesOf(command: string, offsets: readonly number[]): readonly Place[] {
  if (command.length > MAX_COMMAND_CHARS) return offsets.map(() => ODD);
  try {
    const script = parse(command);
    if (script.errors?.length) return offsets.map(() => ODD);
    return offsets.map((at) => placeAt(command, script, at));
  } catch {
    return offsets.map(() => ODD);
  }
}

function placeAt(command: string, root: SyntaxNode, at: number): Place {
  const path = pathTo(root, at);
  // A script in escaped backticks has its own text and offsets.
  if (path.some((node) => node.type === 'Script' && node.source !== undefined)) return ODD;
  const kind = kindOf(command, path);
  // A backslash before it would escape the inserted quote and change the meaning of the rest.
  if (READS_BACKSLASH.has(kind) && escaped(command, at)) return ODD;
  const code = kind === 'comment' ? undefined : interpreterOf(path, at);
  return code === undefined ? { kind } : { kind, code };
}

const READS_BACKSLASH: ReadonlySet<Place['kind']> = new Set(['bare', 'double', 'ansi', 'document']);

function escaped(command: string, at: number): boolean {
  let from = at;
  while (from > 0 && command.charAt(from - 1) === '\\') from -= 1;
  return (at - from) % 2 === 1;
}

/** Nodes that are parts of a word (quotes, expansions); all others are the structure of a command. */
const PARTS: ReadonlySet<string> = new Set(
  `Literal Glob SingleQuoted DoubleQuoted AnsiCQuoted LocaleString SimpleExpansion ParameterExpansion
   BraceExpansion`.split(/\s+/),
);

/**
 * Whether both parse to the same commands with the same number of words. A text that can't be parsed equals nothing.
 */
function sameShape(one: string, other: string): boolean {
  if (one === other) return true;
  const shape = shapeOf(one);
  return shape !== undefined && shape === shapeOf(other);
}

function shapeOf(command: string): string | undefined {
  if (command.length > 2 * MAX_COMMAND_CHARS) return undefined;
  try {
    const script = parse(command);
    if (script.errors?.length) return undefined;
    const out: string[] = [];
    const walk = (node: SyntaxNode): void => {
      const part = PARTS.has(node.type);
      if (!part) out.push(node.type, '(');
      forEachChild(node, walk);
      if (!part) out.push(')');
    };
    walk(script);
    return out.join('');
  } catch {
    return undefined;
  }
}

/** Returns the nodes around a position, outermost first. A here-document's body follows its command. */
function pathTo(root: SyntaxNode, at: number): readonly SyntaxNode[] {
  let best: readonly SyntaxNode[] = [root];
  const walk = (node: SyntaxNode, path: readonly SyntaxNode[], within: boolean): void => {
    const here = [...path, node];
    const holds = within && node.pos <= at && at < node.end;
    const document = node.type === 'HereDocBody' && node.pos <= at && at < node.end;
    const inDocument = best.some((known) => known.type === 'HereDocBody');
    if (document || (holds && (!inDocument || path.some((outer) => outer.type === 'HereDocBody')))) best = here;
    forEachChild(node, (child) => walk(child, here, holds || document));
  };
  walk(root, [], true);
  return best;
}

/** Containers: text inside them but in none of their parts is a comment or blank. */
const CONTAINERS: ReadonlySet<string> = new Set(
  `Script CompoundList Statement Pipeline AndOr Subshell BraceGroup If Elif While Case CaseItem For Select
   Function Redirected Command`.split(/\s+/),
);
/** These nodes don't change how the word is quoted. */
const PASSING: ReadonlySet<string> = new Set(['Literal', 'BraceExpansion', 'Glob']);

function kindOf(command: string, path: readonly SyntaxNode[]): Place['kind'] {
  for (const [back, node] of path.toReversed().entries()) {
    const outer = path.at(-2 - back);
    switch (node.type) {
      case 'SingleQuoted':
        return 'single';
      case 'DoubleQuoted':
      case 'LocaleString':
        return 'double';
      case 'AnsiCQuoted':
        return 'ansi';
      case 'HereDocBody':
        return outer?.type === 'HereDoc' && outer.delimiter?.quoted === true ? 'literalDocument' : 'document';
      case 'Word':
        return outer && isPlainWord(node, outer) && !inBackticks(command, path) ? 'bare' : 'odd';
      default:
        if (CONTAINERS.has(node.type)) return 'comment';
        if (!PASSING.has(node.type) || (node.type === 'Glob' && node.kind === 'bracket')) return 'odd';
    }
  }
  return 'odd';
}

/** Whether the shell uses the word's expansion unchanged. Numbers and subscripts are evaluated. */
function isPlainWord(word: SyntaxNode, outer: SyntaxNode): boolean {
  switch (outer.type) {
    case 'Command':
    case 'ArrayValue':
    case 'Redirect':
    case 'HereString':
    case 'Case':
    case 'CaseItem':
      return true;
    case 'For':
    case 'Select':
      return outer.name !== word;
    case 'Assignment':
      return outer.index !== word;
    case 'TestBinary':
      return !/^-(?:eq|ne|lt|le|gt|ge)$/.test(outer.operator);
    case 'TestUnary':
      return !/^-[vR]$/.test(outer.operator);
    default:
      return false;
  }
}

function inBackticks(command: string, path: readonly SyntaxNode[]): boolean {
  return path.some((node) => node.type === 'CommandExpansion' && command.charAt(node.pos) === '`');
}

/** Returns the program that would run the text as code: it takes the text as an argument, or reads it from a pipe. */
function interpreterOf(path: readonly SyntaxNode[], at: number): string | undefined {
  for (const [index, node] of path.entries()) {
    const inner = path[index + 1];
    if (node.type === 'Pipeline') {
      const reader = node.commands.find(
        (command) =>
          command.type === 'Command' && command.pos > at && READERS.test(baseName(command.name?.value ?? '')),
      );
      if (reader?.type === 'Command') return baseName(reader.name?.value ?? '');
    }
    if (node.type !== 'Command' || inner === undefined || inner.type === 'Assignment') continue;
    const words = [node.name, ...node.args].flatMap((word) => (word?.type === 'Word' ? [word] : []));
    const place = inner.type === 'Word' ? words.indexOf(inner) : -1;
    const before = place < 0 ? words : words.slice(0, place);
    const own = before.find((word) => INTERPRETERS.test(baseName(word.value)));
    if (own && takesAsCode(own.value, inner, before.at(-1)?.value)) return baseName(own.value);
  }
  return undefined;
}

function takesAsCode(program: string, word: SyntaxNode | undefined, before: string | undefined): boolean {
  if (!ALSO_DATA.test(baseName(program)) || word?.type !== 'Word') return true;
  return (before !== undefined && CODE_OPTION.test(before)) || /[\s;|&(){}]/.test(word.value);
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
