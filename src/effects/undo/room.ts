/** A change was refused since the store is full: room can be made by giving up what is older. */
import { statSync } from 'node:fs';
import type { Leftover } from '../../contracts/commands.ts';
import type { Recorded } from './record.ts';

/** Undefined where nothing was refused for that, or giving up `others` would not help. */
export function withoutRoom(
  { notes }: Pick<Recorded, 'notes'>,
  others: () => readonly Recorded[],
  maxFileBytes: number,
  drop: (action: Recorded) => Promise<void>,
): Leftover | undefined {
  const full = notes.filter((note) => note.startsWith('full ')).map((note) => note.slice('full '.length));
  const helps = full.filter((path) => sizeOf(path) <= maxFileBytes);
  const room = others().reduce((sum, { bytes }) => sum + bytes, 0);
  // The journals of others alone are no room worth their undo.
  if (helps.length === 0 || room === 0 || room < Math.min(...helps.map(sizeOf))) return undefined;
  return {
    about: 'room',
    items: [...new Set(helps)].map((path) => `${path} was not changed`),
    diff: '',
    async settle(yes) {
      if (!yes) return `no room to keep ${full.join(', ')}: the command was told that the disk is full`;
      for (const action of others()) await drop(action);
      return 'there is room again to keep what commands change: what failed for want of it can be run again';
    },
  };
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}
