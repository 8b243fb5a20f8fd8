import { expect, it } from 'vitest';
import { JobRegistry } from '../../src/executor/index.ts';
import { once, shows } from './support.ts';

it('the list counts jobs, reads new output, and reports each end', async () => {
  const jobs = new JobRegistry();
  const ended: number[] = [];
  jobs.onEnd((job) => ended.push(job.id));
  const run = once('echo first; read go; echo second');
  const id = jobs.adopt(run, { command: 'server', owner: 'model' });
  expect(id).toBe(1);
  expect(jobs.running()).toHaveLength(1);
  await shows(run, 'first');
  expect(jobs.readSince(id)).toBe('first');
  expect(jobs.readSince(id)).toBe('');
  run.write('\n');
  const result = await run.result;
  expect(result.exit).toBe(0);
  expect(jobs.readSince(id)).toContain('second');
  expect(jobs.readSince(id)).toBe('');
  expect(ended).toEqual([1]);
  expect(jobs.find(id)?.result?.exit).toBe(0);
  jobs.release(id);
  expect(jobs.list()).toEqual([]);
  expect(jobs.readSince(id)).toBeUndefined();
});

it('the list stops one job, or all when it closes', async () => {
  const jobs = new JobRegistry();
  const polite = once('echo up; sleep 100');
  const stubborn = once('trap "" INT TERM; echo up; while :; do sleep 0.1; done');
  const first = jobs.adopt(polite, { command: 'sleep', owner: 'user' });
  jobs.adopt(stubborn, { command: 'loop', owner: 'model', mode: 'restricted' });
  await shows(polite, 'up');
  await shows(stubborn, 'up');
  expect(jobs.kill(first)).toBe(true);
  expect((await polite.result).exit).toBe(130);
  expect(jobs.kill(first)).toBe(false);
  expect(jobs.kill(99)).toBe(false);
  await jobs.dispose();
  expect((await stubborn.result).exit).toBe(137);
  expect(jobs.running()).toEqual([]);
});
