import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { insertText } from '../../../src/ui/editor/edit.ts';
import { createEditor } from '../../../src/ui/editor/state.ts';
import { recordTyped, toNormal, VI_INSERT, type ViResult, viKey } from '../../../src/ui/editor/vi.ts';

/** Types keys from insert mode at the end of a text; `\x1b` is Esc. The cursor is shown as `|`. */
function typed(text: string, keys: string): string {
  const { editor } = play(text, keys);
  return `${editor.text.slice(0, editor.cursor)}|${editor.text.slice(editor.cursor)}`;
}

function play(text: string, keys: string): ViResult {
  let result: ViResult = { vi: VI_INSERT, editor: createEditor(text) };
  for (const key of keys) {
    if (key === '\x1b') result = toNormal(result.vi, result.editor);
    else if (result.vi.mode === 'normal') result = viKey(result.vi, result.editor, key);
    else result = { vi: recordTyped(result.vi, key), editor: insertText(result.editor, key) };
  }
  return result;
}

describe('vi in normal mode', () => {
  it.each([
    ['ls -la', '', 'ls -l|a'],
    ['ls -la', '0', '|ls -la'],
    ['ls -la', '0w', 'ls |-la'],
    ['ls -la', '0wl', 'ls -|la'],
    ['cp one two', '0ww', 'cp one |two'],
    ['cp one/a two', '0wW', 'cp one/a |two'],
    ['cp one two', 'bb', 'cp |one two'],
    ['cp one two', '0e', 'c|p one two'],
    ['cp one two', '02e', 'cp on|e two'],
    ['  cp one', '^', '  |cp one'],
    ['cp one two', '0fo', 'cp |one two'],
    ['cp one two', '0fo;', 'cp one tw|o'],
    ['cp one two', '0fo;,', 'cp |one two'],
    ['cp one two', '0to', 'cp| one two'],
    ['cp one two', 'Fo', 'cp |one two'],
    ['f (a [b] c)', '0%', 'f (a [b] c|)'],
    ['f (a [b] c)', '$%', 'f |(a [b] c)'],
    ['cp one two', 'x', 'cp one t|w'],
    ['cp one two', '03x', '|one two'],
    ['cp one two', '0dw', '|one two'],
    ['cp one two', '0d2w', '|two'],
    ['cp one two', '02dw', '|two'],
    ['cp one two', 'dd', '|'],
    ['cp one two', '0wD', 'cp| '],
    ['cp one two', '0wdtt', 'cp |two'],
    ['cp one two', '0wdft', 'cp |wo'],
    ['cp one two', 'db', 'cp one |o'],
    ['cp one two', '0cwmv\x1b', 'm|v one two'],
    ['cp one two', '0wC x\x1b', 'cp  |x'],
    ['cp one two', 'Iecho \x1b', 'echo| cp one two'],
    ['cp one', 'A two\x1b', 'cp one tw|o'],
    ['cp one', '0ax\x1b', 'c|xp one'],
    ['cp one', '0rm', '|mp one'],
    ['cp one', '0Rmv\x1b', 'm|vcp one'],
    ['cp one', '0~~', 'CP| one'],
    ['cp one two', '0wywP', 'cp one| one two'],
    ['ab', '0xp', 'b|a'],
    ['cp one two', '0dwu', '|cp one two'],
    ['echo "a b" c', '0f"di"', 'echo "|" c'],
    ['echo "a b" c', '0fbda"', 'echo | c'],
    ['f(a b) c', '0fbci(x\x1b', 'f(|x) c'],
    ['cp one two', '0wdiw', 'cp | two'],
    ['cp one two', '0wdaw', 'cp |two'],
    // `.` repeats a change including the typed text.
    ['a a a', '0x.', '|a a'],
    ['one one one', '0cwtwo\x1bw.w.', 'two two tw|o'],
    ['abcdef', '02x.', '|ef'],
    ['abcdef', '0x3.', '|ef'],
  ])('changes %j as expected after Esc %j', (text, keys, wanted) => {
    expect(typed(text, `\x1b${keys}`)).toBe(wanted);
  });

  it.each([
    ['k', 'historyOlder'],
    ['j', 'historyNewer'],
    ['/', 'searchHistory'],
    ['v', 'externalEditor'],
    ['#', 'submit'],
  ])('runs for the key %s the command %s', (key, command) => {
    expect(play('ls', `\x1b${key}`).command).toBe(command);
  });

  it('keeps the cursor inside the text, whatever is typed', () => {
    const key = fc.constantFrom(...'hlwbeWBE0^$;,%xXDCYSsiaIARrfFtT~pPu.dcy123 ("\x1b'.split(''));
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 20 }), fc.array(key, { maxLength: 20 }), (text, keys) => {
        const { editor } = play(text, `\x1b${keys.join('')}`);
        expect(editor.cursor).toBeGreaterThanOrEqual(0);
        expect(editor.cursor).toBeLessThanOrEqual(editor.text.length);
      }),
    );
  });
});
