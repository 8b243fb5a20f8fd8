import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { trialsWork } from '../effects/undo/trial-support.ts';
import { lacks } from '../support/lacks.ts';
import { onWeb1 } from '../support/on-web1.ts';
import { scratch } from '../support/program.ts';
import { startRig } from '../support/rig.ts';
import { say, startScriptedServer } from '../support/scripted-server.ts';
import { lacksSshd, type SshHost, startSshd } from '../support/sshd.ts';

describe.skipIf(lacksSshd())('another machine over ssh', () => {
  const { server, env, there, enter } = onWeb1();

  it('runs the user’s lines there in blocks, and returns', async () => {
    using place = scratch();
    const before = server().accepted();
    await using rig = startRig(place, { env: env(), columns: 100 });
    await enter(rig);
    await rig.waitFor(/ @web1 .*-- \w+ --/);
    rig.type('echo on $((40+2)); (exit 4)\r');
    await rig.waitFor(/│ on 42/);
    await rig.waitFor(/✗ 4/);
    rig.type('cd /usr/share\r');
    await rig.waitFor(/now in web1:\/usr\/share/);
    rig.type(':host\r');
    await rig.waitFor(/→ web1 +connected +web1:\/usr\/share/);
    rig.type(':bg sleep 1\r');
    await rig.waitFor(/:bg runs commands of this machine/);
    rig.type(':host -\r');
    await rig.waitFor(/\n\[aish:\w+\]>/);
    rig.type('pwd\r');
    await rig.waitFor(new RegExp(`│ ${place.work}`));
    expect(server().accepted() - before).toBe(1);
  });

  it('names the host in text on a terminal without colours', async () => {
    using place = scratch();
    await using rig = startRig(place, { env: { ...env(), NO_COLOR: '1' }, columns: 100 });
    await enter(rig);
    await rig.waitFor(/ @web1 .*-- \w+ --/);
  });

  it('passes Ctrl-C to the remote command, and the shell continues', async () => {
    using place = scratch();
    await using rig = startRig(place, { env: env(), columns: 100 });
    await enter(rig);
    rig.type('echo beg""un; sleep 1000\r');
    await rig.waitFor(/│ begun/);
    rig.key('ctrl-c');
    await rig.waitFor(/✗ 130/);
    rig.type('echo aft""er\r');
    await rig.waitFor(/│ after/);
  });

  it.skipIf(lacks('vim'))('gives vim the whole screen', async () => {
    using place = scratch();
    const folder = there();
    await using rig = startRig(place, { env: env(), columns: 100 });
    await enter(rig);
    rig.type(`vim -u NONE ${folder}/note\r`);
    await rig.waitFor(/~ *\n~ *\n~/);
    rig.type('ihello there');
    await rig.waitFor(/hello there/);
    rig.key('escape');
    rig.type(':wq\r');
    await rig.waitFor(/❯ (?:@web1 )?vim .*✓/);
    expect(readFileSync(join(folder, 'note'), 'utf8')).toBe('hello there\n');
  });

  it('shows ssh’s own questions in a frame, and passes the answers on', async () => {
    const unknown = await startSshd('web1', { known: false });
    try {
      using place = scratch();
      await using rig = startRig(place, { env: { PATH: `${unknown.bin}:${process.env.PATH}` }, columns: 100 });
      await rig.waitFor(/\[aish:\w+\]>/);
      rig.type(':host web1\r');
      await rig.waitFor(/continue connecting \(yes\/no/);
      rig.type('yes\r');
      await rig.waitFor(/@web1 \[aish:\w+\]>/);
      rig.type('echo $((6*7)) there\r');
      await rig.waitFor(/│ 42 there/);
    } finally {
      await unknown.stop();
    }
  });

  it('reports a lost connection in one line, runs nothing here, and reconnects on request', async () => {
    using place = scratch();
    const folder = there();
    await using rig = startRig(place, { env: env(), columns: 120 });
    await enter(rig);
    rig.type(`echo x >>${folder}/count; sleep 1000\r`);
    await rig.waitFor(() => existsSync(join(folder, 'count')));
    // Of the program's own processes only the connection has `-M`.
    killMaster(server());
    await rig.waitFor(/the connection to web1 was lost; :host web1 reconnects/);
    await rig.waitFor(/the connection was lost; what it did since is not known/);
    rig.type(`echo y >>${folder}/count\r`);
    await rig.waitFor(/can't run this: web1 is not connected/);
    rig.type(':host web1\r');
    await rig.waitFor(() => rig.text().match(/❯ (?:@web1 )?ssh web1 .*✓/g)?.length === 2);
    rig.type('echo ag""ain\r');
    await rig.waitFor(/│ again/);
    expect(readFileSync(join(folder, 'count'), 'utf8')).toBe('x\n');
  });

  it.skipIf(lacks('cc'))('installs the launcher for Restricted after a yes, and :host forget removes it', async () => {
    const folder = there();
    const home = there();
    const own = await startSshd('web1', { lines: [`SetEnv HOME=${home}`] });
    try {
      await using model = await startScriptedServer([
        say(`CMD: cat ${folder}/note; touch ${folder}/made`),
        say('as far as it goes'),
      ]);
      using place = scratch(model.baseUrl, { mode: 'restricted' });
      writeFileSync(join(folder, 'note'), 'read there');
      await using rig = startRig(place, { env: { PATH: `${own.bin}:${process.env.PATH}` }, columns: 100, rows: 30 });
      await enter(rig);
      rig.type(':host launcher\r');
      await rig.waitFor(/:host launcher yes does it/);
      rig.type(':host launcher yes\r');
      await rig.waitFor(/the launcher is on web1/);
      rig.type('?try to write\r');
      await rig.waitFor(/│ read there/);
      await rig.waitFor(/made.*Permission denied/);
      await rig.waitFor(/Restricted mode blocked a write/);
      await rig.waitFor(/all shown|Enter: /);
      rig.type('n');
      await rig.waitFor(/as far as it goes/);
      expect(existsSync(join(folder, 'made'))).toBe(false);
      rig.type(':host forget web1\r');
      await rig.waitFor(/on web1 lies .*aish-tui-host/);
      rig.type(':host forget web1 yes\r');
      await rig.waitFor(/removed there: .*aish-tui-host/);
      expect(readdirSync(join(home, '.cache'))).toEqual([]);
    } finally {
      await own.stop();
    }
  });

  it.skipIf(lacks('cc'))('halts a model’s delete with that host’s loss, and undoes it there', async () => {
    const [folder, home] = [there(), there()];
    mkdirSync(join(folder, 'build'));
    for (const name of ['a', 'b', 'c']) writeFileSync(join(folder, 'build', name), 'xxxx');
    const own = await startSshd('web1', { lines: [`SetEnv HOME=${home}`] });
    try {
      await using model = await startScriptedServer([say('CMD: rm -rf build'), say('done it')]);
      using place = scratch(model.baseUrl, { mode: 'unrestricted' });
      await using rig = startRig(place, { env: { PATH: `${own.bin}:${process.env.PATH}` }, columns: 100, rows: 30 });
      await enter(rig);
      rig.type(':host launcher yes\r');
      await rig.waitFor(/the launcher is on web1/);
      rig.type(`cd ${folder}\r`);
      await rig.waitFor(/now in web1:/);
      rig.type('?clean up\r');
      await rig.waitFor(/HALT.* on web1/);
      await rig.waitFor(/build: 3 files, 12 bytes/);
      await rig.waitFor(/web1 itself reports/);
      await rig.waitFor(/all shown|Enter: /);
      rig.type('p');
      await rig.waitFor(/done it/);
      expect(existsSync(join(folder, 'build'))).toBe(false);
      rig.type(':undo\r');
      await rig.waitFor(/restores +\S*build\/[\s\S]*> :undo yes/);
      rig.key('enter');
      await rig.waitFor(/undone: /);
      expect(
        readdirSync(join(folder, 'build')).map((name) => readFileSync(join(folder, 'build', name), 'utf8')),
      ).toEqual(['xxxx', 'xxxx', 'xxxx']);
      rig.type(':host -\r');
      await rig.waitFor(/\n\[aish:\w+\]>/);
      rig.type(':undo\r');
      await rig.waitFor(/nothing to undo/);
      rig.type(':host forget web1 yes\r');
      await rig.waitFor(/removed there: .*aish-tui-host/);
    } finally {
      await own.stop();
    }
  });

  it.skipIf(lacks('cc') || lacks('tar') || !trialsWork())(
    'halts, tries, applies and undoes a model’s delete there, byte for byte',
    async () => {
      const [folder, home] = [there(), there()];
      mkdirSync(join(folder, '.git'));
      mkdirSync(join(folder, 'build'));
      for (const name of ['a', 'b', 'c']) writeFileSync(join(folder, 'build', name), `xxx${name}`);
      const bytes = () => execFileSync('tar', ['-C', folder, '--sort=name', '-c', '.']);
      const before = bytes();
      const own = await startSshd('web1', { lines: [`SetEnv HOME=${home}`] });
      try {
        const asked = say('CMD: rm -rf build');
        await using model = await startScriptedServer([asked, say('left it'), asked, say('done it')]);
        using place = scratch(model.baseUrl, { mode: 'unrestricted' });
        await using rig = startRig(place, { env: { PATH: `${own.bin}:${process.env.PATH}` }, columns: 100, rows: 30 });
        await enter(rig);
        rig.type(`cd ${folder}\r`);
        await rig.waitFor(/now in web1:/);
        rig.type('?clean up\r');
        await rig.waitFor(/HALT.* on web1/);
        await rig.waitFor(/No trial: nothing can be tried on web1 without the launcher/);
        await rig.waitFor(/all shown|Enter: /);
        expect(rig.text()).not.toMatch(/t +try/);
        rig.type('s');
        await rig.waitFor(/left it/);
        rig.type(':host launcher yes\r');
        await rig.waitFor(/the launcher is on web1/);
        rig.type('?clean up\r');
        await rig.waitFor(/build: 3 files, 12 bytes/);
        await rig.waitFor(/web1 itself reports/);
        await rig.waitFor(/t +try/);
        await rig.waitFor(/all shown|Enter: /);
        rig.type('t');
        await rig.waitFor(/on web1 · tried, nothing has changed yet/);
        await rig.waitFor(/web1 itself reports these changes/);
        await rig.waitFor(/T +apply/);
        expect(bytes().equals(before)).toBe(true);
        await rig.waitFor(/all shown|Enter: /);
        rig.type('T');
        await rig.waitFor(/done it/);
        expect(readdirSync(folder)).toEqual(['.git']);
        rig.type(':undo yes\r');
        await rig.waitFor(/undone: /);
        expect(bytes().equals(before)).toBe(true);
      } finally {
        await own.stop();
      }
    },
  );

  it.skipIf(lacks('cc') || lacks('git') || !trialsWork())(
    'in Project sets aside files that a model writes and other programs would run, until the user decides',
    async () => {
      const [folder, home] = [there(), there()];
      execFileSync('git', ['init', '-q', folder]);
      const own = await startSshd('web1', { lines: [`SetEnv HOME=${home}`] });
      try {
        const write = `echo evil >.envrc; echo x >made; echo y >${home}/made`;
        await using model = await startScriptedServer([say(`CMD: ${write}`), say('as far as it goes')]);
        using place = scratch(model.baseUrl, { mode: 'project' });
        await using rig = startRig(place, { env: { PATH: `${own.bin}:${process.env.PATH}` }, columns: 110, rows: 30 });
        await enter(rig);
        rig.type(':host launcher yes\r');
        await rig.waitFor(/Restricted, Project and :undo work there/);
        rig.type(`cd ${folder}\r`);
        await rig.waitFor(/now in web1:/);
        rig.type('?write\r');
        await rig.waitFor(/on web1/);
        await rig.waitFor(/all shown|Enter: /);
        rig.type('p');
        await rig.waitFor(/SET ASIDE/);
        await rig.waitFor(/\.envrc is run by shells and editors/);
        await rig.waitFor(/all shown|Enter: /);
        expect([existsSync(join(folder, '.envrc')), existsSync(join(home, 'made'))]).toEqual([false, false]);
        rig.type('s');
        await rig.waitFor(/as far as it goes/);
        expect(readdirSync(folder).sort()).toEqual(['.git', 'made']);
      } finally {
        await own.stop();
      }
    },
  );

  it.skipIf(lacks('cc') || lacks('git') || !trialsWork())(
    'offers the mode Project in a HALT in Restricted where the host supports it',
    async () => {
      const [folder, home] = [there(), there()];
      execFileSync('git', ['init', '-q', folder]);
      writeFileSync(join(folder, 'old'), 'x');
      const own = await startSshd('web1', { lines: [`SetEnv HOME=${home}`] });
      try {
        await using model = await startScriptedServer([say('CMD: rm old'), say('as far as it goes')]);
        using place = scratch(model.baseUrl, { mode: 'restricted' });
        await using rig = startRig(place, { env: { PATH: `${own.bin}:${process.env.PATH}` }, columns: 110, rows: 30 });
        await enter(rig);
        rig.type(`cd ${folder}\r`);
        await rig.waitFor(/now in web1:/);
        rig.type(':host launcher yes\r');
        await rig.waitFor(/Restricted, Project and :undo work there/);
        rig.type('?clean up\r');
        await rig.waitFor(/y switches to Project/);
        await rig.waitFor(/all shown|Enter: /);
        rig.type('y');
        // The yes covers the mode and the command; the kernel of the host confines it, and changes are kept for undo.
        await rig.waitFor(/mode: Project/);
        await rig.waitFor(/as far as it goes/);
        expect(existsSync(join(folder, 'old'))).toBe(false);
        rig.type(':undo yes\r');
        await rig.waitFor(/undone: /);
        expect(readFileSync(join(folder, 'old'), 'utf8')).toBe('x');
      } finally {
        await own.stop();
      }
    },
  );

  it('halts a model’s destructive command with what that host would lose', async () => {
    const folder = there();
    mkdirSync(join(folder, 'build'));
    for (const name of ['a', 'b', 'c']) writeFileSync(join(folder, 'build', name), 'xxxx');
    await using model = await startScriptedServer([say('CMD: rm -rf build'), say('done it')]);
    using place = scratch(model.baseUrl, { mode: 'unrestricted' });
    mkdirSync(join(place.work, 'build'));
    await using rig = startRig(place, { env: env(), columns: 100, rows: 30 });
    await enter(rig);
    rig.type(`cd ${folder}\r`);
    await rig.waitFor(/now in web1:/);
    rig.type('?clean up\r');
    await rig.waitFor(/HALT.* on web1/);
    await rig.waitFor(/build: 3 files, 12 bytes/);
    await rig.waitFor(/web1 itself reports/);
    await rig.waitFor(/all shown|Enter: /);
    expect(readdirSync(folder)).toEqual(['build']);
    rig.type('p');
    await rig.waitFor(/done it/);
    expect(existsSync(join(place.work, 'build'))).toBe(true);
    expect(model.requests[0]?.lastUser).toContain('clean up');
  });
});

function killMaster({ bin }: SshHost): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const words = read(`/proc/${pid}/cmdline`).split('\0');
    if (/ssh$/.test(words[0] ?? '') && words.includes('-M') && words.includes(join(bin, '..', 'config')))
      process.kill(Number(pid), 'SIGKILL');
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
