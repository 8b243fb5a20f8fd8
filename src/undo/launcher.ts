/** What the launcher does for the store: it alone holds what Node can't (directory descriptors, nanoseconds, exchanges). */
import { execFile } from 'node:child_process';

/** One line of a plan or of what was done. `source`: the old content in the store, relative to it, or why it was refused. */
export type Step = { readonly verb: string; readonly path: string; readonly source: string };

export type Ran = {
  /** 0 all, 1 some paths refused, 2 and 137 cut off, 75 the action has not ended; anything else: nothing was done. */
  readonly code: number;
  readonly steps: readonly Step[];
  readonly error: string;
};

const KILLED = 137;
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

/** Runs the launcher's own work on a store. Never rejects. */
export function runLauncher(launcher: string, args: readonly string[]): Promise<Ran> {
  return new Promise((resolve) => {
    const options = { encoding: 'buffer', maxBuffer: MAX_OUTPUT_BYTES, env: {} } as const;
    execFile(launcher, [...args], options, (error, stdout, stderr) => {
      const killed = error?.signal ? KILLED : 126;
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : killed;
      resolve({ code, steps: readSteps(stdout.toString()), error: stderr.toString().trim() || (error?.message ?? '') });
    });
  });
}

/** What it printed. */
export function readSteps(output: string): readonly Step[] {
  const fields = output.split('\0');
  const steps: Step[] = [];
  for (let at = 0; at + 2 < fields.length; at += 3) {
    steps.push({ verb: fields[at] ?? '', path: fields[at + 1] ?? '', source: fields[at + 2] ?? '' });
  }
  return steps;
}
