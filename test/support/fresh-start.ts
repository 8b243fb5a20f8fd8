/** Starts a fresh clone by `npm start`, twice, as a user would: `node fresh-start.ts CLONE HOME`. */
import type { Scratch } from './program.ts';
import { startRig } from './rig.ts';

/** The longest set-up in ms: all packages, a private Node and the build, over a slow line. */
const SET_UP_PATIENCE_MS = 10 * 60_000;
const SET_UP = /aish-tui: (?:fetching|installing|building|Node )|added \d+ packages/;

const [clone = '', home = ''] = process.argv.slice(2);
const kept = Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
const place: Scratch = {
  home,
  work: clone,
  env: { ...Object.fromEntries(kept), HOME: home, SHELL: '/bin/bash', TERM: 'xterm-256color' },
  [Symbol.dispose]() {},
};

/** Starts the program, runs one command, leaves; returns the ms until its prompt, and all output. */
async function start(): Promise<{ readonly ms: number; readonly written: string }> {
  const began = performance.now();
  await using rig = startRig(place, { file: 'npm', args: ['start'], columns: 100, rows: 30 });
  await rig.waitFor(/^\[aish:\w+\]>/m, SET_UP_PATIENCE_MS);
  const ms = performance.now() - began;
  rig.type('echo he""llo\r');
  await rig.waitFor(/^\W*hello$/m);
  rig.type(':quit\r');
  const { code } = await rig.exited;
  if (code !== 0) throw new Error(`npm start ended with ${code}:\n${rig.text()}`);
  return { ms, written: rig.raw };
}

const first = await start();
if (!SET_UP.test(first.written)) throw new Error('the first start said nothing of its set-up');
const second = await start();
if (SET_UP.test(second.written)) throw new Error(`the second start set something up again:\n${second.written}`);
if (second.ms > first.ms / 2) throw new Error(`the second start took ${second.ms} ms, the first ${first.ms} ms`);
console.log(`fresh clone: first start ${(first.ms / 1000).toFixed(1)} s, second ${(second.ms / 1000).toFixed(2)} s`);
