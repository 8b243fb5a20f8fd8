import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Llama, llamaMissing, startLlama } from '../broker/llama-server.ts';
import { runProgram, scratch } from '../support/program.ts';
import { openRig } from '../support/rig.ts';

const missing = llamaMissing();
if (missing !== undefined) console.log(`skipped: no real llama.cpp server here (${missing})`);

describe.skipIf(missing !== undefined)('with a real llama.cpp server', () => {
  let llama: Llama;
  beforeAll(async () => {
    llama = await startLlama();
  });
  afterAll(async () => {
    await llama?.[Symbol.asyncDispose]();
  });

  it('answers a question, by way of a tool call that the user confirms', async () => {
    using place = scratch(llama.baseUrl, { mode: 'unrestricted' });
    writeFileSync(join(place.work, 'only-file.txt'), '');
    await using rig = await openRig(place, '[aish:fast]>', { rows: 30 });
    rig.type('?run `ls`\r');
    await rig.waitFor('RUN THIS?');
    await rig.waitFor(/seen to the end/);
    rig.type('p');
    await rig.waitFor('Done. The last line of the output is:');
    expect(rig.text()).toContain('only-file.txt');
  });

  it('HALTs on what it wants to delete, and runs it only after proceed', async () => {
    using place = scratch(llama.baseUrl, { mode: 'unrestricted' });
    mkdirSync(join(place.work, 'foo'));
    await using rig = await openRig(place, '[aish:fast]>', { rows: 30 });
    rig.type('?run `rm -rf foo`\r');
    await rig.waitFor('HALT');
    await rig.waitFor(/seen to the end/);
    expect(existsSync(join(place.work, 'foo'))).toBe(true);
    rig.type('p');
    await rig.waitFor(() => !existsSync(join(place.work, 'foo')));
    await rig.waitFor('Done.');
  });

  it('stops a story that never ends', async () => {
    using place = scratch(llama.baseUrl, { max_answer_tokens: 10_000 });
    await using rig = await openRig(place, '[aish:fast]>', { rows: 30 });
    rig.type('?tell a long story\r');
    await rig.waitFor(/thinking|answering|writing/);
    await rig.waitFor((r) => r.screen().filter((line) => line.trim() !== '').length > 8);
    rig.key('ctrl-x', 'ctrl-c');
    await rig.waitFor('stopped');
  });

  it('skips in a headless run what needs a yes', async () => {
    using place = scratch(llama.baseUrl, { mode: 'unrestricted' });
    mkdirSync(join(place.work, 'foo'));
    const { err } = await runProgram(place, ['ask', 'run `rm -rf foo`']);
    expect(err).toContain('HALT');
    expect(existsSync(join(place.work, 'foo'))).toBe(true);
  });
});
