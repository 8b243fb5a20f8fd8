import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textWidth } from '../../src/text/display.ts';
import {
  type EditorCommand,
  giveBack,
  moveRows,
  paste,
  runCommand,
  setText,
  typeText,
} from '../../src/ui/editor/commands.ts';
import { units } from '../../src/ui/editor/edit.ts';
import { layoutEditor, offsetAt } from '../../src/ui/editor/layout.ts';
import { createEditor, type EditorState, expand } from '../../src/ui/editor/state.ts';
import { cases } from '../support/cases.ts';

const COMMANDS: readonly EditorCommand[] = [
  ...(['newline', 'left', 'right', 'wordLeft', 'wordRight', 'lineStart', 'lineEnd', 'textStart', 'textEnd'] as const),
  ...(['deleteBack', 'deleteForward', 'killLineEnd', 'killLineStart', 'killWordBack', 'killWordForward'] as const),
  ...([
    'killBlankWordBack',
    'copyRegion',
    'setMark',
    'cancel',
    'yank',
    'yankPop',
    'undo',
    'redo',
    'transpose',
  ] as const),
  ...(['capitalizeWord', 'upcaseWord', 'downcaseWord', 'clear'] as const),
];

const piece = fc.constantFrom(
  'a',
  'B',
  ' ',
  '.',
  '\n',
  '\t',
  'é',
  'e\u0301',
  '\u0301',
  '漢',
  '🙂',
  '👨‍👩‍👧',
  '🇩',
  '🇪',
  '\u200d',
  'ß',
  '\u1100',
  '\u1161',
);
const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
const large = fc.constantFrom('one\n'.repeat(20), 'x'.repeat(1500));

type Step = (state: EditorState) => EditorState;
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(...COMMANDS).map(
      (command): Step =>
        (state) =>
          runCommand(state, command),
    ),
  },
  {
    weight: 3,
    arbitrary: text.map(
      (typed): Step =>
        (state) =>
          typeText(state, typed),
    ),
  },
  fc.oneof(text, large).map(
    (pasted): Step =>
      (state) =>
        paste(state, pasted),
  ),
  fc.tuple(fc.constantFrom(-1 as const, 1 as const), fc.integer({ min: 2, max: 20 })).map(
    ([rows, width]): Step =>
      (state) =>
        moveRows(state, rows, width) ?? state,
  ),
  text.map(
    (given): Step =>
      (state) =>
        setText(state, given),
  ),
  text.map(
    (given): Step =>
      (state) =>
        giveBack(state, given),
  ),
);
const edited = fc
  .array(step, { maxLength: 25 })
  .map((steps) => steps.reduce((state, next) => next(state), createEditor()));

function boundaries(source: string): Set<number> {
  const result = new Set([0]);
  let at = 0;
  for (const unit of units(source)) {
    at += unit.length;
    result.add(at);
  }
  return result;
}

describe('any sequence of editor commands', () => {
  it('leaves the cursor between two characters', () => {
    fc.assert(
      fc.property(edited, (state) => {
        expect(boundaries(state.text).has(state.cursor)).toBe(true);
      }),
      { numRuns: cases(400) },
    );
  });

  it('leaves no placeholder without its text', () => {
    fc.assert(
      fc.property(edited, (state) => {
        expect(expand(state)).not.toMatch(/[\ufdd0-\ufdef]|[^\P{Cc}\n\t]/u);
      }),
    );
  });

  it('can be undone to the beginning and redone to the end', () => {
    const all = (state: EditorState, command: 'undo' | 'redo'): EditorState => {
      while (state[command].length > 0) state = runCommand(state, command);
      return state;
    };
    const steps = fc.array(step, { maxLength: 25 });
    fc.assert(
      fc.property(steps, (changes) => {
        const end = all(
          changes.reduce((state, next) => next(state), createEditor()),
          'redo',
        );
        const begin = all(end, 'undo');
        expect(begin.text).toBe('');
        expect(all(begin, 'redo')).toMatchObject({ text: end.text, cursor: begin.redo.length > 0 ? end.cursor : 0 });
      }),
    );
  });

  it('loses exactly its last command by one undo', () => {
    fc.assert(
      fc.property(
        edited,
        fc.constantFrom(...COMMANDS.filter((name) => name !== 'undo' && name !== 'redo')),
        (state, command) => {
          const before = { ...state, last: { kind: 'other' } as const };
          const after = runCommand(before, command);
          if (after.text !== before.text)
            expect(runCommand(after, 'undo')).toMatchObject({ text: before.text, cursor: before.cursor });
        },
      ),
    );
  });

  it('can cut a text that yank inserts again', () => {
    const kills = fc.constantFrom<EditorCommand>(
      'killLineEnd',
      'killLineStart',
      'killWordBack',
      'killWordForward',
      'killBlankWordBack',
    );
    fc.assert(
      fc.property(edited, fc.array(kills, { minLength: 1, maxLength: 4 }), (state, commands) => {
        // Halves of a flag that meet after a deletion become one character, and the cursor can't be inside it.
        if (/\p{Regional_Indicator}|\p{M}|[\u200d\u1161]/u.test(state.text)) return;
        const before = runCommand({ ...state, kills: [] }, 'cancel');
        const killed = commands.reduce(runCommand, before);
        expect(expand(runCommand(killed, 'yank'))).toBe(expand(before));
      }),
    );
  });
});

describe('the laid-out prompt', () => {
  const widths = fc.tuple(fc.integer({ min: 2, max: 30 }), fc.integer({ min: 2, max: 30 }));

  it('has no row that is too wide, has the cursor inside, and contains the whole text', () => {
    fc.assert(
      fc.property(edited, widths, (state, [width, first]) => {
        const { rows, cursorRow, cursorColumn } = layoutEditor(state, width, first);
        for (const [index, row] of rows.entries())
          expect(textWidth(row.text)).toBeLessThanOrEqual(index === 0 ? first : width);
        expect(cursorRow).toBeLessThan(rows.length);
        expect(cursorColumn).toBeLessThan(cursorRow === 0 ? first : width);
        let source = '';
        for (const [index, row] of rows.entries()) {
          const ended = row.end + 1 === rows[index + 1]?.start ? '\n' : '';
          source += state.text.slice(row.start, row.end) + ended;
        }
        expect(source).toBe(state.text);
      }),
      { numRuns: cases(200) },
    );
  });

  it('maps the cell of the cursor back to the cursor’s position in the text', () => {
    fc.assert(
      fc.property(edited, widths, (state, [width]) => {
        const visible =
          !/\p{Default_Ignorable_Code_Point}|\p{M}|\t/u.test(state.text) && Object.keys(state.pastes).length === 0;
        if (!visible) return;
        const layout = layoutEditor(state, width);
        expect(offsetAt(state, layout, layout.cursorRow, layout.cursorColumn)).toBe(state.cursor);
      }),
      { numRuns: cases(200) },
    );
  });
});
