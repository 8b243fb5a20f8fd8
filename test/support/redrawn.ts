/** Checks that the terminal shows what the program would draw on an empty one. */
import { expect } from 'vitest';
import type { Rig } from './rig.ts';

/** Makes the program redraw everything, as after a resize, and compares. Call it when nothing is happening. */
export async function expectSameWhenRedrawn(rig: Rig): Promise<void> {
  const [before, cursor, { length }] = [picture(rig), cursorOf(rig), rig.raw];
  process.kill(rig.pty.pid, 'SIGWINCH');
  await rig.waitFor(() => rig.raw.indexOf('\x1b[?2026l', length) >= 0);
  expect(picture(rig)).toEqual(before);
  expect(cursorOf(rig)).toEqual(cursor);
}

/** Waits until no command is shown as running: a screen drawn between two states can’t be drawn the same again. */
export async function atRest(rig: Rig): Promise<void> {
  await rig.waitFor(() => !/running \d+ s/.test(rig.text()));
}

/** Returns every row with its styles, except elapsed seconds. */
function picture(rig: Rig): readonly string[] {
  return rig.runs().map((row) => JSON.stringify(row).replaceAll(/\d+ s\b/g, 'n s'));
}

function cursorOf(rig: Rig): Rig['cursor'] | 'hidden' {
  return rig.raw.lastIndexOf('\x1b[?25l') > rig.raw.lastIndexOf('\x1b[?25h') ? 'hidden' : rig.cursor;
}
