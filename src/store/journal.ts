/** The journal of a session: JSON lines, durable before they are acknowledged, private (RE-3, RE-4). */
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { SessionEvent } from '../session/event.ts';
import { recordOf } from './record.ts';

export type Journal = {
  /** Resolves when the event is on disk. Rejects when it can't be written; `onFailure` is told once. */
  append(event: SessionEvent): Promise<void>;
  /** Writes what is left and lets go of the file. */
  close(): Promise<void>;
};

type Waiting = { readonly line: string; readonly done: () => void; readonly failed: (error: Error) => void };

/**
 * Opens (or begins) the journal at `path`. Appends that come while a write is under way go together into the next one,
 * with one fdatasync, so a burst of events costs two.
 * @param seq number of the next record: how many the file holds already
 */
export function openJournal(
  path: string,
  options: { readonly seq: number; readonly onFailure: (why: string) => void },
): Journal {
  let { seq } = options;
  let file: Promise<FileHandle> | undefined;
  let writing: Promise<void> | undefined;
  let closed = false;
  let told = false;
  const waiting: Waiting[] = [];

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0);
      try {
        file ??= openPrivate(path);
        const handle = await file;
        await handle.appendFile(batch.map((entry) => entry.line).join(''));
        await handle.datasync();
        for (const entry of batch) entry.done();
      } catch (error) {
        const why = error instanceof Error ? error : new Error(String(error));
        if (!told) options.onFailure(why.message);
        told = true;
        for (const entry of batch) entry.failed(why);
      }
    }
    writing = undefined;
  }

  return {
    append(event) {
      if (closed) return Promise.reject(new Error('the journal is closed'));
      const line = `${JSON.stringify(recordOf(event, seq))}\n`;
      seq += 1;
      const durable = new Promise<void>((done, failed) => waiting.push({ line, done, failed }));
      // Whoever cares awaits it; for the others `onFailure` speaks.
      durable.catch(() => {});
      writing ??= writeAll();
      return durable;
    },
    async close() {
      closed = true;
      await writing;
      await (await file?.catch(() => undefined))?.close();
      file = undefined;
    },
  };
}

/** A torn last line (the program was killed while it wrote) is ended first, so that the next record stands alone. */
async function openPrivate(path: string): Promise<FileHandle> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const handle = await open(path, 'a+', 0o600);
  const { size } = await handle.stat();
  if (size > 0) {
    const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
    if (buffer[0] !== 0x0a) await handle.appendFile('\n');
  }
  return handle;
}
