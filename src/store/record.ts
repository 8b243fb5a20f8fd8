/**
 * One line of a journal: a versioned envelope around an event, numbered, and closed by a checksum of its bytes, so that a
 * flipped, missing, swapped or torn line is found (RE-5).
 */

import { isUtf8 } from 'node:buffer';
import { crc32 } from 'node:zlib';
import type { SessionEvent } from '../session/event.ts';
import { parseJsonObject } from '../text/json.ts';

/** The version that this program writes. A change of the events' shape raises it and adds an upcaster. */
const VERSION = 2;

/** The version that began to write checksums; a line of an earlier one has none. */
const FIRST_WITH_CHECKSUM = 2;

/** From the event of one version to that of the next. `1: …` takes what version 1 wrote and gives version 2. */
type Upcasters = Readonly<Record<number, (event: object) => object>>;
/** Version 2 brought the checksum; its events are those of version 1. */
const UPCASTERS: Upcasters = { 1: (event) => event };

export type ParsedRecord =
  | { readonly kind: 'event'; readonly seq: number; readonly event: SessionEvent }
  /** Written by a later program. */
  | { readonly kind: 'newer' }
  /** Torn, damaged or foreign. */
  | { readonly kind: 'broken' };

/** `…,"crc":"0123abcd"}`: the checksum of everything before its own comma. */
const [BEFORE_SUM, BEHIND_SUM] = [',"crc":"', '"}'];
const SUM = /^[0-9a-f]{8}$/;
const TRAILER_BYTES = BEFORE_SUM.length + 8 + BEHIND_SUM.length;

/** The line of an event, with its line end. */
export function formatRecord(event: { readonly type: string; readonly session: string }, seq: number): Buffer {
  const text = JSON.stringify({ v: VERSION, seq, event });
  // An answer of a megabyte is copied once.
  const line = Buffer.allocUnsafe(Buffer.byteLength(text) + TRAILER_BYTES);
  const end = line.write(text) - 1;
  const sum = crc32(line.subarray(0, end)).toString(16).padStart(8, '0');
  line.write(`${BEFORE_SUM}${sum}${BEHIND_SUM}\n`, end);
  return line;
}

/** What a line (without its line end) holds, brought up to `version`. */
export function parseRecord(line: Uint8Array | string, version = VERSION, upcasters = UPCASTERS): ParsedRecord {
  const bytes = typeof line === 'string' ? Buffer.from(line) : Buffer.from(line.buffer, line.byteOffset, line.length);
  const checked = checksumOf(bytes);
  if (checked === 'wrong' || (checked === 'none' && !isUtf8(bytes))) return { kind: 'broken' };
  const { v, seq, event: written } = parseJsonObject(bytes.toString()) ?? {};
  if (typeof v !== 'number') return { kind: 'broken' };
  if (v > version) return { kind: 'newer' };
  if (v >= FIRST_WITH_CHECKSUM && checked === 'none') return { kind: 'broken' };
  if (!Number.isSafeInteger(seq)) return { kind: 'broken' };
  const event = upcast(written, v, version, upcasters);
  return event ? { kind: 'event', seq: Number(seq), event } : { kind: 'broken' };
}

function checksumOf(bytes: Buffer): 'right' | 'wrong' | 'none' {
  const at = bytes.length - TRAILER_BYTES;
  const trailer = at > 0 ? bytes.toString('latin1', at) : '';
  if (!trailer.startsWith(BEFORE_SUM) || !trailer.endsWith(BEHIND_SUM)) return 'none';
  const written = trailer.slice(BEFORE_SUM.length, -BEHIND_SUM.length);
  if (!SUM.test(written)) return 'none';
  return Number.parseInt(written, 16) === crc32(bytes.subarray(0, at)) ? 'right' : 'wrong';
}

function upcast(event: unknown, from: number, to: number, upcasters: Upcasters): SessionEvent | undefined {
  if (typeof event !== 'object' || event === null) return undefined;
  let current: object = event;
  for (let version = from; version < to; version += 1) {
    const step = upcasters[version];
    if (!step) return undefined;
    current = step(current);
  }
  return isEvent(current) ? current : undefined;
}

function isEvent(value: object): value is SessionEvent {
  return 'type' in value && typeof value.type === 'string' && 'session' in value && typeof value.session === 'string';
}
