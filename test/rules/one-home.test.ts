import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CONTROL_FILES } from '../../src/knowledge/control-files.ts';
import { CREDENTIAL_FILES } from '../../src/knowledge/credential-files.ts';
import { GIT_OBEYS } from '../../src/knowledge/git.ts';
import { spellOut } from '../../src/knowledge/patterns.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Generated from the rules and their examples. */
const MADE = 'docs/safety.md';
/**
 * The most names that a list may share with src/knowledge. More of them mean a separate list, which would sooner or
 * later disagree with it.
 */
const MOST_SHARED = 5;

/** Names with only one meaning: with a leading dot, or with a directory. */
const NAMES = new Set(
  [...CREDENTIAL_FILES, ...CONTROL_FILES, ...GIT_OBEYS]
    .flatMap(spellOut)
    .filter((name) => !/[*?]/.test(name) && /^\.|\/./.test(name)),
);

function namesIn(file: string): ReadonlySet<string> {
  const words = readFileSync(join(ROOT, file), 'utf8')
    .replaceAll('\\', '')
    .split(/[^\w./-]+/)
    .map((word) => word.replace(/^(?:\.?\/)+|\/$/g, ''));
  return new Set(words.filter((word) => NAMES.has(word)));
}

test('no two lists outside src/knowledge have more than five names of credential files, control files or git commands in common', () => {
  const files = ['src', 'components', 'hooks', 'docs']
    .flatMap((top) =>
      readdirSync(join(ROOT, top), { recursive: true, encoding: 'utf8' }).map((name) => join(top, name)),
    )
    .filter((file) => /\.(ts|tsx|c|h|md)$/.test(file) && !file.startsWith('src/knowledge/') && file !== MADE);
  const lists = files.map((file) => ({ file, names: namesIn(file) })).filter(({ names }) => names.size > MOST_SHARED);
  const shared = lists.flatMap((one, at) =>
    lists.slice(at + 1).flatMap((other) => {
      const names = [...one.names].filter((name) => other.names.has(name));
      return names.length > MOST_SHARED ? [`${one.file} and ${other.file}: ${names.join(' ')}`] : [];
    }),
  );
  expect(NAMES.size).toBeGreaterThan(300);
  expect(shared).toEqual([]);
});
