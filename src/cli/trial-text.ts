/** What a trial has shown, as lines for a person who reads it below the command's own output. */
import { relative } from 'node:path';
import { isGitBookkeeping, type TrialChange, type TrialOutcome } from '../contracts/trials.ts';
import { bytesText } from '../text/bytes.ts';
import { nameText } from '../text/spelled.ts';

const MAX_LINES = 200;
/** What is lost first. */
const KINDS = [
  ['deleted', 'delete'],
  ['changed', 'change'],
  ['mode', 'set mode, owner, times or attributes of'],
  ['created', 'create'],
] as const;
/** Which branches move is for the reader. */
const REFS = /(^|\/)\.git\/refs\//;
type Kind = TrialChange['kind'];

/** @param cwd paths below it are named from it */
export function trialText(outcome: TrialOutcome, cwd: string): string {
  if (outcome.kind === 'cannotTell') return `aish-tui: the trial can't tell: ${outcome.why}\n`;
  const { changes, doubts, exitCode } = outcome;
  const git = changes.filter(({ path }) => isGitBookkeeping(path) && !REFS.test(path));
  const shown = KINDS.flatMap(([kind]) => changes.filter((change) => change.kind === kind && !git.includes(change)));
  const rows = shown.slice(0, MAX_LINES).map((change) => `  ${rowOf(change, cwd)}`);
  const more = shown.length - rows.length;
  const ended = exitCode === 0 ? [] : [`the command ended with ${exitCode}; a trial has no network and no sockets`];
  const lines = [
    headOf(changes),
    ...rows,
    ...(more > 0 ? [`  … and ${more} more`] : []),
    ...(git.length > 0 ? [`  and git's own bookkeeping: ${countsOf(git)}`] : []),
    ...ended,
    ...doubts.map((doubt) => `but: ${doubt}`),
  ];
  return `${lines.join('\n')}\n`;
}

function headOf(changes: readonly TrialChange[]): string {
  const tried = 'aish-tui: only tried, nothing was changed. For real it would change';
  return changes.length === 0 ? `${tried} nothing here` : `${tried} this (${countsOf(changes)}):`;
}

/** `3 deleted, 1 created`. */
function countsOf(changes: readonly TrialChange[]): string {
  const count = (kind: Kind) => changes.filter((change) => change.kind === kind).length;
  const words: Readonly<Record<Kind, string>> = {
    deleted: 'deleted',
    changed: 'changed',
    mode: 'with another mode or time',
    created: 'created',
  };
  return KINDS.filter(([kind]) => count(kind) > 0)
    .map(([kind]) => `${count(kind)} ${words[kind]}`)
    .join(', ');
}

function rowOf({ kind, type, path, bytes, shared }: TrialChange, cwd: string): string {
  const [, verb] = KINDS.find(([known]) => known === kind) ?? KINDS[1];
  const near = path.startsWith(`${cwd}/`) ? relative(cwd, path) : path === cwd ? '.' : path;
  const what = type === 'directory' ? '/' : type === 'link' ? ' (link)' : type === 'other' ? ' (special)' : '';
  const size = type === 'file' ? ` (${bytesText(bytes)})` : '';
  return `${verb} ${nameText(near)}${what}${size}${shared ? ', of which other names stay' : ''}`;
}
