import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { engineSecrets, learningKey } from '../../src/app/secrets-filter.ts';
import { DEFAULTS } from '../../src/config/config.ts';
import { ResolvedActions } from '../../src/engine/resolved-action.ts';
import { JobRegistry, runOnce } from '../../src/executor/index.ts';
import { SecretsFilter } from '../../src/secrets/index.ts';
import { describeAction } from '../../src/session/action.ts';
import { jobsTool } from '../../src/tools/index.ts';
import { startEngine } from '../support/engine.ts';
import { deadly, harmless } from '../support/machine.ts';
import { call, say, startScriptedServer, type Turn } from '../support/scripted-server.ts';

/** Runs a model that answers `turns`, with everything that was judged and the outputs of the commands. */
async function start(
  turns: readonly Turn[],
  verdict = harmless,
  secrets = engineSecrets(new SecretsFilter(), DEFAULTS),
) {
  const judged: string[] = [];
  const gate = {
    judge: (action: Parameters<typeof describeAction>[0]) => {
      judged.push(describeAction(action));
      return Promise.resolve(verdict);
    },
    onlyReads: () => false,
    worksOverPipes: () => false,
    begin: async () => true,
  };
  const server = await startScriptedServer([...turns, say('GOAL: complete')]);
  const bench = startEngine({ name: 'fast', model: 'test', baseUrl: server.baseUrl }, { gate, services: { secrets } });
  const { engine } = bench;
  const outputs = () =>
    bench.journal.flatMap((event) =>
      event.type === 'actionEnded' && event.outcome.kind === 'command'
        ? [secrets.reveal(event.outcome.result.head)]
        : [],
    );
  void engine.dispatch({ type: 'norrisStarted', goal: 'go' });
  const phase = (kind: string) => bench.until(() => engine.conversation.phase.kind === kind);
  const stop = async () => {
    await bench[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  };
  return { ...bench, secrets, judged, outputs, phase, [Symbol.asyncDispose]: stop };
}

/**
 * Texts as written, and the output of a shell for them. Only a text that reached the shell unchanged prints that
 * output.
 */
const own: readonly (readonly [what: string, written: string, prints: string])[] = [
  [
    'escaped within double quotes',
    String.raw`cu() { printf %s "$2"; }; curl() { cu "$@"; }; curl -u "bob:p\$Ssw0rd9"`,
    'bob:p$Ssw0rd9',
  ],
  ['with an escaped sign behind it', String.raw`PASSWORD=Abc123xyz\;printf; printf %s "$PASSWORD"`, 'Abc123xyz;printf'],
  ['with a variable in it', 'S=9; PASSWORD="pre8X$S"; printf %s "$PASSWORD"', 'pre8X9'],
  [
    'an ordinary token',
    'TOKEN=ghp_0123456789abcdefghijABCDEFGHIJklmnop; printf %s "$TOKEN"',
    'ghp_0123456789abcdefghijABCDEFGHIJklmnop',
  ],
];

describe('a secret in the model’s own command', () => {
  it.each(own)('is judged and runs as it was written: %s', async (_, written, prints) => {
    for (const turn of [call('bash', { command: written }), say(`CMD: ${written}`)]) {
      await using run = await start([turn]);
      // The secret is known already from an output, where it was not part of a command.
      run.secrets.hide(written, 'the output of an action of the model');
      await run.phase('idle');
      expect(run.judged).toEqual([written]);
      expect(run.outputs()).toEqual([prints]);
      const reply = JSON.stringify(run.journal.find(({ type }) => type === 'replyEnded'));
      expect(reply).toContain('⟦');
      expect(reply).not.toMatch(/Ssw0rd9|Abc123xyz|pre8X|ghp_/);
    }
  });

  it.each(own)('is shown by a HALT and run as shown: %s', async (_, written, prints) => {
    await using run = await start([call('bash', { command: written })], deadly);
    await run.phase('halted');
    const [question] = run.engine.state.questions;
    if (!question) throw new Error('no question');
    expect(run.engine.actions.revealQuestion(question)).toMatchObject({ action: { command: written } });
    void run.engine.dispatch({ type: 'answered', question: question.id, answer: { kind: 'proceed' } });
    await run.phase('idle');
    expect(run.outputs()).toEqual([prints]);
  });

  it.each(own)('is kept when the user edits the command: %s', async (_, written, prints) => {
    await using run = await start([call('bash', { command: 'true' })], deadly);
    await run.phase('halted');
    const ask = () => run.engine.state.questions[0]?.id ?? '';
    void run.engine.dispatch({ type: 'answered', question: ask(), answer: { kind: 'edit', command: written } });
    await run.phase('halted');
    void run.engine.dispatch({ type: 'answered', question: ask(), answer: { kind: 'proceed' } });
    await run.phase('idle');
    expect(run.judged).toEqual(['true', written]);
    expect(run.outputs()).toEqual([prints]);
  });
});

it('a handle given to the model is one shell word, and the HALT shows it as one', async () => {
  const secrets = engineSecrets(new SecretsFilter(), DEFAULTS);
  const value = 'x; y"$(id)9';
  const handle = /⟦\w+⟧/.exec(secrets.hide(`{"password": ${JSON.stringify(value)}}`))?.[0] ?? '';
  await using run = await start([say(`CMD: printf %s ${handle}`)], deadly, secrets);
  await run.phase('halted');
  const [question] = run.engine.state.questions;
  if (!question) throw new Error('no question');
  const [judged] = run.judged;
  expect(judged).toMatch(/^printf %s '/);
  expect(run.engine.actions.revealQuestion(question)).toMatchObject({ action: { command: judged } });
  void run.engine.dispatch({ type: 'answered', question: question.id, answer: { kind: 'proceed' } });
  await run.phase('idle');
  expect(run.outputs()).toEqual([secrets.reveal(handle)]);
});

it('an edit that answers an earlier question does not change what runs', async () => {
  const written = 'TOKEN=ghp_0123456789abcdefghijABCDEFGHIJklmnop; printf %s "$TOKEN"';
  await using run = await start([say(`CMD: ${written}`)], deadly);
  await run.phase('halted');
  const [question] = run.engine.state.questions;
  if (!question) throw new Error('no question');
  void run.engine.dispatch({ type: 'answered', question: 'q-before', answer: { kind: 'edit', command: 'echo other' } });
  expect(run.engine.actions.revealQuestion(question)).toMatchObject({ action: { command: written } });
  void run.engine.dispatch({ type: 'answered', question: question.id, answer: { kind: 'proceed' } });
  await run.phase('idle');
  expect(run.outputs()).toEqual(['ghp_0123456789abcdefghijABCDEFGHIJklmnop']);
});

it('an action from another process gets no secret, whichever handle it names (SE-3)', () => {
  const secrets = engineSecrets(new SecretsFilter(), DEFAULTS);
  const handle = /⟦\w+⟧/.exec(secrets.hide('password: "correcthorse"'))?.[0] ?? '';
  const actions = new ResolvedActions(secrets);
  const command = { kind: 'command', command: `printf %s ${handle}`, job: false } as const;
  const patch = { kind: 'tool', name: 'patch', arguments: JSON.stringify({ text: handle }), callId: 'c1' } as const;
  for (const told of [command, patch]) expect(actions.of(told)).toMatchObject({ kind: 'unknown', origin: 'replayed' });
  expect(actions.of({ ...command, command: 'true' })).toMatchObject({ kind: 'ready', origin: 'replayed' });
});

describe('a secret in the name of a directory', () => {
  it('is hidden in the state, and commands run there', async () => {
    const name = 'token=9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c';
    await using run = await start([say(`CMD: mkdir -p ${name}/x && cd ${name}/x`), say('CMD: pwd > here')]);
    await run.phase('idle');
    expect(run.engine.conversation.cwd).toMatch(/token=⟦\w+⟧/);
    expect(JSON.stringify(run.journal)).not.toContain('9f8a7b6c');
    const path = join(run.cwd, name, 'x');
    expect(readFileSync(join(path, 'here'), 'utf8')).toBe(`${path}\n`);
    void run.engine.dispatch({ type: 'shellMoved', cwd: path });
    expect(run.engine.state.shell.cwd).toContain('⟦');
    expect(run.engine.shellCwd).toBe(path);
  });
});

describe('the secret that a background job prints', () => {
  const told = () => {
    const filter = new SecretsFilter();
    return { filter, handle: /⟦\w+⟧/.exec(filter.hide('password: "correcthorse"'))?.[0] ?? '' };
  };

  it('becomes a handle in the report of its end', async () => {
    const { filter, handle } = told();
    await using run = await start([], harmless, engineSecrets(filter, DEFAULTS));
    const result = {
      exit: 0,
      cwd: '/',
      head: 'it is correcthorse.',
      tail: '',
      omittedLines: 0,
      bytes: 19,
      milliseconds: 1,
    };
    void run.engine.dispatch({ type: 'jobEnded', job: 1, command: `echo ${handle}`, result, by: 'model' });
    expect(run.journal.at(-1)).toMatchObject({ type: 'jobEnded', result: { head: `it is ${handle}.` } });
  });

  it('becomes a handle when the model looks at the job', async () => {
    const { filter, handle } = told();
    const jobs = new JobRegistry();
    const env = { PATH: process.env.PATH ?? '' };
    const dataDir = mkdtempSync(join(tmpdir(), 'aish-jobs-'));
    const command = 'echo it is correcthorse.';
    const job = runOnce({ command, cwd: dataDir, env, columns: 80, rows: 24, dataDir: join(dataDir, 'out') });
    const id = jobs.adopt(job, { command: `echo it is ${handle}.`, owner: 'model' });
    await job.result;
    const tool = jobsTool(jobs, (source, text) => filter.hideValuesOf(source, text));
    const seen = await tool.run({ id }, { cwd: dataDir, signal: AbortSignal.timeout(1000) });
    expect(seen.text).toContain(`it is ${handle}.`);
    await jobs.dispose();
    rmSync(dataDir, { recursive: true, force: true });
  });
});

it('a key that a command prints is a secret from then on', async () => {
  const filter = new SecretsFilter();
  const key = 'k3y-Of-This-Machine-0815';
  const preset = { name: 'fast', model: 'test', baseUrl: 'http://127.0.0.1:1', apiKey: async () => key };
  expect(filter.hide(`said ${key}`)).toContain(key);
  await learningKey(filter, preset).apiKey?.();
  expect(filter.hide(`said ${key}`)).toMatch(/^said ⟦\w+⟧$/);
});
