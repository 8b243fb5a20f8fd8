import type { Skeleton } from './skeleton.ts';

/** Words after which a slash begins an expression. */
const BEFORE_EXPRESSION =
  /^(return|typeof|case|in|of|if|unless|while|until|and|or|not|x|split|grep|map|when|then|do|else|elsif|print|puts|void|delete|new|yield|await|first|any|join|push|p)$/;
const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '<': '>' };

/**
 * Were the strings taken out where the language itself has them? A quote within a regular expression, in a literal of another
 * form or in a documentation block would put the reader out of step, so that code passes for text.
 */
export function isInStep(program: string, source: string, { code }: Skeleton): boolean {
  if (program === 'node') return expressionsHoldNoQuotes(program, code);
  if (/^=\w/m.test(source) || /[^\s$&\\"'`]#(?!\{)/.test(source.replace(/(["'])(?:\\.|(?!\1)[^\\])*\1/g, '""')))
    return false;
  // `$a'b` is a name of Perl; `?"` a character of Ruby.
  if (/\w"\d+"/.test(code) || (program === 'ruby' && /%[qQwWiIrsx]?[([{<|!/]|\?["'`]/.test(source))) return false;
  return expressionsHoldNoQuotes(program, code);
}

function expressionsHoldNoQuotes(program: string, code: string): boolean {
  const before: Before = { operand: false, text: false };
  for (let at = 0; at < code.length; ) {
    const end = readPart(program, code, at, before);
    if (end === undefined) return false;
    at = end;
  }
  return true;
}

/** What stands before the part that is read: something that has a value, a text or an expression. */
type Before = { operand: boolean; text: boolean };

/** The end of the next part; undefined where the reader may be out of step. */
function readPart(program: string, code: string, at: number, before: Before): number | undefined {
  const mark = /^["`]\d+["`]/.exec(code.slice(at, at + 12))?.[0];
  if (mark !== undefined) {
    // No language has a text right behind an expression or another text.
    if (before.text) return undefined;
    before.text = true;
    before.operand = true;
    return at + mark.length;
  }
  const word = /^[$@%&]?\w+/.exec(code.slice(at, at + 100))?.[0];
  if (word !== undefined) {
    const literal = program === 'perl' && /^(m|s|tr|y|q|qq|qw|qr|qx)$/.test(word);
    before.text = false;
    before.operand = literal || !BEFORE_EXPRESSION.test(word);
    return literal ? literalEnd(code, at + word.length, /^(s|tr|y)$/.test(word) ? 2 : 1) : at + word.length;
  }
  return code[at] === '/' && !before.operand ? readExpression(code, at, before) : readSign(code, at, before);
}

function readExpression(code: string, at: number, before: Before): number | undefined {
  const end = closing(code, at + 1, '/');
  const body = end === undefined ? '"' : code.slice(at + 1, end).replace(/\\./g, '');
  if (end === undefined || /["`\n]|\[[^\]]*$/.test(body)) return undefined;
  before.operand = true;
  before.text = true;
  return end + 1;
}

function readSign(code: string, at: number, before: Before): number | undefined {
  const c = code.charAt(at);
  // A bracket that closes may end a value or a condition: then a slash with a quote behind it says nothing certain.
  if (
    /[)}]/.test(c) &&
    /^\s*\/[^/\n]*["`]/.test(code.slice(at + 1, at + 200)) &&
    /\b(if|while|for|unless|until)\b|\}\s*\//.test(code)
  )
    return undefined;
  if (!/\s/.test(c)) {
    before.operand = /[)\]}]/.test(c);
    before.text = false;
  }
  return at + 1;
}

/** The end of `q(…)`, `s{…}{…}`, `m|…|`; a word of that name without a literal ends where it stands. */
function literalEnd(code: string, from: number, parts: number): number | undefined {
  let at = from;
  while (/[ \t]/.test(code.charAt(at))) at++;
  const opens = code.charAt(at);
  if (opens === '' || /[\s\w,;=)]/.test(opens) || code.startsWith('=>', at)) return from;
  for (let part = 0; part < parts; part++) {
    const end = closing(code, at + 1, CLOSING[opens] ?? opens);
    if (end === undefined || /["`#]/.test(code.slice(at, end))) return undefined;
    at = part + 1 < parts && CLOSING[opens] !== undefined ? code.indexOf(opens, end) : end;
    if (at < 0) return undefined;
  }
  return at + 1;
}

function closing(code: string, from: number, delimiter: string): number | undefined {
  for (let at = from; at < code.length; at++) {
    if (code[at] === '\\') at++;
    else if (code[at] === delimiter) return at;
  }
  return undefined;
}
