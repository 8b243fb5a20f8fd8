/** What reading a command can tell without running it and without asking a model (SF-2). */
export type StaticVerdict = {
  /** `safe` also covers what only adds (`mkdir`, `git commit`): nothing that is there now is lost. */
  readonly verdict: 'destructive' | 'safe' | 'unknown';
  /** Name of the rule that matched. */
  readonly rule?: string;
  /** One line for the person: the rule's reason, or why nothing is known. */
  readonly reason: string;
  /** Code would run that could not be resolved to text. Never passes as harmless (SF-4). */
  readonly unresolved?: boolean;
  /** What happens depends on files whose content may change; the second opinion on it is not cached (SF-5). */
  readonly runsFiles?: boolean;
};

/** A pattern of the user's own (SF-8): a regular expression as text, tried on the command and on its resolved words. */
export type UserPattern = { readonly pattern: string; readonly reason: string };

const RANK = { safe: 0, unknown: 1, destructive: 2 } as const;

/** The verdict "known to lose nothing". */
export function harmless(reason = 'only reads or adds'): StaticVerdict {
  return { verdict: 'safe', reason };
}

/** The verdict "not known"; the second opinion is asked. */
export function unknown(reason: string, more: { unresolved?: boolean; runsFiles?: boolean } = {}): StaticVerdict {
  return { verdict: 'unknown', reason, ...more };
}

/** The verdict "destructive by rule `rule`". */
export function destructive(rule: string, reason = rule): StaticVerdict {
  return { verdict: 'destructive', rule, reason };
}

/** The worse of two verdicts; their flags add up. */
export function worse(a: StaticVerdict, b: StaticVerdict): StaticVerdict {
  if (RANK[b.verdict] > RANK[a.verdict]) return mark(b, a);
  return mark(a, b);
}

function mark(kept: StaticVerdict, other: StaticVerdict): StaticVerdict {
  const unresolved = kept.unresolved || other.unresolved;
  const runsFiles = kept.runsFiles || other.runsFiles;
  if (unresolved === kept.unresolved && runsFiles === kept.runsFiles) return kept;
  return { ...kept, ...(unresolved ? { unresolved } : {}), ...(runsFiles ? { runsFiles } : {}) };
}
