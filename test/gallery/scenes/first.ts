/** The pictures of README.md and docs/first-ten-minutes.md: a run of the demo, its HALT, its end, and its undo. */
import { enter, press, type Scene, type Stage } from '../scene.ts';

const PRACTICE = {
  config: { mode: 'project' },
  files: { 'logs/app.log': 'now\n', 'logs/app.log.1': 'old\n', 'logs/app.log.2': 'older\n' },
};

async function halted(stage: Stage): Promise<void> {
  await enter(stage, ':norris clean up old logs in logs', 'all shown');
}

async function ended(stage: Stage): Promise<void> {
  await halted(stage);
  await press(stage, ['p'], /✓ done/);
}

export const FIRST: readonly Scene[] = [
  { name: 'first-halt', title: 'the model wants to delete two files', ...PRACTICE, play: halted },
  { name: 'first-run', title: 'the run has ended', ...PRACTICE, play: ended },
  {
    name: 'first-undo',
    title: 'what an undo of the run would restore',
    ...PRACTICE,
    async play(stage) {
      await ended(stage);
      await enter(stage, ':undo run', /run yes/);
    },
  },
];
