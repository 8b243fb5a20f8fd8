import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lacks } from '../support/lacks.ts';
import { baseEnv, once, shows, until, userShell, workspace } from './support.ts';

/** Asks like sudo: on the terminal, with echo off, discarding what was typed before; never on stdin. */
const SUDO = `#!/bin/bash
exec 3<>/dev/tty
stty -echo <&3
printf '[sudo] password for %s: ' "$USER" >&3
read -r password <&3
stty echo <&3
echo >&3
[ "$password" = sesame ] && exec "$@"
echo 'Sorry, try again.' >&2; exit 1
`;

function sudo(): string {
  const path = join(workspace(), 'sudo');
  writeFileSync(path, SUDO);
  chmodSync(path, 0o755);
  return path;
}

describe.skipIf(lacks('python3'))('a program that reads in another thread', () => {
  it.each([
    ['its standard input', 'input', false],
    ['the terminal itself', 'lambda: open("/dev/tty").readline()', false],
    ['a password', 'getpass.getpass', true],
  ])('is recognised as asking, and gets its answer: %s', async (_, reads, echoOff) => {
    const code = `import threading, getpass; threading.Thread(target=${reads}).start()`;
    const run = once(`python3 -c '${code}'; echo done`);
    await until(() => run.asks, 'it is seen to ask');
    expect([run.echoOff, run.asker]).toEqual([echoOff, expect.stringContaining('python')]);
    run.write('x\n');
    expect((await run.result).head).toContain('done');
  });
});

describe('a program that waits for its user', () => {
  it.each([
    ['a password', 'read -sp "Password: " x', { asks: true, echoOff: true, asker: 'bash' }],
    ['a password without a prompt text', 'read -s x', { asks: true, echoOff: true, asker: 'bash' }],
    ['a question', 'read -p "Go on? [y/N] " x', { asks: true, echoOff: false, asker: 'bash' }],
    ['a question without a prompt text', 'cat', { asks: true, echoOff: false, asker: 'cat' }],
    ['a read from /dev/tty', 'cat </dev/tty | head -n1', { asks: true, echoOff: false, asker: 'cat' }],
  ])('is recognised: %s', async (_what, command, expected) => {
    const run = once(command);
    await until(() => run.asks, 'it is seen to ask');
    expect(run).toMatchObject(expected);
    run.write('x\n\x04');
    await run.result;
    expect(run).toMatchObject({ asks: false, echoOff: false, asker: undefined });
  });

  it('is recognised when it is sudo, whose answer is shown nowhere', async () => {
    const run = once(`${sudo()} echo opened`);
    await until(() => run.echoOff, 'it asks for the password');
    run.write('sesame\n');
    const result = await run.result;
    expect(result.head.split('\n').slice(1)).toEqual(['opened']);
    expect(result.head).not.toContain('sesame');
  });

  it('is recognised in the user’s own shell too, including the shell’s own read', async () => {
    const { shell } = await userShell();
    const reading = shell.run('read -s x');
    await until(() => reading.echoOff, 'it is seen');
    reading.write('hidden\n');
    expect(await reading.result).toMatchObject({ exit: 0, head: '' });
    const asking = shell.run(`${sudo()} true`);
    await until(() => asking.echoOff, 'sudo is seen');
    asking.write('wrong\n');
    expect((await asking.result).head).toContain('Sorry');
  });
});

it('a program that works, sleeps or reads a pipe does not count as asking', async () => {
  const run = once('echo up; sleep 100 | cat');
  await shows(run, 'up');
  let looks = 0;
  await until(() => ++looks > 80, 'it has been looked at twice');
  expect(run.asks).toBe(false);
  run.interrupt();
  await run.result;
});

/** Draws on the alternate screen, as editors and monitors do, and never ends. */
const FULL_SCREEN = `printf '\\033[?1049hdrawn'; sleep 60`;

it.each([
  ['draws once', FULL_SCREEN, 'sleep'],
  ['shows its answers', `printf '\\033[?47h'; cat /dev/zero >/dev/null`, 'cat'],
])('a full-screen program of the model counts as waiting for a person: one that %s', waitsForPerson);

describe.skipIf(lacks('vim') || lacks('less') || lacks('top'))('a full-screen program of the model', () => {
  it.each([
    ['vim', 'vim -u NONE file', 'vim'],
    ['less', 'seq 500 | less', 'less'],
    ['top', 'top', 'top'],
  ])('counts as waiting for a person: %s', waitsForPerson);
});

async function waitsForPerson(_what: string, command: string, asker: string): Promise<void> {
  const run = once(command, { env: { ...baseEnv(workspace()), TERM: 'xterm-256color' } });
  await until(() => run.asks, 'it is seen to wait');
  expect(run.asker).toContain(asker);
  run.interrupt();
  run.interrupt();
  await run.result;
}

describe('a command that nobody can answer', () => {
  it.each([
    ['a password', 'read -s x', 'bash'],
    ['a question', 'read -p "Go on? [y/N] " x', 'bash'],
    ['a program that reads', 'cat', 'cat'],
    ['a full-screen program', FULL_SCREEN, 'sleep'],
  ])('is ended with a message when it waits for a person: %s', async (_what, command, asker) => {
    const { note, milliseconds, exit } = await once(`${command}; echo over`, { alone: true }).result;
    expect(note).toBe(`ended: ${asker} waits for a person, and nobody is here to answer it`);
    expect(exit).not.toBe(0);
    expect(milliseconds).toBeLessThan(15_000);
  });

  it('is left running when it works in silence or reads a file', async () => {
    expect(await once('sleep 3; cat /etc/hostname >/dev/null; echo done', { alone: true }).result).toMatchObject({
      exit: 0,
      head: 'done',
    });
  });
});
