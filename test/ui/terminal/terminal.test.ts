import { fileURLToPath } from 'node:url';
import { type Pty, spawn } from 'node-pty';
import { afterEach, describe, expect, it, vi } from 'vitest';

const fixture = fileURLToPath(new URL('fixture.ts', import.meta.url));
const ptys: Pty[] = [];

afterEach(() => {
  for (const pty of ptys.splice(0)) pty.kill('SIGKILL');
});

const until = (holds: () => void) => vi.waitFor(holds, { timeout: 20_000, interval: 20 });

/**
 * Runs the fixture under bash in a pty that answers queries like a terminal, and returns its exit and the state of the
 * tty.
 */
function start({ answers = true, interactive = false } = {}) {
  const run = `"${process.execPath}" --no-warnings "${fixture}" 2>/dev/null`;
  const script = `${run} & pid=$!; echo "<pid $pid>"; fg >/dev/null; echo "<status $?>"; stty -a | tr ' ;' '\\n\\n' | grep -x -e icanon -e -icanon`;
  const args = interactive ? ['--norc', '--noprofile', '-i'] : ['-c', `set -m; ${script}`];
  const pty = spawn('bash', args, {
    name: 'xterm-256color',
    cols: 80,
    rows: 24,
    cwd: process.cwd(),
    env: { PATH: process.env.PATH ?? '', TERM: 'xterm-256color', PS1: '$ ' },
    encoding: null,
  });
  ptys.push(pty);
  const screen = { text: '' };
  pty.onData((bytes) => {
    const data = bytes.toString();
    screen.text += data;
    if (!answers) return;
    if (data.includes('\x1b[>q')) pty.write('\x1bP>|test 1.0\x1b\\');
    for (const _ of data.matchAll(/\x1b\[c/g)) pty.write('\x1b[?62;4c');
  });
  const shows = (text: string) => until(() => expect(screen.text).toContain(text));
  return { pty, screen, shows, run };
}

const LEFT = ['\x1b[?1049l', '\x1b[?2004l', '\x1b[?1004l', '\x1b[?1002l', '\x1b[?25h', '\x1b[>4m'];

async function leftWhole({ screen, shows }: ReturnType<typeof start>, status: number): Promise<void> {
  await shows(`<status ${status}>`);
  await shows('\nicanon');
  const end = screen.text.slice(0, screen.text.indexOf('<status'));
  for (const mode of LEFT) expect(end.lastIndexOf(mode)).toBeGreaterThan(end.lastIndexOf('<ready'));
}

describe('the terminal', () => {
  it('is set up, asked for its name, and restored on leaving', async () => {
    const it = start();
    await it.shows('<ready test 1.0 true>');
    for (const mode of ['\x1b[?1049h', '\x1b[?2004h', '\x1b[?1002h', '\x1b[>4;1m'])
      expect(it.screen.text).toContain(mode);
    it.pty.write('hello\r');
    await it.shows('<line hello>');
    it.pty.write('\x1b[200~a\rb\x1b[201~quit\r');
    await it.shows('<paste "a\\nb">');
    await leftWhole(it, 0);
    expect(it.screen.text).not.toContain('62;4c>');
  });

  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
    ['SIGHUP', 129],
    ['SIGQUIT', 131],
  ] as const)('is restored on %s', async (signal, status) => {
    const it = start();
    await it.shows('<ready');
    process.kill(Number(/<pid (\d+)>/.exec(it.screen.text)?.[1]), signal);
    await leftWhole(it, status);
  });

  it.each(['throw', 'reject'])('is restored on an uncaught error (%s)', async (how) => {
    const it = start();
    await it.shows('<ready');
    it.pty.write(`${how}\r`);
    await leftWhole(it, 1);
  });

  it('answers a query that marks the end of its earlier replies, and the wait ends where nothing answers', async () => {
    const it = start();
    await it.shows('<ready');
    it.pty.write('fence\r');
    await it.shows('<fence true>');
    const mute = start({ answers: false });
    await mute.shows('<ready  false>');
    mute.pty.write('fence\r');
    await mute.shows('<fence false>');
  });

  it('is given to a child with all its input, and taken back', async () => {
    const it = start();
    await it.shows('<ready');
    it.pty.write('child\r');
    await it.shows('<child asks>');
    // Text typed before the child runs is not meant for it, and is discarded.
    expect(it.screen.text).toMatch(/<line child>[\s\S]*\x1b\[\?1049l[\s\S]*<child asks>/);
    it.pty.write('whole\r');
    await it.shows('<child whole>');
    await it.shows('<resumed>');
    // A reset scroll region moves the cursor, so it comes after the switch, which saves where the terminal goes on.
    const back = it.screen.text.slice(it.screen.text.lastIndexOf('\x1b[?1049l'));
    expect(back.indexOf('\x1b[?1049h')).toBeLessThan(back.indexOf('\x1b[r'));
    it.pty.write('after\r');
    await it.shows('<line after>');
  });

  it('passes raw bytes to a sink until told otherwise', async () => {
    const it = start();
    await it.shows('<ready');
    it.pty.write('hand\r');
    await it.shows('<line hand>');
    it.pty.write('\x1b[A\x03');
    await it.shows('<raw "\\u001b[A\\u0003">');
    it.pty.write('q');
    await it.shows('<resumed>');
    it.pty.write('after\r');
    await it.shows('<line after>');
  });

  it('is released on a stop, and taken again after fg', async () => {
    const it = start({ interactive: true });
    it.pty.write(`${it.run}\r`);
    await it.shows('<ready');
    it.pty.write('stop\r');
    await it.shows('Stopped');
    it.pty.write('echo $((40+2))-back\r');
    await it.shows('42-back');
    it.pty.write('fg\r');
    await it.shows('<resumed>');
    it.pty.write('after\r');
    await it.shows('<line after>');
  });

  it('is taken again after a stop from outside', async () => {
    const it = start();
    await it.shows('<ready');
    const pid = Number(/<pid (\d+)>/.exec(it.screen.text)?.[1]);
    process.kill(pid, 'SIGCONT');
    await it.shows('<resumed>');
    it.pty.write('after\r');
    await it.shows('<line after>');
    it.pty.write('quit\r');
    await leftWhole(it, 0);
  });

  it('treats Enter in an unbracketed burst as a newline where pastes may come unbracketed', async () => {
    const it = start({ answers: false });
    await it.shows('<ready');
    it.pty.write('typed ahead\r');
    await it.shows('<line typed ahead>');
    it.pty.write('one\rtwo\rthree\r');
    await it.shows('<line one/two/three>');
  });
});
