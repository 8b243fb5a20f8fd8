/** What a sed script does beyond editing the text that passes through it. */
export type SedEffect =
  | { readonly kind: 'write'; readonly path: string }
  /** A command for the shell; undefined: the text that passes through is run. */
  | { readonly kind: 'shell'; readonly text: string | undefined }
  | { readonly kind: 'unknown'; readonly reason: string };

/**
 * Reads a sed script command by command. Versions differ in whether a delimiter within brackets ends an expression, so
 * it is read both ways, and what either of them does counts.
 */
export function readSedScript(source: string): readonly SedEffect[] {
  const readings = [new Script(source, true), new Script(source, false)].flatMap((script) => script.read() ?? []);
  const possible = [true, false].some((brackets) => new Script(source, brackets).read() !== undefined);
  return possible ? readings : [{ kind: 'unknown', reason: 'a sed script that can not be read' }];
}

/** What follows a command's letter. */
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

  /** Undefined: no valid script. */
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

  /** `2`, `$`, `/re/I`, `\cREc`, `first~step`, each with a second one. */
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

  /** The text up to the next such delimiter; undefined: there is none. */
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
