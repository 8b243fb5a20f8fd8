import { checkLine, judgeCommand } from '../../src/safety/index.ts';
import { rowsIn } from './jsonl.ts';

/** How often each line is judged before and while its speed is measured. */
const ROUNDS = 10;

type Row = { readonly kind: string; readonly label: 'destructive' | 'safe'; readonly cmd: string };

const read = <T = Row>(name: string): readonly T[] => rowsIn<T>(new URL(`../corpus/${name}.jsonl`, import.meta.url));

/** Prints recall, false positives and unknown ones per kind, over the labelled corpus. */
function accuracy(rows: readonly Row[], label: Row['label']): void {
  const kinds = new Map<string, [number, number, number]>();
  for (const { kind, cmd } of rows.filter((row) => row.label === label)) {
    const counts = kinds.get(kind) ?? [0, 0, 0];
    const at = { destructive: 0, unknown: 1, safe: 2 }[judgeCommand(cmd).verdict];
    counts[at as 0 | 1 | 2]++;
    kinds.set(kind, counts);
  }
  const total: [number, number, number] = [0, 0, 0];
  for (const counts of kinds.values()) for (const i of [0, 1, 2] as const) total[i] += counts[i];
  console.log(`\n${label} lines                destructive  unknown  safe`);
  for (const [kind, [a, b, c]] of [...kinds, ['all', total] as const]) {
    const share = ((100 * a) / (a + b + c)).toFixed(1).padStart(6);
    console.log(`  ${kind.padEnd(26)} ${share} %  ${String(b).padStart(7)}  ${String(c).padStart(4)}  of ${a + b + c}`);
  }
}

/** Prints the lines per second in batch form, and the slowest hundredth of single judgements. */
async function speed(rows: readonly Row[]): Promise<void> {
  const lines = rows.map(({ cmd }) => JSON.stringify({ cmd }));
  for (const line of lines) await checkLine(line);
  const start = performance.now();
  for (let round = 0; round < ROUNDS; round++) for (const line of lines) await checkLine(line);
  const seconds = (performance.now() - start) / 1000;
  console.log(`\nbatch: ${Math.round((ROUNDS * lines.length) / seconds)} lines/s`);
  // Scripts of about 4 kB out of the safe lines, so that nothing ends the walk early.
  const quiet = rows.filter(({ label }) => label === 'safe').map(({ cmd }) => cmd);
  const scripts = Array.from({ length: 300 }, (_, i) => {
    let text = '';
    for (let k = i; text.length < 3900; k++) text += `${quiet[k % quiet.length]}\n`;
    return text.slice(0, 4096);
  });
  const single = judged(rows.map(({ cmd }) => cmd));
  const joined = judged(scripts);
  // There are two figures: the wait for usual lines, and the cost of the longest ones.
  said('one line as it occurs', single);
  said('one script of 4 kB', joined);
  said('one judgement of up to 4 kB', [...single, ...joined]);
}

function judged(commands: readonly string[]): readonly number[] {
  return commands.map((cmd) => {
    const before = performance.now();
    judgeCommand(cmd);
    return performance.now() - before;
  });
}

function said(what: string, times: readonly number[]): void {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)]?.toFixed(3);
  console.log(`${what}: median ${at(0.5)} ms, p99 ${at(0.99)} ms`);
}

/** Commands that agents really typed: most are short, and the slow ones contain a program. */
function recorded(file: string): void {
  const commands = rowsIn<{ readonly commands: readonly string[] }>(file)
    .flatMap((run) => run.commands)
    .filter((command) => command.length <= 4096);
  judged(commands);
  const second = judged(commands);
  // Most remaining lines are Python, whose parser is hardly compiled by then, so they are judged as often as the lines
  // above.
  for (let round = 2; round < ROUNDS; round++) judged(commands);
  said(`one of ${commands.length} recorded commands of up to 4 kB, the second time`, second);
  said(`the same, after ${ROUNDS} rounds`, judged(commands));
}

/** Prints for calls of foreign tools how many destructive ones are detected, and how many others are stopped (SF-6). */
async function tools(): Promise<void> {
  const counts = { destructive: [0, 0], safe: [0, 0] };
  for (const row of read<{ readonly label: Row['label'] }>('tools')) {
    const { verdict } = JSON.parse(await checkLine(JSON.stringify(row))) as { verdict: string };
    const count = counts[row.label];
    count[verdict === 'destructive' ? 0 : 1] = (count[verdict === 'destructive' ? 0 : 1] ?? 0) + 1;
  }
  const share = ([stopped = 0, other = 0]: readonly number[]) =>
    `${((100 * stopped) / (stopped + other)).toFixed(1)} % of ${stopped + other}`;
  console.log(`\ntool calls: seen ${share(counts.destructive)}, false positives ${share(counts.safe)}`);
}

/** Prints lines of an outside attacker that are still called safe, by class: the open work. */
function openHoles(rows: readonly { readonly why: string; readonly cmd: string }[]): void {
  const open = rows.filter(({ cmd }) => judgeCommand(cmd).verdict === 'safe');
  console.log(`\nknown holes: ${open.length} of ${rows.length} lines are still called safe`);
  for (const [why, lines] of Map.groupBy(open, (row) => row.why))
    console.log(`  ${String(lines.length).padStart(3)}  ${why}`);
}

const gate = read('gate');
accuracy(gate, 'destructive');
accuracy(gate, 'safe');
accuracy(read('everyday'), 'safe');
await tools();
openHoles(read('attack-open'));
await speed([...gate, ...read('everyday')]);
const [runs] = process.argv.slice(2);
if (runs !== undefined) recorded(runs);
