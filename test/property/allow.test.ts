import fc from 'fast-check';
import { expect, test } from 'vitest';
import { realFiles } from '../../src/safety/files.ts';
import { allowParts } from '../../src/safety/gate.ts';
import { WRAPPER_NAMES } from '../../src/safety/programs/records/index.ts';
import { cases } from '../support/cases.ts';

const CASES = cases(300);

const parts = (command: string) => allowParts(command, { cwd: import.meta.dirname, files: realFiles() });

const SHELLS = 'bash sh zsh dash ksh fish python python3 node perl ruby php lua deno bun awk sed'.split(' ');
// `time` is a keyword of the shell, which runs the command itself.
const program = fc.constantFrom(...SHELLS, ...WRAPPER_NAMES.filter((name) => name !== 'time'));
const covered = fc.constantFrom('npm test', 'gh pr view', 'git commit', 'cargo test', 'make test', 'npm run build');
const flag = fc.constantFrom('', '-c', '-e', '--', '-x', '-n 5', '-u root', '--yes');
const joint = fc.constantFrom(' && ', '; ', ' | ', ' || ', ' & ', '\n');
const word = fc.stringMatching(/^[a-z][a-z:-]{0,9}$/);

test('the rule for a command does not cover an interpreter or a wrapper before it', () => {
  fc.assert(
    fc.property(program, flag, covered, fc.boolean(), (name, option, command, quoted) => {
      const line = [name, option, quoted ? `'${command}'` : command].filter(Boolean).join(' ');
      // A wrapper’s own subcommand (`yarn npm`) is allowed at most by a rule with all its words.
      expect(parts(line)?.acts ?? []).not.toContain(command);
      for (const rule of parts(line)?.acts ?? []) expect(rule.startsWith(`${name} `)).toBe(true);
    }),
    { numRuns: CASES },
  );
});

test('a rule for a subcommand never covers another subcommand', () => {
  fc.assert(
    fc.property(covered, word, (command, other) => {
      const [name = '', ...words] = command.split(' ');
      fc.pre(!words.includes(other));
      for (const at of words.keys()) {
        const line = [name, ...words.with(at, other)].join(' ');
        expect(parts(line)?.acts ?? [], line).not.toContain(command);
      }
    }),
    { numRuns: CASES },
  );
});

test('a line is covered only if rules cover every part of it', () => {
  fc.assert(
    fc.property(fc.array(covered, { minLength: 1, maxLength: 4 }), joint, (commands, between) => {
      expect([...(parts(commands.join(between))?.acts ?? [])].sort()).toEqual([...new Set(commands)].sort());
    }),
    { numRuns: CASES },
  );
});

test('with an assignment before it, a redirection into a file, or an unknown word, a command is not covered by its rule', () => {
  const spoilt = [
    (command: string) => `A=1 ${command}`,
    (command: string) => `${command} > out`,
    (command: string) => `${command} $X`,
    (command: string) => `${command} *`,
    (command: string) => `cd /usr; ${command}`,
    (command: string) => `${command}; bash -c x`,
  ];
  fc.assert(
    fc.property(covered, fc.constantFrom(...spoilt), (command, spoil) => {
      expect(parts(spoil(command)), spoil(command)).toBeUndefined();
    }),
    { numRuns: CASES },
  );
});
