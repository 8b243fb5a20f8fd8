import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createGate } from '../../src/safety/index.ts';
import { type Bench, startEngine } from '../support/engine.ts';
import { call, say, startScriptedServer } from '../support/scripted-server.ts';

const gate = () => createGate({ enabled: false });
const preset = (server: { baseUrl: string }) => ({ name: 'fast', model: 'test', baseUrl: server.baseUrl });
const commands = (...lines: readonly string[]) => [
  ...lines.map((command) => call('bash', { command })),
  say('GOAL: complete'),
];
const halted = ({ engine }: Bench) => engine.state.questions.length > 0;
const over = (bench: Bench) => halted(bench) || bench.engine.conversation.phase.kind === 'idle';

describe('what the model has made itself', () => {
  it('may be overwritten, edited and deleted without a question', async () => {
    await using server = await startScriptedServer(
      commands('echo a > mine', 'echo b > mine', "sed -i 's/b/c/' mine", 'rm mine'),
    );
    await using bench = startEngine(preset(server), { gate: gate() });
    void bench.engine.dispatch({ type: 'norrisStarted', goal: 'write' });
    await bench.until(() => over(bench));
    expect(bench.engine.state.questions).toEqual([]);
    expect(existsSync(join(bench.cwd, 'mine'))).toBe(false);
  });

  it('is not what was there before', async () => {
    await using server = await startScriptedServer(commands('echo a >> notes', 'echo b > notes'));
    await using bench = startEngine(preset(server), { gate: gate() });
    writeFileSync(join(bench.cwd, 'notes'), 'the user wrote this\n');
    void bench.engine.dispatch({ type: 'norrisStarted', goal: 'write' });
    await bench.until(() => over(bench));
    expect(halted(bench)).toBe(true);
  });

  it('is not what someone has changed since', async () => {
    await using server = await startScriptedServer(commands('echo a > mine', 'rm mine'));
    const changing = gate();
    let cwd = '';
    await using bench = startEngine(preset(server), {
      gate: {
        ...changing,
        judge: (action, context) => {
          if (existsSync(join(cwd, 'mine'))) writeFileSync(join(cwd, 'mine'), 'by the user');
          return changing.judge(action, context);
        },
      },
    });
    cwd = bench.cwd;
    void bench.engine.dispatch({ type: 'norrisStarted', goal: 'write' });
    await bench.until(() => over(bench));
    expect(halted(bench)).toBe(true);
  });
});

it('runs nothing when a script has changed since it was judged', async () => {
  await using server = await startScriptedServer(commands('bash work.sh'));
  const judging = gate();
  let script = '';
  await using bench = startEngine(preset(server), {
    gate: {
      ...judging,
      judge: async (action, context) => {
        const judged = await judging.judge(action, context);
        writeFileSync(script, 'touch ran');
        return judged;
      },
    },
  });
  script = join(bench.cwd, 'work.sh');
  writeFileSync(script, 'echo harmless');
  void bench.engine.dispatch({ type: 'norrisStarted', goal: 'work' });
  await bench.until(() => over(bench));
  expect(halted(bench)).toBe(false);
  expect(existsSync(join(bench.cwd, 'ran'))).toBe(false);
  const told = server.requests[1]?.messages.findLast((message) => message.role === 'tool')?.content;
  expect(told).toContain('not run: a file that it rests on has changed since it was judged');
});
