/** The journal of a session: JSON lines in a private file, on disk before they are acknowledged (RE-3, RE-4). */

import { closeSync, fdatasync, fstatSync, ftruncateSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { Journal } from '../contracts/store.ts';
import { toError } from '../text/errors.ts';
import { makeDirectory } from '../text/files.ts';
import { formatRecord } from './read.ts';

/** The records of a journal: events of a session, or of a fleet. */
type Recorded = { readonly type: string; readonly session: string };

export type JournalFile = Omit<Journal, 'append'> & {
  /** Resolves when the event is on disk; rejects when it can't be written. */
  append<Event extends Recorded>(event: Event): Promise<void>;
  /** Writes pending records and closes the file. Idempotent. */
  close(): Promise<void>;
};

export type JournalOptions = {
  /** The number of the next record, which is the number of records in the file. */
  readonly seq: number;
  /** The size of these records in bytes: an incomplete line after them is cut off. Absent: the whole file. */
  readonly goodBytes?: number;
  /** Called once per problem with the system's message, such as `ENOSPC: no space left on device, write`. */
  readonly onFailure: (why: string) => void;
  /** Called when every event that could not be written at first is on disk after all. */
  readonly onRecovered?: () => void;
};

const LINE_END = Buffer.from('\n');

type Waiting = { readonly done: () => void; readonly failed: (error: Error) => void };

/**
 * Opens (or creates) the journal at `path`. Each line is passed to the system at once, so that a killed program loses
 * nothing that the screen has shown; only the wait for the disk comes later. Appends during one fdatasync share the
 * next, so a burst of events costs two.
 *
 * A failed write is removed from the file, and its lines come first in the next one: the journal may end early but
 * never has a gap, because replaying it would then give a different session. A journal that was deleted meanwhile is
 * written again from the open file.
 */
export function openJournal(path: string, options: JournalOptions): JournalFile {
  let { seq, goodBytes } = options;
  let writer: Writer | undefined;
  let syncing: Promise<void> | undefined;
  let turnEnd: NodeJS.Immediate | undefined;
  let closed = false;
  let troubled = false;
  let lines: Buffer[] = [];
  let waiting: Waiting[] = [];

  function letGo(error: unknown): Error {
    // The file is reopened for the next write, to find a remounted file system or a recreated directory.
    writer?.close();
    writer = undefined;
    return toError(error);
  }

  function flush(): Error | undefined {
    try {
      if (writer?.isGone()) {
        lines.unshift(writer.content());
        letGo(undefined);
      }
      writer ??= openWriter(path, goodBytes);
      // Only bytes from before this program are cut.
      goodBytes = undefined;
      const [first, ...more] = lines;
      if (first) writer.write(more.length === 0 ? first : Buffer.concat(lines));
      lines = [];
      return undefined;
    } catch (error) {
      return letGo(error);
    }
  }

  function settle(batch: readonly Waiting[], why: Error | undefined): void {
    if (why && !troubled) options.onFailure(why.message);
    if (!why && troubled) options.onRecovered?.();
    troubled = why !== undefined;
    for (const entry of batch) {
      if (why) entry.failed(why);
      else entry.done();
    }
  }

  /** Starts the sync before it returns. */
  async function syncAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      const unwritten = flush();
      settle(batch, await (unwritten ?? writer?.sync().then(() => undefined, letGo)));
    }
    syncing = undefined;
  }

  function hasten(): void {
    clearImmediate(turnEnd);
    turnEnd = undefined;
    if (waiting.length > 0) syncing ??= syncAll();
  }

  return {
    append(event) {
      if (closed) return Promise.reject(new Error('the journal is closed'));
      lines.push(formatRecord(event, seq));
      seq += 1;
      const durable = new Promise<void>((done, failed) => waiting.push({ done, failed }));
      // A caller may await it; otherwise `onFailure` reports a failure.
      durable.catch(() => {});
      flush();
      // Further appends of this turn of the event loop share the first sync: a reply, its examination, the action's
      // start.
      if (!syncing) turnEnd ??= setImmediate(hasten);
      return durable;
    },
    hasten,
    async close() {
      closed = true;
      hasten();
      await syncing;
      if (lines.length > 0) flush();
      lines = [];
      writer?.close();
      writer = undefined;
    },
  };
}

type Writer = {
  write(lines: Buffer): void;
  sync(): Promise<void>;
  close(): void;
  /** Returns whether the path no longer leads to the open file. */
  isGone(): boolean;
  content(): Buffer;
};

/** Completes an unfinished last line first, so that the next record has a line of its own. */
function openWriter(path: string, goodBytes: number | undefined): Writer {
  makeDirectory(dirname(path));
  const file = openSync(path, 'a+', 0o600);
  let open = true;
  let pending = 0;
  const closeWhenIdle = () => {
    if (!open && pending === 0) closeSync(file);
  };
  if (goodBytes !== undefined && goodBytes < fstatSync(file).size) ftruncateSync(file, goodBytes);
  let torn = !endsLine(file);
  const { ino } = fstatSync(file);
  return {
    isGone: () => statSync(path, { throwIfNoEntry: false })?.ino !== ino,
    content() {
      const bytes = Buffer.alloc(fstatSync(file).size);
      return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, 0));
    },
    write(lines) {
      const data = torn ? Buffer.concat([LINE_END, lines]) : lines;
      let written = 0;
      try {
        while (written < data.length) written += writeSync(file, data, written);
        torn = false;
      } catch (error) {
        // Only a part of the record fitted. Should the cut fail too, the reader skips the torn line.
        try {
          if (written > 0) ftruncateSync(file, fstatSync(file).size - written);
        } catch {}
        throw error;
      }
    },
    // The file stays open while a sync is in progress.
    sync: async () => {
      pending += 1;
      try {
        await sync(file);
      } finally {
        pending -= 1;
        closeWhenIdle();
      }
    },
    close() {
      if (!open) return;
      open = false;
      closeWhenIdle();
    },
  };
}

const sync = promisify(fdatasync);

function endsLine(file: number): boolean {
  const { size } = fstatSync(file);
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  readSync(file, last, 0, 1, size - 1);
  return last[0] === 0x0a;
}
