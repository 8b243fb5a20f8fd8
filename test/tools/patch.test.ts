import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTools } from '../../src/tools/index.ts';
import { FILE_STEPS, type FileSteps, type PatchTool, patchTool } from '../../src/tools/patch/tool.ts';

import { crashing } from './patch-steps.ts';

/** Returns whether the tool calls it destructive. */
const overwrites = (args: string, cwd: string) => patchTool().judge(args, cwd).destructive;

let cwd: string;
let tool: PatchTool;
let shown: { path: string; diff: string }[];

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'patch-'));
  shown = [];
  tool = patchTool({ onApplied: (change) => shown.push(change) });
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const at = (path: string) => join(cwd, path);
const put = (path: string, text: string | Uint8Array) => writeFileSync(at(path), text);
const read = (path: string) => readFileSync(at(path), 'utf8');
/** Acts as the engine does: judges, allows, runs. `meanwhile` happens before the run. */
const patch = (path: string, ...patches: object[]) => judgedAndRun({ path, patches });
const judgedAndRun = (args: object, meanwhile?: () => void) => {
  const { destructive } = tool.judge(JSON.stringify(args), cwd);
  meanwhile?.();
  return tool.run({ ...args }, { cwd, signal: new AbortController().signal, destructive });
};
const replace = (oldText: string, newText: string) => ({ operation: 'replace', oldText, newText });
const overwrite = (newText: string) => ({ operation: 'overwrite', newText });
const asRoot = process.getuid?.() === 0;

describe('a patch that applies', () => {
  it('returns a unified diff, and shows it', async () => {
    put('a.ts', 'one\ntwo\nthree\n');
    const outcome = await patch('a.ts', replace('two', 'zwei'));
    expect(outcome).toEqual({
      text: 'patched a.ts\n--- a.ts\n+++ a.ts\n@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n',
      failed: false,
    });
    expect(shown).toEqual([{ path: 'a.ts', diff: outcome.text.slice('patched a.ts\n'.length) }]);
    expect(read('a.ts')).toBe('one\nzwei\nthree\n');
    expect(readdirSync(cwd)).toEqual(['a.ts']);
  });

  it('reports the line that it matched with different blanks', async () => {
    put('a.py', 'if x:\n\ty\n');
    expect((await patch('a.py', replace('if x:\n    y', 'if x:\n    z'))).text).toMatch(
      /^patched a\.py\npatch 1 \(replace\) matched line 1 but for blanks/,
    );
    expect(read('a.py')).toBe('if x:\n\tz\n');
  });

  it('creates a file with the mode that the umask leaves', async () => {
    put('usual', '');
    expect((await patch('new', overwrite('hello\n'))).text).toBe(
      'created new\n--- /dev/null\n+++ new\n@@ -0,0 +1,1 @@\n+hello\n',
    );
    expect(statSync(at('new')).mode).toBe(statSync(at('usual')).mode);
    expect((await patch('newer', { operation: 'append_eof', newText: 'x' })).failed).toBe(false);
    expect(read('newer')).toBe('x');
  });

  it('cuts a long diff for the model, at a line end', async () => {
    put('long', '');
    const outcome = await patch('long', overwrite('0123456789\n'.repeat(5000)));
    expect(outcome.text.length).toBeLessThan(8100);
    expect(outcome.text).toMatch(/\n\+0123456789\n\[… \d{4} more lines of the diff\]\n$/);
    expect(shown[0]?.diff.length).toBeGreaterThan(50_000);
  });

  it('handles two completely different texts within seconds', async () => {
    const lines = (seed: number) => Array.from({ length: 6_000 }, (_, line) => `${(line * seed) % 9973}`).join('\n');
    put('a', lines(7).repeat(6));
    expect((await patch('a', overwrite(lines(11)))).failed).toBe(false);
    expect(read('a')).toBe(lines(11));
  });

  it('puts no terminal escapes from the file into its messages', async () => {
    put('a', 'x\x1b[2J\x1b]0;t\x07y\nz\n');
    expect((await patch('a', replace('z', '\x1b[31mred'))).text).not.toMatch(/[\x1b\x07]/);
    expect((await patch('a', replace('X[2Jy', ''))).text).not.toMatch(/[\x1b\x07]/);
  });

  it('runs calls one after the other', async () => {
    put('n', '0\n');
    const calls = Array.from({ length: 20 }, (_, n) => patch('n', replace(`${n}\n`, `${n + 1}\n`)));
    expect((await Promise.all(calls)).every((outcome) => !outcome.failed)).toBe(true);
    expect(read('n')).toBe('20\n');
  });
});

describe('a patched file', () => {
  it('keeps its mode', async () => {
    for (const mode of [0o755, 0o600, 0o640, 0o4755]) {
      put('run.sh', 'echo 1\n');
      chmodSync(at('run.sh'), mode);
      expect((await patch('run.sh', replace('1', '2'))).failed).toBe(false);
      expect(statSync(at('run.sh')).mode & 0o7777).toBe(mode);
    }
  });

  it.runIf(asRoot)('keeps its owner', async () => {
    put('theirs', 'a\n');
    chownSync(at('theirs'), 1234, 4321);
    chmodSync(at('theirs'), 0o4755);
    await patch('theirs', replace('a', 'b'));
    expect(statSync(at('theirs'))).toMatchObject({ uid: 1234, gid: 4321 });
    expect(statSync(at('theirs')).mode & 0o7777).toBe(0o4755);
  });

  it('keeps its place behind links', async () => {
    mkdirSync(at('deep'));
    put('deep/real', 'a\n');
    symlinkSync('deep/real', at('link'));
    symlinkSync('link', at('link2'));
    await patch('link2', replace('a', 'b'));
    expect(lstatSync(at('link')).isSymbolicLink() && lstatSync(at('link2')).isSymbolicLink()).toBe(true);
    expect(read('deep/real')).toBe('b\n');
    symlinkSync('deep', at('dir'));
    await patch('dir/../deep/real', replace('b', 'c'));
    await patch('dir/new', overwrite('n'));
    expect([read('deep/real'), read('deep/new')]).toEqual(['c\n', 'n']);
  });

  it('loses its hard links, with a message', async () => {
    put('a', 'a\n');
    linkSync(at('a'), at('b'));
    expect((await patch('a', replace('a', 'x'))).text).toMatch(/hard links keep the old text/);
    expect(read('b')).toBe('a\n');
  });
});

describe('patch', () => {
  it.each<[string, () => void, RegExp]>([
    ['a directory', () => mkdirSync(at('f')), /^f is a directory$/],
    ['a FIFO', () => execFileSync('mkfifo', [at('f')]), /not a regular file/],
    ['binary', () => put('f', 'a\0b'), /is binary/],
    ['Latin-1', () => put('f', Uint8Array.of(0x61, 0xe9, 0x0a)), /not UTF-8/],
    ['a large file', () => put('f', 'a'.repeat(2 * 1024 * 1024 + 1)), /larger than 2097152 bytes/],
    ['a link to nothing', () => symlinkSync('nowhere', at('f')), /symbolic link to nothing/],
    ['a link to itself', () => symlinkSync('f', at('f')), /circles/],
    ['no such file', () => undefined, /no such file; create it with overwrite\nNothing was changed in f\./],
  ])('refuses %s', async (_, make, message) => {
    make();
    const outcome = await patch('f', replace('a', 'b'));
    expect(outcome.failed).toBe(true);
    expect(outcome.text).toMatch(message);
    expect(shown).toEqual([]);
  });

  it.each([
    ['missing/f', /directory that does not exist; make that first/],
    ['f/', /no file but a directory/],
    ['file/f', /no directory/],
    ['a\0b', /NUL/],
    ['n'.repeat(300), /too long/],
  ])('refuses a path such as %j', async (path, message) => {
    put('file', '');
    const outcome = await patch(path, overwrite('x'));
    expect(outcome.text).toMatch(message);
    expect(readdirSync(cwd)).toEqual(['file']);
  });

  it.skipIf(asRoot)('refuses a file that its mode protects', async () => {
    put('f', 'a\n');
    chmodSync(at('f'), 0o444);
    expect((await patch('f', replace('a', 'b'))).text).toMatch(/permission denied/);
    expect(read('f')).toBe('a\n');
  });

  it('refuses a file that someone else changes meanwhile', async () => {
    put('f', 'a\n');
    const racing: FileSteps = {
      ...FILE_STEPS,
      open: async (path, flags, mode) => {
        if (flags === 'wx') put('f', 'theirs\n');
        return FILE_STEPS.open(path, flags, mode);
      },
    };
    tool = patchTool({ steps: racing });
    expect((await patch('f', replace('a', 'b'))).text).toMatch(/changed by someone else/);
    expect((await patch('f2', overwrite('x'))).failed).toBe(false);
    expect(read('f')).toBe('theirs\n');
    expect(readdirSync(cwd)).toEqual(['f', 'f2']);
  });

  it('refuses to replace a file that was made after the overwrite was judged', async () => {
    const args = { path: 'f', patches: [overwrite('mine\n')] };
    const outcome = await judgedAndRun(args, () => put('f', 'theirs\n'));
    expect(outcome).toMatchObject({
      failed: true,
      text: expect.stringMatching(/^f exists by now.*Nothing was changed/),
    });
    expect(read('f')).toBe('theirs\n');
    // A new call is judged as an overwrite.
    expect(tool.judge(JSON.stringify(args), cwd).destructive).toBe(true);
    expect((await judgedAndRun(args)).failed).toBe(false);
    expect(read('f')).toBe('mine\n');
  });

  it('refuses to replace a file that is made at the same moment', async () => {
    const racing: FileSteps = {
      ...FILE_STEPS,
      link: (from, to) => {
        put('f', 'theirs\n');
        return FILE_STEPS.link(from, to);
      },
    };
    tool = patchTool({ steps: racing });
    expect((await patch('f', overwrite('mine\n'))).text).toMatch(/changed by someone else/);
    expect([readdirSync(cwd), read('f')]).toEqual([['f'], 'theirs\n']);
  });

  it('creates a file where the file system has no hard links', async () => {
    const link = () => Promise.reject(Object.assign(new Error('no links'), { code: 'EPERM' }));
    tool = patchTool({ steps: { ...FILE_STEPS, link } });
    expect((await patch('f', overwrite('mine\n'))).failed).toBe(false);
    expect([readdirSync(cwd), read('f')]).toEqual([['f'], 'mine\n']);
  });

  it('refuses anything once the run is aborted, or with arguments that violate the schema', async () => {
    put('f', 'a\n');
    const args = { path: 'f', patches: [replace('a', 'b')] };
    expect((await tool.run(args, { cwd, signal: AbortSignal.abort() })).text).toMatch(/^stopped; nothing/);
    expect((await tool.run({ path: 'f' }, { cwd, signal: new AbortController().signal })).failed).toBe(true);
    expect(read('f')).toBe('a\n');
  });

  it('leaves the file and nothing else on a full disk', async () => {
    put('f', 'a\n');
    const full: FileSteps = {
      ...FILE_STEPS,
      open: async (path, flags, mode) => {
        const handle = await FILE_STEPS.open(path, flags, mode);
        const writeFile = async (data: Uint8Array) => {
          await handle.writeFile(data.subarray(0, 1));
          throw Object.assign(new Error('full'), { code: 'ENOSPC' });
        };
        return { ...bound(handle), writeFile };
      },
    };
    tool = patchTool({ steps: full });
    expect((await patch('f', replace('a', 'b'))).text).toBe(
      "f can't be written: no space is left on the device. Nothing was changed.",
    );
    expect([readdirSync(cwd), read('f')]).toEqual([['f'], 'a\n']);
  });
});

function bound(handle: Awaited<ReturnType<FileSteps['open']>>): typeof handle {
  return {
    writeFile: (data) => handle.writeFile(data),
    stat: () => handle.stat(),
    chown: (uid, gid) => handle.chown(uid, gid),
    chmod: (mode) => handle.chmod(mode),
    sync: () => handle.sync(),
    close: () => handle.close(),
  };
}

describe('a crash between any two steps', () => {
  it('finds the bytes synced before the rename, in this order', async () => {
    put('f', 'a\n');
    const { steps, taken } = crashing(Number.POSITIVE_INFINITY);
    tool = patchTool({ steps });
    await patch('f', replace('a', 'b'));
    expect(taken).toEqual([
      ...['open', 'write half', 'write', 'chmod', 'sync', 'close', 'rename'],
      ...['open', 'sync directory', 'close'],
    ]);
  });

  it.each(Array.from({ length: 12 }, (_, count) => [count]))(
    'leaves the old or the new file, never a partial one: after %i steps',
    async (count) => {
      const before = 'old\n'.repeat(100);
      put('f', before);
      const crash = crashing(count);
      tool = patchTool({ steps: crash.steps });
      await patch('f', { ...replace('old', 'brand new'), replaceAll: true });
      crash.lose();
      const renamed = crash.taken.includes('rename');
      expect(read('f')).toBe(renamed ? 'brand new\n'.repeat(100) : before);

      const second = crashing(count);
      tool = patchTool({ steps: second.steps });
      await patch('fresh', overwrite('whole\n'));
      second.lose();
      expect(existsSync(at('fresh')) ? read('fresh') : 'whole\n').toBe('whole\n');
    },
  );
});

describe('undo', () => {
  it('reverts patches, starting with the last one', async () => {
    put('f', 'a\r\n');
    chmodSync(at('f'), 0o750);
    await patch('f', replace('a', 'b'));
    await patch('f', replace('b', 'c'));
    await patch('g', overwrite('new\n'));
    expect((await tool.preview()).text).toMatch(/^patch g: the undo removes it\n--- g\n/);
    expect(existsSync(at('g'))).toBe(true);
    expect(await tool.undo()).toEqual({
      ok: true,
      text: expect.stringMatching(/^undone: patch g, which had created it\n--- g\n\+\+\+ \/dev\/null\n/),
    });
    expect(existsSync(at('g'))).toBe(false);
    expect((await tool.undo()).text).toBe('undone: patch f\n--- f\n+++ f\n@@ -1,1 +1,1 @@\n-c\n+b\n');
    expect((await tool.undo()).ok).toBe(true);
    expect(read('f')).toBe('a\r\n');
    expect(statSync(at('f')).mode & 0o777).toBe(0o750);
    expect(await tool.undo()).toEqual({ ok: false, text: 'no patch to undo' });
  });

  it('works only while the file is as the patch left it', async () => {
    put('f', 'a\n');
    await patch('f', replace('a', 'b'));
    put('f', 'mine\n');
    expect(await tool.undo()).toEqual({ ok: false, text: "can't undo: f has changed since it was patched" });
    expect(read('f')).toBe('mine\n');
    put('f', 'b\n');
    expect((await tool.undo()).ok).toBe(true);
    expect(read('f')).toBe('a\n');
  });

  it('does not follow a file that became a link, and does not restore a removed one', async () => {
    put('f', 'a\n');
    await patch('f', replace('a', 'b'));
    rmSync(at('f'));
    expect((await tool.undo()).ok).toBe(false);
    put('other', 'b\n');
    symlinkSync('other', at('f'));
    expect((await tool.undo()).ok).toBe(false);
    expect(read('other')).toBe('b\n');
  });
});

describe('a call of patch', () => {
  it('passes the registry when it fits the schema, and otherwise returns what is wrong', async () => {
    const tools = createTools([], [tool], [], []);
    const refusal = (args: unknown) =>
      tools.refusal({ kind: 'tool', name: 'patch', callId: '1', arguments: JSON.stringify(args) });
    expect(await refusal({ path: 'f', patches: [replace('a', 'b')] })).toBeUndefined();
    expect(await refusal({ path: 'f', patches: [] })).toMatch(/fewer than 1/);
    expect(await refusal({ path: 'f', patches: [{ operation: 'delete' }] })).toMatch(/one of the allowed values/);
    expect(tools.autoApproved({ kind: 'tool', name: 'patch', callId: '1', arguments: '{}' })).toBe(false);
  });

  it.each<[string, boolean]>([
    [JSON.stringify({ path: 'there', patches: [overwrite('x')] }), true],
    [JSON.stringify({ path: 'link', patches: [overwrite('x')] }), true],
    [JSON.stringify({ path: 'there', patches: [replace('a', 'b'), overwrite('x')] }), true],
    [JSON.stringify({ path: 'there', patches: [replace('a', 'b')] }), false],
    [JSON.stringify({ path: 'new', patches: [overwrite('x')] }), false],
    [JSON.stringify({ path: 'there/below', patches: [overwrite('x')] }), true],
    [JSON.stringify({ path: 'a\0b', patches: [overwrite('x')] }), true],
    [JSON.stringify({ path: '~', patches: [overwrite('x')] }), true],
    ['not JSON', true],
    ['{}', true],
  ])('counts as destructive when it overwrites something: %s', (args, expected) => {
    put('there', 'a\n');
    symlinkSync('nowhere', at('link'));
    expect(overwrites(args, cwd)).toBe(expected);
  });
});
