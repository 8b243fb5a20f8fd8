/** A file that a judgement rests on, as it was then: another content, or its appearance, voids the judgement. */
export type FileRead =
  | { readonly path: string; readonly hash: string }
  | { readonly path: string; readonly absent: true };

/** What a path holds. */
export type FileContent =
  | { readonly kind: 'text'; readonly text: string; readonly hash: string }
  | { readonly kind: 'directory'; readonly names: ReadonlySet<string>; readonly hash: string }
  | { readonly kind: 'absent' }
  /** Too large, not text, not readable. */
  | { readonly kind: 'unread' };

/**
 * The files of one judgement. A judgement waits for nothing: what it would have to read and does not have yet it asks
 * for, and is made again once that was read.
 */
export class Reading {
  /** Absolute paths that are still to be read. */
  readonly wanted = new Set<string>();
  private readonly used = new Map<string, FileRead>();
  private readonly known: ReadonlyMap<string, FileContent>;
  /** Files that would have been run, had they been there. */
  private readonly missing = new Set<string>();
  /** How many programs are accounted for: their code was read, or is not there. */
  accounted = 0;
  /** Does the command run something that may write where nobody knows? */
  mayWrite = false;
  /** Absolute paths that the command writes to. */
  readonly targets = new Set<string>();

  constructor(known: ReadonlyMap<string, FileContent>) {
    this.known = known;
  }

  /** What is at this absolute path; undefined: not read yet. */
  look(path: string): FileContent | undefined {
    const found = this.known.get(path);
    if (!found) this.wanted.add(path);
    else if (found.kind === 'absent') this.used.set(path, { path, absent: true });
    else if (found.kind !== 'unread') this.used.set(path, { path, hash: found.hash });
    return found;
  }

  /** Nothing runs, since nothing is at this absolute path. */
  runsNothing(path: string): void {
    this.missing.add(path);
    this.accounted++;
  }

  /** May a file that was not there be there by the time it is run? */
  missingMayAppear(made: ReadonlySet<string>): boolean {
    if (this.missing.size > 0 && this.mayWrite) return true;
    for (const [path, read] of this.used)
      if ('absent' in read && (made.has(path) || this.targets.has(path))) return true;
    return false;
  }

  /** What the judgement rests on. */
  get reads(): readonly FileRead[] {
    return [...this.used.values()];
  }
}
