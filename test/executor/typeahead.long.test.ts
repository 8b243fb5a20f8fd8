import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { userShells } from '../support/lacks.ts';
import { shows, until, userShell } from './support.ts';

/** A command line for any shell that ends once a file with this name exists. */
const waitsFor = (name: string) => `sh -c 'until [ -e ${name} ]; do sleep 0.05; done'`;

describe.each(userShells())('text typed during a command of %s that did not read it', (program) => {
  const options = { shell: program };

  it('is returned once, whole lines with their line end, and is never run', async () => {
    const { shell, home, run } = await userShell('', options);
    const busy = shell.run('read -r first; echo "got $first"; sleep 0.3');
    busy.write('mine\r');
    await shows(busy, 'got mine');
    for (const key of `touch ${home}/it\rechxx\x7f\x7fo é`) busy.write(key);
    expect((await busy.result).exit).toBe(0);
    expect(await busy.unread()).toBe(`touch ${home}/it\necho é`);
    expect(await busy.unread()).toBe('');
    expect(existsSync(`${home}/it`)).toBe(false);
    expect((await run('stty -a | grep -o " icanon\\| echo " | tr -d " "')).head.split('\n')).toEqual([
      'icanon',
      'echo',
    ]);
    const asking = shell.run('printf "sure? "; read -r answer; echo "[$answer]"');
    await shows(asking, 'sure?');
    asking.write('no\r');
    expect((await asking.result).head).toContain('[no]');
    expect(await asking.unread()).toBe('');
  });

  it('is returned as the line editor would show it', async () => {
    const { shell } = await userShell('', options);
    const busy = shell.run('echo works; sleep 0.2');
    await shows(busy, 'works');
    for (const key of 'echxx\x7f\x7fo é') busy.write(key);
    await busy.result;
    expect(await busy.unread()).toBe('echo é');
    expect(await busy.unread()).toBe('');
  });

  it('is discarded only as far as it was typed while typing was hidden', async () => {
    const { shell, home } = await userShell('', options);
    const end = (name: string) => writeFileSync(join(home, name), '');
    const hiding = shell.run(`stty -echo; echo hides; ${waitsFor('a')}; stty echo; echo shows; sleep 0.2`);
    await shows(hiding, 'hides');
    await until(() => hiding.echoOff, 'typing is hidden');
    hiding.write('open sesame\r');
    end('a');
    await hiding.result;
    expect(await hiding.unread()).toBe('');
    const reading = shell.run(`echo waits; read -rs secret; echo "got $secret"; ${waitsFor('b')}`);
    await shows(reading, 'waits');
    await until(() => reading.echoOff, 'typing is hidden');
    reading.write('sesame\r');
    await shows(reading, 'got sesame');
    await until(() => !reading.echoOff, 'typing is shown again');
    reading.write('echo on');
    end('b');
    await reading.result;
    expect(await reading.unread()).toBe('echo on');
    const killed = shell.run(`stty -echo; echo hides; ${waitsFor('c')}`);
    await shows(killed, 'hides');
    await until(() => killed.echoOff, 'typing is hidden');
    killed.write('open sesame\r');
    end('c');
    await killed.result;
    expect(await killed.unread()).toBe('');
    await shell.run('stty echo').result;
  });

  it('is discarded by Ctrl-C as in any terminal, and is not looked for where nothing was typed', async () => {
    const { shell } = await userShell('', options);
    const quiet = shell.run('echo quiet');
    await quiet.result;
    expect(await quiet.unread()).toBe('');
    // The program in the foreground prints it: between two commands zsh itself may have the terminal, and continues
    // after a Ctrl-C.
    const stopped = shell.run('sh -c "echo works; exec sleep 100"');
    await shows(stopped, 'works');
    stopped.write('echo no\r\x03');
    expect((await stopped.result).exit).toBe(130);
    expect(await stopped.unread()).toBe('');
  });

  it('is not lost before the command starts', async () => {
    const { shell } = await userShell('', options);
    for (const word of ['one', 'two', 'three']) {
      const quick = shell.run('true');
      quick.write(`echo ${word}\r`);
      await quick.result;
      expect(await quick.unread()).toBe(`echo ${word}\n`);
    }
  });

  it('includes what was typed between the command’s end and the moment the text is fetched', async () => {
    const { shell, run } = await userShell('', options);
    const busy = shell.run('echo works; sleep 0.1');
    await shows(busy, 'works');
    busy.write('echo A');
    await busy.result;
    busy.write('HEADX\x7f\r');
    expect(await busy.unread()).toBe('echo AHEAD\n');
    expect((await run('echo fine')).head).toBe('fine');
  });
});
