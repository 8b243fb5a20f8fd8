/**
 * What a question says of other machines: a fleet, with its hosts first, or one host. What hosts report is hostile.
 * Pure.
 */

import { hostOf } from '../../../session/place.ts';
import type { FleetAsked, Question } from '../../../session/question.ts';

import type { Choice } from './choices.ts';
import { dangersOf, isAllDanger, isExcerpted, markedCommand, oneLine } from './danger.ts';

/** Hosts in one line of the panel. */
const IN_LINE = 6;

function choicesFor(hosts: number): readonly Choice[] {
  const all = hosts === 1 ? '' : ' on all of them';
  const some: Choice = {
    answer: 'edit',
    key: 'e',
    label: 'some',
    does: 'names the hosts to be asked about by themselves',
  };
  return [
    { answer: 'skip', key: 's', label: 'skip', does: `doesn’t run it${all}; their models go on without` },
    ...(hosts > 1 ? [some] : []),
    { answer: 'proceed', key: 'p', label: 'proceed', does: `runs it${all}`, harmful: true },
    { answer: 'abort', key: 'a', label: 'abort', does: `doesn’t run it; the run ends${all}` },
  ];
}

export function fleetParts(question: FleetAsked, whole: boolean) {
  const { goal, hosts, others, command, cwd, root, reason, findings, reported, differences, canary } = question;
  const dangers = dangersOf(command, findings);
  const alone = !whole && isAllDanger(command, findings);
  const who = hosts.length === 1 ? oneLine(hosts[0] ?? '') : `${hosts.length} hosts`;
  return {
    chip: 'HALT',
    title: [`on ${who}`, ...(root ? ['as root'] : []), `${others} more wait`].slice(0, others > 0 ? 3 : -1).join(' · '),
    reasons: [
      ...(hosts.length === 1 ? [] : rowsOf(hosts)).map((row, at) => `${at === 0 ? 'hosts: ' : '       '}${row}`),
      ...(dangers.length > 0 ? [] : [oneLine(reason)]),
      ...(canary === undefined ? [] : [`${oneLine(canary)} goes first; the others only when it is done.`]),
      ...differences.map((difference) => `unlike most: ${oneLine(difference)}`),
    ],
    dangers,
    action: alone ? '' : markedCommand(command, findings, whole),
    folds: !alone && isExcerpted(command, findings),
    // Whom it is for and what it would do there: all of it must have been seen.
    allIsDanger: true,
    tree: [],
    notes: [],
    claims: [],
    impact: reported.map(oneLine),
    place: { path: oneLine(cwd), under: `unrestricted · goal: ${oneLine(goal)}` },
    mode: 'unrestricted',
    danger: true,
    choices: choicesFor(hosts.length),
    start: 0,
    editable: hosts.length > 1,
  } as const;
}

function rowsOf(hosts: readonly string[]): readonly string[] {
  return hosts.flatMap((_, at) =>
    at % IN_LINE > 0
      ? []
      : [
          hosts
            .slice(at, at + IN_LINE)
            .map(oneLine)
            .join(', '),
        ],
  );
}

// What a HALT says of the machine that it is about.

type Halt = Extract<Question, { readonly kind: 'halt' }>;

/** The machine comes first: the same command is another one elsewhere. */
export function onHost(place: string): string {
  const host = hostOf(place);
  return host === undefined ? '' : `on ${oneLine(host)}`;
}

/** A host can only tell of itself, and may lie. */
export function reported({ cwd, judgement: { impact = [], findings = [] } }: Halt): readonly string[] {
  const host = hostOf(cwd);
  const tells = impact.length > 0 || findings.some((finding) => (finding.impact ?? []).length > 0);
  return host !== undefined && tells ? [`What would be lost is as ${oneLine(host)} reports.`] : [];
}

/** The same of what a trial has shown. */
export function triedAsReported({ cwd }: Halt): readonly string[] {
  const host = hostOf(cwd);
  return host === undefined ? [] : [`What it would change is as ${oneLine(host)} reports.`];
}
