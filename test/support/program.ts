/** Runs the built program without a terminal and waits for its end. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { removeTree } from '../../src/text/files.ts';
import { ensureBuilt } from './build.ts';

export const PROGRAM = fileURLToPath(new URL('../../aish-tui', import.meta.url));

/** The directory of the compile cache for starts of the program. If it can’t be written, each start compiles again. */
const COMPILED = fileURLToPath(new URL('../../node_modules/.cache/aish-compiled', import.meta.url));
try {
  mkdirSync(COMPILED, { recursive: true, mode: 0o700 });
} catch {
  // The checkout is not writable.
}

/** A shell that was hung up may still be writing its history. */
const REMOVE = { recursive: true, force: true, maxRetries: 10, retryDelay: 50 } as const;

/**
 * A home directory of its own, with a configuration whose only preset is `fast` at `baseUrl`, and a working directory.
 */
export type Scratch = {
  readonly home: string;
  readonly work: string;
  readonly env: Record<string, string>;
  [Symbol.dispose](): void;
};

export function scratch(baseUrl?: string, config: Readonly<Record<string, unknown>> = {}): Scratch {
  const home = mkdtempSync(join(tmpdir(), 'aish-home-'));
  const work = mkdtempSync(join(tmpdir(), 'aish-work-'));
  // Servers on the usual ports of this machine must not change what a test sees.
  const own = 'models' in config ? {} : { model: 'demo' };
  const models = baseUrl === undefined ? own : { models: { fast: { base_url: baseUrl, model: 'scripted' } } };
  const path = join(home, 'config.jsonc');
  writeFileSync(path, JSON.stringify({ ...models, memory: { enabled: false }, ...config }));
  // A prompt and history of the machine's own must not change what a test sees.
  writeFileSync(join(home, '.bashrc'), '');
  // At its first start fish reads all manuals in the background, for completions.
  mkdirSync(join(home, '.local/share/fish/generated_completions'), { recursive: true });
  // A shared compile cache: each start would otherwise spend a fifth of its time compiling.
  mkdirSync(join(home, '.cache/aish'), { recursive: true });
  symlinkSync(COMPILED, join(home, '.cache/aish/compiled'));
  // A killed program leaves its temporary folders, so they are in the home directory and removed with it.
  mkdirSync(join(home, 'tmp'));
  const env = {
    HOME: home,
    TMPDIR: join(home, 'tmp'),
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    SHELL: '/bin/bash',
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    AISH_CONFIG: path,
  };
  return {
    home,
    work,
    env,
    [Symbol.dispose]() {
      for (const each of [home, work]) {
        // A trial by an ordinary user has directories that even their owner can’t read.
        removeTree(each);
        rmSync(each, REMOVE);
      }
    },
  };
}

export type Ended = {
  readonly code: number | null;
  readonly signal: string | null;
  readonly out: string;
  readonly err: string;
};

/** Runs the program with these arguments and this input; `onStart` may signal it. */
export function runProgram(
  place: Scratch,
  args: readonly string[],
  options: {
    /** A program other than aish-tui. */
    readonly file?: string;
    readonly input?: string;
    readonly onOut?: (text: string, kill: (signal: NodeJS.Signals) => void) => void;
  } = {},
): Promise<Ended> {
  ensureBuilt();
  return new Promise((resolve, reject) => {
    const child = spawn(options.file ?? PROGRAM, args, { cwd: place.work, env: place.env });
    let out = '';
    let err = '';
    child.stdout.on('data', (data) => {
      out += data;
      options.onOut?.(out, (signal) => child.kill(signal));
    });
    child.stderr.on('data', (data) => {
      err += data;
    });
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, out, err }));
    // A program that reads nothing may have ended by now.
    child.stdin.on('error', (error: NodeJS.ErrnoException) => error.code === 'EPIPE' || reject(error));
    child.stdin.end(options.input ?? '');
  });
}
