/**
 * One-time permissions. Denied commands are remembered. A person picks one in their own terminal; the next time an
 * agent asks about it within ten minutes, the guard says nothing, once.
 */
import { readdirSync, readFileSync, renameSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../../text/digest.ts';
import { makeDirectory } from '../../text/files.ts';
import { parseJsonObject } from '../../text/json.ts';

const DENIED_MS = 60 * 60_000;
const ALLOWED_MS = 10 * 60_000;
const MAX_SHOWN = 9;
/** A longer command is not remembered, because nobody could read it before allowing it. */
const MAX_COMMAND_CHARACTERS = 4000;

export type Denied = {
  readonly id: string;
  readonly agent: string;
  readonly command: string;
  readonly cwd: string;
  readonly reason: string;
};

type Hide = (text: string) => string | Promise<string>;

export class Allowances {
  readonly #denied: string;
  readonly #allowed: string;

  readonly #hide: Hide;

  /**
   * @param state the directory of aish-tui's state
   * @param hide removes secrets from stored text
   */
  constructor(state: string, hide: Hide) {
    this.#hide = hide;
    this.#denied = join(state, 'guard/denied');
    this.#allowed = join(state, 'guard/allowed');
  }

  /** Remembers a denied command. One that can't be stored can't be allowed; this is not an error. */
  async deny(denied: Omit<Denied, 'id'>): Promise<void> {
    if (denied.command.length > MAX_COMMAND_CHARACTERS) return;
    try {
      const id = idOf(denied);
      const command = await this.#hide(denied.command);
      makeDirectory(this.#denied);
      const path = join(this.#denied, `${id}.json`);
      const fresh = `${path}.${process.pid}`;
      writeFileSync(fresh, JSON.stringify({ ...denied, id, command }), { mode: 0o600 });
      renameSync(fresh, path);
    } catch {
      // The disk is full or read-only.
    }
  }

  /** Returns the commands denied within the last hour, newest first. */
  recent(now: number): readonly Denied[] {
    return listOf(this.#denied)
      .map((name) => ({ name, at: ageOf(join(this.#denied, name)) }))
      .filter(({ at }) => now - at < DENIED_MS)
      .toSorted((one, other) => other.at - one.at)
      .slice(0, MAX_SHOWN)
      .flatMap(({ name }) => read(join(this.#denied, name)) ?? []);
  }

  /** Lets the denied command pass once. */
  allow(denied: Denied): void {
    makeDirectory(this.#allowed);
    writeFileSync(join(this.#allowed, denied.id), '', { mode: 0o600 });
    rmSync(join(this.#denied, `${denied.id}.json`), { force: true });
  }

  /** Returns whether a person has allowed it, and uses that up. Of two simultaneous requests only one succeeds. */
  take(asked: { readonly command: string; readonly cwd: string }, now: number): boolean {
    const path = join(this.#allowed, idOf(asked));
    const at = ageOf(path);
    try {
      unlinkSync(path);
    } catch {
      return false;
    }
    return now - at < ALLOWED_MS;
  }
}

function idOf({ command, cwd }: { readonly command: string; readonly cwd: string }): string {
  return sha256(`${cwd}\0${command}`);
}

function listOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
}

function ageOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function read(path: string): Denied | undefined {
  try {
    const { id, agent, command, cwd, reason } = parseJsonObject(readFileSync(path, 'utf8')) ?? {};
    if (typeof id !== 'string' || !/^[0-9a-f]{64}$/.test(id)) return undefined;
    if (typeof command !== 'string' || typeof cwd !== 'string') return undefined;
    return { id, agent: String(agent), command, cwd, reason: String(reason) };
  } catch {
    return undefined;
  }
}
