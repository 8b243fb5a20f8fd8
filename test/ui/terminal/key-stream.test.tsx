import { PassThrough } from 'node:stream';
import { render, Text } from 'ink';
import TextInput from 'ink-text-input';
import { useState } from 'react';
import { afterEach, expect, it, vi } from 'vitest';
import { KeyStream } from '../../../src/ui/terminal/key-stream.ts';
import { createTokenizer } from '../../../src/ui/terminal/tokenizer.ts';
import { fakeClock } from '../../support/clock.ts';

const until = (holds: () => void) => vi.waitFor(holds, { timeout: 20_000, interval: 10 });

const unmounts: (() => void)[] = [];
afterEach(() => {
  for (const unmount of unmounts.splice(0)) unmount();
});

type Seen = { value: string; submitted: string };

function Field({ seen }: { readonly seen: Seen }) {
  const [value, setValue] = useState('');
  seen.value = value;
  const submit = (text: string) => {
    seen.submitted = text;
  };
  return (
    <Text>
      <TextInput value={value} onChange={setValue} onSubmit={submit} />
    </Text>
  );
}

/** A field of a dialog as the screen builds it: bytes → tokenizer → KeyStream → Ink. */
async function field() {
  const stream = new KeyStream();
  const seen: Seen = { value: '', submitted: '' };
  const stdout = Object.assign(new PassThrough(), { columns: 40, rows: 10, isTTY: true });
  // Ink declares the types of the process's streams, but uses only the members that these doubles have.
  const instance = render(<Field seen={seen} />, {
    stdin: stream,
    stdout: stdout as unknown as NodeJS.WriteStream,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  unmounts.push(() => instance.unmount());
  await until(() => expect(stream.isRaw).toBe(true));
  const tokenizer = createTokenizer((token) => stream.feed(token), fakeClock().schedule);
  return { seen, type: (text: string) => tokenizer.push(Buffer.from(text)) };
}

it('a field gets lines that arrive in one chunk key by key', async () => {
  const { seen, type } = await field();
  type('hello\x7f\x7fp!');
  await until(() => expect(seen.value).toBe('help!'));
  type('\r');
  await until(() => expect(seen.submitted).toBe('help!'));
});

it('chords, replies and mouse reports do not reach a field', async () => {
  const { seen, type } = await field();
  type('a\x0e\x01\x1b[?62;4c\x1b[<35;1;1M\x1bb\x1b[3~b\x1b[200~c\nd\x1b[201~');
  await until(() => expect(seen.value).toBe('abc d'));
});
