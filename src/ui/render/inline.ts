/** The inside of Markdown blocks: words with their styles, as text with SGR and hyperlinks. */
import type { Token, Tokens } from 'marked';
import { visibleControls } from '../../text/display.ts';
import { safeLink } from '../../text/wrap.ts';
import { paint, type Theme } from './theme.ts';

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

/** Text of a model, fit to be drawn: whatever controls the terminal or turns text around is made visible (law 1). */
export function plain(text: string): string {
  return visibleControls(text);
}

/** Text between tags, where `&amp;` means `&`. What a number names may be a control character, so it is cleaned after. */
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

/** Inline tokens in the styles of their surroundings; every piece carries its whole style. */
export function inline(tokens: readonly Token[] | undefined, theme: Theme, styles: readonly string[] = []): string {
  return (tokens ?? []).map((token) => piece(token as Tokens.Generic, theme, styles)).join('');
}

/** The text of a token; its type allows anything. */
export function textOf(token: Tokens.Generic): string {
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
      // Raw HTML and whatever else there may be is text.
      return draw(plain(token.raw), styles);
  }
}

/** A link whose words don't say where it leads is followed by its address, so that the words can't lie. */
function link(token: Tokens.Generic, theme: Theme, styles: readonly string[]): string {
  const address = plain(String(token.href ?? ''));
  const target = safeLink(address);
  const words = inline(token.tokens, theme, target === '' ? styles : [...styles, theme.link]);
  const shown = target === '' ? words : `\x1b]8;;${target}\x1b\\${words}\x1b]8;;\x1b\\`;
  const said = token.text === address || `mailto:${token.text}` === address || `http://${token.text}` === address;
  return said ? shown : `${shown}${draw(` (${address})`, [...styles, theme.dim])}`;
}

/** Each line by itself, since a wrapped line is drawn by itself. */
function draw(text: string, styles: readonly string[]): string {
  const style = styles.filter((part) => part !== '').join(';');
  return style === ''
    ? text
    : text
        .split('\n')
        .map((line) => paint(style, line))
        .join('\n');
}
