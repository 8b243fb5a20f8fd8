/** `config show`: each value in force, with the line of the file that sets it. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadConfig, settingsOf } from '../../src/config/index.ts';

let home = '';
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'aish-origins-')));
  mkdirSync(join(home, 'repo/.git'), { recursive: true });
});
afterEach(() => rmSync(home, { recursive: true }));

async function settings(own: string, project?: string, trusted = false) {
  writeFileSync(join(home, 'c.jsonc'), own);
  if (project !== undefined) writeFileSync(join(home, 'repo/.aish.jsonc'), project);
  const trust = { has: () => trusted };
  const loaded = await loadConfig(join(home, 'c.jsonc'), { HOME: home }, { cwd: join(home, 'repo'), trust });
  if (!loaded.ok) throw new Error(loaded.message);
  const all = settingsOf(loaded);
  return (key: string) => all.find((setting) => setting.key === key);
}

it('config show names the line of the user’s file, and default for the rest', async () => {
  const of = await settings(
    '{\n  // mine\n  "models": {\n    "fast": { "base_url": "http://127.0.0.1:1/v1" }\n  },\n  "max_turns": 9\n}',
  );
  expect(of('max_turns')).toEqual({ key: 'max_turns', value: 9, origin: 'user', place: `${home}/c.jsonc:6:3` });
  expect(of('models.fast.base_url')).toMatchObject({ origin: 'user', place: `${home}/c.jsonc:4:15` });
  expect(of('max_tool_rounds')).toEqual({ key: 'max_tool_rounds', value: 16, origin: 'default' });
  expect(of('token_budget')).toBeUndefined();
});

it('config show attributes to a project’s file only what it may set', async () => {
  const project = '{ "max_turns": 5, "model": "deep",\n "token_budget": 512 }';
  const untrusted = await settings('{ "max_turns": 9, "token_budget": 9000 }', project);
  expect(untrusted('max_turns')).toMatchObject({ value: 5, origin: 'project', place: `${home}/repo/.aish.jsonc:1:3` });
  expect(untrusted('token_budget')).toMatchObject({ value: 9000, origin: 'user' });
  expect(untrusted('model')).toBeUndefined();
  const trusted = await settings('{ "max_turns": 9, "token_budget": 9000 }', project, true);
  expect(trusted('token_budget')).toMatchObject({ value: 512, place: `${home}/repo/.aish.jsonc:2:2` });
  expect(trusted('model')).toMatchObject({ value: 'deep', origin: 'project' });
});

it('config show names the place of each part of a merged list or block', async () => {
  const project = '{ "mcp": { "servers": { "db": { "command": "db" } } } }';
  const of = await settings('{ "mcp": { "servers": { "git": { "command": "mine" } } } }', project, true);
  expect(of('mcp.servers.git.command')).toMatchObject({ value: 'mine', origin: 'user' });
  expect(of('mcp.servers.db.command')).toMatchObject({ value: 'db', origin: 'project' });
});

it('config show finds a value that was written under its old name', async () => {
  const of = await settings('{ "safety": { "max_norris_steps": 5 }, "mcp": { "auto_approve": ["a__*"] } }');
  expect(of('norris.max_norris_steps')).toMatchObject({ value: 5, origin: 'user' });
  expect(of('auto_approve')).toMatchObject({ value: ['a__*'], origin: 'user' });
});
