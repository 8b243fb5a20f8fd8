/** Measures the router: `npm run bench -- route`; `--errors` behind it also lists what was taken wrongly. */
import { classify, isShellWord } from '../../src/router/classify.ts';
import { type Labelled, ownKnown, ownLines, tldrLines } from './route-data.ts';

type Report = {
  readonly language: number;
  readonly commands: number;
  readonly micros: number;
  readonly wrong: readonly Labelled[];
};

/** Recall of both kinds in percent, and the mean time of one line. */
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

/** Questions of the second set in other languages: they stand together at its end of questions. */
export function otherLanguages(): Labelled[] {
  const asked = ownLines('second').filter(({ kind }) => kind === 'ai');
  return asked.slice(asked.findIndex(({ line }) => line.startsWith('wie groß')));
}

if (process.argv[1] === import.meta.filename) {
  const tldr = tldrLines();
  const known = new Set([...tldr.known, ...ownKnown()]);
  const sets: [string, readonly Labelled[]][] = [
    ['tldr', tldr.lines],
    ['hard (own)', ownLines('hard')],
    ['fresh (own)', ownLines('fresh')],
    ['second (own)', ownLines('second')],
    ['– not English', otherLanguages()],
  ];
  for (const [name, lines] of sets) {
    const { language, commands, micros, wrong } = measure(lines, known);
    console.log(
      `${name.padEnd(16)} language ${language.toFixed(2)} %  commands ${commands.toFixed(2)} %  ${micros.toFixed(1)} µs/line`,
    );
    if (process.argv.includes('--errors')) for (const one of wrong) console.log(`  not ${one.kind}: ${one.line}`);
  }
}
