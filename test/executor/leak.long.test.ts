import { readdirSync, readlinkSync } from 'node:fs';
import { expect, it } from 'vitest';
import { once, until, userShell } from './support.ts';

const open = (): number => readdirSync('/proc/self/fd').length;

/** Counts the masters of pseudo-terminals that this process holds. */
const ptys = (): number =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).includes('ptmx');
    } catch {
      return false;
    }
  }).length;

const listeners = (): number => process.eventNames().reduce((sum, event) => sum + process.listenerCount(event), 0);

/** The longest wait, in ms: 500 commands one after the other, on a machine that is ten times slower. */
const PATIENCE = 120_000;

it('500 commands, in one shell or each in its own process, leave no open descriptor', {
  timeout: PATIENCE,
}, async () => {
  const { shell, run } = await userShell();
  await run('true');
  await once('true').result;
  const [files, terminals, listening] = [open(), ptys(), listeners()];
  const resources = process.getActiveResourcesInfo().length;
  const commands = 400;
  for (let i = 0; i < commands; i += 1) expect((await run(`echo ${i}`)).head).toBe(String(i));
  for (let i = 0; i < 100; i += 1) expect((await once(`exit ${i}`).result).exit).toBe(i);
  await until(() => open() <= files, 'all files are closed');
  expect([ptys(), listeners()]).toEqual([terminals, listening]);
  await until(() => process.getActiveResourcesInfo().length <= resources, 'all handles are closed');
  await shell.dispose();
});

it('a command inherits none of the program’s files', async () => {
  const { run } = await userShell();
  const other = once('read x');
  const inside = async (result: Promise<{ head: string }>): Promise<string[]> =>
    (await result).head.split('\n').filter((line) => /pts|ptmx|fifo|lines/.test(line) && !/ [012] -> /.test(line));
  expect(await inside(run('ls -l /proc/self/fd'))).toEqual([]);
  expect(await inside(once('ls -l /proc/self/fd').result)).toEqual([]);
  const late = await userShell();
  expect(await inside(late.run('ls -l /proc/self/fd'))).toEqual([]);
  other.interrupt();
  await other.result;
});
