/** A command is parsed once and judged several times, so a judgement must not change the tree. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { judgeCommand } from '../../src/safety/judge.ts';
import { onlyReads, worksOverPipes } from '../../src/safety/only-reads.ts';

const commands = readFileSync(new URL('../corpus/gate.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => (JSON.parse(line) as { cmd: string }).cmd);

it('a second judgement of any corpus command equals the first', () => {
  const world = { cwd: '/nowhere' };
  const differing = commands.filter((command) => {
    judgeCommand('another one');
    const first = judgeCommand(command, world);
    onlyReads(command, world);
    worksOverPipes(command, world);
    return JSON.stringify(judgeCommand(command, world)) !== JSON.stringify(first);
  });
  expect(commands.length).toBeGreaterThan(1000);
  expect(differing).toEqual([]);
});
