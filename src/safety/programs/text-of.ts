import { hasUnknown } from '../shell/taint.ts';
import { absolute, fileKey } from './paths.ts';
import type { CallFacts } from './record.ts';

/**
 * The text of a file that a call is told to obey: what stands on its input or in a `<(…)`, what the same command wrote,
 * or what lies there. `unread`: it is there, and what it says is not known. Undefined: not there, or nobody may look.
 */
export function textOf({ machine, io }: CallFacts, path: string): string | 'unread' | undefined {
  const given = STDIN.test(path) ? (io.stdin ?? 'unread') : machine.substituted.get(path);
  const text = given ?? machine.written.get(fileKey(machine, path));
  if (text !== undefined) return hasUnknown(text) ? 'unread' : text;
  if (DESCRIPTOR.test(path)) return 'unread';
  const full = absolute(machine, path);
  const content = full === undefined ? undefined : machine.reading?.look(full);
  if (content?.kind === 'text') return content.text;
  return content === undefined || content.kind === 'absent' ? undefined : 'unread';
}

const STDIN = /^(-|\/dev\/(stdin|fd\/0)|\/proc\/self\/fd\/0)$/;
/** What a process has open, whoever opened it. */
const DESCRIPTOR = /^\/dev\/(fd\/|tcp\/|udp\/)|^\/proc\/[^/]+\/fd\//;
