/** The connection is cut while the user's shell on a host works. Each process ends or survives as behind plain ssh. */
import { chownSync, globSync, mkdirSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { addUser, removeUser } from '../support/accounts.ts';
import { until } from '../support/hosts.ts';
import { pathOf } from '../support/lacks.ts';
import { below, type Process, processes } from '../support/processes.ts';
import { scratch } from '../support/program.ts';
import { type Rig, startRig } from '../support/rig.ts';
import { lacksSshd, type SshHost, startSshd } from '../support/sshd.ts';

const SHELLS = ['bash', 'zsh', 'fish', 'dash', 'tcsh'].flatMap((name) => {
  const path = pathOf(name);
  return path === undefined ? [] : [[name, path] as const];
});
const QUIET = '>/dev/null 2>&1 </dev/null';
/** The longest time in ms for all processes that should end. */
const PATIENCE_MS = 15_000;
/**
 * How each process is started, and whether it ends with the connection as behind plain ssh. dash sends its jobs no
 * SIGHUP.
 */
const JOBS = [
  { what: 'in the background', line: (sleep: string) => `${sleep} &`, ends: true, livesOnIn: 'dash' },
  { what: 'with nohup', line: (sleep: string) => `nohup ${sleep} ${QUIET} &`, ends: false },
  { what: 'in a session of its own', line: (sleep: string) => `setsid ${sleep} ${QUIET} &`, ends: false },
  { what: 'stopped', line: (sleep: string) => sleep, stops: true, ends: true },
  { what: 'in the foreground', line: (sleep: string) => sleep, ends: true },
] as const;

const endsIn = (shell: string, job: (typeof JOBS)[number]) =>
  job.ends && !('livesOnIn' in job && job.livesOnIn === shell);

let runs = 0;

/** Returns durations for `sleep` that no other run of this test uses. */
function sleeps(): readonly string[] {
  runs += 1;
  return JOBS.map((_, n) => `sleep 1000.${process.pid}${runs}${n}`);
}

function isRunning(sleep: string): boolean {
  return processes().some(({ words }) => words === sleep);
}

/** Starts all processes, the last one in the foreground. */
async function startAll(rig: Rig, all: readonly string[]): Promise<void> {
  for (const [n, job] of JOBS.entries()) {
    const sleep = all[n] ?? '';
    const line = job.line(sleep);
    rig.type(`${line}\r`);
    await rig.waitFor(() => isRunning(sleep));
    if ('stops' in job) {
      // The hint must belong to this line: an earlier long command may have shown it too, and Ctrl-Z would otherwise
      // stop aish-tui.
      await rig.waitFor(new RegExp(`❯ (?:@web1 )?${sleep}\\s+╰\\s+keys go to the program`));
      rig.key('ctrl-z');
    }
    // Text typed before the command ends becomes a line only after another Enter.
    if (job !== JOBS.at(-1)) await rig.waitFor(new RegExp(`❯ (?:@web1 )?${line} .*(?:[✓✗]|stopped)`));
  }
}

const CUTS: Readonly<Record<string, (server: SshHost) => readonly number[]>> = {
  'the client’s end is killed': ({ config }) => pidsOf(processes(), (words) => words.includes(`${config} -S`)),
  'the server’s end is killed': ({ pid }) => pidsOf(below(pid), (words) => words.startsWith('sshd')),
};

function pidsOf(all: readonly Process[], isIt: (words: string) => boolean): readonly number[] {
  return all.flatMap(({ pid, words }) => (isIt(words) ? [pid] : []));
}

async function cutAndLook(
  server: SshHost,
  cut: keyof typeof CUTS,
  shell: string,
  all: readonly string[],
): Promise<readonly boolean[]> {
  for (const pid of CUTS[cut]?.(server) ?? []) process.kill(pid, 'SIGKILL');
  const ended = JOBS.flatMap((job, n) => (endsIn(shell, job) ? [all[n] ?? ''] : []));
  await Promise.race([until(() => !ended.some(isRunning)), delay(PATIENCE_MS)]);
  return all.map((sleep) => !isRunning(sleep));
}

function endAll(all: readonly string[]): void {
  for (const { pid, words } of processes()) if (all.includes(words)) process.kill(pid, 'SIGKILL');
}

describe.skipIf(lacksSshd() || process.getuid?.() !== 0)('a cut connection to the user’s shell on a host', () => {
  const [client, server] = Object.keys(CUTS);
  const cases = SHELLS.map(([name, path], n) => [name, (n % 2 === 0 ? client : server) ?? '', path] as const);

  it.each(cases)('ends or keeps the same programs as plain ssh: %s, %s', async (name, cut, path) => {
    const user = addUser(path);
    // Without this directory a new fish scans all manuals and leaves that running in the background.
    mkdirSync(`/home/${user}/.local/share/fish/generated_completions`, { recursive: true });
    const { uid } = statSync(`/home/${user}`);
    for (const made of ['.local', '.local/share', '.local/share/fish']) chownSync(`/home/${user}/${made}`, uid, uid);
    // The test looks for leftover files of the shell, and a private TMPDIR excludes those of other runs.
    const server = await startSshd('web1', { user, lines: [`SetEnv TMPDIR=/home/${user}`] });
    const shellFiles = () => globSync(`/home/${user}/aish-tui-*/shell-*`);
    const all = sleeps();
    try {
      using place = scratch();
      await using rig = startRig(place, { env: { PATH: `${server.bin}:${process.env.PATH}` }, columns: 100, rows: 40 });
      await rig.waitFor(/\[aish:\w+\]>/);
      rig.type(':host web1\r');
      await rig.waitFor(/@web1 \[aish:\w+\]>/);
      expect(shellFiles()).toHaveLength(1);
      await startAll(rig, all);
      const gone = await cutAndLook(server, cut, name, all);
      expect(JOBS.map(({ what }, n) => ({ what, ends: gone[n] }))).toEqual(
        JOBS.map((job) => ({ what: job.what, ends: endsIn(name, job) })),
      );
      await rig.waitFor(/the connection to web1 was lost/);
      endAll(all);
      // The shell, the programs around it and its files are all gone.
      await expect.poll(() => [...programsOf(uid), ...shellFiles()], { timeout: PATIENCE_MS }).toEqual([]);
    } finally {
      endAll(all);
      await server.stop();
      removeUser(user);
    }
  });
});

/** Returns the command lines of a user's processes. */
function programsOf(uid: number): readonly string[] {
  return processes().flatMap(({ pid, words }) => (ownerOf(`/proc/${pid}`) === uid && words !== '' ? [words] : []));
}

function ownerOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.uid;
}
