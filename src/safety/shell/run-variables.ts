import { pattern } from '../../text/pattern.ts';
import type { Machine } from './machine.ts';
import { hasUnknown, UNKNOWN } from './taint.ts';

/** Variables whose value other programs run as a command. */
const RUN_VARIABLES = pattern(String.raw`
    ^(GIT_(SSH_COMMAND|SSH|EXTERNAL_DIFF|PAGER|EDITOR|SEQUENCE_EDITOR|ASKPASS|PROXY_COMMAND)|PAGER|MANPAGER
    |EDITOR|VISUAL|FCEDIT|BROWSER|LESSOPEN|LESSCLOSE|SSH_ASKPASS|SUDO_ASKPASS|SUDO_EDITOR|PSQL_EDITOR|RSYNC_RSH
    |CVS_RSH|TAR_OPTIONS)$
  `);

/** Variables that the shell expands at each prompt. */
const PROMPTS = /^(PS[0-4]|R?PROMPT\d?|RPS[12]|SPROMPT)$/;

/** Interprets `$(…)` and backticks in text that will be expanded; only a loss counts. */
function runEmbedded(machine: Machine, text: string): void {
  for (const [, inner, quoted] of text.matchAll(/\$\(([^()]*)\)|`([^`]*)`/g)) {
    const found = machine.watch(() => machine.runText(inner ?? quoted ?? '', { stdin: '' }));
    if (found.verdict === 'destructive') machine.note(found);
  }
}

/** Judges the value of a variable that other programs run as a command; only a loss counts. */
export function runVariable(machine: Machine, name: string, text: string): void {
  if (PROMPTS.test(name)) return runEmbedded(machine, text);
  if (!RUN_VARIABLES.test(name) || hasUnknown(text) || text === '') return;
  const inner = machine.watch(() => machine.runText(`${text.replace(/^\|\|?-?/, '')} ${UNKNOWN}`, { stdin: '' }));
  if (inner.verdict === 'destructive') machine.note(inner);
}
