/** A terminal's screen as an SVG: the same cells give the same bytes. */
import stringWidth from 'string-width';
import type { Colour, Run, Style } from '../../test/support/cells.ts';

/** Pixels. The font is whatever monospace the reader has, so each piece of text is stretched to its cells. */
const CELL = { width: 8.4, height: 18 };
const FONT_SIZE = 14;
const BASELINE = 13.5;
const MARGIN = 14;

/** What a terminal of each kind has by itself. */
const GROUNDS = {
  dark: { ink: '#d8dee9', paper: '#14181f' },
  light: { ink: '#2d343e', paper: '#fcfcfa' },
} as const;

type Ground = (typeof GROUNDS)[keyof typeof GROUNDS];

/** The sixteen named colours, which are the terminal's to choose. */
const NAMED = [
  '#3b4252',
  '#e0606a',
  '#a3be8c',
  '#ebcb8b',
  '#81a1c1',
  '#b48ead',
  '#88c0d0',
  '#e5e9f0',
  '#6b7689',
  '#ff7a85',
  '#b8d6a0',
  '#ffe0a0',
  '#9cbfe4',
  '#d0a8ca',
  '#a0dbe8',
  '#ffffff',
];

/** Rows of equally styled runs, as `Rig.runs()` gives them, `columns` cells wide. `title` is read out to the blind. */
export function screenToSvg(
  rows: readonly (readonly Run[])[],
  columns: number,
  title: string,
  terminal: keyof typeof GROUNDS = 'dark',
): string {
  const ground = GROUNDS[terminal];
  const width = pixels(columns * CELL.width + 2 * MARGIN);
  const height = pixels(rows.length * CELL.height + 2 * MARGIN);
  const body = rows
    .flatMap((row, index) => row.map((run) => drawRun(run, index, ground)))
    .filter((part) => part !== '');
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>${escapeXml(title)}</title>
<style>text{font:${FONT_SIZE}px ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace}</style>
<rect width="100%" height="100%" rx="8" fill="${ground.paper}"/>
${body.join('\n')}
</svg>
`;
}

function drawRun({ column, width, text, style }: Run, row: number, { ink: own, paper: bare }: Ground): string {
  const foreground = rgb(style.foreground) ?? own;
  const background = rgb(style.background);
  const [ink, paper] = style.inverse ? [background ?? bare, foreground] : [foreground, background];
  const y = MARGIN + row * CELL.height;
  const box = (fill: string) =>
    `<rect x="${across(column)}" y="${pixels(y)}" width="${pixels(width * CELL.width)}" height="${CELL.height}" fill="${fill}"/>`;
  const pieces = [...text.matchAll(/\S+(?: \S+)*/g)].map((match) => {
    const [piece] = match;
    const start = column + stringWidth(text.slice(0, match.index));
    const place = `x="${across(start)}" y="${pixels(y + BASELINE)}"`;
    const fit = `textLength="${pixels(stringWidth(piece) * CELL.width)}" lengthAdjust="spacingAndGlyphs"`;
    return `<text ${place} ${fit} fill="${ink}"${look(style)}>${escapeXml(piece)}</text>`;
  });
  return (paper ? box(paper) : '') + pieces.join('');
}

function across(column: number): number {
  return pixels(MARGIN + column * CELL.width);
}

function look({ bold, dim, italic, underline }: Style): string {
  return [
    bold && ' font-weight="bold"',
    dim && ' opacity="0.6"',
    italic && ' font-style="italic"',
    underline && ' text-decoration="underline"',
  ]
    .filter(Boolean)
    .join('');
}

function rgb(colour: Colour | undefined): string | undefined {
  if (!colour) return undefined;
  if ('rgb' in colour) return hex(colour.rgb);
  return NAMED[colour.palette] ?? hex(fixed(colour.palette));
}

/** The colours 16–255 of xterm's palette: a cube of 6×6×6, then 24 greys. */
function fixed(index: number): number {
  if (index >= 232) return ((index - 232) * 10 + 8) * 0x010101;
  const level = (step: number) => (step === 0 ? 0 : step * 40 + 55);
  const cube = index - 16;
  return (level(Math.floor(cube / 36)) << 16) | (level(Math.floor(cube / 6) % 6) << 8) | level(cube % 6);
}

function hex(value: number): string {
  return `#${value.toString(16).padStart(6, '0')}`;
}

function pixels(value: number): number {
  return Math.round(value * 100) / 100;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
