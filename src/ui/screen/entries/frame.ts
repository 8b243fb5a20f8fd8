/** Parts of entries: gutters, headings, durations. */

import type { AllowedBy } from '../../../session/action.ts';
import { lineWidth, wrapText } from '../../../text/wrap.ts';
import { onGround, padTo, type RenderContext, type Role } from '../../render/theme.ts';

/** Cells of the gutter, whose glyph or bar says who made an entry. */
export const GUTTER = 2;
/** The right part of a heading leaves its words at least this many cells. */
const MIN_HEADING = 18;

export type Gutter = { readonly first: string; readonly rest: string };

/** Puts a gutter before each line; `first` and `rest` must be of the same width. */
export function withGutter(lines: readonly string[], { first, rest }: Gutter): string[] {
  return lines.map((line, index) => (index === 0 ? first : rest) + line);
}

export type Heading = {
  /** The character in one cell, and its role. */
  readonly glyph: string;
  readonly role: Role;
  /** The text with its styles. */
  readonly text: string;
  /** The result, at the right edge; styled. */
  readonly right?: string;
  /** Whether the row has a background over the whole width, as the user’s own lines have. */
  readonly raised?: boolean;
};

/** Returns the heading of an entry over as many rows as its text needs, with the result at the right of the first. */
export function headingLines(
  { glyph, role, text, right = '', raised = false }: Heading,
  { width, paint, theme }: RenderContext,
): string[] {
  const taken = lineWidth(right);
  const beside = taken > 0 && width - GUTTER - taken - 3 >= MIN_HEADING;
  const room = Math.max(1, width - GUTTER - (beside ? taken + 3 : 0));
  const gutter = { first: `${paint(role, glyph)} `, rest: '  ' };
  const lines = withGutter(wrapText(text, room), gutter);
  if (beside) lines[0] = `${padTo(lines[0] ?? '', width - taken - 1)}${right}`;
  else if (taken > 0)
    lines.push(...withGutter(wrapText(right, Math.max(1, width - GUTTER)), { first: '  ', rest: '  ' }));
  return raised ? lines.map((line) => onGround(line, theme.raise, width)) : lines;
}

/** Returns a duration for people: `12 ms`, `3.4 s`, `2 min 5 s`, `1 h 4 min`. */
export function duration(milliseconds: number): string {
  const whole = Math.max(0, Math.round(milliseconds));
  if (whole < 1000) return `${whole} ms`;
  if (whole < 60_000) return `${(Math.floor(whole / 100) / 10).toFixed(1)} s`;
  const seconds = Math.floor(whole / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

/** Returns a duration in whole seconds, for something still in progress, so that no digit flickers. */
export function elapsed(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  return seconds < 60 ? `${seconds} s` : duration(seconds * 1000);
}

/** Returns a size for people, in decimal units: `512 B`, `3.4 kB`, `12 MB`. */
export function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let value = count;
  let unit = 'B';
  for (const next of units) {
    if (value < 1000) break;
    value /= 1000;
    unit = next;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}

const ALLOWED = { reads: 'only reads', kept: 'undoable' } as const;

/** Returns who allowed an action: `approved by you 14:03` in local time, or the rule that needed no approval. */
export function allowedText({ approvedAt, allowedBy }: Allowed): string {
  if (approvedAt !== undefined) return `approved by you ${clock(approvedAt)}`;
  return allowedBy ? ALLOWED[allowedBy] : '';
}

type Allowed = { readonly approvedAt?: number | undefined; readonly allowedBy?: AllowedBy | undefined };

/** Returns why and when an action was not run, and the user's comment. */
export function refusalFacts({
  reason,
  at,
  note,
}: {
  readonly reason: string;
  readonly at?: number | undefined;
  readonly note?: string | undefined;
}): string {
  const facts = [at === undefined ? '' : `by you ${clock(at)}`, reason, note === undefined ? '' : `you said: ${note}`];
  return facts.filter(Boolean).join(' · ');
}

/** Returns the local time of day, `14:03`. */
function clock(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':');
}
