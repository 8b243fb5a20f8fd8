import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTrust, loadConfig, ofDirectory } from '../../src/config/index.ts';

let home = '';
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'aish-directories-')));
  mkdirSync(join(home, 'code', 'mine', 'src', '.git'), { recursive: true });
  mkdirSync(join(home, 'code', 'mine-too'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

async function load(own: object, cwd: string, project?: object) {
  const path = join(home, 'own.jsonc');
  writeFileSync(path, JSON.stringify(own));
  if (project) writeFileSync(join(cwd, '.aish.jsonc'), JSON.stringify(project));
  const trust = createTrust(join(home, 'state'));
  if (project) trust.add(join(cwd, '.aish.jsonc'), JSON.stringify(project));
  const loaded = await loadConfig(path, { HOME: home }, { cwd, trust });
  if (!loaded.ok) throw new Error(loaded.message);
  return loaded;
}

describe('the mode of a directory', () => {
  const mine = () => join(home, 'code', 'mine');

  it('applies in it and below it, the longest path first, and nowhere else', async () => {
    const projects = { [join(home, 'code')]: { mode: 'project' }, [mine()]: { mode: 'unrestricted' } };
    expect((await load({ projects }, join(mine(), 'src'))).config.mode).toBe('unrestricted');
    expect((await load({ projects }, join(home, 'code', 'mine-too'))).config.mode).toBe('project');
    expect((await load({ projects }, home)).config.mode).toBe('restricted');
  });

  it('can’t be set by a project itself, even a trusted one, except to tighten', async () => {
    const asks = { projects: { [mine()]: { mode: 'unrestricted' } }, mode: 'project' };
    const asked = await load({}, mine(), asks);
    expect(asked.config.mode).toBe('restricted');
    expect(asked.notices.join()).toContain('projects');
    const tight = await load({ projects: { [mine()]: { mode: 'project' } } }, mine(), { mode: 'restricted' });
    expect(tight.config.mode).toBe('restricted');
  });

  it('counts as requested when any file sets it, and not when it is the default', async () => {
    const asked = async (...given: Parameters<typeof load>) => (await load(...given)).modeAsked;
    expect(await asked({}, mine())).toBe(false);
    expect(await asked({ projects: { [mine()]: { mode: 'restricted' } } }, home)).toBe(false);
    expect(await asked({ mode: 'restricted' }, home)).toBe(true);
    expect(await asked({ projects: { [mine()]: { mode: 'restricted' } } }, mine())).toBe(true);
    expect(await asked({}, mine(), { mode: 'restricted' })).toBe(true);
  });

  it('is one of three words', async () => {
    await expect(load({ projects: { '/x': { mode: 'loose' } } }, home)).rejects.toThrow(/projects\.\/x\.mode|mode/);
  });
});

describe('the network of a directory', () => {
  const mine = () => join(home, 'code', 'mine');

  it('is the list of the longest path that has one, and a project’s own file adds nothing', async () => {
    const projects = {
      [join(home, 'code')]: { net: ['example.com'] },
      [mine()]: { mode: 'project' },
      [join(mine(), 'src')]: { net: ['localhost:8080'] },
    };
    const netAt = async (cwd: string, project?: object) =>
      ofDirectory((await load({ projects }, cwd, project)).config.projects, cwd, 'net')?.value;
    expect(await netAt(mine())).toEqual(['example.com']);
    expect(await netAt(join(mine(), 'src'))).toEqual(['localhost:8080']);
    expect(await netAt(home)).toBeUndefined();
    const theirs = { projects: { [join(home, 'code', 'mine-too')]: { net: ['evil.example'] } } };
    expect(await netAt(join(home, 'code', 'mine-too'), theirs)).toEqual(['example.com']);
  });
});
