import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filled, seeded } from '../support/fake-values.ts';
import { runProgram, type Scratch, scratch } from '../support/program.ts';
import { openRig } from '../support/rig.ts';
import { call, say, startScriptedServer, whenever } from '../support/scripted-server.ts';

const random = seeded(11);
const fake = (shape: string) => filled(shape, random);

/** Returns everything stored below the home, except the full outputs, which are stored in clear by design. */
function kept(place: Scratch): string {
  const state = join(place.home, '.local/state/aish');
  return readdirSync(state, { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.includes('/output/'))
    .map((name) => {
      try {
        return readFileSync(join(state, name), 'utf8');
      } catch {
        return '';
      }
    })
    .join('\n');
}

function handleIn(text: string): string {
  return /⟦\w+⟧/.exec(text)?.[0] ?? 'no handle';
}

function withPolicy(baseUrl: string, policy: string) {
  return {
    models: { fast: { base_url: baseUrl, model: 'scripted', secrets: policy } },
    safety: { llm_second_opinion: false },
    mode: 'unrestricted',
    confirm_cmd: false,
  };
}

describe('a preset with the secrets policy block', () => {
  it('receives no secret from the environment, files, command lines or split answers, and none is stored', async () => {
    const planted = {
      environment: fake('<24w>'),
      file: fake('ghp_<36w>'),
      line: fake('x7!<12w>'),
      typed: fake('sk_live_<24w>'),
      spoken: fake('glpat-<20w>'),
    };
    await using server = await startScriptedServer([
      say('CMD: cat notes.txt; echo "$DEPLOY_TOKEN"'),
      // The model says a secret of its own, split across two chunks.
      { text: ['I use ', planted.spoken.slice(0, 9), planted.spoken.slice(9), '\n\nCMD: ', 'echo done'] },
      say('Fine.'),
      say('Fine again.'),
    ]);
    using place = scratch(server.baseUrl, withPolicy(server.baseUrl, 'scrub'));
    place.env.DEPLOY_TOKEN = planted.environment;
    writeFileSync(join(place.work, 'notes.txt'), `the key is ${planted.file}\n`);
    const input = [
      `echo curl -u me:${planted.line} https://x.example`,
      `?what is in notes.txt, and does ${planted.typed} still work?`,
      '?and now?',
    ].join('\n');
    const { code, out } = await runProgram(place, [], { input: `${input}\n` });
    expect(code).toBe(0);
    // Plain output is the user's own screen.
    expect(out).toContain(planted.file);
    const sent = server.requests.map(({ text }) => text).join('\n');
    expect(server.requests).toHaveLength(4);
    for (const [where, value] of Object.entries(planted)) {
      expect(sent, where).not.toContain(value);
      expect(kept(place), where).not.toContain(value);
    }
    expect(sent).toMatch(/the key is ⟦GITHUB_TOKEN_[0-9a-f]{6}⟧/);
    expect(sent).toMatch(/I use ⟦GITLAB_TOKEN_[0-9a-f]{6}⟧/);
  });

  it('uses a secret by its handle, and the command runs with the true value', async () => {
    const token = fake('ghp_<36w>');
    await using server = await startScriptedServer([
      say('CMD: cat token.txt'),
      { from: ({ lastUser }) => call('bash', { command: `printf %s '${handleIn(lastUser)}' > copy.txt` }) },
      say('GOAL: complete'),
    ]);
    using place = scratch(server.baseUrl, withPolicy(server.baseUrl, 'scrub'));
    writeFileSync(join(place.work, 'token.txt'), token);
    const { code } = await runProgram(place, ['run', 'copy the token']);
    expect(code).toBe(0);
    expect(readFileSync(join(place.work, 'copy.txt'), 'utf8')).toBe(token);
    expect(server.requests.map(({ text }) => text).join()).not.toContain(token);
  });
});

describe('a request outside the conversation', () => {
  it('for a plan or a second opinion carries no secret, even where the gate judged the true text', async () => {
    const token = fake('ghp_<36w>');
    const odd = `x'${fake('<10w>')}"$9`;
    await using server = await startScriptedServer([
      whenever(/Detect destructive shell commands/, say('NO')),
      whenever(/You split a goal into tasks/, say('TASK: look at it\nTASK: use it')),
      say('CMD: cat pw.env'),
      { from: ({ lastUser }) => say(`CMD: frobnicate ${handleIn(lastUser)}`) },
      say('GOAL: complete'),
    ]);
    using place = scratch(server.baseUrl, {
      ...withPolicy(server.baseUrl, 'scrub'),
      safety: { llm_second_opinion: true },
      norris: { preplanner: 'fast' },
    });
    writeFileSync(join(place.work, 'pw.env'), `DB_PASSWORD=${odd}\n`);
    await runProgram(place, ['run', `use ${token} and pw.env`]);
    const sent = server.requests.map(({ text }) => text);
    expect(sent.some((text) => text.includes('frobnicate') && text.includes('Detect destructive'))).toBe(true);
    expect(sent.some((text) => text.includes('You split a goal'))).toBe(true);
    expect(sent.join()).not.toContain(token);
    expect(sent.join()).not.toContain(odd.slice(2, 12));
    expect(kept(place)).not.toContain(odd.slice(2, 12));
  });
});

describe('a preset that may not even see handles', () => {
  it('is not asked once the conversation has a secret, and neither is its fallback', async () => {
    await using server = await startScriptedServer([say('CMD: cat token.txt'), say('never said')]);
    await using other = await startScriptedServer([say('never said either')]);
    using place = scratch(server.baseUrl, {
      ...withPolicy(server.baseUrl, 'block'),
      models: {
        fast: { base_url: server.baseUrl, model: 'scripted', secrets: 'block', fallback: ['other'] },
        other: { base_url: other.baseUrl, model: 'scripted' },
      },
      model: 'fast',
    });
    writeFileSync(join(place.work, 'token.txt'), fake('ghp_<36w>'));
    const { code, out } = await runProgram(place, ['ask', 'what is in token.txt?']);
    expect(code).toBe(6);
    expect(out).toMatch(/fast: not sent, the conversation holds a secret \(GITHUB_TOKEN\) and "secrets" is "block"/);
    expect([server.requests.length, other.requests.length]).toEqual([1, 0]);
  });
});

describe('a preset that may see everything', () => {
  it('receives the true values, and its fallback only what its own policy allows', async () => {
    const token = fake('glpat-<20w>');
    await using here = await startScriptedServer([
      say(`CMD: printf 'the token is %s' ${token}`),
      { error: { status: 500, message: 'out of order' } },
      { error: { status: 500, message: 'out of order' } },
    ]);
    await using there = await startScriptedServer([say('Seen.')]);
    using place = scratch(here.baseUrl, {
      ...withPolicy(here.baseUrl, 'off'),
      models: {
        fast: { base_url: here.baseUrl, model: 'scripted', fallback: ['cloud'] },
        cloud: { base_url: there.baseUrl, model: 'scripted', secrets: 'scrub' },
      },
      model: 'fast',
    });
    const { out } = await runProgram(place, ['ask', `is ${token} any good?`]);
    expect(out).toContain('Seen.');
    expect(here.requests[1]?.lastUser).toContain(`the token is ${token}`);
    expect(there.requests).toHaveLength(1);
    expect(there.requests[0]?.text).not.toContain(token);
    expect(there.requests[0]?.text).toMatch(/the token is ⟦GITLAB_TOKEN_/);
    expect(kept(place)).not.toContain(token);
  });
});

describe('a handle after a resume', () => {
  it('is refused with an explanation when it is from the earlier process, and nothing runs', async () => {
    await using server = await startScriptedServer([
      say('CMD: cat token.txt'),
      say('Noted.'),
      { from: ({ text }) => call('bash', { command: `echo ${handleIn(text)} > leak.txt` }) },
      say('I can not.'),
    ]);
    using place = scratch(server.baseUrl, withPolicy(server.baseUrl, 'scrub'));
    writeFileSync(join(place.work, 'token.txt'), fake('ghp_<36w>'));
    await runProgram(place, ['ask', 'look at token.txt']);
    const { out } = await runProgram(place, ['--resume'], { input: '?use it\n' });
    expect(out).toContain('nothing here knows the secret behind ⟦GITHUB_TOKEN_');
    expect(server.requests.at(-1)?.text).toContain('nothing here knows the secret behind');
    expect(readdirSync(place.work)).toEqual(['token.txt']);
  });
});

describe('a handle used on this machine', () => {
  it('becomes the true value in a patch, and :secrets lists names without values', async () => {
    const token = fake('ghp_<36w>');
    const patch = (handle: string) =>
      call('patch', { path: 'new.env', patches: [{ operation: 'overwrite', newText: `TOKEN="${handle}"\n` }] });
    await using server = await startScriptedServer([
      say('CMD: cat token.txt'),
      { from: ({ lastUser }) => patch(handleIn(lastUser)) },
      say('Done.'),
    ]);
    using place = scratch(server.baseUrl, { ...withPolicy(server.baseUrl, 'scrub'), auto_approve: ['patch'] });
    writeFileSync(join(place.work, 'token.txt'), token);
    const { out } = await runProgram(place, [], { input: '?copy it into new.env\n:secrets\n' });
    expect(readFileSync(join(place.work, 'new.env'), 'utf8')).toBe(`TOKEN="${token}"\n`);
    expect(out).toMatch(/⟦GITHUB_TOKEN_\w+⟧ {2}GITHUB_TOKEN, first in the output of an action of the model/);
    expect(server.requests.map(({ text }) => text).join()).not.toContain(token);
  });

  it('causes a question before its secret could run as code', async () => {
    await using server = await startScriptedServer([
      say('CMD: cat pw.env'),
      { from: ({ lastUser }) => call('bash', { command: `bash -c "echo ${handleIn(lastUser)}"` }) },
      say('Fine.'),
    ]);
    using place = scratch(server.baseUrl, withPolicy(server.baseUrl, 'scrub'));
    writeFileSync(join(place.work, 'pw.env'), `DB_PASSWORD='x$(touch hit)9;y'\n`);
    const { err } = await runProgram(place, ['run', '--on-halt', 'skip', 'try it']);
    expect(err).toContain('HALT: a secret would become part of what bash runs');
    expect(readdirSync(place.work)).toEqual(['pw.env']);
  });
});

describe('the screen', () => {
  it('shows the true text of answers, output and HALTs', async () => {
    const token = fake('glpat-<20w>');
    await using server = await startScriptedServer([
      say('CMD: cat token.txt'),
      { from: ({ lastUser }) => say(`It is ${handleIn(lastUser)}.\n\nCMD: rm -rf ./${handleIn(lastUser)}`) },
      say('Left alone.'),
    ]);
    using place = scratch(server.baseUrl, withPolicy(server.baseUrl, 'scrub'));
    writeFileSync(join(place.work, 'token.txt'), token);
    await using rig = await openRig(place, 'fast', { columns: 100, rows: 30 });
    rig.type('?what is in token.txt?');
    rig.key('enter');
    await rig.waitFor('HALT');
    await rig.waitFor(`rm -rf ./'${token}'`);
    expect(rig.text()).toContain(`It is ${token}`);
    expect(rig.text()).not.toContain('⟦');
    expect(server.requests.map(({ text }) => text).join()).not.toContain(token);
  });
});

describe('aish-tui secrets check', () => {
  it('checks one text, or each line of its input', async () => {
    using place = scratch();
    place.env.PLAIN_NAME_TOKEN = 'w0rd-of-this-machine';
    const one = await runProgram(place, ['secrets', 'check', `curl -u me:${'s3cr3t!'}x https://h`]);
    expect(one.out).toMatch(/^PASSWORD at 11-19\ncurl -u me:⟦PASSWORD_\w+⟧ https:\/\/h\n$/);
    const input = ['{"text":"said w0rd-of-this-machine aloud","id":7}', 'no json', '{"text":"nothing"}'].join('\n');
    const { out, code } = await runProgram(place, ['secrets', 'check', '--jsonl'], { input: `${input}\n` });
    const [first, second, third] = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(first).toMatchObject({ id: 7, spans: [[5, 25, 'TOKEN']] });
    expect(first.scrubbed).toMatch(/^said ⟦TOKEN_\w+⟧ aloud$/);
    expect(second).toHaveProperty('error');
    expect(third).toEqual({ spans: [], scrubbed: 'nothing' });
    expect(code).toBe(0);
    expect((await runProgram(place, ['secrets', 'check'])).code).toBe(2);
  });
});
