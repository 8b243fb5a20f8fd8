import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AlternateScreen } from '../../src/executor/full-screen-output.ts';
import { runOnce } from '../../src/executor/index.ts';
import { LineWriter } from '../../src/executor/output-file.ts';
import { MarkScanner } from '../../src/executor/shell-integration/marks.ts';
import { cases } from '../support/cases.ts';

const TOKEN = 'a1b2';
const pieces = fc.constantFrom(
  ...[
    '\x1b',
    '\x1b]',
    '\x1b]7331;',
    `\x1b]7331;${TOKEN};`,
    `\x1b]7331;${TOKEN};D;1;/usr\x07`,
    '\x1b]7331;zz;D;0;/\x07',
  ],
  ...[
    '\x1b[?1049h',
    '\x1b[?1049l',
    '\x1b[?1;1049h',
    '\x1b[?25h',
    '\x1b[31m',
    '\x1b[',
    '?',
    '1049',
    'h',
    ';',
    '\x07',
    '\x1b\\',
  ],
  ...['text', '\r', '\n', '\b', '\t', 'é', '日', '\u202e', '\u009b', '\x18', 'x'.repeat(40)],
);
const stream = fc.array(pieces, { maxLength: 40 }).map((parts) => Buffer.from(parts.join('')));
const cuts = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 20 });

function inChunks(data: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0, turn = 0; at < data.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    chunks.push(data.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

describe('a stream is parsed the same however it is cut, for', () => {
  it('marks', () => {
    const scan = (chunks: readonly Buffer[]): string => {
      let seen = '';
      const scanner = new MarkScanner(
        (token) => token === TOKEN,
        (data) => {
          seen += data.toString('latin1');
        },
        (mark) => {
          seen += `<${mark.kind}|${mark.fields.join('|')}>`;
        },
      );
      for (const chunk of chunks) scanner.push(chunk);
      scanner.flush();
      return seen;
    };
    fc.assert(
      fc.property(stream, cuts, (data, sizes) => {
        expect(scan(inChunks(data, sizes))).toBe(scan([data]));
      }),
      { numRuns: cases(300) },
    );
  });

  it('switches of the alternate screen', () => {
    const split = (chunks: readonly Buffer[]): string => {
      const screen = new AlternateScreen();
      const all = chunks.flatMap((chunk) => screen.split(chunk));
      const rest = screen.rest();
      if (rest) all.push({ data: rest, fullScreen: screen.fullScreen });
      return all
        .map(({ data, fullScreen }) => [...data].map((byte) => `${fullScreen ? 'F' : 'n'}${byte}`).join())
        .join();
    };
    fc.assert(
      fc.property(stream, cuts, (data, sizes) => {
        expect(split(inChunks(data, sizes))).toBe(split([data]));
      }),
      { numRuns: cases(300) },
    );
  });

  it('full texts, which contain no control except newline and tab', () => {
    const write = (chunks: readonly Buffer[]): string => {
      const blocks: Buffer[] = [];
      const writer = new LineWriter((block) => blocks.push(Buffer.from(block)));
      for (const chunk of chunks) writer.push(chunk);
      writer.end();
      return Buffer.concat(blocks).toString();
    };
    fc.assert(
      fc.property(stream, cuts, (data, sizes) => {
        const text = write([data]);
        expect(write(inChunks(data, sizes))).toBe(text);
        expect(text).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
      }),
      { numRuns: cases(300) },
    );
    expect(write([Buffer.from('10%\r50%\r100%\ndone\r\n')])).toBe('100%\ndone\n');
  });
});

describe('a real terminal under fuzz', () => {
  const harmless =
    /^(?:[^\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]|\x1b\[[\d;]*m|\x1b\]8;;(?:(?:(?:https?|file):\/\/|mailto:)[\x21-\x7e]*)?\x1b\\)*$/iu;

  it('lets nothing of a million random bytes and a corpus of sequences reach the screen, result or file', async () => {
    const home = mkdtempSync(join(tmpdir(), 'executor-fuzz-'));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    const hostile = [
      '\x1b]0;t\x07',
      '\x1b]52;c;aGk=\x07',
      '\x1b[6n',
      '\x1bP$qm\x1b\\',
      '\x1b_G\x1b\\',
      '\x9b5n',
      '\x1bc',
      '\x1b[?1049h',
      '\x1b]8;;javascript:x\x07',
      '\x1b]8;;https://a.b\u202e\x07',
      '\x1b]8;;https://a.b/c\x07',
    ];
    const corpus = Array.from({ length: 3000 }, (_, i) => `${hostile[i % hostile.length]}line ${i}\u202e\r\n`).join('');
    writeFileSync(
      join(home, 'noise'),
      Buffer.concat([randomBytes(1_000_000), Buffer.from(corpus), randomBytes(200_000)]),
    );
    const env = { PATH: process.env.PATH ?? '', HOME: home, LANG: 'C.UTF-8' };
    const run = runOnce({ command: 'cat noise; exit 9', cwd: home, env, columns: 80, rows: 24, dataDir: home });
    const shown: string[] = [];
    run.output.subscribe(() => shown.push(...run.output.lines(24)));
    const result = await run.result;
    expect(result.exit).toBe(9);
    for (const line of [...new Set(shown)]) expect(line).toMatch(harmless);
    for (const line of `${result.head}\n${result.tail}`.split('\n')) expect(line).toMatch(harmless);
    if (result.file !== undefined) {
      const text = readFileSync(result.file, 'latin1');
      expect(text).not.toMatch(/[\0-\x08\x0b-\x1f\x7f]/);
    }
  });
});
