import { describe, expect, it } from 'vitest';
import { parseArguments } from '../../src/cli/program.ts';

const argvOf = (...words: readonly string[]) => {
  const invocation = parseArguments(words, '0');
  return 'argv' in invocation ? invocation.argv : undefined;
};

describe.each(['try', 'sandbox'])('aish-tui %s', (probe) => {
  it.each([
    ['a command with arguments', 'rm -rf src'],
    ['a list', 'cd src && make'],
    ['a pipeline', 'ls|wc'],
    ['a pattern', './*.sh'],
    ['a variable', '$EDITOR'],
  ])('runs one string as a shell line: %s', (_, line) => {
    expect(argvOf(probe, line)).toEqual(['/bin/bash', '-c', line]);
    expect(argvOf(probe, '--', line)).toEqual(['/bin/bash', '-c', line]);
  });

  it('runs several words as they are', () => {
    expect(argvOf(probe, '--', 'rm', '-rf', 'a b')).toEqual(['rm', '-rf', 'a b']);
    expect(argvOf(probe, './build')).toEqual(['./build']);
  });
});
