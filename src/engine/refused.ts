/** Whether a command failed since its mode was in the way, as its output tells (MO-9). */
import type { CommandResult } from '../session/action.ts';
import type { Mode } from '../session/ids.ts';
import type { Refused } from '../session/phase.ts';

const NO_WRITE = /Permission denied|Operation not permitted|Read-only file system|\b(EACCES|EPERM|EROFS)\b/;
/** In Project the rest of the file system is read-only, and `.git/config` can't be replaced. */
const NO_WRITE_OUTSIDE =
  /Read-only file system|\bEROFS\b|could not (lock|write) config file|config\.lock|Device or resource busy/;
const NO_NETWORK =
  /Network is unreachable|\bENETUNREACH\b|Temporary failure in name resolution|Could not resolve host|\b(EAI_AGAIN|ENOTFOUND)\b|getaddrinfo/;

/**
 * Undefined: nothing says so. Only an offer to the user rests on it, since a program prints what it likes.
 * @param reads by the gate's tables the command changes nothing: what it was refused is not the mode's doing
 */
export function refusedBy(mode: Mode, { exit, head, tail }: CommandResult, reads: () => boolean): Refused | undefined {
  if (mode === 'unrestricted' || exit === 0 || reads()) return undefined;
  const text = `${head}\n${tail}`;
  if ((mode === 'project' ? NO_WRITE_OUTSIDE : NO_WRITE).test(text)) return 'write';
  return NO_NETWORK.test(text) ? 'network' : undefined;
}
