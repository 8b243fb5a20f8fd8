import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filled, seeded } from '../support/fake-values.ts';
import { runProgram, type Scratch, scratch } from '../support/program.ts';
import { call, say, startScriptedServer } from '../support/scripted-server.ts';

const random = seeded(11);
const fake = (shape: string) => filled(shape, random);

/** Everything that the program keeps below its home, but the full outputs, which are clear by design. */
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

describe('a preset that may not see secrets', () => {
  it('gets none: not from the environment, files, command lines, answers cut into chunks; nor are they kept', async () => {
    const planted = {
      environment: fake('<24w>'),
      file: fake('ghp_<36w>'),
      line: fake('x7!<12w>'),
      typed: fake('sk_live_<24w>'),
      spoken: fake('glpat-<20w>'),
    };
    await using server = await startScriptedServer([
      say('CMD: cat notes.txt; echo "$DEPLOY_TOKEN"'),
      // The model says a secret of its own, cut within it.
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
    // Plain lines are the user's own screen.
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

  it('uses one by its handle: the command runs with the true value', async () => {
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
