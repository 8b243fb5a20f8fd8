/**
 * The user's own shell on a host ends or never starts. Lines, prompt and model then belong to one machine, and the
 * program continues.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { onWeb1 } from '../support/on-web1.ts';
import { scratch } from '../support/program.ts';
import { startRig } from '../support/rig.ts';
import { lacksSshd, startSshd } from '../support/sshd.ts';

describe.skipIf(lacksSshd())('the end of the shell on a host', () => {
  const { env, there, enter } = onWeb1();

  it('reports an unreachable host in one line, without trying another way', async () => {
    const gone = await startSshd();
    process.kill(gone.pid);
    try {
      using place = scratch();
      await using rig = startRig(place, { env: { PATH: `${gone.bin}:${process.env.PATH}` }, columns: 100 });
      await rig.waitFor(/\[aish:\w+\]>/);
      rig.type(':host web1\r');
      await rig.waitFor(/no connection to web1/);
      expect(rig.text()).not.toContain('plain ssh');
      rig.type('echo he""re\r');
      await rig.waitFor(/│ here/);
    } finally {
      await gone.stop();
    }
  });

  it('brings prompt, lines and model back to this machine after exit', async () => {
    using place = scratch();
    await using rig = startRig(place, { env: env(), columns: 100 });
    await enter(rig);
    rig.type('exit\r');
    await rig.waitFor(/the shell on web1 ended \(exit 0\); back on this machine/);
    await rig.waitFor(/\n\[aish:\w+\]>/);
    expect(rig.text()).not.toMatch(/@web1 .*-- \w+ --/);
    rig.type('pwd\r');
    await rig.waitFor(new RegExp(`❯ pwd +${place.work} [\\s\\S]*│ ${place.work}`));
    rig.type(':host web1\r');
    await rig.waitFor(/@web1 \[aish:\w+\]>/);
  });

  it('runs no line that was typed ahead after exit on either machine without asking', async () => {
    using place = scratch();
    const folder = there();
    await using rig = startRig(place, { env: { ...env(), HERE: 'here' }, columns: 100 });
    await enter(rig);
    rig.type(`sleep 1; exit\recho "$HERE" >${folder}/ran\r`);
    await rig.waitFor(/back on this machine/);
    await rig.waitFor(/\n\[aish:\w+\]>/);
    rig.key('ctrl-u');
    rig.type('echo se""ttled\r');
    await rig.waitFor(/│ settled/);
    expect(existsSync(join(folder, 'ran')) ? readFileSync(join(folder, 'ran'), 'utf8') : 'nowhere').not.toBe('here\n');
  });

  it('keeps the next line from running on either machine when the remote shell dies', async () => {
    using place = scratch();
    const folder = there();
    await using rig = startRig(place, { env: env(), columns: 100 });
    await enter(rig);
    rig.type('kill -9 $$\r');
    await rig.waitFor(/the shell on web1 ended \(exit \d+\); :host web1 starts another/);
    rig.type(`touch ${folder}/here\r`);
    await rig.waitFor(/can't run this: there is no shell on web1; :host web1 starts one/);
    expect(rig.text()).toMatch(/@web1 \[aish:\w+\]>/);
    rig.type(':host web1\r');
    // The line waits for the new shell.
    rig.type('echo aga""in\r');
    await rig.waitFor(/│ again/);
    expect(existsSync(join(folder, 'here'))).toBe(false);
  });

  it('reports a remote shell that ends before its first prompt in one line, and continues', async () => {
    const home = there();
    const quits = await startSshd('web1', { lines: [`SetEnv HOME=${home}`] });
    try {
      writeFileSync(join(home, '.bashrc'), 'case $- in *i*) exit 3;; esac\n');
      writeFileSync(join(home, '.bash_profile'), '. ~/.bashrc\n');
      using place = scratch();
      await using rig = startRig(place, { env: { PATH: `${quits.bin}:${process.env.PATH}` }, columns: 100 });
      await rig.waitFor(/\[aish:\w+\]>/);
      rig.type(':host web1\r');
      await rig.waitFor(/the shell on web1 ended before its first prompt \(exit 3\); plain ssh may work/);
      rig.type('echo he""re\r');
      await rig.waitFor(/│ here/);
    } finally {
      await quits.stop();
    }
  });
});
