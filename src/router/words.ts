/** Splits a line into the pieces the router looks at. Much simpler than a shell's parser, and it never fails. */

export type Shape =
  | 'word'
  | 'capital'
  | 'upper'
  | 'number'
  | 'flag'
  | 'path'
  | 'file'
  | 'glob'
  | 'variable'
  | 'setting'
  | 'quoted'
  | 'operator'
  | 'url'
  | 'mixed';

export type Piece = {
  readonly text: string;
  readonly shape: Shape;
  /** Lower case, without punctuation at its ends; the apostrophe is the typographic one. */
  readonly plain: string;
  /** The sentence mark that ends it: `,` `.` `?` `!` `:` or nothing. */
  readonly mark: string;
};

/** Lines are judged by their beginning; the rest adds cost but no certainty. */
const MAX_CHARS = 600;
const MAX_PIECES = 40;

// A quoted span counts as one piece where the quote opens a word or follows `=`; an apostrophe inside a word does not open one.
const PIECE = /(?:[^\s"'=]*=)?(?:"(?:[^"\\]|\\.)*"|'[^']*')\S*|\S+/g;

const SHAPES: readonly (readonly [Shape, RegExp])[] = [
  ['operator', /^(?:\|\|?|&&?|;;?|\d?>>?|<<?<?|\d?>&\d?|&>>?|\|&|[<>]\(.*|\\)$/],
  ['url', /^[a-z][a-z+.-]*:\/\//i],
  ['flag', /^(?:--?[A-Za-z0-9?#]|\+[A-Za-z0-9]|--?$)/],
  ['operator', /^(?:\d?>|<)|[|;&]$|\||&&|>>|\d>&/],
  ['setting', /^[\w.-]+=|^[\w.]+:=/],
  ['quoted', /^["']/],
  ['variable', /\$[\w{(@*#?!$-]|`/],
  ['path', /^(?:~|\.{1,2})?\/|^~$|^\.{1,2}$|^[\w.@-]+\/[\w./@-]*\/|^[\w.@-]+\/[\w@-]+\.\w+$|\/$/],
  ['glob', /[*[\]{}]|\?\S/],
  ['number', /^[+-]?\d[\d.,:%-]*$/],
  ['file', /^[\w@+-]*\.[A-Za-z][\w.-]*$|\w:\d|@\w/],
];

/** Cuts a line into at most 40 pieces of its first 600 characters. */
export function pieces(line: string): Piece[] {
  const found: Piece[] = [];
  for (const [text] of line.slice(0, MAX_CHARS).matchAll(PIECE)) {
    found.push(piece(text));
    if (found.length === MAX_PIECES) break;
  }
  return found;
}

function piece(text: string): Piece {
  const bare = text.replace(/^[(“]+|[)”]+$/g, '');
  const mark = /[a-z0-9)"”’'][,.?!:]+$/i.test(bare) ? (/[,.?!:]$/.exec(bare)?.[0] ?? '') : '';
  const core = mark ? bare.replace(/[,.?!:]+$/, '') : bare;
  const shape = shapeOf(core);
  return { text, shape, mark, plain: core.toLowerCase().replaceAll("'", '’') };
}

function shapeOf(core: string): Shape {
  if (/^[a-z]+(?:['’][a-z]+)?$/.test(core)) return 'word';
  if (/^[A-Z][a-z]+(?:['’][a-z]+)?$/.test(core)) return 'capital';
  if (/^[A-Z]+s?$/.test(core)) return core === 'A' || core === 'I' ? 'word' : 'upper';
  for (const [shape, pattern] of SHAPES) if (pattern.test(core)) return shape;
  return /^\p{L}+$/u.test(core) ? 'word' : 'mixed';
}
