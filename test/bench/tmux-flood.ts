/** `yes | head -c 200M` in a pane of tmux: typed into the plain shell, and into aish-tui in the same terminal. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ensureBuilt } from '../support/build.ts';
import { pathOf } from '../support/lacks.ts';
import { PROGRAM, type Scratch, scratch } from '../support/program.ts';

const MEGABYTES = Number(process.env.BENCH_MEGABYTES ?? 200);
const PATIENCE_MS = 900_000;
const LOOK_EVERY_MS = 20;

async function until(condition: () => boolean, what: string): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`waited in vain for ${what}`);
    await pause(LOOK_EVERY_MS);
  }
}

/** Runs one program in a tmux of its own. */
async function inTmux(
  place: Scratch,
  command: string,
  ready: RegExp,
): Promise<{ flood(): Promise<number>; end(): void }> {
  const socket = join(place.home, `tmux-${command.length}`);
  const tmux = (...words: readonly string[]) =>
    execFileSync(pathOf('tmux') ?? 'tmux', ['-S', socket, '-f', '/dev/null', ...words], {
      encoding: 'utf8',
      cwd: place.work,
      env: place.env,
    });
  tmux('new-session', '-d', '-x', '120', '-y', '40', command);
  await until(() => ready.test(tmux('capture-pane', '-p')), ready.source);
  const over = join(place.work, 'over');
  const line = `date +%s%N > began; yes | head -c ${MEGABYTES}M; date +%s%N > ended; touch over`;
  return {
    async flood() {
      rmSync(over, { force: true });
      tmux('send-keys', '-l', line);
      tmux('send-keys', 'Enter');
      await until(() => existsSync(over), 'the end of the output');
      // Waits until the prompt is back.
      await pause(1000);
      const at = (name: string) => Number(readFileSync(join(place.work, name), 'utf8')) / 1e6;
      return at('ended') - at('began');
    },
    end: () => void tmux('kill-server'),
  };
}

/** Returns the ms of each round, in turns. Needs tmux. */
export async function floodTimes(rounds: number): Promise<{ readonly native: number[]; readonly inside: number[] }> {
  ensureBuilt();
  using place = scratch();
  writeFileSync(join(place.home, '.bashrc'), "PS1='plain> '\n");
  const plain = await inTmux(place, 'bash', /plain>/);
  const ours = await inTmux(place, PROGRAM, /\[aish:\w+\]>/);
  const times = { native: [] as number[], inside: [] as number[] };
  try {
    for (let round = 0; round < rounds; round += 1) {
      times.native.push(await plain.flood());
      times.inside.push(await ours.flood());
    }
  } finally {
    plain.end();
    ours.end();
  }
  return times;
}
