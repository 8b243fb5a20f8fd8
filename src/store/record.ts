/** One line of a journal: a versioned envelope around an event. */
import type { SessionEvent } from '../session/event.ts';

/** The version that this program writes. A change of the events' shape raises it and adds an upcaster. */
export const VERSION = 1;

export type JournalRecord = { readonly v: number; readonly seq: number; readonly event: SessionEvent };

export function recordOf(event: SessionEvent, seq: number): JournalRecord {
  return { v: VERSION, seq, event };
}

/** The event of a line, or undefined where the line is torn, foreign or of a later version. */
export function parseRecord(line: string): SessionEvent | undefined {
  try {
    const record: unknown = JSON.parse(line);
    return isRecord(record) ? record.event : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is JournalRecord {
  if (typeof value !== 'object' || value === null || !('v' in value) || value.v !== VERSION || !('event' in value))
    return false;
  const { event } = value;
  if (typeof event !== 'object' || event === null) return false;
  return 'type' in event && typeof event.type === 'string' && 'session' in event && typeof event.session === 'string';
}
