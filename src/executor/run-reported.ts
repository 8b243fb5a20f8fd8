import type { RunningCommand } from '../contracts/commands.ts';
import { messageOf } from '../text/errors.ts';
import { Run, type RunOptions } from './running.ts';

/** What was told of a command that runs elsewhere, when it was over. `exit` null: its code is not known. `began: false`: it did not run. */
export type Reported = {
  readonly exit: number | null;
  readonly output?: string;
  readonly note?: string;
  readonly began?: false;
};

/**
 * A command that has no process here: what carried it tells all of its output and its end at once. There is nothing to
 * type for it.
 * @param place where it ran
 * @param report tells it; its signal fires when the command is to end, and what it tells counts all the same
 */
export function runReported(
  options: RunOptions,
  place: string,
  report: (ending: AbortSignal) => Promise<Reported>,
): RunningCommand {
  const ending = new AbortController();
  const end = () => ending.abort();
  const nothing = () => {};
  const run = new Run(options, {
    ...{ pid: () => -1, slave: () => '', pipe: true, interrupt: end, hangUp: end },
    ...{ write: nothing, resize: nothing, pause: nothing, resume: nothing },
  });
  run.begin();
  void report(ending.signal)
    .catch((error: unknown): Reported => ({ exit: null, note: messageOf(error) }))
    .then(({ exit, output = '', note, began }) => {
      if (output !== '') run.feed(Buffer.from(output));
      return run.end(exit, place, note, began);
    });
  return run;
}
