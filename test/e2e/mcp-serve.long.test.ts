import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect, it } from 'vitest';
import { ensureBuilt } from '../support/build.ts';
import { lacks } from '../support/lacks.ts';
import { PROGRAM, type Scratch, scratch } from '../support/program.ts';

const WAIT = { timeout: 10_000 } as const;

type Told = { readonly isError: boolean; readonly facts: Record<string, unknown> };

async function served(place: Scratch) {
  ensureBuilt();
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StdioClientTransport({
    command: PROGRAM,
    args: ['mcp', 'serve'],
    env: place.env,
    cwd: place.work,
  });
  await client.connect(transport);
  const call = async (name: string, given: Record<string, unknown>, signal?: AbortSignal): Promise<Told> => {
    const options = signal ? { signal } : {};
    const { content, isError } = await client.callTool({ name, arguments: given }, undefined, options);
    const [{ text }] = content as [{ text: string }];
    return { isError: isError === true, facts: JSON.parse(text) };
  };
  return { client, call, [Symbol.asyncDispose]: () => client.close() };
}

/** Returns whether a process with this argument runs. */
function runs(argument: string): boolean {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .some((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(argument);
      } catch {
        return false;
      }
    });
}

it('aish-tui mcp serve offers three tools that change nothing', async () => {
  using place = scratch();
  await using server = await served(place);
  const { tools } = await server.client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['safety_check', 'run_sandboxed', 'try']);
  for (const { annotations } of tools)
    expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false });
});

it('safety_check judges a command in the given directory, and lists every finding', async () => {
  using place = scratch();
  writeFileSync(join(place.work, 'kept'), 'x');
  await using server = await served(place);
  const destructive = await server.call('safety_check', { command: 'rm -rf kept; git push --force', cwd: place.work });
  expect(destructive.facts).toMatchObject({ verdict: 'destructive' });
  expect(destructive.facts.findings).toHaveLength(2);
  expect((await server.call('safety_check', { command: 'ls -la' })).facts).toMatchObject({ verdict: 'safe' });
  expect(existsSync(join(place.work, 'kept'))).toBe(true);
});

it.each([
  ['safety_check', {}],
  ['safety_check', { command: 7 }],
  ['run_sandboxed', { command: 'touch x', cwd: 'relative' }],
  ['run_sandboxed', { command: 'touch x', cwd: '/no/such/directory' }],
  ['run_sandboxed', { command: 'touch x', seconds: 0 }],
  ['try', { command: 'a\0b' }],
  ['nothing', { command: 'touch x' }],
])('%s with %j is an error, and the server continues', async (name, given) => {
  using place = scratch();
  await using server = await served(place);
  expect(await server.call(name, given)).toMatchObject({ isError: true, facts: { error: expect.any(String) } });
  expect((await server.call('safety_check', { command: 'ls' })).isError).toBe(false);
});

describe.skipIf(lacks('cc'))('aish-tui mcp serve with the kernel sandbox', () => {
  it('runs a command that can write nowhere, and hides secrets in its output', async () => {
    using place = scratch();
    await using server = await served(place);
    const key = `sk-proj-${'a1B2c3D4'.repeat(6)}`;
    writeFileSync(join(place.work, 'notes'), `token ${key}\n`);
    const { facts } = await server.call('run_sandboxed', { command: 'cat notes; echo more >> notes; exit 3' });
    expect(facts.exit).toBe(3);
    expect(facts.output).toContain('token ');
    expect(facts.output).not.toContain(key);
    expect(readFileSync(join(place.work, 'notes'), 'utf8')).toBe(`token ${key}\n`);
  });

  it.skipIf(lacks('curl'))('grants no network, whatever the user’s configuration allows in Project', async () => {
    const outside = createServer((_, reply) => reply.end('from outside')).listen(0, '127.0.0.1');
    await new Promise((resolve) => outside.once('listening', resolve));
    const address = outside.address();
    const host = `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
    using place = scratch(undefined, { mode: 'project', projects: { '/': { net: [host] } } });
    await using server = await served(place);
    for (const tool of ['run_sandboxed', 'try']) {
      const { facts } = await server.call(tool, {
        command: `curl -sS --noproxy '' http://${host}/; env | grep -i _proxy`,
      });
      expect(facts.output).toMatch(/^curl: /);
      expect(facts.output).not.toMatch(/from outside|_proxy=/i);
    }
    outside.close();
  });

  it('reports what a command would change, and discards the changes', async () => {
    using place = scratch();
    mkdirSync(join(place.work, 'src'));
    writeFileSync(join(place.work, 'src', 'a.txt'), 'one\n');
    await using server = await served(place);
    const { facts } = await server.call('try', { command: 'rm -rf src && echo new > b.txt && echo said' });
    expect(facts).toMatchObject({ exit: 0, output: 'said\n' });
    expect(JSON.stringify(facts.changes)).toMatch(/deleted.*src|src.*deleted/);
    expect(JSON.stringify(facts.changes)).toContain('b.txt');
    expect(readFileSync(join(place.work, 'src', 'a.txt'), 'utf8')).toBe('one\n');
    expect(existsSync(join(place.work, 'b.txt'))).toBe(false);
  });

  it.each(['run_sandboxed', 'try'])('ends the processes of %s when the client cancels', async (tool) => {
    using place = scratch();
    await using server = await served(place);
    const cancelled = new AbortController();
    const argument = `${Date.now() % 1_000_000}.25`;
    const called = server.call(tool, { command: `setsid sleep ${argument} & sleep ${argument}` }, cancelled.signal);
    called.catch(() => {});
    await expect.poll(() => runs(`sleep\0${argument}`), WAIT).toBe(true);
    cancelled.abort();
    await expect(called).rejects.toThrow();
    await expect.poll(() => runs(`sleep\0${argument}`), WAIT).toBe(false);
  });

  it('ends a command at its time limit, with an exit code that says so', async () => {
    using place = scratch();
    await using server = await served(place);
    const { facts } = await server.call('run_sandboxed', { command: 'echo begun; sleep 60', seconds: 1 });
    expect(facts).toMatchObject({ exit: 124, output: expect.stringMatching(/^begun\n.*stopped after 1 s/) });
  });
});
