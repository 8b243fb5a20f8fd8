import { describe, expect, it } from 'vitest';
import { PromptStream } from '../../src/executor/prompt-stream.ts';
import { until } from './support.ts';

const PROMPT = (serial: number) =>
  `\x1b[?2004h\x1b]7331;@t;D;0;${serial};himBHs;/home\x07first ~\r\r\nsecond> \x1b]7331;@t;R\x07`;
/** What bash draws for a key of ours: its line is cleared, the key's mark, the last row again. */
const KEY = (mark: string) => `\r\x1b[K\r\x1b]7331;@t;${mark}\x07second> \x1b]7331;@t;R\x07`;
const LINE = (text: string) => `\x1b[7m${text}\x1b[27m\r\x1b[C${text}\r\n\x1b[?2004l\r\x1b]7331;@t;C\x07`;

type Seen = { output: string; idle: string; ends: number; doubts: number };

/** Reads pieces of what bash wrote, with a pause behind each as on a busy machine; others say whether bash waits now. */
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
      // That an editor takes pastes shows nothing.
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

/** Cut in two at each place. */
const cuts = (text: string) => [...text].map((_, at) => [text.slice(0, at), text.slice(at)]);

describe('a prompt of two rows is no output, wherever a read of the terminal ends', () => {
  const start = [PROMPT(1)];

  it('behind a command', async () => {
    const all = cuts(PROMPT(2)).map(async (pieces) => {
      const { seen } = await reads([...start, SENT, LINE('echo x'), 'x\r\n', ...pieces]);
      await until(() => seen.ends === 1, 'the command has ended');
      return { text: seen.output.replace('\x1b[?2004h', ''), idle: seen.idle };
    });
    for (const seen of await Promise.all(all)) expect(seen).toEqual({ text: 'x\r\n', idle: '' });
  });

  it('drawn again for a key of ours', async () => {
    const all = cuts(KEY('S;;1;0') + KEY('O;0')).map(async (pieces) => (await reads([...start, ...pieces])).seen.idle);
    expect(new Set(await Promise.all(all))).toEqual(new Set(['']));
  });

  it('drawn again for a line that was typed ahead, before the prompt is known for one', async () => {
    const typed = `${PROMPT(2)}echo a${KEY('W;echo a')}`;
    const { seen } = await reads([...start, SENT, LINE('sleep 1'), undefined, typed, true, KEY('L;'), KEY('S;;2;0')]);
    await until(() => seen.ends === 1, 'the command has ended');
    // The program leaves out what was typed.
    expect(seen.idle).toBe('echo a');
  });

  it('and what a job prints meanwhile is kept', async () => {
    const { seen, stream } = await reads([...start, 'sec', 'ret\r\n', KEY('S;;1;0'), 'second thoughts\r\n', 'sec']);
    stream.sent();
    expect(seen.idle).toBe('secret\r\nsecond thoughts\r\nsec');
  });
});

describe('an editor that opens without a mark', () => {
  const OPENED = '\x1b[?2004hfirst\r\r\nsecond> ';

  it('is doubted as long as the shell itself waits, and what it drew is no output once it is the prompt', async () => {
    const { seen, stream } = await reads([PROMPT(1), SENT, LINE("PS1='first\\nsecond> '"), OPENED]);
    expect(seen).toMatchObject({ doubts: 1, output: '' });
    stream.promptUnmarked();
    stream.push(Buffer.from(`\r\n\x1b[?2004l\r${PROMPT(2)}`));
    await until(() => seen.ends === 1, 'the command has ended');
    expect(seen).toMatchObject({ output: '', idle: '' });
  });

  it('is output where it turns out to be for `read -e`', async () => {
    const { seen, stream } = await reads([PROMPT(1), SENT, LINE('read -e -p "name? "'), '\x1b[?2004hname? ', 'Ann']);
    expect(seen).toMatchObject({ doubts: 1, output: '' });
    stream.decided();
    expect(seen.output).toBe('\x1b[?2004hname? Ann');
  });

  it('is output at once where another program has the terminal', async () => {
    const { seen } = await reads([PROMPT(1), SENT, LINE('python3'), false, '\x1b[?2004h>>> ']);
    expect(seen).toMatchObject({ doubts: 0, output: '\x1b[?2004h>>> ' });
  });

  it('is output at once where it is closed again', async () => {
    const text = '\x1b[?2004hx\r\n\x1b[?2004l\rgot x\r\n';
    const { seen } = await reads([PROMPT(1), SENT, LINE('read -e'), undefined, text]);
    expect(seen.output).toBe(text);
  });
});
