/** Source code with its strings taken out, so that a call in a string is not taken for a call. */
export type Skeleton = {
  /** Comments dropped; each string is `"n"`, n its index in `strings`. Backtick and `qx` strings are `` `n` ``. */
  readonly code: string;
  readonly strings: readonly string[];
};

export type Comments = 'hash' | 'slash' | 'both' | 'dash' | 'semicolon';

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '0': '' };

/** How a comment begins, in each style; what stands before it may make it something else. */
const BEGINS: Readonly<Record<Comments, readonly ('#' | '//' | '/*' | '--' | ';')[]>> = {
  hash: ['#'],
  slash: ['//', '/*'],
  both: ['#', '//', '/*'],
  dash: ['--'],
  semicolon: [';'],
};
/** Where each kind ends, and what is left of it. */
const COMMENT_ENDS = {
  '#': { end: '\n', left: '\n', not: /[$&\\]/ },
  ';': { end: '\n', left: '\n', not: undefined },
  '//': { end: '\n', left: '\n', not: /:/ },
  '/*': { end: '*/', left: '', not: undefined },
  '--': { end: '\n', left: '', not: undefined },
} as const;

/** Takes strings and comments out of `source`. Linear; unterminated strings end with the text. */
export function skeleton(source: string, comments: Comments, backtickRuns: boolean): Skeleton {
  const strings: string[] = [];
  let code = '';
  let i = 0;
  while (i < source.length) {
    const c = source.charAt(i);
    const comment = commentAt(source, i, comments);
    if (comment) {
      i = comment.end;
      code += comment.left;
    } else if (c === '"' || (c === "'" && comments !== 'semicolon') || c === '`') {
      const triple = c !== '`' && source.startsWith(c.repeat(3), i) ? c.repeat(3) : c;
      const start = i + triple.length;
      const { text, end } = readString(source, start, triple);
      const mark = c === '`' && backtickRuns ? '`' : '"';
      code += `${mark}${strings.push(text) - 1}${mark}`;
      i = end;
    } else if (backtickRuns && /^(qx|%x)[{(/|!]/.test(source.slice(i, i + 3)) && !/\w/.test(source[i - 1] ?? '')) {
      const close = { '{': '}', '(': ')' }[source[i + 2] ?? ''] ?? source.charAt(i + 2);
      const end = endOf(source, close, i + 3);
      code += `\`${strings.push(source.slice(i + 3, end)) - 1}\``;
      i = end + 1;
    } else {
      code += c;
      i++;
    }
  }
  return { code: foldConcatenations(code, strings), strings };
}

/** The end of a comment that begins at `i`, and what stands in the code for it. */
function commentAt(source: string, i: number, comments: Comments): { end: number; left: string } | undefined {
  for (const begin of BEGINS[comments]) {
    if (!source.startsWith(begin, i)) continue;
    const { end, left, not } = COMMENT_ENDS[begin];
    if (not?.test(source[i - 1] ?? '')) continue;
    const at = endOf(source, end, begin === '/*' ? i + 2 : i);
    return { end: begin === '/*' ? at + 2 : at, left };
  }
  return undefined;
}

function endOf(source: string, text: string, from: number): number {
  const at = source.indexOf(text, from);
  return at < 0 ? source.length : at;
}

function readString(source: string, start: number, close: string): { text: string; end: number } {
  let text = '';
  let i = start;
  while (i < source.length && !source.startsWith(close, i)) {
    if (source[i] === '\\' && i + 1 < source.length) {
      const hex = /^\\x([0-9a-fA-F]{2})/.exec(source.slice(i, i + 4));
      if (hex) {
        text += String.fromCharCode(Number.parseInt(hex[1] ?? '', 16));
        i += 4;
        continue;
      }
      const next = source.charAt(i + 1);
      text += ESCAPES[next] ?? next;
      i += 2;
    } else {
      text += source.charAt(i);
      i++;
    }
  }
  return { text, end: i + close.length };
}

/** `"rem" + "ove"` → one string, as often as it takes (bounded). */
function foldConcatenations(code: string, strings: string[]): string {
  let out = code;
  for (let round = 0; round < 12; round++) {
    const next = out.replace(/"(\d+)"\s*(?:\+|\.(?=\s*"))\s*"(\d+)"/g, (_, a: string, b: string) => {
      return `"${strings.push((strings[Number(a)] ?? '') + (strings[Number(b)] ?? '')) - 1}"`;
    });
    if (next === out) return out;
    out = next;
  }
  return out;
}
