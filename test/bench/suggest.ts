/**
 * `npm run bench -- suggest`: the cost of a typed key for a suggestion out of 10,000 lines and for the colours of the
 * line.
 */
import type { WordFacts } from '../../src/contracts/lines.ts';
import { layoutEditor } from '../../src/ui/editor/layout.ts';
import { createEditor } from '../../src/ui/editor/state.ts';
import { paintOf, THEMES } from '../../src/ui/render/theme.ts';
import { suggest } from '../../src/ui/screen/recall.ts';
import { colours, paintRow } from '../../src/ui/screen/screen.ts';
import { historyLines } from './history.ts';

const LINES = 10_000;
const TYPED =
  'git commit -m "part 42 of 7" --author "$USER" -- src/ui/screen/*.ts && docker run --rm -p 80 nothing like it';

const WORDS: WordFacts = {
  kindOf: (word) => (word.length % 2 === 0 ? 'known' : 'unknown'),
  isPath: (word) => word.includes('/'),
  onAnswer: () => () => {},
  nearest: () => undefined,
  abbreviations: () => ({}),
};

/** Returns the time of each key in ms, ascending. */
export function typingTimes(count: number): readonly number[] {
  const lines = historyLines(count);
  const kept = { lines, factsOf: () => undefined, isAgents: () => false };
  const paint = paintOf(THEMES.dark);
  const times: number[] = [];
  for (let length = 1; length <= TYPED.length; length += 1) {
    const text = TYPED.slice(0, length);
    const begin = performance.now();
    suggest(text, '/work', kept);
    const editor = createEditor(text);
    const coloured = colours(editor, { kind: 'shell', forced: false, text: text.trim(), why: '' }, WORDS);
    for (const row of layoutEditor(editor, 120, 100).rows) paintRow(editor, row, coloured, paint);
    times.push(performance.now() - begin);
  }
  return times.sort((a, b) => a - b);
}

if (process.argv[1] === import.meta.filename) {
  typingTimes(LINES);
  const times = typingTimes(LINES);
  const at = (part: number) => (times[Math.floor(times.length * part)] ?? 0).toFixed(2);
  console.log(`${LINES} lines of history: a key p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, worst ${at(0.999)} ms`);
}
