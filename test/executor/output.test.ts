import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lacks } from '../support/lacks.ts';
import { once, shows, until, userShell, workspace } from './support.ts';

describe('output that is not UTF-8', () => {
  it.each([
    ['Latin-1', String.raw`printf 'Gr\xf6\xdfe\n'`, 'Gr\ufffd\ufffde'],
    ['a character that is cut off', String.raw`printf 'a\xe2\x82\n'`, 'a\ufffd'],
    ['CP437 between plain words', String.raw`printf 'a B\x84r!\n'`, 'a B\ufffdr!'],
    ['a character split across two reads', String.raw`printf '\xe2\x82'; sleep 0.2; printf '\xac\n'`, '€'],
  ])('is shown with U+FFFD: %s', async (_, command, shown) => {
    expect((await once(command).result).head).toBe(shown);
  });
});

describe('a note on output that is not UTF-8', () => {
  it.each([
    ['Latin-1', String.raw`Gr\xf6\xdfe aus M\xfcnchen`, 'LATIN1'],
    ['Windows-1252', String.raw`\x93caf\xe9\x94 \x96 5 \x80`, 'CP1252'],
    ['CP850', String.raw`B\x84r und T\x81r`, 'CP850'],
    ['UTF-16', String.raw`\xff\xfea\x00b\x00`, 'UTF-16'],
  ])('names the likely encoding: %s', async (_, text, name) => {
    const { note } = await once(`printf '${text}\\n'`).result;
    expect(note).toBe(`its output is not UTF-8, likely ${name}: iconv -f ${name} reads it`);
  });

  it.each([
    ['UTF-8', 'Grüße €'],
    ['a character that is cut off', String.raw`a\xe2\x82`],
    ['a true U+FFFD', String.raw`\xef\xbf\xbd`],
    ['binary', String.raw`\x7fELF\x01\xf3\x80\x02\xd0`],
    ['Cyrillic in KOI8', String.raw`\xf0\xd2\xc9\xd7\xc5\xd4`],
  ])('is absent for %s', async (_, text) => {
    expect((await once(`printf '${text}\\n'`).result).note).toBeUndefined();
  });
});

describe('output', () => {
  it('is what a terminal would show: redrawn bars leave their last state, and colours stay', async () => {
    const bar = 'for i in $(seq 1000); do printf "\\r\\033[K%d%%" $i; done; echo; printf "\\033[1;32mdone\\033[0m\\n"';
    expect((await once(bar).result).head).toBe('1000%\n\x1b[0;1;32mdone\x1b[0m');
    const spinner = 'printf "one\\ntwo\\n\\033[A\\033[2Kthree\\n"';
    expect((await once(spinner).result).head).toBe('one\nthree');
  });

  it('distinguishes each style from its neighbour, and colours of the same number in different palettes', async () => {
    const styles = ['31', '41', '38;5;1', '38;2;0;0;1', '48;2;0;0;1', '48;5;200', '38;5;200', '1', '2', '3', '4', '7'];
    const both = [...styles, '8', '9', '53', '1;3;53;97;104', '31', '31'].flatMap((code) => [code, '', code]);
    const { head } = await once(`printf '${both.map((code) => `\\033[0;${code}mx`).join('')}\\033[m\\n'`).result;
    // The first sixteen of the 256 colours have a short form.
    const short = (code: string) => (code === '38;5;1' ? '31' : code);
    const told = both.map((code) => (code === '' ? '\x1b[0m' : `\x1b[0;${short(code)}m`));
    const changes = told.map((sgr, at) => `${sgr === told[at - 1] ? '' : sgr}x`);
    expect(head).toBe(`${changes.join('')}\x1b[0m`);
  });

  it('joins wrapped lines and keeps wide characters', async () => {
    const long = 'word '.repeat(60).trim();
    const { head } = await once(`echo "${long}"; echo "日本語 👩‍👩‍👧 é"; printf 'no newline'`).result;
    expect(head).toBe(`${long}\n日本語 👩‍👩‍👧 é\nno newline`);
  });

  it('contains no sequence except colours', async () => {
    const evil =
      'printf "\\033]0;title\\007\\033]52;c;aGk=\\007\\033[?1000h\\033[6n\\033P$qm\\033\\\\\\033[5;5Hx\\u202ey\\033[31mz\\n"';
    const { head } = await once(evil).result;
    expect(head.replace(/\x1b\[[\d;]*m/g, '')).toMatch(/^[\n -~]*$/);
    expect(head).toContain('xy');
  });

  it('keeps safe hyperlinks, complete and within their line, and no others', async () => {
    const link = (target: string, text: string) => `\\033]8;id=x;${target}\\033\\\\${text}\\033]8;;\\033\\\\`;
    const lines = [
      `see ${link('https://a.b/c?d=1', 'here')} or ${link('mailto:me@a.b', 'write')}`,
      `${link('javascript:alert(1)', 'bad')} ${link('https://a.b/\\007\\033]0;t', 'worse')}`,
      `\\033]8;;file:///tmp/x\\007\\033[31mopen`,
      `closed ${link(`https://a.b/${'x'.repeat(3000)}`, 'long')}`,
    ];
    const { head } = await once(`printf '${lines.join('\\033[m\\n')}\\n'`).result;
    const plain = head.replace(/\x1b\[[\d;]*m/g, '').split('\n');
    const kept = (target: string, text: string) => `\x1b]8;;${target}\x1b\\${text}\x1b]8;;\x1b\\`;
    expect(plain[0]).toBe(`see ${kept('https://a.b/c?d=1', 'here')} or ${kept('mailto:me@a.b', 'write')}`);
    expect(plain[1]).toMatch(/^bad [^\x07]*worse$|^bad /);
    expect(plain[2]).toBe(kept('file:///tmp/x', 'open'));
    // A link that was left open continues until it is closed.
    expect(plain[3]).toBe(`${kept('file:///tmp/x', 'closed ')}long`);
  });

  it('uses little memory for links, however many and long they are', async () => {
    const flood = 'for i in $(seq 60); do printf "\\033]8;;https://a.b/%01900d/$i\\007x" 0; done; echo';
    const { head } = await once(flood).result;
    expect(head.length).toBeLessThan(10_000);
    expect(head.replace(/\x1b\][^\x1b]*\x1b\\|\x1b\[[\d;]*m/g, '')).toBe('x'.repeat(60));
  });

  it('notifies its subscribers while it grows', async () => {
    const run = once('echo one; read x; echo two');
    let changes = 0;
    const stop = run.output.subscribe(() => {
      changes += 1;
    });
    await shows(run, 'one');
    const version = run.output.version;
    expect(changes).toBeGreaterThan(0);
    expect(run.output.lines(10)).toBe(run.output.lines(10));
    run.write('\n');
    await shows(run, 'two');
    expect(run.output.version).toBeGreaterThan(version);
    stop();
    const result = await run.result;
    expect(result.bytes).toBe(run.output.bytes);
    expect(run.output.lines(1)).toEqual(['two']);
  });

  it('follows a change of the terminal’s size', async () => {
    const run = once('read x; stty size');
    run.resize(50, 11);
    run.write('\n');
    expect((await run.result).head).toContain('11 50');
  });

  it('keeps the beginning and end of a large text in memory, and all of it in a private file', async () => {
    const result = await once('seq 1 60000').result;
    const head = result.head.split('\n');
    const tail = result.tail.split('\n');
    expect(head.slice(0, 2)).toEqual(['1', '2']);
    expect(tail.at(-1)).toBe('60000');
    expect(head.length + tail.length + result.omittedLines).toBe(60_000);
    expect(result.head.length + result.tail.length).toBeLessThanOrEqual(128 * 1024);
    const file = result.file ?? '';
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toBe(`${Array.from({ length: 60_000 }, (_, i) => i + 1).join('\n')}\n`);
  });

  it('needs no file when it fits in memory', async () => {
    const dataDir = join(workspace(), 'data');
    const result = await once('seq 1 2000', { dataDir }).result;
    expect(result.omittedLines).toBe(0);
    expect(result.file).toBeUndefined();
    // A progress bar of megabytes that ends as one line needs no file either.
    const bar = await once('for i in $(seq 30000); do printf "\\r%s" "working on step $i of many"; done', { dataDir })
      .result;
    expect(bar).toMatchObject({ head: 'working on step 30000 of many', omittedLines: 0 });
    expect(bar.file).toBeUndefined();
  });

  it('is complete in memory where the full text can’t be written', async () => {
    const home = workspace();
    writeFileSync(join(home, 'data'), 'a file where the folder would be');
    const run = once('seq 1 60000', { dataDir: join(home, 'data') });
    const result = await run.result;
    expect(result.tail.endsWith('60000')).toBe(true);
    expect(result.file).toBeUndefined();
  });

  it('stays bounded in a flood and ends on the true last screen', async () => {
    const block = Array.from(
      { length: 4000 },
      (_, i) => `\x1b[3${i % 8}m${i}\x1b[0m some text to fill the line ${i}\n`,
    ).join('');
    const home = workspace();
    writeFileSync(join(home, 'block'), block);
    const before = process.memoryUsage().rss;
    const run = once('for i in $(seq 150); do cat block; done; printf "\\033[7mTHE END\\033[0m\\n"; (exit 3)', {
      cwd: home,
    });
    let peak = before;
    run.output.subscribe(() => {
      peak = Math.max(peak, process.memoryUsage.rss());
    });
    const result = await run.result;
    expect(result.exit).toBe(3);
    expect(result.head.startsWith('\x1b[0;30m0\x1b[0m some text to fill the line 0\n')).toBe(true);
    expect(result.tail.endsWith('\x1b[0;7mTHE END\x1b[0m')).toBe(true);
    const kept = result.head.split('\n').length + result.tail.split('\n').length;
    expect(kept + result.omittedLines).toBe(150 * 4000 + 1);
    expect(run.output.lines(3).at(-1)).toContain('THE END');
    expect(peak - before).toBeLessThan(96 * 1024 * 1024);
    const full = readFileSync(result.file ?? '', 'utf8');
    expect(full.length).toBe(block.replace(/\x1b\[\d+m/g, '').length * 150 + 8);
  });
});

it('a flood of short lines is not parsed in full, and neither is one of long lines', async () => {
  const before = process.cpuUsage();
  const result = await once('yes | head -c 6M; echo THE END').result;
  const { user, system } = process.cpuUsage(before);
  const kept = result.head.split('\n').length + result.tail.split('\n').length;
  expect(kept + result.omittedLines).toBe(3 * 2 ** 20 + 1);
  expect(result.tail.endsWith('y\ny\nTHE END')).toBe(true);
  expect(statSync(result.file ?? '').size).toBe(6 * 2 ** 20 + 8);
  // Parsing all three million lines takes the terminal model some four seconds.
  expect((user + system) / 1e6).toBeLessThan(2);
});

describe('a full-screen program', () => {
  it('is recognised, and its bytes are passed on unchanged', async () => {
    const run = once(
      "printf 'before\\n'; printf '\\033[?1049h\\033[Hpainted'; read x; printf 'more\\033[?1049l'; echo after",
    );
    let changes = 0;
    run.onModes(() => {
      changes += 1;
    });
    await until(() => run.fullScreen, 'the screen is asked for');
    let raw = '';
    run.rawOutput((data) => {
      raw += data.toString();
    });
    run.write('\n');
    const result = await run.result;
    expect(raw).toBe('\x1b[?1049h\x1b[Hpainted\r\nmore\x1b[?1049l');
    expect(changes).toBe(2);
    expect(run.fullScreen).toBe(false);
    expect(result.head).toBe('before\nafter');
  });

  it.skipIf(lacks('vim'))('can be vim, which edits a file', async () => {
    const { shell, home, run } = await userShell();
    const vim = shell.run('vim -u NONE -n note.txt');
    await until(() => vim.fullScreen, 'vim has the screen');
    let raw = '';
    vim.rawOutput((data) => {
      raw += data.toString('latin1');
    });
    await until(() => raw.includes('note.txt'), 'vim has painted');
    vim.write('ihello from vim\x1b');
    await until(() => raw.includes('hello from vim'), 'the text is shown');
    vim.write(':wq\r');
    expect((await vim.result).exit).toBe(0);
    expect(readFileSync(join(home, 'note.txt'), 'utf8')).toBe('hello from vim\n');
    expect((await run('stty -a | grep -o " echo "')).head.trim()).toBe('echo');
  });

  it.skipIf(lacks('less'))('can be less, which pages', async () => {
    const { shell } = await userShell();
    const less = shell.run('seq 1 500 | less');
    await until(() => less.fullScreen, 'less has the screen');
    less.write('q');
    expect(await less.result).toMatchObject({ exit: 0, head: '' });
  });
});
