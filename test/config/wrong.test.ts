/** Wrong configurations, and the lines for each: place, mistake, and probable intention. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { checkText } from '../../src/config/check.ts';
import { type Loaded, loadConfig } from '../../src/config/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'aish-wrong-'));
const FILE = join(folder, 'config.jsonc');
afterAll(() => rmSync(folder, { recursive: true }));

type Row = readonly [what: string, text: string, ...mistakes: readonly string[]];

const MODEL = '"models": { "fast": { "base_url": "http://127.0.0.1:1/v1" } }';

const ROWS: readonly Row[] = [
  // Mistakes of JSON syntax
  ['a missing brace', '{ "max_turns": 4', '1:17: close brace expected'],
  ['a value that is missing', '{ "model": }', '1:12: value expected'],
  ['a comma that is missing', '{ "model": "a" "shell": "b" }', '1:16: comma expected'],
  ['a colon that is missing', '{ "model" "a" }', '1:11: colon expected'],
  ['a string without its end', '{ "model": "a }', '1:12: unexpected end of string', '1:16: close brace expected'],
  ['an unquoted word', '{ "model": fast }', '1:12: invalid symbol', '1:17: value expected'],
  ['text after the end', '{} {}', '1:4: end of file expected'],
  ['an unclosed comment', '{ /* ', '1:3: unexpected end of comment', '1:6: close brace expected'],
  ['a list', '[]', '1:1: it must be an object'],
  ['a word', '"fast"', '1:1: it must be an object'],
  ['a dangerous key (__proto__)', '{ "__proto__": {} }', '1:3: the key __proto__ is not allowed'],
  ['a dangerous nested key', '{ "models": { "__proto__": {} } }', '1:15: the key __proto__ is not allowed'],
  ['endless nesting', `{ "keys": ${'['.repeat(300)}`, '1:210: nested more than 200 levels deep'],
  // Misspelled and unknown keys.
  ['a misspelled key', '{ "modell": "fast" }', '1:3: unknown key modell; did you mean models?'],
  ['a misspelled key in a block', '{ "ui": { "mose": true } }', '1:11: unknown key ui.mose; did you mean mouse?'],
  [
    'a key of another program',
    '{ "temperature": 1 }',
    /* all names follow */ '1:3: unknown key temperature; known here: ',
  ],
  ['a key that has moved', '{ "preplanner": "deep" }', '1:3: unknown key preplanner; known here: '],
  [
    'an unknown key in a preset',
    '{ "models": { "fast": { "base_url": "http://a/v1", "api_key": "sk-1" } } }',
    '1:52: unknown key models.fast.api_key; did you mean api_key_env?',
  ],
  [
    'an unknown key in an MCP server',
    '{ "mcp": { "servers": { "a": { "comand": "x" } } } }',
    '1:32: unknown key mcp.servers.a.comand; did you mean command?',
  ],
  [
    'an unknown key in a pattern',
    '{ "safety": { "destructive_patterns": [{ "reason": "r", "pattern": "p", "flags": "i" }] } }',
    '1:73: unknown key safety.destructive_patterns.0.flags; known here: reason, pattern',
  ],
  // Values of a wrong type or out of bounds.
  ['a number as text', '{ "max_turns": "40" }', '1:16: max_turns must be integer'],
  ['half a turn', '{ "max_turns": 1.5 }', '1:16: max_turns must be integer'],
  ['no turns', '{ "max_turns": 0 }', '1:16: max_turns must be >= 1'],
  ['a negative limit', '{ "cost": { "stop_at_dollars": -1 } }', '1:32: cost.stop_at_dollars must be >= 0'],
  ['a window without any tokens', '{ "token_budget": 100 }', '1:19: token_budget must be >= 512'],
  [
    'a context without any tokens',
    '{ "models": { "a": { "base_url": "http://a", "context": 1 } } }',
    '1:57: models.a.context must be >= 512',
  ],
  ['a word in place of true', '{ "memory": { "enabled": "yes" } }', '1:26: memory.enabled must be boolean'],
  ['a boolean in place of a block', '{ "memory": false }', '1:13: memory must be object'],
  ['a list in place of a block', '{ "mcp": { "servers": [] } }', '1:23: mcp.servers must be object'],
  ['a list in place of a name', '{ "model": ["fast"] }', '1:12: model must be string'],
  ['a name in place of a list', '{ "auto_approve": "*" }', '1:19: auto_approve must be array'],
  ['a list with a number', '{ "auto_approve": ["a", 1] }', '1:25: auto_approve.1 must be string'],
  ['null in place of a value', '{ "shell": null }', '1:12: shell must be string'],
  [
    'a key bound to a number',
    '{ "keys": { "halt.proceed": 7 } }',
    '1:29: keys.halt.proceed must match a schema in anyOf',
  ],
  [
    'an environment variable that is not text',
    '{ "mcp": { "servers": { "a": { "command": "x", "env": { "N": 1 } } } } }',
    '1:62: mcp.servers.a.env.N must be string',
  ],
  // Values that are not one of the allowed words.
  ['an unknown mode', '{ "mode": "yolo" }', '1:11: mode: "yolo" is not one of '],
  [
    'an unknown theme',
    '{ "ui": { "theme": "solarized" } }',
    '1:20: ui.theme: "solarized" is not one of dark, light, high-contrast, none',
  ],
  [
    'an unknown policy',
    '{ "models": { "a": { "base_url": "http://a", "secrets": "hide" } } }',
    '1:57: models.a.secrets: "hide" is not one of scrub, block, off',
  ],
  ['an unknown screen', '{ "ui": { "screen": "half" } }', '1:21: ui.screen: "half" is not one of full, plain'],
  // Keys whose required values are missing.
  ['a preset without its server', '{ "models": { "fast": {} } }', '1:23: models.fast needs base_url'],
  [
    'an incomplete price',
    '{ "models": { "a": { "base_url": "http://a", "prices": { "input": 1 } } } }',
    '1:56: models.a.prices needs output',
  ],
  [
    'a pattern without its reason',
    '{ "safety": { "destructive_patterns": [{ "pattern": "x" }] } }',
    '1:40: safety.destructive_patterns.0 needs reason',
  ],
  // Values that contradict each other
  ['an unknown preset', `{ ${MODEL}, "model": "fats" }`, '1:75: model names no preset: fats; did you mean fast?'],
  [
    'a fallback to itself',
    '{ "models": { "a": { "base_url": "http://a", "fallback": ["a"] } } }',
    '1:59: models.a.fallback.0 names the preset itself',
  ],
  [
    'fields of a request that the program sets',
    '{ "models": { "a": { "base_url": "http://a", "extra_body": { "model": "b", "tools": [] } } } }',
    '1:71: models.a.extra_body.model may not be set: aish-tui sets model itself',
    '1:85: models.a.extra_body.tools may not be set: aish-tui sets tools itself',
  ],
  [
    'a fallback to an unknown preset',
    '{ "models": { "a": { "base_url": "http://a", "fallback": ["b"] } } }',
    '1:59: models.a.fallback.0 names no preset: b; ',
  ],
  [
    'an invalid pattern',
    '{ "safety": { "destructive_patterns": [{ "reason": "r", "pattern": "(" }] } }',
    '1:68: safety.destructive_patterns.0.pattern is not a regular expression: (',
  ],
  [
    'a server with both an address and a command',
    '{ "mcp": { "servers": { "a": { "command": "x", "url": "http://a" } } } }',
    '1:30: mcp.servers.a needs either command or url',
  ],
  [
    'a server with neither an address nor a command',
    '{ "mcp": { "servers": { "a": {} } } }',
    '1:30: mcp.servers.a needs either command or url',
  ],
  [
    'a server at a file address',
    '{ "mcp": { "servers": { "a": { "url": "file:///etc/passwd" } } } }',
    '1:39: mcp.servers.a.url is not an http or https address',
  ],
  [
    'a server with a name like a tool’s',
    '{ "mcp": { "servers": { "a__b": { "command": "x" } } } }',
    '1:33: mcp.servers.a__b: a server is named with letters',
  ],
  [
    'a login for a server that is a program',
    '{ "mcp": { "servers": { "a": { "command": "x", "oauth": { "client_id": "me" } } } } }',
    '1:57: mcp.servers.a.oauth is for a server with an address',
  ],
  [
    'a client secret without its server',
    '{ "mcp": { "servers": { "a": { "url": "http://a", "oauth": { "client_id": "me", "client_secret_env": "S" } } } } }',
    '1:60: mcp.servers.a.oauth needs client_id and issuer with a secret or a key',
  ],
  [
    'a misspelled key of a login',
    '{ "mcp": { "servers": { "a": { "url": "http://a", "oauth": { "clientid": "me" } } } } }',
    '1:62: unknown key mcp.servers.a.oauth.clientid; did you mean client_id?',
  ],
  // Several mistakes, in the order of the file.
  [
    'many',
    '{\n  "modell": "fast",\n  "max_turns": 0,\n  "ui": { "mose": 1, "screen": "half" },\n  "mcp": { "servers": { "a": {} } }\n}',
    '2:3: unknown key modell; did you mean models?',
    '3:16: max_turns must be >= 1',
    '4:11: unknown key ui.mose; did you mean mouse?',
    '4:32: ui.screen: "half" is not one of full, plain',
    '5:30: mcp.servers.a needs either command or url',
  ],
];

describe('a wrong configuration', () => {
  it.each(ROWS)('is reported in the expected lines: %s', async (_what, text, ...mistakes) => {
    const checked = await checkText(text, 'c');
    if (checked.ok) throw new Error('it was taken');
    expect(checked.mistakes).toEqual(mistakes.map((line) => expect.stringMatching(begins(`c:${line}`))));
    // At the start it is one line: the first.
    expect(checked.message).toBe(checked.mistakes[0]);
  });

  it('has at least forty examples', () => {
    expect(ROWS.length).toBeGreaterThanOrEqual(40);
  });

  it('with a thousand mistakes gets the first fifty, and the number of the others', async () => {
    const keys = Array.from({ length: 1000 }, (_, n) => `"wrong${n}": 1`);
    const checked = await checkText(`{ ${keys.join(', ')} }`, 'c');
    if (checked.ok) throw new Error('it was taken');
    expect(checked.mistakes).toHaveLength(51);
    expect(checked.mistakes.at(-1)).toBe('and 950 more');
  });
});

describe('the usable part of a wrong configuration', () => {
  it.each([
    ['a key with a slip', '{ "modell": "fast", "max_turns": 7 }', {}],
    [
      'a wrong type',
      '{ "ui": { "wheel_lines": "many", "theme": "light" }, "max_turns": 7 }',
      { ui: { theme: 'light' } },
    ],
    ['a server without an address', '{ "mcp": { "servers": { "a": {} } }, "max_turns": 7 }', { mcp: { servers: {} } }],
    ['a fallback to nobody', `{ ${MODEL.replace(' }', ', "fallback": ["x"] }')}, "max_turns": 7 }`, { max_turns: 7 }],
  ])('is everything except %s', async (_what, text, more) => {
    const loaded = await load(text);
    expect(loaded).toMatchObject({ ok: false, rest: { config: { max_turns: 7, ...more } } });
    expect(loaded).not.toHaveProperty('rest.unread');
  });

  it.each([
    ['mode', '{ "mode": "restrited" }'],
    ['mode', '{ "moode": "restricted" }'],
    [
      'safety.destructive_patterns.0.pattern',
      '{ "safety": { "destructive_patterns": [{ "pattern": "(", "reason": "r" }] } }',
    ],
    ['safety.llm_second_opinion', '{ "safety": { "llm_second_opinon": true } }'],
    ['safety', '{ "safety": { "strictness": 1 } }'],
    ['cost.stop_at_dollars', '{ "cost": { "stop_at_dollars": "5" } }'],
    ['cost.stop_at_dollars', '{ "cost": { "stop_at_dolars": 5 } }'],
    ['undo.budget', '{ "undo": { "budget": "all" } }'],
    ['confirm_cmd', '{ "confirm_cmd": "always" }'],
    ['models.fast.secrets', `{ ${MODEL.replace(' }', ', "secrets": "blok" }')} }`],
    ['models.fast.secrets', `{ ${MODEL.replace(' }', ', "secrts": "block" }')} }`],
  ])('lists %s as unread: %s', async (name, text) => {
    expect(await load(text)).toMatchObject({ ok: false, rest: { unread: [name] } });
  });

  it('sends no secret to a preset whose secrets policy can’t be read', async () => {
    const loaded = await load(`{ ${MODEL.replace(' }', ', "secrets": "blok" }')} }`);
    expect(loaded).toMatchObject({ rest: { config: { models: { fast: { secrets: 'block' } } } } });
  });

  it.each([
    ['a comma that is missing', Buffer.from('{ "max_turns": 7 "mode": "restricted" }'), /comma expected/],
    ['UTF-16', Buffer.from('\uFEFF{ "max_turns": 7 }', 'utf16le'), /it is UTF-16: save it as UTF-8/],
    ['UTF-16 without its mark', Buffer.from('{ "max_turns": 7 }', 'utf16le'), /it is UTF-16: save it as UTF-8/],
  ])('is empty for a file with %s, which counts as unread', async (_what, bytes, message) => {
    const loaded = await load(bytes);
    expect(loaded).toMatchObject({ ok: false, message: expect.stringMatching(message), rest: { unread: [FILE] } });
    expect(loaded).toMatchObject({ rest: { config: { max_turns: 40 } } });
  });

  it.each(['// nothing yet\n', '/* { "max_turns": 7 } */', '\uFEFF// nothing\n\n'])(
    'is not needed for the empty %j',
    async (text) => {
      expect(await load(text)).toMatchObject({ ok: true, config: { max_turns: 40 } });
    },
  );
});

async function load(text: string | Buffer): Promise<Loaded> {
  writeFileSync(FILE, text);
  return loadConfig(FILE, {});
}

function begins(text: string): RegExp {
  return new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`);
}
