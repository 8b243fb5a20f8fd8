/** Costs of all sessions: one line per call, in one private append-only file (CO-2). */

import { closeSync, createReadStream, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import type { DayCost } from '../contracts/models.ts';
import type { CountedCall } from '../session/cost.ts';
import { messageOf } from '../text/errors.ts';
import { makeDirectory } from '../text/files.ts';
import { parseJsonObject } from '../text/json.ts';

export type Ledger = {
  /** Written at once, so that a crash loses nothing. A write error is reported once. */
  add(session: string, at: number, call: CountedCall): void;
  /** Returns the sums of all sessions by day and model, oldest first. */
  days(): Promise<readonly DayCost[]>;
  close(): void;
};

type Record = Pick<CountedCall, 'model' | 'category' | 'promptTokens' | 'completionTokens' | 'dollars' | 'local'> & {
  readonly at: number;
  readonly session: string;
};

/** Opens the ledger at `path` when the first call is counted. Several programs may write to it at the same time. */
export function openLedger(path: string, onFailure: (why: string) => void): Ledger {
  let file: number | undefined;
  let told = false;
  return {
    add(session, at, { model, category, promptTokens, completionTokens, dollars, local }) {
      const record: Record = {
        at,
        session,
        model,
        category,
        promptTokens,
        completionTokens,
        local,
        ...(dollars === undefined ? {} : { dollars }),
      };
      try {
        if (file === undefined) {
          makeDirectory(dirname(path));
          file = openSync(path, 'a', 0o600);
        }
        // Starts with a newline, so that it stays separate from an incomplete line of a killed program. One write to
        // a file opened for appending does not mix with those of other programs.
        writeSync(file, `\n${JSON.stringify(record)}\n`);
        told = false;
      } catch (error) {
        if (!told) onFailure(messageOf(error));
        told = true;
      }
    },
    days: () => sumByDay(path),
    close() {
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
  };
}

async function sumByDay(path: string): Promise<readonly DayCost[]> {
  const sums = new Map<string, DayCost>();
  const input = createReadStream(path, 'utf8');
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      const record = parseRecord(line);
      if (record) addTo(sums, record);
    }
  } catch (error) {
    // Nothing has been counted yet.
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  return [...sums.values()].sort((a, b) => a.day.localeCompare(b.day) || a.model.localeCompare(b.model));
}

function addTo(sums: Map<string, DayCost>, record: Record): void {
  const { model, promptTokens, completionTokens, dollars, local } = record;
  const day = dayOf(record.at);
  const key = JSON.stringify([day, model, local]);
  const zero = { calls: 0, promptTokens: 0, completionTokens: 0, dollars: 0, unpriced: 0 };
  const sum = sums.get(key) ?? { day, model, local, ...zero };
  sums.set(key, {
    ...sum,
    calls: sum.calls + 1,
    promptTokens: sum.promptTokens + promptTokens,
    completionTokens: sum.completionTokens + completionTokens,
    dollars: sum.dollars + (dollars ?? 0),
    unpriced: sum.unpriced + (dollars === undefined && !local ? 1 : 0),
  });
}

function dayOf(at: number): string {
  const date = new Date(at);
  const two = (number: number) => String(number).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** An incomplete or foreign line is not a record. */
function parseRecord(line: string): Record | undefined {
  if (line === '') return undefined;
  const value = parseJsonObject(line);
  if (!value) return undefined;
  const { at, session, model, promptTokens, completionTokens, dollars, local } = value;
  const counts = [at, promptTokens, completionTokens, dollars ?? 0];
  const fine = counts.every((count) => typeof count === 'number' && Number.isFinite(count) && count >= 0);
  const known = typeof session === 'string' && typeof model === 'string' && typeof local === 'boolean';
  return fine && known ? (value as Record) : undefined;
}
