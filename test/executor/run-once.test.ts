import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { killTagged } from '../../src/executor/index.ts';
import { givenBetween } from '../../src/executor/orphans.ts';
import { lacks } from '../support/lacks.ts';
import { baseEnv, once, shows, until, workspace } from './support.ts';

const isAlive = (pid: number): boolean => {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
};

const GIT_PERSON = {
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.org',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.org',
};

describe('a command of the model', () => {
  it.each([
    ['echo out; exit 3', { exit: 3, head: 'out' }],
    ['cd /usr; false', { exit: 1, cwd: '/usr' }],
    ['set -e; cd /usr; false; echo not reached', { exit: 1, cwd: '/usr', head: '' }],
    ['cd /usr; exec sh -c "exit 4"', { exit: 4 }],
    ['trap "echo bye" EXIT; exit 5', { exit: 5, head: 'bye' }],
    ['kill -TERM $$', { exit: 143 }],
    ['nosuch', { exit: 127, head: 'bash: line 1: nosuch: command not found' }],
    ['echo $# "$@" $0', { exit: 0, head: '0 bash' }],
    ['cd /usr; set -x; true', { exit: 0, cwd: '/usr', head: '++ true' }],
    ['exec >/dev/null 2>&1; cd /usr', { exit: 0, cwd: '/usr', head: '' }],
    ['cat <<E\nhere\nE', { exit: 0, head: 'here' }],
    ['(trap - EXIT; cd /usr); false || true', { exit: 0 }],
  ])('has the right exit code, directory and output: %j', async (command, expected) => {
    expect(await once(command).result).toMatchObject(expected);
  });

  it('leaves the directory unchanged when the new one can’t be determined', async () => {
    const cwd = workspace();
    expect((await once('cd /usr; exec true', { cwd }).result).cwd).toBe(cwd);
  });

  it('says why it could not start', async () => {
    const result = await once('true', { cwd: '/no/such/place' }).result;
    expect(result.exit).toBeNull();
    expect(result.note).toContain('could not start');
  });

  it('gets the user’s environment without variables that change what runs, and no rc files', async () => {
    const home = workspace();
    const env = {
      ...baseEnv(home),
      MINE: 'kept',
      BASH_ENV: '/evil',
      ENV: '/evil',
      'BASH_FUNC_ls%%': '() { echo evil; }',
      SHELLOPTS: 'xtrace',
      BASHOPTS: 'extdebug',
      PS4: '$(evil)',
      LD_PRELOAD: '/evil.so',
      PAGER: 'less',
    };
    const { head } = await once('env; type ls; alias', { env }).result;
    expect(head).toContain('MINE=kept');
    expect(head).toContain('PAGER=cat');
    expect(head).toContain('GIT_PAGER=cat');
    expect(head).toContain('GIT_TERMINAL_PROMPT=0');
    expect(head).toContain('GIT_OPTIONAL_LOCKS=0');
    expect(head).not.toContain('evil');
    expect(head).toMatch(/ls is \/.*\/ls/);
  });

  it.each([
    ['a program that opens $EDITOR', '$SHELL -c "$EDITOR file"', 'nobody can edit'],
    ['a program that splits $VISUAL at blanks', '$VISUAL file; echo ended', 'ended'],
  ])('opens no editor that would wait: %s', async (_, command, told) => {
    const cwd = workspace();
    const env = { ...baseEnv(cwd), SHELL: '/bin/sh', EDITOR: 'vim', GIT_EDITOR: 'vim' };
    expect((await once(command, { cwd, env }).result).head).toContain(told);
  });

  describe.skipIf(lacks('git'))('of git', () => {
    it.each([
      ['git commit', 'git commit', 'Aborting commit due to empty commit message'],
      [
        'git commit --amend',
        'git commit -qm one --allow-empty && git commit -q --amend --allow-empty && git log -1 --format=%s',
        'one',
      ],
      [
        'git rebase -i',
        'git commit -qm one --allow-empty && git commit -qm two --allow-empty && git rebase -qi --root --keep-empty && git log -1 --format=%s',
        'two',
      ],
      ['git tag -a', 'git commit -qm one --allow-empty && git tag -a v1', 'no tag message'],
    ])('opens no editor that would wait: %s', async (_, command, told) => {
      const cwd = workspace();
      const env = { ...baseEnv(cwd), SHELL: '/bin/sh', EDITOR: 'vim', GIT_EDITOR: 'vim', ...GIT_PERSON };
      await once('git init -q', { cwd, env }).result;
      await once('touch a; git add a', { cwd, env }).result;
      expect((await once(command, { cwd, env }).result).head).toContain(told);
    });
  });

  it('runs through the given launcher', async () => {
    const launcher = (argv: readonly string[]) => ['/usr/bin/env', 'WRAPPED=yes', ...argv];
    expect(await once('echo $WRAPPED; cd /usr; exit 2', { launcher }).result).toMatchObject({
      exit: 2,
      head: 'yes',
      cwd: '/usr',
    });
  });

  it('passes a question to the user, with echo off for a password', async () => {
    const run = once('read -sp "Password: " secret; echo; echo "<$secret>"');
    let told = false;
    run.onModes(() => {
      told ||= run.echoOff;
    });
    await until(() => told, 'the password prompt is recognised');
    run.write('hunter2\n');
    expect((await run.result).head).toBe('Password:\n<hunter2>');
    expect(run.echoOff).toBe(false);
  });

  it('is not taken for a password question when it is a REPL or a plain question', async () => {
    const run = once('bash --norc -i; read -p "name? " x');
    await shows(run, 'bash-');
    run.write('exit\n');
    await shows(run, 'name?');
    // The check comes 40 ms after the last output, so its result would be known by now.
    let looks = 0;
    await until(() => ++looks > 20, 'the terminal has been looked at');
    expect(run.echoOff).toBe(false);
    run.write('x\n');
    await run.result;
  });

  it('ends on Ctrl-C, and is killed if it ignores that', async () => {
    const polite = once('sh -c "echo up; exec sleep 100"');
    await shows(polite, 'up');
    polite.interrupt();
    expect(await polite.result).toMatchObject({ exit: 130, note: 'interrupted' });

    const stubborn = once('trap "" INT TERM; (trap "" INT TERM; sleep 100) & echo pids $$ $!; while :; do wait; done');
    await shows(stubborn, 'pids');
    const pids = /pids (\d+) (\d+)/.exec(stubborn.output.lines(5).join(' '))?.slice(1).map(Number) ?? [];
    for (let step = 0; step < 3; step += 1) stubborn.interrupt();
    expect((await stubborn.result).exit).toBe(137);
    await until(() => !pids.some(isAlive), 'all of it is gone');
  });

  it('leaves no process, not even a detached one, when the program is killed', async () => {
    const home = workspace();
    mkdirSync(join(home, 'data'));
    const commands = [
      "setsid nohup sh -c 'echo $$ > far; exec sleep 1001' >/dev/null 2>&1 & while [ ! -s far ]; do :; done",
      "env -i setsid sh -c 'echo $$ > bare; exec sleep 1002' & while [ ! -s bare ]; do :; done",
      "ulimit -S -x unlimited; setsid sh -c 'echo $$ > light; exec sleep 1003' & while [ ! -s light ]; do :; done",
      'trap "" HUP; echo $$ > near; while :; do sleep 1; done',
    ];
    const options = { cwd: home, env: baseEnv(home), columns: 80, rows: 24, dataDir: join(home, 'data') };
    const program = `
      import { runOnce } from ${JSON.stringify(join(process.cwd(), 'src/executor/index.ts'))};
      for (const command of ${JSON.stringify(commands)}) {
        const run = runOnce({ command, ...${JSON.stringify(options)} });
        if (!command.startsWith('trap')) await run.result;
      }
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      env: baseEnv(home),
      stdio: 'ignore',
    });
    const other = spawn('sleep', ['1005'], { env: { ...baseEnv(home), AISH_TUI_RUN: '1' }, stdio: 'ignore' });
    onTestFinished(() => void other.kill());
    const files = ['far', 'bare', 'light', 'near'].map((name) => join(home, name));
    const pids = () => files.map((file) => (existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0));
    const started = () => pids().every((pid) => pid > 0 && isAlive(pid));
    await until(started, 'all of them run');
    child.kill('SIGKILL');
    await until(() => !pids().some(isAlive), 'none is left');
    // A process started by another run of the program is left alone.
    expect(isAlive(other.pid ?? 0)).toBe(true);
  });

  it('has only processes inspected that started after it, unless process ids may have wrapped around', () => {
    const first = { last: 900, started: 5000, highest: 1000 };
    const candidates = (now: { last: number; started: number }, known: number, from = first) =>
      [100, 900, 901, 950, 999].filter(givenBetween(from, { highest: 1000, ...now }, known));
    expect(candidates({ last: 950, started: 5050 }, 901)).toEqual([901, 950]);
    expect(candidates({ last: 100, started: 5200 }, 901)).toEqual([100, 901, 950, 999]);
    const all = [100, 900, 901, 950, 999];
    expect(candidates({ last: 950, started: 5500 }, 901)).toEqual(all);
    // The kernel's last id is from another PID namespace than the visible processes.
    expect(candidates({ last: 950, started: 5050 }, 40)).toEqual(all);
    expect(candidates({ last: Number.NaN, started: 5050 }, 901)).toEqual(all);
    for (const name of ['last', 'started', 'highest'])
      expect(candidates({ last: 950, started: 5050 }, 901, { ...first, [name]: Number.NaN })).toEqual(all);
  });

  it('leaves no process when the program ends normally', async () => {
    const home = workspace();
    await once("setsid nohup sh -c 'echo $$ > pid; exec sleep 1004' & while [ ! -s pid ]; do :; done", { cwd: home })
      .result;
    const pid = Number(readFileSync(join(home, 'pid'), 'utf8'));
    expect(isAlive(pid)).toBe(true);
    killTagged();
    await until(() => !isAlive(pid), 'it is gone');
  });
});
