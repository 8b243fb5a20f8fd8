/** Recall, false positives and speed of the secrets filter over the labelled texts: `npm run bench -- secrets`. */
import { readdirSync, readFileSync } from 'node:fs';
import { detect } from '../../src/secrets/detect.ts';
import { SecretsFilter } from '../../src/secrets/filter.ts';
import { type Labelled, scoreOf, secretsCorpus } from '../support/secrets-corpus.ts';

const percent = (part: number, all: number) => `${((100 * part) / Math.max(1, all)).toFixed(1)} %`.padStart(8);

function accuracy(rows: readonly Labelled[]): void {
  console.log('\n                    found    exact  secrets     false  look-alikes');
  const line = (name: string, some: readonly Labelled[]) => {
    const { all, covered, exact, clean, falsely } = scoreOf(some, detect);
    console.log(
      `${name.padEnd(16)} ${percent(covered, all)} ${percent(exact, all)} ${String(all).padStart(8)}  ${percent(falsely, clean)} ${String(clean).padStart(8)}`,
    );
  };
  for (const name of [...new Set(rows.map((row) => row.class))]) {
    line(
      name,
      rows.filter((row) => row.class === name),
    );
  }
  for (const half of ['tuned', 'held']) {
    line(
      half,
      rows.filter((row) => row.half === half),
    );
  }
}

/** Prints megabytes a second of this process's own time. */
function speed(name: string, text: string): void {
  const filter = new SecretsFilter();
  filter.find(text.slice(0, 200_000));
  const before = process.cpuUsage();
  filter.find(text);
  const { user, system } = process.cpuUsage(before);
  console.log(`${name.padEnd(24)} ${(text.length / (user + system)).toFixed(1).padStart(7)} MB/s`);
}

function repeated(text: string, length: number): string {
  return text.repeat(Math.ceil(length / text.length)).slice(0, length);
}

const rows = secretsCorpus(1);
accuracy(rows);
console.log();
const source = new URL('../../src/session/', import.meta.url);
const code = readdirSync(source).map((name) => readFileSync(new URL(name, source), 'utf8'));
const log = '2026-11-20T10:00:00Z INFO [worker-3] GET /api/v1/items?id=42&page=7 200 12ms user=bob trace=5f3e9a\n';
speed('source code', repeated(code.join('\n'), 4e6));
speed('a log', repeated(log, 8e6));
speed('the labelled texts', repeated(rows.map(({ text }) => text).join('\n'), 4e6));
for (const hostile of ['password=', 'eyJ-', 'key ', '://a', '-----BEGIN PRIVATE KEY-----'])
  speed(`hostile: ${hostile.slice(0, 12)}`, repeated(hostile, 4e5));
