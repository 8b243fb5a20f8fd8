import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { runProgram, scratch } from '../support/program.ts';
import { call, say, startScriptedServer } from '../support/scripted-server.ts';

it('an output that leaves the context stays in a private file, which the model is told of and can read', async () => {
  const numbers = (from: number) => call('bash', { command: `seq -f 'line %g of the output' ${from} ${from + 119}` });
  const read = 'grep -h "^line 1 of" "$HOME"/.local/state/aish/sessions/*/output/evicted-*.txt';
  await using server = await startScriptedServer(
    [...[1, 1000, 2000, 3000, 4000, 5000].map(numbers), call('bash', { command: read }), say('GOAL: complete')],
    { window: 8192 },
  );
  using place = scratch(server.baseUrl, { safety: { llm_second_opinion: false }, max_answer_tokens: 1000 });
  const { out, code } = await runProgram(place, ['run', 'look at many numbers']);
  expect(code).toBe(0);
  expect(out).toMatch(/\[aish\] \d long texts? (was|were) shortened .*to fit the window of fast \(8192 tokens\)/);

  const last = server.requests.at(-1);
  const told = last?.messages.map(
    ({ content }) => /\[output left out: 120 lines, full text: (.*)\]/.exec(content)?.[1],
  );
  const [file = ''] = told?.filter((path) => path !== undefined) ?? [];
  const kept = readFileSync(file, 'utf8').split('\n');
  expect(kept[0]).toBe('line 1 of the output');
  expect(kept).toHaveLength(121);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
  // In Restricted too, the model can read it again.
  expect(last?.messages.at(-1)?.content).toContain('line 1 of the output\n');
});
