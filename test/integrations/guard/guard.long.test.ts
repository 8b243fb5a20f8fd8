/** The built guard as the agents start it: input in, exact bytes out. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Allowances } from '../../../src/integrations/guard/allowance.ts';
import { AGENTS, type Agent } from '../../../src/knowledge/programs.ts';
import { ensureBuilt } from '../../support/build.ts';
import { PROGRAM } from '../../support/program.ts';
import { startRig } from '../../support/rig.ts';
import { ASKED, DENIED, FIXTURES, GARBAGE, STRICT } from './fixtures.ts';

const GUARD = fileURLToPath(new URL('../../../dist/aish-guard.mjs', import.meta.url));
const UNKNOWN = 'frobnicate --all';

let home: string;
beforeAll(ensureBuilt);
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'aish-guard-'));
});
afterEach(() => rmSync(home, { recursive: true }));

it('the guard refuses an old Node in a line, without a stack trace', () => {
  const old = 'data:text/javascript,Object.defineProperty(process,"versions",{value:{node:"20.20.2"}})';
  const { status, stderr } = spawnSync(process.execPath, ['--import', old, GUARD], { encoding: 'utf8', env: env() });
  expect({ status, lines: stderr.split('\n') }).toEqual({
    status: 2,
    lines: [expect.stringMatching(/^aish-tui needs Node 22\.12 or newer; found v.* Install one from https:/), ''],
  });
});

const env = () => ({ HOME: home, PATH: process.env.PATH ?? '', SHELL: '/bin/bash', TERM: 'xterm-256color' });

function guard(agent: Agent, input: string, ...flags: readonly string[]) {
  const args = [GUARD, agent, ...flags];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: home,
    env: env(),
    input,
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  // The guard never removes a question that the agent would ask itself.
  expect(stdout).not.toMatch(/"allow"|"approve"/);
  return stdout;
}

describe.each(AGENTS)('the guard for %s', (agent) => {
  const { call, deny, ask, silence } = FIXTURES[agent];

  it('denies a destructive command, with the reason and the user’s way to allow it', () => {
    expect(guard(agent, call('cd / && sudo rm -rf build'))).toBe(deny(DENIED));
  });

  it('prints no approval for a safe command', () => {
    expect(guard(agent, call('ls -la && git status'))).toBe(silence);
  });

  it('asks about an unknown command if possible, otherwise leaves it to the agent, and denies it with --strict', () => {
    const reason = /harmless: (.*?)(?:\. A person|"})/.exec(guard(agent, call(UNKNOWN), '--strict'))?.[1] ?? '';
    expect(reason).toMatch(/\w/);
    expect(guard(agent, call(UNKNOWN))).toBe(ask ? ask(ASKED(reason)) : silence);
    expect(guard(agent, call(UNKNOWN), '--strict')).toBe(deny(STRICT(reason)));
  });

  it.each(['', 'garbage', '[]', 'null', '{"tool_name":7,"toolName":7}', '{"command":7}'])(
    'denies the input %j',
    (input) => {
      expect(guard(agent, input)).toBe(deny(GARBAGE));
    },
  );

  it('denies a command of a megabyte, and a call without end', () => {
    expect(guard(agent, call(`echo ${'x'.repeat(1 << 20)}`))).toContain('longer than is looked at');
    expect(guard(agent, `{"x":"${'y'.repeat(5 << 20)}`)).toBe(
      deny('aish-guard: the call is too large, so the command does not run.'),
    );
  });

  it('denies a command that addresses the guard itself', () => {
    for (const command of ['aish-guard allow', 'script -c "aish-tui guard allow" x', `node ${GUARD} allow`])
      expect(guard(agent, call(command))).toContain('only a person');
  });
});

// Cursor's hook is asked about commands only.
it.each(AGENTS.filter((agent) => agent !== 'cursor'))('the guard for %s stays silent about other tools', (agent) => {
  const { otherTool, silence } = FIXTURES[agent];
  expect(guard(agent, otherTool)).toBe(silence);
});

it('the guard denies an endless call in time, before the agent gives up on the hook', async () => {
  const { spawn } = await import('node:child_process');
  const child = spawn(process.execPath, [GUARD, 'claude-code'], { env: env(), stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.write('{"tool_name":');
  let out = '';
  child.stdout.on('data', (data) => {
    out += data;
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect(code).toBe(0);
  expect(out).toBe(FIXTURES['claude-code'].deny('aish-guard: it took too long, so the command does not run.'));
});

it('for an unknown agent, the guard exits with an error code that blocks if the agent obeys exit codes', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [GUARD, 'nobody'], { encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toContain('claude-code, codex');
});

describe('aish-guard allow', () => {
  const call = FIXTURES['claude-code'].call('rm -rf build');

  it('lets the user pick a denied command in a terminal, which then passes once and only in its directory', async () => {
    expect(guard('claude-code', call)).toContain('"deny"');
    await using rig = startRig(
      { home, work: home, env: env(), [Symbol.dispose]() {} },
      { file: process.execPath, args: [GUARD, 'allow'] },
    );
    await rig.waitFor('Which command may run once');
    expect(rig.text()).toContain('1  claude-code in /: rm -rf');
    expect(rig.text()).toContain('rm -rf build');
    rig.type('1\r');
    await rig.waitFor('it may pass once');
    await rig.exited;
    const elsewhere = call.replace('"cwd":"/"', '"cwd":"/tmp"');
    expect(guard('claude-code', elsewhere)).toContain('"deny"');
    expect(guard('claude-code', call)).toBe('');
    expect(guard('claude-code', call)).toContain('"deny"');
  });

  it('shows the command without its secrets', () => {
    const key = `sk-${'Ab3dEf6hIj9kLm2nOp5qRs8tUv1w'}`;
    guard('claude-code', FIXTURES['claude-code'].call(`rm -rf x && OPENAI_API_KEY=${key} curl example.com`));
    const [file = ''] = readdirSync(join(home, '.local/state/aish/guard/denied'));
    const kept = readFileSync(join(home, '.local/state/aish/guard/denied', file), 'utf8');
    expect(kept).toContain('rm -rf x');
    expect(kept).not.toContain(key);
  });

  it('needs a terminal', () => {
    guard('claude-code', call);
    const { status, stderr } = spawnSync(process.execPath, [GUARD, 'allow'], {
      env: env(),
      input: '1\n',
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 2, stderr: 'aish-guard: this is for a person, in a terminal\n' });
    expect(guard('claude-code', call)).toContain('"deny"');
  });

  it('expires after ten minutes, and lets only one of two simultaneous calls pass', async () => {
    const allowances = new Allowances(join(home, 'state'), (text) => text);
    const asked = { command: 'rm x', cwd: '/' };
    const allow = async () => {
      await allowances.deny({ ...asked, agent: 'codex', reason: 'rm' });
      const [denied] = allowances.recent(Date.now());
      if (denied) allowances.allow(denied);
    };
    await allow();
    expect(allowances.take(asked, Date.now() + 11 * 60_000)).toBe(false);
    await allow();
    expect([allowances.take(asked, Date.now()), allowances.take(asked, Date.now())]).toEqual([true, false]);
  });
});

describe('aish-tui guard', () => {
  const tui = (...args: readonly string[]) =>
    spawnSync(PROGRAM, ['guard', ...args], { cwd: home, env: env(), encoding: 'utf8', input: '' });

  /** The file in which each agent reads its hooks, below the home directory. */
  const PLACES: Readonly<Record<Agent, string>> = {
    'claude-code': '.claude/settings.json',
    codex: '.codex/hooks.json',
    gemini: '.gemini/settings.json',
    copilot: '.github/hooks/aish-guard.json',
    cursor: '.cursor/hooks.json',
    opencode: '.config/opencode/plugin/aish-guard.js',
    pi: '.pi/agent/extensions/aish-guard.ts',
  };

  function install(agent: Agent, text: string): string {
    const path = join(home, PLACES[agent]);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, text);
    return path;
  }

  it.each(AGENTS)('prints the hook for %s, and once installed, doctor tests it', (agent) => {
    const printed = tui('--for', agent);
    expect(printed.status).toBe(0);
    expect(printed.stdout).toContain(GUARD);
    expect(tui('doctor', '--for', agent)).toMatchObject({ status: 1, stdout: expect.stringContaining('no hook') });
    const path = install(agent, printed.stdout);
    expect(tui('doctor', '--for', agent)).toMatchObject({ status: 0, stdout: `ok  ${agent.padEnd(12)} ${path}\n` });
  });

  it('lets doctor report a hook whose program is missing, or that does not deny', () => {
    const { stdout } = tui('--for', 'codex');
    install('codex', stdout.replaceAll('aish-guard.mjs', 'gone/aish-guard.mjs'));
    expect(tui('doctor')).toMatchObject({ status: 1, stdout: expect.stringMatching(/^NO {2}codex .*ended with/) });
    install('codex', '{"hooks":{"PreToolUse":[{"hooks":[{"command":"true aish-guard"}]}]}}');
    expect(tui('doctor')).toMatchObject({ status: 1, stdout: expect.stringContaining('did not deny a test command') });
  });

  it('has plugins that block a command by the means that their agent provides', async () => {
    const file = install('opencode', tui('--for', 'opencode').stdout);
    writeFileSync(join(file, '../package.json'), '{"type":"module"}');
    type Hooks = { 'tool.execute.before': (input: unknown, output: unknown) => Promise<void> };
    const plugin: { AishGuard(given: unknown): Promise<Hooks> } = await import(pathToFileURL(file).href);
    const hooks = await plugin.AishGuard({ directory: '/' });
    const run = (command: string) => hooks['tool.execute.before']({ tool: 'bash' }, { args: { command } });
    await expect(run('rm -rf build')).rejects.toThrow('destructive: rm -rf');
    await expect(run('ls')).resolves.toBeUndefined();

    const extension = install(
      'pi',
      tui('--for', 'pi').stdout.replace('export default function (pi)', 'export default function (pi: any)'),
    );
    expect(readFileSync(extension, 'utf8')).toContain('block: true');
  });
});
