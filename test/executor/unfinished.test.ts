import { expect, it } from 'vitest';
import { userShells } from '../support/lacks.ts';
import { userShell } from './support.ts';

/**
 * Lines for which a shell at its own prompt would ask for more. The prompt holds them back, but they may arrive in
 * other ways.
 */
const UNFINISHED = [
  'echo "one',
  "echo 'one",
  'echo $(ls',
  'cat <<E\nhere',
  'if true; then',
  'f() {',
  'echo one |',
  'true &&',
  'echo `ls',
  'case x in',
  '(',
  '[[ a',
  'echo $((1+',
  'x=(1 2',
  'echo "$(cat <<E',
];

it.each(userShells())('an unfinished line ends with an error and leaves %s unchanged', async (shell) => {
  const { exits, run } = await userShell('alias open="echo \'"', { shell });
  const kept = await run('kept=here');
  expect(kept.exit).toBe(0);
  for (const line of [...UNFINISHED, ...UNFINISHED.toReversed(), 'open']) {
    await run(line);
    expect((await run('echo "$kept"; (exit 3)')).head, line).toBe('here');
  }
  expect((await run('echo one |')).exit).not.toBe(0);
  expect(exits).toEqual([]);
});
