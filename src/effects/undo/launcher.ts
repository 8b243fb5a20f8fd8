/**
 * Runs the launcher for store work that Node can’t do (directory descriptors, nanoseconds, exchanges), and tests
 * whether it works here.
 */
import { execFile } from 'node:child_process';
import { chmodSync, constants, copyFileSync, existsSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory, removeTree } from '../../text/files.ts';
import { bytesOfText, isOfBytes, textOfBytes } from './paths.ts';

/**
 * Splits output into fields that end with NUL, one at a time, so that a reader can stop at the first invalid field of a
 * long text.
 */
export class Fields {
  readonly #text: string;
  #from = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Whether any data is left, even an incomplete field. */
  get more(): boolean {
    return this.#from < this.#text.length;
  }

  /** Returns the next field; undefined if no complete one is left. */
  next(): string | undefined {
    const end = this.#text.indexOf('\0', this.#from);
    if (end < 0) return undefined;
    const field = this.#text.slice(this.#from, end);
    this.#from = end + 1;
    return field;
  }
}

/**
 * One line of a plan or of completed work. `source`: the old content’s path relative to the store; for a moved file its
 * current name; or why it was refused.
 */
export type Step = { readonly verb: string; readonly path: string; readonly source: string };

export type Ran = {
  /**
   * 0: all, 1: some paths refused, 2 and 137: interrupted, 75: the action has not ended; anything else: nothing was
   * done.
   */
  readonly code: number;
  readonly steps: readonly Step[];
  readonly error: string;
  /** Whether the end of the work is unknown. */
  readonly lost?: true;
};

const KILLED = 137;
/** Code of work that was not begun. */
export const NOT_RUN = 126;
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;
/** A quarter of the length that systems allow for a command line. */
const MAX_LINE_BYTES = 32 * 1024;

/** What a launcher printed, and how it ended. */
export type Worked = {
  readonly code: number;
  readonly output: string;
  readonly error: string;
  /** Whether the end of the work is unknown. */
  readonly lost?: true;
  /** Another program is in its place, and was not run. */
  readonly replaced?: true;
};

/** Runs the launcher for work on a store. Never rejects. */
export function runHere(launcher: string, args: readonly string[]): Promise<Worked> {
  const [line, input] = withinLine(args);
  return new Promise((resolve) => {
    const options = { encoding: 'buffer', maxBuffer: MAX_OUTPUT_BYTES, env: {} } as const;
    try {
      const child = execFile(launcher, [...line], options, (error, stdout, stderr) => {
        const killed = error?.signal ? KILLED : NOT_RUN;
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : killed;
        const told = stderr.toString().trim() || (error?.message ?? '');
        resolve({ code, output: textOfBytes(stdout), error: told });
      });
      // If it ends before it has read everything, its exit code says why.
      child.stdin?.on('error', () => undefined).end(input);
    } catch (error) {
      resolve({ code: NOT_RUN, output: '', error: error instanceof Error ? error.message : String(error) });
    }
  });
}

/** Runs the launcher for work on a store, and parses its output as steps. Never rejects. */
export async function runLauncher(launcher: string, args: readonly string[]): Promise<Ran> {
  const { code, output, error } = await runHere(launcher, args);
  return { code, steps: readSteps(output), error };
}

/**
 * Returns the arguments, and the data for standard input: the paths after `--only` if they don’t fit into a command
 * line.
 */
function withinLine(args: readonly string[]): readonly [line: readonly string[], input: Buffer | string] {
  const only = args.indexOf('--only') + 1;
  const paths = only > 0 ? args.slice(only) : [];
  const isShort = paths.reduce((sum, path) => sum + path.length, 0) <= MAX_LINE_BYTES;
  if (isShort && !paths.some(isOfBytes)) return [args, ''];
  return [[...args.slice(0, only), '-'], bytesOfText(paths.map((path) => `${path}\0`).join(''))];
}

/** Longer than any path, and more steps than one action of a store within its budget has. */
const MAX_FIELD_CHARS = 16_384;
const MAX_STEPS = 300_000;

/**
 * Parses the untrusted report of a host: a complete list of steps, or none. Without a valid list a preview or check is
 * unknown, and work counts as done or not by its exit code.
 */
export function ranThere(args: readonly string[], { code, output, error, lost }: Worked): Ran {
  const steps = readStepsThere(output, code !== 0);
  if (steps) return { code, steps, error, ...(lost && { lost }) };
  const acts = args.includes('--into') || (args.includes('--apply') && !args.includes('--check'));
  return { code: acts ? code : NOT_RUN, steps: [], error: error || 'what its host lists can’t be read' };
}

/**
 * Parses steps; undefined for an invalid list, or one that is longer than possible.
 * @param torn whether the list may end with half a step after an interruption
 */
function readStepsThere(output: string, torn: boolean): readonly Step[] | undefined {
  const fields = new Fields(output);
  const steps: Step[] = [];
  while (fields.more) {
    const [verb, path, source] = [fields.next(), fields.next(), fields.next()];
    if (verb === undefined || path === undefined || source === undefined) return torn ? steps : undefined;
    if (!/^[a-z-]{1,20}$/.test(verb) || steps.length === MAX_STEPS) return undefined;
    if (path.length > MAX_FIELD_CHARS || source.length > MAX_FIELD_CHARS) return undefined;
    steps.push({ verb, path, source });
  }
  return steps;
}

/** Parses the steps that the launcher printed. */
function readSteps(output: string): readonly Step[] {
  const fields = output.split('\0');
  const steps: Step[] = [];
  for (let at = 0; at + 2 < fields.length; at += 3) {
    steps.push({ verb: fields[at] ?? '', path: fields[at + 1] ?? '', source: fields[at + 2] ?? '' });
  }
  return steps;
}

// Tests whether the store works here (EF-5).

const NEEDS = 'Linux 5.5 or newer, and the launcher, which a C compiler builds';

/**
 * Creates a file under supervision and looks for it in the journal. Returns why recording does not work; undefined if
 * it does.
 */
export async function probeStore(
  launcher: string,
  directory: string,
  budgetBytes: number,
): Promise<NotKept | undefined> {
  const lasting = (why: string) => ({ why: `nothing is kept: ${why}`, passes: false });
  if (budgetBytes === 0) return lasting('undo.budget is 0');
  if (process.platform !== 'linux') return lasting(`that needs ${NEEDS}; this is ${process.platform}`);
  let probe: string | undefined;
  try {
    makeDirectory(directory);
    chmodSync(directory, 0o700);
    probe = mkdtempSync(join(directory, 'probe-'));
    const [vault, file] = [join(probe, 'store', '1'), join(probe, 'file')];
    makeDirectory(vault);
    const said = await run(launcher, ['--supervise', '--keep', vault, '--', '/bin/sh', '-c', ': > "$0"', file]);
    const { steps } = await runLauncher(launcher, ['--undo', vault]);
    if (statSync(file).isFile() && steps.some(({ verb, path }) => verb === 'created' && path.endsWith('/file')))
      return undefined;
    return notWritten(directory) ?? lasting(said || `that needs ${NEEDS}`);
  } catch (error) {
    // The system’s error message, without the path of the test directory.
    const why = error instanceof Error ? (error.message.split(/[:\n]/)[0] ?? '') : String(error);
    return notWritten(directory, error) ?? lasting(`that needs ${NEEDS} (${why})`);
  } finally {
    if (probe !== undefined) removeTree(probe);
  }
}

/** Why nothing is recorded; `passes`: whether it may work once the disk is writable again. */
export type NotKept = { readonly why: string; readonly passes: boolean };

/** More bytes than the test needs. */
const ROOM_BYTES = 1 << 16;

function notWritten(directory: string, error?: unknown): NotKept | undefined {
  const why = unwritable(directory, error);
  return why === undefined ? undefined : { why: `nothing is kept: ${why}`, passes: true };
}

/**
 * Returns the message when this directory can’t be written: its disk is full or read-only; undefined otherwise.
 * @param error the error from creating the directory
 */
export function unwritable(directory: string, error?: unknown): string | undefined {
  const path = join(directory, `room-${process.pid}`);
  let code = codeOf(error);
  try {
    if (existsSync(directory)) writeFileSync(path, Buffer.alloc(ROOM_BYTES, 1), { flag: 'wx', mode: 0o600 });
  } catch (failed) {
    code = codeOf(failed);
  }
  // Also removes a partly created directory.
  removeTree(path);
  if (code === 'EROFS') return `the disk with ${directory} is read-only`;
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return undefined;
  return `the disk with ${directory} is full: make room on it, then do the same again`;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** Returns whether a copy in this directory shares disk blocks with its original (a reflink), by a test. */
export function sharesBlocks(directory: string): boolean {
  const probe = mkdtempSync(join(directory, 'probe-'));
  try {
    writeFileSync(join(probe, 'file'), 'x'.repeat(8192));
    copyFileSync(join(probe, 'file'), join(probe, 'copy'), constants.COPYFILE_FICLONE_FORCE);
    return true;
  } catch {
    return false;
  } finally {
    removeTree(probe);
  }
}

function run(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(program, [...args], { encoding: 'utf8' }, (_error, _stdout, stderr) => resolve(stderr.trim()));
  });
}
