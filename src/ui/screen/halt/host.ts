/** What a HALT says of the machine that it is about. */

import { hostOf } from '../../../session/place.ts';
import type { Question } from '../../../session/question.ts';
import { oneLine } from './danger.ts';

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
