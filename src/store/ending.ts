/** How a session ended: its last moments, read from the end of its journal. */
import { open } from 'node:fs/promises';
import type { SessionMoment } from '../contracts/store.ts';
import type { SessionEvent } from '../session/event.ts';
import { parseRecord } from './record.ts';

/** Bytes of the end that are looked at. */
const END_BYTES = 128 * 1024;
const MAX_MOMENTS = 12;

/** The last things that were asked, run and said, the oldest first; nothing where the file can't be read. */
export async function readEnding(path: string): Promise<readonly SessionMoment[]> {
  const file = await open(path, 'r').catch(() => undefined);
  if (!file) return [];
  try {
    const { size } = await file.stat();
    const start = Math.max(0, size - END_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
    const lines = buffer.toString('utf8', 0, bytesRead).split('\n');
    // The first line of a part begins somewhere within a record, whose checksum then is wrong.
    return momentsOf(
      lines.map((line) => parseRecord(line)).flatMap((read) => (read.kind === 'event' ? read.event : [])),
    );
  } catch {
    return [];
  } finally {
    await file.close();
  }
}

function momentsOf(events: readonly SessionEvent[]): readonly SessionMoment[] {
  const lines = new Map<string, string>();
  const moments = events.flatMap((event): SessionMoment[] => {
    if (event.session !== 'main') return [];
    switch (event.type) {
      case 'asked':
        return [{ kind: 'asked', text: event.text }];
      case 'norrisStarted':
        return [{ kind: 'goal', text: event.goal }];
      case 'shellStarted':
        if (!event.private) lines.set(event.op, event.line);
        return [];
      case 'shellEnded':
        return lines.has(event.op) ? [{ kind: 'ran', text: lines.get(event.op) ?? '', exit: event.result.exit }] : [];
      case 'replyEnded':
        return event.reply.text.trim() === '' ? [] : [{ kind: 'said', text: event.reply.text }];
      case 'aborted':
        return [{ kind: 'aborted', text: 'aborted' }];
      default:
        return [];
    }
  });
  return moments.slice(-MAX_MOMENTS);
}
