import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Engine } from '../../src/engine/engine.ts';
import { foldEvents } from '../../src/engine/transcript.ts';
import { subAgents } from '../../src/session/delegate.ts';
import { BASH, createTools, DELEGATE, patchTool } from '../../src/tools/index.ts';
import { agent, delegates, parent, toParent } from '../support/agent-script.ts';
import { type Bench, startEngine } from '../support/engine.ts';
import { call, hold, say, startScriptedServer } from '../support/scripted-server.ts';

const preset = (server: { baseUrl: string }) => ({ name: 'fast', model: 'test', baseUrl: server.baseUrl });
const idle = ({ engine }: Bench) => engine.conversation.phase.kind === 'idle';
const results = (server: { requests: readonly { messages: readonly { role: string; content: string }[] }[] }) =>
  server.requests.at(-1)?.messages.filter((message) => message.role === 'tool') ?? [];
describe('sub-agents over a real server and real commands', () => {
  it('work side by side with contexts of their own, and report in the order of the calls', async () => {
    await using server = await startScriptedServer([
      parent(delegates('alpha', 'beta')),
      parent(say('Both are back.\nGOAL: complete')),
      agent('alpha', call('bash', { command: 'cd sub && pwd' })),
      agent('alpha', { text: [hold('alpha'), 'Alpha is in sub.'] }),
      agent('beta', say('Beta found nothing.')),
    ]);
    await using bench = startEngine(preset(server));
    mkdirSync(join(bench.cwd, 'sub'));
    void bench.engine.dispatch({ type: 'norrisStarted', goal: 'look around' });
    // Beta is done while alpha still works.
    await server.request(2, /alpha/);
    await bench.until(() => subAgents(bench.engine.state).length === 1);
    server.release('alpha');
    await bench.until(() => idle(bench));
    expect(results(server).map((message) => message.content)).toEqual(['Alpha is in sub.', 'Beta found nothing.']);
    const [, first] = server.requests;
    expect(first?.toolNames).toEqual(['bash']);
    expect(first?.messages[1]?.content).toBe('Task: alpha');
    expect(first?.messages).toHaveLength(2);
    // A sub-agent's cd affects only itself.
    expect(bench.engine.conversation.cwd).toBe(bench.cwd);
    expect(Object.keys(bench.engine.state.sessions)).toEqual(['main']);
    const told = bench.engine.transcript.entries.filter((shown) => shown.entry.kind === 'delegate');
    expect(told.map((shown) => shown.children?.entries.map(({ entry }) => entry.kind))).toEqual([
      ['norrisStep', 'exec', 'norrisStep', 'assistant'],
      ['norrisStep', 'assistant'],
    ]);
  });

  it('ask the user about destructive commands under their name, and continue with the answer', async () => {
    await using server = await startScriptedServer([
      parent(delegates('tidy up')),
      parent(say('GOAL: complete')),
      agent('tidy', say('CMD: rm -rf foo')),
      agent('tidy', say('It is gone.')),
    ]);
    await using bench = startEngine(preset(server));
    mkdirSync(join(bench.cwd, 'foo'));
    void bench.engine.dispatch({ type: 'norrisStarted', goal: 'clean' });
    await bench.until(() => bench.engine.state.questions.length > 0);
    const [question] = bench.engine.state.questions;
    expect(question).toMatchObject({ why: 'destructive', asker: { agent: 1, task: 'tidy up' }, step: { k: 1, n: 12 } });
    expect(existsSync(join(bench.cwd, 'foo'))).toBe(true);
    void bench.engine.dispatch(
      { type: 'answered', question: question?.id ?? '', answer: { kind: 'proceed' } },
      question?.session,
    );
    await bench.until(() => idle(bench));
    expect(existsSync(join(bench.cwd, 'foo'))).toBe(false);
    expect(results(server)[0]?.content).toBe('It is gone.');
  });

  it('can neither delegate nor leave Restricted', async () => {
    await using server = await startScriptedServer([
      parent(delegates('try')),
      parent(say('GOAL: complete')),
      agent('try', {
        text: 'DELEGATE: do it for me',
        toolCalls: [{ name: 'request_mode_upgrade', args: { reason: 'x' } }],
      }),
      agent('try', say('I could not.')),
    ]);
    await using bench = startEngine(preset(server));
    void bench.engine.dispatch({ type: 'norrisStarted', goal: 'g' });
    await bench.until(() => idle(bench));
    const second = server.requests.filter((request) => !toParent(request))[1];
    expect(second?.messages.find((message) => message.role === 'tool')?.content).toContain('only its parent can');
    expect(second?.lastUser).toContain('A sub-agent cannot delegate');
  });

  it('end with the parent: all are cancelled, and every call has its result', async () => {
    await using server = await startScriptedServer([
      parent(delegates('one', 'two', 'three')),
      agent('one', { text: ['Half a ', hold('never'), 'thought'] }),
      agent('two', say('CMD: sleep 300')),
      agent('three', say('CMD: rm -rf /tmp/x')),
    ]);
    await using bench = startEngine(preset(server));
    void bench.engine.dispatch({ type: 'norrisStarted', goal: 'g' });
    await server.request(1, /Task: one/);
    await bench.until(() => bench.engine.live.commands.size === 1 && bench.engine.state.questions.length === 1);
    void bench.engine.dispatch({ type: 'aborted' });
    await bench.until(() => idle(bench));
    expect(bench.engine.state).toMatchObject({ questions: [] });
    expect(bench.engine.live.commands.size).toBe(0);
    const told = bench.engine.conversation.turns.filter((turn) => turn.kind === 'result').map((turn) => turn.text);
    expect(told).toHaveLength(3);
    for (const text of told) expect(text).toContain('was aborted by the user in step 1 of 12');
  });

  it('do not continue after a restart, and their actions have unknown outcomes', async () => {
    await using server = await startScriptedServer([parent(delegates('wait')), agent('wait', say('CMD: sleep 300'))]);
    await using bench = startEngine(preset(server));
    void bench.engine.dispatch({ type: 'norrisStarted', goal: 'g' });
    await bench.until(() => bench.engine.live.commands.size === 1);
    const again = new Engine(bench.engine.services, 'main', foldEvents(bench.journal, 'main'));
    expect(again.state.sessions).toEqual(bench.engine.state.sessions);
    await again.dispatch({ type: 'resumed', settings: bench.engine.conversation.settings });
    expect(Object.keys(again.state.sessions)).toEqual(['main']);
    expect(again.conversation.phase.kind).toBe('idle');
    expect(again.conversation.turns.at(-1)?.text).toContain(
      'outcome unknown: the program closed meanwhile in its step 1 of 12',
    );
    expect(again.live.commands.size).toBe(0);
    await again.close();
  });

  it('patch files in their own directory, not the parent’s', async () => {
    await using server = await startScriptedServer([
      parent(delegates('mend')),
      parent(say('GOAL: complete')),
      agent('mend', say('CMD: cd sub')),
      agent('mend', call('patch', { path: 'f', patches: [{ operation: 'append_eof', newText: 'more' }] })),
      agent('mend', say('Mended.')),
    ]);
    const tools = createTools([BASH, DELEGATE], [patchTool()], ['patch'], []);
    await using bench = startEngine(preset(server), { services: { tools } });
    mkdirSync(join(bench.cwd, 'sub'));
    writeFileSync(join(bench.cwd, 'sub', 'f'), 'some\n');
    void bench.engine.dispatch({ type: 'norrisStarted', goal: 'g' });
    await bench.until(() => idle(bench));
    expect(readFileSync(join(bench.cwd, 'sub', 'f'), 'utf8')).toBe('some\nmore\n');
  });

  it('report what is known when the model fails or the steps are used up', async () => {
    const steps = Array.from({ length: 12 }, (_, at) => agent('count', say(`Step ${at + 1}.\nCMD: true`)));
    await using server = await startScriptedServer([
      parent(delegates('count', 'break')),
      parent(say('GOAL: complete')),
      ...steps,
      agent('break', { error: { status: 400, message: 'no such luck' } }),
    ]);
    await using bench = startEngine(preset(server));
    void bench.engine.dispatch({ type: 'norrisStarted', goal: 'g' });
    await bench.until(() => idle(bench));
    const [spent, broken] = results(server).map((message) => message.content);
    expect(spent).toMatch(/did not finish in step 12 of 12: its 12 steps are spent\nIts last words:\nStep 12\./);
    expect(broken).toMatch(/failed in step 1 of 12: .*no such luck/);
  });
});

describe('read-only actions', () => {
  it('run side by side, and their results keep the order of the calls', async () => {
    await using server = await startScriptedServer([
      {
        toolCalls: [
          { name: 'bash', args: { command: 'cat fifo' } },
          { name: 'bash', args: { command: 'ls' } },
        ],
      },
      say('GOAL: complete'),
    ]);
    await using bench = startEngine(preset(server));
    writeFileSync(join(bench.cwd, 'a'), '');
    // The first one waits for a writer that comes only once the second one has ended.
    execFileSync('mkfifo', [join(bench.cwd, 'fifo')]);
    void bench.engine.dispatch({ type: 'norrisStarted', goal: 'g' });
    const listed = () =>
      bench.engine.transcript.entries.some(
        ({ entry }) => entry.kind === 'exec' && entry.command === 'ls' && entry.result,
      );
    await bench.until(listed);
    writeFileSync(join(bench.cwd, 'fifo'), 'late\n');
    await bench.until(() => idle(bench));
    const [first, second] = results(server).map((message) => message.content);
    expect(first).toMatch(/^\$ cat fifo\nlate\n/);
    expect(second).toMatch(/^\$ ls\n/);
  });
});
