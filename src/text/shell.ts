/**
 * Shell text: quoting a word, and detecting unfinished input.
 *
 * The detector reads a shell command line by line and reports whether bash would read on: a lexer for quotes,
 * here-documents, continuations and compound commands. It never reports a syntax error as unfinished.
 */

/** Returns any text as one word of `sh`. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The kind of construct that is unfinished. */
export type Unfinished = 'here-document' | 'quote' | 'continuation' | 'compound command';

/** A construct that has begun and not ended: quotes and expansions, arrays and tests, compound commands. */
type Kind =
  | "'"
  | "$'"
  | '"'
  | '`'
  | '${'
  | '$('
  | '('
  | '(('
  | 'array'
  | '[['
  | 'if'
  | 'loop'
  | '{'
  /** The states of a `case`: before its word, before `in`, in a pattern, after a pattern. */
  | 'case'
  | 'case word'
  | 'pattern'
  | 'branch';

/** `word` and `command` are restored where the construct ends within a word. */
type Frame = { kind: Kind; readonly word: string; readonly command: boolean };
type HereDocument = { readonly delimiter: string; readonly tabs: boolean; readonly literal: boolean };

const QUOTES: ReadonlySet<Kind> = new Set(["'", "$'", '"', '`', '${']);
/** Constructs in which a newline is text. */
const TEXT: ReadonlySet<Kind | undefined> = new Set<Kind | undefined>(["'", "$'", '"', '${', '((']);
/** A character that no keyword contains, in place of a quoted or expanded part. */
const QUOTED = '\0';
const PLAIN = /[^\s'"\\$`<>&|;()#]+/y;
const HERE_DOCUMENT = /<<(-?)[ \t]*((?:'[^']*'|"[^"]*"|\\.|[^\s'"\\<>&|;()`])+)/y;
const REDIRECTION = /&>>?|<>|>>|[<>]&|>\||[<>]/y;
const OPERATOR = /;;&|;;|;&|;|&&|\|\||\|&|[&|]/y;
const CLOSES: Readonly<Record<string, Kind>> = { fi: 'if', done: 'loop', esac: 'branch', '}': '{', ']]': '[[' };
const OPENS: Readonly<Record<string, Kind>> = {
  if: 'if',
  while: 'loop',
  until: 'loop',
  case: 'case',
  '{': '{',
  '[[': '[[',
};

export class ShellLines {
  readonly #frames: Frame[] = [];
  #word = '';
  /** Whether a command may begin here, so that keywords count. */
  #command = true;
  /** The next word is the target of a redirection, the name of a loop's variable, or that of a function. */
  #next: 'target' | 'variable' | 'function' | undefined;
  /** Whether only a command can follow: after `&&`, `|`, or the head of a function. */
  #wants = false;
  /** Whether the last line ends with a backslash that joins the next. */
  #joins = false;
  /** Whether more lines can't make the command valid. */
  #broken = false;
  #documents: HereDocument[] = [];
  #inDocument = false;
  /** The line of a here-document so far, where a backslash joins it to the next. */
  #joined = '';

  /**
   * Returns what bash would wait for after the lines read so far; undefined: the command is complete, or no line can
   * complete it.
   */
  get unfinished(): Unfinished | undefined {
    if (this.#documents.length > 0) return 'here-document';
    if (this.#frames.some(({ kind }) => QUOTES.has(kind))) return 'quote';
    if (this.#joins) return 'continuation';
    if (this.#broken) return undefined;
    if (this.#wants) return 'continuation';
    return this.#frames.length > 0 ? 'compound command' : undefined;
  }

  /** @param line without its newline */
  read(line: string): void {
    if (this.#inDocument) return this.#readDocument(line);
    this.#joins = false;
    for (let at = 0; at < line.length; ) at += this.#take(line, at);
    if (this.#joins || TEXT.has(this.#top)) return;
    this.#endWord();
    if (this.#top !== 'case' && this.#top !== 'case word') this.#command = true;
    this.#inDocument = this.#documents.length > 0;
  }

  get #top(): Kind | undefined {
    return this.#frames.at(-1)?.kind;
  }

  #readDocument(line: string): void {
    const [document] = this.#documents;
    if (!document) return;
    const text = this.#joined + (document.tabs ? line.replace(/^\t+/, '') : line);
    this.#joined = '';
    if (!document.literal && /(?:^|[^\\])(?:\\\\)*\\$/.test(line)) this.#joined = text.slice(0, -1);
    else if (text === document.delimiter) this.#documents.shift();
    this.#inDocument = this.#documents.length > 0;
  }

  /** Reads on at `at`; returns the number of characters taken. */
  #take(line: string, at: number): number {
    const kind = this.#top;
    const char = line.charAt(at);
    if (kind === "'") {
      const end = line.indexOf("'", at);
      if (end >= 0) this.#endExpansion();
      return (end < 0 ? line.length : end + 1) - at;
    }
    if (char === '\\') return this.#escape(line, at);
    if (kind === "$'") return char === "'" ? this.#endExpansion() : 1;
    if (kind === '"') return char === '"' ? this.#endExpansion() : this.#expand(line, at) || 1;
    if (kind !== '${' && kind !== '((') return this.#takeCode(line, at, char);
    if (char === (kind === '${' ? '}' : ')')) return this.#endExpansion();
    if (char === '(' && kind === '((') return this.#begin('((');
    return this.#quote(line, at) || this.#expand(line, at) || 1;
  }

  #takeCode(line: string, at: number, char: string): number {
    if (char === ' ' || char === '\t') return this.#endWord();
    if (char === '#' && this.#word === '') return line.length - at;
    const taken = this.#quote(line, at) || this.#expand(line, at);
    if (taken > 0) return taken;
    if (char === '(') return this.#openParenthesis(line, at);
    if (this.#top === '[[' && '<>&|;)'.includes(char)) {
      this.#endWord();
      if (this.#top === '[[') return 1;
    }
    if (char === ')') return this.#closeParenthesis();
    if (line.startsWith('<(', at) || line.startsWith('>(', at)) return this.#begin('$(', 2);
    return this.#redirect(line, at) || this.#separate(line, at) || this.#letters(line, at);
  }

  #letters(line: string, at: number): number {
    const letters = matchAt(PLAIN, line, at)?.[0] ?? line.charAt(at);
    this.#word += letters;
    return letters.length;
  }

  #escape(line: string, at: number): number {
    if (at + 1 === line.length) {
      this.#joins = true;
      return 1;
    }
    this.#word += QUOTED;
    return 2;
  }

  /** Reads the start of a quote; returns 0 where none begins. */
  #quote(line: string, at: number): number {
    if (line.startsWith("$'", at)) return this.#begin("$'", 2);
    if (line.startsWith("'", at)) return this.#begin("'");
    return line.startsWith('"', at) ? this.#begin('"') : 0;
  }

  /** Reads the start of an expansion, or the end of a command in backquotes; returns 0 for neither. */
  #expand(line: string, at: number): number {
    if (line.startsWith('`', at)) {
      const open = this.#frames.findLastIndex(({ kind }) => kind === '`');
      if (open < 0) return this.#begin('`');
      // The shell matches backquotes before it reads the text between them.
      this.#frames.length = open + 1;
      return this.#endExpansion();
    }
    if (line.startsWith('$((', at)) return this.#begin('((', 2) + this.#begin('((');
    if (line.startsWith('$(', at)) return this.#begin('$(', 2);
    return line.startsWith('${', at) ? this.#begin('${', 2) : 0;
  }

  #begin(kind: Kind, length = 1): number {
    this.#frames.push({ kind, word: this.#word, command: this.#command });
    this.#word = '';
    this.#next = undefined;
    this.#command = kind !== 'array' && kind !== 'case';
    // A compound command can follow `&&`; a quote or an expansion will be a word.
    if (OPENS[kind] !== undefined || kind === '(' || kind === 'loop') this.#wants = false;
    return length;
  }

  /** Ends a construct that is a part of a word. */
  #endExpansion(): number {
    const frame = this.#frames.pop();
    this.#word = `${frame?.word ?? ''}${QUOTED}`;
    this.#command = frame?.command ?? true;
    return 1;
  }

  /** Ends a compound command; outer ones may end after it. */
  #endCompound(kind: Kind): void {
    if (this.#top === kind) this.#frames.pop();
    else this.#broken = true;
    this.#word = '';
    this.#command = true;
  }

  #openParenthesis(line: string, at: number): number {
    if (this.#top === '[[' || (this.#top === 'pattern' && this.#word === '')) return 1;
    const empty = matchAt(/\([ \t]*\)/y, line, at)?.[0];
    if (empty !== undefined && !this.#word.endsWith('=')) {
      this.#endWord();
      this.#wants = true;
      this.#command = true;
      return empty.length;
    }
    const begins = this.#word === '' && (this.#command || this.#next === 'variable');
    if (!begins) return this.#begin('array');
    return line.startsWith('((', at) ? this.#begin('((') + this.#begin('((') : this.#begin('(');
  }

  #closeParenthesis(): number {
    this.#endWord();
    const kind = this.#top;
    if (kind === '$(' || kind === 'array') return this.#endExpansion();
    const frame = this.#frames.at(-1);
    if (frame && kind === 'pattern') {
      frame.kind = 'branch';
      this.#command = true;
    } else this.#endCompound('(');
    return 1;
  }

  #redirect(line: string, at: number): number {
    if (this.#top === 'array') return 0;
    if (line.startsWith('<<', at) && !line.startsWith('<<<', at)) return this.#openDocument(line, at);
    const operator = line.startsWith('<<<', at) ? '<<<' : matchAt(REDIRECTION, line, at)?.[0];
    if (operator === undefined) return 0;
    this.#endWord();
    this.#next = 'target';
    return operator.length;
  }

  #openDocument(line: string, at: number): number {
    this.#endWord();
    const [all, dash, word = ''] = matchAt(HERE_DOCUMENT, line, at) ?? [];
    if (all === undefined) {
      this.#broken = true;
      return 2;
    }
    const delimiter = word.replace(/'([^']*)'|"([^"]*)"|\\(.)/g, '$1$2$3');
    this.#documents.push({ delimiter, tabs: dash === '-', literal: delimiter !== word });
    return all.length;
  }

  #separate(line: string, at: number): number {
    const operator = matchAt(OPERATOR, line, at)?.[0];
    if (operator === undefined) return 0;
    this.#endWord();
    const frame = this.#frames.at(-1);
    if (frame?.kind === 'array' || frame?.kind === 'pattern') return operator.length;
    if (operator.length > 1 && operator.startsWith(';')) {
      if (frame?.kind === 'branch') frame.kind = 'pattern';
      else this.#broken = true;
    }
    this.#wants = operator.startsWith('|') || operator === '&&';
    this.#command = true;
    return operator.length;
  }

  /** Ends a word; returns 1, the character that ended it. */
  #endWord(): 1 {
    const word = this.#word;
    this.#word = '';
    if (word === '') return 1;
    const expected = this.#next;
    this.#next = undefined;
    this.#wants = expected === 'function';
    if (expected === 'target') this.#command = false;
    if (expected !== undefined) return 1;
    const frame = this.#frames.at(-1);
    if (frame?.kind === 'case') frame.kind = 'case word';
    else if (frame?.kind === 'case word') {
      if (word === 'in') frame.kind = 'pattern';
    } else if (frame?.kind === 'pattern') {
      if (word === 'esac') this.#endCompound('pattern');
    } else if (frame?.kind === '[[') {
      if (word === ']]') this.#endCompound('[[');
    } else if (this.#command && frame?.kind !== 'array') this.#endCommandWord(word);
    return 1;
  }

  /** Ends a word where a command may begin: a keyword, or a command's name, which no keyword follows. */
  #endCommandWord(word: string): void {
    const opens = OPENS[word];
    const closes = CLOSES[word];
    if (opens) this.#begin(opens);
    else if (closes) this.#endCompound(closes);
    else if (word === 'for' || word === 'select') {
      this.#begin('loop');
      this.#next = 'variable';
    } else if (word === 'function') this.#next = 'function';
    else if (word === 'then' || word === 'else' || word === 'elif') this.#broken ||= this.#top !== 'if';
    else if (word === 'do') this.#broken ||= this.#top !== 'loop';
    else if (!['!', 'time', 'coproc'].includes(word)) this.#command = false;
  }
}

function matchAt(sticky: RegExp, line: string, at: number): RegExpExecArray | null {
  sticky.lastIndex = at;
  return sticky.exec(line);
}
