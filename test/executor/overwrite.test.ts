import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { overwriteInFile } from '../../src/executor/running.ts';
import { until, userShell, workspace } from './support.ts';

const MEGABYTE = 1024 * 1024;

describe('a text that must not remain in a file', () => {
  it('is overwritten by stars everywhere, also across the blocks in which the file is read', async () => {
    const path = join(workspace(), 'output');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: -20, max: 20 }), { minLength: 1, maxLength: 2 }), async (places) => {
        const text = Buffer.alloc(3 * MEGABYTE, 'x');
        for (const [index, place] of places.entries()) text.write('opensesame', (index + 1) * MEGABYTE + place - 10);
        writeFileSync(path, text);
        expect(await overwriteInFile(path, ['opensesame'])).toBe(true);
        const after = readFileSync(path, 'latin1');
        expect(after).toBe(text.toString('latin1').replaceAll('opensesame', '*'.repeat(10)));
      }),
      { numRuns: 20 },
    );
  });

  it('is reported when the file is gone', async () => {
    expect(await overwriteInFile(join(workspace(), 'none'), ['text'])).toBe(false);
  });
});

it('a password that was typed before the program asked is not in the saved output', async () => {
  const { shell } = await userShell();
  const running = shell.run(
    'echo begins; sleep 1; stty -echo; printf "Password: "; read -r early; read -r word; stty echo; echo; echo ${#word} letters; seq 30000',
  );
  await until(() => running.output.lines(5).join().includes('begins'), 'it runs');
  running.write('opensesame\r');
  await until(() => running.output.lines(5).join().includes('opensesame'), 'it is echoed, as by every terminal');
  await until(() => running.echoOff, 'typing is hidden');
  running.write('opensesame\r');
  const { head, tail, file } = await running.result;
  const saved = readFileSync(file ?? '', 'utf8');
  expect(saved).toContain('10 letters\n1\n2\n');
  for (const kept of [head, tail, saved]) expect(kept).not.toContain('opensesame');
});
