import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type EarlyStart, type ShellListeners, startEarly } from '../../src/app/early-start.ts';
import { isAlive } from '../../src/executor/processes.ts';
import { workspace } from '../executor/support.ts';

/** Starts it in a home directory with this `.bashrc`. */
async function started(startupFile: string): Promise<{ early: EarlyStart; home: string }> {
  const home = workspace();
  writeFileSync(join(home, '.bashrc'), startupFile);
  vi.stubEnv('HOME', home);
  vi.stubEnv('SHELL', '/bin/bash');
  const early = await startEarly({ shell: true, columns: 80, rows: 24, turn: async () => {} });
  return { early, home };
}

function listeners(home: string) {
  const heard: string[] = [];
  const all: ShellListeners = {
    dataDir: home,
    facts: () => ({ colours: {}, kitty: false }),
    onExit: ({ message }) => heard.push(`exit: ${message}`),
    onMove: (cwd) => heard.push(`moved to ${cwd}`),
    onPrompt: () => heard.push('prompt'),
    onIdleOutput: (text) => heard.push(`said ${text.trim()}`),
  };
  return { heard, all };
}

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('the early start', () => {
  it('keeps what the shell reports until the session listens', async () => {
    const { early, home } = await started('echo welcome\n');
    const { heard, all } = listeners(home);
    const shell = await early.shell?.listen(Promise.resolve(all));
    onTestFinished(async () => shell?.dispose());
    await vi.waitFor(() => expect(heard).toEqual(['said welcome', 'prompt']));
    expect((await shell?.run('echo $((40 + 2))').result)?.head).toBe('42');
  });

  it('ends a shell that the session does not use', async () => {
    const { early, home } = await started('echo $$ > "$HOME/pid"\n');
    const shell = await early.shell?.listen(Promise.resolve(listeners(home).all));
    const { pid } = shell ?? { pid: -1 };
    expect(isAlive(pid)).toBe(true);
    early.shell?.drop();
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), 5000);
  });

  it('tests the sandbox while the shell starts', async () => {
    const { early } = await started('');
    expect((await early.sandbox).landlockAbi).toBeTypeOf('number');
    early.shell?.drop();
  });
});
