import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findProcess } from '../../src/executor/processes.ts';
import { everyShell } from '../support/lacks.ts';
import { shows, until, userShell } from './support.ts';

describe('the user’s shell', () => {
  it('keeps what a line changes: directory, variables, functions, aliases, options', async () => {
    const { shell, home, run } = await userShell('alias greet="echo hello"');
    await run('mkdir sub; cd sub; export COLOR=red; n=5; twice() { echo $1 $1; }; set -o noclobber');
    expect(shell.cwd).toBe(join(home, 'sub'));
    const result = await run('greet; echo $COLOR $n; twice x; [[ -o noclobber ]] && echo kept');
    expect(result).toMatchObject({ exit: 0, cwd: join(home, 'sub'), head: 'hello\nred 5\nx x\nkept' });
  });

  it('reports the exit code of every line, and keeps $? and $_ of the one before', async () => {
    const { run } = await userShell();
    expect((await run('(exit 3)')).exit).toBe(3);
    expect((await run('echo $?')).head).toBe('3');
    await run('true a-word');
    expect((await run('echo $_')).head).toBe('a-word');
    expect((await run('nosuchcommand')).exit).toBe(127);
    expect(await run('if then')).toMatchObject({ exit: 2 });
    expect((await run('echo still here')).head).toBe('still here');
  });

  it('runs lines of any shape: several lines, here-documents, quotes, exclamation marks, 100,000 characters', async () => {
    const { run } = await userShell();
    expect((await run('for i in 1 2\ndo echo "$i!"\ndone')).head).toBe('1!\n2!');
    expect((await run("cat <<'E'\nit's $x \\ \"q\"\nE")).head).toBe('it\'s $x \\ "q"');
    const long = 'x'.repeat(100_000);
    expect((await run(`y=${long}; echo \${#y}`)).head).toBe('100000');
  });

  it('gives commands the terminal, also for questions', async () => {
    const { shell, run } = await userShell();
    const asking = shell.run('read -p "name? " n; echo "hi $n"');
    await shows(asking, 'name?');
    asking.write('bob\n');
    expect((await asking.result).head).toBe('name? bob\nhi bob');
    expect((await run('[ -t 0 ] && [ -t 1 ] && tty')).head).toMatch(/^\/dev\/pts\/\d+$/);
  });

  it('returns whole lines that no program read, and runs none of them', async () => {
    const { shell, home } = await userShell();
    const busy = shell.run('echo works; sleep 0.2');
    await shows(busy, 'works');
    busy.write(`touch ${home}/ran\r?what does \`touch ${home}/ran\` do\rhalf a li`);
    await busy.result;
    // This process sleeps while the shell reads all lines.
    for (let turn = 0; turn < 4; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150);
    }
    expect(await busy.unread()).toBe(`touch ${home}/ran\n?what does \`touch ${home}/ran\` do\nhalf a li`);
    expect(await shell.run('pwd').result).toMatchObject({ exit: 0, head: home });
    expect(existsSync(`${home}/ran`)).toBe(false);
  });

  it('passes Enter to a line editor that a command opened in the shell', async () => {
    const lines: Readonly<Record<string, string>> = {
      bash: 'read -e -p "na""me? " x; echo "got:$x"',
      zsh: 'x=; vared -p "na""me? " x; echo "got:$x"',
      fish: 'read -P "na""me? " x; echo "got:$x"',
    };
    for (const program of everyShell()) {
      const line = lines[basename(program)] ?? '';
      const asking = (await userShell('', { shell: program })).shell.run(line);
      await shows(asking, 'name?');
      asking.write('abc\r');
      expect((await asking.result).head).toContain('got:abc');
      expect(await asking.unread()).toBe('');
    }
  });

  it('never gets what was typed while typing was hidden and nobody read it', async () => {
    const { shell, home, run } = await userShell();
    const hiding = shell.run('stty -echo; echo hides; until [ -e end ]; do sleep 0.02; done; stty echo');
    await shows(hiding, 'hides');
    await until(() => hiding.echoOff, 'typing is hidden');
    hiding.write(`touch ${home}/sesame\r`);
    writeFileSync(join(home, 'end'), '');
    await hiding.result;
    expect(await hiding.unread()).toBe('');
    expect((await run('history; ls')).head).not.toContain('sesame');
  });

  it('reports the command names and the environment that it had at the last prompt', async () => {
    const { shell, run } = await userShell('alias ll="ls -l"; say() { :; }');
    await run("export FRUIT=$'a\\nb' PATH=/opt/x:$PATH");
    await until(() => shell.path[0] === '/opt/x', 'the prompt has told the new PATH');
    expect(['ll', 'say', 'cd', 'while', 'nope', ''].map((word) => shell.knows(word))).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
    ]);
    const env = await shell.environment();
    expect(env.FRUIT).toBe('a\nb');
    expect(Object.keys(env).filter((name) => name.startsWith('__aish'))).toEqual([]);
  });

  it('keeps the integration’s lines out of the history and the user’s lines in it', async () => {
    const { shell, run } = await userShell();
    await run('echo one');
    await run(' echo hidden');
    shell.remember('make all # aish');
    await run('echo two');
    const listed = (await run('history')).head.split('\n').map((line) => line.trim().replace(/^\d+ +/, ''));
    expect(listed).toEqual(['echo one', 'make all # aish', 'echo two', 'history']);
    expect((await run('echo "[$HISTCONTROL]" "[$PS1]"')).head).toMatch(/^\[\] \[.+\]$/);
  });

  it('stops the foreground job on Ctrl-Z, and fg and jobs work', async () => {
    const { shell, run } = await userShell();
    const sleeping = shell.run('sh -c "echo go; exec sleep 100"');
    await shows(sleeping, 'go');
    shell.write('\x1a');
    expect((await sleeping.result).exit).toBe(148);
    expect((await run('jobs')).head).toContain('Stopped');
    const back = shell.run('fg');
    await shows(back, 'exec sleep 100');
    back.interrupt();
    expect(await back.result).toMatchObject({ exit: 130, note: 'interrupted' });
  });

  it('stops a script on Ctrl-Z even while its next program is being started', async () => {
    const { shell, home, run } = await userShell();
    // Such a script spends nearly all its time starting programs.
    const loop = shell.run("sh -c 'echo go; while [ ! -e end ]; do /bin/true; done; echo ended'");
    await shows(loop, 'go');
    shell.write('\x1a');
    expect((await loop.result).exit).toBe(148);
    for (let turn = 1; turn <= 10; turn += 1) {
      const front = shell.run('fg');
      await until(() => shell.jobs().length === 0, 'it is in the front');
      shell.write('\x1a');
      expect((await front.result).exit).toBe(148);
    }
    writeFileSync(join(home, 'end'), '');
    expect((await run('fg')).head).toContain('ended');
  });

  it('stops a loop of short commands, each of which may end before its interrupt arrives', async () => {
    const { shell, run } = await userShell();
    const { head: before } = await run('echo $$');
    const loop = shell.run('echo in; while :; do /bin/true; done');
    await shows(loop, 'in');
    loop.interrupt();
    // A second Ctrl-C, as users press it, is stronger but still spares the shell itself.
    loop.interrupt();
    await loop.result;
    expect((await run('echo $$')).head).toBe(before);
  });

  it('is never killed by interrupts, even when one of its loops ignores them', async () => {
    const { shell, home, run } = await userShell();
    const { head: before } = await run('echo $$');
    const loop = shell.run("trap '' INT; echo in; until [ -e end ]; do :; done; trap - INT");
    await shows(loop, 'in');
    for (let press = 1; press <= 4; press += 1) loop.interrupt();
    writeFileSync(join(home, 'end'), '');
    await loop.result;
    expect((await run('echo $$')).head).toBe(before);
  });

  it('does not kill a nested shell when the program to be killed has already ended', async () => {
    const { shell, run } = await userShell();
    const pid = Number((await run('echo $$')).head);
    const inFront = () => findProcess(findProcess(pid)?.foreground ?? -1)?.name;
    const nested = shell.run('PS1="inner> " bash --norc -i');
    await shows(nested, 'inner>');
    nested.write('sleep 100\r');
    await until(() => inFront() === 'sleep', 'the sleep is in front');
    nested.interrupt();
    await until(() => inFront() === 'bash', 'the inner shell is back');
    // The escalation to SIGTERM and SIGKILL was for sleep and starts again for the shell.
    nested.interrupt();
    nested.interrupt();
    // An interrupt discards what is being typed, so the test types until it is accepted.
    await until(() => {
      nested.write('echo still $((6 * 7))\r');
      return nested.output.lines(50).join().includes('still 42');
    }, 'the inner shell answers');
  });

  it('shows what background jobs print between commands', async () => {
    const { idle, run } = await userShell();
    await run('{ sleep 0.05; echo from behind; } &');
    await until(() => idle.join('').includes('from behind'), 'the job has printed');
  });

  it('ends like a terminal’s shell, and reports its exit code', async () => {
    const { shell, run, exits } = await userShell();
    expect(await run('exit 7')).toMatchObject({ exit: 7, note: 'the shell ended' });
    expect(exits).toEqual(['The shell ended (exit 7).']);
    expect(await shell.run('echo too late').result).toMatchObject({ exit: null, note: 'there is no shell' });
  });

  it.each([
    ['set -e; false; echo not reached', 1],
    ['exec sh -c "echo replaced; exit 9"', 9],
  ])('ends with the exit code of %s', async (line, exit) => {
    const { run } = await userShell();
    expect((await run(line)).exit).toBe(exit);
  });

  it('is replaced when it was killed, with a message', async () => {
    const { home, exits, run } = await userShell('alias here="echo alive"');
    await run('cd data');
    expect(await run('kill -9 $$')).toMatchObject({ exit: 137, note: 'the shell ended; a new one was started' });
    expect(await run('here')).toMatchObject({ head: 'alive', cwd: join(home, 'data') });
    expect(exits).toHaveLength(1);
  });

  it('starts without its startup file when that file would end it', async () => {
    const { exits, run } = await userShell('exit 5');
    expect((await run('echo works')).head).toBe('works');
    expect(exits[0]).toContain('startup file');
  });

  it('leaves no process and no files', async () => {
    const { shell, run } = await userShell();
    const pid = shell.run('echo $$');
    const shellPid = (await pid.result).head;
    const directory = (await run('echo "$__aish_dir"')).head;
    await until(() => readdirSync(directory).join() === '', 'nothing private lies about');
    await Promise.all([shell.dispose(), shell.dispose()]);
    expect([`/proc/${shellPid}`, directory].filter((path) => existsSync(path))).toEqual([]);
    expect(await shell.run('echo too late').result).toMatchObject({ exit: null });
  });

  it('saves its history when it is closed like a terminal', async () => {
    const { shell, home, run } = await userShell('HISTFILE=~/.history');
    await run('echo remembered');
    await shell.dispose();
    expect(readFileSync(join(home, '.history'), 'utf8')).toContain('echo remembered');
  });
});
