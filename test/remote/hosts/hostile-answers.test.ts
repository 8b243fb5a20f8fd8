/**
 * A host that lies, floods, sends fragments or is late: its data is bounded, and a missing answer never counts as a
 * good one.
 */
import { describe, expect, it } from 'vitest';
import { askEnd, readEnd } from '../../../src/remote/hosts/commands.ts';
import { readFacts } from '../../../src/remote/hosts/connection.ts';
import { hostFiles, hostProcesses } from '../../../src/remote/hosts/files.ts';
import { Helper } from '../../../src/remote/hosts/helper.ts';
import { readDirectoryFacts } from '../../../src/remote/hosts/index.ts';
import { readMeasured } from '../../../src/remote/hosts/launcher.ts';

const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
const long = (chars: number) => 'x'.repeat(chars);
const never = () => false;

/** A helper on a host that starts and then answers a question by this code; `$m` is its mark. */
function helperThat(answers: string, most?: number): Promise<Helper | undefined> {
  const code = `
read -r line; m=\${line##* }; printf '\\n%s 0\\n' "$m"
while read -r line; do case $line in '} </dev/null'*) m=\${line% *}; m=\${m##* }; ${answers} ;; esac; done`;
  const env = { PATH: '/usr/bin:/bin' };
  return Helper.start({ argv: ['/bin/sh', '-c', code], env }, most);
}

describe('a helper', () => {
  it.each([
    ['an invalid code', `printf '\\n%s \\n' "$m"`],
    ['a word as its code', `printf '\\n%s zero\\n' "$m"`],
    ['a code beyond the system’s range', `printf '\\n%s 0000000\\n' "$m"`],
    ['an unterminated mark', `printf '\\n%s ' "$m"; yes 1 | tr -d '\\n'`],
    ['the mark of another question', `printf '\\n%s9 0\\n' "$m"`],
    ['a flood of text', 'yes'],
    ['nothing', ':'],
    ['the end of its output', 'exit 0'],
  ])('that sends %s has not answered, and gets no further question', async (_, answers) => {
    const helper = await helperThat(answers);
    expect(await helper?.ask('true', 1000)).toBeUndefined();
    expect(await helper?.ask('true', 1000)).toBeUndefined();
    await helper?.ended;
  });

  it('may answer in pieces of any size, or several questions at once', async () => {
    const slow = await helperThat(`for c in '\\n' "$m" ' ' 1 2 '\\n'; do printf "$c"; sleep 0.02; done`);
    expect(await slow?.ask('true')).toEqual({ exit: 12, text: '' });
    const ask = async () => slow?.ask('true');
    const both = [ask(), ask()];
    expect(await Promise.all(both)).toEqual([
      { exit: 12, text: '' },
      { exit: 12, text: '' },
    ]);
    slow?.end();
  });

  it('processes a long answer in linear time', async () => {
    const bytes = 24_000_000;
    const helper = await helperThat(`head -c ${bytes} /dev/zero | tr '\\000' x; printf '\\n%s 0\\n' "$m"`, 32_000_000);
    const before = process.cpuUsage();
    const answer = await helper?.ask('true', 60_000);
    const { user, system } = process.cpuUsage(before);
    expect(answer?.text.length).toBe(bytes);
    // Quadratic time would copy and search some gigabytes.
    expect((user + system) / 1e6).toBeLessThan(3);
    helper?.end();
  });
});

describe('a host’s data about itself', () => {
  it('is accepted as facts only in the right form and size', () => {
    const facts = (folder: string, home: string) =>
      readFacts([folder, home, '/opt/own/shell', '0', '', '', ''].join('\0'));
    expect(facts('/tmp/aish-tui-x', '/root')).toMatchObject({ home: '/root', shell: '/opt/own/shell', root: true });
    for (const home of [
      '',
      'root',
      '/a\nb',
      '/\u009b31m',
      `/${long(5000)}`,
      '/a/../b',
      '/a//../b',
      '/a/..//',
      '/\ufffd',
    ])
      expect(facts('/tmp/x', home)).toBeUndefined();
    for (const folder of ['', '/tmp/$(x)', '/tmp/a b', `/${long(5000)}`])
      expect(facts(folder, '/root')).toBeUndefined();
  });

  it('may contain a path with extra slashes, which are dropped', () => {
    const facts = (...paths: string[]) => readFacts(['/tmp/x', ...paths].join('\0'));
    expect(
      facts('//home//me/', '/opt//own/shell', '1', '/home/me/.config/zsh//', '/usr/local/bin//bash'),
    ).toMatchObject({
      home: '/home/me',
      shell: '/opt/own/shell',
      zdotdir: '/home/me/.config/zsh',
      bash: '/usr/local/bin/bash',
    });
    expect(facts('//', '/opt//../shell', '1', '/x/..//', '/a//b\u001b')).toMatchObject({
      home: '/',
      shell: '/bin/sh',
      zdotdir: undefined,
      bash: undefined,
    });
  });

  it('gives the location of a directory only as valid paths', async () => {
    const standing = (...parts: string[]) =>
      readDirectoryFacts(() => Promise.resolve({ exit: 0, text: parts.join('\0') }), '/');
    expect(await standing('/srv/a', '/root', '/srv', '')).toMatchObject({ cwd: '/srv/a', repositories: ['/srv'] });
    for (const cwd of ['/srv\n[aish] mode: Unrestricted', '/srv/\u001b]0;x', '/srv/..', '', long(9000)])
      expect(await standing(cwd, '/root', '')).toBeUndefined();
  });

  it('contains an exit code in the valid range, or none', () => {
    for (const text of ['256', '999', '-1', '0x0', '1e2', '0\n0', '00000', long(1_000_000), '']) {
      expect(readEnd(text)).toEqual({ kind: 'unknown' });
    }
    const told = readEnd(`none failed ${'\u001b]0;x\u0007'}${long(900_000)}`);
    expect(told.kind).toBe('never began');
    const why = told.kind === 'never began' ? (told.why ?? '') : '';
    expect([why.length <= 300, CONTROL.test(why)]).toEqual([true, false]);
    expect(askEnd('/tmp/x', 'op')).not.toBe('');
  });

  it('contains a limited number of files, limited file names and limited counts', async () => {
    const files = (text: string) => hostFiles(() => Promise.resolve({ exit: 0, text }));
    const named = [{ path: 'x', glob: true, cwd: '/srv' }];
    const names = Array.from({ length: 100_000 }, (_, n) => `/srv/${n}`).join('\0');
    expect(await files(`${names}\0`).existing(named, never)).toHaveLength(200);
    expect(await files(`/${long(9000)}\0/srv/a\0cut off`).existing(named, never)).toEqual(['/srv/a']);
    for (const text of ['-1 0 0', `${'9'.repeat(300)} 0 0`, '1 1e9 0', 'NaN 0 0', '1 2 3 0', ''])
      expect(await files(text).count(['/srv'], never)).toBeUndefined();
  });

  it('describes processes in a few short lines without control characters', async () => {
    const rows = Array.from({ length: 1000 }, () => `7 \u001b[2J${long(500)} web`).join('\n');
    const lines = await hostProcesses(() => Promise.resolve({ exit: 0, text: rows }), ['7'], ['web']);
    expect(lines.length).toBeLessThanOrEqual(8);
    for (const line of lines) expect([line.length <= 200, CONTROL.test(line)]).toEqual([true, false]);
  });

  it('names only removable directories with aish-tui’s own name, and none that leads elsewhere', () => {
    const own = '/home/me/.cache/aish-tui-host-1000';
    expect(readMeasured(`${own}\x002\x0010\0`)).toEqual([{ directory: own, actions: 2, bytes: 10_240 }]);
    for (const directory of [
      `${own}/../..`,
      '/home/me',
      '/aish-tui-host-1/home',
      `${own}/`,
      `/a\n${own}`,
      'aish-tui-host-1',
    ])
      expect(readMeasured(`${directory}\x002\x0010\0`)).toEqual([]);
    expect(readMeasured(`${own}\0Infinity\x00-1e308\0`)).toEqual([{ directory: own, actions: 0, bytes: 0 }]);
    expect(readMeasured(`${own}\x002\x0010\0`.repeat(10_000)).length).toBeLessThan(10);
  });
});
