/**
 * What the launcher does for the store, which Node can't (directory descriptors, nanoseconds, exchanges), and whether
 * it works here.
 */
import { execFile } from 'node:child_process';
import { chmodSync, constants, copyFileSync, existsSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory, removeTree } from '../../text/files.ts';
import { bytesOfText, isOfBytes, textOfBytes } from './paths.ts';

/**
 * What a program ends with NUL, field by field: whoever stops at the first that can't be has not cut up all of a long
 * text.
 */
export class Fields {
  readonly #text: string;
  #from = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** There is more, whole fields or a rest. */
  get more(): boolean {
    return this.#from < this.#text.length;
  }

  /** Undefined where none is ended any more. */
  next(): string | undefined {
    const end = this.#text.indexOf('\0', this.#from);
    if (end < 0) return undefined;
    const field = this.#text.slice(this.#from, end);
    this.#from = end + 1;
    return field;
  }
}

/**
 * One line of a plan or of what was done. `source`: the old content in the store, relative to it; of what was moved its
 * name by now; or why it was refused.
 */
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
        resolve({ code, steps: readSteps(textOfBytes(stdout)), error: told });
      });
      // One that ends before it has read all of it says why by its exit code.
      child.stdin?.on('error', () => undefined).end(input);
    } catch (error) {
      resolve({ code: NOT_RUN, steps: [], error: error instanceof Error ? error.message : String(error) });
    }
  });
}

/** The arguments, and what of them goes by stdin: the paths behind `--only`, where a command line can't hold them. */
function withinLine(args: readonly string[]): readonly [line: readonly string[], input: Buffer | string] {
  const only = args.indexOf('--only') + 1;
  const paths = only > 0 ? args.slice(only) : [];
  const isShort = paths.reduce((sum, path) => sum + path.length, 0) <= MAX_LINE_BYTES;
  if (isShort && !paths.some(isOfBytes)) return [args, ''];
  return [[...args.slice(0, only), '-'], bytesOfText(paths.map((path) => `${path}\0`).join(''))];
}

/** What a host says that its launcher did. */
export type FarWork = {
  readonly code: number;
  readonly output: string;
  readonly error: string;
  /** Nobody knows what became of it. */
  readonly lost?: true;
};

/** Longer than any path, and more than one action of a store within its budget has. */
const MAX_FAR_CHARS = 16_384;
const MAX_FAR_STEPS = 300_000;

/**
 * The same of a host, which says what it likes: a list of steps, or none of it. What was to be shown or looked through
 * is not known then; what was to be done is said to be done, or not, by its code.
 */
export function ranFar(args: readonly string[], { code, output, error }: FarWork): Ran {
  const steps = readFarSteps(output, code !== 0);
  if (steps) return { code, steps, error };
  const acts = args.includes('--into') || (args.includes('--apply') && !args.includes('--check'));
  return { code: acts ? code : NOT_RUN, steps: [], error: error || 'what its host lists can’t be read' };
}

/**
 * Undefined for what is no list, and for one of more than there can be. @param torn whoever was cut off may have left
 * half a step
 */
function readFarSteps(output: string, torn: boolean): readonly Step[] | undefined {
  const fields = new Fields(output);
  const steps: Step[] = [];
  while (fields.more) {
    const [verb, path, source] = [fields.next(), fields.next(), fields.next()];
    if (verb === undefined || path === undefined || source === undefined) return torn ? steps : undefined;
    if (!/^[a-z-]{1,20}$/.test(verb) || steps.length === MAX_FAR_STEPS) return undefined;
    if (path.length > MAX_FAR_CHARS || source.length > MAX_FAR_CHARS) return undefined;
    steps.push({ verb, path, source });
  }
  return steps;
}

/** What it printed. */
function readSteps(output: string): readonly Step[] {
  const fields = output.split('\0');
  const steps: Step[] = [];
  for (let at = 0; at + 2 < fields.length; at += 3) {
    steps.push({ verb: fields[at] ?? '', path: fields[at + 1] ?? '', source: fields[at + 2] ?? '' });
  }
  return steps;
}

// Whether the store works here, found by trying (EF-5).

const NEEDS = 'Linux 5.5 or newer, and the launcher, which a C compiler builds';

/** A file is made under supervision, and its making is found in the journal. Undefined: it works; else why not. */
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
    // The system's word for it, without the path of the trial.
    const why = error instanceof Error ? (error.message.split(/[:\n]/)[0] ?? '') : String(error);
    return notWritten(directory, error) ?? lasting(`that needs ${NEEDS} (${why})`);
  } finally {
    if (probe !== undefined) removeTree(probe);
  }
}

/** Why nothing is kept; `passes`: once the disk can be written again. */
export type NotKept = { readonly why: string; readonly passes: boolean };

/** More than the trial needs. */
const ROOM_BYTES = 1 << 16;

function notWritten(directory: string, error?: unknown): NotKept | undefined {
  const why = unwritable(directory, error);
  return why === undefined ? undefined : { why: `nothing is kept: ${why}`, passes: true };
}

/**
 * What to say where nothing can be written to this directory: its disk is full, or read-only; undefined: it can, or for
 * another reason. @param error what making the directory ended with
 */
export function unwritable(directory: string, error?: unknown): string | undefined {
  const path = join(directory, `room-${process.pid}`);
  let code = codeOf(error);
  try {
    if (existsSync(directory)) writeFileSync(path, Buffer.alloc(ROOM_BYTES, 1), { flag: 'wx', mode: 0o600 });
  } catch (failed) {
    code = codeOf(failed);
  }
  // Also what was only begun.
  removeTree(path);
  if (code === 'EROFS') return `the disk with ${directory} is read-only`;
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return undefined;
  return `the disk with ${directory} is full: make room on it, then do the same again`;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** Whether a copy in this directory shares the blocks of what it copies (a reflink), found by trying. */
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
