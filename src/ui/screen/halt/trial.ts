/** What a trial has shown, as lines of a HALT (HA-10). Names and contents are hostile: they are spelled out. Pure. */
import { isGitBookkeeping } from '../../../contracts/trials.ts';
import type { Trial, TrialRow } from '../../../session/tried.ts';
import { bytesText } from '../../../text/bytes.ts';
import { visible } from '../../../text/sanitize.ts';
import type { TreeLine } from './arguments.ts';
import { oneLine } from './danger.ts';

const VERBS = {
  deleted: 'deletes',
  changed: 'changes',
  created: 'creates',
  mode: 'sets mode or attributes of',
} as const;
/** Lines of the diff under the list; `d` shows all. */
const FIRST_LINES = 12;

/** `6 deleted · 1 changed`: what is not none. */
export function countsText({ counts }: Extract<Trial, { kind: 'changes' }>): string {
  const all = (['deleted', 'changed', 'created'] as const).map((kind) => ({ kind, count: counts[kind] }));
  const some = all.filter(({ count }) => count > 0).map(({ kind, count }) => `${count} ${kind}`);
  return some.join(' · ') || 'nothing';
}

/** What would change, the losses first, then how the command ended and what the trial could not show. */
export function trialRows(trial: Trial, cwd: string): readonly TreeLine[] {
  if (trial.kind === 'cannotTell') return [line(`the trial can’t tell: ${oneLine(trial.why)}`)];
  const { rows, more, exit, moves, doubts, beyond } = trial;
  const order = { deleted: 0, changed: 1, mode: 2, created: 3 } as const;
  const shown = rows.filter(({ path }) => moves.length === 0 || !isGitBookkeeping(path));
  const sorted = shown.toSorted((one, other) => order[one.kind] - order[other.kind]);
  return [
    ...sorted.map((row) => line(rowText(row, cwd))),
    ...(more > 0 ? [line(`… and ${more} more`)] : []),
    ...moves.map((move) => line(`moves ${oneLine(move)}`)),
    ...(rows.length === 0 ? [line('it would change nothing')] : []),
    line(`${exit === 0 ? '' : 'it failed: '}exit ${exit} · no network, signals or sockets in a trial`),
    ...doubts.map((doubt) => line(oneLine(doubt))),
    ...(beyond === undefined ? [] : [line(`can’t be applied: ${oneLine(beyond)}`)]),
  ];
}

function rowText({ path, kind, type, bytes, shared }: TrialRow, cwd: string): string {
  const near = path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
  const size = type === 'file' || kind === 'deleted' ? ` · ${bytesText(bytes)}` : '';
  const what = type === 'directory' ? '/' : type === 'link' ? ' (link)' : type === 'other' ? ' (special)' : '';
  return `${VERBS[kind]} ${oneLine(near)}${what}${size}${shared ? ' · other names of it change too' : ''}`;
}

/** The diff, coloured by what each line does; its first lines unless `whole`. */
export function diffRows(trial: Trial, whole: boolean): readonly TreeLine[] {
  if (trial.kind === 'cannotTell' || trial.diff.trim() === '') return [];
  const all = trial.diff.trimEnd().split('\n');
  const shown = whole ? all : all.slice(0, FIRST_LINES);
  const left = all.length - shown.length;
  return [...diffLines(shown.join('\n')), ...(left > 0 ? [line(`… ${left} more lines: d`)] : [])];
}

/** A unified diff, coloured by what each line does. */
export function diffLines(diff: string): readonly TreeLine[] {
  if (diff.trim() === '') return [];
  return diff.split('\n').map((text) => ({ ...line(visible(text.replaceAll('\t', '    '))), ...roleOf(text) }));
}

function roleOf(text: string): Pick<TreeLine, 'role'> {
  if (text.startsWith('+')) return { role: 'added' };
  if (text.startsWith('-')) return { role: 'removed' };
  return text.startsWith('@') ? { role: 'hunk' } : {};
}

function line(text: string): TreeLine {
  return { text, indent: '    ' };
}
