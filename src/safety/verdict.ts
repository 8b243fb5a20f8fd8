import type { Basis } from '../contracts/gate.ts';
import type { Finding } from '../session/action.ts';

/** The result of judging a command without running it and without a model (SF-2). */
export type StaticVerdict = {
  /** `safe` includes commands that only add (`mkdir`, `git commit`): no existing data is lost. */
  readonly verdict: 'destructive' | 'safe' | 'unknown';
  /** The name of the rule that matched; if several did, of the worst. */
  readonly rule?: string;
  /** One line for the user: the rule’s reason, or why the effect is unknown. */
  readonly reason: string;
  /** Whether code would run that could not be resolved to text. Never harmless (SF-4). */
  readonly unresolved?: boolean;
  /** Whether the effect depends on files that may change; the second opinion on it is not cached (SF-5). */
  readonly runsFiles?: boolean;
  /** Whether only the changes of the user’s files are unknown: no model is asked where undo keeps them. */
  readonly onlyEdits?: boolean;
  /** Set if one of the user’s own patterns decided. */
  readonly byUser?: true;
  /** Whether the command names a credential file and may print it. */
  readonly credential?: boolean;
  /** Whether it would change this program’s own configuration or state, which no model may do. */
  readonly changesOurs?: true;
  /** The data that it sends to other machines. */
  readonly sendings?: readonly Sending[];
  /** The files that the judgement depends on and those that the command writes; absent if no files were read. */
  readonly basis?: Basis;
  /** All destructive parts, the worst first; empty for the other verdicts. */
  readonly findings: readonly Finding[];
};

/** The data that a call sends away, as far as its words show. */
export type Sending = {
  /** The receiver; for a push the remote or its address as written, empty if none is named. */
  readonly to: string;
  readonly what: readonly string[];
  /** Absolute paths of the files that are sent. */
  readonly files: readonly string[];
  /** The `host:port` that it connects to. */
  readonly connects?: readonly string[];
  /** For a push: the repository’s directory, and the pushed refs. */
  readonly git?: {
    readonly directory?: string;
    readonly refs: readonly string[];
    /** Whether the command commits first; `adds`: including untracked files. */
    readonly commits?: boolean;
    readonly adds?: boolean;
  };
  /** The host of a forge whose repository is the remote’s. */
  readonly forge?: string;
};

/** A pattern of the user (SF-8): a regular expression, matched against the command and its resolved words. */
export type UserPattern = { readonly pattern: string; readonly reason: string };

/** Start and end of the part of a command that a finding is about, in UTF-16 units. */
export type Part = Finding['part'];

const RANK = { safe: 0, unknown: 1, destructive: 2 } as const;
const NO_FINDINGS: readonly Finding[] = [];
/** The most findings kept for one command; more would not help the user decide. */
const MAX_FINDINGS = 50;
/** Means that the position is not known yet; the caller that knows the command word’s position fills it in. */
const UNPLACED: Part = [0, 0];

/** The verdict for a command proven to lose no data. */
export function harmless(reason?: string): StaticVerdict {
  return reason === undefined ? HARMLESS : { verdict: 'safe', reason, findings: NO_FINDINGS };
}

const HARMLESS: StaticVerdict = { verdict: 'safe', reason: 'only reads or adds', findings: NO_FINDINGS };
/** The verdict for a command whose parts are harmless for different reasons. */
const LOSES_NOTHING: StaticVerdict = { verdict: 'safe', reason: 'loses no existing data', findings: NO_FINDINGS };

/** The verdict for an unknown effect; the second opinion is asked. */
export function unknown(
  reason: string,
  { unresolved, runsFiles, onlyEdits }: { unresolved?: boolean; runsFiles?: boolean; onlyEdits?: true } = {},
): StaticVerdict {
  return {
    verdict: 'unknown',
    reason,
    ...(unresolved ? { unresolved } : {}),
    ...(runsFiles ? { runsFiles } : {}),
    ...(onlyEdits ? { onlyEdits } : {}),
    findings: NO_FINDINGS,
  };
}

/** The verdict for a formatter: it overwrites files but keeps their meaning. */
export const FORMATS = unknown('formats files in place', { onlyEdits: true });

/**
 * The destructive verdict by rule `rule`. Without `part` the position is filled in later; without `severity` that of
 * the rule counts.
 */
export function destructive(rule: string, reason = rule, part = UNPLACED, severity?: number): StaticVerdict {
  const finding = { rule, verb: VERBS[rule] ?? reason, part, ...(severity === undefined ? {} : { severity }) };
  return { verdict: 'destructive', rule, reason, findings: [finding] };
}

/** The verdict with its unplaced findings placed at `part`. */
export function placed(verdict: StaticVerdict, part: Part): StaticVerdict {
  if (verdict.findings.length === 0 || !verdict.findings.some((finding) => finding.part === UNPLACED)) return verdict;
  const findings = verdict.findings.map((finding) => (finding.part === UNPLACED ? { ...finding, part } : finding));
  return { ...verdict, findings };
}

/** Returns the worse of two verdicts, with the findings of both; flags of unknown verdicts are combined. */
export function worse(a: StaticVerdict, b: StaticVerdict): StaticVerdict {
  // The most frequent case: it adds nothing.
  if (b === HARMLESS || b === a) return a;
  if (a.verdict === 'safe' && b.verdict === 'safe' && a.reason !== b.reason)
    return b.reason.startsWith('only ') ? a : a.reason.startsWith('only ') ? b : LOSES_NOTHING;
  const kept = withFlags(isWorse(b, a) ? b : a, a, b);
  if (a.findings.length === 0 || b.findings.length === 0) return kept;
  return { ...kept, findings: merged(a.findings, b.findings) };
}

function isWorse(b: StaticVerdict, a: StaticVerdict): boolean {
  if (RANK[b.verdict] !== RANK[a.verdict]) return RANK[b.verdict] > RANK[a.verdict];
  return b.verdict === 'destructive' && severityOf(b.findings[0]) > severityOf(a.findings[0]);
}

function withFlags(kept: StaticVerdict, a: StaticVerdict, b: StaticVerdict): StaticVerdict {
  const unresolved = a.unresolved || b.unresolved;
  const runsFiles = a.runsFiles || b.runsFiles;
  const credential = a.credential || b.credential;
  const changesOurs = a.changesOurs ?? b.changesOurs;
  if (kept.onlyEdits && (a === kept ? b : a).verdict === 'unknown' && !(a.onlyEdits && b.onlyEdits))
    return withFlags({ ...kept, onlyEdits: false }, a, b);
  if (unresolved === kept.unresolved && runsFiles === kept.runsFiles && credential === kept.credential && !changesOurs)
    return kept;
  const flags = { ...(unresolved ? { unresolved } : {}), ...(runsFiles ? { runsFiles } : {}) };
  return { ...kept, ...flags, ...(credential ? { credential } : {}), ...(changesOurs ? { changesOurs } : {}) };
}

/** Returns both lists without repetitions, the worst first, otherwise in the order of discovery. */
function merged(a: readonly Finding[], b: readonly Finding[]): readonly Finding[] {
  const more = b.filter(
    (finding) =>
      !a.some(({ rule, part }) => rule === finding.rule && part[0] === finding.part[0] && part[1] === finding.part[1]),
  );
  if (more.length === 0) return a;
  return [...a, ...more].sort((left, right) => severityOf(right) - severityOf(left)).slice(0, MAX_FINDINGS);
}

// The severity of a finding among others of the same command, and its description in plain words.

const listed = (names: string, severity: number) => names.split(',').map((name) => [name.trim(), severity] as const);

/**
 * The severity by rule; 1 for the rest. 3: devices, whole systems, and unreadable code. 2: losses that can’t be undone
 * from this machine, and whole directory trees.
 */
export const SEVERE: ReadonlyMap<string, number> = new Map([
  ...listed(
    `write to raw disk, dd to device, mkfs (format), wipefs, partition table, blkdiscard, image to device,
     ddrescue and imagers, logical volume, zfs destroy, raid, luks, fastboot, fork bomb, curl | sh, decoded code,
     unresolved code, write to kernel interface`,
    3,
  ),
  ...listed(
    `rm -rf, shred, find -delete, find -exec rm, chmod 777, chown on root path, write to credentials,
     write to start file, write to system file, DROP DATABASE, DROP TABLE, TRUNCATE TABLE, sql ALTER DROP, sql DELETE,
     sql DROP, sql DROP USER, sql GRANT, sql REPLACE, sql REVOKE, sql UPDATE, sql account, sql kill, sql logs,
     sql program, sql server, database output, database restore, git clean -fd, git drop objects, git push --delete,
     git push --force, git push -f, git reset --hard, git rewrite history, forge branch delete, forge delete,
     forge overwrite, backup loss, cloud delete, framework data loss, tool verb, tool argument`,
    2,
  ),
]);

const severityOf = (finding?: Finding) => finding?.severity ?? SEVERE.get(finding?.rule ?? '') ?? 1;

/** The rules for programs that delete the files they name. */
const DELETES: ReadonlySet<string | undefined> = new Set(['rm', 'rm -rf', 'rm -fr']);

/** Returns whether the verdict says that the command deletes the files it names. */
export const deletesNamed = ({ rule }: StaticVerdict): boolean => DELETES.has(rule);

/** Descriptions for the original rules, whose reason is only their name. */
const VERBS: Readonly<Record<string, string>> = {
  'rm -rf': 'deletes files and directories',
  'rm -fr': 'deletes files, write-protected ones too',
  'find -delete': 'deletes every file that find matches',
  'find -exec rm': 'deletes every file that find matches',
  'write to raw disk': 'writes over a disk',
  'dd to device': 'writes over a disk',
  'mkfs (format)': 'formats a file system',
  shred: 'overwrites and deletes files beyond recovery',
  wipefs: 'erases file system signatures',
  'truncate to zero': 'cuts files short',
  'git push --force': 'overwrites the remote branch',
  'git push -f': 'overwrites the remote branch',
  'git reset --hard': 'throws away uncommitted changes and moves the branch',
  'git clean -fd': 'deletes untracked files',
  'git branch -D': 'deletes or moves a branch',
  'DROP TABLE': 'deletes a table',
  'DROP DATABASE': 'deletes a database',
  'TRUNCATE TABLE': 'empties a table',
  'kill -9': 'ends a process at once',
  'pkill -9': 'ends processes by name at once',
  'chmod 777': 'lets everyone write to files',
  'chown on root path': 'changes the owner of system files',
};
