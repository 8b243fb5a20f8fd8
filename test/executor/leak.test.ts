import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { once, until, userShell } from './support.ts';

const open = (): number => readdirSync('/proc/self/fd').length;

it('opens nothing that it does not close: 150 commands in a shell, 60 of their own', async () => {
  const { shell, run } = await userShell();
  await run('true');
  await once('true').result;
  const files = open();
  const resources = process.getActiveResourcesInfo().length;
  const commands = 150;
  for (let i = 0; i < commands; i += 1) expect((await run(`echo ${i}`)).head).toBe(String(i));
  for (let i = 0; i < 60; i += 1) expect((await once(`exit ${i}`).result).exit).toBe(i);
  await until(() => open() <= files, 'all files are closed');
  await until(() => process.getActiveResourcesInfo().length <= resources, 'all handles are closed');
  await shell.dispose();
});

it('shares no file of its own with a command', async () => {
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
