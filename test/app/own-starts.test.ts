import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type OwnCommand, OwnStarts } from '../../src/app/own-starts.ts';

let home = '';
let asked: { readonly names: string; readonly files: readonly string[] }[] = [];
let answer = true;

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'aish-starts-')));
  vi.stubEnv('HOME', home);
  vi.stubEnv('PATH', `${home}/bin:/usr/bin`);
  for (const file of [
    'src/app/.git/HEAD',
    'src/app/server.js',
    'src/app/lib/a.js',
    'tools/x.sh',
    'my tools/x.sh',
    'venv/bin/serve',
    'venv/lib/a.py',
    'bin/mine',
    'notes',
    'elsewhere/y.js',
  ])
    put(file);
  asked = [];
  answer = true;
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

function put(file: string): void {
  mkdirSync(dirname(join(home, file)), { recursive: true });
  writeFileSync(join(home, file), 'x\n');
}

const at = (...files: readonly string[]) => files.map((file) => join(home, file));
const program = () =>
  new OwnStarts({
    file: join(home, '.local/state/own-starts.jsonl'),
    async ask(names, files) {
      asked.push({ names, files });
      return answer;
    },
  });
const server = (more: Partial<OwnCommand> = {}): OwnCommand => ({
  name: 'the MCP server a',
  words: ['node', join(home, 'src/app/server.js')],
  ...more,
});

describe('a program of the user’s own configuration', () => {
  it('starts without a question while no model has changed its files', async () => {
    const starts = program();
    starts.changed(at('elsewhere/y.js', 'notes'));
    expect(await starts.mayStart(server())).toBe(true);
    expect(asked).toEqual([]);
  });

  it.each<[string, string, () => Partial<OwnCommand>]>([
    ['a file beside the one that a word names', 'src/app/lib/a.js', () => ({})],
    ['its directory', 'src/app/x.json', () => ({ words: ['npx', 'x'], cwd: join(home, 'src/app/lib') })],
    [
      'a file that a line for the shell names by $HOME',
      'tools/x.sh',
      () => ({ words: ['exec "$HOME/tools/x.sh" -v'] }),
    ],
    [
      'a quoted file with a blank in its name',
      'my tools/x.sh',
      () => ({ words: [`'${home}/my tools/x.sh' --port=1`] }),
    ],
    [
      'an escaped file with a blank in its name',
      'my tools/x.sh',
      () => ({ words: [`${home}/my\\ tools/x.sh --port 1`] }),
    ],
    ['a library beside a bin', 'venv/lib/a.py', () => ({ words: [join(home, 'venv/bin/serve')] })],
    ['a file that a line for the shell names', 'tools/x.sh', () => ({ words: ['exec ~/tools/x.sh --port=1'] })],
    [
      'a value of its environment',
      'tools/deep/y.py',
      () => ({ words: ['python3'], env: { PYTHONPATH: join(home, 'tools') } }),
    ],
    ['a program of the PATH', 'bin/mine', () => ({ words: ['mine serve'] })],
    ['a repository in its tree', 'src/app/sub/z', () => ({})],
    ['a file behind a link', 'src/app/server.js', () => ({ words: ['node', join(home, 'link.js')] })],
  ])('is asked about with the names of the files when a model changed %s', async (_, file, more) => {
    put('src/app/sub/.git/HEAD');
    symlinkSync(join(home, 'src/app/server.js'), join(home, 'link.js'));
    program().changed(at(file));
    expect(await program().mayStart(server(more()))).toBe(true);
    expect(asked).toEqual([{ names: 'the MCP server a', files: at(file) }]);
  });

  it('is not asked about again once allowed, until a model changes something again', async () => {
    const starts = program();
    starts.changed(at('src/app/server.js'));
    expect(await starts.mayStart(server())).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await program().mayStart(server())).toBe(true);
    expect(asked).toHaveLength(1);
    starts.changed(at('src/app/lib/a.js'));
    expect(await program().mayStart(server())).toBe(true);
    expect(asked.map(({ files }) => files)).toEqual([at('src/app/server.js'), at('src/app/lib/a.js')]);
  });

  it('stays refused without another question, unless the user requests it or a model changes more', async () => {
    const starts = program();
    answer = false;
    starts.changed(at('src/app/server.js'));
    expect([await starts.mayStart(server()), await starts.mayStart(server())]).toEqual([false, false]);
    expect(asked).toHaveLength(1);
    answer = true;
    expect(await starts.mayStart(server(), true)).toBe(true);
    expect(asked).toHaveLength(2);
  });

  it('is asked about in one question with those that start at the same time', async () => {
    const starts = program();
    starts.changed(at('src/app/server.js'));
    const both = ['a', 'b'].map((name) => starts.mayStart(server({ name })));
    expect(await Promise.all([...both, starts.mayStart(server({ name: 'a' }))])).toEqual([true, true, true]);
    expect(asked.map(({ names }) => names)).toEqual(['a, b']);
  });

  it('in the home directory is asked about only when its own file changes, whatever else changes there', async () => {
    const starts = program();
    starts.changed(at('notes', 'elsewhere/y.js'));
    expect(await starts.mayStart(server({ words: ['sh', join(home, 'run.sh'), home], cwd: home }))).toBe(true);
    put('run.sh');
    starts.changed(at('run.sh'));
    expect(await starts.mayStart(server({ words: ['sh', join(home, 'run.sh')] }))).toBe(true);
    expect(asked.map(({ files }) => files)).toEqual([at('run.sh')]);
  });

  it('is asked about even when the record of changes is long and has damaged lines', async () => {
    const starts = program();
    starts.changed(at('src/app/server.js'));
    writeFileSync(join(home, '.local/state/own-starts.jsonl'), '{"at":1}\nnot json\n', { flag: 'a' });
    for (let count = 0; count < 40; count += 1)
      for (let tree = 0; tree < 40; tree += 1) starts.changed(at(`${'x'.repeat(200)}/${tree}/${'y'.repeat(200)}`));
    starts.changed(Array.from({ length: 1000 }, (_, index) => join(home, `made/${index}/y`)));
    expect(statSync(join(home, '.local/state/own-starts.jsonl')).size).toBeLessThan(600_000);
    expect(await starts.mayStart(server())).toBe(true);
    expect(asked).toHaveLength(1);
  });
});
