import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openHistory } from '../../src/store/index.ts';

function place(): string {
  const folder = mkdtempSync(join(tmpdir(), 'aish-history-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'history');
}

const same = (text: string) => text;

it('the history keeps the agent’s commands beside the user’s lines, marked outside the line', () => {
  const path = place();
  const history = openHistory(path, same);
  history.add('ls');
  history.addAgents('make');
  history.addAgents('cat <<E\nx\nE');
  const again = openHistory(path, same);
  expect(again.entries()).toEqual(['ls', 'make', 'cat <<E\nx\nE']);
  expect(again.entries().filter(again.isAgents)).toEqual(['make', 'cat <<E\nx\nE']);
});

it('a history line belongs to whoever ran it last', () => {
  const path = place();
  const history = openHistory(path, same);
  history.addAgents('make');
  history.add('make');
  expect(openHistory(path, same).isAgents('make')).toBe(false);
  history.addAgents('make');
  expect(openHistory(path, same).isAgents('make')).toBe(true);
  expect(history.entries()).toEqual(['make', 'make', 'make']);
});

it('an older history without marks is read, unreadable rows are skipped, and no secret is written', () => {
  const path = place();
  writeFileSync(path, '"one"\n{"line":2}\nbroken\n"two"\n');
  const history = openHistory(path, (text) => text.replace('hunter2', '***'));
  expect(history.entries()).toEqual(['one', 'two']);
  history.addAgents('curl -u me:hunter2 x');
  expect(history.entries().at(-1)).toContain('hunter2');
  expect(readFileSync(path, 'utf8')).not.toContain('hunter2');
});

it('the history is cut when it reaches twice its limit, and keeps its marks', () => {
  const path = place();
  const rows = Array.from({ length: 20_001 }, (_, i) => (i % 2 ? `"${i}"` : `{"line":"${i}","by":"agent"}`));
  writeFileSync(path, `${rows.join('\n')}\n`);
  openHistory(path, same);
  const again = openHistory(path, same);
  expect(again.entries()).toHaveLength(10_000);
  expect([again.isAgents('20000'), again.isAgents('19999')]).toEqual([true, false]);
});

it('the history has the lines of several programs in order, each once', () => {
  const path = place();
  const [one, other] = [openHistory(path, same), openHistory(path, same)];
  one.add('1');
  other.add('2');
  one.addAgents('3');
  one.add('4');
  other.addAgents('5');
  other.add('6');
  const lines = ['1', '2', '3', '4', '5', '6'];
  expect([one.entries(), other.entries(), openHistory(path, same).entries()]).toEqual([lines, lines, lines]);
  // Half a row of another program does not spoil the next one.
  appendFileSync(path, '"7');
  one.add('8');
  expect(one.entries()).toEqual([...lines, '8']);
});
