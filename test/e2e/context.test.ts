import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { runProgram, scratch } from '../support/program.ts';
import { call, say, startScriptedServer, whenever } from '../support/scripted-server.ts';

it('an output that leaves the context is kept in a private file that the model can read', async () => {
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
  // The model can read the file in Restricted too.
  expect(last?.messages.at(-1)?.content).toContain('line 1 of the output\n');
});

it('turns that leave the context are summarised and counted, and :history shows them', async () => {
  const summary = say('The user counts lines. Nothing is open.', { usage: { prompt: 700, completion: 30 } });
  const long = (n: number) => say(`Answer ${n}. ${'Words fill the window. '.repeat(120)}`);
  await using server = await startScriptedServer([
    whenever(/You shorten the record/, summary),
    ...[1, 2, 3, 4, 5, 6, 7, 8].map(long),
  ]);
  using place = scratch(server.baseUrl, { token_budget: 5000, memory: { enabled: false } });
  const questions = [1, 2, 3, 4, 5, 6, 7].map((n) => `?question ${n}\n`).join('');
  const { out } = await runProgram(place, [], { input: `${questions}:history\n:cost detail\n:compact\n?question 8\n` });
  expect(out).toMatch(/\[aish\] \d+ turns were summarised by fast; :history shows the summary/);
  expect(out).toContain('summary of the above (written by the model): The user counts lines. Nothing is open.');
  expect(out).toMatch(/scripted {2}summary {2}1 calls/);
  expect(out).toContain('Answer 8.');
  const last = server.requests.at(-1);
  expect(last?.messages).toHaveLength(2);
  expect(last?.lastUser).toMatch(/summary \(written by the model\):\nThe user counts lines\.[\s\S]*question 8$/);
});
