import { expect, it } from 'vitest';
import { judgeCommand } from '../../src/safety/judge.ts';

const verdict = (command: string) => judgeCommand(command, { cwd: '/nowhere' }).verdict;

it.each([
  'aish-tui undo --list',
  'aish-tui undo 12 --list',
  'aish-tui doctor',
  'aish-tui doctor --json',
  "aish-tui safety check 'rm -rf /'",
  'aish-tui safety check --jsonl < lines',
  "aish-tui secrets check 'token=abc'",
  'aish-tui route "what is this"',
  'aish-tui config check',
  'aish-tui --version',
])('a command of aish-tui that only reads is safe: %s', (command) => {
  expect(verdict(command)).toBe('safe');
});

it.each([
  'aish-tui undo',
  'aish-tui undo --list --yes',
  'aish-tui undo 12 --yes',
  'aish-tui undo run --yes',
  'aish-tui --config ./theirs.jsonc doctor',
  'aish-tui doctor --config ./theirs.jsonc',
  'aish-tui uninstall --yes',
  'aish-tui config trust',
  'aish-tui mcp add x -- sh evil',
  'aish-tui run "delete it"',
  'aish-tui',
])('a command of aish-tui that may change something is not safe: %s', (command) => {
  expect(verdict(command)).not.toBe('safe');
});
