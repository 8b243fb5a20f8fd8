import { describe, expect, it } from 'vitest';
import {
  type EditorCommand,
  giveBack,
  isEditorCommand,
  moveRows,
  paste,
  runCommand,
  setText,
  submitted,
  typeText,
} from '../../../src/ui/editor/commands.ts';
import { layoutEditor, offsetAt } from '../../../src/ui/editor/layout.ts';
import { createEditor, type EditorState, expand } from '../../../src/ui/editor/state.ts';
import { KEY_TABLE } from '../../../src/ui/keymap/table.ts';

/** Returns a state from a text with `|` at the cursor. */
function at(text: string): EditorState {
  const cursor = text.indexOf('|');
  return { ...createEditor(text.replace('|', '')), cursor };
}

function show(state: EditorState): string {
  return `${state.text.slice(0, state.cursor)}|${state.text.slice(state.cursor)}`;
}

function result(text: string, ...commands: readonly EditorCommand[]): string {
  return show(commands.reduce(runCommand, at(text)));
}

function typed(text: string, state = createEditor()): EditorState {
  return [...text].reduce((before, letter) => typeText(before, letter), state);
}

describe('the editor’s commands', () => {
  it.each<[string, EditorCommand, string]>([
    ['ab|', 'left', 'a|b'],
    ['|ab', 'left', '|ab'],
    ['a👨‍👩‍👧|b', 'left', 'a|👨‍👩‍👧b'],
    ['a|\nb', 'right', 'a\n|b'],
    ['git  push| x', 'wordLeft', 'git  |push x'],
    ['|--flag=value', 'wordRight', '--flag|=value'],
    ['one\ntw|o', 'lineStart', 'one\n|two'],
    ['o|ne\ntwo', 'lineEnd', 'one|\ntwo'],
    ['one\nt|wo', 'textStart', '|one\ntwo'],
    ['e\u0301|', 'deleteBack', '|'],
    ['|🇩🇪x', 'deleteForward', '|x'],
    ['one| two\nx', 'killLineEnd', 'one|\nx'],
    ['one|\ntwo', 'killLineEnd', 'one|two'],
    ['one two| x', 'killLineStart', '| x'],
    ['rm -rf /tmp/foo|', 'killWordBack', 'rm -rf /tmp/|'],
    ['rm -rf /tmp/foo|', 'killBlankWordBack', 'rm -rf |'],
    ['|one two', 'killWordForward', '| two'],
    ['ab|', 'transpose', 'ba|'],
    ['a|bc', 'transpose', 'ba|c'],
    ['|ab', 'transpose', '|ab'],
    ['|hello world', 'capitalizeWord', 'Hello| world'],
    ['a|bc d', 'upcaseWord', 'aBC| d'],
    ['|ABC', 'downcaseWord', 'abc|'],
    ['some text|', 'clear', '|'],
  ])('turn %j by %s into the expected text', (before, command, expected) => {
    expect(result(before, command)).toBe(expected);
  });

  it('have the names of the key table', () => {
    const names = KEY_TABLE.filter((row) => row.context === 'prompt').map((row) => row.command);
    expect(names.filter(isEditorCommand).length).toBeGreaterThan(25);
    for (const name of ['left', 'yankPop', 'killBlankWordBack', 'setMark', 'redo']) expect(names).toContain(name);
  });
});

describe('the kill ring', () => {
  it('joins consecutive cuts in the order of the text', () => {
    expect(result('one two three|', 'killWordBack', 'killWordBack', 'yank')).toBe('one two three|');
    expect(result('|one two three', 'killWordForward', 'killWordForward', 'textEnd', 'yank')).toBe(' threeone two|');
  });

  it('returns older cuts with yankPop, in a circle', () => {
    const two: EditorCommand[] = ['killWordBack', 'left', 'killWordBack', 'textEnd', 'yank'];
    expect(result('one two|', ...two)).toBe(' one|');
    expect(result('one two|', ...two, 'yankPop')).toBe(' two|');
    expect(result('one two|', ...two, 'yankPop', 'yankPop')).toBe(' one|');
  });

  it('cuts and copies the region', () => {
    expect(result('one| two', 'setMark', 'wordRight', 'killBlankWordBack')).toBe('one|');
    expect(result('one| two', 'setMark', 'wordRight', 'copyRegion', 'yank')).toBe('one two two|');
  });
});

describe('undo', () => {
  it('removes typing word by word', () => {
    let state = typed('git push --force');
    const seen = [];
    while (state.undo.length > 0) {
      state = runCommand(state, 'undo');
      seen.push(state.text);
    }
    expect(seen).toEqual(['git push ', 'git ', '']);
  });

  it('separates edits at different places, and can be redone', () => {
    let state = runCommand(typed('ab'), 'left');
    state = typed('xy', state);
    state = runCommand(state, 'undo');
    expect(show(state)).toBe('a|b');
    expect(show(runCommand(state, 'redo'))).toBe('axy|b');
  });

  it('restores a cleared line', () => {
    expect(result('precious|', 'clear', 'undo')).toBe('precious|');
  });
});

describe('a paste', () => {
  const block = Array.from({ length: 120 }, (_, line) => `line ${line}`).join('\n');

  it('is inserted as text when it is short, without control characters', () => {
    expect(show(paste(at('a|b'), 'x\r\ny\x1b[31m'))).toBe('ax\ny[31m|b');
  });

  it('is one unit when it is large: one row, one step, one deletion, and complete when sent', () => {
    const state = paste(at('see | here'), block);
    expect(layoutEditor(state, 60).rows.map((row) => row.text)).toEqual(['see [Pasted 120 lines] here']);
    expect(expand(state)).toBe(`see ${block} here`);
    expect(show(runCommand(runCommand(state, 'left'), 'deleteForward'))).toBe('see | here');
    expect(expand(runCommand(runCommand(state, 'deleteBack'), 'undo'))).toBe(`see ${block} here`);
  });

  it('keeps its text through cut, yank and sending', () => {
    const killed = runCommand(paste(createEditor(), block), 'killLineStart');
    expect(expand(runCommand(submitted(killed), 'yank'))).toBe(block);
  });

  it('can’t be forged by typed or pasted text', () => {
    const state = paste(paste(createEditor(), block), '\ufdd0\ufdd1');
    expect(expand(state)).toBe(block);
  });

  it('is inserted as text when there are no placeholders left', () => {
    let state = createEditor();
    for (let turn = 0; turn < 34; turn++) state = paste(state, `${turn} ${block}`);
    expect(expand(state)).toBe(Array.from({ length: 34 }, (_, turn) => `${turn} ${block}`).join(''));
  });
});

describe('a draft', () => {
  it('gets returned queued lines above it', () => {
    expect(show(giveBack(at('no|w'), 'queued'))).toBe('queued\nno|w');
    expect(show(giveBack(createEditor(), 'queued'))).toBe('queued|');
  });

  it('is replaced as a whole by history and editor, and undone as a whole', () => {
    expect(show(runCommand(setText(at('dra|ft'), 'ls -l'), 'undo'))).toBe('dra|ft');
  });
});

describe('the layout of the prompt', () => {
  it('wraps at the width, beside the name in the first row', () => {
    const { rows, cursorRow, cursorColumn } = layoutEditor(at('abcdefgh|ij\nk'), 5, 3);
    expect(rows.map((row) => row.text)).toEqual(['abc', 'defgh', 'ij', 'k']);
    expect([cursorRow, cursorColumn]).toEqual([2, 0]);
  });

  it('moves wide characters to the next row, and draws joined emoji with their width in most terminals', () => {
    expect(layoutEditor(at('a漢字|'), 4).rows.map((row) => row.text)).toEqual(['a漢', '字']);
    expect(layoutEditor(at('👨‍👩‍👧|'), 4)).toMatchObject({ rows: [{ text: '👨' }], cursorColumn: 2 });
  });

  it('gives the cursor a row of its own after a full one', () => {
    const full = layoutEditor(at('abcd|'), 4);
    expect(full).toMatchObject({ rows: [{ text: 'abcd' }, { text: '' }], cursorRow: 1, cursorColumn: 0 });
    expect(layoutEditor(at('abcd|\nx'), 4).rows.map((row) => row.text)).toEqual(['abcd', '', 'x']);
  });

  it('moves by displayed rows, keeping its column over short ones', () => {
    const up = moveRows(at('a long line\nx\nanother o|ne'), -1, 40);
    if (up === undefined) throw new Error('there is a row above');
    expect(show(up)).toBe('a long line\nx|\nanother one');
    const top = moveRows(up, -1, 40);
    expect(top && show(top)).toBe('a long li|ne\nx\nanother one');
    expect(top && moveRows(top, -1, 40)).toBeUndefined();
  });

  it('finds the text under the mouse', () => {
    const state = at('ab漢c|\nde');
    const layout = layoutEditor(state, 20);
    expect([0, 1, 2, 3, 4, 9].map((column) => offsetAt(state, layout, 0, column))).toEqual([0, 1, 2, 2, 3, 4]);
    expect(offsetAt(state, layout, 7, 1)).toBe(6);
  });
});
