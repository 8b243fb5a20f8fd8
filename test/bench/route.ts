/**
 * Measures the router: `npm run bench -- route`; `--errors` after it also lists the mistakes. Exits with 1 where a goal
 * is missed.
 */
import { classify, isShellWord } from '../../src/router/classify.ts';
import { type Labelled, ownKnown, ownLines, tldrLines } from './route-data.ts';

/** Labelled lines, with the required recall of questions and of commands in percent. */
type Sample = {
  readonly name: string;
  readonly lines: readonly Labelled[];
  readonly goals?: readonly [language: number, commands: number];
};

type Report = {
  readonly language: number;
  readonly commands: number;
  readonly micros: number;
  readonly wrong: readonly Labelled[];
};

/** Returns the recall of both kinds in percent, and the mean time of one line. */
export function measure(lines: readonly Labelled[], known: ReadonlySet<string>): Report {
  const words = { knows: (word: string) => known.has(word) || isShellWord(word) };
  const all = { ai: 0, shell: 0 };
  const wrong: Labelled[] = [];
  const begin = performance.now();
  for (const one of lines) {
    all[one.kind]++;
    if (classify(one.line, words).kind !== one.kind) wrong.push(one);
  }
  const micros = ((performance.now() - begin) * 1000) / lines.length;
  const recall = (kind: 'ai' | 'shell'): number =>
    100 * (1 - wrong.filter((one) => one.kind === kind).length / Math.max(1, all[kind]));
  return { language: recall('ai'), commands: recall('shell'), micros, wrong };
}

/** Returns the questions of the second set in other languages, which are at the end of its questions. */
export function otherLanguages(): Labelled[] {
  const asked = ownLines('second').filter(({ kind }) => kind === 'ai');
  return asked.slice(asked.findIndex(({ line }) => line.startsWith('wie groß')));
}

if (process.argv[1] === import.meta.filename) {
  const tldr = tldrLines();
  const known = new Set([...tldr.known, ...ownKnown()]);
  const sets: readonly Sample[] = [
    { name: 'tldr', lines: tldr.lines },
    { name: 'hard (own)', lines: ownLines('hard'), goals: [95, 97] },
    { name: 'fresh (own)', lines: ownLines('fresh') },
    { name: 'second (own)', lines: ownLines('second'), goals: [95, 98] },
    { name: '– not English', lines: otherLanguages(), goals: [90, 0] },
  ];
  let held = true;
  for (const { name, lines, goals } of sets) {
    const { language, commands, micros, wrong } = measure(lines, known);
    const reached = !goals || (language >= goals[0] && commands >= goals[1]);
    held &&= reached;
    const verdict = goals
      ? `  at least ${goals.filter((goal) => goal > 0).join(' / ')}: ${reached ? 'held' : 'MISSED'}`
      : '';
    console.log(
      `${name.padEnd(16)} ${String(lines.length).padStart(5)} lines  language ${language.toFixed(2)} %  commands ${commands.toFixed(2)} %  ${micros.toFixed(1)} µs/line${verdict}`,
    );
    if (process.argv.includes('--errors')) for (const one of wrong) console.log(`  not ${one.kind}: ${one.line}`);
  }
  process.exit(held ? 0 : 1);
}
