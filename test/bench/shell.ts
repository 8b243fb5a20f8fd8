/**
 * `npm run bench -- shell`: natively and inside, in one run. From Enter to the prompt for `true` in bash, zsh and fish,
 * if installed; a flood under tmux; and the cost of a key with a history of 10,000 lines, for the search and while
 * typing. Exits with 1 where a goal is missed, or could not be measured because a program is missing.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { startUserShell } from '../../src/executor/index.ts';
import { Pty } from '../../src/executor/pty.ts';
import { everyShell, lacks } from '../support/lacks.ts';
import { searchTimes } from './history.ts';
import { typingTimes } from './suggest.ts';
import { floodTimes } from './tmux-flood.ts';
import { median } from './typing.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 200);
/** The allowed extra time inside, in ms. */
const GOALS: Readonly<Record<string, number>> = { bash: 5, zsh: 5, fish: 8 };
/** The allowed ratio of a flood's time inside. */
const FLOOD_GOAL = 1.5;
const FLOOD_ROUNDS = 2;
const HISTORY_LINES = 10_000;
/** The goal for a key during a search, at the 95th percentile, in ms. */
const SEARCH_GOAL_MS = 16;
const TYPING_GOAL_MS = 2;
const PROMPT = '@@P@@';

const RC: Readonly<Record<string, readonly [path: string, text: string]>> = {
  bash: ['.bashrc', `PS1='${PROMPT} '\n`],
  zsh: ['.zshrc', `PS1='${PROMPT} '\n`],
  fish: ['.config/fish/config.fish', `set -g fish_greeting; function fish_prompt; echo -n '${PROMPT} '; end\n`],
};

async function measure(program: string): Promise<boolean> {
  const name = basename(program);
  const home = mkdtempSync(join(tmpdir(), 'aish-bench-'));
  mkdirSync(join(home, '.config/fish'), { recursive: true });
  mkdirSync(join(home, 'data'));
  const [path, text] = RC[name] ?? ['.profile', ''];
  writeFileSync(join(home, path), text);
  const env = { HOME: home, PATH: process.env.PATH ?? '', SHELL: program, LANG: 'C.UTF-8', TERM: 'xterm-256color' };
  const size = { columns: 80, rows: 24 };
  let seen = '';
  let look = () => {};
  const pty = new Pty({
    argv: [program, '-i'],
    cwd: home,
    env,
    ...size,
    onData: (data) => {
      seen += data.toString('latin1');
      look();
    },
    onExit: () => {},
  });
  const prompted = () =>
    new Promise<void>((resolve) => {
      look = () => {
        if (seen.includes(PROMPT)) resolve();
      };
      look();
    });
  await prompted();
  const shell = await startUserShell({ cwd: home, env, ...size, dataDir: join(home, 'data') });
  const natively: number[] = [];
  const inside: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    // Neither shell is still working after its last prompt.
    await new Promise((resolve) => setTimeout(resolve, 30));
    seen = '';
    let began = performance.now();
    pty.write('true\r');
    await prompted();
    natively.push(performance.now() - began);
    began = performance.now();
    await shell.run('true').result;
    inside.push(performance.now() - began);
  }
  pty.dispose();
  await shell.dispose();
  rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  const [plain, ours] = [median(natively), median(inside)];
  const most = GOALS[name] ?? 5;
  const held = ours <= plain + most;
  const p95 = (times: readonly number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0;
  console.log(
    `${name.padEnd(5)} native ${plain.toFixed(2)} ms (p95 ${p95(natively).toFixed(1)}), inside ${ours.toFixed(2)} (p95 ${p95(inside).toFixed(1)}): ` +
      `+${(ours - plain).toFixed(2)} ms, ratio ${(ours / plain).toFixed(2)}; at most +${most}: ${verdict(held)}`,
  );
  return held;
}

async function flood(): Promise<boolean> {
  if (lacks('tmux')) return unmeasured('a flood under tmux', 'tmux');
  const { native, inside } = await floodTimes(FLOOD_ROUNDS);
  const ratio = median(inside) / median(native);
  const times = `native ${(median(native) / 1000).toFixed(1)} s, inside ${(median(inside) / 1000).toFixed(1)} s`;
  console.log(
    `a flood under tmux: ${times}: ratio ${ratio.toFixed(2)}; at most ${FLOOD_GOAL}: ${verdict(ratio <= FLOOD_GOAL)}`,
  );
  return ratio <= FLOOD_GOAL;
}

/** @param times the times of each key, ascending */
function keys(what: string, times: readonly number[], goal: number): boolean {
  const at = (part: number) => times[Math.floor(times.length * part)] ?? 0;
  const figures = `p50 ${at(0.5).toFixed(2)} ms, p95 ${at(0.95).toFixed(2)}, worst ${at(0.999).toFixed(2)}`;
  console.log(`${what}: a key ${figures}; at most ${goal}: ${verdict(at(0.95) <= goal)}`);
  return at(0.95) <= goal;
}

const verdict = (held: boolean) => (held ? 'held' : 'MISSED');

/** An unmeasured goal counts as missed. */
function unmeasured(what: string, program: string): false {
  console.log(`${what}: NOT MEASURED, there is no ${program}`);
  return false;
}

let held = true;
const programs = new Map(everyShell().map((program) => [basename(program), program]));
for (const name of Object.keys(GOALS)) {
  const program = programs.get(name);
  held = (program === undefined ? unmeasured(name, name) : await measure(program)) && held;
}
held = (await flood()) && held;
searchTimes(HISTORY_LINES);
held = keys(`${HISTORY_LINES} lines of history searched`, searchTimes(HISTORY_LINES).keys, SEARCH_GOAL_MS) && held;
typingTimes(HISTORY_LINES);
held = keys('suggestion and colours while typing', typingTimes(HISTORY_LINES), TYPING_GOAL_MS) && held;
process.exit(held ? 0 : 1);
