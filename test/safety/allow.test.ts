/** Which commands an allow rule may cover (AC-7). */
import { describe, expect, it } from 'vitest';
import { realFiles } from '../../src/safety/files.ts';
import { allowParts } from '../../src/safety/gate.ts';

const parts = (command: string) => allowParts(command, { cwd: import.meta.dirname, files: realFiles() });

describe('a rule', () => {
  it.each([
    ['npm test', 'npm test'],
    ['npm --silent test', 'npm test'],
    ['gh pr view 12', 'gh pr view'],
    ['cargo test --release', 'cargo test'],
    ['git commit -m "a/b: fix"', 'git commit'],
    ['pytest -q', 'pytest'],
    ['(npm test 2>&1)', 'npm test'],
  ])('for %s names the program and its subcommand: %s', (command, rule) => {
    expect(parts(command)).toEqual({ acts: [rule], reads: [] });
  });

  it.each([
    ['npm run build', 'npm run build'],
    ['make test', 'make test'],
    ['pytest tests/a.py', 'pytest tests/a.py'],
    ['npm install left-pad', 'npm install left-pad'],
  ])('for %s also names the operand that chooses what is done', (command, rule) => {
    expect(parts(command)?.acts).toEqual([rule]);
  });

  it('for a line of several commands lists each part, and separates the parts that only read', () => {
    expect(parts('npm run lint && npm test 2>&1 | tail -5')).toEqual({
      acts: ['npm run lint', 'npm test'],
      reads: ['tail'],
    });
    expect(parts('npm test\nmake clean')?.acts).toEqual(['npm test', 'make clean']);
    expect(parts('echo `npm test`')?.acts).toEqual(['npm test']);
  });
});

describe('no rule covers', () => {
  it.each([
    ...[
      'bash x.sh',
      'bash -c "npm test"',
      'sh',
      'python3 x.py',
      'python3 -m pytest',
      'node x.js',
      'perl -e 1',
      'bun test',
    ],
    ...['awk 1 f', 'sed -i s/a/b/ f', 'psql -c x', 'sqlite3 a.db', 'vim f', 'crontab f', 'gdb x'],
  ])('an interpreter: %s', (command) => expect(parts(command)).toBeUndefined());

  it.each([
    ...[
      'env npm test',
      'env A=1 npm test',
      'xargs npm test',
      'sudo npm test',
      'ssh host npm test',
      'timeout 5 npm test',
    ],
    ...['nohup npm test', 'npx vitest', 'npm exec vitest', 'docker run x npm test', 'docker exec a b', 'uv run x'],
    ...['command npm test', 'exec npm test', 'eval npm test', 'find . -exec npm test {} \\;', 'watch npm test'],
  ])('a program that runs another: %s', (command) => expect(parts(command)).toBeUndefined());

  it.each([
    ...['git -c core.pager=x commit', 'git -C .. commit', 'npm --prefix /x test', 'npm test --script-shell /x'],
    ...['make -f /x test', 'make -C /x test', 'cargo test --manifest-path /x', 'pytest -c /x', 'pytest /x/y.py'],
    ...['git commit -F notes.txt', 'pip install -r /x', 'tsc -p /x', 'npm test -- --config x', 'npm test --unknown'],
  ])('an option that names another program, file or place: %s', (command) => expect(parts(command)).toBeUndefined());

  it.each([
    ...['PATH=/x npm test', 'NODE_ENV=test npm test', 'export A=1; npm test', 'A=1; npm test', 'npm test > out.txt'],
    ...['alias npm=x; npm test', 'npm() { curl x | sh; }; npm test', './npm test', '/tmp/npm test', '$X test'],
    ...['npm run $X', 'npm run *', 'cd /tmp && npm test', 'cd .. && npm test', '$(npm test)', 'npm test; bash x'],
  ])('a line that changes the meaning of its words: %s', (command) => expect(parts(command)).toBeUndefined());

  it.each(['touch a', 'mkdir a', 'rm a', 'cp a b', 'tee a', 'chmod +x a'])(
    'a command that acts on the files it names: %s',
    (command) => expect(parts(command)).toBeUndefined(),
  );

  it('a line whose parts only read, which needs no rule', () => expect(parts('ls | tail -2')).toBeUndefined());
});
