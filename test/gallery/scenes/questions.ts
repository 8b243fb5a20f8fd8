/** Scenes of HALTs and other questions. */
import { execFileSync } from 'node:child_process';
import { pathOf } from '../../support/lacks.ts';
import { call, say } from '../../support/scripted-server.ts';
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

/** Makes a repository with one commit, whose remote is elsewhere. */
function repository(work: string): void {
  // The commit's name depends on its time.
  const env = { ...process.env, GIT_AUTHOR_DATE: '2026-11-20T14:02Z', GIT_COMMITTER_DATE: '2026-11-20T14:02Z' };
  const git = (...args: readonly string[]) =>
    execFileSync(pathOf('git') ?? 'git', args, { cwd: work, env, stdio: 'pipe' });
  git('init', '-q', '-b', 'main');
  git('config', 'user.email', 'a@b.example');
  git('config', 'user.name', 'A');
  git('config', 'remote.origin.url', 'ssh://git@code.example/me/tool.git');
  git('add', 'notes.txt');
  git('commit', '-qm', 'write the notes down');
}

export const QUESTIONS: readonly Scene[] = [
  {
    name: 'connect',
    title: 'a command in Project mode wants the network',
    script: [call('bash', { command: 'curl -sS https://registry.example:8443/left-pad' })],
    config: { ...CONFIG, mode: 'project' },
    files: FILES,
    play: (stage) => enter(stage, ':norris fetch the package', /CONNECT\?[\s\S]*(all shown|unlocks? p|Enter: )/),
  },
  {
    name: 'send',
    title: 'a command that sends something away',
    script: [say('I push it.\nCMD: git push origin main')],
    config: CONFIG,
    files: FILES,
    async play(stage) {
      repository(stage.work);
      await enter(stage, '?push it', /SEND THIS\?[\s\S]*(all shown|unlocks? p|Enter: )/);
    },
  },
  {
    name: 'plan-edited',
    title: 'a plan, after you edited it',
    script: [say('TASK: read the notes and the build log\nTASK: look what the build has left\nTASK: report')],
    config: { ...CONFIG, norris: { preplanner: 'fast', approve_plan: 'ask' } },
    env: () => ({ EDITOR: 'sed -i 2s/left/written/' }),
    files: FILES,
    async play(stage) {
      await enter(stage, ':norris look around', /BEGIN\?[\s\S]*(all shown|unlocks? p|Enter: )/);
      await press(stage, ['e'], /edited plan[\s\S]*(all shown|unlocks? p|Enter: )/);
    },
  },
  halted('halt', 'a HALT: what would be lost', 'rm -rf build'),
  halted('halt-three', 'every dangerous part has its row', THREE),
  halted('halt-help', 'the help inside the panel', 'rm -rf build', (stage) => press(stage, ['?'], /Esc/)),
  halted(
    'halt-long',
    'a long command: excerpts around its dangerous parts',
    `echo ${'a'.repeat(700)}; rm -rf build; echo ${'b'.repeat(700)}`,
  ),
  halted('halt-note', 'skipping with a note', 'rm -rf build', (stage) => press(stage, ['n'], /tells the/)),
  halted('halt-edit', 'editing the command', 'rm -rf build', (stage) => press(stage, ['e'], /check it again/)),
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
