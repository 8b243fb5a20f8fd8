/** The program's own log: JSON lines in a private file, written at once, since a crash comes without a warning. */
import { appendFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '../text/files.ts';

export type LogLevel = 'info' | 'warning' | 'error';

export type Log = {
  /** Writes a line. Never throws: a log that can't be written must not stop the program. */
  write(level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>): void;
};

export type LogOptions = {
  /** The size in bytes at which the file is rotated; one older file is kept. */
  readonly maxBytes?: number;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
};

/**
 * The log in `dir/aish.log`; several programs may write it at once, a line of each stays whole.
 * @param hide the secrets filter: every line passes it (SE-2)
 */
export function createLog(
  dir: string,
  hide: <T>(value: T) => T,
  { maxBytes = 2_000_000, now = Date.now }: LogOptions = {},
): Log {
  const path = join(dir, 'aish.log');
  return {
    write(level, message, fields = {}) {
      try {
        const size = statSync(path, { throwIfNoEntry: false })?.size;
        if (size === undefined) makeDirectory(dir);
        else if (size >= maxBytes) renameSync(path, `${path}.1`);
        const entry = { at: new Date(now()).toISOString(), pid: process.pid, level, message, ...fields };
        appendFileSync(path, `${JSON.stringify(hide(entry))}\n`, { mode: 0o600 });
      } catch {
        // The log is the only place to report this.
      }
    },
  };
}
