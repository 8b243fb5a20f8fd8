/** Names that are not UTF-8 survive text and JSON byte by byte. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bytesOfText, isOfBytes, pathOf, spelledBytes, textOfBytes } from '../../../src/effects/undo/paths.ts';
import { nameText } from '../../../src/text/spelled.ts';

/** Byte strings that mix whole characters and pieces of them. */
const bytes = fc
  .array(
    fc.oneof(
      fc.uint8Array({ maxLength: 4 }),
      fc.string({ unit: 'binary', maxLength: 4 }).map((text) => Buffer.from(text)),
    ),
  )
  .map((parts) => Buffer.concat(parts));

it('names of any bytes survive conversion to text and JSON unchanged', () => {
  fc.assert(
    fc.property(bytes, (name) => {
      const text = textOfBytes(name);
      const kept = JSON.parse(JSON.stringify({ text })) as { text: string };
      expect(bytesOfText(kept.text).equals(name)).toBe(true);
      expect(Buffer.from(pathOf(text)).equals(name)).toBe(true);
    }),
  );
});

it('two different names never become equal as text, and valid UTF-8 stays unchanged', () => {
  fc.assert(
    fc.property(bytes, bytes, (one, other) => {
      const [shown, told] = [one, other].map((name) => nameText(textOfBytes(name)));
      expect(shown === told).toBe(one.equals(other));
    }),
  );
  const text = 'né \ufffd 😀';
  expect([textOfBytes(Buffer.from(text)), pathOf(text), isOfBytes(text)]).toEqual([text, text, false]);
  expect(spelledBytes(textOfBytes(Buffer.from([0x61, 0xe9, 0xff])))).toBe('a⟨xE9⟩⟨xFF⟩');
});

it('encoding takes time in proportion to the length of a name of raw bytes', () => {
  const cost = (length: number) => {
    const before = process.cpuUsage();
    expect(bytesOfText(textOfBytes(Buffer.alloc(length, 0xe9)))).toHaveLength(length);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  cost(250_000);
  // Quadratic time would be 16 times as much.
  expect(cost(1_000_000) / cost(250_000)).toBeLessThan(10);
});
