/** Finds the effects of an awk program beyond computing, reading and printing. */
import { pattern } from '../../text/pattern.ts';

export type AwkEffect =
  /** A command for the shell; `more`: parts of it are unknown. */
  | { readonly kind: 'shell'; readonly text: string; readonly more: boolean }
  | { readonly kind: 'write'; readonly path: string; readonly append: boolean }
  /** Unknown text is run as a command. */
  | { readonly kind: 'system' }
  | { readonly kind: 'unknown'; readonly reason: string };

type Token = { readonly kind: 'name' | 'number' | 'string' | 'regex' | 'sign' | 'end'; readonly text: string };

const KEYWORDS =
  /^(BEGIN|END|BEGINFILE|ENDFILE|if|else|while|for|do|break|continue|next|nextfile|exit|return|delete|in|function|func|print|printf|getline|switch|case|default)$/;
const FUNCTIONS = pattern(String.raw`
    ^(length|substr|index|split|sub|gsub|match|sprintf|sin|cos|atan2|exp|log|sqrt|int|rand|srand|tolower|toupper
    |close|fflush|gensub|strftime|systime|mktime|asort|asorti|patsplit|strtonum|and|or|xor|compl|lshift|rshift
    |isarray|typeof)$
  `);
const SIGN = /^(?:\*\*=|\|&|&&|\|\||\+\+|--|\*\*|[-+*/%^!=<>]=|>>|!~|[-+*/%^!~<>=?:,;(){}[\]$|&])/;
const UNKNOWN_TEXT: AwkEffect = { kind: 'unknown', reason: 'an awk program that can’t be read reliably' };

/** Reads an awk program token by token; each part that is not known to be harmless is an effect. */
export function readAwkProgram(source: string): readonly AwkEffect[] {
  const tokens = tokensOf(source);
  return tokens ? new Program(tokens).effects() : [UNKNOWN_TEXT];
}

/** Returns the tokens of a program; undefined where versions of awk disagree about them. */
function tokensOf(source: string): readonly Token[] | undefined {
  return new Tokenizer(source).tokens();
}

class Tokenizer {
  private readonly source: string;
  private readonly found: Token[] = [];
  /** For each open bracket, whether a statement follows it (`if (x) /re/`). */
  private readonly open: boolean[] = [];
  /** Whether a value precedes, so that a slash means division. */
  private operand: boolean | 'either' = false;
  private at = 0;

  constructor(source: string) {
    this.source = source;
  }

  tokens(): readonly Token[] | undefined {
    while (this.at < this.source.length) {
      const rest = this.source.slice(this.at, this.at + 4000);
      const skipped = /^(?:[ \t\r]+|\\\r?\n|#[^\n]*)/.exec(rest)?.[0];
      const read = skipped ?? this.token(rest);
      if (read === undefined) return undefined;
      this.at += read.length;
    }
    const braces = this.found.reduce((depth, { text }) => depth + (text === '{' ? 1 : text === '}' ? -1 : 0), 0);
    return braces === 0 && this.open.length === 0 && this.found.length > 0 ? this.found : undefined;
  }

  /** Reads one token and returns its text as written; undefined where versions disagree. */
  private token(rest: string): string | undefined {
    const c = rest.charAt(0);
    if (c === '\n') return this.add('end', c, ';', false);
    if (c === '"') {
      const found = /^"(?:[^"\\\n]|\\[^\n])*"/.exec(rest)?.[0];
      return this.add('string', found, found?.slice(1, -1), true);
    }
    if (c === '/' && this.operand !== true) return this.expression(rest);
    if (/[\d.]/.test(c)) {
      const found = /^(?:0[xX][\da-fA-F]+|\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?/.exec(rest)?.[0];
      return this.add('number', found, found, true);
    }
    if (/[A-Za-z_]/.test(c)) {
      const name = /^\w+/.exec(rest)?.[0] ?? '';
      return this.add('name', name, name, /^(getline|length)$/.test(name) ? 'either' : !KEYWORDS.test(name));
    }
    return this.sign(rest);
  }

  private add(
    kind: Token['kind'],
    written: string | undefined,
    text: string | undefined,
    operand: boolean | 'either',
  ): string | undefined {
    if (written === undefined || text === undefined) return undefined;
    this.found.push({ kind, text });
    this.operand = operand;
    return written;
  }

  private expression(rest: string): string | undefined {
    const found = this.operand === 'either' ? undefined : /^\/(?:[^/\\\n]|\\[^\n])*\//.exec(rest)?.[0];
    // Versions of awk disagree whether a slash within brackets ends the expression.
    if (found === undefined || /\[\^?\]?[^\]]*$/.test(found.replace(/\\./g, '').slice(0, -1))) return undefined;
    return this.add('regex', found, found, true);
  }

  private sign(rest: string): string | undefined {
    const sign = SIGN.exec(rest)?.[0];
    if (sign === undefined) return undefined;
    if (sign === '(') this.open.push(/^(if|while|for|switch)$/.test(this.found.at(-1)?.text ?? ''));
    const closes = sign === ')' ? this.open.pop() !== true : sign === ']';
    const kind = sign === ';' || sign === '{' || sign === '}' ? 'end' : 'sign';
    return this.add(kind, sign, sign, closes || (/^(\+\+|--)$/.test(sign) ? 'either' : false));
  }
}

const END: Token = { kind: 'end', text: ';' };

class Program {
  private readonly tokens: readonly Token[];
  private readonly own: ReadonlySet<string>;
  private readonly found: AwkEffect[] = [];

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens;
    const names = tokens.flatMap(({ text }, at) => (/^func(tion)?$/.test(this.token(at - 1).text) ? [text] : []));
    this.own = new Set(names.filter((name) => !FUNCTIONS.test(name) && name !== 'system'));
  }

  effects(): readonly AwkEffect[] {
    /** The bracket depth at the current `print`; undefined outside a `print`. */
    let printing: number | undefined;
    for (const [at, { kind, text }] of this.tokens.entries()) {
      if (kind === 'end') printing = undefined;
      else if (kind === 'name') {
        if (/^printf?$/.test(text)) printing = 0;
        this.name(at, text);
      } else if (kind === 'sign') {
        if (text === '(') printing = printing === undefined ? undefined : printing + 1;
        else if (text === ')') printing = printing ? printing - 1 : printing;
        else if (text === '|' || text === '|&') this.pipe(at, printing !== undefined);
        else if ((text === '>' || text === '>>') && printing === 0) this.write(at, text === '>>');
        else if (text === '<' && this.readsFile(at)) this.read(at);
      }
    }
    return this.found;
  }

  private token(at: number): Token {
    return this.tokens[at] ?? END;
  }

  private unknown(reason: string): void {
    this.found.push({ kind: 'unknown', reason });
  }

  private name(at: number, name: string): void {
    const next = this.token(at + 1).text;
    if (name === 'ENVIRON' && !(next === '[' && /^"?[A-Z]/.test(this.token(at + 2).text)))
      this.unknown('awk passes its environment on');
    if (name === 'system') this.system(at);
    else if (next === '(' && !KEYWORDS.test(name) && !FUNCTIONS.test(name) && !this.own.has(name))
      // For a variable before a bracket, only a blank distinguishes it from a function call.
      this.unknown(`awk function ${name.slice(0, 40)} is not known`);
  }

  private system(at: number): void {
    const text = this.token(at + 2);
    const words = this.token(at + 1).text === '(' && text.kind === 'string' ? plainText(text.text) : undefined;
    if (words === undefined) this.found.push({ kind: 'system' });
    else this.found.push({ kind: 'shell', text: words, more: this.token(at + 3).text !== ')' });
  }

  /** Judges `print x | "cmd"` and `"cmd" | getline`: the command must be a single string. */
  private pipe(at: number, printing: boolean): void {
    const reads = this.token(at + 1).text === 'getline';
    let first = reads ? at - 1 : at + 1;
    while (reads && first > 0 && !/^([;{}(!=,]|&&|\|\|)$/.test(this.token(first - 1).text)) first--;
    const text = this.token(first);
    const words = text.kind === 'string' ? plainText(text.text) : undefined;
    if (words === undefined) return this.unknown('awk runs an unknown command');
    const alone = reads ? first === at - 1 : printing && this.token(at + 2).kind === 'end';
    this.found.push({ kind: 'shell', text: words, more: !alone });
    if (words.startsWith('/inet')) this.unknown('awk talks to the network');
  }

  private write(at: number, append: boolean): void {
    const target = this.token(at + 1);
    const path = target.kind === 'string' && this.token(at + 2).kind === 'end' ? plainText(target.text) : undefined;
    if (path === undefined) this.unknown('awk writes files with unknown names');
    else if (path.startsWith('/inet')) this.unknown('awk talks to the network');
    else this.found.push({ kind: 'write', path, append });
  }

  /** Judges `getline < file` and `getline line < file`. */
  private readsFile(at: number): boolean {
    for (let back = at - 1; back >= Math.max(0, at - 12); back--) {
      const { kind, text } = this.token(back);
      if (text === 'getline') return true;
      if (kind === 'end' || /^[(),]$/.test(text)) return false;
    }
    return false;
  }

  private read(at: number): void {
    const target = this.token(at + 1);
    const path = target.kind === 'string' ? plainText(target.text) : undefined;
    if (target.text === 'FILENAME') return;
    if (path === undefined || path.startsWith('/inet')) this.unknown('awk reads from an unknown place');
  }
}

/** Returns a string without escapes that versions of awk read differently. */
function plainText(text: string): string | undefined {
  const plain = text.replace(/\\(["\\/])/g, '$1');
  return /\\[^"\\/]/.test(text) ? undefined : plain;
}

/** An effect of a sed script beyond editing the text that passes through it. */
type SedEffect =
  | { readonly kind: 'write'; readonly path: string }
  /** A command for the shell; undefined: the text that passes through is run. */
  | { readonly kind: 'shell'; readonly text: string | undefined }
  | { readonly kind: 'unknown'; readonly reason: string };

/**
 * Reads a sed script command by command. Versions disagree whether a delimiter within brackets ends an expression, so
 * it is read both ways, and the effects of both count.
 */
export function readSedScript(source: string): readonly SedEffect[] {
  const readings = [new Script(source, true), new Script(source, false)].flatMap((script) => script.read() ?? []);
  const possible = [true, false].some((brackets) => new Script(source, brackets).read() !== undefined);
  return possible ? readings : [{ kind: 'unknown', reason: 'a sed script that can’t be read' }];
}

/** The text after a command’s letter. */
type Rest =
  | 'opens'
  | 'ends'
  | 'count'
  | 'rest'
  | 'texts'
  | 'label'
  | 'writes'
  | 'executes'
  | 'substitution'
  | 'transliteration';

const LETTERS: Readonly<Record<string, Rest>> = {
  '{': 'opens',
  '}=dDgGhHnNpPxzF': 'ends',
  lqQ: 'count',
  '#rR': 'rest',
  aic: 'texts',
  ':btTv': 'label',
  wW: 'writes',
  e: 'executes',
  s: 'substitution',
  y: 'transliteration',
};

const COMMANDS: Readonly<Record<string, Rest>> = Object.fromEntries(
  Object.entries(LETTERS).flatMap(([letters, rest]) => [...letters].map((letter) => [letter, rest] as const)),
);

class Script {
  private readonly text: string;
  private readonly brackets: boolean;
  private readonly found: SedEffect[] = [];
  private at = 0;

  constructor(text: string, brackets: boolean) {
    this.text = text;
    this.brackets = brackets;
  }

  /** Returns undefined for an invalid script. */
  read(): readonly SedEffect[] | undefined {
    while (this.at < this.text.length) {
      this.skip(/[\s;]*/y);
      if (this.at >= this.text.length) break;
      if (!this.address() || !this.command()) return undefined;
    }
    return this.found;
  }

  private skip(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? '';
    this.at += found.length;
    return found;
  }

  /** Reads an address (`2`, `$`, `/re/I`, `\cREc`, `first~step`) or a range of two. */
  private address(): boolean {
    for (let part = 0; part < 2; part++) {
      const c = this.text.charAt(this.at);
      if (c === '/' || c === '\\') {
        if (c === '\\') this.at++;
        const delimiter = this.text.charAt(this.at++);
        if (this.until(delimiter, true) === undefined) return false;
        this.skip(/[IM]*/y);
      } else if (this.skip(part === 0 ? /\$|\d+(~\d+)?/y : /\$|[+~]?\d+/y) === '') {
        if (part === 1) return false;
        break;
      }
      this.skip(/[ \t]*/y);
      if (part === 0 && this.skip(/,[ \t]*/y) === '') break;
    }
    this.skip(/[ \t]*(![ \t]*)*/y);
    return true;
  }

  /** Returns the text up to the next such delimiter; undefined if there is none. */
  private until(delimiter: string, expression: boolean): string | undefined {
    if (delimiter === '' || delimiter === '\n' || delimiter === '\\') return undefined;
    const start = this.at;
    while (this.at < this.text.length) {
      const c = this.text.charAt(this.at);
      if (c === '\\') this.at += 2;
      else if (c === delimiter) return this.text.slice(start, this.at++);
      else if (c === '[' && expression && this.brackets) {
        const set = /\[\^?\]?(?:\[[:.=].*?[:.=]\]|[^\]])*\]/y;
        set.lastIndex = this.at;
        this.at = set.exec(this.text) ? set.lastIndex : this.at + 1;
      } else this.at++;
    }
    return undefined;
  }

  private line(): string {
    return this.skip(/[^\n]*/y);
  }

  private command(): boolean {
    const name = this.text.charAt(this.at++);
    const read = COMMANDS[name];
    return read !== undefined && this[read]();
  }

  private opens(): boolean {
    return true;
  }

  private count(): boolean {
    this.skip(/[ \t]*\d*/y);
    return this.ends();
  }

  private label(): boolean {
    this.skip(/[ \t]*[^\s;}]*/y);
    return this.ends();
  }

  private texts(): boolean {
    this.skip(/(?:\\\n|\\[^\n]|[^\\\n])*/y);
    return true;
  }

  private rest(): boolean {
    this.line();
    return true;
  }

  private writes(): boolean {
    this.found.push({ kind: 'write', path: this.line().trim() });
    return true;
  }

  private executes(): boolean {
    this.found.push({ kind: 'shell', text: this.line().trim() || undefined });
    return true;
  }

  private transliteration(): boolean {
    const delimiter = this.text.charAt(this.at++);
    return this.until(delimiter, false) !== undefined && this.until(delimiter, false) !== undefined && this.ends();
  }

  private ends(): boolean {
    this.skip(/[ \t]*/y);
    return this.at >= this.text.length || /[\n;}#]/.test(this.text.charAt(this.at));
  }

  private substitution(): boolean {
    const delimiter = this.text.charAt(this.at++);
    if (this.until(delimiter, true) === undefined || this.until(delimiter, false) === undefined) return false;
    for (let flag = this.skip(/[gpiImM\d]|[ew]/y); flag !== ''; flag = this.skip(/[gpiImM\d]|[ew]/y)) {
      if (flag === 'e') this.found.push({ kind: 'shell', text: undefined });
      else if (flag === 'w') {
        this.found.push({ kind: 'write', path: this.line().trim() });
        return true;
      }
    }
    return this.ends();
  }
}
