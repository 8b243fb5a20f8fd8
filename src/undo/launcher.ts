/** What the launcher does for the store: it alone holds what Node can't (directory descriptors, nanoseconds, exchanges). */
import { execFile } from 'node:child_process';

/** One line of a plan or of what was done. `source`: the old content in the store, relative to it; of what was moved its name by now; or why it was refused. */
export type Step = { readonly verb: string; readonly path: string; readonly source: string };

export type Ran = {
  /** 0 all, 1 some paths refused, 2 and 137 cut off, 75 the action has not ended; anything else: nothing was done. */
  readonly code: number;
  readonly steps: readonly Step[];
  readonly error: string;
};

const KILLED = 137;
const NOT_RUN = 126;
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;
/** A quarter of what systems let a command line hold. */
const MAX_LINE_BYTES = 32 * 1024;

/** Runs the launcher's own work on a store. Never rejects. */
export function runLauncher(launcher: string, args: readonly string[]): Promise<Ran> {
  const [line, input] = withinLine(args);
  return new Promise((resolve) => {
    const options = { encoding: 'buffer', maxBuffer: MAX_OUTPUT_BYTES, env: {} } as const;
    try {
      const child = execFile(launcher, [...line], options, (error, stdout, stderr) => {
        const killed = error?.signal ? KILLED : NOT_RUN;
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : killed;
        const told = stderr.toString().trim() || (error?.message ?? '');
        resolve({ code, steps: readSteps(stdout.toString()), error: told });
      });
      // One that ends before it has read all of it says why by its exit code.
      child.stdin?.on('error', () => undefined).end(input);
    } catch (error) {
      resolve({ code: NOT_RUN, steps: [], error: error instanceof Error ? error.message : String(error) });
    }
  });
}

/** The arguments, and what of them goes by stdin: the paths behind `--only`, where they are too many for a command line. */
function withinLine(args: readonly string[]): readonly [line: readonly string[], input: string] {
  const only = args.indexOf('--only') + 1;
  const paths = only > 0 ? args.slice(only) : [];
  if (paths.reduce((sum, path) => sum + path.length, 0) <= MAX_LINE_BYTES) return [args, ''];
  return [[...args.slice(0, only), '-'], paths.map((path) => `${path}\0`).join('')];
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
