/** A secret in a text: UTF-16 offsets, end exclusive, and what it is. `rank`: how sure its finder is; higher wins. */
export type Finding = { readonly start: number; readonly end: number; readonly kind: string; readonly rank: number };

/** The finders, from weakest to strongest. */
export const RANK = { context: 1, url: 2, token: 3, block: 4, known: 5 } as const;

/** Findings in order, without overlap: the more certain one wins, and a whole value read from its context beats a part of it. */
export function settle(findings: readonly Finding[], text: string): readonly Finding[] {
  if (findings.length < 2) return findings;
  const sorted = [...findings].sort((a, b) => a.start - b.start || b.end - a.end || b.rank - a.rank);
  const kept: Finding[] = [];
  for (const next of sorted) {
    const last = kept.at(-1);
    if (!last || next.start >= last.end) kept.push(next);
    else kept[kept.length - 1] = merged(last, next, text);
  }
  return kept;
}

/** `first` begins before `second`, or with it. */
function merged(first: Finding, second: Finding, text: string): Finding {
  const surer = second.rank > first.rank ? second : first;
  const same = first.start === second.start && first.end === second.end;
  if (same) return surer;
  if (second.end <= first.end) {
    // A piece inside a longer value: the whole of it, unless the whole is a sentence or an address around it.
    if (second.rank === RANK.token && first.start === second.start && /[%/&;,|]/.test(text.charAt(second.end)))
      return second;
    const around = text.slice(first.start, first.end);
    return second.rank > first.rank && /[\s]|:\/\//.test(around) ? second : { ...first, kind: surer.kind };
  }
  return { start: first.start, end: second.end, kind: surer.kind, rank: Math.max(first.rank, second.rank) };
}
