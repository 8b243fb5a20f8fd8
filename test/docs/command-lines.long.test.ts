/** Runs each command line of the project in the pages, in an empty home. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { trialsWork } from '../effects/undo/trial-support.ts';
import { lacks } from '../support/lacks.ts';
import { PROGRAM, runProgram, scratch } from '../support/program.ts';
import { BLOCKS } from './blocks.ts';

/** Commands of other programs. The release and the bare machine run `npm`, and another test runs the hook. */
const FOREIGN =
  /^(?:claude|tmux|git diff|llama-server|ollama|sudo|cat|cp|chsh|npx|git clone|npm (?:start|test|install|run|link))\b/;

/** Commands that end with an error in an empty home, and their exit codes. */
const OTHER_ENDS: readonly (readonly [RegExp, number])[] = [
  [/^aish-tui mcp (?:login|logout) /, 2],
  [/^aish-tui mcp import /, 2],
  [/^aish-tui config trust/, 2],
  [/^aish-tui guard doctor/, 1],
  [/^aish-tui doctor/, 1],
  [/^aish-tui run --hosts web1/, 3],
  [/^aish-tui run --hosts @/, 2],
  [/^aish-tui sandbox -- touch/, 1],
  [/^aish-tui sandbox '/, 1],
  [/^aish-tui try '.*make'/, 2],
];

/** Commands that need the kernel sandbox. */
const CONFINED = /^aish-tui (?:try|sandbox) /;

describe('a command line in the pages', () => {
  const lines = BLOCKS.filter(({ language }) => language === 'sh' || language === 'bash').flatMap(({ page, text }) =>
    statements(text).map((line) => [page, line] as const),
  );
  const ours = [...new Map(lines.map(([page, line]) => [line, page]))].filter(([line]) => !FOREIGN.test(line));

  it.each(ours.filter(([line]) => !(CONFINED.test(line) && !trialsWork())))(
    'ends as documented: %s (%s)',
    async (line) => {
      using place = scratch();
      const script = `aish-tui() { "${PROGRAM}" "$@"; }; aish-guard() { "${PROGRAM}" guard "$@"; }; git() { echo a word; }\n${line}`;
      const { code, err } = await runProgram(place, ['-c', script], { file: '/bin/bash', input: '' });
      const end = OTHER_ENDS.find(([pattern]) => pattern.test(line))?.[1] ?? 0;
      expect({ line, ends: [0, end].includes(code ?? -1), err: /unknown (?:option|command)/.test(err) }).toEqual({
        line,
        ends: true,
        err: false,
      });
    },
  );
});

/** Returns the statements of a block as a shell would read them: a loop is one. */
function statements(text: string): readonly string[] {
  if (/^\s*(?:done|fi|\})/m.test(text)) return [text];
  return text
    .replaceAll('\\\n', ' ')
    .split('\n')
    .map((line) => line.replace(/(?:^|\s+)#.*$/, '').trim())
    .filter((line) => line !== '');
}

describe.skipIf(lacks('git'))('the pre-commit hook in headless.md', () => {
  it.each([
    ['echo hello', 0],
    ['rm -rf "$HOME"', 1],
  ])('ends a commit that adds `%s` with %i', async (line, code) => {
    using place = scratch();
    const hook = BLOCKS.find(({ text }) => text.startsWith('git diff --cached'))?.text ?? '';
    writeFileSync(join(place.work, 'a b.sh'), `${line}\n`);
    const script = `aish-tui() { "${PROGRAM}" "$@"; }; git init -q . && git add . && ${hook}`;
    expect((await runProgram(place, ['-c', script], { file: '/bin/bash', input: '' })).code).toBe(code);
  });
});
