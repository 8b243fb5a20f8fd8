/**
 * A command on a host whose connection is stopped or killed at any step: it runs at most once, its reported end is
 * true, and nothing is left. `npm run check -- hosts` does it 300 times.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningCommand } from '../../../src/contracts/commands.ts';
import type { CommandResult } from '../../../src/session/action.ts';
import { folder, hostsOf } from '../../support/hosts.ts';
import { below, processes } from '../../support/processes.ts';
import { lacksSshd, type SshHosts, startSshds } from '../../support/sshd.ts';

const ROUNDS = Number(process.env.AISH_HOST_ROUNDS ?? 12);
/** Hosts tested side by side, since most of a round is waiting for a time limit. */
const LANES = Math.min(12, ROUNDS);
const NAMES = Array.from({ length: LANES }, (_, n) => `web${n + 1}`);
/**
 * The longest time in ms from starting a command to breaking its connection, since some steps take longer under load.
 */
const MAX_STEP_MS = 120;
/**
 * The time in ms until the user presses Ctrl-C, and the limit for everything after it; the masters’ own limit is some 9
 * seconds.
 */
const PATIENCE_MS = 1500;
const LIMIT_MS = 30_000;

type Victim = 'client' | 'master' | 'sshd';
const KINDS = (['client', 'master', 'sshd'] as const).flatMap((victim) =>
  (['SIGKILL', 'SIGSTOP'] as const).map((signal) => ({ victim, signal })),
);

/** Rejects with `otherwise` if the work takes too long. */
function inTime<T>(work: Promise<T>, otherwise: string): Promise<T> {
  const late = delay(LIMIT_MS, undefined, { ref: false }).then(() => Promise.reject(new Error(otherwise)));
  return Promise.race([work, late]);
}

async function within(ms: number, holds: () => boolean): Promise<void> {
  const until = performance.now() + ms;
  while (!holds()) {
    if (performance.now() > until) return;
    await delay(20);
  }
}

const send = (pid: number, signal: NodeJS.Signals) => {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has already ended.
  }
};

/** The reported end of a command: its result, or the line at a later connection. */
type Told = { readonly ran?: boolean; readonly what: string };

function toldBy(result: CommandResult): Told {
  if (result.exit === 0 && result.note === undefined) {
    expect(result.head).toBe('said');
    return { ran: true, what: 'exit 0' };
  }
  if (result.note?.startsWith('it never began')) return { ran: false, what: result.note };
  return { what: `${result.exit} ${result.note}` };
}

describe.skipIf(lacksSshd())('a command whose connection is stopped or killed', () => {
  let servers: SshHosts;
  const lanes: Lane[] = [];
  beforeAll(async () => {
    servers = await startSshds(NAMES);
    for (const name of NAMES) lanes.push(new Lane(servers, name));
    await Promise.all(lanes.map((lane) => lane.at.open()));
  });
  afterAll(async () => {
    await Promise.all(lanes.map((lane) => lane.at.hosts.close()));
    await servers?.stop();
  });

  it(
    `runs at most once, ${ROUNDS} of ${ROUNDS}`,
    async () => {
      const rounds = Array.from({ length: ROUNDS }, (_, n) => n);
      const outcomes: string[] = [];
      const failures: string[] = [];
      await Promise.all(
        lanes.map(async (lane) => {
          for (let n = rounds.shift(); n !== undefined; n = rounds.shift())
            await lane.round(n).then(
              (each) => outcomes.push(each),
              (error: Error) => failures.push(error.message),
            );
        }),
      );
      const counts = Map.groupBy(outcomes, (each) => each);
      console.log([...counts].map(([what, each]) => `${each.length} × ${what}`).join('\n'));
      expect(failures).toEqual([]);
      expect(outcomes).toHaveLength(ROUNDS);
    },
    60_000 + ROUNDS * 5_000,
  );
});

/** One host whose connection is lost repeatedly. */
class Lane {
  readonly at: ReturnType<typeof hostsOf>;
  readonly #server: SshHosts['all'][number];

  constructor(servers: SshHosts, name: string) {
    const server = servers.all.find((each) => each.name === name);
    if (!server) throw new Error(name);
    this.#server = server;
    this.at = hostsOf({ bin: servers.bin, name });
  }

  /** @returns the process that was stopped or killed, and the final report on the command */
  async round(n: number): Promise<string> {
    const kind = KINDS[n % KINDS.length] ?? { victim: 'client', signal: 'SIGKILL' };
    const lasts = n % (2 * KINDS.length) >= KINDS.length;
    // Unique digits after the point of the sleep's duration.
    const mark = `${process.pid}${String(n).padStart(4, '0')}7`;
    const count = join(folder, `count-${n}`);
    const started: Promise<RunningCommand | Error> = this.at
      .start(`echo x >>${count}; sleep ${lasts ? `1000.${mark}` : `0.05${mark}`}; echo said`)
      .catch((error: Error) => error);
    await delay((n * 37) % MAX_STEP_MS);
    const struck = this.#strike(kind.victim, kind.signal);
    let last: Told;
    try {
      const told = await this.#endOf(await started, lasts || kind.signal === 'SIGSTOP');
      last = (await inTime(this.at.open(), `${n}: no new connection`)).map(toldByLine).at(-1) ?? told;
    } finally {
      for (const pid of struck) send(pid, 'SIGCONT');
    }
    const left = () => processes().flatMap(({ words }) => (words.includes(mark) ? [words] : []));
    await within(LIMIT_MS, () => left().length === 0);
    expect(left(), `${n}`).toEqual([]);
    expect((await this.at.run('true')).exit, `${n}`).toBe(0);
    // By now all data in transit has arrived.
    const runs = existsSync(count) ? readFileSync(count, 'utf8').length / 2 : 0;
    const say = `${n} ${kind.signal} ${kind.victim}: ${last.what}`;
    expect(runs, say).toBeLessThanOrEqual(1);
    if (last.ran !== undefined) expect(runs, say).toBe(last.ran ? 1 : 0);
    return `${kind.signal} ${kind.victim}: ${last.what.replace(/.*; sleep \S+ /, '')}`;
  }

  /** @param hangs whether the user ends the command, as with Ctrl-C */
  async #endOf(running: RunningCommand | Error, hangs: boolean): Promise<Told> {
    if (running instanceof Error) return { ran: false, what: running.message };
    const accepted = this.#server.accepted();
    const timer = hangs ? setTimeout(() => running.interrupt(), PATIENCE_MS) : undefined;
    const told = toldBy(await inTime(running.result, 'its end is never told'));
    clearTimeout(timer);
    // No new ssh connection was made.
    expect(this.#server.accepted()).toBe(accepted);
    return told;
  }

  #strike(victim: Victim, signal: NodeJS.Signals): readonly number[] {
    const all = processes();
    const master = this.at.master();
    const of: Readonly<Record<Victim, () => readonly number[]>> = {
      client: () =>
        all.filter(({ words }) => words.includes(this.at.socket()) && / -tt /.test(words)).map(({ pid }) => pid),
      master: () => [master],
      sshd: () =>
        below(this.#server.pid, all)
          .filter(({ words }) => words.startsWith('sshd'))
          .map(({ pid }) => pid),
    };
    const pids = of[victim]();
    for (const pid of pids) send(pid, signal);
    return pids;
  }
}

function toldByLine(line: string): Told {
  if (line.includes('never began')) return { ran: false, what: line };
  return line.includes('had ended with exit 0') ? { ran: true, what: line } : { what: line };
}
