/** The journal of a session: JSON lines, durable before they are acknowledged, private (RE-3, RE-4). */
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { SessionEvent } from '../session/event.ts';
import { recordOf } from './record.ts';

export type Journal = {
  /** Resolves when the event is on disk. Rejects when it can't be written; `onFailure` is told once. */
  append(event: SessionEvent): Promise<void>;
  /** Writes what is left and lets go of the file. Twice is fine. */
  close(): Promise<void>;
};

export type JournalOptions = {
  /** Number of the next record: how many the file holds already. */
  readonly seq: number;
  /** Told once per trouble: the system's word, such as `ENOSPC: no space left on device, write`. */
  readonly onFailure: (why: string) => void;
  /** Told when all that could not be written meanwhile is on disk after all. */
  readonly onRecovered?: () => void;
};

type Waiting = { readonly done: () => void; readonly failed: (error: Error) => void };

/**
 * Opens (or begins) the journal at `path`. Appends that come while a write is under way go together into the next one,
 * with one fdatasync, so a burst of events costs two.
 *
 * A write that fails is taken back from the file, and its lines go first in the next one: the journal may end early,
 * it never has a gap, since a gap would fold to another session.
 */
export function openJournal(path: string, options: JournalOptions): Journal {
  let { seq } = options;
  let file: Promise<Writer> | undefined;
  let writing: Promise<void> | undefined;
  let closed = false;
  let troubled = false;
  let lines: string[] = [];
  let waiting: Waiting[] = [];

  async function write(text: string): Promise<void> {
    file ??= openWriter(path);
    await (await file).write(text);
  }

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const [text, batch, count] = [lines.join(''), waiting, lines.length];
      waiting = [];
      try {
        await write(text);
        lines.splice(0, count);
        for (const entry of batch) entry.done();
        if (troubled) options.onRecovered?.();
        troubled = false;
      } catch (error) {
        const why = error instanceof Error ? error : new Error(String(error));
        file = letGo(file);
        if (!troubled) options.onFailure(why.message);
        troubled = true;
        for (const entry of batch) entry.failed(why);
      }
    }
    writing = undefined;
  }

  return {
    append(event) {
      if (closed) return Promise.reject(new Error('the journal is closed'));
      lines.push(`${JSON.stringify(recordOf(event, seq))}\n`);
      seq += 1;
      const durable = new Promise<void>((done, failed) => waiting.push({ done, failed }));
      // Whoever cares awaits it; for the others `onFailure` speaks.
      durable.catch(() => {});
      writing ??= writeAll();
      return durable;
    },
    async close() {
      closed = true;
      await writing;
      if (lines.length > 0) await write(lines.join('')).catch(() => {});
      lines = [];
      const last = file;
      file = undefined;
      await (await last?.catch(() => undefined))?.close();
    },
  };
}

/** Opened anew for the next write: a file system that came back, or a folder made again, is then found. */
function letGo(file: Promise<Writer> | undefined): undefined {
  void file?.then(
    (writer) => writer.close(),
    () => {},
  );
  return undefined;
}

type Writer = { write(text: string): Promise<void>; close(): Promise<void> };

/** A torn last line (the program was killed while it wrote) is ended first, so that the next record stands alone. */
async function openWriter(path: string): Promise<Writer> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const handle = await open(path, 'a+', 0o600);
  try {
    const { size } = await handle.stat();
    let torn = size > 0 && !(await endsLine(handle, size));
    return {
      async write(text) {
        const { size: before } = await handle.stat();
        try {
          await handle.appendFile(torn ? `\n${text}` : text);
          await handle.datasync();
          torn = false;
        } catch (error) {
          // Room for a part is no room for all. Should this fail too, the reader skips the torn line.
          await handle.truncate(before).catch(() => {});
          throw error;
        }
      },
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function endsLine(handle: FileHandle, size: number): Promise<boolean> {
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] === 0x0a;
}
