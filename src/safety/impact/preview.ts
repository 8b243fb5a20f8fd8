import { count, countText, existing, shown } from './files.ts';
import { gitImpact, gitReader, trackedText, type Wrap } from './git.ts';
import { processImpact } from './processes.ts';
import { targetsOf } from './targets.ts';

/** Time the whole look may take, in milliseconds (HA-5). */
const PREVIEW_TIMEOUT_MS = 300;
const MAX_LINES = 12;

/**
 * What would be lost (HA-5), in short lines for the HALT; empty where that can't be found out by reading. Never
 * changes anything, never rejects, and takes about 300 ms at most.
 */
export async function previewImpact(command: string, cwd: string, wrap?: Wrap): Promise<readonly string[]> {
  const git = gitReader(wrap);
  const start = performance.now();
  const deadline = start + PREVIEW_TIMEOUT_MS;
  const left = () => deadline - performance.now();
  const targets = targetsOf(command, cwd);
  const lines: string[] = [];
  const [deleted, overwritten] = await Promise.all([
    existing(targets.deleted, deadline - 150),
    existing(targets.overwritten, deadline - 150),
  ]);
  for (const [label, paths] of [
    ['deletes', deleted],
    ['overwrites', overwritten],
  ] as const) {
    if (paths.length === 0) continue;
    const names = paths.slice(0, 5).map((path) => shown(path, cwd));
    lines.push(`${label}: ${names.join(', ')}${paths.length > 5 ? ` and ${paths.length - 5} more` : ''}`);
    lines.push(`  ${countText(await count(paths, deadline - 100))}`);
    const tracked = await trackedText(git, cwd, paths, left());
    if (tracked !== undefined) lines.push(`  ${tracked}`);
  }
  const missing =
    targets.deleted.length > 0 &&
    deleted.length === 0 &&
    targets.deleted.every(({ path }) => !/[\uE000-\uE007]/.test(path));
  if (missing) lines.push('deletes: nothing there now');
  for (const { words, cwd: where } of targets.git.slice(0, 3))
    lines.push(...(await gitImpact(git, where, words, left())));
  lines.push(...(await processImpact(targets.processes, targets.names)));
  return lines.slice(0, MAX_LINES);
}
