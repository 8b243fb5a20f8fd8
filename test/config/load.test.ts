import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkText } from '../../src/config/check.ts';
import { loadConfig, SCHEMA } from '../../src/config/index.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'aish-config-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const problem = async (text: string) => {
  const checked = await checkText(text, 'c.jsonc');
  return checked.ok ? 'fine' : checked.message;
};

describe('a configuration file', () => {
  it('may be missing', async () => {
    expect(await loadConfig(undefined, { HOME: home })).toMatchObject({
      ok: true,
      config: { max_turns: 40, models: {} },
    });
  });

  it('must exist when it was named', async () => {
    const loaded = await loadConfig(join(home, 'none.jsonc'), { HOME: home });
    expect(loaded).toMatchObject({
      ok: false,
      message: expect.stringMatching(/none\.jsonc: can't be read \(ENOENT\)/),
    });
  });

  it('may set a part of any block, and the rest keeps its defaults', async () => {
    const path = join(home, 'c.jsonc');
    const usual = await loadConfig(undefined, { HOME: home });
    if (!usual.ok) throw new Error(usual.message);
    for (const name of Object.keys(SCHEMA.properties ?? {}).filter((key) => SCHEMA.properties?.[key]?.properties)) {
      writeFileSync(path, JSON.stringify({ [name]: {} }));
      expect(await loadConfig(path, { HOME: home })).toMatchObject({ ok: true, config: usual.config });
    }
  });

  it('with endless nesting leads to a one-line error, or to a notice if it belongs to a project', async () => {
    expect(await problem(`{ "mcp": ${'['.repeat(6000)}`)).toBe('c.jsonc:1:209: nested more than 200 levels deep');
    const trust = { has: () => false };
    writeFileSync(join(home, '.aish.jsonc'), '['.repeat(6000));
    const loaded = await loadConfig(undefined, { HOME: home }, { cwd: home, trust });
    expect(loaded).toMatchObject({
      ok: true,
      notices: [expect.stringMatching(/nested more than 200 levels.*ignored/)],
    });
  });

  it('is read with comments and trailing commas, over the defaults', async () => {
    const path = join(home, 'c.jsonc');
    writeFileSync(
      path,
      '{ // mine\n "max_turns": 12, "safety": { "llm_second_opinion": false, "max_norris_steps": 5 }, }',
    );
    const loaded = await loadConfig(undefined, { HOME: home, AISH_CONFIG: path });
    expect(loaded).toMatchObject({
      ok: true,
      file: path,
      config: {
        max_turns: 12,
        safety: { llm_second_opinion: false, llm_model: 'fast' },
        norris: { max_norris_steps: 5 },
      },
    });
  });

  it.each([
    ['{\n  "max_turn": 3\n}', 'c.jsonc:2:3: unknown key max_turn; did you mean max_turns?'],
    [
      '{"models":{"fast":{"base_ur":"x","base_url":"y"}}}',
      'c.jsonc:1:20: unknown key models.fast.base_ur; did you mean base_url?',
    ],
    ['{"models":{"fast":{}}}', 'c.jsonc:1:19: models.fast needs base_url'],
    ['{"max_turns": "many"}', 'c.jsonc:1:15: max_turns must be integer'],
    ['{"ui": {"theme": "pink"}}', 'c.jsonc:1:18: ui.theme: "pink" is not one of dark, light, high-contrast, none'],
    ['{"max_turns" 3}', 'c.jsonc:1:14: colon expected'],
    ['[]', 'c.jsonc:1:1: it must be an object'],
    [
      '{"safety":{"destructive_patterns":[{"reason":"r","pattern":"("}]}}',
      'c.jsonc:1:60: safety.destructive_patterns.0.pattern is not a regular expression: (',
    ],
    [
      '{"models":{"fast":{"base_url":"x","fallback":["clod"]},"cloud":{"base_url":"y"}}}',
      'c.jsonc:1:47: models.fast.fallback.0 names no preset: clod; did you mean cloud?',
    ],
    [
      '{"models":{"fast":{"base_url":"x"}},"model":"fats"}',
      'c.jsonc:1:45: model names no preset: fats; did you mean fast?',
    ],
    ['{"models":{"a":{"base_url":"x","fallback":["a"]}}}', 'c.jsonc:1:44: models.a.fallback.0 names the preset itself'],
    ['{"mcp":{"servers":{"s":{"args":[]}}}}', 'c.jsonc:1:24: mcp.servers.s needs either command or url'],
    [
      '{"mcp":{"servers":{"s":{"comand":"x"}}}}',
      'c.jsonc:1:25: unknown key mcp.servers.s.comand; did you mean command?',
    ],
    ['{"__proto__": {"x": 1}}', 'c.jsonc:1:2: the key __proto__ is not allowed'],
  ])('with a mistake gives one line: %s', async (text, message) => {
    expect(await problem(text)).toBe(message);
  });

  it('has an example that is valid and shows every block', async () => {
    const text = readFileSync(new URL('../../config.example.jsonc', import.meta.url), 'utf8');
    const checked = await checkText(text, 'config.example.jsonc');
    expect(checked.ok ? 'fine' : checked.message).toBe('fine');
    for (const [key, part] of Object.entries(SCHEMA.properties ?? {})) {
      expect(text).toContain(`"${key}"`);
      for (const inner of Object.keys(part.properties ?? {})) expect(text, key).toContain(`"${inner}"`);
    }
  });

  it('allows tools without a question by auto_approve, both at the top and under mcp', async () => {
    const path = join(home, 'c.jsonc');
    writeFileSync(path, '\uFEFF{"auto_approve": ["bash"], "mcp": {"auto_approve": ["files__*"]}}');
    expect(await loadConfig(path, {})).toMatchObject({ config: { auto_approve: ['bash', 'files__*'] } });
  });
});
