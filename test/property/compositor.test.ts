/**
 * A screen drawn by differences equals one drawn from nothing, after any change and in terminals with either width of
 * emoji and clusters.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stripStyles } from '../../src/text/style.ts';
import { wrapText } from '../../src/text/wrap.ts';
import { Compositor, type Surface } from '../../src/ui/render/compositor.ts';
import { cases } from '../support/cases.ts';
import { HOSTILE } from '../support/hostile.ts';
import { FakeTerminal, type Width } from '../support/terminal.ts';
import { foreign } from '../support/terminal-output.ts';

const RUNS = cases(10);

const PIECES = [
  'abc',
  'hello world',
  '   ',
  '你好',
  '한글',
  'é',
  'e\u0301',
  '🙂',
  '👩‍👩‍👧',
  '👍🏽',
  '🇩🇪',
  '⚡',
  '✔️',
  'क्षि',
  'ไทย',
  '①',
  'ﷺ',
  '│',
  '━━',
  '\u200b',
  '\x1b[31mred\x1b[0m',
  '\x1b[1;44mbg \x1b[0m',
  '\x1b[7m 你 \x1b[0m',
  '\x1b[4;38;5;99mline🙂\x1b[0m',
  '\x1b]8;;https://x.y/\x1b\\link\x1b]8;;\x1b\\',
] as const;

const line = fc.array(fc.constantFrom(...PIECES), { maxLength: 9 }).map((pieces) => pieces.join(''));

/** One random change of a screen between two checks. */
type Step =
  | { readonly kind: 'edit'; readonly pane: number; readonly row: number; readonly text: string }
  | { readonly kind: 'append'; readonly pane: number; readonly lines: readonly string[] }
  | { readonly kind: 'height'; readonly pane: number; readonly height: number }
  | { readonly kind: 'frame'; readonly lines: readonly string[] }
  | { readonly kind: 'cursor'; readonly x: number; readonly y: number }
  | { readonly kind: 'resize'; readonly columns: number; readonly rows: number }
  | { readonly kind: 'lend' };

const pane = fc.nat(2);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('edit' as const), pane, row: fc.nat(7), text: line }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('append' as const),
      pane,
      lines: fc.array(line, { minLength: 1, maxLength: 3 }),
    }),
  },
  fc.record({ kind: fc.constant('height' as const), pane, height: fc.nat(6) }),
  fc.record({ kind: fc.constant('frame' as const), lines: fc.array(line, { maxLength: 12 }) }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('cursor' as const), x: fc.nat(45), y: fc.nat(14) }) },
  fc.record({
    kind: fc.constant('resize' as const),
    columns: fc.integer({ min: 4, max: 44 }),
    rows: fc.integer({ min: 2, max: 14 }),
  }),
  fc.record({ kind: fc.constant('lend' as const) }),
);

/** Three panes below each other, like the screen: a transcript, a stream, a prompt. */
class Scene {
  readonly terminal: FakeTerminal;
  readonly compositor: Compositor;
  readonly width: Width;
  readonly heights = [5, 3, 1];
  readonly lines: string[][] = [[], [], []];
  readonly surfaces: readonly Surface[];
  frame = '';
  caret: { readonly x: number; readonly y: number } | undefined;

  constructor(width: Width, size = { columns: 40, rows: 10 }) {
    this.width = width;
    this.terminal = new FakeTerminal(size.columns, size.rows, width);
    this.compositor = new Compositor({ write: (text) => this.terminal.write(text), ...size });
    this.surfaces = this.heights.map((_, at) => ({
      measure: () => ({
        y: this.heights.slice(0, at).reduce((sum, height) => sum + height, 0),
        height: this.heights[at] ?? 0,
      }),
      lines: () => this.lines[at] ?? [],
    }));
    for (const surface of this.surfaces) this.compositor.add(surface);
    this.compositor.frame('');
    this.compositor.flush();
  }

  apply(change: Step): void {
    const { compositor } = this;
    if (change.kind === 'edit' || change.kind === 'append') {
      const lines = this.lines[change.pane] ?? [];
      const surface = this.surfaces[change.pane];
      const wide = change.kind === 'edit' ? change.text : '';
      if (change.kind === 'append') lines.push(...change.lines);
      else if (lines.length > 0) lines[change.row % lines.length] = wrapText(wide, 44)[0] ?? '';
      if (surface) compositor.paint(surface);
      compositor.later();
    } else if (change.kind === 'height') {
      this.heights[change.pane] = change.height;
      compositor.frame(this.frame);
    } else if (change.kind === 'frame') {
      this.frame = change.lines.join('\n');
      compositor.frame(this.frame);
    } else if (change.kind === 'cursor') {
      this.caret = { x: change.x, y: change.y };
      compositor.caret = this.caret;
    } else if (change.kind === 'resize') {
      this.terminal.resize(change.columns, change.rows);
      compositor.frame(this.frame);
      compositor.resize(change.columns, change.rows);
    } else {
      compositor.hold();
      compositor.flush();
      // Other output leaves a style of its own behind.
      this.terminal.write('\x1b[H\x1b[41mfrom elsewhere 你🙂\x1b[5;7H\x1b[0;3;44;38;5;99m…');
      compositor.release();
    }
    compositor.flush();
  }

  /** Draws the same screen on an empty terminal. */
  async fromNothing(): Promise<FakeTerminal> {
    const { columns, rows } = this.terminal;
    const fresh = new Scene(this.width, { columns, rows });
    fresh.heights.splice(0, 3, ...this.heights);
    for (const [at, lines] of this.lines.entries()) fresh.lines[at]?.push(...lines);
    fresh.compositor.frame(this.frame);
    fresh.compositor.caret = this.caret;
    fresh.compositor.redraw();
    fresh.compositor.flush();
    await fresh.terminal.settled();
    return fresh.terminal;
  }
}

describe.each(['old', 'graphemes'] as const)('in a terminal with the %s widths', (width) => {
  it('drawing only the differences gives the same screen as drawing everything', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        const scene = new Scene(width);
        for (const each of steps) {
          scene.apply(each);
          await scene.terminal.settled();
          const fresh = await scene.fromNothing();
          expect(scene.terminal.cells()).toEqual(fresh.cells());
          const { caret, terminal } = scene;
          if (caret && caret.y < terminal.rows)
            expect(terminal.cursor).toEqual({ x: Math.min(caret.x, terminal.columns - 1), y: caret.y });
        }
      }),
      { numRuns: RUNS },
    );
  });
});

it('only text, colours and safe links of a line reach the terminal', () => {
  const hostile = fc.array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: 'binary' }), line), {
    maxLength: 4,
  });
  fc.assert(
    fc.property(fc.array(hostile, { maxLength: 10 }), (lines) => {
      const written: string[] = [];
      const compositor = new Compositor({ write: (text) => written.push(text), columns: 40, rows: 10 });
      const texts = lines.map((pieces) => pieces.join(''));
      compositor.add({ measure: () => ({ y: 0, height: texts.length }), lines: () => texts });
      compositor.frame(texts.join('\n'));
      compositor.flush();
      expect(foreign(Buffer.from(written.join('')).toString('latin1'))).toEqual([]);
    }),
    { numRuns: 5 * RUNS },
  );
});

it('rows that move up are scrolled by the terminal, not redrawn', async () => {
  const scene = new Scene('graphemes', { columns: 80, rows: 24 });
  scene.heights.splice(0, 3, 20, 0, 1);
  scene.compositor.frame('');
  const sentence = (n: number) => `line ${n} of a reply that grows, as long as lines usually are on a screen`;
  scene.apply({ kind: 'append', pane: 0, lines: Array.from({ length: 20 }, (_, n) => sentence(n)) });
  const before = scene.terminal.written.length;
  scene.apply({ kind: 'append', pane: 0, lines: [sentence(20)] });
  await scene.terminal.settled();
  expect(scene.terminal.text().split('\n').slice(0, 20)).toEqual(Array.from({ length: 20 }, (_, n) => sentence(n + 1)));
  const written = scene.terminal.written.slice(before);
  expect(written).toHaveLength(1);
  expect(written.join('').length).toBeLessThan(sentence(20).length + 80);
});

describe('the current text style', () => {
  /** Returns what the compositor writes for each of these texts of one row, from the second on. */
  function written(...texts: readonly string[]) {
    const all: string[] = [];
    const compositor = new Compositor({ write: (text) => all.push(text), columns: 20, rows: 2 });
    let [text = ''] = texts;
    const x = () => stripStyles(text).length;
    const row: Surface = {
      measure: () => ({ y: 0, height: 1 }),
      lines: () => [text],
      cursor: () => ({ x: x(), y: 0 }),
    };
    compositor.add(row);
    compositor.flush();
    const [first] = all.splice(0);
    for (const next of texts.slice(1)) {
      text = next;
      compositor.paint(row);
    }
    return { first, all, compositor };
  }

  it('carries over between two letters of one colour, so that the second is one byte', () => {
    const { all } = written('\x1b[31ma', '\x1b[31mab', '\x1b[31mabc', '\x1b[31mabc d');
    // The first write also erases the rest of the row.
    expect(all).toEqual(['\x1b[31mb', 'c', ' d']);
  });

  it('is reset after each write if a blank in that style would show more than a background', () => {
    const { all } = written('\x1b[7ma', '\x1b[7mab', '\x1b[4mab', '\x1b]8;;https://a.b\x1b\\ab');
    expect(all.length).toBe(3);
    for (const each of all)
      expect(each).toMatch(/(?:\x1b\[m|\x1b\]8;;\x1b\\)(?:\x1b\[K)?(?:\x1b\[\d*[CD]|\x1b\[\d+G)?$/);
  });

  it('is reset before another program writes, and before a colour is used that another program may have left', () => {
    const { all, compositor } = written('\x1b[31ma', '\x1b[31mab');
    compositor.hold();
    expect(all.at(-1)).toBe('\x1b[m');
    compositor.release();
    compositor.flush();
    expect(all.at(-1)).toContain('\x1b[0;31mab');
  });
});
