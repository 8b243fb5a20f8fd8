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
  let operand = false;
  let text = false;
  for (let at = 0; at < code.length; ) {
    const mark = /^["`]\d+["`]/.exec(code.slice(at, at + 12))?.[0];
    const word = mark === undefined ? /^[$@%&]?\w+/.exec(code.slice(at, at + 100))?.[0] : undefined;
    const c = code.charAt(at);
    if (mark !== undefined) {
      // No language has a text right behind an expression or another text.
      if (text) return false;
      text = true;
      operand = true;
      at += mark.length;
    } else if (word !== undefined) {
      at += word.length;
      text = false;
      operand = !BEFORE_EXPRESSION.test(word);
      if (program !== 'perl' || !/^(m|s|tr|y|q|qq|qw|qr|qx)$/.test(word)) continue;
      const end = literalEnd(code, at, /^(s|tr|y)$/.test(word) ? 2 : 1);
      if (end === undefined) return false;
      operand = true;
      at = end;
    } else if (c === '/' && !operand) {
      const end = closing(code, at + 1, '/');
      const body = end === undefined ? '"' : code.slice(at + 1, end).replace(/\\./g, '');
      if (end === undefined || /["`\n]|\[[^\]]*$/.test(body)) return false;
      operand = true;
      text = true;
      at = end + 1;
    } else {
      // A bracket that closes may end a value or a condition: then a slash with a quote behind it says nothing certain.
      if (
        /[)}]/.test(c) &&
        /^\s*\/[^/\n]*["`]/.test(code.slice(at + 1, at + 200)) &&
        /\b(if|while|for|unless|until)\b|\}\s*\//.test(code)
      )
        return false;
      if (!/\s/.test(c)) {
        operand = /[)\]}]/.test(c);
        text = false;
      }
      at++;
    }
  }
  return true;
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
