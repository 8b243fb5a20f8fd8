import { describe, expect, it } from 'vitest';
import { rebind } from '../../../src/ui/keymap/rebind.ts';
import { createKeyResolver, parseChord, showChord } from '../../../src/ui/keymap/resolver.ts';

import { KEY_CONTEXTS, KEY_TABLE, type KeyContext } from '../../../src/ui/keymap/table.ts';
import { keysOf } from '../../support/keys.ts';

function press(bytes: string, context: KeyContext, resolver = createKeyResolver(KEY_TABLE)) {
  return keysOf(bytes).map((key) => {
    const resolution = resolver.resolve(key, context);
    return resolution.kind === 'command' ? resolution.command : resolution.kind;
  });
}

describe('the key table', () => {
  it('has every chord in its normalised form', () => {
    for (const { chords } of KEY_TABLE) for (const chord of chords) expect(parseChord(chord)?.join(' ')).toBe(chord);
  });

  it.each(KEY_CONTEXTS)('gives each chord to one command: %s', (context) => {
    const chords = KEY_TABLE.filter((row) => row.context === context).flatMap((row) => row.chords);
    expect(new Set(chords).size).toBe(chords.length);
    for (const chord of chords) expect(chords.filter((other) => other.startsWith(`${chord} `))).toEqual([]);
  });

  it.each(['prompt', 'menu', 'field'] as const)(
    'binds no key that types a character where text is typed: %s',
    (context) => {
      for (const row of createKeyResolver(KEY_TABLE).bindings(context)) {
        for (const chord of row.chords) expect(chord).not.toMatch(/^(?:shift-)?.$/u);
      }
    },
  );
});

describe('resolving keys', () => {
  it.each([
    ['\x0e', 'prompt', ['norris']],
    ['\r\x1b\r', 'prompt', ['submit', 'newline']],
    ['\x1bs\x1b[Z', 'prompt', ['flipVerdict', 'flipVerdict']],
    ['\x18\x03', 'prompt', ['pending', 'abort']],
    ['\x18\x03', 'halt', ['pending', 'abort']],
    ['\x18\x03', 'program', ['pending', 'abort']],
    ['\x18\x05', 'prompt', ['pending', 'externalEditor']],
    ['\x18\x1b', 'prompt', ['pending', 'cancelled']],
    ['psa', 'halt', ['proceed', 'skip', 'abortRun']],
    ['jG/nN', 'transcript', ['scrollLineDown', 'scrollEnd', 'search', 'searchNext', 'searchPrevious']],
    ['\x1b[5~', 'prompt', ['scrollPageUp']],
    ['\x03\x1d', 'program', ['unbound', 'focusPrompt']],
    ['\x1f', 'prompt', ['undo']],
    ['x', 'prompt', ['unbound']],
  ] as const)('turns %j in %s into the expected commands', (bytes, context, expected) => {
    expect(press(bytes, context)).toEqual(expected);
  });

  it('lists what may follow a prefix, and passes a broken sequence on unchanged', () => {
    const resolver = createKeyResolver(KEY_TABLE);
    const [prefix, other] = keysOf('\x18z');
    if (prefix === undefined || other === undefined) throw new Error('two keys');
    resolver.resolve(prefix, 'prompt');
    expect(resolver.pending()?.prefix).toBe('ctrl-x');
    expect(resolver.pending()?.follows).toContainEqual({
      chord: 'ctrl-c',
      command: 'abort',
      label: expect.any(String),
    });
    expect(resolver.resolve(other, 'prompt')).toEqual({ kind: 'unbound', keys: [prefix, other] });
    expect(resolver.pending()).toBeUndefined();
  });

  it('drops a prefix when the context changes, so half a chord can’t answer a HALT', () => {
    const resolver = createKeyResolver(KEY_TABLE);
    expect(press('\x18', 'prompt', resolver)).toEqual(['pending']);
    expect(press('p', 'halt', resolver)).toEqual(['proceed']);
  });

  it('gives the prompt a newline, and dialogs nothing, for Enter in an unbracketed paste', () => {
    const resolver = createKeyResolver(KEY_TABLE);
    const [enter] = keysOf('\r');
    if (enter === undefined) throw new Error('a key');
    expect(resolver.resolve({ ...enter, burst: true }, 'prompt')).toEqual({ kind: 'command', command: 'newline' });
    expect(resolver.resolve({ ...enter, burst: true }, 'halt').kind).toBe('unbound');
  });
});

describe('rebinding keys', () => {
  it('moves a command to another key, and takes the key from its former command', () => {
    const { table, errors } = rebind(KEY_TABLE, { norris: 'f5', historyNewer: ['C-n', 'Alt-N'] });
    expect(errors).toEqual([]);
    const resolver = createKeyResolver(table);
    expect(press('\x1b[15~\x0e', 'prompt', resolver)).toEqual(['norris', 'historyNewer']);
  });

  it('changes a single context only on request', () => {
    const { table } = rebind(KEY_TABLE, { 'transcript.scrollPageUp': 'w' });
    expect(press('w', 'transcript', createKeyResolver(table))).toEqual(['scrollPageUp']);
    expect(press('\x1b[5~', 'prompt', createKeyResolver(table))).toEqual(['scrollPageUp']);
  });

  it.each([
    [{ noris: 'f5' }, 'keys: "noris" is no command; did you mean "norris"?'],
    [{ norris: 'hyper-n' }, 'keys: "hyper-n" for "norris" is no key; write it like "ctrl-x e", "alt-enter" or "f5"'],
    [{ norris: 'n' }, 'keys: "n" for "norris" types a character; put ctrl- or alt- before it'],
    [{ abort: [] }, 'keys: "abort" must keep a key'],
    [{ flipVerdict: 'tab' }, 'keys: "prompt.complete" has lost its key Tab; give it another'],
    [{ undo: 'ctrl-x' }, 'keys: "prompt.externalEditor" has lost its key Ctrl-X Ctrl-E; give it another'],
  ])('reports the error in %j', (keys, error) => {
    expect(rebind(KEY_TABLE, keys).errors).toContain(error);
  });

  it('removes a binding', () => {
    const { table, errors } = rebind(KEY_TABLE, { suspend: [] });
    expect(errors).toEqual([]);
    expect(press('\x1a', 'prompt', createKeyResolver(table))).toEqual(['unbound']);
  });
});

it('chords are shown as people write them', () => {
  expect(['ctrl-x ctrl-c', 'alt-enter', 'shift-g', 'pageup', 'alt-<', 'escape', 'f1', '/'].map(showChord)).toEqual([
    'Ctrl-X Ctrl-C',
    'Alt-Enter',
    'G',
    'PageUp',
    'Alt-<',
    'Esc',
    'F1',
    '/',
  ]);
});
