/** Whether the change store works here, found by trying (EF-5). */
import { execFile } from 'node:child_process';
import { chmodSync, constants, copyFileSync, mkdirSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeTree } from '../../text/files.ts';
import { runLauncher } from './launcher.ts';

const NEEDS = 'Linux 5.5 or newer, and the launcher, which a C compiler builds';

/** A file is made under supervision, and its making is found in the journal. Undefined: it works; else why not. */
export async function probeStore(
  launcher: string,
  directory: string,
  budgetBytes: number,
): Promise<string | undefined> {
  if (budgetBytes === 0) return 'nothing is kept: undo.budget is 0';
  if (process.platform !== 'linux') return `nothing is kept: that needs ${NEEDS}; this is ${process.platform}`;
  let probe: string | undefined;
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    chmodSync(directory, 0o700);
    probe = mkdtempSync(join(directory, 'probe-'));
    const [vault, file] = [join(probe, 'store', '1'), join(probe, 'file')];
    mkdirSync(vault, { recursive: true, mode: 0o700 });
    const said = await run(launcher, ['--supervise', '--keep', vault, '--', '/bin/sh', '-c', ': > "$0"', file]);
    const { steps } = await runLauncher(launcher, ['--undo', vault]);
    if (statSync(file).isFile() && steps.some(({ verb, path }) => verb === 'created' && path.endsWith('/file')))
      return undefined;
    return `nothing is kept: ${fullDisk(directory) ?? (said || `that needs ${NEEDS}`)}`;
  } catch (error) {
    // The system's word for it, without the path of the trial.
    const why = error instanceof Error ? (error.message.split(/[:\n]/)[0] ?? '') : String(error);
    return `nothing is kept: ${fullDisk(directory) ?? `that needs ${NEEDS} (${why})`}`;
  } finally {
    if (probe !== undefined) removeTree(probe);
  }
}

/** More than the trial needs. */
const ROOM_BYTES = 1 << 16;

/** What to say where nothing more can be written to this directory for want of room; undefined: there is room, or another reason. */
function fullDisk(directory: string): string | undefined {
  const path = join(directory, `room-${process.pid}`);
  let code: unknown;
  try {
    writeFileSync(path, Buffer.alloc(ROOM_BYTES, 1), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    code = error instanceof Error && 'code' in error ? error.code : undefined;
  }
  // Also what was only begun.
  removeTree(path);
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return undefined;
  return `the disk with ${directory} is full: make room on it, then do the same again`;
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
