/** One line of a journal: a versioned envelope around an event. */
import type { SessionEvent } from '../session/event.ts';

/** The version that this program writes. A change of the events' shape raises it and adds an upcaster. */
const VERSION = 1;

/** From the event of one version to that of the next. `1: …` takes what version 1 wrote and gives version 2. */
type Upcasters = Readonly<Record<number, (event: object) => object>>;
const UPCASTERS: Upcasters = {};

type JournalRecord = { readonly v: number; readonly seq: number; readonly event: SessionEvent };

type Parsed =
  | { readonly kind: 'event'; readonly event: SessionEvent }
  /** Written by a later program. */
  | { readonly kind: 'newer' }
  /** Torn or foreign. */
  | { readonly kind: 'broken' };

export function recordOf(event: SessionEvent, seq: number): JournalRecord {
  return { v: VERSION, seq, event };
}

/** What a line holds, brought up to `version`. */
export function parseRecord(line: string, version = VERSION, upcasters = UPCASTERS): Parsed {
  let record: unknown;
  try {
    record = JSON.parse(line);
  } catch {
    return { kind: 'broken' };
  }
  if (typeof record !== 'object' || record === null || !('v' in record) || !('event' in record))
    return { kind: 'broken' };
  const { v, event } = record;
  if (typeof v !== 'number' || typeof event !== 'object' || event === null) return { kind: 'broken' };
  if (v > version) return { kind: 'newer' };
  let current: object = event;
  for (let from = v; from < version; from += 1) {
    const upcast = upcasters[from];
    if (!upcast) return { kind: 'broken' };
    current = upcast(current);
  }
  return isEvent(current) ? { kind: 'event', event: current } : { kind: 'broken' };
}

function isEvent(value: object): value is SessionEvent {
  return 'type' in value && typeof value.type === 'string' && 'session' in value && typeof value.session === 'string';
}
