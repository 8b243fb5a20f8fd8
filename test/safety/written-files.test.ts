import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGate } from '../../src/safety/index.ts';
import type { Action } from '../../src/session/action.ts';
import { BASH, createTools, patchTool } from '../../src/tools/index.ts';
import { startEngine } from '../support/engine.ts';
import { call, say, startScriptedServer } from '../support/scripted-server.ts';

let project = '';
let ours = '';
beforeAll(() => {
  project = realpathSync(mkdtempSync(join(tmpdir(), 'aish-written-')));
  ours = realpathSync(mkdtempSync(join(tmpdir(), 'aish-ours-')));
  mkdirSync(join(project, '.git/hooks'), { recursive: true });
  for (const file of ['package.json', 'notes.txt']) writeFileSync(join(project, file), '{}\n');
  symlinkSync(ours, join(project, 'link'));
});
afterAll(() => {
  for (const directory of [project, ours]) rmSync(directory, { recursive: true, force: true });
});

const context = { cwd: '', goal: '', signal: AbortSignal.timeout(60_000) };
const patched = { destructive: false, reason: 'changes part of a file', source: 'static', kept: true } as const;
const tool = (name: string, args: object) => ({ kind: 'tool', name, arguments: JSON.stringify(args) }) as const;
const bash = (command: string) => ({ kind: 'command', command, job: false }) as const;

/** Returns the gate’s verdict on one write by each tool: HALT, a second opinion, refused, or none. */
async function verdicts(path: string, more: object = {}) {
  let asked = false;
  const secondOpinion = () => {
    asked = true;
    return Promise.resolve({ ok: true, text: 'NO' } as const);
  };
  const gate = createGate({ enabled: true, secondOpinion, ours: [ours], readOnlyTools: ['fs__*'] });
  const within = { ...context, cwd: project, ...more };
  const said = { ...patched, basis: { reads: [], own: [], writes: [path] } };
  const ways: Record<string, (action: Action) => Promise<{ destructive: boolean; refused?: string }>> = {
    bash: () => gate.judge(bash(`echo x >> ${path}`), within),
    patch: async (action) => (await gate.judgeWrites?.(said, action, within)) ?? said,
    server: () => gate.judge(tool('fs__create_document', { path, content: 'x' }), within),
  };
  const found: Record<string, string> = {};
  for (const [name, judge] of Object.entries(ways)) {
    asked = false;
    const { destructive, refused } = await judge(tool('patch', { path }));
    found[name] = refused ? 'refused' : destructive ? 'halt' : asked ? 'opinion' : 'run';
  }
  return found;
}
const every = (word: string) => ({ bash: word, patch: word, server: word });

describe('a write is judged alike by bash, patch and an MCP server’s tool', () => {
  it.each([
    ['~/.bashrc', 'halt'],
    ['~/.ssh/authorized_keys', 'halt'],
    ['.git/hooks/pre-commit', 'halt'],
    ['/etc/cron.d/job', 'halt'],
    ['package.json', 'opinion'],
    ['conftest.py', 'opinion'],
    ['notes.txt', 'run'],
    ['src/new.ts', 'run'],
  ])('%s: %s', async (path, word) => {
    expect(await verdicts(path)).toEqual(every(word));
  });

  it('asks no second opinion about a patch in Project, where undo keeps the old file', async () => {
    expect(await verdicts('package.json', { held: true, project: { tree: project } })).toMatchObject({ patch: 'run' });
  });
});

describe('aish-tui’s own files', () => {
  it('can’t be written by bash, patch or an MCP tool in any mode, not even through a link', async () => {
    const tree = { held: true, project: { tree: project } };
    for (const mode of [{}, tree, { held: true }])
      for (const path of [join(ours, 'config.jsonc'), 'link/config.jsonc'])
        expect(await verdicts(path, mode)).toEqual(every('refused'));
  });

  it.each([
    (own: string) => bash(`cp notes.txt ${own}/config.jsonc`),
    (own: string) => bash(`sed -i s/a/b/ ${own}/config.jsonc`),
    (own: string) => bash(`sudo rm -rf ${own}`),
    (own: string) => bash(`python3 -c "open('${own}/history', 'w').write('x')"`),
    (own: string) => tool('fs__move_file', { source: `${own}/config.jsonc`, destination: 'gone' }),
    (own: string) => tool('fs__delete_file', { path: own }),
    (own: string) => tool('fs__write_file', { path: `file://${own}/trust`, content: '' }),
    (own: string) => tool('term__run_command', { command: `echo > ${own}/config.jsonc` }),
  ])('can’t be changed by method %#', async (action) => {
    const gate = createGate({ enabled: false, ours: [ours] });
    const judged = await gate.judge(action(ours), { ...context, cwd: project });
    expect(judged.refused).toContain("aish-tui's own");
  });

  it.each([
    (own: string) => bash(`cat ${own}/config.jsonc`),
    (own: string) => bash(`cp ${own}/config.jsonc copy`),
    (own: string) => tool('fs__read_text_file', { path: `${own}/config.jsonc` }),
    (own: string) => tool('fs__copy_file', { source: `${own}/config.jsonc`, destination: 'copy' }),
  ])('may be read by method %#', async (action) => {
    const gate = createGate({ enabled: false, ours: [ours] });
    expect((await gate.judge(action(ours), { ...context, cwd: project })).refused).toBeUndefined();
  });
});

it('a patch of a shell startup file halts even if the patch tool is approved beforehand', async () => {
  const home = join(project, 'home');
  mkdirSync(home);
  const file = join(home, '.bashrc');
  const args = { path: file, patches: [{ operation: 'append_eof', newText: 'evil' }] };
  await using server = await startScriptedServer([call('patch', args), say('GOAL: complete')]);
  const tools = createTools([BASH], [patchTool()], ['patch'], []);
  const gate = createGate({ enabled: false });
  await using bench = startEngine(
    { name: 'fast', model: 'test', baseUrl: server.baseUrl },
    { gate, services: { tools } },
  );
  void bench.engine.dispatch({ type: 'norrisStarted', goal: 'g' });
  await bench.until(() => bench.engine.state.questions.length > 0 || bench.engine.conversation.phase.kind === 'idle');
  expect(bench.engine.state.questions).toMatchObject([{ kind: 'halt', why: 'destructive' }]);
  expect(existsSync(file)).toBe(false);
});
