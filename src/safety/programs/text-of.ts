import { hasUnknown } from '../shell/taint.ts';
import { absolute, fileKey } from './paths.ts';
import type { CallFacts } from './record.ts';

/** It is there, and what it says is not known. */
export const UNREAD = Symbol('unread');

/**
 * The text of a file that a call is told to obey: what stands on its input or in a `<(…)`, what the same command wrote,
 * or what lies there. `UNREAD`: it is there, and what it says is not known. Undefined: not there, or nobody may look.
 */
export function textOf({ machine, io }: CallFacts, path: string): string | typeof UNREAD | undefined {
  const given = STDIN.test(path) ? (io.stdin ?? UNREAD) : machine.substituted.get(path);
  const text = given ?? machine.written.get(fileKey(machine, path));
  if (text !== undefined) return typeof text === 'string' && hasUnknown(text) ? UNREAD : text;
  if (DESCRIPTOR.test(path)) return UNREAD;
  const full = absolute(machine, path);
  const content = full === undefined ? undefined : machine.reading?.look(full);
  if (content?.kind === 'text') return content.text;
  return content === undefined || content.kind === 'absent' ? undefined : UNREAD;
}

const STDIN = /^(-|\/dev\/(stdin|fd\/0)|\/proc\/self\/fd\/0)$/;
/** What a process has open, whoever opened it. */
const DESCRIPTOR = /^\/dev\/(fd\/|tcp\/|udp\/)|^\/proc\/[^/]+\/fd\//;
