import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { rulesPort } from '../../src/app/create-app.ts';
import { loadConfig, ofDirectory } from '../../src/config/index.ts';

async function read(file: string) {
  const loaded = await loadConfig(file, {});
  if (!loaded.ok) throw new Error(loaded.message);
  return loaded.config;
}

it('an allow rule is saved for the project around the directory, in the user’s own file, and can be removed', async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'aish-rules-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const configFile = join(root, 'config.jsonc');
  writeFileSync(configFile, '{\n  // mine\n  "max_turns": 7\n}\n');
  const cwd = join(root, 'repo', 'src');
  mkdirSync(join(root, 'repo', '.git'), { recursive: true });
  mkdirSync(cwd);
  const rules = rulesPort({ config: await read(configFile), configFile, cwd });
  expect(rules.keep('npm test')).toBe(`npm test is kept for ${join(root, 'repo')} in ${configFile}`);
  rules.keep('gh pr view');
  rules.keep('npm test');
  const { projects } = await read(configFile);
  expect(ofDirectory(projects, cwd, 'allow')).toMatchObject({
    tree: join(root, 'repo'),
    value: ['npm test', 'gh pr view'],
  });
  expect(ofDirectory(projects, root, 'allow')).toBeUndefined();
  const later = rulesPort({ config: await read(configFile), configFile, cwd });
  expect(later.drop('npm test')).toContain('no longer kept');
  expect(later.drop('npm test')).toBeUndefined();
  later.drop('gh pr view');
  expect(readFileSync(configFile, 'utf8')).toContain('// mine');
  expect(ofDirectory((await read(configFile)).projects, cwd, 'allow')).toBeUndefined();
});
