/** Scenes of HALTs and other questions. */
import { say } from '../../support/scripted-server.ts';
import { enter, press, type Scene, type Stage } from '../scene.ts';

const CONFIG = { mode: 'unrestricted', safety: { llm_second_opinion: false } };
const FILES = {
  'build/app': 'compiled\n'.repeat(400),
  'build/log/today': 'y\n',
  'notes.txt': 'mine\n',
  'src/a.c': 'int a;\n',
};
const THREE = 'rm -rf build; dd if=/dev/zero of=/dev/sda; git push --force';

const halted = (name: string, title: string, command: string, more?: (stage: Stage) => Promise<void>): Scene => ({
  name,
  title,
  script: [say(`I tidy up.\nCMD: ${command}`), say('GOAL: blocked\nnot allowed')],
  config: CONFIG,
  files: FILES,
  async play(stage) {
    await enter(stage, ':norris tidy up', /HALT[\s\S]*(all shown|unlocks? p|too small)/);
    await more?.(stage);
  },
});

export const QUESTIONS: readonly Scene[] = [
  halted('halt', 'a HALT: what would be lost', 'rm -rf build'),
  halted('halt-three', 'every dangerous part has its row', THREE),
  halted('halt-help', 'the help inside the panel', 'rm -rf build', (stage) => press(stage, ['?'], /Esc/)),
  halted(
    'halt-long',
    'a long command: excerpts around its dangerous parts',
    `echo ${'a'.repeat(700)}; rm -rf build; echo ${'b'.repeat(700)}`,
  ),
  halted('halt-note', 'skipping with a note', 'rm -rf build', (stage) => press(stage, ['n'], /tells the/)),
  halted('halt-edit', 'editing the command', 'rm -rf build', (stage) => press(stage, ['e'], /rm -rf build/)),
  halted('halt-skipped', 'after a skip', 'rm -rf build', (stage) => press(stage, ['s'], /blocked/)),
  halted('halt-tried', 'after a trial: what it would change', 'rm -rf build', (stage) =>
    press(stage, ['t'], /would|T\W+apply/),
  ),
  halted('halt-diff', 'the diff of a trial', 'sed -i s/mine/yours/ notes.txt && rm -rf src', async (stage) => {
    await press(stage, ['t'], /would change/);
    await press(stage, ['d'], /− (?:mine|int a)/);
  }),
  halted('halt-applied', 'a trial, applied', 'rm -rf build', async (stage) => {
    await press(stage, ['t'], /would change/);
    while (!/all shown/.test(stage.rig.text())) {
      const before = stage.rig.text();
      stage.rig.key('pagedown');
      await stage.rig.waitFor(() => stage.rig.text() !== before);
    }
    await press(stage, ['T'], /applied/);
  }),
];
