import { readsAlike } from '../shell/dialect.ts';
import type { Io, Machine } from '../shell/machine.ts';
import { DECODED, FETCHED, FILE_TEXT, hasUnknown, UNKNOWN } from '../shell/taint.ts';
import { destructive, type StaticVerdict, unknown } from '../verdict.ts';
import { absolute, fileKey } from './paths.ts';
import type { CallFacts } from './record.ts';

/**
 * Judges text as shell code. Code from the network, from a decoder or of unknown origin halts; a local file with
 * unknown content is unknown.
 */
export function runCode(machine: Machine, code: string, io: Io = { stdin: '' }): string {
  const origin = originOf(code);
  if (origin && /^[\s\uE000-\uE007\uE00A-\uE00E;&]*$/.test(code)) {
    machine.note(origin);
    return UNKNOWN;
  }
  const { dialect } = machine.scope;
  if (dialect !== undefined && !readsAlike(code, dialect))
    machine.note(unknown('a line that this shell may read differently from bash'));
  if (hasUnknown(code)) {
    machine.note(unknown('code with unknown parts', { unresolved: true }));
    if (code.includes(FETCHED)) machine.note(destructive('curl | sh', 'runs code from the network unseen'));
    if (code.includes(DECODED)) machine.note(destructive('decoded code', 'runs decoded code that can’t be read'));
  }
  if (!hasUnknown(code)) return machine.runText(code, io);
  let out = '';
  const inner = machine.watch(() => {
    out = machine.runText(code, io);
  });
  // A command word with an unknown part, in text that is run as code, may be any command.
  const halts = inner.unresolved && inner.verdict === 'unknown' && code.includes(UNKNOWN);
  machine.note(halts ? destructive('unresolved code', 'runs code that can’t be resolved') : inner);
  return out;
}

/** Returns the verdict on running text with these marks; undefined when all of it is known. */
export function originOf(code: string): StaticVerdict | undefined {
  if (code.includes(FETCHED)) return destructive('curl | sh', 'runs code from the network unseen');
  if (code.includes(DECODED)) return destructive('decoded code', 'runs decoded code that can’t be read');
  if (code.includes(UNKNOWN)) return destructive('unresolved code', 'runs code that can’t be resolved');
  if (code.includes(FILE_TEXT)) return unknown('runs the content of a file', { unresolved: true, runsFiles: true });
  return undefined;
}

/** Notes code whose origin is unknown or the network. */
export function noteOrigin(machine: Machine, code: string): void {
  const origin = hasUnknown(code) && code.trim().length < 4 ? originOf(code) : undefined;
  if (origin || code.includes(FETCHED))
    machine.note(originOf(code) ?? unknown('code that is not known', { unresolved: true }));
}

/** The file exists, but its text is unknown. */
export const UNREAD = Symbol('unread');

/**
 * Returns the text of a file that a call is told to obey: its input or a `<(…)`, a file that the same command wrote, or
 * one on disk. `UNREAD`: it exists, but its text is unknown. Undefined: it does not exist, or may not be read.
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
/** Open descriptors of any process. */
const DESCRIPTOR = /^\/dev\/(fd\/|tcp\/|udp\/)|^\/proc\/[^/]+\/fd\//;
