import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig, placesOf, writeModelChoice } from '../../src/config/index.ts';

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'aish-write-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const model = { base_url: 'http://127.0.0.1:8080/v1', model: 'qwen' };

describe('the choice of a model (BR-6)', () => {
  it('creates a private file that is valid', async () => {
    const path = join(dir, 'aish', 'config.jsonc');
    expect(writeModelChoice(path, 'fast', model)).toBeUndefined();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(dir, 'aish')).mode & 0o777).toBe(0o700);
    expect(await loadConfig(path, {})).toMatchObject({ ok: true, config: { model: 'fast', models: { fast: model } } });
  });

  it('keeps existing comments, order, link and mode', async () => {
    const real = join(dir, 'real.jsonc');
    const path = join(dir, 'link.jsonc');
    writeFileSync(real, '{\n  // mine\n  "max_turns": 7, // few\n  "models": { "deep": { "base_url": "x" } },\n}\n');
    // chmod instead of the mode at creation, which the umask would change.
    chmodSync(real, 0o640);
    symlinkSync(real, path);
    expect(writeModelChoice(path, 'fast', model)).toBeUndefined();
    const text = readFileSync(real, 'utf8');
    expect(text).toContain('// mine\n  "max_turns": 7, // few');
    expect(statSync(real).mode & 0o777).toBe(0o640);
    expect(await loadConfig(path, {})).toMatchObject({
      config: { max_turns: 7, model: 'fast', models: { deep: { base_url: 'x' }, fast: model } },
    });
    expect(readdirSync(dir).sort()).toEqual(['link.jsonc', 'real.jsonc']);
  });

  it('changes only the model of an existing preset, and never gives its name another address', () => {
    const path = join(dir, 'c.jsonc');
    const own = { ...model, api_key_cmd: 'pass show gate', secrets: 'scrub', fallback: ['deep'] };
    const text = JSON.stringify({ models: { fast: own } });
    writeFileSync(path, text);
    expect(writeModelChoice(path, 'fast', { base_url: 'http://127.0.0.1:9/v1', model: 'llama' })).toMatch(
      /fast is another address there; nothing was saved/,
    );
    expect(readFileSync(path, 'utf8')).toBe(text);
    expect(writeModelChoice(path, 'fast', { ...model, model: 'llama' })).toBeUndefined();
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
      model: 'fast',
      models: { fast: { ...own, model: 'llama' } },
    });
  });

  it('leaves a broken or unreachable file unchanged, and says so', () => {
    const path = join(dir, 'c.jsonc');
    writeFileSync(path, '{ "max_turns": ');
    expect(writeModelChoice(path, 'fast', model)).toMatch(/not a valid configuration/);
    expect(readFileSync(path, 'utf8')).toBe('{ "max_turns": ');
    expect(writeModelChoice(join(path, 'under', 'file'), 'fast', model)).toMatch(/can't be (read|written) \(ENOTDIR\)/);
  });
});

describe('the program’s directories', () => {
  it('follow XDG, and a relative value counts as unset', () => {
    expect(placesOf({ HOME: '/h' })).toEqual({
      config: '/h/.config/aish/config.jsonc',
      state: '/h/.local/state/aish',
      cache: '/h/.cache/aish',
    });
    expect(placesOf({ HOME: '/h', XDG_STATE_HOME: '/s', XDG_CACHE_HOME: 'c' })).toMatchObject({
      state: '/s/aish',
      cache: '/h/.cache/aish',
    });
  });
});

it('/dev/null counts as no configuration, and a directory as a mistake', async () => {
  expect(await loadConfig('/dev/null', {})).toMatchObject({ ok: true, config: { max_turns: 40 } });
  expect(await loadConfig(dir, {})).toMatchObject({ ok: false, message: expect.stringMatching(/it is a directory/) });
});
