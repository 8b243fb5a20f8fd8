/** How a session ended, as rows below the list of sessions: the last of it, the newest lowest. Pure. */
import type { SessionMoment } from '../../contracts/store.ts';
import { plainText } from '../../text/sanitize.ts';
import { wrapText } from '../../text/wrap.ts';
import { cut } from '../render/segments.ts';
import { onGround, type RenderContext, type Role } from '../render/theme.ts';
import { GUTTER, headingLines, withGutter } from './entries/frame.ts';

/** Rows that an answer takes at most. */
const MAX_SAID = 3;
/** Prose is no wider. */
const MAX_WIDTH = 100;
/** Lines by which a model asks for something: its actions are not shown here, and so they are not either. */
const PROTOCOL = /^\s*(CMD&?|DELEGATE|GOAL|TASK):/;

const HEADS = {
  asked: ['?', 'accent'],
  goal: ['»', 'accent'],
  ran: ['❯', 'user'],
} as const satisfies Partial<Record<SessionMoment['kind'], readonly [glyph: string, role: Role]>>;

/** As many of the last moments as `rows` rows have room for. */
export function endingLines(moments: readonly SessionMoment[], rows: number, context: RenderContext): string[] {
  const shown: string[][] = [];
  let room = rows;
  for (const moment of moments.toReversed()) {
    const lines = momentLines(moment, context);
    if (lines.length > room) break;
    room -= lines.length;
    shown.unshift(lines);
  }
  return shown.flat();
}

function momentLines({ kind, text, exit }: SessionMoment, context: RenderContext): string[] {
  const { paint, theme, width } = context;
  const room = Math.max(1, Math.min(width, MAX_WIDTH) - GUTTER);
  if (kind === 'said') {
    const said = plainText(text)
      .split('\n')
      .filter((line) => line.trim() !== '' && !PROTOCOL.test(line));
    const lines = said.flatMap((line) => wrapText(line, room));
    const first = lines.slice(0, MAX_SAID);
    if (lines.length > MAX_SAID) first[MAX_SAID - 1] = `${cut(first[MAX_SAID - 1] ?? '', room - 2)} …`;
    return withGutter(first, { first: `${paint('accent', '●')} `, rest: '  ' });
  }
  if (kind === 'aborted') return [`${paint('warning', '✗')} ${paint('warning', text)}`];
  const [glyph, role] = HEADS[kind];
  const right =
    exit === undefined ? '' : exit === 0 ? paint('success', '✓') : paint('error', exit === null ? '✗' : `✗ ${exit}`);
  const line = cut(plainText(text).replace(/\s*\n\s*/g, ' ⏎ '), Math.max(1, width - GUTTER - 8));
  return headingLines({ glyph, role, text: paint('strong', line), right }, context)
    .slice(0, 1)
    .map((row) => onGround(row, theme.raise, width));
}
