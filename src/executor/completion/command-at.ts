/** The simple command around the cursor: what a shell's own completion would look at. */

export type Quote = '' | "'" | '"';

export type CommandAt = {
  /** The words of the command up to the cursor as they are written, without assignments and redirections; the last is the current one. */
  readonly words: readonly string[];
  /** Where the command begins. */
  readonly from: number;
  /** Where the current word begins. */
  readonly start: number;
  /** The quotes that are open at the cursor. */
  readonly quote: Quote;
  /** Where the open quotes' text begins, behind the quote; the start of the word without open quotes. */
  readonly quoteStart: number;
  /** What the current word names, its quotes and backslashes resolved. */
  readonly plain: string;
  /** `command`: its first word; `target`: of a redirection. */
  readonly role: 'command' | 'argument' | 'target';
};

type Context = {
  words: string[];
  from: number;
  /** Of the word under way; undefined between words. */
  start: number | undefined;
  plain: string;
  target: boolean;
  closer: ')' | '`' | '}' | '';
  /** The quotes around the substitution that contains this context. */
  outer: Quote;
};

/** Words after which a new command begins. */
const KEYWORDS = new Set(['if', 'then', 'else', 'elif', 'do', 'while', 'until', '!', 'time', '{', 'coproc']);
const ASSIGNMENT = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/;

/** Looks at `line` up to `cursor`. Total: half a command, open quotes and substitutions are what it is for. */
export function commandAt(line: string, cursor: number): CommandAt {
  const text = line.slice(0, cursor);
  const stack: Context[] = [fresh(0, '', '')];
  let context = fresh(0, '', '');
  stack[0] = context;
  let quote = '' as Quote;
  let quoteStart = 0;
  let at = 0;

  const endWord = (end: number) => {
    if (context.start === undefined) return;
    const word = text.slice(context.start, end);
    if (context.target) context.target = false;
    else if (context.words.length > 0) context.words.push(word);
    else if (KEYWORDS.has(word)) context.from = end;
    else if (!ASSIGNMENT.test(word)) context.words.push(word);
    context.start = undefined;
    context.plain = '';
  };
  const begin = () => {
    if (context.start !== undefined) return;
    context.start = at;
    context.plain = '';
    if (context.words.length === 0 && !context.target) context.from = Math.max(context.from, at);
  };
  const newCommand = () => {
    endWord(at);
    context.words = [];
    context.target = false;
    context.from = at + 1;
  };
  const open = (closer: Context['closer'], length: number) => {
    begin();
    at += length;
    context = fresh(at, closer, quote);
    quote = '';
    stack.push(context);
  };
  const close = () => {
    quote = context.outer;
    stack.pop();
    context = stack.at(-1) ?? context;
    at += 1;
  };

  /** A character that stands for itself, within quotes or in a word. */
  const plain = (character: string) => {
    context.plain += character;
    at += 1;
  };
  const escaped = () => {
    begin();
    const next = text[at + 1] ?? '';
    context.plain += quote === '"' && !/["$`\\\n]/.test(next) ? `\\${next}` : next;
    at += 2;
  };
  const closes = (character: string) => {
    if (character !== context.closer) return false;
    endWord(at);
    close();
    return true;
  };
  const quoted = (character: string) => {
    if (character !== quote) return plain(character);
    quote = '';
    at += 1;
  };
  const quotes = (character: Quote) => {
    begin();
    quote = character;
    at += 1;
    quoteStart = at;
  };
  const operator = (character: string) => {
    // `>&` and `<&` belong to a redirection, `&>` begins one.
    if (character !== '&' || !(/[<>]/.test(text[at - 1] ?? '') || text[at + 1] === '>')) newCommand();
    at += 1;
  };
  const redirection = () => {
    // A number right before it is a descriptor, no word.
    if (context.start !== undefined && /^\d+$/.test(text.slice(context.start, at))) context.start = undefined;
    endWord(at);
    context.target = true;
    at += 1;
  };
  const blank = (character: string) => {
    if (character === '\n') newCommand();
    else endWord(at);
    at += 1;
  };

  const unquoted = (character: string) => {
    if (character === "'" || character === '"') quotes(character);
    else if (character === ')' && closes(character)) return;
    else if (/\s/.test(character)) blank(character);
    else if (/[;&|()]/.test(character)) operator(character);
    else if (/[<>]/.test(character)) redirection();
    else {
      begin();
      plain(character);
    }
  };

  while (at < text.length) {
    const character = text.charAt(at);
    if (quote === "'") quoted(character);
    else if (character === '\\') escaped();
    else if (character === '$' && text[at + 1] === '(') open(')', 2);
    else if (character === '`') {
      if (!closes(character)) open('`', 1);
    } else if (quote === '"') quoted(character);
    else unquoted(character);
  }
  const start = context.start ?? text.length;
  return {
    words: [...context.words, text.slice(start)],
    from: context.words.length === 0 ? start : context.from,
    start,
    quote,
    quoteStart: quote === '' ? start : quoteStart,
    plain: context.start === undefined ? '' : context.plain,
    role: context.target ? 'target' : context.words.length === 0 ? 'command' : 'argument',
  };
}

function fresh(from: number, closer: Context['closer'], outer: Quote): Context {
  return { words: [], from, start: undefined, plain: '', target: false, closer, outer };
}

/** What a shell would not take as it is in a bare word. `~` and `=` matter only where they stand first. */
const SPECIAL = /[\s\\'"$`&|;<>()*?[\]{}!#^]/g;

/** Writes a text so that the shell reads it back, as it goes on within `quote`. A newline can't be escaped: such a text is in `$'…'`. */
export function quoteWord(text: string, quote: Quote): string {
  if (quote === "'") return text.replaceAll("'", "'\\''");
  if (quote === '"') return text.replace(/["$`\\!]/g, (character) => (character === '!' ? '"\\!"' : `\\${character}`));
  if (text.includes('\n')) return `$'${text.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n')}'`;
  return text.replace(SPECIAL, '\\$&').replace(/^[~=]/, '\\$&');
}

/** The same for a path that began with `~`, which must stay bare to mean the home directory. */
export function quotePath(path: string, quote: Quote): string {
  const home = quote === '' ? (/^~[\w.-]*(?=\/|$)/.exec(path)?.[0] ?? '') : '';
  return home + (path === home ? '' : quoteWord(path.slice(home.length), quote));
}
