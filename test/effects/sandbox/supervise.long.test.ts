/**
 * No process of a command outlives the command or its starter. Apart from that the command behaves as without the
 * launcher.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createPrivateTmp,
  lightArgv,
  type PrivateTmp,
  sandboxArgv,
  supervisedArgv,
} from '../../../src/effects/sandbox/index.ts';
import { lacks } from '../../support/lacks.ts';
import { inPty } from './pty.ts';
import { alive, run, until } from './run.ts';
import { buildTools, type Tools } from './tools.ts';

let tools: Tools;
let tmp: PrivateTmp;
beforeAll(async () => {
  tools = await buildTools();
});
afterAll(() => tools?.dispose());
beforeEach(() => {
  tmp = createPrivateTmp();
});
afterEach(() => tmp.dispose());

type Profile = 'restricted' | 'light' | 'supervised';
const PROFILES: readonly Profile[] = ['restricted', 'light', 'supervised'];

function argv(profile: Profile, script: string): readonly string[] {
  const launch = { launcher: tools.launcher, argv: ['bash', '-c', script], statusFile: tmp.statusFile };
  if (profile === 'light') return lightArgv(launch);
  if (profile === 'supervised') return supervisedArgv(launch);
  return sandboxArgv({ ...launch, tmpDir: tmp.path });
}

/** Quotes the words as a line for a shell, which is then the launcher's parent. */
function quoted(words: readonly string[]): string {
  const at = words.indexOf('--parent');
  return [...words.slice(0, at), ...words.slice(at + 2)].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
}

const file = (name: string): string => join(tmp.path, name);
/**
 * SHLVL prevents bash from reading ~/.bashrc: it would at level 0 when its input is a socket, which Node uses for a
 * pipe.
 */
const environment = () => ({ PATH: process.env.PATH ?? '/usr/bin:/bin', TMPDIR: tmp.path, HOME: tmp.path, SHLVL: '1' });

/** Returns the process ids that a script wrote to a file, once there are `count` of them. */
async function pids(name: string, count: number): Promise<number[]> {
  const read = () => (existsSync(file(name)) ? readFileSync(file(name), 'utf8').trim().split(/\s+/).map(Number) : []);
  await until(`${count} processes are there`, () => read().filter((pid) => pid > 0).length >= count);
  return read();
}

/**
 * Orphans of every kind: a child, a detached one, one in a session of its own, one that ignores every signal it can.
 */
const ORPHANS = `
  sleep 1000 & echo $! >> $TMPDIR/pids
  nohup setsid sh -c 'echo $$ >> $TMPDIR/pids; exec sleep 1000' >/dev/null 2>&1 &
  (setsid bash -c 'trap "" HUP INT TERM; echo $$ >> $TMPDIR/pids; while :; do sleep 1000; done' &)
  while [ $(wc -l < $TMPDIR/pids) -lt 3 ]; do :; done
`;

describe.skipIf(lacks('cc')).each(PROFILES)('the launcher with the profile %s', (profile) => {
  it('passes on input, output and the exit code', async () => {
    const ran = await run(argv(profile, 'cat; echo err >&2; exit 7'), { env: environment(), input: 'in\n' });
    expect(ran).toEqual({ code: 7, signal: null, out: 'in\n', err: 'err\n' });
    expect(tmp.status()).toEqual({ kind: 'exited', code: 7, left: 0 });
  });

  it('exits with 128+n after signal n', async () => {
    const ran = await run(argv(profile, 'kill -SEGV $$'), { env: environment() });
    expect(ran.code).toBe(128 + 11);
    expect(tmp.status()).toEqual({ kind: 'killed', signal: 11, left: 0 });
  });

  it('leaves no orphan when the command ends', async () => {
    const ran = await run(argv(profile, `${ORPHANS} exit 3`), { env: environment() });
    expect(ran.code).toBe(3);
    const orphans = await pids('pids', 3);
    expect(orphans.filter(alive)).toEqual([]);
    expect(tmp.status()).toMatchObject({ kind: 'exited', code: 3 });
    expect(tmp.status()).toHaveProperty('left', expect.any(Number));
  });

  it('leaves no orphan when the parent is killed', async () => {
    const [program = '', ...rest] = argv(profile, `${ORPHANS} echo $$ >> $TMPDIR/pids; sleep 1000`);
    // The process between the two is killed with SIGKILL; --parent must name it.
    const script = `const { spawn } = require('node:child_process');
      const args = ${JSON.stringify(rest)};
      args[args.indexOf('--parent') + 1] = String(process.pid);
      spawn(${JSON.stringify(program)}, args, { stdio: 'ignore' }); setInterval(() => {}, 1e6)`;
    const parent = spawn(process.execPath, ['-e', script], { env: environment(), stdio: 'ignore' });
    const orphans = await pids('pids', 4);
    expect(orphans.every(alive)).toBe(true);
    parent.kill('SIGKILL');
    await until('all of it is gone', () => !orphans.some(alive));
    // The supervisor outlives the last orphan briefly, to write the status.
    await until('it is told', () => tmp.status().kind !== 'running');
    expect(tmp.status()).toEqual({ kind: 'stopped', by: 'parent' });
  });

  it('leaves no orphan when its process group is killed with SIGKILL', async () => {
    const pty = inPty(argv(profile, `${ORPHANS} echo $$ >> $TMPDIR/pids; sleep 1000`), { env: environment() });
    const orphans = await pids('pids', 4);
    process.kill(-pty.pid, 'SIGKILL');
    await pty.ended;
    await until('all of it is gone', () => !orphans.some(alive));
  });

  it('leaves no orphan when the supervisor is killed', async () => {
    const child = spawn(
      argv(profile, '')[0] ?? '',
      argv(profile, `${ORPHANS} echo $$ >> $TMPDIR/pids; sleep 1000`).slice(1),
      {
        env: environment(),
        stdio: 'ignore',
      },
    );
    const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
    const orphans = await pids('pids', 4);
    const supervisor = Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim());
    process.kill(supervisor, 'SIGKILL');
    expect(await ended).toBe(137);
    expect(orphans.filter(alive)).toEqual([]);
  });

  it.each(['TERM', 'HUP', 'USR1', 'USR2'])('forwards %s sent to it alone', async (signal) => {
    const script = `trap 'echo got-${signal}; exit 9' ${signal}; echo ready; while :; do sleep 0.01; done`;
    const pty = inPty(argv(profile, script), { env: environment() });
    await until('it waits', () => pty.text().includes('ready'));
    pty.kill(`SIG${signal}`);
    expect(await pty.ended).toMatchObject({ exitCode: 9 });
    expect(pty.text()).toContain(`got-${signal}`);
  });

  it('forwards INT to a command without a terminal of its own', async () => {
    // The launcher has a terminal and the command gets pipes, so the command gets a session of its own.
    const script = "trap 'echo got-INT; exit 9' INT; echo $PPID > $TMPDIR/pids; while :; do sleep 0.01; done";
    const pty = inPty(
      ['bash', '-c', `${quoted(argv(profile, script))} < /dev/null 2>&1 | cat; echo "code \${PIPESTATUS[0]}"`],
      {
        env: environment(),
      },
    );
    const [supervisor = 0] = await pids('pids', 1);
    const front = Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${supervisor}/status`, 'utf8'))?.[1]);
    process.kill(front, 'SIGINT');
    await pty.ended;
    expect(pty.text()).toMatch(/got-INT\r\ncode 9/);
  });
});

describe.skipIf(lacks('cc'))('a command in a terminal', () => {
  /** Prints how many interrupts came, a moment after the first. */
  const COUNT = `'${process.execPath}' -e '
let n = 0;
process.on("SIGINT", () => {
  n += 1;
  if (n === 1) setTimeout(() => { console.log("interrupts " + n); process.exit(); }, 150);
});
setInterval(() => {}, 1000);
console.log("ready");'`;

  it.each(PROFILES)('receives one SIGINT for one Ctrl-C (%s)', async (profile) => {
    const pty = inPty(argv(profile, COUNT), { env: environment() });
    await until('it waits', () => pty.text().includes('ready'));
    pty.write('\x03');
    await pty.ended;
    expect(pty.text()).toContain('interrupts 1');
  });

  it.each(PROFILES)('receives one SIGINT for a SIGINT to the process group (%s)', async (profile) => {
    const pty = inPty(argv(profile, COUNT), { env: environment() });
    await until('it waits', () => pty.text().includes('ready'));
    process.kill(-pty.pid, 'SIGINT');
    await pty.ended;
    expect(pty.text()).toContain('interrupts 1');
  });

  it.each(PROFILES)('has the controlling terminal and its size, and can read from it (%s)', async (profile) => {
    const pty = inPty(argv(profile, 'tty; stty size; read -r line < /dev/tty; echo "<$line>"; stty -echo; stty echo'), {
      env: environment(),
    });
    await until('it reads', () => pty.text().includes('50 200'));
    pty.write('hello\r');
    expect(await pty.ended).toMatchObject({ exitCode: 0 });
    expect(pty.text()).toContain(pty.ptsName);
    expect(pty.text()).toContain('<hello>');
  });

  it('can be an inner shell with job control', async () => {
    const pty = inPty(
      argv('restricted', 'set -m; sleep 1000 & kill -STOP %1; wait -f %1 & jobs; kill -KILL %1; echo over'),
      {
        env: environment(),
      },
    );
    expect(await pty.ended).toMatchObject({ exitCode: 0 });
    expect(pty.text()).toContain('over');
  });

  it('can’t open the terminal of aish-tui, even if its own input and output are pipes', async () => {
    // The outer shell has a terminal; the launcher below it gets pipes only.
    const inner = quoted(argv('supervised', '(echo painted > /dev/tty) 2>&1 || true'));
    const pty = inPty(['bash', '-c', `${inner} < /dev/null 2>&1 | cat`], { env: environment() });
    await pty.ended;
    expect(pty.text()).not.toMatch(/^painted/m);
    expect(pty.text()).toMatch(/No such device/);
  });

  it('is stopped and continued as a whole', async () => {
    const pty = inPty(['bash', '--norc', '-i'], { env: { ...environment(), PS1: 'prompt> ' } });
    await until('the shell is there', () => pty.text().includes('prompt>'));
    const program =
      'process.on("SIGCONT", () => console.log("continued")); console.log("begun"); process.stdin.once("data", (line) => { console.log("<" + String(line).trim() + ">"); process.exit(); })';
    pty.write(`${quoted(argv('restricted', `exec '${process.execPath}' -e '${program}'`))}\r`);
    await until('it runs', () => /^begun/m.test(pty.text()));
    pty.write('\x1a');
    await until('it is stopped', () => pty.text().includes('Stopped'));
    pty.write('fg\r');
    await until('it goes on', () => /^continued/m.test(pty.text()));
    pty.write('again\r');
    await until('it has read', () => pty.text().includes('<again>'));
    expect(pty.text().match(/^continued/gm)).toHaveLength(1);
    pty.write('exit\r');
    await pty.ended;
  });
});
