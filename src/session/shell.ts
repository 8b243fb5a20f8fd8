/** The user's own shell and jobs. The agent only learns how their commands ended. */
import { withoutEnd } from './action.ts';
import type { Of } from './event.ts';
import { fileOf, formatForModel } from './exec-text.ts';
import { hostOf } from './place.ts';
import { decidesAs } from './state.ts';
import { OUTCOME_UNKNOWN } from './stop.ts';
import type { Transition } from './transition.ts';

/** Returns whether this line ends the user's shell. */
export function leavesShell(line: string): boolean {
  return /(?:^|;|&&)\s*(?:exit|logout)(?:\s+\d+)?\s*$/.test(line);
}

/** The user's line starts. */
export function shellStarted(next: Transition, { op, line, private: hidden }: Of<'shellStarted'>): void {
  const { cwd } = next.state.shell;
  next.state = { ...next.state, shell: { cwd, running: { op, line, private: hidden, cwd } } };
  next.show({ kind: 'exec', op, by: 'user', command: line, cwd, private: hidden }, op);
}

/** The output of the user's command is delivered with the next model call (EX-7), unless it was private. */
export function shellEnded(next: Transition, { op, result }: Of<'shellEnded'>): void {
  const { running } = next.state.shell;
  if (running?.op !== op) return;
  // `shellMoved` may have arrived first.
  const { cwd } = running;
  // If the user has left the machine meanwhile, or its shell has ended, the end of this line must not move them back.
  const now = next.state.shell.cwd;
  next.state = { ...next.state, shell: { cwd: hostOf(now) === hostOf(cwd) ? result.cwd : now } };
  next.show({ kind: 'exec', op, by: 'user', command: running.line, cwd, private: running.private, result }, op);
  if (running.private) return;
  const text = `[aish] the user ran:\n${formatForModel(result, running.line)}`;
  next.inbox({ kind: 'note', origin: 'exec', text, ...fileOf(result) });
}

/** The program closed while the user's shell ran a command: its end is unknown. */
export function closeShell(next: Transition): void {
  const { cwd, running } = next.state.shell;
  if (!running) return;
  next.state = { ...next.state, shell: { cwd } };
  const { op, line, private: hidden, cwd: before } = running;
  const result = withoutEnd(cwd, OUTCOME_UNKNOWN);
  next.show({ kind: 'exec', op, by: 'user', command: line, cwd: before, private: hidden, result }, op);
}

/** Reports a job's end to the user at once, and to the model with its next call (EX-8). */
export function jobEnded(next: Transition, { job, command, result, by }: Of<'jobEnded'>): void {
  next.set({ jobs: next.conversation.jobs?.filter((each) => each.job !== job) });
  const exit = result.exit === null ? 'end unknown' : `exit ${result.exit}`;
  next.notice(result.exit === 0 ? 'info' : 'warning', `[aish] job ${job} ended (${exit}): ${command}`);
  if (by === 'model' || decidesAs(next.conversation.settings, 2)) {
    const whose = by === 'model' ? 'job' : "the user's job";
    const text = `[aish] ${whose} ${job} ended:\n${formatForModel(result, command)}`;
    next.inbox({ kind: 'note', origin: 'aish', text, ...fileOf(result) });
  }
  if (by === 'user' && result.head !== '') {
    const { cwd } = result;
    next.show({ kind: 'exec', op: `job-${job}`, by, command, cwd, private: false, job, result });
  }
}
