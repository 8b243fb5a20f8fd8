import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lacks } from '../support/lacks.ts';
import { runProgram, type Scratch, scratch } from '../support/program.ts';
import { openRig, type Rig, startRig } from '../support/rig.ts';
import { call, type ScriptedServer, say, startScriptedServer, type Turn } from '../support/scripted-server.ts';
import { alive, fault, real } from '../tools/mcp/support.ts';

/** A scripted server without token counts: its usual ones are for requests with few tools. */
const script = (turns: readonly Turn[]) => startScriptedServer(turns.map((turn) => ({ usage: null, ...turn })));

const quiet = { safety: { llm_second_opinion: false } };

/** The launcher of the kernel sandbox needs a C compiler. */
const missing = lacks('cc');

/** Writes the configuration once the path of the scratch place is known. */
function configure(place: Scratch, server: ScriptedServer, more: object): void {
  const models = { fast: { base_url: server.baseUrl, model: 'scripted' } };
  writeFileSync(join(place.home, 'config.jsonc'), JSON.stringify({ models, ...quiet, ...more }));
}

/** Waits until :mcp lists a server's tools. */
async function ready(rig: Rig, name: string): Promise<void> {
  await rig.waitFor('[aish:fast]>');
  rig.type(`:mcp restart ${name}\r`);
  await rig.waitFor(new RegExp(`${name} +ready`));
}

const results = (server: ScriptedServer) =>
  (server.requests.at(-1)?.messages ?? []).filter(({ role }) => role === 'tool').map(({ content }) => content);

/** Checks that every call has exactly one result directly after it. */
function expectLegal(server: ScriptedServer): void {
  for (const { messages } of server.requests) {
    const called = messages.flatMap((message) => (message.tool_calls ?? []).map(({ id }) => id));
    expect(messages.filter(({ role }) => role === 'tool').map((message) => message.tool_call_id)).toEqual(called);
  }
}

describe('tools of MCP servers', () => {
  it('in chat run a read that the user’s glob allows, and HALT at a write with its arguments and its server’s claims', async () => {
    using place = scratch();
    const path = join(place.work, 'notes.txt');
    writeFileSync(path, 'one\n');
    await using server = await script([
      call('files__read_text_file', { path }),
      call('files__write_file', { path, content: 'two\nthree\n' }),
      say('Written.'),
    ]);
    const mcp = { servers: { files: real('filesystem', place.work) }, auto_approve: ['files__*'] };
    configure(place, server, { mode: 'unrestricted', mcp });
    await using rig = startRig(place, { rows: 40 });
    await ready(rig, 'files');
    rig.type('?change the note\r');
    await rig.waitFor('HALT');
    expect(rig.text()).toContain('files__write_file is always asked about');
    expect(rig.text()).toContain(`path: "${path}"`);
    expect(rig.text()).toMatch(/content: +│\n│ +┆ +│ two +│\n│ +┆ +│ three/);
    expect(rig.text()).toContain('its server says: it changes something, it may destroy');
    expect(rig.text()).not.toMatch(/allow for this session/);
    await rig.waitFor(/all shown|Enter: /);
    expect(readFileSync(path, 'utf8')).toBe('one\n');
    rig.type('p');
    await rig.waitFor('Written.');
    expect(readFileSync(path, 'utf8')).toBe('two\nthree\n');
    expect(results(server)[0]).toContain('one');
    expect(results(server)[1]).toMatch(/^\[aish\] action approved\n/);
    expectLegal(server);
  });

  it('with a call that was open at a kill are judged and asked about again once the server is ready', async () => {
    using place = scratch();
    const path = join(place.work, 'notes.txt');
    await using server = await script([call('files__write_file', { path, content: 'two' }), say('Not written.')]);
    configure(place, server, { mode: 'unrestricted', mcp: { servers: { files: real('filesystem', place.work) } } });
    {
      await using rig = startRig(place, { rows: 40 });
      await ready(rig, 'files');
      rig.type('?write it\r');
      await rig.waitFor('HALT');
      rig.kill('SIGKILL');
      await rig.exited;
    }
    await using again = startRig(place, { rows: 40, args: ['--resume'] });
    await again.waitFor(/HALT[\s\S]*files__write_file[\s\S]*path: "/);
    await again.waitFor(/all shown|Enter: /);
    again.type('s');
    await again.waitFor(/○ skipped: files__write_file/);
    expect(existsSync(path)).toBe(false);
  });

  it('in a run without a screen wait for their servers, run if they only read, and are skipped if they need a yes', async () => {
    using place = scratch();
    await using server = await script([
      call('memory__read_graph', {}),
      call('memory__create_entities', { entities: [{ name: 'a', entityType: 'b', observations: [] }] }),
      call('memory__delete_entities', { entityNames: ['a'] }),
      call('f__form', {}),
      say('GOAL: complete'),
    ]);
    const file = join(place.home, 'memory.jsonl');
    const memory = { ...real('memory'), env: { MEMORY_FILE_PATH: file } };
    configure(place, server, {
      mode: 'unrestricted',
      mcp: { servers: { memory, f: fault() }, auto_approve: ['memory__read_*', 'memory__delete_*', 'f__*'] },
    });
    const { code, err } = await runProgram(place, ['run', '--on-halt', 'skip', 'remember a']);
    expect(code).toBe(0);
    expect(server.requests[0]?.toolNames).toContain('memory__read_graph');
    expect(err).toContain('memory__create_entities');
    expect(err).toContain('memory__delete_entities');
    expect(results(server)[0]).toContain('entities');
    expect(results(server)[1]).toMatch(/^\[aish\] action not run: nobody is there to approve it/);
    expect(results(server)[2]).toMatch(/^\[aish\] action not run: nobody is there to approve it/);
    expect(existsSync(file)).toBe(false);
    expect(err).toContain('f asks: Who are you? -> skip (no person to ask)');
    expect(results(server)[3]).toContain('"action":"decline"');
    expectLegal(server);
  });

  it.skipIf(missing)(
    'in Restricted run only if the user declared them read-only; a project can’t declare more',
    async () => {
      using place = scratch();
      const path = join(place.work, 'notes.txt');
      writeFileSync(path, 'one\n');
      writeFileSync(join(place.work, '.aish.jsonc'), JSON.stringify({ mcp: { read_only: ['files__*'] } }));
      await using server = await script([
        call('files__read_text_file', { path }),
        call('files__list_directory', { path: place.work }),
        call('files__write_file', 'no object'),
        say('GOAL: complete'),
      ]);
      configure(place, server, {
        mcp: {
          servers: { files: real('filesystem', place.work) },
          auto_approve: ['files__*'],
          read_only: ['files__read_*'],
        },
      });
      const { code } = await runProgram(place, ['run', 'look']);
      expect(code).toBe(0);
      expect(results(server)).toEqual([
        expect.stringContaining('one'),
        'files__list_directory is disabled in Restricted mode. Use request_mode_upgrade to request write access.',
        'files__write_file is disabled in Restricted mode. Use request_mode_upgrade to request write access.',
      ]);
    },
  );

  it('are not asked about again after P, even after a resume, and a server’s form goes to the user', async () => {
    using place = scratch();
    const echo = (message: string) => call('everything__echo', { message });
    await using server = await script([echo('one'), echo('two'), call('f__form', {}), say('Both said.')]);
    configure(place, server, {
      mode: 'unrestricted',
      mcp: { servers: { everything: real('everything', 'stdio'), f: fault() }, auto_approve: ['f__*'] },
    });
    {
      await using rig = startRig(place, { rows: 40 });
      await ready(rig, 'everything');
      rig.type('?say both\r');
      await rig.waitFor('RUN THIS?');
      await rig.waitFor('message: "one"');
      await rig.waitFor(/P\W+allow for this session[\s\S]*(all shown|Enter: )/);
      rig.type('P');
      await rig.waitFor('The MCP server f asks');
      await rig.waitFor(/next field/);
      rig.type('Ann');
      await rig.waitFor('› Ann');
      rig.key('escape');
      await rig.waitFor('Name (needed): "Ann"');
      rig.type('p');
      await rig.waitFor('Both said.');
      rig.key('ctrl-x', 'ctrl-q');
      await rig.exited;
    }
    server.add({ usage: null, ...echo('three') }, say('Said again.', { usage: null }));
    await using again = startRig(place, { rows: 40, args: ['--resume'] });
    await ready(again, 'everything');
    again.type('?once more\r');
    await again.waitFor('Said again.');
    expect(results(server)).toEqual([
      '[aish] action approved\nEcho: one',
      'Echo: two',
      expect.stringContaining('"content":{"name":"Ann","happy":true}'),
      'Echo: three',
    ]);
  });

  it('end a call with one line and one result when the server dies, and leave no process', async () => {
    using place = scratch();
    await using server = await script([call('f__die', {}), call('f__hang', {}), say('I heard.')]);
    const log = join(place.home, 'fault.log');
    const f = { ...fault(), env: { FAULT_LOG: log } };
    configure(place, server, { mode: 'unrestricted', mcp: { servers: { f }, auto_approve: ['f__*'] } });
    const rig = startRig(place, { rows: 40 });
    await using _ended = rig;
    await ready(rig, 'f');
    rig.type('?try it\r');
    await rig.waitFor(/mcp: f: ended with exit 3.*restarting it/);
    await rig.waitFor(/f is not running|f is still starting|f__hang/);
    await server.request(2);
    expectLegal(server);
    // The replacement server must not remain either.
    const started = () => [...readFileSync(log, 'utf8').matchAll(/^pid (\d+)$/gm)].map(([, pid]) => Number(pid));
    await rig.waitFor(() => started().length > 1);
    rig.key('ctrl-x', 'ctrl-c');
    const began = performance.now();
    rig.key('ctrl-x', 'ctrl-q');
    await rig.exited;
    expect(performance.now() - began).toBeLessThan(4000);
    expect(started().filter(alive)).toEqual([]);
  });

  it('leave no server behind when the program is killed', async () => {
    using place = scratch();
    await using server = await script([]);
    const log = join(place.home, 'fault.log');
    configure(place, server, { mcp: { servers: { f: { ...fault('stubborn'), env: { FAULT_LOG: log } } } } });
    await using rig = startRig(place);
    let pids: readonly number[] = [];
    while (pids.length < 2) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      const noted = existsSync(log) ? readFileSync(log, 'utf8') : '';
      pids = [...noted.matchAll(/^pid (\d+)$/gm)].map(([, pid]) => Number(pid));
    }
    expect(pids.every(alive)).toBe(true);
    rig.kill('SIGKILL');
    await rig.exited;
    while (pids.some(alive)) await new Promise((resolve) => setTimeout(resolve, 20));
  });
});

it('tools of MCP servers appear in :mcp with the servers and what each server wrote, and Tab completes their names', async () => {
  using place = scratch();
  await using server = await script([]);
  const mcp = {
    servers: { f: fault('rubbish'), gone: { command: 'no-such-program' } },
    auto_approve: ['f__look'],
    read_only: ['f__look'],
  };
  configure(place, server, { mcp, safety: { always_destructive_tools: ['f__die'] } });
  await using rig = await openRig(place, /mcp: gone: could not start: no-such-program: not found/, { rows: 40 });
  await ready(rig, 'f');
  rig.type(':mcp\r');
  await rig.waitFor(/gone +failed +0 tools +could not start/);
  rig.type(':mcp tools f\r');
  await rig.waitFor('f__look  [read-only, runs without asking]');
  await rig.waitFor(/f__form {2}\[asks\]/);
  await rig.waitFor(/f__die {2}\[halts\]/);
  await rig.waitFor('The tool look.');
  rig.type(':mcp f\r');
  await rig.waitFor('[no message: Welcome to my server!]');
  rig.type(':mcp restart go\t');
  await rig.waitFor(':mcp restart gone ');
});
