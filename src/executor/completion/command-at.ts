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
  let quote: Quote = '';
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

  while (at < text.length) {
    const character = text[at] ?? '';
    const two = text.slice(at, at + 2);
    if (quote === "'") {
      if (character === "'") quote = '';
      else context.plain += character;
      at += 1;
    } else if (character === '\\') {
      begin();
      const next = text[at + 1] ?? '';
      context.plain += quote === '"' && !/["$`\\\n]/.test(next) ? `\\${next}` : next;
      at += 2;
    } else if (two === '$(') open(')', 2);
    else if (character === '`' && context.closer === '`') {
      endWord(at);
      close();
    } else if (character === '`') open('`', 1);
    else if (quote === '"') {
      if (character === '"') quote = '';
      else context.plain += character;
      at += 1;
    } else if (character === "'" || character === '"') {
      begin();
      quote = character;
      at += 1;
      quoteStart = at;
    } else if (character === ')' && context.closer === ')') {
      endWord(at);
      close();
    } else if (/\s/.test(character)) {
      if (character === '\n') newCommand();
      else endWord(at);
      at += 1;
    } else if (/[;&|()]/.test(character)) {
      // `>&` and `<&` belong to a redirection, `&>` begins one.
      if (character === '&' && (/[<>]/.test(text[at - 1] ?? '') || text[at + 1] === '>')) {
        at += 1;
        continue;
      }
      newCommand();
      at += 1;
    } else if (/[<>]/.test(character)) {
      // A number right before it is a descriptor, no word.
      if (context.start !== undefined && /^\d+$/.test(text.slice(context.start, at))) context.start = undefined;
      endWord(at);
      context.target = true;
      at += 1;
    } else {
      begin();
      context.plain += character;
      at += 1;
    }
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
