/** A HALT on the screen of the built program: how a test reaches one, and something to delete. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Scratch } from './program.ts';
import type { Rig } from './rig.ts';

/** Types a goal, and resolves when its HALT is on screen and accepts answers. */
export async function haltOn(rig: Rig, goal: string): Promise<void> {
  await rig.waitFor('[aish:fast]>');
  rig.type(`:norris ${goal}\r`);
  await rig.waitFor('HALT');
  await armed(rig);
}

/** Waits until a HALT accepts keys, which its hint shows: its frame is drawn and the keyboard was quiet. */
export async function armed(rig: Rig): Promise<void> {
  await rig.waitFor(/p\W+proceed/);
  await rig.waitFor(/all shown|Enter: /);
}

/** Makes a directory to delete, and returns its path. */
export function withFoo(place: Scratch): string {
  mkdirSync(join(place.work, 'foo'));
  writeFileSync(join(place.work, 'foo', 'a'), 'x');
  return join(place.work, 'foo');
}
