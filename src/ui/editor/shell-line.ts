/**
 * Cuts a shell line into the spans that are coloured while it is typed. Much simpler than a shell's parser; it never
 * fails.
 */

export type SpanKind = 'command' | 'keyword' | 'flag' | 'string' | 'variable' | 'operator' | 'comment' | 'word';

/** A stretch of the line, in UTF-16 offsets. */
export type Span = { readonly start: number; readonly end: number; readonly kind: SpanKind };

/** Longer lines are not coloured, since each key costs their length. */
const MAX_CHARS = 4000;

/** Words after which another command begins. */
const OPENERS = new Set(
  'if then else elif do while until ! time { coproc and or not begin sudo doas env nohup command builtin exec nice xargs'.split(
    ' ',
  ),
);
/** Keywords after which no command begins. */
const KEYWORDS = new Set('for case in esac done fi } select function end switch'.split(' '));
const GRAMMAR = new Set('if then else elif do while until ! { and or not begin'.split(' '));
const ASSIGNMENT = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/;
const OPERATOR = /^(?:&&|\|\||;;|\|&|&>>?|\d*(?:<<<|<<-?|<>|>>|>\||[<>]&?\d?)|[|&;()])/;
const WORD_END = /[\s|&;()<>]/;

/** Returns the spans of a line in order; blanks belong to none. */
export function shellSpans(text: string): readonly Span[] {
  if (text.length > MAX_CHARS) return [];
  const spans: Span[] = [];
  const put = (start: number, end: number, kind: SpanKind) => {
    if (end > start) spans.push({ start, end, kind });
  };
  let at = 0;
  /** The next word is a command's name. */
  let opens = true;
  /** The next word is the file of a redirection. */
  let target = false;
  while (at < text.length) {
    const char = text[at] ?? '';
    if (/\s/.test(char)) {
      if (char === '\n') opens = true;
      at += 1;
      continue;
    }
    if (char === '#') {
      const end = endOfLine(text, at);
      put(at, end, 'comment');
      at = end;
      continue;
    }
    const operator = OPERATOR.exec(text.slice(at, at + 8))?.[0];
    if (operator !== undefined) {
      put(at, at + operator.length, 'operator');
      at += operator.length;
      target = /[<>]/.test(operator) && !/[&\d]$/.test(operator);
      if (!/[<>]/.test(operator)) opens = operator !== ')';
      continue;
    }
    const end = endOfWord(text, at);
    const word = text.slice(at, end);
    if (target) putWord(word, at, 'word', put);
    else if (opens) opens = putOpening(word, at, put);
    else putWord(word, at, word.startsWith('-') ? 'flag' : word === 'in' ? 'keyword' : 'word', put);
    target = false;
    at = end;
  }
  return spans;
}

type Put = (start: number, end: number, kind: SpanKind) => void;

/** A word where a command's name may stand; returns whether the next one is another such word. */
function putOpening(word: string, at: number, put: Put): boolean {
  const assigns = ASSIGNMENT.exec(word)?.[0].length;
  if (assigns !== undefined) {
    put(at, at + assigns, 'variable');
    putWord(word.slice(assigns), at + assigns, 'word', put);
    return true;
  }
  if (word.startsWith('-')) {
    put(at, at + word.length, 'flag');
    return true;
  }
  if (GRAMMAR.has(word) || KEYWORDS.has(word)) put(at, at + word.length, 'keyword');
  else putWord(word, at, 'command', put);
  return OPENERS.has(word);
}

/** Adds a word whose quotes and variables have colours of their own. */
function putWord(
  word: string,
  from: number,
  kind: SpanKind,
  put: (start: number, end: number, kind: SpanKind) => void,
): void {
  if (!/["'$`\\]/.test(word)) return put(from, from + word.length, kind);
  let plain = 0;
  const parts = word.matchAll(/'[^']*'?|"(?:[^"\\]|\\[\s\S])*"?|\$\{[^}]*\}?|\$[A-Za-z_]\w*|\$[@*#?$!\d-]|\\[\s\S]?/g);
  for (const part of parts) {
    if (part[0].startsWith('\\')) continue;
    put(from + plain, from + part.index, kind);
    plain = part.index + part[0].length;
    put(from + part.index, from + plain, part[0].startsWith('$') ? 'variable' : 'string');
  }
  put(from + plain, from + word.length, kind);
}

function endOfWord(text: string, from: number): number {
  let at = from;
  let depth = 0;
  while (at < text.length) {
    const char = text[at] ?? '';
    if (char === '\\') at += 2;
    else if (char === "'") at = behind(text, at + 1, "'");
    else if (char === '"') at = behind(text, at + 1, '"');
    else if (char === '$' && text[at + 1] === '(') {
      depth += 1;
      at += 2;
    } else if (depth > 0 && char === ')') {
      depth -= 1;
      at += 1;
    } else if (depth === 0 && WORD_END.test(char)) break;
    else at += 1;
  }
  return Math.min(Math.max(at, from + 1), text.length);
}

/** Returns the offset behind the closing quote, or the end of the text. */
function behind(text: string, from: number, quote: string): number {
  for (let at = from; at < text.length; at += 1) {
    if (quote === '"' && text[at] === '\\') at += 1;
    else if (text[at] === quote) return at + 1;
  }
  return text.length;
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}
