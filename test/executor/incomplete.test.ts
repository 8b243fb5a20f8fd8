import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isIncomplete } from '../../src/executor/index.ts';
import { everyShell } from '../support/lacks.ts';

/** Unfinished and complete lines in the language of each shell. */
const LINES: Readonly<Record<string, { readonly open: readonly string[]; readonly whole: readonly string[] }>> = {
  bash: {
    open: [
      'for i in 1 2',
      'f() {',
      'echo "a',
      "echo 'a",
      'echo $(date',
      'echo a |',
      'echo a \\',
      'cat <<END',
      'if true',
      'a &&',
    ],
    whole: ['echo a', 'for i in 1; do echo $i; done', 'f() { :; }', 'done', 'echo )', 'echo "a"', 'true &'],
  },
  zsh: {
    open: [
      'for i in 1 2',
      'while true',
      'repeat 3',
      'echo "a',
      "echo 'a",
      'echo $(date',
      'echo a |',
      'echo a \\',
      'cat <<END',
      'if true',
      'a &&',
      'f() {',
    ],
    whole: [
      'echo a',
      'for i in 1 2; echo $i',
      'for i in 1; do echo $i; done',
      'cat <<END\na\nEND',
      'f() { : }',
      'done',
      'echo )',
      'echo for me',
      'true &',
    ],
  },
  fish: {
    open: [
      'for i in 1 2',
      'function f',
      'begin',
      'if true',
      'echo "a',
      "echo 'a",
      'echo (date',
      'echo a |',
      'echo a \\',
      'a &&',
    ],
    whole: ['echo a', 'for i in 1; echo $i; end', 'function f; end', 'end', 'echo )', 'echo "a"', 'true &'],
  },
};

describe.each(everyShell())('for %s a line', (shell) => {
  const { open, whole } = LINES[basename(shell)] ?? { open: [], whole: [] };
  it.each(open)('is incomplete: %s', (line) => expect(isIncomplete(line, shell)).toBe(true));
  it.each(whole)('is complete: %s', (line) => expect(isIncomplete(line, shell)).toBe(false));
});

it('a line in which nothing can be open is not passed to a shell', () => {
  const place = mkdtempSync(join(tmpdir(), 'aish-test-'));
  const shell = join(place, 'zsh');
  const asked = () => existsSync(join(place, 'asked'));
  writeFileSync(shell, `#!/bin/sh\ncat > '${place}/asked'\necho 'unmatched' >&2\n`);
  chmodSync(shell, 0o755);
  for (const line of ['ls -l', 'make && ./run > log 2>&1', `git commit -m 'it (works)' -m "or { not"`, 'echo $HOME']) {
    expect(isIncomplete(line, shell)).toBe(false);
  }
  expect(asked()).toBe(false);
  expect(isIncomplete('repeat 3', shell)).toBe(true);
  expect(asked()).toBe(true);
  rmSync(place, { recursive: true });
});
