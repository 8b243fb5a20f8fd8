/** Renders Markdown as styled lines of a width, also while it streams (UI-3). */
import { Lexer, type Token, type Tokens } from 'marked';
import { visibleControls } from '../../text/display.ts';
import { stripStyles } from '../../text/style.ts';
import { lineWidth, safeLink, wrapText } from '../../text/wrap.ts';
import { highlight } from './highlight.ts';
import { onGround, paint, type Theme } from './theme.ts';

/** Longer texts are shown unrendered: for some of them the lexer's time grows faster than their length. */
const MAX_CHARS = 400_000;
/** Emphasis and links are searched in pieces up to this size: for some texts that takes quadratic time. */
const MAX_INLINE_CHARS = 3000;
/** Blocks nested deeper than this are shown unrendered. */
const MAX_DEPTH = 12;
/** The smallest width in which text is indented. */
const MIN_WIDTH = 6;

/** Columns that a text to be read has at most; code, tables and rules go to the edge. */
export const MAX_PROSE = 100;

/** Renders a whole text. No line is wider than `width`; raw HTML and control characters are shown as text. */
export function renderMarkdown(text: string, width: number, theme: Theme): string[] {
  const source = normalize(text);
  return renderBlocks(lex(source), width, theme, 0);
}

export type MarkdownStream = {
  /**
   * Returns the lines of the text so far. Only its last blocks are rendered again; anything but an addition starts
   * over.
   */
  update(text: string, width: number, theme: Theme): readonly string[];
};

/** Returns a renderer for a growing text. It keeps all blocks but the last two, which alone can still change. */
export function createMarkdownStream(): MarkdownStream {
  let kept = { source: '', lines: [] as string[], width: 0, theme: undefined as Theme | undefined };

  return {
    update(text, width, theme) {
      const source = normalize(text);
      if (kept.width !== width || kept.theme !== theme || !source.startsWith(kept.source)) {
        kept = { source: '', lines: [], width, theme };
      }
      const tokens = lex(source.slice(kept.source.length));
      const blocks = tokens.flatMap((token, index) => (token.type === 'space' ? [] : [index]));
      let firstOpen = blocks.at(-2) ?? 0;
      // Blocks without an empty line between them may still become one block.
      while (firstOpen > 0 && !/\n[ \t]*\n$/.test(tokens[firstOpen - 1]?.raw ?? '')) firstOpen--;
      const done = tokens.slice(0, firstOpen);
      const raw = done.map((token) => token.raw).join('');
      // For unusual input the lexer’s pieces don’t add up to its source; then nothing is cached.
      if (!source.startsWith(raw, kept.source.length))
        return joinBlocks([kept.lines, renderBlocks(tokens, width, theme, 0)]);
      if (done.length > 0) {
        const lines = renderBlocks(done, width, theme, 0);
        kept = { ...kept, source: kept.source + raw, lines: joinBlocks([kept.lines, lines]) };
      }
      return joinBlocks([kept.lines, renderBlocks(tokens.slice(firstOpen), width, theme, 0)]);
    },
  };
}

/** Returns the text with one kind of line end, so that the lexer's pieces add up to the source. */
function normalize(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

/** A single line that can only be a paragraph: no block mark begins with a letter. */
const ONE_LINE = /^\p{L}[^\n]*$/u;

function lex(source: string): Token[] {
  // Emphasis is not searched in a line this long either, so the lexer would gain nothing.
  if (source.length > MAX_INLINE_CHARS && ONE_LINE.test(source))
    return [{ type: 'paragraph', raw: source, text: source, tokens: [{ type: 'text', raw: source, text: source }] }];
  if (source.length <= MAX_CHARS) {
    try {
      const lexer = new Lexer({ gfm: true });
      lexer.blockTokens(source, lexer.tokens);
      for (const { src, tokens } of lexer.inlineQueue) {
        if (src.length <= MAX_INLINE_CHARS) lexer.inlineTokens(src, tokens);
        else tokens.push({ type: 'text', raw: src, text: src });
      }
      return lexer.tokens;
    } catch {
      // Deep nesting, hostile or broken, overflows the lexer's stack: the text is shown unrendered.
    }
  }
  return [{ type: 'html', raw: source, text: source }];
}

/** Joins groups of lines with an empty line between them. */
function joinBlocks(groups: readonly (readonly string[])[]): string[] {
  const shown = groups.filter((group) => group.length > 0);
  return shown.flatMap((group, index) => (index === 0 ? group : ['', ...group]));
}

function renderBlocks(tokens: readonly Token[], width: number, theme: Theme, depth: number): string[] {
  return joinBlocks(
    tokens
      .filter((token) => token.type !== 'space')
      .map((token) => renderBlock(token as Tokens.Generic, width, theme, depth)),
  );
}

function renderBlock(token: Tokens.Generic, width: number, theme: Theme, depth: number): string[] {
  const prose = Math.min(width, MAX_PROSE);
  if (depth > MAX_DEPTH) return wrapText(plain(token.raw), prose);
  switch (token.type) {
    case 'heading':
      return wrapText(inline(token.tokens, theme, [theme.heading]), prose);
    case 'paragraph':
    case 'text':
      return wrapText(token.tokens === undefined ? plain(textOf(token)) : inline(token.tokens, theme), prose);
    case 'code':
      return renderCode(token as Tokens.Code, width, theme);
    case 'blockquote':
      return prefixed('│ ', '│ ', prose, theme.quote, (room) =>
        renderBlocks(token.tokens ?? [], room, theme, depth + 1),
      );
    case 'list':
      return renderList(token as Tokens.List, prose, theme, depth);
    case 'table':
      return renderTable(token as Tokens.Table, width, theme);
    case 'hr':
      return [paint(theme.rule, '─'.repeat(prose))];
    default:
      return wrapText(plain(token.raw.replace(/\n+$/, '')), prose);
  }
}

/** The end of a code block's first row, which copies the code when it is clicked. */
const COPY = ' copy';

/** Returns whether a row is the first one of a code block. */
export function headsCode(row: string): boolean {
  return stripStyles(row).trimEnd().endsWith(`─${COPY}`);
}

/** Returns the code blocks of a text, in the order in which they are drawn. */
export function codeBlocks(source: string): readonly string[] {
  const within = (tokens: readonly Token[] = []): readonly string[] =>
    tokens.flatMap((token) => {
      const { type, tokens: inner, items = [] } = token as Tokens.Generic;
      if (type === 'code') return [plain(textOf(token))];
      return [...within(inner), ...(items as Tokens.ListItem[]).flatMap((item) => within(item.tokens))];
    });
  return within(lex(normalize(source)));
}

/** Renders code below a rule with the name of its language, on a background; a wrapped line continues after a mark. */
function renderCode({ text, lang }: Tokens.Code, width: number, theme: Theme): string[] {
  const name = plain(lang?.split(/\s/)[0] ?? '').slice(0, 20);
  const code = highlight(plain(text), name, theme);
  if (width < MIN_WIDTH) return wrapText(code, width, { mode: 'hard' });
  const written = code.split('\n');
  // It ends where prose ends, unless a line needs more.
  const end = Math.min(width, Math.max(MAX_PROSE, ...written.map((line) => lineWidth(line) + 3)));
  const rows = written.flatMap((line) => {
    const [first = '', ...more] = wrapText(line, end - 3);
    return [`  ${first}`, ...more.map((rest) => `${paint(theme.rule, '↪')} ${rest}`)];
  });
  const label = name === '' ? '' : ` ${name} `;
  const left = paint(theme.rule, '─'.repeat(Math.max(0, end - 1 - lineWidth(label) - COPY.length)));
  const rule = paint(theme.rule, '─') + (label === '' ? '' : paint(theme.dim, label)) + left + paint(theme.dim, COPY);
  return [rule, ...rows.map((row) => onGround(row, theme.codeGround, end))];
}

function renderList(list: Tokens.List, width: number, theme: Theme, depth: number): string[] {
  const first = Number(list.start || 1);
  const last = first + list.items.length - 1;
  const items = list.items.map((item, index) => {
    const marker = list.ordered ? `${String(first + index).padStart(String(last).length)}. ` : '• ';
    return prefixed(marker, ' '.repeat(marker.length), width, theme.marker, (room) =>
      renderItem(item, room, theme, depth + 1, list.loose),
    );
  });
  return list.loose ? joinBlocks(items) : items.flat();
}

function renderItem(item: Tokens.ListItem, width: number, theme: Theme, depth: number, loose: boolean): string[] {
  // A checkbox is in the line of its item's words, not in a block of its own.
  const box = item.task ? (item.checked ? '☑ ' : '☐ ') : '';
  const blocks = item.tokens.filter((token) => token.type !== 'space' && token.type !== 'checkbox');
  const lines = blocks.map((token) => renderBlock(withoutCheckbox(token), width, theme, depth));
  const body = loose ? joinBlocks(lines) : lines.flat();
  if (box === '') return body.length === 0 ? [''] : body;
  const [head = '', ...rest] = body;
  return [...wrapText(box + head, width), ...rest];
}

function withoutCheckbox(token: Token): Token {
  const generic = token as Tokens.Generic;
  return generic.tokens?.[0]?.type === 'checkbox' ? { ...generic, tokens: generic.tokens.slice(1) } : token;
}

/** Renders lines with a prefix before each; without it on a screen that is too narrow. */
function prefixed(
  first: string,
  rest: string,
  width: number,
  style: string,
  render: (room: number) => string[],
): string[] {
  const taken = lineWidth(first);
  if (width < MIN_WIDTH || taken > width / 2) return render(width);
  return render(width - taken).map((line, index) => {
    const prefix = index === 0 ? first : rest;
    return (prefix.trim() === '' ? prefix : paint(style, prefix)) + line;
  });
}

// A Markdown table: columns shrink in proportion; where they would become too narrow, each row is shown as a record.

/** A column narrower than this cannot be read. */
const MIN_COLUMN_WIDTH = 4;
const BETWEEN = ' │ ';

/** Lines of at most `width` cells. */
function renderTable(table: Tokens.Table, width: number, theme: Theme): string[] {
  const header = table.header.map((cell) => oneLine(inline(cell.tokens, theme, [theme.strong])));
  const rows = table.rows.map((row) => row.map((cell) => oneLine(inline(cell.tokens, theme))));
  const columns = columnWidths(
    header.map((cell, column) => Math.max(1, lineWidth(cell), ...rows.map((row) => lineWidth(row[column] ?? '')))),
    width - BETWEEN.length * (header.length - 1),
  );
  if (columns === undefined) return renderRecords(header, rows, width);
  const rule = paint(theme.rule, columns.map((column) => '─'.repeat(column)).join('─┼─'));
  const draw = (row: readonly string[]) => renderRow(row, columns, table.align, theme);
  return [...draw(header), rule, ...rows.flatMap(draw)];
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ');
}

/** Returns widths that fit together; undefined when some column would be too narrow to read. */
function columnWidths(wanted: readonly number[], room: number): readonly number[] | undefined {
  let left = room;
  const widths: number[] = [...wanted];
  // Narrow columns get the width they want; the others share the rest evenly.
  const order = wanted.map((_, index) => index).sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0));
  for (const [done, index] of order.entries()) {
    const share = Math.floor(left / (order.length - done));
    const width = Math.min(wanted[index] ?? 0, share);
    if (width < Math.min(MIN_COLUMN_WIDTH, wanted[index] ?? 0)) return undefined;
    widths[index] = width;
    left -= width;
  }
  return widths;
}

function renderRow(
  row: readonly string[],
  columns: readonly number[],
  align: readonly (string | null)[],
  theme: Theme,
): string[] {
  const cells = columns.map((column, index) => wrapText(row[index] ?? '', column));
  const height = Math.max(1, ...cells.map((cell) => cell.length));
  const between = paint(theme.rule, BETWEEN);
  return Array.from({ length: height }, (_, line) =>
    columns
      .map((column, index) => pad(cells[index]?.[line] ?? '', column, align[index] ?? 'left'))
      .join(between)
      .trimEnd(),
  );
}

function pad(text: string, width: number, align: string): string {
  const missing = Math.max(0, width - lineWidth(text));
  const before = align === 'right' ? missing : align === 'center' ? Math.floor(missing / 2) : 0;
  return ' '.repeat(before) + text + ' '.repeat(missing - before);
}

/** Renders a cell a line, named by its header, for narrow screens. */
function renderRecords(header: readonly string[], rows: readonly (readonly string[])[], width: number): string[] {
  return rows.flatMap((row, index) => [
    ...(index === 0 ? [] : ['']),
    ...header.flatMap((name, column) => wrapText(`${name}: ${row[column] ?? ''}`, width, { indent: '  ' })),
  ]);
}

// The inside of Markdown blocks: words with their styles, as text with SGR and hyperlinks.

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  copy: '©',
  rarr: '→',
  larr: '←',
};

/**
 * Returns a model's text safe to draw: controls of the terminal and of the text's direction are made visible (law 1).
 */
function plain(text: string): string {
  return visibleControls(text);
}

/**
 * Returns the text between tags with its entities decoded. A numeric entity may be a control character, so the result
 * is cleaned.
 */
function decoded(text: string): string {
  const result = text.replace(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi,
    (whole: string, ...groups: (string | undefined)[]) => {
      const [decimal, hex = '', name] = groups;
      if (name !== undefined) return ENTITIES[name] ?? whole;
      const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
      return code > 0 && code <= 0x10_ff_ff && (code < 0xd8_00 || code > 0xdf_ff) ? String.fromCodePoint(code) : whole;
    },
  );
  return plain(result);
}

/** Renders inline tokens in the styles of their surroundings; every piece carries its whole style. */
function inline(tokens: readonly Token[] | undefined, theme: Theme, styles: readonly string[] = []): string {
  return (tokens ?? []).map((token) => piece(token as Tokens.Generic, theme, styles)).join('');
}

/** Returns the text of a token, whose type allows anything. */
function textOf(token: Tokens.Generic): string {
  return typeof token.text === 'string' ? token.text : token.raw;
}

function piece(token: Tokens.Generic, theme: Theme, styles: readonly string[]): string {
  const inside = (style: string) => inline(token.tokens, theme, [...styles, style]);
  switch (token.type) {
    case 'strong':
      return inside(theme.strong);
    case 'em':
      return inside(theme.emphasis);
    case 'del':
      return inside(theme.strike);
    case 'codespan':
      return draw(plain(textOf(token)), [...styles, theme.code]);
    case 'br':
      return '\n';
    case 'link':
      return link(token, theme, styles);
    case 'image':
      return link(
        { ...token, tokens: [{ type: 'text', raw: textOf(token), text: `[image: ${textOf(token)}]` }] },
        theme,
        styles,
      );
    case 'checkbox':
      return draw(token.checked ? '☑ ' : '☐ ', styles);
    case 'text':
      return token.tokens === undefined ? draw(decoded(textOf(token)), styles) : inline(token.tokens, theme, styles);
    case 'escape':
      return draw(plain(textOf(token)), styles);
    default:
      // Raw HTML and unknown tokens are text.
      return draw(plain(token.raw), styles);
  }
}

/** Renders a link. Where its words don't show the address, the address follows, so that the words can't deceive. */
function link(token: Tokens.Generic, theme: Theme, styles: readonly string[]): string {
  const address = plain(String(token.href ?? ''));
  const target = safeLink(address);
  const words = inline(token.tokens, theme, target === '' ? styles : [...styles, theme.link]);
  const shown = target === '' ? words : `\x1b]8;;${target}\x1b\\${words}\x1b]8;;\x1b\\`;
  const said = token.text === address || `mailto:${token.text}` === address || `http://${token.text}` === address;
  return said ? shown : `${shown}${draw(` (${address})`, [...styles, theme.dim])}`;
}

/** Styles each line separately, since wrapped lines are drawn separately. */
function draw(text: string, styles: readonly string[]): string {
  const style = styles.filter((part) => part !== '').join(';');
  return style === ''
    ? text
    : text
        .split('\n')
        .map((line) => paint(style, line))
        .join('\n');
}
