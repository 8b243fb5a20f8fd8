import { expect, test } from 'vitest';
import { judgeCommand } from '../../src/safety/index.ts';

/** Returns rule and text of every finding, in order. */
function found(command: string): readonly (readonly [string, string])[] {
  return judgeCommand(command).findings.map(({ rule, part: [start, end] }) => [rule, command.slice(start, end)]);
}

test('every dangerous part is found, the worst first', () => {
  expect(found('rm -rf nothere; dd if=/dev/zero of=/dev/sda; git push --force')).toEqual([
    ['dd to device', 'dd if=/dev/zero of=/dev/sda'],
    ['rm -rf', 'rm -rf nothere'],
    ['git push --force', 'git push --force'],
  ]);
});

test.each([
  ['ls && rm x | cat', 'rm x'],
  ['echo "$(rm x)"', 'rm x'],
  ['f() { rm x; }; f', 'rm x'],
  ['sudo rm x', 'sudo rm x'],
  ["ls; bash -c 'ls; rm x'; ls", "bash -c 'ls; rm x'"],
  ["eval 'g() { rm x; }'; g", 'g'],
  ['cat <<E\n$(rm x)\nE', 'rm x'],
  ['if true; then rm x; fi', 'rm x'],
])('the finding of %j quotes %j', (command, part) => expect(found(command)).toEqual([['rm', part]]));

test('a redirection has its own finding', () => {
  expect(found('echo x 2>/dev/null > f')).toEqual([['truncating redirection', '> f']]);
});

test('a repeated judgement of a command reports the same places', () => {
  const command = 'echo a >> /etc/x; ls; echo b >> /etc/x';
  for (const _ of [1, 2])
    expect(found(command)).toEqual([
      ['write to system file', '>> /etc/x'],
      ['write to system file', '>> /etc/x'],
    ]);
  expect(judgeCommand(command).findings.map(({ part }) => part[0])).toEqual([7, 29]);
});

test('the user’s own pattern comes first, and the other findings are still listed', () => {
  const { findings, rule } = judgeCommand('deploy prod; rm x', {
    userPatterns: [{ pattern: 'deploy \\w+', reason: 'releases' }],
  });
  expect(rule).toBe('user: deploy \\w+');
  expect(findings.map(({ verb, part }) => [verb, part])).toEqual([
    ['releases', [0, 11]],
    ['deletes files', [13, 17]],
  ]);
});

test('a danger inside a loop is reported once', () => {
  expect(found('for i in 1 2 3; do rm $i; done')).toEqual([['rm', 'rm $i']]);
});

test('a line with a syntax error still reports its dangerous parts', () => {
  expect(found('rm x; (((')).toContainEqual(['rm', 'rm x']);
});
