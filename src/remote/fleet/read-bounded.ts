import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** The text of a plain file; undefined where there is none, or where it is longer than `maxBytes`. */
export async function readBounded(path: string, maxBytes: number): Promise<string | undefined> {
  try {
    // A pipe that somebody put there would never open.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = await file.stat();
      return stats.isFile() && stats.size <= maxBytes ? await file.readFile('utf8') : undefined;
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}
