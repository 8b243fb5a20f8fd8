import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { realFiles } from '../../src/safety/index.ts';
import { judgeWithFiles } from '../../src/safety/judge.ts';

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'obeyed-'));
});
afterEach(() => rmSync(cwd, { recursive: true }));

/** Judges a command after the model has written these files. */
async function verdictAfter(files: Readonly<Record<string, string>>, command: string): Promise<string> {
  const own = new Set<string>();
  for (const [name, text] of Object.entries(files)) {
    const path = join(cwd, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    own.add(path);
  }
  return (await judgeWithFiles(command, { cwd, files: realFiles(), own }, { readingMs: 5000 })).verdict;
}

test.each([
  ['conftest.py', 'import shutil\nshutil.rmtree("src")\n', 'pytest', 'destructive'],
  ['tests/conftest.py', 'import os\nos.system("rm -rf ~")\n', 'pytest -q', 'destructive'],
  ['tests/test_x.py', 'import subprocess\nsubprocess.run(["make"])\n', 'python -m pytest tests', 'unknown'],
  ['x.py', 'import os\nos.remove("notes.txt")\n', 'pytest x.py::test_a', 'destructive'],
  ['tests/test_x.py', 'def test_x():\n    assert 1 + 1 == 2\n', 'pytest', 'safe'],
  ['conftest.py', 'import pytest\n\n@pytest.fixture\ndef one():\n    return 1\n', 'pytest -x', 'safe'],
  ['clean.py', 'import shutil\nshutil.rmtree("src")\n', 'pytest', 'safe'],
  ['pytest.ini', '[pytest]\naddopts = -p evil\n', 'pytest', 'unknown'],
  ['pyproject.toml', '[tool.pytest.ini_options]\n', 'pytest', 'unknown'],
  ['src/lib.rs', '#[test] fn x() {}', 'cargo test', 'unknown'],
  ['src/lib.rs', 'pub fn x() {}', 'cargo build', 'safe'],
  ['build.rs', 'fn main() {}', 'cargo build', 'unknown'],
  ['.cargo/config.toml', '[build]', 'cargo check', 'unknown'],
  ['x_test.go', 'package x', 'go test ./...', 'unknown'],
  ['x.go', 'package x', 'go build ./...', 'safe'],
  ['x.test.js', 'test("x", () => {})', 'jest', 'unknown'],
  ['src/x.js', 'export const x = 1', 'eslint .', 'safe'],
  ['.eslintrc.js', 'module.exports = {}', 'eslint .', 'unknown'],
  ['eslint.config.mjs', 'export default []', 'npx eslint .', 'unknown'],
  ['CMakeLists.txt', 'execute_process(COMMAND rm -rf x)', 'cmake -B build', 'unknown'],
  ['Dockerfile', 'FROM alpine', 'docker build .', 'unknown'],
])('once the model wrote %s (%j), the command %s is %s', async (file, text, command, verdict) => {
  expect(await verdictAfter({ [file]: text }, command)).toBe(verdict);
});

test('a script of the project that the model did not write is safe to run', async () => {
  writeFileSync(join(cwd, 'conftest.py'), 'import shutil\nshutil.rmtree("src")\n');
  expect(await verdictAfter({}, 'pytest')).toBe('safe');
});
