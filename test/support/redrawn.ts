/** What stands on the terminal must be the picture that the program would draw on an empty one. */
import { expect } from 'vitest';
import type { Rig } from './rig.ts';

/** Has the program draw everything anew, as after a resize, and compares. To be called when nothing is going on. */
export async function expectSameWhenRedrawn(rig: Rig): Promise<void> {
  const [before, cursor, { length }] = [picture(rig), cursorOf(rig), rig.raw];
  process.kill(rig.pty.pid, 'SIGWINCH');
  await rig.waitFor(() => rig.raw.indexOf('\x1b[?2026l', length) >= 0);
  expect(picture(rig)).toEqual(before);
  expect(cursorOf(rig)).toEqual(cursor);
}

/** Waits until no command is said to run: a picture drawn between two states need not be drawn again. */
export async function atRest(rig: Rig): Promise<void> {
  await rig.waitFor(() => !/running \d+ s/.test(rig.text()));
}

/** Every row in its styles, but for seconds that go by. */
function picture(rig: Rig): readonly string[] {
  return rig.runs().map((row) => JSON.stringify(row).replaceAll(/\d+ s\b/g, 'n s'));
}

function cursorOf(rig: Rig): Rig['cursor'] | 'hidden' {
  return rig.raw.lastIndexOf('\x1b[?25l') > rig.raw.lastIndexOf('\x1b[?25h') ? 'hidden' : rig.cursor;
}
