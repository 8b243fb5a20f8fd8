import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { RunningCommand } from '../../src/contracts/commands.ts';
import { runOnce, startUserShell, type UserShell, type UserShellOptions } from '../../src/executor/index.ts';
import type { CommandResult } from '../../src/session/action.ts';

/** Makes a directory for one test. */
export function workspace(): string {
  const path = mkdtempSync(join(tmpdir(), 'executor-test-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 }));
  return path;
}

export function baseEnv(home: string): Record<string, string> {
  return { HOME: home, PATH: process.env.PATH ?? '/usr/bin:/bin', SHELL: '/bin/bash', LANG: 'C.UTF-8' };
}

export type Bench = {
  readonly shell: UserShell;
  readonly home: string;
  readonly idle: string[];
  readonly exits: string[];
  /** Runs a line to its end. */
  readonly run: (line: string) => Promise<CommandResult>;
};

/** Starts a real user shell with its own home and the given startup file. */
export async function userShell(bashrc = '', options: Partial<UserShellOptions> = {}): Promise<Bench> {
  const home = workspace();
  writeFileSync(join(home, '.bashrc'), bashrc);
  mkdirSync(join(home, 'data'));
  const idle: string[] = [];
  const exits: string[] = [];
  const shell = await startUserShell({
    cwd: home,
    env: baseEnv(home),
    columns: 80,
    rows: 24,
    dataDir: join(home, 'data'),
    onIdleOutput: (text) => idle.push(text),
    onExit: (end) => exits.push(end.message),
    ...options,
  });
  onTestFinished(() => shell.dispose());
  return { shell, home, idle, exits, run: (line) => shell.run(line).result };
}

/** Runs a command as a model would. */
export function once(command: string, options: Partial<Parameters<typeof runOnce>[0]> = {}): RunningCommand {
  const home = workspace();
  return runOnce({
    command,
    cwd: home,
    env: baseEnv(home),
    columns: 80,
    rows: 24,
    dataDir: join(home, 'data'),
    ...options,
  });
}

/** Waits until `condition` is true, checking every few milliseconds. */
export async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = Date.now() + 20_000;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Waits until a running command shows `text`. */
export function shows(run: RunningCommand, text: string): Promise<void> {
  return until(() => run.output.lines(50).join('\n').includes(text), `the screen shows ${text}`);
}
