/**
 * Test files share a process, since a new one for each costs half a second. What a file changed of the environment, the
 * directory, the clock and spied functions is restored after it. Signals are checked as well: a test that looks for a
 * process and finds none may pass -1, which means every process of root's machine; 0 is the test's own group, 1 is
 * init.
 */
import { afterAll, vi } from 'vitest';

const folder = process.cwd();
const environment = { ...process.env };
const { kill } = process;

process.kill = (pid, signal) => {
  if (!Number.isInteger(pid) || Math.abs(pid) <= 1) throw new Error(`a signal to ${pid} is one to more than was meant`);
  return kill.call(process, pid, signal);
};

// The first hook of a file runs last.
afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  process.kill = kill;
  process.chdir(folder);
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
});
