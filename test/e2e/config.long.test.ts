/** `aish-tui config` as a user runs it. */
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runProgram, type Scratch, scratch } from '../support/program.ts';
import { say, startScriptedServer } from '../support/scripted-server.ts';

const config = (place: Scratch, ...args: readonly string[]) => runProgram(place, ['config', ...args]);

/** Writes an editor that replaces the file it opens by `text`. */
function editor(place: Scratch, text: string): void {
  writeFileSync(join(place.home, 'new.jsonc'), text);
  writeFileSync(join(place.home, 'editor'), `#!/bin/sh\ncp '${join(place.home, 'new.jsonc')}' "$1"\n`, { mode: 0o755 });
  place.env.EDITOR = join(place.home, 'editor');
}

it('aish-tui config check lists all mistakes at once, and exits with 2', async () => {
  using place = scratch();
  const path = place.env.AISH_CONFIG ?? '';
  writeFileSync(path, '{\n  "modell": "fast",\n  "max_turns": 0\n}');
  const wrong = await config(place, 'check');
  expect(wrong).toMatchObject({ code: 2, out: '' });
  expect(wrong.err).toBe(
    `${path}:2:3: unknown key modell; did you mean models?\n${path}:3:16: max_turns must be >= 1\n`,
  );
  // Any other subcommand prints the first mistake and how to see the rest.
  const started = await runProgram(place, ['ask', 'hello']);
  expect(started).toMatchObject({ code: 2, err: expect.stringContaining('and 1 more: aish-tui config check') });
  writeFileSync(path, '{ "max_turns": 4 }');
  expect(await config(place, 'check')).toMatchObject({ code: 0, out: `${path}: ok\n` });
  writeFileSync(join(place.work, 'other.jsonc'), '{ "ui": 1 }');
  expect(await config(place, 'check', 'other.jsonc')).toMatchObject({
    code: 2,
    err: 'other.jsonc:1:9: ui must be object\n',
  });
});

it('aish-tui config show names the source of each value, and hides values that MCP servers are given', async () => {
  using place = scratch(undefined, { max_turns: 7, mcp: { servers: { a: { command: 'x', env: { WHO: 'me' } } } } });
  const { code, out } = await config(place, 'show');
  expect(code).toBe(0);
  expect(out).toContain(`max_turns = 7  (${place.env.AISH_CONFIG}:1:`);
  expect(out).toContain('max_tool_rounds = 16  (default)');
  expect(out).toContain('mcp.servers.a.env.WHO = "…"');
  const settings: unknown = JSON.parse((await config(place, 'show', '--json')).out);
  expect(settings).toContainEqual({ key: 'max_tool_rounds', value: 16, origin: 'default' });
});

it('aish-tui config edit saves a valid configuration and rejects an invalid one', async () => {
  using place = scratch();
  const path = join(place.home, 'made/config.jsonc');
  place.env.AISH_CONFIG = path;
  editor(place, '{ "max_turns": "many" }');
  const wrong = await config(place, 'edit');
  expect(wrong).toMatchObject({ code: 2, out: `${path}:1:16: max_turns must be integer\n` });
  expect(wrong.err).toContain('is unchanged');
  expect(existsSync(path)).toBe(false);
  editor(place, '{ "max_turns": 12 } // as many as needed');
  expect(await config(place, 'edit')).toMatchObject({ code: 0, out: `${path} is written\n` });
  expect(readFileSync(path, 'utf8')).toBe('{ "max_turns": 12 } // as many as needed\n');
});

it('a new configuration file starts with the schema line that editors use to complete', async () => {
  using place = scratch();
  place.env.AISH_CONFIG = join(place.home, 'made.jsonc');
  writeFileSync(join(place.home, 'editor'), `#!/bin/sh\ncp "$1" '${place.home}/seen'\nexit 1\n`, { mode: 0o755 });
  place.env.EDITOR = join(place.home, 'editor');
  expect(await config(place, 'edit')).toMatchObject({ code: 2, err: expect.stringContaining('nothing was changed') });
  const schema = /"\$schema": "([^"]+)"/.exec(readFileSync(join(place.home, 'seen'), 'utf8'))?.[1] ?? '';
  expect(JSON.parse(readFileSync(schema, 'utf8'))).toMatchObject({ description: 'Configuration of aish-tui.' });
});

it('aish-tui config trust covers the project’s settings and instructions, which then reach the model', async () => {
  await using server = await startScriptedServer([say('one'), say('two'), say('three')]);
  using place = scratch(server.baseUrl);
  mkdirSync(join(place.work, '.git'));
  expect(await config(place, 'trust')).toMatchObject({ code: 2, err: expect.stringContaining('AGENTS.md') });
  writeFileSync(join(place.work, 'AGENTS.md'), 'Indent with tabs.');
  const agents = join(realpathSync(place.work), 'AGENTS.md');
  const before = await runProgram(place, ['ask', 'hello']);
  expect(before.err).toContain(`${agents} is not trusted; ignored`);
  expect(await config(place, 'trust')).toMatchObject({ code: 0, out: `${agents} is trusted until it changes\n` });
  const after = await runProgram(place, ['ask', 'hello']);
  expect(after.err).toContain(`${agents} is part of the system prompt: 17 characters, about 5 tokens`);
  const systems = server.requests.map(({ messages }) => messages[0]?.content ?? '');
  expect(systems[0]).not.toContain('Indent with tabs.');
  expect(systems[1]).toContain('Instructions of this project, from its AGENTS.md:\n\nIndent with tabs.');
  const path = place.env.AISH_CONFIG ?? '';
  writeFileSync(path, readFileSync(path, 'utf8').replace('{', '{ "instructions": false,'));
  expect((await runProgram(place, ['ask', 'hello'])).err).not.toContain('AGENTS.md');
  expect(server.requests[2]?.messages[0]?.content).not.toContain('Indent with tabs.');
});
