import { describe, expect, it } from 'vitest';
import { PromptStream } from '../../src/executor/prompt-stream.ts';
import { until } from './support.ts';

const PROMPT = (serial: number) =>
  `\x1b[?2004h\x1b]7331;@t;D;0;${serial};himBHs;/home\x07first ~\r\r\nsecond> \x1b]7331;@t;R\x07`;
/**
 * The output of bash when the integration sends it a key: the line is cleared, then come the key’s mark and the last
 * prompt row.
 */
const KEY = (mark: string) => `\r\x1b[K\r\x1b]7331;@t;${mark}\x07second> \x1b]7331;@t;R\x07`;
const LINE = (text: string) => `\x1b[7m${text}\x1b[27m\r\x1b[C${text}\r\n\x1b[?2004l\r\x1b]7331;@t;C\x07`;

type Seen = { output: string; idle: string; ends: number; doubts: number };

/**
 * Feeds the stream pieces of bash's output, with a pause after each as on a busy machine. Booleans say whether bash
 * waits now.
 */
async function reads(pieces: readonly (string | boolean | undefined | typeof SENT)[]) {
  let waits: boolean | undefined = true;
  const seen: Seen = { output: '', idle: '', ends: 0, doubts: 0 };
  const stream = new PromptStream(
    {
      token: '@t',
      echoOver: '\x1b[?2004l',
      promptBegins: '\x1b[?2004h',
      waits: () => waits,
      typedAhead: () => false,
      asked: () => false,
    },
    {
      // Switching bracketed paste on shows nothing.
      onIdle: (data) => (seen.idle += data.toString().replace('\x1b[?2004h', '')),
      onOutput: (data) => (seen.output += data.toString()),
      onStart: () => {},
      onEnd: () => (seen.ends += 1),
      onReady: () => {},
      onDoubt: () => (seen.doubts += 1),
      onRest: () => {},
      onAnswer: () => {},
    },
  );
  for (const piece of pieces) {
    if (typeof piece === 'string') stream.push(Buffer.from(piece));
    else if (piece === SENT) stream.sent();
    else waits = piece;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return { seen, stream };
}

const PAUSE_MS = 60;
const SENT = Symbol('sent');

/** Cuts a text in two at each place. */
const cuts = (text: string) => [...text].map((_, at) => [text.slice(0, at), text.slice(at)]);

describe('a prompt of two rows counts as no output, wherever a read of the terminal ends', () => {
  const start = [PROMPT(1)];

  it('after a command', async () => {
    const all = cuts(PROMPT(2)).map(async (pieces) => {
      const { seen } = await reads([...start, SENT, LINE('echo x'), 'x\r\n', ...pieces]);
      await until(() => seen.ends === 1, 'the command has ended');
      return { text: seen.output.replace('\x1b[?2004h', ''), idle: seen.idle };
    });
    for (const seen of await Promise.all(all)) expect(seen).toEqual({ text: 'x\r\n', idle: '' });
  });

  it('when it is redrawn for a key of the shell integration', async () => {
    const all = cuts(KEY('S;;1;0') + KEY('O;0')).map(async (pieces) => (await reads([...start, ...pieces])).seen.idle);
    expect(new Set(await Promise.all(all))).toEqual(new Set(['']));
  });

  it('when it is redrawn for a typed-ahead line before the prompt is recognised', async () => {
    const typed = `${PROMPT(2)}echo a${KEY('W;echo a')}`;
    const { seen } = await reads([...start, SENT, LINE('sleep 1'), undefined, typed, true, KEY('L;'), KEY('S;;2;0')]);
    await until(() => seen.ends === 1, 'the command has ended');
    // The output does not contain the typed text.
    expect(seen.idle).toBe('echo a');
  });

  it('while a job’s output in between is kept', async () => {
    const { seen, stream } = await reads([...start, 'sec', 'ret\r\n', KEY('S;;1;0'), 'second thoughts\r\n', 'sec']);
    stream.sent();
    expect(seen.idle).toBe('secret\r\nsecond thoughts\r\nsec');
  });
});

describe('a line editor’s start sequence without the integration’s mark', () => {
  const OPENED = '\x1b[?2004hfirst\r\r\nsecond> ';

  it('is held back while the shell itself waits, and is dropped when it turns out to be the prompt', async () => {
    const { seen, stream } = await reads([PROMPT(1), SENT, LINE("PS1='first\\nsecond> '"), OPENED]);
    expect(seen).toMatchObject({ doubts: 1, output: '' });
    stream.promptUnmarked();
    stream.push(Buffer.from(`\r\n\x1b[?2004l\r${PROMPT(2)}`));
    await until(() => seen.ends === 1, 'the command has ended');
    expect(seen).toMatchObject({ output: '', idle: '' });
  });

  it('is output when it comes from `read -e`', async () => {
    const { seen, stream } = await reads([PROMPT(1), SENT, LINE('read -e -p "name? "'), '\x1b[?2004hname? ', 'Ann']);
    expect(seen).toMatchObject({ doubts: 1, output: '' });
    stream.decided();
    expect(seen.output).toBe('\x1b[?2004hname? Ann');
  });

  it('is output at once when another program has the terminal', async () => {
    const { seen } = await reads([PROMPT(1), SENT, LINE('python3'), false, '\x1b[?2004h>>> ']);
    expect(seen).toMatchObject({ doubts: 0, output: '\x1b[?2004h>>> ' });
  });

  it('is output at once when the line editor has ended again', async () => {
    const text = '\x1b[?2004hx\r\n\x1b[?2004l\rgot x\r\n';
    const { seen } = await reads([PROMPT(1), SENT, LINE('read -e'), undefined, text]);
    expect(seen.output).toBe(text);
  });
});
