import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ShellFiles } from '../contracts/hosts.ts';
import { ownedPrefix } from './temporary-names.ts';

const open = new Set<PrivateDirectory>();
let watching = false;

/** A temporary directory (0700) that goes with its owner, or with the program at the latest. */
export class PrivateDirectory implements ShellFiles {
  readonly path: string;

  /** @param use what it is for, one word of its name */
  constructor(use: string) {
    this.path = mkdtempSync(join(tmpdir(), ownedPrefix(use)));
    open.add(this);
    if (watching) return;
    watching = true;
    process.once('exit', () => {
      for (const directory of open) directory.remove();
    });
  }

  file(name: string): string {
    return join(this.path, name);
  }

  write(name: string, text: string): undefined {
    writeFileSync(this.file(name), text, { mode: 0o600 });
  }

  /** Reads a file and removes it: nothing private lies about longer than needed. Undefined where there is none. */
  take(name: string): string | undefined {
    try {
      const text = readFileSync(this.file(name), 'utf8');
      this.discard(name);
      return text;
    } catch {
      return undefined;
    }
  }

  discard(name: string): void {
    rmSync(this.file(name), { force: true });
  }

  /** Idempotent. */
  remove(): void {
    open.delete(this);
    try {
      rmSync(this.path, { recursive: true, force: true, maxRetries: 3 });
    } catch {
      // A last child still writes there; it is a temporary directory.
    }
  }
}
