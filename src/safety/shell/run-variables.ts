import type { Machine } from './machine.ts';
import { hasUnknown, UNKNOWN } from './taint.ts';

/** Variables whose value other programs run as a command. */
const RUN_VARIABLES =
  /^(GIT_(SSH_COMMAND|SSH|EXTERNAL_DIFF|PAGER|EDITOR|SEQUENCE_EDITOR|ASKPASS|PROXY_COMMAND)|PAGER|MANPAGER|EDITOR|VISUAL|FCEDIT|BROWSER|LESSOPEN|LESSCLOSE|SSH_ASKPASS|SUDO_ASKPASS|SUDO_EDITOR|PSQL_EDITOR|RSYNC_RSH|CVS_RSH|TAR_OPTIONS)$/;

/** Notes what a variable would run that other programs take as a command; only a loss counts. */
export function runVariable(machine: Machine, name: string, text: string): void {
  if (!RUN_VARIABLES.test(name) || hasUnknown(text) || text === '') return;
  const inner = machine.watch(() => machine.runText(`${text.replace(/^\|\|?-?/, '')} ${UNKNOWN}`, { stdin: '' }));
  if (inner.verdict === 'destructive') machine.note(inner);
}
