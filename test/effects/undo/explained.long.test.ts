/** A change made at the same time by another action of the session, such as a job, is not reported as "not kept". */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { until } from '../sandbox/run.ts';
import { AsideScene } from './aside-scene.ts';
import { trialsWork } from './trial-support.ts';

const scene = new AsideScene();
let tree: string;
beforeEach(() => {
  ({ tree } = scene);
  for (const name of ['index.html', 'src/a.js', 'src/b.js', 'src/deep/c.js']) scene.put(name, 'mine\n');
});

const incomplete = async () =>
  (await scene.store.list()).filter(({ complete }) => !complete).map(({ text, notes }) => [text, notes]);

/** Runs `work` while a job writes a log until `stop` exists. */
async function beside(work: () => Promise<unknown>, job = 'echo up > log') {
  const running = scene.act(`${job}; until [ -e stop ]; do sleep 0.01; done; echo down >> log`);
  await until('the job runs', () => existsSync(join(tree, 'log')));
  await work();
  scene.put('stop', '');
  await running;
  rmSync(join(tree, 'stop'));
}

/** The test itself makes this file, to end the job. */
const isStop = (warning: string) => !warning.includes('/stop');

describe.skipIf(!trialsWork())('while a job runs', () => {
  it('changes by commands and patches of the session are not reported', async () => {
    await beside(async () => {
      await scene.act("sed -i 's/mine/new/' index.html src/a.js");
      await scene.act('echo more >> src/b.js; echo fresh > src/d.js');
      await scene.act('mv src/b.js src/deep/; rm src/d.js; mkdir -p lib/x; touch lib/x/y');
      const patch = await scene.store.keepFile(join(tree, 'src/a.js'), 'patch src/a.js', tree);
      scene.put('src/new', 'patched\n');
      renameSync(join(tree, 'src/new'), join(tree, 'src/a.js'));
      await patch?.end(true);
      expect(await incomplete()).toEqual([]);
    });
    const [job] = (await incomplete()).map(([, notes]) => notes);
    expect(job).toEqual([`unkept ${join(tree, 'stop')}`]);
    expect(scene.warnings.filter(isStop)).toEqual([]);
  });

  it('a change by the user is reported, even after a command changed the same file', async () => {
    await beside(async () => {
      await scene.act("sed -i 's/mine/new/' index.html");
      scene.put('index.html', 'by the user\n');
      scene.put('src/b.js', 'by the user\n');
    });
    for (const name of ['index.html', 'src/b.js']) expect(scene.warnings.join()).toContain(join(tree, name));
  });

  it('a change by the job during a command is not reported once the job has ended', async () => {
    await beside(async () => {
      const command = scene.act('touch begun; until [ -e wrote ]; do sleep 0.01; done');
      await until('the command runs', () => existsSync(join(tree, 'begun')));
      scene.put('go', '');
      await command;
      rmSync(join(tree, 'go'));
      expect(await incomplete()).toEqual([]);
    }, 'echo up > log; until [ -e go ]; do sleep 0.01; done; echo x > src/a.js; echo x > wrote');
    expect(scene.warnings.join()).not.toMatch(/a\.js|wrote/);
  });

  it('commands of another session count as somebody else’s', async () => {
    await beside(async () => {
      scene.open({ session: 's2' });
      await scene.act("sed -i 's/mine/new/' index.html");
    });
    expect(scene.warnings.join()).toContain(join(tree, 'index.html'));
  });
});
