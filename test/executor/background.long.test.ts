import { readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RunningCommand } from '../../src/contracts/commands.ts';
import { JobRegistry, type UserShell } from '../../src/executor/index.ts';
import { findProcess } from '../../src/executor/processes.ts';
import { waitsForLine } from '../../src/executor/terminal-state.ts';
import type { CommandResult } from '../../src/session/action.ts';
import { lacks, pathOf, userShells } from '../support/lacks.ts';
import { shows, until, userShell } from './support.ts';

/** A shell whose commands can be sent to the background, and the jobs that they become. */
async function bench(shell?: string) {
  let rests = false;
  let busy = () => false;
  const onPrompt = () => {
    rests = !busy();
  };
  const user = await userShell('', { onPrompt, ...(shell === undefined ? {} : { shell }) });
  busy = () => user.shell.busy;
  const jobs = new JobRegistry();
  // zsh does not end jobs when its terminal is closed.
  onTestFinished(() => jobs.list().forEach(({ id }) => void jobs.kill(id)));
  const ended: CommandResult[] = [];
  jobs.onEnd((job) => job.result && ended.push(job.result));
  const run = (line: string) => {
    rests = false;
    return user.run(line);
  };
  const send = (line: string) => {
    rests = false;
    return user.shell.background((job) => {
      const id = jobs.adopt(job, { command: line, owner: 'user' });
      return { id, release: () => jobs.release(id) };
    });
  };
  /** Waits until nothing more is asked of the shell: it still knows a job that ends now when it is asked next. */
  const atRest = () =>
    until(
      () => rests && waitsForLine(user.shell.pid, readlinkSync(`/proc/${user.shell.pid}/fd/0`)) === true,
      'the shell is at its prompt',
    );
  return { ...user, run, jobs, ended, send, atRest };
}

/** Runs a line until it shows `text`. */
async function begun(shell: UserShell, line: string, text: string): Promise<RunningCommand> {
  const run = shell.run(line);
  await shows(run, text);
  return run;
}

describe.each(userShells())('a command sent to the background of %s', (program) => {
  it('frees the shell, continues, prints into its own job and reports its end', async () => {
    const { shell, home, jobs, ended, send, run, atRest } = await bench(program);
    const line = "sh -c 'echo one; while [ ! -e go ]; do sleep 0.02; done; echo two; exit 7'";
    const running = await begun(shell, line, 'one');
    expect(await send(line)).toBeUndefined();
    expect(await running.result).toMatchObject({ exit: 148, note: 'continues as job 1', cwd: home });
    expect((await run('echo free; jobs')).head).toMatch(/^free\n.*unning +sh -c/s);
    await atRest();
    writeFileSync(join(home, 'go'), '');
    await until(() => ended.length > 0, 'its end is told');
    expect(ended[0]).toMatchObject({ exit: 7, head: 'two' });
    expect(jobs.running()).toEqual([]);
  });

  it('leaves $? and $_ as the user’s line left them', async () => {
    const { shell, send, run } = await bench(program);
    await begun(shell, 'sh -c "echo go; exec sleep 100"', 'go');
    await send('sleep');
    expect((await run('echo $?')).head).toBe('148');
  });

  it('returns to the foreground, with the keyboard if it reads', async () => {
    const { shell, idle, jobs, ended, send } = await bench(program);
    const running = await begun(shell, 'sh -c "echo go; exec cat"', 'go');
    expect(await send('cat')).toBeUndefined();
    await running.result;
    await until(() => idle.join('').includes('job 1 is stopped'), 'it is said that it is stopped');
    const job = jobs.find(1)?.running;
    const line = job && shell.lineToResume(job);
    expect(line).toMatch(/^fg %\d$/);
    const front = shell.run(line ?? '');
    await until(() => jobs.list().length === 0, 'it is no job any more');
    front.write('typed\n\x04');
    expect((await front.result).head).toMatch(/typed\ntyped$/);
    expect(ended).toEqual([]);
  });

  // zsh loses its current job when `fg` of one stopped within an eval is stopped again.
  it.runIf(program.endsWith('bash'))('can be one that was stopped by Ctrl-Z and continued by fg', async () => {
    const { shell, jobs, send } = await bench(program);
    const stopped = await begun(shell, 'sh -c "echo go; exec sleep 100"', 'go');
    shell.write('\x1a');
    await stopped.result;
    const front = shell.run('fg');
    await until(() => shell.jobs().length === 0, 'it is in the front');
    expect(await send('fg')).toBeUndefined();
    expect(await front.result).toMatchObject({ exit: 148, note: 'continues as job 1' });
    expect(shell.jobs()).toEqual([]);
    expect(jobs.running()).toHaveLength(1);
  });

  it('ends with the exit code that the shell reported, or with none when the shell forgot it', async () => {
    const { shell, home, ended, send, run } = await bench(program);
    await begun(shell, "sh -c 'echo one; while [ ! -e go ]; do sleep 0.02; done; exit 7'", 'one');
    await send('sh');
    writeFileSync(join(home, 'go'), '');
    // The job ends while another command runs. After that command the shell reports and forgets the job.
    await run('sleep 0.6');
    await until(() => ended.length > 0, 'its end is told');
    // Whether bash reports it is a race within bash; the reported code is never a wrong one.
    const note = ended[0]?.exit === null ? 'the shell did not report its exit code' : undefined;
    expect([7, null]).toContain(ended[0]?.exit);
    expect(ended[0]?.note).toBe(note);
  });

  it('ends when its job is killed', async () => {
    const { shell, jobs, ended, send, atRest } = await bench(program);
    await begun(shell, 'sh -c "echo go; exec sleep 100"', 'go');
    await send('sleep');
    await atRest();
    expect(jobs.kill(1)).toBe(true);
    await until(() => ended.length > 0, 'it is gone');
    expect(ended[0]?.exit).toBe(130);
  });
});

describe('sending to the background', () => {
  it('is refused with a reason for an idle shell, the shell itself, and a full-screen program', async () => {
    const { shell, send } = await bench();
    expect(await send('')).toBe('no command of yours is running');
    const asking = await begun(shell, 'read -p "name? " n', 'name?');
    expect(await send('read')).toContain('the shell itself');
    asking.write('\n');
    await asking.result;
    const screen = shell.run("sh -c \"printf '\\033[?1049h'; read x; printf '\\033[?1049l'\"");
    await until(() => screen.fullScreen, 'it has the screen');
    expect(await send('vim')).toContain('whole screen');
    screen.write('\n');
    await screen.result;
  });

  it('is refused with a reason for a command that just ended, and for a line of which only a part stops', async () => {
    const { shell, send, run } = await bench();
    const loop = await begun(shell, 'for i in 1 2; do sh -c "echo go; exec sleep 100"; done; echo after', 'go');
    expect(await send('for')).toContain('only a part');
    expect((await loop.result).head).toContain('after');
    expect((await run('jobs')).head).toContain('Stopped');
  });
});

it('jobs that the user started with & are listed and can be killed', async () => {
  const { shell, run } = await userShell();
  await run('sh -c "sleep 100; true" & sleep 101 | cat &');
  // Between fork and exec the process still has the shell's name.
  const listed = () => shell.jobs().filter(({ command }) => command !== 'bash');
  await until(() => listed().length === 2, 'both are listed');
  const [first] = listed();
  expect(first).toMatchObject({ command: 'sh -c sleep 100; true', stopped: false });
  expect(shell.endJob(1)).toBe(false);
  expect(shell.endJob(first?.group ?? 0)).toBe(true);
  await until(() => shell.jobs().length === 1, 'one is left');
});

it('a stopped vim or sleep is listed, and fg resumes it', async () => {
  const { shell, run } = await userShell();
  const sleeping = await begun(shell, 'sh -c "echo go; exec sleep 100"', 'go');
  shell.write('\x1a');
  await sleeping.result;
  expect(shell.jobs()).toMatchObject([{ stopped: true }]);
  const group = shell.jobs()[0]?.group ?? 0;
  await run('bg');
  await until(() => findProcess(group)?.state === 'S', 'bg lets it run');
  const front = shell.run('fg');
  await until(() => shell.jobs().length === 0, 'fg brings it back');
  front.interrupt();
  expect((await front.result).exit).toBe(130);
});

it.skipIf(lacks('vim'))('vim returns the screen on its Ctrl-Z and takes it again on fg', async () => {
  const { shell, home } = await userShell();
  const vim = shell.run('vim -u NONE -n note.txt');
  await until(() => vim.fullScreen, 'vim has the screen');
  vim.write('ibefore\x1b');
  vim.write('\x1a');
  expect((await vim.result).exit).toBe(148);
  const again = shell.run('fg');
  await until(() => again.fullScreen, 'vim has it again');
  again.write(':wq\r');
  expect((await again.result).exit).toBe(0);
  expect(readFileSync(`${home}/note.txt`, 'utf8')).toBe('before\n');
});

describe.skipIf(lacks('fish'))('a command sent to the background of fish', () => {
  it.each([
    ['a program', 'sleep 30'],
    ['a script', "sh -c 'while sleep 1; do echo tick; done'"],
    ['a pipeline', 'sleep 31 | cat'],
  ])('becomes a job, and fg returns it to the foreground: %s', async (_, line) => {
    const { shell, run, jobs, send, home } = await bench(pathOf('fish'));
    const running = shell.run(line);
    await until(() => (findProcess(shell.pid)?.foreground ?? shell.pid) !== shell.pid, 'the program is in front');
    expect(await send(line)).toBeUndefined();
    expect(await running.result).toMatchObject({ exit: 148, note: 'continues as job 1', cwd: home });
    expect((await run('echo free; jobs')).head).toMatch(/^free\n.*running/s);
    const [job] = jobs.running();
    expect(job && shell.lineToResume(job.running)).toBe('fg %1');
    jobs.kill(1);
    await until(() => jobs.running().length === 0, 'the job is over');
  });
});
