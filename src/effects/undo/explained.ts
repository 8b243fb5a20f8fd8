/**
 * Finds which unrecorded changes during one action were made by another action of the session. If a file was edited
 * while a job ran, the edit is recorded by its own action, so nothing is lost.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileOf, type Launch, namesLeft, unkeptIn } from './names.ts';
import { bytesOfText, seenAt, textOfBytes, UNKNOWN } from './paths.ts';

type Place = { readonly directory: string };

const EXPLAINED = 'explained';
/** Steps of an undo that change no directory. */
const IN_PLACE: ReadonlySet<string> = new Set(['changed', 'mode']);

/** Returns the paths that changed without being recorded, from an action’s notes. */
export const unkeptPaths = (notes: readonly string[]) => unkeptIn(notes, []).map(({ path }) => path);

/** Returns the notes without those about a path that another action changed. */
export function withoutExplained({ directory }: Place, notes: readonly string[]): readonly string[] {
  try {
    const explained = new Set(textOfBytes(readFileSync(join(directory, EXPLAINED))).split('\0'));
    return notes.filter((note) => !unkeptPaths([note]).some((path) => explained.has(path)));
  } catch {
    return notes;
  }
}

/**
 * Notes, in a file beside an action, that the changes of these paths are explained. On a full disk the note is omitted.
 */
function writeExplained({ directory }: Place, paths: readonly string[]): void {
  try {
    writeFileSync(join(directory, EXPLAINED), bytesOfText(paths.join('\0')), { mode: 0o600 });
  } catch {
    // The action stays marked as incomplete.
  }
}

/**
 * Finds the paths whose state equals what one of `others` left, and marks them as explained. A directory is explained
 * by a name that another action created, moved or removed in it. Resolves to whether none remain; never rejects.
 */
export async function explain(
  launch: Launch,
  action: Place & { readonly notes: readonly string[] },
  others: readonly Place[],
): Promise<boolean> {
  const explained: string[] = [];
  let left = unkeptPaths(action.notes);
  for (const { directory } of others.toReversed()) {
    if (left.length === 0) break;
    const names = await namesLeft(launch, directory).catch(() => []);
    const { steps } = await launch('--undo', directory);
    const moments = new Map(names.map(({ path, now }) => [path, now]));
    const moved = steps.filter(({ verb }) => !IN_PLACE.has(verb)).flatMap(({ path, source }) => [path, source]);
    const around = new Set(moved.map((path) => dirname(path)));
    const isOf = (path: string) => {
      const found = seenAt(path);
      if (found === UNKNOWN) return false;
      if (found === undefined) return moved.includes(path);
      const then = moments.get(path);
      const same = then?.file === fileOf(found) && (found.isDirectory() || then.changed === found.ctimeNs);
      return same || (found.isDirectory() && around.has(path));
    };
    explained.push(...left.filter(isOf));
    left = left.filter((path) => !explained.includes(path));
  }
  if (explained.length > 0) writeExplained(action, explained);
  return left.length === 0;
}
