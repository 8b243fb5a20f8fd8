import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyPatch, parsePatch } from 'diff';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { occurrences } from '../../src/tools/patch/match.ts';
import type { Patch } from '../../src/tools/patch/patches.ts';
import { applyPatches, patchTool } from '../../src/tools/patch/tool.ts';

import { cases } from '../support/cases.ts';
import { crashing } from '../tools/patch-steps.ts';

/** Few letters, so that texts repeat, overlap, and differ only by blanks. */
const pieces = ['a', 'b', 'ab', ' ', '  ', '\t', '\n', '\n\n', 'é', '🙂', '(', '$&'];
const soup = (max: number) => fc.array(fc.constantFrom(...pieces), { maxLength: max }).map((parts) => parts.join(''));
const words = fc.array(fc.constantFrom('if x:', 'return y', '\tz = 1', '    z = 2', '', '}'), { maxLength: 12 });

/**
 * A file as it may be on disk: either style of line breaks or both, with or without a byte order mark and a final
 * newline.
 */
const file = fc
  .record({
    text: fc.oneof(
      soup(30),
      words.map((lines) => lines.join('\n')),
    ),
    breaks: fc.constantFrom('\n', '\r\n', 'mixed'),
    mark: fc.boolean(),
    final: fc.boolean(),
  })
  .map(({ text, breaks, mark, final }) => {
    let count = 0;
    const next = () => (breaks === 'mixed' ? ['\n', '\r\n'][count++ % 2] : breaks) ?? '';
    return (mark ? '\ufeff' : '') + (final ? `${text}\n` : text).replace(/\n/g, next);
  });

/** Patches that often match: half of their old texts are cut out of the file. */
function patchesFor(original: string): fc.Arbitrary<Patch[]> {
  const span = fc.tuple(fc.nat(original.length), fc.integer({ min: 1, max: 9 }));
  const cut = span.map(([from, length]) => original.slice(from, from + length).replaceAll('\r\n', '\n'));
  const patch = fc.record(
    {
      operation: fc.constantFrom('replace', 'insert_before', 'insert_after', 'append_eof', 'prepend_bof', 'overwrite'),
      oldText: fc.oneof({ weight: 3, arbitrary: cut }, soup(4)),
      newText: soup(6),
      replaceAll: fc.boolean(),
    },
    { requiredKeys: ['operation', 'newText'] },
  );
  return fc.array(patch, { minLength: 1, maxLength: 4 });
}

const call = file.chain((original) => fc.tuple(fc.constant(original), patchesFor(original)));
const flat = (text: string) => text.replaceAll('\r\n', '\n');

describe('applyPatches', () => {
  it('finds what a plain search finds', () => {
    fc.assert(
      fc.property(soup(40), soup(4), (text, pattern) => {
        const plain = Array.from({ length: text.length }, (_, at) => at).filter((at) => text.startsWith(pattern, at));
        expect(occurrences(text, pattern)).toEqual(pattern === '' ? [] : plain);
      }),
      { numRuns: cases(400) },
    );
  });

  it('applies all patches or none', () => {
    fc.assert(
      fc.property(call, fc.nat(4), ([original, patches], at) => {
        const impossible: Patch = { operation: 'replace', oldText: 'not there at all', newText: '' };
        const result = applyPatches(original, patches.toSpliced(at, 0, impossible));
        expect(result).toMatchObject({ ok: false, message: expect.stringMatching(/^patch \d \(|text; at most/) });
      }),
      { numRuns: cases(400) },
    );
  });

  it('changes only what a replacement names, byte for byte', () => {
    const around = fc.tuple(
      file,
      file.map((text) => text.replace('\ufeff', '')),
      soup(6),
    );
    fc.assert(
      fc.property(around, ([head, tail, newText]) => {
        const middle = '<<the only one>>';
        const result = applyPatches(head + middle + tail, [{ operation: 'replace', oldText: middle, newText }]);
        if (!result.ok) throw new Error(result.message);
        expect(result.text.startsWith(head) && result.text.endsWith(tail)).toBe(true);
        expect(flat(result.text.slice(head.length, result.text.length - tail.length))).toBe(newText);
      }),
      { numRuns: cases(400) },
    );
  });

  it('gives the same result for several exact replacements, in any order, as a single pass over the file', () => {
    const markers = fc.shuffledSubarray(['<1>', '<2>', '<3>', '<4>'], { minLength: 1 });
    fc.assert(
      fc.property(
        fc.array(file, { minLength: 5, maxLength: 5 }),
        fc.array(soup(4), { minLength: 4, maxLength: 4 }),
        markers,
        (parts, news, order) => {
          const plain = parts.map((part) => part.replace('\ufeff', ''));
          const original = plain.map((part, index) => (index < 4 ? `${part}<${index + 1}>` : part)).join('');
          const patches = order.map(
            (oldText): Patch => ({ operation: 'replace', oldText, newText: news[Number(oldText[1]) - 1] ?? '' }),
          );
          const expected = patches.reduce(
            (text, { oldText = '', newText = '' }) => text.split(oldText).join(newText),
            flat(original),
          );
          const result = applyPatches(original, patches);
          expect(result.ok && flat(result.text)).toBe(expected);
        },
      ),
      { numRuns: cases(300) },
    );
  });

  it('keeps the style of line breaks, the byte order mark, and a missing final newline', () => {
    fc.assert(
      fc.property(call, ([original, patches]) => {
        const result = applyPatches(original, patches);
        if (!result.ok) return;
        expect(result.text.startsWith('\ufeff')).toBe(original.startsWith('\ufeff'));
        const [all, crlf] = [original.match(/\n/g)?.length ?? 0, original.match(/\r\n/g)?.length ?? 0];
        if (all > 0 && crlf === all) expect(result.text).not.toMatch(/(?<!\r)\n/);
        if (all > 0 && crlf === 0) expect(result.text).not.toContain('\r');
        const body = original.replace('\ufeff', '');
        const appends = patches.every(({ operation }) => operation === 'append_eof' || operation === 'prepend_bof');
        const text = patches.findLast(
          ({ operation, newText }) => operation === 'append_eof' && newText !== '',
        )?.newText;
        if (!appends || body === '' || text === '\n' || text?.endsWith('\n\n')) return;
        expect(result.text.endsWith('\n')).toBe(body.endsWith('\n'));
      }),
      { numRuns: cases(800) },
    );
  });

  it('matches a text that differs only in blanks, if there is one such place', () => {
    const indent = fc.constantFrom('', '  ', '\t', '    ');
    fc.assert(
      fc.property(indent, indent, words, (mine, theirs, around) => {
        const block = (lead: string, last: string) => `${lead}begin {\n${lead}\t${last};\n${lead}}\n`;
        const original = `${around.join('\n')}\n${block(theirs, 'old  value')}${around.join('\n')}`;
        const result = applyPatches(original, [
          { operation: 'replace', oldText: block(mine, 'old value'), newText: block(mine, 'new') },
        ]);
        expect(result).toMatchObject({
          ok: true,
          text: original.replace(block(theirs, 'old  value'), block(theirs, 'new')),
        });
      }),
    );
  });
});

describe('the patch tool', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'patch-property-'));
  afterAll(() => rmSync(cwd, { recursive: true }));
  const path = join(cwd, 'real');
  symlinkSync('real', join(cwd, 'link'));

  it('leaves the result of applyPatches or the file unchanged; the diff describes it and undo reverts it', async () => {
    const plain = (text: string) => /^[^\ufeff\r]*$/.test(text);
    await fc.assert(
      fc.asyncProperty(call, fc.constantFrom(0o644, 0o600, 0o755), async ([original, patches], mode) => {
        writeFileSync(path, original);
        chmodSync(path, mode);
        const diffs: string[] = [];
        const tool = patchTool({ onApplied: ({ diff }) => diffs.push(diff) });
        const expected = applyPatches(original, patches);
        const outcome = await tool.run(
          { path: 'link', patches },
          { cwd, signal: new AbortController().signal, destructive: true },
        );
        expect(outcome.failed).toBe(!expected.ok);
        expect(readFileSync(path, 'utf8')).toBe(expected.ok ? expected.text : original);
        expect(statSync(path).mode & 0o777).toBe(mode);
        const [parsed] = parsePatch(diffs[0] ?? '');
        if (expected.ok && parsed && plain(original)) expect(applyPatch(original, parsed)).toBe(expected.text);
        expect((await tool.undo()).ok).toBe(expected.ok);
        expect(readFileSync(path, 'utf8')).toBe(original);
      }),
      { numRuns: cases(60) },
    );
  });

  it('leaves the old or the new file after a crash at any step, also of undo', async () => {
    const whole = call.map(([original, patches]) => ({ original, patches, after: applyPatches(original, patches) }));
    await fc.assert(
      fc.asyncProperty(
        whole.filter(({ after }) => after.ok),
        fc.nat(24),
        async ({ original, patches, after }, count) => {
          writeFileSync(path, original);
          const crash = crashing(count);
          const tool = patchTool({ steps: crash.steps });
          await tool.run({ path: 'real', patches }, { cwd, signal: new AbortController().signal, destructive: true });
          await tool.undo();
          crash.lose();
          expect([original, after.ok && after.text]).toContain(readFileSync(path, 'utf8'));
        },
      ),
      { numRuns: cases(60) },
    );
  });
});
