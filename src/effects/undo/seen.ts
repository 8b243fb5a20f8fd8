/** What the system says of names that a hostile project chose: whatever they are, the look at them goes on. */
import { type BigIntStats, type Dirent, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { pathOf } from './exact-names.ts';

/** Of a path by which nobody reaches anything. */
const NOT_THERE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP', 'ERR_INVALID_ARG_VALUE']);
/** Of a directory that is closed to this account. */
const CLOSED: ReadonlySet<string> = new Set(['EACCES', 'EPERM']);
/** Something may be there. */
export const UNKNOWN = 'unknown';

/** What is there, links not followed; undefined where nothing is. Never throws for what the system says. */
export function seenAt(path: string): BigIntStats | undefined | typeof UNKNOWN {
  return asked<BigIntStats | typeof UNKNOWN | undefined>(
    () => lstatSync(pathOf(path), { bigint: true, throwIfNoEntry: false }),
    () => UNKNOWN,
  );
}

/** Where the link there leads; undefined where none is, or it can't be told. */
export function targetAt(path: string): string | undefined {
  const found = seenAt(path);
  if (found === undefined || found === UNKNOWN || !found.isSymbolicLink()) return undefined;
  return asked<string | undefined>(
    () => readlinkSync(pathOf(path), 'utf8'),
    () => undefined,
  );
}

/** Undefined where no directory is there, or it is closed to this account. Throws where it can't be read for another reason. */
export function entriesAt(directory: string): readonly Dirent[] | undefined {
  return asked<readonly Dirent[] | undefined>(
    () => readdirSync(pathOf(directory), { withFileTypes: true }),
    (code, error) => {
      if (CLOSED.has(code)) return undefined;
      throw error;
    },
  );
}

/** Only what the system says of a file is an answer: other errors are the program's own. */
function asked<Answer>(ask: () => Answer, otherwise: (code: string, error: unknown) => Answer): Answer | undefined {
  try {
    return ask();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    if (code === undefined) throw error;
    return NOT_THERE.has(code) ? undefined : otherwise(code, error);
  }
}
