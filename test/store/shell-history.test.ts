import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type HistoryFormat, linesOf, merged } from '../../src/store/history.ts';
import { openHistory } from '../../src/store/index.ts';

const same = (text: string) => text;

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'aish-history-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

describe('a shell’s history file', () => {
  it.each([
    ['bash', 'ls\ncd /tmp\n', [{ line: 'ls' }, { line: 'cd /tmp' }]],
    [
      'bash',
      'old\n#1700000000\nfor i in 1\ndo echo $i\ndone\n#1700000009\nls\n',
      [
        { line: 'old' },
        { line: 'for i in 1\ndo echo $i\ndone', at: 1_700_000_000_000 },
        { line: 'ls', at: 1_700_000_009_000 },
      ],
    ],
    ['bash', 'mine\n: aish; rm -r x\n', [{ line: 'mine' }]],
    [
      'zsh',
      'plain\n: 1700000000:3;echo a\\\nb\n: 1700000001:0;ls ; pwd\n',
      [{ line: 'plain' }, { line: 'echo a\nb', at: 1_700_000_000_000 }, { line: 'ls ; pwd', at: 1_700_000_001_000 }],
    ],
    ['zsh', Buffer.from([0x65, 0xc3, 0x83, 0xa4 ^ 32, 0x0a]), [{ line: 'eä' }]],
    [
      'fish',
      '- cmd: echo a\\nb\\\\n\n  when: 1700000000\n  paths:\n    - x\n- cmd: ls\n  when: 1700000001\n',
      [
        { line: 'echo a\nb\\n', at: 1_700_000_000_000 },
        { line: 'ls', at: 1_700_000_001_000 },
      ],
    ],
    ['bash', 'a\x1b[31m\nok\n', [{ line: 'ok' }]],
  ] as const)('of %s is parsed: %j', (format, text, lines) => {
    expect(linesOf(Buffer.from(text), format as HistoryFormat)).toEqual(lines);
  });
});

describe('two merged histories', () => {
  it('are in the order of time, each line once', () => {
    const own = [
      { line: '?why', at: 20 },
      { line: 'ls', at: 40 },
    ];
    const shell = [
      { line: 'make', at: 10 },
      { line: 'ls', at: 30 },
      { line: 'cd', at: 50 },
    ];
    expect(merged(own, shell)).toEqual(['make', '?why', 'ls', 'cd']);
  });

  it('have one entry for a line that the shell recorded in whole seconds, and later lines stay after it', () => {
    const own = [{ line: 'echo up', at: 1_700_000_000_700 }];
    const shell = [
      { line: 'echo up', at: 1_700_000_000_000 },
      { line: 'of another session', at: 1_600_000_000_000 },
    ];
    expect(merged(own, shell)).toEqual(['echo up', 'of another session']);
  });

  it('without times are aligned by the lines that both have', () => {
    const own = [
      { line: 'one', at: 1 },
      { line: '?ask', at: undefined },
      { line: 'two', at: 3 },
    ];
    const shell = ['before', 'one', 'between', 'two', 'after'].map((line) => ({ line }));
    expect(merged(own, shell)).toEqual(['before', 'one', 'between', '?ask', 'two', 'after']);
  });
});

describe('the history at the prompt', () => {
  it('follows the shell’s file: added lines, and a rewritten file', () => {
    const place = folder();
    const path = join(place, 'shell');
    writeFileSync(path, 'one\ntwo\nhal');
    const history = openHistory(join(place, 'own'), same, () => ({ path, format: 'bash' }));
    const first = history.entries();
    expect(first).toEqual(['one', 'two']);
    appendFileSync(path, 'f\nthree\n');
    expect(history.entries()).toEqual(['one', 'two', 'half', 'three']);
    expect(history.entries()).toBe(first);
    writeFileSync(`${path}.new`, 'three\nfour\n');
    renameSync(`${path}.new`, path);
    expect(history.entries()).toEqual(['three', 'four']);
  });

  it('has one entry per command, whoever recorded it first, with place and time', () => {
    const place = folder();
    const path = join(place, 'shell');
    writeFileSync(path, '');
    const shell = () => ({ path, format: 'bash' }) as const;
    const history = openHistory(join(place, 'own'), same, shell);
    history.entries();
    history.add('!make all', 'make all');
    history.add('?did it work');
    appendFileSync(path, 'make all\n');
    history.ended('make all', { at: 5, cwd: '/src', exit: 2 });
    expect(history.entries()).toEqual(['!make all', '?did it work']);
    expect(openHistory(join(place, 'own'), same, shell).factsOf('make all')).toEqual({ at: 5, cwd: '/src', exit: 2 });
  });

  it('is shared between sessions at once, and has no private lines', () => {
    const path = join(folder(), 'own');
    const [here, there] = [openHistory(path, same), openHistory(path, same)];
    here.add('ls', 'ls');
    here.add(' secret', 'secret');
    here.ended('secret', { at: 1 });
    there.add('pwd');
    here.add('id');
    expect(there.entries()).toEqual(['ls', 'pwd', 'id']);
    expect(here.entries()).toEqual(['ls', 'pwd', 'id']);
    expect(there.factsOf('secret')).toBeUndefined();
  });
});
