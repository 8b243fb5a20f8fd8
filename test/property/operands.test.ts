/**
 * A verdict for an operand is the same however it arrives: as an argument, from find, xargs, a substitution, a loop or
 * a variable.
 */
import { expect, test } from 'vitest';
import { judgeCommand } from '../../src/safety/index.ts';
import { RULE_EXAMPLES } from '../support/rule-examples.ts';

/** A call of plain words, the last of which is an operand. */
const PLAIN = /^(?!(?:find|xargs|sudo|for|if|while)\b)([\w.-]+(?: [\w./:=@+-]+)*) ([\w./][\w./:=-]*)$/;

const ARRIVALS: Readonly<Record<string, (call: string, operand: string) => string>> = {
  'find -exec ;': (call, operand) => `find . -name ${operand} -exec ${call} {} \\;`,
  'find -exec +': (call, operand) => `find . -name ${operand} -exec ${call} {} +`,
  'find -execdir': (call, operand) => `find . -name ${operand} -execdir ${call} {} \\;`,
  xargs: (call, operand) => `echo ${operand} | xargs ${call}`,
  'xargs -I': (call, operand) => `echo ${operand} | xargs -I{} ${call} {}`,
  'xargs of a file': (call, operand) => `echo ${operand} > list; xargs -a list ${call}`,
  'a here-string': (call, operand) => `xargs ${call} <<< ${operand}`,
  'a substitution': (call, operand) => `${call} $(echo ${operand})`,
  'a loop': (call, operand) => `for x in ${operand}; do ${call} $x; done`,
  'a loop over lines': (call, operand) => `echo ${operand} | while read -r x; do ${call} "$x"; done`,
  'a variable': (call, operand) => `read -r x <<< ${operand}; ${call} "$x"`,
  'an array': (call, operand) => `a=(${operand}); ${call} "\${a[@]}"`,
};

const calls = RULE_EXAMPLES.flatMap(({ label, cmd }) => {
  const [, call = '', operand = ''] = label === 'destructive' ? (PLAIN.exec(cmd) ?? []) : [];
  return call !== '' && judgeCommand(cmd).verdict === 'destructive' ? [{ call, operand }] : [];
});

test('the examples include over 400 findings with an operand', () => expect(calls.length).toBeGreaterThan(400));

test.each(Object.entries(ARRIVALS))('no finding becomes safe when its operand comes from %s', (_, arrival) => {
  const lines = calls.map(({ call, operand }) => arrival(call, operand));
  expect(lines.filter((line) => judgeCommand(line).verdict === 'safe')).toEqual([]);
});
