import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
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

it('rm asks when its file belonged to the session at the judgement but no longer at the launch', async () => {
  await using server = await startScriptedServer(commands('rm mine'));
  let looks = 0;
  // The gate asks twice during the judgement: for the paths that rm deletes, and for those that exist.
  const own = createGate({
    enabled: false,
    madeHere() {
      looks += 1;
      return looks === 1;
    },
  });
  await using bench = startEngine(preset(server), { gate: own });
  writeFileSync(join(bench.cwd, 'mine'), 'x');
  void bench.engine.dispatch({ type: 'norrisStarted', goal: 'tidy up' });
  await bench.until(() => over(bench));
  expect(existsSync(join(bench.cwd, 'mine'))).toBe(true);
  expect(looks).toBeGreaterThan(1);
});

it('a command does not run when its script changed after the judgement', async () => {
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
