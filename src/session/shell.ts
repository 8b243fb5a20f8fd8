/** The user's own shell, and the jobs: a region beside the agent, which only hears of what ended. */
import type { Of } from './event.ts';
import { fileOf, formatForModel } from './exec-text.ts';
import { outcomeUnknown } from './stop.ts';
import type { Work } from './work.ts';

/** A line of the user's begins. */
export function shellStarted(work: Work, { op, line, private: hidden }: Of<'shellStarted'>): void {
  const { cwd } = work.state.shell;
  work.state = { ...work.state, shell: { cwd, running: { op, line, private: hidden, cwd } } };
  work.show({ kind: 'exec', op, by: 'user', command: line, cwd, private: hidden }, op);
}

/** What the user's command printed waits for the next model call (EX-7), unless it was private. */
export function shellEnded(work: Work, { op, result }: Of<'shellEnded'>): void {
  const { running } = work.state.shell;
  if (running?.op !== op) return;
  // The shell may have told already where it is now.
  const { cwd } = running;
  work.state = { ...work.state, shell: { cwd: result.cwd } };
  work.show({ kind: 'exec', op, by: 'user', command: running.line, cwd, private: running.private, result }, op);
  if (running.private) return;
  const text = `[aish] the user ran:\n${formatForModel(result, running.line)}`;
  work.inbox({ kind: 'note', origin: 'exec', text, ...fileOf(result) });
}

/** What the user's shell ran when the program closed: how it ended is not known. */
export function closeShell(work: Work): void {
  const { cwd, running } = work.state.shell;
  if (!running) return;
  work.state = { ...work.state, shell: { cwd } };
  const { op, line, private: hidden, cwd: before } = running;
  const result = outcomeUnknown(cwd);
  work.show({ kind: 'exec', op, by: 'user', command: line, cwd: before, private: hidden, result }, op);
}

/** The end of a job is told to the user, and of the model's own to the model (EX-8). */
export function jobEnded(work: Work, { job, command, result, by }: Of<'jobEnded'>): void {
  const exit = result.exit === null ? 'end unknown' : `exit ${result.exit}`;
  work.notice(result.exit === 0 ? 'info' : 'warning', `[aish] job ${job} ended (${exit}): ${command}`);
  if (by === 'model') {
    const text = `[aish] job ${job} ended:\n${formatForModel(result, command)}`;
    work.inbox({ kind: 'note', origin: 'aish', text, ...fileOf(result) });
  } else if (result.head !== '') {
    const { cwd } = result;
    work.show({ kind: 'exec', op: `job-${job}`, by, command, cwd, private: false, job, result });
  }
}
