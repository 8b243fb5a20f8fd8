import { closeSync, ftruncateSync, mkdirSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runProgram, type Scratch, scratch } from '../support/program.ts';
import { startRig } from '../support/rig.ts';
import { hold, type ScriptedServer, say, startScriptedServer, whenever } from '../support/scripted-server.ts';

const GOAL = 'find files larger than 10MB in var/log and report sizes';
const PRICES = { input: 0.5, output: 2 };

/** A configuration with a paid preplanner `cloud` and a free executor `fast` on two servers. */
function split(cloud: ScriptedServer, fast: ScriptedServer, more: Readonly<Record<string, unknown>> = {}): Scratch {
  return scratch(undefined, {
    models: {
      fast: { base_url: fast.baseUrl, model: 'qwen-small' },
      cloud: { base_url: cloud.baseUrl, model: 'claude-big', prices: PRICES },
    },
    model: 'fast',
    mode: 'unrestricted',
    safety: { llm_second_opinion: false },
    norris: { preplanner: 'cloud', executor: 'fast' },
    ...more,
  });
}

/** Plants a sparse log of 11 MB, and another log that may be lost. */
function plantLogs({ work }: Scratch): string {
  const folder = join(work, 'var/log');
  mkdirSync(folder, { recursive: true });
  const file = openSync(join(folder, 'big.log'), 'w');
  ftruncateSync(file, 11 << 20);
  closeSync(file);
  writeFileSync(join(folder, 'old.log'), 'x');
  return join(folder, 'old.log');
}

describe('a run planned by one model and carried out by another', () => {
  it('plans three tasks, runs each on the executor, halts as usual, and reports the cost', async () => {
    await using cloud = await startScriptedServer([
      say('TASK: find large files in var/log\nTASK: stat what was found\nTASK: remove old.log', {
        usage: { prompt: 180, completion: 35 },
      }),
    ]);
    await using fast = await startScriptedServer([
      say('CMD: find var/log -size +10M', { usage: { prompt: 100, completion: 8 } }),
      say("CMD: stat -c '%n %s' var/log/big.log", { usage: { prompt: 110, completion: 9 } }),
      say('CMD: rm -rf var/log/old.log', { usage: { prompt: 120, completion: 10 } }),
      say('One large file: var/log/big.log, 11534336 bytes.', { usage: { prompt: 130, completion: 11 } }),
    ]);
    using place = split(cloud, fast);
    const old = plantLogs(place);
    await using rig = startRig(place, { rows: 50, columns: 110 });
    await rig.waitFor('[aish:fast]>');
    rig.type(`:norris ${GOAL}\r`);
    await rig.waitFor(/▸ plan · 3 tasks .*by cloud/);
    expect(cloud.requests[0]?.text).toMatch(/Mode: Unrestricted.*Directory: .*Files there:\\nvar\/\\n\\nGoal: find/);
    await rig.waitFor('step 3 of 16');
    expect(rig.text()).toMatch(/3\. remove old\.log/);
    expect(rig.text()).toMatch(
      /── task 1 of 3 · find large files in var\/log\n[\s\S]*\n✓ +1 +find var\/log -size \+10M/,
    );
    expect(rig.text()).toMatch(/── task 2 of 3 · stat what was found\n[\s\S]*\n✓ +2 +stat -c/);
    expect(rig.text()).toContain('── task 3 of 3 · remove old.log');
    // The HALT names the current task.
    expect(rig.text()).not.toMatch(/\[task [12]\//);
    await rig.waitFor(/all shown|Enter: /);
    rig.type('s');
    await rig.waitFor('tasks complete');
    expect(rig.text()).toContain('cloud $0.00016, 215 tokens · local free, 498 tokens (≈ $0.00031 on cloud)');
    expect(statSync(old).size).toBe(1);

    expect(cloud.requests).toHaveLength(1);
    expect(cloud.requests[0]).toMatchObject({
      stream: false,
      lastUser: expect.stringContaining(`Goal: ${GOAL}`),
      toolNames: [],
    });
    expect(cloud.requests[0]?.body.max_tokens).toBe(800);
    expect(
      fast.requests.map(({ lastUser }) => /Current step \d\/3: .*$|All tasks are through/.exec(lastUser)?.[0]),
    ).toEqual([
      'Current step 1/3: find large files in var/log',
      'Current step 2/3: stat what was found',
      'Current step 3/3: remove old.log',
      'All tasks are through',
    ]);

    rig.type(':cost detail\r');
    await rig.waitFor('session usage detail');
    expect(rig.text()).toContain('[aish] session usage detail (total=$0.000160, 640/73 tokens):');
    expect(rig.text()).toMatch(/claude-big {2}norris-preplan {2}1 calls, {2}180 \/ 35 tokens, \$0\.000160/);
    expect(rig.text()).toMatch(/qwen-small {2}norris {10}4 calls, {2}460 \/ 38 tokens, \$0\.000000 {2}\(local\)/);
    expect(rig.text()).toMatch(/estimated session ctx: \d+ tokens; token_budget=\d+ \(\d+\.\d% used\)/);
    rig.type(':history\r');
    await rig.waitFor('preplan call to cloud (out of context)');
  });

  it('lets the user edit a plan, reject it and replan the rest, and lists the cost of each model', async () => {
    await using cloud = await startScriptedServer([
      say('TASK: look\nTASK: look again\nTASK: report'),
      say('TASK: list the files\nTASK: @deep read the manual\nTASK: report'),
      say('TASK: @deep ask the shell\nTASK: @huge report'),
    ]);
    await using deep = await startScriptedServer([say('GOAL: blocked there is no manual'), say('CMD: type cd')]);
    await using fast = await startScriptedServer([
      say('CMD: ls'),
      say('cd is a builtin.'),
      say('All that is known is said.'),
    ]);
    using place = split(cloud, fast, {
      models: {
        fast: { base_url: fast.baseUrl, model: 'qwen-small' },
        deep: { base_url: deep.baseUrl, model: 'qwen-large' },
        cloud: { base_url: cloud.baseUrl, model: 'claude-big', prices: PRICES },
      },
      norris: { preplanner: 'cloud', executor: 'fast', approve_plan: 'ask', task_models: ['deep'] },
    });
    const editor = join(place.home, 'editor');
    writeFileSync(editor, '#!/bin/sh\nprintf "find out\\nreport\\n" > "$1"\n', { mode: 0o755 });
    place.env.EDITOR = editor;
    await using rig = startRig(place, { rows: 50, columns: 110 });
    await rig.waitFor('[aish:fast]>');
    rig.type(':norris how cd works\r');
    await rig.waitFor('BEGIN?');
    await rig.waitFor(/all shown|Enter: /);
    expect(fast.requests).toHaveLength(0);
    rig.type('e');
    await rig.waitFor(/▸ edited plan · 2 tasks/);
    await rig.waitFor(/all shown|Enter: /);
    rig.type('n');
    await rig.waitFor('Enter sends the plan back with this');
    rig.type('use the manual\r');
    await rig.waitFor(/3 tasks .*by cloud[\s\S]*2\. @deep read the manual/);
    expect(cloud.requests[1]?.lastUser).toMatch(
      /TASK: @deep and the task\. Names: deep\.[\s\S]*Your plan was:\nTASK: find out\nTASK: report\n\nThe user sends it back: use the manual$/,
    );
    await rig.waitFor(/all shown|Enter: /);
    rig.type('p');
    await rig.waitFor(/▸ new plan · 2 tasks/);
    expect(cloud.requests[2]?.lastUser).toMatch(
      /it is blocked: there is no manual: @deep read the manual\nleft: report/,
    );
    await rig.waitFor('tasks complete');
    expect(rig.text()).toContain('@huge: not one of norris.task_models');
    expect(deep.requests.map(({ lastUser }) => /Current step .*/.exec(lastUser)?.[0])).toEqual([
      'Current step 2/3: read the manual',
      'Current step 3/4: ask the shell',
    ]);
    rig.type(':cost detail\r');
    await rig.waitFor('session usage detail');
    expect(rig.text()).toMatch(/claude-big {2}norris-preplan {2}2 calls/);
    expect(rig.text()).toMatch(/claude-big {2}norris-replan {3}1 calls/);
    expect(rig.text()).toMatch(/qwen-large {2}norris {10}2 calls/);
    expect(rig.text()).toMatch(/qwen-small {2}norris {10}3 calls/);
  });

  it('pauses before its first step when a key is pressed, and continues after the last step with the same key', async () => {
    await using cloud = await startScriptedServer([{ text: [hold('the plan'), 'TASK: look\nTASK: look again'] }]);
    await using fast = await startScriptedServer([say('CMD: ls'), say('CMD: ls -a'), say('Two files.')]);
    using place = split(cloud, fast, { norris: { preplanner: 'cloud', executor: 'fast', max_norris_steps: 1 } });
    await using rig = startRig(place, { rows: 40, columns: 110 });
    await rig.waitFor('[aish:fast]>');
    rig.type(':norris look around\r');
    await cloud.request(1);
    rig.type('\x18n');
    await rig.waitFor('the plan will wait for you');
    cloud.release('the plan');
    await rig.waitFor('BEGIN?');
    await rig.waitFor(/all shown|Enter: /);
    rig.type('p');
    await rig.waitFor(/Ctrl-X n goes\s+on/);
    rig.type('\x18n');
    await rig.waitFor(/continuing with 1 of 2 tasks/);
    await rig.waitFor('tasks complete');
    expect(fast.requests).toHaveLength(3);
  });

  it('sends unchanged requests when there is no preplanner', async () => {
    await using cloud = await startScriptedServer([]);
    await using fast = await startScriptedServer([say('CMD: ls'), say('GOAL: complete')]);
    using place = split(cloud, fast, { norris: {} });
    const { code, out } = await runProgram(place, ['run', GOAL]);
    expect(code).toBe(0);
    expect(cloud.requests).toHaveLength(0);
    expect(fast.requests[0]?.lastUser).toBe(`Goal: ${GOAL}`);
    expect(fast.requests[1]?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(fast.requests[1]?.text).not.toMatch(/Current step/);
    expect(out).not.toMatch(/preplan|split/);
  });

  it.each([
    [
      'an unreachable preplanner',
      { models: { cloud: { base_url: 'http://127.0.0.1:9/v1', prices: PRICES } } },
      /preplan failed: .*9.*/,
    ],
    ['an unknown preplanner', { norris: { preplanner: 'clod' } }, /preplan failed: there is no preset called clod.*/],
    ['a rambling preplanner', {}, /preplan produced no TASK lines/],
  ])('falls back to one model, with a message of one line, after %s', async (_, change, line) => {
    await using cloud = await startScriptedServer([say('First I would look at the folder, then measure.')]);
    await using fast = await startScriptedServer([say('GOAL: complete')]);
    const models = { fast: { base_url: fast.baseUrl, model: 'qwen-small' } };
    using place = split(cloud, fast, {
      ...change,
      ...('models' in change ? { models: { ...models, ...change.models } } : {}),
    });
    const { code, out } = await runProgram(place, ['run', GOAL]);
    expect(code).toBe(0);
    expect(out.match(/preplan.*/g)).toEqual([expect.stringMatching(line)]);
    expect(out).toMatch(/; running single-model\n/);
    expect(fast.requests[0]?.lastUser).toBe(`Goal: ${GOAL}`);
  });

  it('is aborted by Ctrl-C during planning, without falling back', async () => {
    await using cloud = await startScriptedServer([{ text: [hold('for ever'), 'TASK: a'] }]);
    await using fast = await startScriptedServer([]);
    using place = split(cloud, fast);
    await using rig = startRig(place, { rows: 30 });
    await rig.waitFor('[aish:fast]>');
    rig.type(`:norris ${GOAL}\r`);
    const request = await cloud.request(1);
    await rig.waitFor('planning');
    rig.key('ctrl-c');
    await rig.waitFor('! aborted');
    await cloud.aborted(request);
    expect(fast.requests).toHaveLength(0);
    expect(rig.text()).not.toContain('single-model');
  });
});

describe(':norris continue', () => {
  it('continues the unfinished tasks after the program was left, with the session’s cost so far', async () => {
    await using cloud = await startScriptedServer([
      say('TASK: look\nTASK: count', { usage: { prompt: 20, completion: 5 } }),
    ]);
    await using fast = await startScriptedServer([
      say('CMD: ls'),
      say('CMD: ls | wc -l'),
      say('None.'),
      whenever(/Sum up a terminal session/, say('Nothing.')),
    ]);
    using place = split(cloud, fast, {
      norris: { preplanner: 'cloud', max_norris_steps: 1 },
      memory: { enabled: false },
    });
    const first = await runProgram(place, [], { input: ':norris count the files\n' });
    expect(first.out).toMatch(/\[norris\] budget_exhausted/);
    const second = await runProgram(place, ['--resume'], { input: ':norris continue\n:cost detail\n:cost all\n' });
    expect(second.out).toMatch(/step 1\/1 \[task 2\/2: count\]/);
    expect(second.out).toMatch(/\[norris\] tasks_complete/);
    expect(cloud.requests).toHaveLength(1);
    expect(fast.requests[1]?.lastUser).toMatch(
      /go on with the goal: count the files\n\n\[aish\] Current step 2\/2: count$/,
    );
    expect(fast.requests[1]?.messages.some(({ content }) => content === 'CMD: ls')).toBe(true);
    expect(second.out).toMatch(/claude-big {2}norris-preplan {2}1 calls/);
    expect(second.out).toMatch(/qwen-small {2}norris {10}3 calls/);
    expect(second.out).toMatch(/all sessions \(total=\$0\.000020.*\n.*\d{4}-\d\d-\d\d {2}claude-big {2}1 calls/);
    const ledger = join(place.home, '.local/state/aish/costs.jsonl');
    expect(statSync(ledger).mode & 0o777).toBe(0o600);
    expect(readFileSync(ledger, 'utf8').trim().split(/\n+/)).toHaveLength(4);
  });
});

describe('a session at its spending limit', () => {
  const dear = (url: string, cost: Readonly<Record<string, unknown>>) => ({
    models: { fast: { base_url: url, model: 'dear', prices: { input: 1, output: 1 } } },
    cost,
    memory: { enabled: false },
  });

  it('warns once, then asks before each further paid call', async () => {
    const usage = { usage: { prompt: 400, completion: 100, cost: 0.5 } };
    await using server = await startScriptedServer([say('One.', usage), say('Two.', usage), say('Three.', usage)]);
    using place = scratch(undefined, dear(server.baseUrl, { warn_at_dollars: 0.1, stop_at_dollars: 0.5 }));
    await using rig = startRig(place, { rows: 30 });
    await rig.waitFor('[aish:fast]>');
    rig.type('?one\r');
    await rig.waitFor('this session has cost $0.50 (cost.warn_at_dollars is $0.10)');
    rig.type('?two\r');
    await rig.waitFor('SPEND MORE?');
    expect(rig.text()).toContain('$0.50 of $0.50 spent; fast costs more.');
    expect(server.requests).toHaveLength(1);
    await rig.waitFor(/all shown|Enter: /);
    rig.type('y');
    await rig.waitFor('Two.');
    rig.type('?three\r');
    await rig.waitFor('SPEND MORE?');
    expect(rig.text()).toContain('$1.00 of $1.00 spent; fast costs more.');
    await rig.waitFor(/all shown|Enter: /);
    rig.key('enter');
    await rig.waitFor('stopped: you allowed no more spending');
    expect(server.requests).toHaveLength(2);
    expect(rig.text().match(/warn_at_dollars/g)).toHaveLength(1);
    rig.type(':history\r');
    await rig.waitFor('you: three');
  });

  it('refuses the next paid call when no person can answer, and says so', async () => {
    await using server = await startScriptedServer([
      say('CMD: ls', { usage: { prompt: 500, completion: 500, cost: 1 } }),
    ]);
    using place = scratch(undefined, { ...dear(server.baseUrl, { stop_at_dollars: 1 }), mode: 'unrestricted' });
    const { code, err } = await runProgram(place, ['run', GOAL]);
    expect(err).toMatch(/HALT: the session has cost \$1\.00 of \$1\.00 .*calls to fast cost money -> abort/);
    expect(code).toBe(5);
    expect(server.requests).toHaveLength(1);
  });

  it('pays for no plan and no second opinion: both take the safe default', async () => {
    await using cloud = await startScriptedServer([]);
    await using fast = await startScriptedServer([say('CMD: frobnicate --all'), say('GOAL: complete')]);
    using place = split(cloud, fast, { safety: { llm_model: 'cloud' }, cost: { stop_at_dollars: 0 } });
    const { code, out, err } = await runProgram(place, ['run', '--on-halt', 'skip', GOAL]);
    expect(out).toMatch(/preplan failed: .*calls to cloud cost money; running single-model/);
    expect(err).toMatch(/no second opinion from cloud \(.*cost money/);
    expect(err).toMatch(/HALT: second opinion is not available/);
    expect(cloud.requests).toHaveLength(0);
    expect(code).toBe(0);
  });
});
