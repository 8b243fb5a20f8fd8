/** What the launcher noted of an action, in words for the user. */
import { visible } from '../../text/sanitize.ts';

/** Tells what was not kept of an action, and what was refused for that. */
export function warnOf(notes: readonly string[], warn: (text: string) => void): void {
  const of = (word: string) =>
    notes.filter((note) => note.startsWith(`${word} `)).map((note) => note.slice(word.length + 1));
  const named = (paths: readonly string[]) =>
    `${paths.slice(0, 3).map(visible).join(', ')}${paths.length > 3 ? ` and ${paths.length - 3} more` : ''}`;
  const [full, refused, unkept, skipped] = [of('full'), of('refused'), of('unkept'), of('skipped')];
  const secret = of('secret');
  if (secret.length > 0) warn(`keys or passwords, and not kept (undo.credentials keeps them): ${named(secret)}`);
  if (skipped.length > 0) warn(`shredded on purpose, and not kept: ${named(skipped)}`);
  if (full.length > 0)
    warn(
      `no room to keep ${named(full)}: the command was told that the disk is full. :undo forget all makes room; undo.budget and undo.max_file set it`,
    );
  const outside = of('outside');
  if (outside.length > 0)
    warn(
      `not written, since it has another name outside the project: ${named(outside)}. Unrestricted can, or make it a copy`,
    );
  if (refused.length > 0) warn(`refused, since the old state could not be kept: ${named(refused)}`);
  if (unkept.length > 0)
    warn(`changed while the command ran, by it or by somebody else, and not kept: ${named(unkept)}`);
}
