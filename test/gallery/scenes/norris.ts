/** Scenes of autonomous runs. */
import { agent, delegates, parent } from '../../support/agent-script.ts';
import { call, hold, say } from '../../support/scripted-server.ts';
import { enter, press, type Scene } from '../scene.ts';

const OPEN = { mode: 'unrestricted', confirm_cmd: false, safety: { llm_second_opinion: false } };

export const NORRIS: readonly Scene[] = [
  {
    name: 'goal',
    title: 'a goal is asked for',
    script: [],
    play: (stage) => press(stage, ['ctrl-n'], /what is the goal/),
  },
  {
    name: 'run',
    title: 'a run at work',
    config: OPEN,
    files: { 'a.py': '', 'b.py': '' },
    script: [call('bash', { command: 'ls *.py' }), call('bash', { command: 'echo waiting; sleep 1000' })],
    play: (stage) => enter(stage, ':norris count the Python files', /waiting\n/),
  },
  {
    name: 'run-end',
    title: 'the end of a run: what it changed',
    config: OPEN,
    files: { 'a.py': '', 'list.txt': 'b.py\n' },
    script: [
      call('bash', { command: 'echo "1 file" > count.txt; echo a.py >> list.txt' }),
      say('One file, written to count.txt.\nGOAL: complete'),
    ],
    play: (stage) => enter(stage, ':norris count the Python files', /✓ done/),
  },
  {
    name: 'run-changes',
    title: 'on a wide screen: what a run has changed so far',
    config: OPEN,
    files: { 'a.py': 'print(1)\n' },
    script: [
      call('bash', { command: 'echo "1 file" > count.txt; echo "# counted" >> a.py' }),
      call('bash', { command: 'echo waiting; sleep 1000' }),
    ],
    play: (stage) => enter(stage, ':norris count the Python files', /waiting\n/),
  },
  {
    name: 'run-aborted',
    title: 'a run that was aborted',
    config: OPEN,
    script: [call('bash', { command: 'echo begun; sleep 1000' })],
    async play(stage) {
      await enter(stage, ':norris wait', /begun\n/);
      await press(stage, ['ctrl-x', 'ctrl-c'], /aborted/);
    },
  },
  {
    name: 'agents',
    title: 'sub-agents side by side',
    config: OPEN,
    script: [
      parent(delegates('Count the alpha files', 'Read the beta notes')),
      agent('alpha', { text: [hold('alpha'), 'Two.'] }),
      agent('beta', { text: [hold('beta'), 'Milk.'] }),
    ],
    play: (stage) => enter(stage, ':norris look around', /beta notes/),
  },
  {
    name: 'undo-list',
    title: 'what can be undone',
    config: OPEN,
    script: [call('bash', { command: 'echo "1 file" > count.txt' }), say('GOAL: complete')],
    async play(stage) {
      await enter(stage, ':norris count', /✓ done/);
      await enter(stage, ':undo list', /count\.txt/);
    },
  },
  {
    name: 'undo',
    title: 'before an undo: what it puts back',
    config: OPEN,
    files: { 'count.txt': 'three files\n' },
    script: [call('bash', { command: 'echo "1 file" >> count.txt' }), say('GOAL: complete')],
    async play(stage) {
      await enter(stage, ':norris count', /✓ done/);
      await enter(stage, ':undo run', /> :undo run yes/);
    },
  },
];
