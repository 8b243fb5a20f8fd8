import { describe, expect, it } from 'vitest';
import type { ScreenOutput } from '../../src/ui/render/compositor.ts';
import { THEMES } from '../../src/ui/render/theme.ts';
import { FakeTerminal } from '../support/terminal.ts';
import { type Stage, type StageOptions, setStage } from './stage.tsx';

type Composed = Stage & { readonly display: FakeTerminal; readonly output: ScreenOutput };

async function setComposed(options: StageOptions = {}): Promise<Composed> {
  const stage = await setStage({ ...options, composed: true });
  const { display, output } = stage;
  if (!display || !output) throw new Error('not composed');
  await stage.see('[aish:fast]>');
  return { ...stage, display, output };
}

/** The bytes that the terminal received, how often Ink drew, and how often React committed, during `run`. */
async function cost({ display, output, counts }: Composed, run: () => void | Promise<void>) {
  const before = { writes: display.written.length, frames: output.compositor?.counts.frames, ...counts };
  await run();
  const written = display.written.slice(before.writes);
  return {
    writes: written.length,
    bytes: Buffer.from(written.join('')).length,
    frames: (output.compositor?.counts.frames ?? 0) - (before.frames ?? 0),
    commits: counts.commits - before.commits,
  };
}

/** Waits for everything that a change triggers. */
const turn = () => new Promise((resolve) => setTimeout(resolve, 60));

describe('the cost of a change', () => {
  it('is one short write for a typed letter, before React is involved', async () => {
    const stage = await setComposed({ columns: 120, rows: 40 });
    stage.press('?tell');
    await stage.see('?tell');
    await turn();
    for (const letter of ['z', '1', 'é', ' ']) {
      const typed = await cost(stage, () => stage.press(letter));
      expect(typed).toMatchObject({ writes: 1, frames: 0, commits: 0 });
      expect(typed.bytes).toBeLessThanOrEqual(20);
    }
    // The typed letter causes no later drawing either.
    expect(await cost(stage, async () => void (await turn()))).toEqual({ writes: 0, bytes: 0, frames: 0, commits: 0 });
    await stage.see('?tellz1é');
    await stage.display.settled();
    expect(stage.display.cursor).toEqual({ x: '[aish:fast]> ?tellz1é '.length, y: 38 });
  });

  it('is only one write for a token that completes no line', async () => {
    const stage = await setComposed();
    stage.press('?tell me\r');
    await stage.until(() => stage.calls.length === 1);
    stage.calls[0]?.say('Once upon');
    await stage.see('Once upon');
    await turn();
    const token = await cost(stage, async () => {
      stage.calls[0]?.say(' a time');
      await stage.see('a time');
    });
    expect(token).toMatchObject({ writes: 1, frames: 0, commits: 0 });
  });

  it('is one write for a step of the spinner, and one commit per row for longer text', async () => {
    const stage = await setComposed({ columns: 120, rows: 40, motion: true });
    stage.press('?tell me\r');
    await stage.until(() => stage.calls.length === 1);
    stage.calls[0]?.say('Once upon');
    await stage.see('Once upon');
    await turn();
    const { written } = stage.display;
    const before = written.length;
    const sign = await cost(stage, () => stage.until(() => written.length >= before + 3));
    expect(sign).toMatchObject({ frames: 0, commits: 0 });
    const rows = 5;
    const text = await cost(stage, async () => {
      for (let row = 0; row < rows; row += 1) {
        stage.calls[0]?.say(` more\n\nand ${row}`);
        await stage.see(`and ${row}`);
        for (let n = 0; n < 5; n += 1) {
          stage.calls[0]?.say(` w${n}`);
          await stage.see(`w${n}`);
        }
      }
    });
    // A paragraph is two rows, which arrive together.
    expect(text.commits).toBeLessThanOrEqual(2 * rows);
  });

  it('includes no Ink frame for program output in a full pane', async () => {
    const stage = await setComposed();
    stage.press('sleep 9\r');
    await stage.until(() => stage.commands.length === 1);
    const lines = Array.from({ length: 60 }, (_, n) => `printed ${n}`);
    stage.commands[0]?.print(lines);
    await stage.see('printed 59');
    stage.clock.advance(200);
    await stage.see('keys go to the program');
    await turn();
    const output = await cost(stage, async () => {
      stage.commands[0]?.print([...lines, 'one more']);
      await stage.see('one more');
    });
    expect(output).toMatchObject({ writes: 1, frames: 0, commits: 0 });
    expect(output.bytes).toBeLessThan(100);
  });
});

/** Draws Ink's own text of a stage on a terminal, to compare with the compositor's. */
async function cellsOfText(stage: Stage, columns: number, rows: number): Promise<readonly string[]> {
  const terminal = new FakeTerminal(columns, rows);
  for (const [y, line] of stage.raw().split('\n').entries()) terminal.write(`\x1b[${y + 1}H${line}`);
  await terminal.settled();
  return terminal.cells();
}

const SCENES: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
  'the first minute': async (stage) => {
    await stage.see('F1 lists the keys');
    // The model's server is asked after the first picture; a small screen has no row for it.
    if (/^ *model /m.test(stage.frame())) await stage.see(/model .*✓/);
  },
  'a line being typed': async (stage) => {
    stage.press('ls 你好 é 🙂 and much more than fits into one row of a narrow screen, so that it goes on below');
    await stage.see('below');
  },
  'a command that runs, with a dialog': async (stage) => {
    stage.press('sleep 9\r');
    await stage.until(() => stage.commands.length === 1);
    stage.commands[0]?.print(['\x1b[32mgreen\x1b[0m and \x1b[1;44mblue\x1b[0m', '└── 日本語', 'x'.repeat(200)]);
    await stage.see('日本語');
    stage.clock.advance(200);
    await stage.see('keys go to');
    stage.press('\x1d');
    await stage.see('gives it the keyboard');
    stage.press('\x0e');
    await stage.see('what is the goal?');
  },
  'a reply with a table and code': async (stage) => {
    stage.press('?show me\r');
    await stage.until(() => stage.calls.length === 1);
    stage.calls[0]?.say(
      '# Title\n\n**Bold** and `code`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```ts\nconst x = 1;\n```\n',
    );
    await stage.see('const x');
  },
  'a HALT': async (stage) => {
    stage.press('?clean up\r');
    await stage.until(() => stage.calls.length === 1);
    stage.calls[0]?.say('CMD: rm -rf build && git push --force origin main');
    stage.calls[0]?.end();
    await stage.see('HALT');
    await stage.arm();
    await stage.see(/p proceeds|unlocks? p/);
  },
  'the help': async (stage) => {
    stage.press('\x1bOP');
    await stage.see('Help');
  },
  'keys that may follow': async (stage) => {
    stage.press('\x18');
    stage.clock.advance(2000);
    await stage.see('Esc cancels');
  },
};

describe('a component drawn by the compositor equals the text that Ink renders', () => {
  for (const [columns, rows] of [
    [80, 24],
    [40, 10],
  ] as const) {
    for (const [name, play] of Object.entries(SCENES)) {
      for (const theme of ['dark', 'none'] as const) {
        it(`${name}, ${columns}×${rows}, ${theme}`, async () => {
          const options = { columns, rows, theme: THEMES[theme] };
          const text = await setStage(options);
          const composed = await setComposed(options);
          await play(text);
          await play(composed);
          await turn();
          await composed.display.settled();
          expect(composed.display.cells()).toEqual(await cellsOfText(text, columns, rows));
        });
      }
    }
  }
});

/** Redraws everything, and checks that the terminal shows the same as before. */
async function expectWhole({ display, output }: Composed): Promise<void> {
  output.compositor?.flush();
  await display.settled();
  const before = display.cells();
  const { cursor } = display;
  output.compositor?.redraw();
  output.compositor?.flush();
  await display.settled();
  expect(display.cells()).toEqual(before);
  expect(display.cursor).toEqual(cursor);
}

describe('the screen stays complete', () => {
  it('through resizes, also between a frame and its write', async () => {
    const stage = await setComposed();
    stage.press('ls deep\r');
    await stage.until(() => stage.commands.length === 1);
    stage.commands[0]?.print(['one', 'two 你好']);
    await stage.see('two');
    for (const [columns, rows] of [
      [40, 10],
      [120, 40],
      [61, 17],
    ] as const) {
      stage.screen.resize({ columns, rows });
      stage.display.resize(columns, rows);
      stage.screen.redraw();
      await stage.until(() => stage.display.text().split('\n').at(-1)?.includes('fast') ?? false);
      await expectWhole(stage);
    }
  });

  it('after a program had the terminal during a reply', async () => {
    const stage = await setComposed();
    stage.press('?tell me\r');
    await stage.until(() => stage.calls.length === 1);
    stage.calls[0]?.say('Once upon');
    await stage.see('Once upon');
    let back = () => {};
    const lent = stage.screen.lend(() => new Promise<void>((resolve) => (back = resolve)));
    const { length } = stage.display.written;
    stage.calls[0]?.say(' a time\n\nthere was\n\n- a\n- b');
    await turn();
    expect(stage.display.written).toHaveLength(length);
    stage.display.write('\x1b[H\x1b[41mthe editor’s own picture\x1b[0m');
    back();
    await lent;
    await stage.see('• b');
    expect(stage.frame()).not.toContain('editor');
    await expectWhole(stage);
  });

  it('with and behind a HALT, and in other colours', async () => {
    const stage = await setComposed({ theme: THEMES.dark });
    stage.press('?clean up\r');
    await stage.until(() => stage.calls.length === 1);
    stage.calls[0]?.say('CMD: rm -rf build');
    stage.calls[0]?.end();
    await stage.see('HALT');
    await expectWhole(stage);
    stage.screen.setTheme(THEMES.light);
    await turn();
    await expectWhole(stage);
    await stage.arm();
    stage.answer('s');
    await stage.until(() => stage.calls.length === 2);
    await turn();
    expect(stage.frame()).not.toContain('HALT ·');
    await expectWhole(stage);
  });
});

describe('inline', () => {
  it('leaves a final answer in the rows above the prompt, and redraws only the live rows', async () => {
    const stage = await setComposed({ inline: true, rows: 16 });
    const { display } = stage;
    stage.press('?tell me\r');
    await stage.until(() => stage.calls.length === 1);
    stage.calls[0]?.say('Once upon a time');
    await stage.see('Once upon');
    stage.calls[0]?.end();
    await stage.until(() => !stage.frame().includes('answering'));
    await stage.see(/^\n\? tell me.*\n\n● Once upon a time\n\n\[aish:fast\]>/);
    const before = display.written.length;
    stage.press('x');
    await stage.see('> x');
    expect(display.written.slice(before).join('')).not.toContain('Once');
  });

  it('shows a HALT in the rows below the output, and afterwards prints the entries held back meanwhile', async () => {
    const stage = await setComposed({ inline: true });
    stage.press('?clean up\r');
    await stage.until(() => stage.calls.length === 1);
    stage.calls[0]?.say('CMD: rm -rf build');
    stage.calls[0]?.end();
    await stage.see('HALT');
    await stage.arm();
    stage.answer('s');
    await stage.until(() => !stage.frame().includes('HALT'));
    await stage.see(/skipped.*\n[\s\S]*\[aish:fast\]>/);
  });

  it('shows earlier entries while the user scrolls, and only the live rows again at the end', async () => {
    const stage = await setComposed({ inline: true, rows: 12 });
    stage.press('?tell me\r');
    await stage.until(() => stage.calls.length === 1);
    stage.calls[0]?.say(Array.from({ length: 30 }, (_, n) => `verse ${n + 1}`).join('\n\n'));
    stage.calls[0]?.end();
    await stage.see('verse 30');
    stage.press('\x1b[5~');
    await stage.see(/more below/);
    stage.press('\x1b[1;5F');
    await stage.until(() => !stage.frame().includes('more below'));
    await stage.see('[aish:fast]>');
    expect(stage.frame()).not.toContain('verse 2\n');
  });
});
