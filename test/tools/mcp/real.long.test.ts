import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { alive, real, startMcp } from './support.ts';

/** Returns a free port of this machine. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

/** Starts server-everything over streamable HTTP. */
async function everythingOverHttp(port: number) {
  const { command, args } = real('everything', 'streamableHttp');
  const child = spawn(command, args, { env: { PATH: process.env.PATH, PORT: String(port) }, stdio: 'pipe' });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  await new Promise<void>((resolve) => child.stderr.on('data', (data) => /listening/i.test(String(data)) && resolve()));
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

describe('real servers over stdio', () => {
  it('are ready together, with legal names, schemas and hints', async () => {
    await using desk = await startMcp((dir) => ({
      everything: real('everything', 'stdio'),
      files: real('filesystem', dir),
      memory: { ...real('memory'), env: { MEMORY_FILE_PATH: join(dir, 'memory.jsonl') } },
    }));
    expect(desk.said).toEqual([]);
    const names = desk.mcp.specs.map((spec) => spec.name);
    expect(names).toEqual(expect.arrayContaining(['everything__echo', 'files__read_text_file', 'memory__read_graph']));
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(desk.mcp.annotations('files__write_file')).toMatchObject({ readOnlyHint: false, destructiveHint: true });
    expect(desk.mcp.facts('files__read_text_file')?.claims[0]).toBe('it only reads');
    expect(await desk.mcp.refusal('files__read_text_file', {})).toBe(
      "invalid arguments for files__read_text_file: arguments must have required property 'path'",
    );
  });

  it('read, write and remember', async () => {
    await using desk = await startMcp((dir) => ({
      files: real('filesystem', dir),
      memory: { ...real('memory'), env: { MEMORY_FILE_PATH: join(dir, 'memory.jsonl') } },
    }));
    const path = join(desk.dir, 'notes.txt');
    writeFileSync(path, 'one\n');
    expect((await desk.call('files__read_text_file', { path })).text).toContain('one');
    await desk.call('files__write_file', { path, content: 'two\n' });
    expect(readFileSync(path, 'utf8')).toBe('two\n');
    const outside = await desk.call('files__read_text_file', { path: '/etc/hostname' });
    expect(outside).toMatchObject({ failed: true });
    expect(outside.text).toContain('Access denied');
    const entities = [{ name: 'aish', entityType: 'program', observations: ['is a shell'] }];
    await desk.call('memory__create_entities', { entities });
    expect((await desk.call('memory__read_graph')).text).toContain('is a shell');
    expect(existsSync(join(desk.dir, 'memory.jsonl'))).toBe(true);
  });

  it('return images, resources and structured content, report progress, and ask the user', async () => {
    await using desk = await startMcp(() => ({ e: real('everything', 'stdio') }));
    expect((await desk.call('e__get-tiny-image')).text).toMatch(/\[image: image\/png, 4\.0 kB\]/);
    expect((await desk.call('e__get-resource-links', { count: 1 })).text).toContain('[resource: demo://');
    expect((await desk.call('e__get-structured-content', { location: 'New York' })).text).toContain('"temperature"');
    await desk.call('e__trigger-long-running-operation', { duration: 0.3, steps: 2 });
    expect(desk.progress[0]).toBe('1/2');
    expect((await desk.call('e__trigger-elicitation-request')).text).toContain('declined');
    expect(desk.asked[0]?.fields.map((field) => field.type)).toContain('choice');
    expect((await desk.call('e__get-env')).text).not.toContain('VITEST');
  });
});

describe('a server over streamable HTTP', () => {
  it('works like any other, and after dying during a call costs one line and reconnects', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/mcp`;
    const first = await everythingOverHttp(port);
    await using desk = await startMcp(() => ({ web: { url } }), { restartDelayMs: 50 });
    expect((await desk.call('web__echo', { message: 'over HTTP' })).text).toBe('Echo: over HTTP');
    const call = desk.call('web__trigger-long-running-operation', { duration: 600, steps: 1200 });
    await desk.until(() => desk.progress.length > 0);
    await first[Symbol.asyncDispose]();
    expect((await call).text).toMatch(/^web went away during the call/);
    await using _second = await everythingOverHttp(port);
    await desk.mcp.servers[0]?.restart();
    expect((await desk.call('web__echo', { message: 'again' })).text).toBe('Echo: again');
    expect(desk.said).toHaveLength(1);
  });

  it('never has its headers or query shown', async () => {
    await using server = await echoing();
    const headers = { authorization: 'Bearer very-secret-token', 'x-key': 'another-secret' };
    const url = `http://127.0.0.1:${server.port}/mcp?key=query-secret`;
    await using desk = await startMcp(() => ({ web: { url, headers } }), { restartDelayMs: 60_000 });
    expect(server.seen).toContain('very-secret-token');
    expect(desk.said[0]).toMatch(/^mcp: web: HTTP 401: /);
    const shown = desk.said.join() + desk.mcp.servers.map((one) => one.address + one.lastError + one.written).join();
    expect(shown).not.toMatch(/very-secret-token|another-secret|query-secret/);
  });

  it('that redirects elsewhere does not get its headers sent there', async () => {
    await using other = await echoing();
    await using server = await echoing(`http://localhost:${other.port}/mcp`);
    const url = `http://127.0.0.1:${server.port}/mcp`;
    await using desk = await startMcp(() => ({ web: { url, headers: { 'x-key': 'my-secret' } } }), {
      restartDelayMs: 60_000,
    });
    expect(server.seen).toContain('my-secret');
    expect(other.seen).toBe('');
    expect(desk.mcp.servers[0]?.state).toBe('waiting');
  });
});

/** Answers every request with a refusal that contains the request, or redirects it. */
async function echoing(elsewhere?: string) {
  const state = { port: 0, seen: '' };
  const server = createServer((request, response) => {
    state.seen += JSON.stringify(request.headers);
    if (elsewhere === undefined) response.writeHead(401).end(`no: ${request.url} ${state.seen}`);
    else response.writeHead(307, { location: elsewhere }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  state.port = typeof address === 'object' && address ? address.port : 0;
  return Object.assign(state, {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

it('a zombie process counts as ended', () => {
  expect(alive(process.pid)).toBe(true);
  expect(alive(2 ** 22 + 1)).toBe(false);
});
