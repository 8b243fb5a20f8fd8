/** Scenes of lists, help and stored data. */
import type { SessionEvent } from '../../../src/session/event.ts';
import { formatRecord } from '../../../src/store/read.ts';
import { say } from '../../support/scripted-server.ts';
import { enter, press, type Scene } from '../scene.ts';

/** Plants a session as it is stored on disk. */
function earlier(
  id: string,
  cwd: string,
  text: string,
  more: readonly SessionEvent[] = [],
  branch = 'main',
): Readonly<Record<string, string>> {
  const settings = {
    preset: 'demo',
    maxTurns: 40,
    maxToolRounds: 8,
    maxNorrisSteps: 16,
    confirmCmd: true,
    sandbox: true,
  };
  const events: readonly SessionEvent[] = [
    { session: 'main', at: 0, type: 'opened', cwd, mode: 'restricted', settings, branch },
    { session: 'main', at: 0, type: 'asked', line: 'line1', text },
    ...more,
  ];
  const journal = events.map((event, seq) => formatRecord(event, seq)).join('');
  return { [`../.local/state/aish/sessions/${id}/journal.jsonl`]: journal };
}

const MAIN = { session: 'main', at: 0 } as const;
const RESULT = { cwd: '/', head: '', tail: '', omittedLines: 0, bytes: 0, milliseconds: 4 };
const said = (text: string): SessionEvent => ({
  ...MAIN,
  type: 'replyEnded',
  op: 'reply',
  reply: { text, reasoning: '', toolCalls: [], preset: 'demo', finish: 'stop', notices: [] },
});

/** The last events of a session. */
const ENDING: readonly SessionEvent[] = [
  said('They stand in deploy/keys; three of them are older than a year.'),
  { ...MAIN, type: 'shellStarted', op: 'sh', line: 'git diff --stat', private: false },
  { ...MAIN, type: 'shellEnded', op: 'sh', result: { ...RESULT, exit: 0 } },
  { ...MAIN, type: 'shellStarted', op: 'sh2', line: 'make deploy', private: false },
  { ...MAIN, type: 'shellEnded', op: 'sh2', result: { ...RESULT, exit: 2 } },
  { ...MAIN, type: 'asked', line: 'line2', text: 'what is left to do?' },
  said('**Tag it** and push; the `changelog` names both breaking changes.'),
];

const told = (name: string, line: string, title: string, seen: RegExp): Scene => ({
  name,
  title,
  script: [],
  play: (stage) => enter(stage, line, seen),
});

export const AROUND: readonly Scene[] = [
  {
    name: 'palette',
    title: 'everything there is, found by a few letters',
    play: (stage) => press(stage, ['f2'], /everything/),
  },
  {
    name: 'palette-typed',
    title: 'the list after three letters',
    async play(stage) {
      await press(stage, ['f2'], /everything/);
      stage.rig.type('mod');
      await stage.rig.waitFor(/mod[\s\S]*:mode|:mode[\s\S]*mod/);
    },
  },
  {
    name: 'sessions',
    title: 'earlier sessions, found by a few letters',
    files: {
      ...earlier('2026-11-20-1402-ab12', '~/shop', 'make the rotation test pass'),
      ...earlier('2026-11-20-0940-cd34', '~/shop', 'why is app.log still growing after rotation?'),
      ...earlier('2026-11-19-1110-ef56', '~/infra', '**rotate** the keys of the `staging` hosts', ENDING, 'prod'),
      ...earlier('2026-11-03-1822-0a7b', '~/shop', 'find files larger than 10 MB'),
    },
    async play(stage) {
      await enter(stage, ':sessions', /sessions:.* of 4/);
      stage.rig.type('rota');
      await stage.rig.waitFor(/sessions: rota.* of 3[\s\S]*Tag it and push/);
    },
  },
  {
    name: 'resumed',
    title: 'a session that is gone on with',
    files: earlier('2026-11-19-1110-ef56', '~/shop', 'rotate the keys of the staging hosts', ENDING),
    async play(stage) {
      await enter(stage, ':sessions', /sessions:.* of 1/);
      await press(stage, ['enter'], /── resumed \w+ .*\[aish:/s);
    },
  },
  { name: 'keys', title: 'the keys', play: (stage) => press(stage, ['f1'], /Esc closes/) },
  told('help', ':help', 'the `:` commands', /:quit/),
  told('model', ':model', 'the models, and whether they answer', /16,384 tokens/),
  {
    name: 'setup',
    title: 'a model is connected: keys that are here',
    env: () => ({ OPENAI_API_KEY: 'sk-of-nobody', OPENROUTER_API_KEY: 'sk-of-nobody' }),
    async play(stage) {
      await enter(stage, ':setup', /setup:.* of \d/);
      // Filters the list, since the servers in it depend on the machine.
      stage.rig.type('key in');
      await stage.rig.waitFor(/setup: key in.* of 2/);
    },
  },
  {
    name: 'setup-tested',
    title: 'what a test of it says, and what a yes writes',
    env: ({ port }) => ({ OLLAMA_HOST: `127.0.0.1:${port}` }),
    play: (stage) => enter(stage, ':setup fast', /✓[\s\S]*> :setup fast yes/),
  },
  told('cost', ':cost', 'what it has cost', /❯ :cost[\s\S]*│/),
  {
    name: 'allow',
    title: 'commands that run without a question',
    script: [],
    async play(stage) {
      await enter(stage, ':allow npm test', /again in this session: npm test/);
      await enter(stage, ':allow make check', /again in this session: make check/);
      await enter(stage, ':allow', /this session +npm test/);
    },
  },
  {
    name: 'rewind',
    title: 'back to before a question: what is restored',
    config: { mode: 'unrestricted', confirm_cmd: false, safety: { llm_second_opinion: false } },
    files: { 'notes.txt': 'mine\n' },
    script: [
      say('CMD: echo "call Ann" >> notes.txt; echo draft > plan.txt'),
      say('It is noted.'),
      say('CMD: rm plan.txt'),
      say('The draft is gone.'),
    ],
    async play(stage) {
      await enter(stage, '?note that I must call Ann, and begin a plan', /It is noted\./);
      await enter(stage, '?drop the plan', /(The draft is gone|HALT|skip)/);
      if (/skip/.test(stage.rig.text())) await press(stage, ['p'], /The draft is gone/);
      await enter(stage, ':rewind 1', /:rewind 1 yes/);
    },
  },
  {
    name: 'slash',
    title: '`/` lists the commands, and stays typed',
    async play({ rig }) {
      rig.type('/');
      await rig.waitFor('━━ commands ━');
    },
  },
  told('safety', ':safety check rm -rf /tmp/x', 'what the gate would say', /destructive/),
  told('mode-shown', ':mode', 'the mode and what it lets through', /halts: loses/),
];
