import type { Finding } from '../../session/action.ts';
import type { Part } from '../verdict.ts';
import { type Count, count, countText, existing, shown } from './files.ts';
import { countMatches } from './find.ts';
import { type GitReader, gitReader, type Wrap } from './git.ts';
import { gitImpact, trackedText } from './git-impact.ts';
import { LookTime } from './look-time.ts';
import { processImpact } from './processes.ts';
import { type Named, survey, type Touched } from './targets.ts';

/** Time the whole look may take, in milliseconds (HA-5). */
const PREVIEW_TIMEOUT_MS = 300;
/** Of it, what is left for git. */
const RESERVE_MS = 100;
const MAX_LINES = 6;
const MAX_PARTS = 12;

/** What one part of a command would lose, in lines. */
export type PartImpact = { readonly part: Part; readonly lines: readonly string[] };

type Look = { readonly git: GitReader; readonly cwd: string; readonly time: LookTime };

/**
 * What would be lost (HA-5), part by part, in short lines for the HALT; nothing where that can't be found out by reading.
 * Never changes anything, never rejects, and takes about 300 ms at most, or a second where the program has much else to do.
 */
export async function previewImpact(command: string, cwd: string, wrap?: Wrap): Promise<readonly PartImpact[]> {
  // At a start or a resume much else waits its turn: the time counts from when there is time.
  await new Promise((resolve) => setImmediate(resolve));
  const look = { git: gitReader(wrap), cwd, time: new LookTime(PREVIEW_TIMEOUT_MS) };
  const parts: PartImpact[] = [];
  for (const touched of survey(command, cwd).touched.slice(0, MAX_PARTS)) {
    const lines = await impactOf(touched, look);
    if (lines.length > 0) parts.push({ part: touched.part, lines: lines.slice(0, MAX_LINES) });
  }
  return parts;
}

/** The findings with what each would lose, and the lines that belong to none of them. */
export function withImpact(findings: readonly Finding[], parts: readonly PartImpact[]) {
  const left = new Set(parts);
  const placed = findings.map((finding): Finding => {
    const mine = parts.filter((each) => left.has(each) && within(each.part, finding.part));
    for (const each of mine) left.delete(each);
    return mine.length === 0 ? finding : { ...finding, impact: mine.flatMap(({ lines }) => lines) };
  });
  return { findings: placed, rest: [...left].flatMap(({ lines }) => lines) };
}

function within([from, to]: Part, [start, end]: Part): boolean {
  return from >= start && to <= end && to > from;
}

async function impactOf(touched: Touched, look: Look): Promise<readonly string[]> {
  switch (touched.kind) {
    case 'deletes':
    case 'overwrites':
      return fileImpact(touched.paths, touched.kind, look);
    case 'finds':
      return matchImpact(await countMatches(touched.words, touched.cwd, () => look.time.isOver(RESERVE_MS)));
    case 'git':
      return gitImpact(look.git, touched.cwd, touched.words, () => look.time.left());
    case 'ends':
      return processImpact(touched.ids, touched.names);
  }
}

function matchImpact(count: Count | undefined): readonly string[] {
  const text = count && countText(count, PREVIEW_TIMEOUT_MS);
  return text === undefined ? [] : [count?.files === 0 ? 'nothing matches now' : `matches ${text}`];
}

async function fileImpact(
  named: readonly Named[],
  kind: 'deletes' | 'overwrites',
  { git, cwd, time }: Look,
): Promise<readonly string[]> {
  const paths = await existing(named, () => time.isOver(1.5 * RESERVE_MS));
  if (paths.length === 0) return kind === 'deletes' ? ['nothing there now'] : [];
  const names = paths.slice(0, 5).map((path) => shown(path, cwd));
  const files = countText(await count(paths, () => time.isOver(RESERVE_MS)), PREVIEW_TIMEOUT_MS);
  const more = paths.length > 5 ? ` and ${paths.length - 5} more` : '';
  const tracked = await trackedText(git, cwd, paths, () => time.left());
  const line = `${names.join(', ')}${more}${files === undefined ? '' : `: ${files}`}`;
  return [line, ...(tracked === undefined ? [] : [tracked])];
}
