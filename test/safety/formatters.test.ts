import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judgeCommand } from '../../src/safety/index.ts';
import { readExactly } from '../../src/safety/programs/read-options.ts';
import { type Compiled, words } from '../../src/safety/programs/record.ts';
import { FORMATTING } from '../../src/safety/programs/records/build.ts';
import { recordOf } from '../../src/safety/programs/records/index.ts';
import { cases } from '../support/cases.ts';

/** Options with a value, from the manuals of the formatters, each with a valid value. */
const VALUED: readonly (readonly [program: string, option: string, value: string])[] = [
  ['black', '-l', '100'],
  ['black', '-t', 'py311'],
  ['black', '-W', '4'],
  ['black', '--line-length', '100'],
  ['black', '--exclude', 'x'],
  ['isort', '-l', '100'],
  ['isort', '-w', '100'],
  ['isort', '-m', '3'],
  ['isort', '-s', 'x.py'],
  ['isort', '--profile', 'black'],
  ['ruff check', '--select', 'E'],
  ['ruff format', '--line-length', '100'],
  ['gofmt', '-r', 'a -> b'],
  ['rustfmt', '--edition', '2021'],
  ['shfmt', '-i', '2'],
  ['shfmt', '-ln', 'posix'],
  ['clang-format', '-style', 'LLVM'],
  ['clang-format', '-assume-filename', 'a.c'],
];

const recordAt = (program: string, ...subs: readonly string[]): Compiled | undefined => {
  let level = recordOf(program);
  for (const sub of subs) level = level?.subs?.get(sub);
  return level;
};

const fields = (texts: readonly string[]) => texts.map((text) => ({ text, glob: false }));

describe('formatters', () => {
  test.each(VALUED)('format only their operand, and not the value of an option: %s %s %s', (program, option, value) => {
    const [name = '', ...subs] = program.split(' ');
    const record = recordOf(name);
    if (!record) throw new Error(`no record of ${name}`);
    const read = readExactly(name, record, fields([...subs, option, value, 'src/app.x']));
    expect(read.missing).toBeUndefined();
    expect(read.operands.map(({ text }) => text)).toEqual(['src/app.x']);
    const plain = judgeCommand(`${program} src/app.x`).verdict;
    expect(judgeCommand(`${program} ${option} '${value}' src/app.x`).verdict).toBe(plain);
    expect(judgeCommand(`${program} src/app.x ${option} '${value}'`).verdict).toBe(plain);
  });

  test('still count as writing when the value of an option looks like --check', () => {
    const programs = Object.keys(FORMATTING).flatMap(words);
    const calls = programs.flatMap((program) => {
      const subs = recordAt(program)?.subs;
      return subs ? [...subs.keys()].map((sub) => [program, sub]) : [[program]];
    });
    fc.assert(
      fc.property(fc.constantFrom(...calls), fc.nat(), fc.boolean(), ([program = '', ...subs], pick, attached) => {
        const level = recordAt(program, ...subs);
        const valued = [...(level?.options ?? [])].filter(([, { value }]) => value === 'required');
        const option = valued[pick % valued.length]?.[0];
        if (option === undefined) return;
        const given = attached && option.startsWith('--') ? `${option}=1` : `${option} 1`;
        const line = [program, ...subs].join(' ');
        if (judgeCommand(`${line} src/a.x`).verdict !== 'safe')
          expect(judgeCommand(`${line} ${given} src/a.x`).verdict).not.toBe('safe');
      }),
      { numRuns: cases(100) },
    );
  });
});
