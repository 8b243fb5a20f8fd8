/** The user's own shell on a host ends, or never begins: lines, prompt and model are on one machine, and the program goes on. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { onWeb1 } from '../support/on-web1.ts';
import { scratch } from '../support/program.ts';
import { startRig } from '../support/rig.ts';
import { lacksSshd, startSshd } from '../support/sshd.ts';

describe.skipIf(lacksSshd())('the end of the shell on a host', () => {
  const { env, there, enter } = onWeb1();

  it('a host that is not there is said in one line, without another way to the same end', async () => {
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

  it('exit leaves that machine: prompt, lines and model are here again', async () => {
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

  it('what is typed ahead behind exit runs on no machine unasked', async () => {
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

  it('a shell that ends there otherwise leads nobody back: the next line runs on neither machine', async () => {
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
    // It waits for the shell that comes.
    rig.type('echo aga""in\r');
    await rig.waitFor(/│ again/);
    expect(existsSync(join(folder, 'here'))).toBe(false);
  });

  it('a shell that ends before its first prompt there is one line, and nothing else ends', async () => {
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
