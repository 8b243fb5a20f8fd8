import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agent, delegates, parent } from '../support/agent-script.ts';
import { lacks } from '../support/lacks.ts';
import { runProgram, scratch } from '../support/program.ts';
import { openRig, type Rig, startRig } from '../support/rig.ts';
import { call, hold, say, startScriptedServer } from '../support/scripted-server.ts';

const unrestricted = { mode: 'unrestricted', safety: { llm_second_opinion: false } };

/** Three tasks in one reply. Each waits until the test releases its name. */
function three() {
  return startScriptedServer([
    parent(delegates('Count the alpha files', 'Read the beta notes', 'Look at gamma')),
    parent(say('All three are back.\nGOAL: complete')),
    agent('alpha', call('bash', { command: 'echo looking; ls' })),
    agent('alpha', { text: [hold('alpha'), 'There are **two** alpha files.'] }),
    agent('beta', { text: [hold('beta'), 'The notes say: buy milk.'] }),
    agent('gamma', { text: [hold('gamma'), 'Nothing there.'] }),
  ]);
}

describe('sub-agents on screen', () => {
  it('work side by side, one line each, and report to the parent, which then continues', async () => {
    await using server = await three();
    using place = scratch(server.baseUrl, unrestricted);
    writeFileSync(join(place.work, 'a'), '');
    await using rig = await openRig(place, '[aish:fast]>', { rows: 40 });
    rig.type(':norris look around\r');
    await rig.waitFor(/1 Count the alpha files +2\/12 thinking \d+ s/);
    await rig.waitFor(/2 Read the beta notes +1\/12 thinking \d+ s/);
    await rig.waitFor(/3 Look at gamma +1\/12 thinking \d+ s/);
    expect(rig.text()).toContain('3 sub-agents');
    // The steps of a sub-agent are folded away.
    expect(rig.text()).not.toContain('looking');
    // The user's prompt stays free while sub-agents work.
    rig.type('echo still here\r');
    await rig.waitFor(/^│ still here$/m);
    server.release('beta');
    await rig.waitFor('The notes say: buy milk.');
    expect(rig.text()).toContain('2 sub-agents');
    server.release('alpha');
    server.release('gamma');
    await rig.waitFor('✓ done');
    expect(rig.text()).toContain('There are two alpha files.');
    expect(rig.text()).not.toContain('sub-agents');
    // Ctrl-O shows the steps of the last sub-agent.
    rig.key('ctrl-o');
    await rig.waitFor(/┆ ── step 1\/12 ─/);
    rig.key('ctrl-o');
    await rig.waitForGone('┆');
    const last = server.requests.at(-1);
    expect(last?.messages.filter(({ role }) => role === 'tool').map(({ content }) => content)).toEqual([
      'There are **two** alpha files.',
      'The notes say: buy milk.',
      'Nothing there.',
    ]);
  });

  it('all end with Ctrl-X Ctrl-C', async () => {
    await using server = await three();
    await using rig = await openRig(scratch(server.baseUrl, unrestricted), '[aish:fast]>', { rows: 40 });
    rig.type(':norris look around\r');
    await rig.waitFor(/1 Count the alpha files +2\/12 thinking/);
    rig.key('ctrl-x', 'ctrl-c');
    await rig.waitFor(/! aborted/);
    expect(rig.text()).not.toContain('sub-agents');
    rig.type(':history\r');
    await rig.waitFor(/was aborted by the user in step 2 of 12/);
  });

  it('halt at a destructive command, and the HALT names the sub-agent', async () => {
    await using server = await startScriptedServer([
      parent(say('DELEGATE: tidy up the work tree')),
      parent(say('GOAL: complete')),
      agent('tidy', say('CMD: rm -rf foo')),
      agent('tidy', say('I left it.')),
    ]);
    using place = scratch(server.baseUrl, unrestricted);
    mkdirSync(join(place.work, 'foo'));
    await using rig = await openRig(place, '[aish:fast]>', { rows: 30, columns: 120 });
    rig.type(':norris tidy\r');
    await rig.waitFor(/HALT\W+sub-agent 1 · step 1 of 12/);
    expect(rig.text()).toContain('task of the sub-agent: tidy up the work tree');
    expect(rig.text()).toContain('abort ends only this sub-agent');
    await rig.waitFor(/all shown|Enter: /);
    rig.type('s');
    await rig.waitFor('✓ done');
    expect(existsSync(join(place.work, 'foo'))).toBe(true);
    expect(server.requests.at(-1)?.lastUser).toBe('$ DELEGATE: tidy up the work tree\nI left it.');
  });

  it.skipIf(lacks('cc'))('stay in Restricted, and a DELEGATE: line in chat is confirmed first', async () => {
    await using server = await startScriptedServer([
      parent(say('DELEGATE: write a file')),
      parent(say('It could not.')),
      agent('write', say('CMD: echo x > file')),
      agent('write', call('request_mode_upgrade', { reason: 'to write' })),
      agent('write', say('Not possible here.')),
    ]);
    using place = scratch(server.baseUrl, { safety: { llm_second_opinion: false } });
    await using rig = await openRig(place, '[aish:fast]>', { rows: 30 });
    rig.type('?please write a file\r');
    await rig.waitFor('START A SUB-AGENT?');
    expect(rig.text()).toMatch(/START A SUB-AGENT\?[\s\S]*write a file/);
    await rig.waitFor(/all shown|Enter: /);
    rig.type('p');
    await rig.waitFor('It could not.');
    expect(existsSync(join(place.work, 'file'))).toBe(false);
    expect(rig.text()).toContain('RESTRICTED');
    const [, , second, third] = server.requests;
    expect(second?.lastUser).toMatch(/Read-only file system|Permission denied/);
    expect(third?.messages.at(-1)?.content).toContain('only its parent can');
  });
});

describe('sub-agents that are at work', () => {
  it.each([
    ['the user quits', (rig: Rig) => rig.type(':quit\r')],
    ['the program is killed', (rig: Rig) => rig.kill('SIGKILL')],
  ])('end with the program, and --resume does not continue them, when %s', async (_, leave) => {
    await using server = await startScriptedServer([
      parent(delegates('sleep long', 'write much')),
      agent('sleep', say('I wait a while.\nCMD: sleep 300')),
      agent('write', { text: ['Half a ', hold('never'), 'story'] }),
    ]);
    using place = scratch(server.baseUrl, unrestricted);
    {
      await using rig = startRig(place, { rows: 30 });
      await rig.waitFor('[aish:fast]>');
      rig.type(':norris wait\r');
      await rig.waitFor(/1 sleep long +1\/12 runs sleep 300/);
      leave(rig);
      await rig.exited;
    }
    await using again = startRig(place, { rows: 30, args: ['--resume'] });
    await again.waitFor('the program closed meanwhile');
    again.type(':history\r');
    await again.waitFor(/outcome unknown: the program closed meanwhile in its step 1 of 12/);
    expect(again.text()).toContain('I wait a while.');
    expect(again.text()).not.toMatch(/\d sub-agents?/);
    expect(server.requests).toHaveLength(3);
  });
});

describe('sub-agents without a screen', () => {
  it('end the run by its HALT policy, and the output names the sub-agent that halted', async () => {
    await using server = await startScriptedServer([
      parent(delegates('tidy up')),
      agent('tidy', say('CMD: rm -rf foo')),
    ]);
    using place = scratch(server.baseUrl, unrestricted);
    mkdirSync(join(place.work, 'foo'));
    const ended = await runProgram(place, ['run', 'clean']);
    expect(ended.code).toBe(4);
    expect(ended.err).toContain('HALT (sub-agent 1: tidy up)');
    expect(ended.out).toContain('[sub-agent] tidy up');
    expect(existsSync(join(place.work, 'foo'))).toBe(true);
  });
});

describe('read-only commands', () => {
  it('run side by side when the gate judges that they only read', async () => {
    const toolCalls = ['cat fifo', 'ls'].map((command) => ({ name: 'bash', args: { command } }));
    await using server = await startScriptedServer([{ toolCalls }, say('GOAL: complete')]);
    using place = scratch(server.baseUrl, unrestricted);
    execFileSync('mkfifo', [join(place.work, 'fifo')]);
    await using rig = await openRig(place, '[aish:fast]>', { rows: 30 });
    rig.type(':norris read\r');
    // The second command has ended while the first still waits for a writer.
    await rig.waitFor(/^✓ +1 +ls +only reads/m);
    writeFileSync(join(place.work, 'fifo'), 'late words\n');
    await rig.waitFor('✓ done');
    const results = server.requests[1]?.messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
    expect(results).toEqual([expect.stringContaining('late words'), expect.stringContaining('[exit 0')]);
  });
});

it('sub-agents are listed with the jobs at the right of a wide screen until they end or a key hides the list', async () => {
  await using server = await three();
  await using rig = await openRig(scratch(server.baseUrl, unrestricted), '[aish:fast]>', { rows: 40, columns: 160 });
  rig.type(':bg echo listening; sleep 600\r');
  await rig.waitFor(/│ jobs +1 running\s/);
  await rig.waitFor(/│ +listening/);
  rig.type(':norris look around\r');
  await rig.waitFor(/│ sub-agents +3 at work/);
  await rig.waitFor(/│ ▸ 2 Read the .*step 1 of 12 · \d+ s/);
  // The list replaces the line in the conversation.
  expect(rig.text()).not.toMatch(/thinking \d+ s/);
  rig.key('ctrl-x', 'a');
  await rig.waitFor(() => !/│ sub-agents/.test(rig.text()));
  rig.key('ctrl-x', 'a');
  await rig.waitFor(/│ sub-agents +3 at work/);
  rig.resize(100, 40);
  await rig.waitFor(() => !/│ sub-agents/.test(rig.text()) && /2 Read the beta notes +1\/12 thinking/.test(rig.text()));
  rig.resize(160, 40);
  for (const name of ['alpha', 'beta', 'gamma']) server.release(name);
  await rig.waitFor('✓ done');
  await rig.waitFor(() => !/│ sub-agents/.test(rig.text()));
  expect(rig.text()).toMatch(/│ jobs +1 running/);
});
