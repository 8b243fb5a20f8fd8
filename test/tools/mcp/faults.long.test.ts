import { readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createTools } from '../../../src/tools/index.ts';
import { longestTurn } from './longest-turn.ts';
import { alive, fault, startMcp } from './support.ts';

const action = (name: string) => ({ kind: 'tool', name, arguments: '{}', callId: 'c' }) as const;

describe('an MCP server that misbehaves', () => {
  it('and dies during a call costs one line and one result, and is restarted', async () => {
    await using desk = await startMcp(() => ({ f: fault() }));
    const answer = await desk.call('f__die');
    expect(answer).toMatchObject({ failed: true });
    expect(answer.text).toMatch(/^f went away during the call \(ended with exit 3.*\); its outcome is not known$/);
    await desk.until(() => desk.said.includes('mcp: f is back'));
    expect(desk.said).toHaveLength(2);
    expect(desk.said[0]).toMatch(/^mcp: f: ended with exit 3.*; restarting it$/);
    expect((await desk.call('f__look')).text).toBe('looked at it');
  });

  it('is restarted automatically only when permitted', async () => {
    let [asked, may] = [0, false];
    const mayRestart = () => {
      asked += 1;
      return may;
    };
    await using desk = await startMcp(() => ({ f: fault() }), { restartDelayMs: 5, mayRestart });
    await desk.call('f__die');
    await desk.until(() => asked > 3);
    expect(desk.mcp.servers[0]?.state).toBe('waiting');
    may = true;
    await desk.until(() => desk.said.includes('mcp: f is back'));
  });

  it('keeps its tools while it is away, and its calls get an error', async () => {
    await using desk = await startMcp(() => ({ f: fault() }), { restartDelayMs: 60_000 });
    const before = desk.mcp.specs;
    await desk.call('f__die');
    expect(desk.mcp.specs).toBe(before);
    const refusal = await desk.mcp.refusal('f__look', {});
    expect(refusal).toMatch(/^f is not running \(ended with exit 3.*\); it will be restarted$/);
    expect((await desk.call('f__look')).failed).toBe(true);
  });

  it('and never answers is given up, but not while it shows progress', async () => {
    await using desk = await startMcp(() => ({ f: fault() }), { callTimeoutMs: 300 });
    expect(await desk.call('f__working')).toEqual({ text: 'worked', failed: false });
    expect(desk.progress[0]).toBe('1/3 at it');
    const answer = await desk.call('f__hang');
    expect(answer.text).toMatch(/^f sent nothing for 0 s; the call was cancelled$/);
    await desk.until(() => desk.log().includes('notifications/cancelled'));
    expect((await desk.call('f__look')).text).toBe('looked at it');
  });

  it('is told of an abort as a cancelled call', async () => {
    await using desk = await startMcp(() => ({ f: fault() }));
    const controller = new AbortController();
    const call = desk.call('f__hang', {}, controller.signal);
    controller.abort();
    expect((await call).text).toMatch(/^aborted by the user/);
    await desk.until(() => desk.log().includes('notifications/cancelled'));
  });

  it('and prints rubbish beside its messages works, and its rubbish can be read', async () => {
    await using desk = await startMcp(() => ({ f: fault('rubbish') }));
    expect((await desk.call('f__look')).text).toBe('looked at it');
    const text = desk.mcp.servers[0]?.written;
    expect(text).toContain('[no message: Welcome to my server!]');
    expect(text).toContain('the server speaks here');
    expect(text).not.toMatch(/[\x1b\x07]/);
  });

  it('and answers with endless nesting costs one line, and continues', async () => {
    await using desk = await startMcp(() => ({ f: fault() }));
    const answer = await desk.call('f__nested');
    expect(answer).toEqual({ text: expect.stringMatching(/nested more than 200 levels deep/), failed: true });
    expect((await desk.call('f__look')).text).toBe('looked at it');
  });

  it('and is missing costs one line, once', async () => {
    await using desk = await startMcp(() => ({ f: { command: 'no-such-program-here' } }));
    expect(desk.said).toEqual(['mcp: f: could not start: no-such-program-here: not found; :mcp restart f tries again']);
    expect(desk.mcp.servers[0]?.state).toBe('failed');
    expect(desk.mcp.specs).toEqual([]);
  });

  it('and exits at every start is given up after some tries, with its last output', async () => {
    await using desk = await startMcp(() => ({ f: fault('crash') }), { restartDelayMs: 1 });
    await desk.until(() => desk.mcp.servers[0]?.state === 'failed');
    expect(desk.pids()).toHaveLength(7);
    expect(desk.said).toHaveLength(2);
    expect(desk.said[1]).toBe('mcp: f: ended with exit 4: cannot find my configuration; :mcp restart f tries again');
  });

  it('and has 300 tools has all of them listed, in a stable order', async () => {
    await using desk = await startMcp(() => ({ f: fault('many') }));
    const names = desk.mcp.specs.map((spec) => spec.name);
    expect(names).toHaveLength(300);
    expect(names).toEqual([...names].sort());
  });

  it('and returns 50 MB has the result cut and stored in a private file', async () => {
    await using desk = await startMcp(() => ({ f: fault() }));
    const { text, failed } = await desk.call('f__big');
    expect(failed).toBe(false);
    expect(text.length).toBeLessThan(8200);
    expect(text.startsWith('begin\n0123')).toBe(true);
    expect(text.endsWith('\nend')).toBe(true);
    const file = /\[\d+ lines omitted, full text: (\S+)\]/.exec(text)?.[1] ?? '';
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file).length).toBe('begin\n'.length + 1025 * 50 * 1024 + 'end'.length);
  });

  it('and returns 50 MB delays no key: every turn of the event loop is short', async () => {
    await using desk = await startMcp(() => ({ f: fault() }));
    const { whole, longest } = await longestTurn(() => desk.call('f__big'));
    expect(longest).toBeLessThan(0.8 * whole);
  });

  it('and sends an endless message is stopped', async () => {
    await using desk = await startMcp(() => ({ f: fault() }), { restartDelayMs: 60_000 });
    expect((await desk.call('f__endless')).text).toContain('it sent a message of more than 128 MB');
  });

  it('reaches the terminal only as text', async () => {
    await using desk = await startMcp(() => ({ f: fault() }));
    expect((await desk.call('f__raw')).text).toBe('red evil');
  });

  it('can’t hang the program by its schemas; an uncheckable call is passed on, with a message', async () => {
    await using desk = await startMcp(() => ({ f: fault() }));
    expect(await desk.mcp.refusal('f__hostile', { a: `${'a'.repeat(40)}b` })).toBeUndefined();
    expect(await desk.mcp.refusal('f__hostile', { a: 5 })).toContain('arguments/a must be string');
    expect(await desk.mcp.refusal('f__odd', { a: 5 })).toBeUndefined();
    expect(desk.mcp.unchecked('f__odd')).toBe('its schema can’t be used');
    expect(desk.mcp.unchecked('f__hostile')).toBeUndefined();
    const deep = desk.mcp.servers[0]?.tools.find((tool) => tool.own === 'deep');
    expect(deep?.unchecked).toBe('it is nested deeper than 32 levels');
    expect(deep?.spec.parameters).toEqual({ type: 'object', properties: {} });
  });
});

describe('a tool that changes its definition', () => {
  it('loses its approval, and a call judged before does not run', async () => {
    await using desk = await startMcp(() => ({ f: fault() }));
    const tools = createTools([], [], ['f__*'], [], desk.mcp);
    const definition = desk.mcp.facts('f__changing')?.definition ?? '';
    expect(tools.autoApproved(action('f__changing'))).toBe(true);
    await desk.call('f__flip');
    await desk.until(() => desk.mcp.facts('f__changing')?.changed === true);
    expect(tools.autoApproved(action('f__changing'))).toBe(false);
    expect(tools.autoApproved(action('f__look'))).toBe(true);
    expect([tools.onlyReads(action('f__look')), tools.onlyReads(action('f__changing'))]).toEqual([true, false]);
    const { signal } = new AbortController();
    const answer = await desk.mcp.run('f__changing', {}, { cwd: '/', signal, definition });
    expect(answer.text).toMatch(/^not run: f__changing was redefined after it was judged/);
  });
});

describe('a request from a server', () => {
  it('is shown to the user as a form of simple fields', async () => {
    await using desk = await startMcp(() => ({ f: fault() }), {
      answer: { action: 'accept', content: { name: 'Ann', happy: false } },
    });
    expect((await desk.call('f__form')).text).toContain(
      '"result":{"action":"accept","content":{"name":"Ann","happy":false}}',
    );
    expect(desk.asked[0]).toMatchObject({ server: 'f', message: 'Who are you?' });
    expect(desk.asked[0]?.fields.map((field) => [field.name, field.type, field.required, field.initial])).toEqual([
      ['name', 'text', true, ''],
      ['age', 'number', false, ''],
      ['happy', 'yesno', false, 'yes'],
      ['colour', 'choice', false, ''],
    ]);
  });

  it('does not flood the user: only a few of its forms wait at the same time', async () => {
    const waiting: (() => void)[] = [];
    await using desk = await startMcp(() => ({ f: fault() }), {
      elicit: (_form, signal) =>
        new Promise((resolve) => {
          waiting.push(() => resolve({ action: 'decline' }));
          signal.addEventListener('abort', () => resolve({ action: 'cancel' }));
        }),
    });
    const call = desk.call('f__forms');
    // The last forms are refused while the first ones still wait for the user.
    await desk.until(() => waiting.length === 4 && desk.log().match(/^answered$/gm)?.length === 16);
    for (const answer of waiting) answer();
    expect((await call).text.match(/"cancel"/g)).toHaveLength(16);
    expect(waiting).toHaveLength(4);
  });

  it('is refused when it asks to open a page or to use the user’s model', async () => {
    await using desk = await startMcp(() => ({ f: fault() }));
    expect((await desk.call('f__url')).text).toContain('does not support URL-mode');
    expect((await desk.call('f__sample')).text).toContain('Method not found');
    expect(desk.asked).toEqual([]);
  });

  it('for the roots returns the user’s directory, updated when the user moves', async () => {
    await using desk = await startMcp(() => ({ f: fault() }));
    expect((await desk.call('f__roots')).text).toContain(`"uri":"file://${desk.dir}"`);
    desk.root = '/usr';
    desk.mcp.rootMoved();
    await desk.until(() => desk.log().includes('roots/list_changed'));
    expect((await desk.call('f__roots')).text).toContain('"uri":"file:///usr"');
  });
});

describe('closing the servers', () => {
  it('takes at most 3 s for all, and leaves no process, not even of servers that ignore it, nor their children', async () => {
    await using desk = await startMcp(() => ({ a: fault('stubborn'), b: fault('stubborn'), c: fault() }));
    const call = desk.call('c__hang');
    const began = performance.now();
    await desk.mcp.close();
    expect(performance.now() - began).toBeLessThan(3000);
    expect((await call).failed).toBe(true);
    expect(desk.pids()).toHaveLength(5);
    await desk.until(() => !desk.pids().some(alive));
  });

  it('does not wait for a server that never answered', async () => {
    await using desk = await startMcp(() => ({ f: fault('silent') }), { wait: false });
    await desk.until(() => desk.pids().length === 1);
    expect(desk.mcp.servers[0]?.state).toBe('starting');
    await desk.mcp.close();
    expect(desk.pids().some(alive)).toBe(false);
    expect(desk.said).toEqual([]);
  });
});
