import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { saveOutput } from '../../../src/executor/index.ts';
import { readElicitation, readResult, readTool, toolName } from '../../../src/tools/mcp/messages.ts';
import { redactorFor } from '../../../src/tools/mcp/server.ts';

describe('the name of a tool', () => {
  it.each([
    ['fs', 'read_file', 'fs__read_file'],
    ['my-fs', 'get.file/v2', /^my-fs__get_file_v2_[0-9a-f]{8}$/],
    ['fs', '', /^fs___[0-9a-f]{8}$/],
    ['fs', 'x'.repeat(80), /^fs__x{51}_[0-9a-f]{8}$/],
    ['fs', 'löschen', /^fs__l_schen_[0-9a-f]{8}$/],
  ])('is made of %s and %s', (server, own, name) => {
    expect(toolName(server, own)).toMatch(name);
  });

  it('is legal for any original name, belongs to its server, and stays unique', () => {
    const own = fc.oneof(
      fc.string(),
      fc.string({ maxLength: 100 }),
      fc.constantFrom('a.b', 'a/b', 'a b', 'ä', 'ö', '😀'),
    );
    fc.assert(
      fc.property(own, own, (a, b) => {
        const [one, other] = [toolName('server', a), toolName('server', b)];
        expect(one).toMatch(/^server__[A-Za-z0-9_-]{1,56}$/);
        expect(one === other).toBe(a === b);
      }),
    );
  });
});

describe('the definition of a tool', () => {
  const base = { name: 'look', description: 'Looks.', inputSchema: { type: 'object', properties: { a: {}, b: {} } } };

  it('has the same digest in another order, and a different one for any change', () => {
    const digest = (raw: object) => readTool('s', raw)?.digest;
    const { name, description } = base;
    expect(digest({ inputSchema: { properties: { b: {}, a: {} }, type: 'object' }, description, name })).toBe(
      digest(base),
    );
    for (const change of [
      { description: 'Looks!' },
      { inputSchema: { type: 'object' } },
      { annotations: { readOnlyHint: true } },
    ])
      expect(digest({ ...base, ...change })).not.toBe(digest(base));
  });

  it.each([
    ['a reference to elsewhere', { $ref: 'http://x/y' }, 'it refers to another document'],
    ['a schema that is too large', { enum: Array(10_000).fill('x') }, 'it is too large'],
    ['a schema that is not an object', { type: 'string' }, 'its input is not an object'],
    ['nothing', undefined, 'it has no schema'],
  ])('with an unusable schema accepts any object, and reports that: %s', (_what, inputSchema, unchecked) => {
    const tool = readTool('s', { ...base, inputSchema });
    expect(tool).toMatchObject({ unchecked, spec: { parameters: { type: 'object', properties: {} } } });
  });

  it('has no terminal escapes in its text', () => {
    const tool = readTool('s', { ...base, description: 'a\x1b[2Jb\u202ec' });
    expect(tool?.spec.description).toBe('abc');
  });

  it.each([[undefined], [null], ['look'], [{ name: 5 }], [{ name: 'x', execution: { taskSupport: 'required' } }]])(
    'is rejected: %j',
    (raw) => {
      expect(readTool('s', raw)).toBeUndefined();
    },
  );
});

describe('the result of a tool', () => {
  const keep = () => Promise.resolve('/kept');
  const text = async (raw: Record<string, unknown>) => (await readResult(raw, keep)).text;

  it('is its text, with everything else named by kind, type and size', async () => {
    const content = [
      { type: 'text', text: 'hello' },
      { type: 'image', mimeType: 'image/png', data: Buffer.alloc(3000).toString('base64') },
      { type: 'audio', mimeType: 'audio/wav', data: 'AAAA' },
      { type: 'resource', resource: { uri: 'file:///a', mimeType: 'text/plain', text: 'ä' } },
      { type: 'resource_link', uri: 'file:///b', mimeType: 'text/html', size: 2_000_000 },
      { type: 'hologram' },
      5,
    ];
    expect(await text({ content })).toBe(
      [
        'hello',
        '[image: image/png, 3.0 kB]',
        '[audio: audio/wav, 3 B]',
        '[resource: file:///a, text/plain, 2 B]',
        '[resource: file:///b, text/html, 2.0 MB]',
        '[unknown kind of content: hologram]',
        '[not a content part]',
      ].join('\n'),
    );
  });

  it('is the structured content when there is no other content', async () => {
    expect(await text({ content: [], structuredContent: { a: 1 } })).toBe('{"a":1}');
    expect(await text({ content: [{ type: 'text', text: 'x' }], structuredContent: { a: 1 } })).toBe('x');
    expect(await text({})).toBe('(no content)');
  });

  it('is cut like a command’s output: 40 % from the start, 60 % from the end, at line ends', async () => {
    const lines = Array.from({ length: 3000 }, (_, n) => `line ${n}`).join('\n');
    const cut = await text({ content: [{ type: 'text', text: lines }] });
    expect(cut.length).toBeLessThan(8100);
    expect(cut).toMatch(/^line 0\n[\s\S]*\n\[\d+ lines omitted, full text: \/kept\]\n[\s\S]*line 2999$/);
  });

  it('of any size keeps its ends and counts the middle', async () => {
    const lines = 'x'.repeat(99).concat('\n').repeat(10_000);
    const cut = await text({ content: [{ type: 'text', text: `first\n${lines}last` }] });
    const shown = cut.split('\n').length - 1;
    expect(cut).toMatch(/^first\n/);
    expect(cut).toMatch(/\nlast$/);
    expect(Number(/\[(\d+) lines/.exec(cut)?.[1])).toBeCloseTo(10_002 - shown, -1);
  });

  it('is stored completely, including characters of two UTF-16 units', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'aish-keep-'));
    const whole = `x${'😀'.repeat(300_000)}`;
    const path = (await saveOutput(dir, whole)) ?? '';
    expect(readFileSync(path, 'utf8')).toBe(whole);
    rmSync(dir, { recursive: true });
  });
});

it('secrets that the configuration passes to a server are hidden in its messages', () => {
  const { line } = redactorFor(
    () => ({ url: 'http://x/mcp?token=query-1', headers: { Authorization: 'Bearer s3cret-value', Accept: '*' } }),
    () => [],
  );
  expect(line('GET http://x/mcp?token=query-1 with s3cret-value\n and * failed')).toBe(
    'GET http://x/mcp?… with … and * failed',
  );
  const { text } = redactorFor(
    () => ({ command: 'x', env: { KEY: 'hunter22' } }),
    () => ['from-a-login'],
  );
  expect(text('bad\nkey hunter22 from-a-login')).toBe('bad\nkey … …');
});

it('a form with more than simple fields is declined', () => {
  const form = (properties: object) => readElicitation('s', { message: 'm', requestedSchema: { properties } });
  expect(form({ a: { type: 'object' } })).toBeUndefined();
  expect(form(Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`f${n}`, { type: 'string' }])))).toBeUndefined();
  expect(form({ a: { type: 'string', title: 'A\x1b[2J' } })?.fields[0]).toMatchObject({ title: 'A', type: 'text' });
  expect(
    form({ a: { type: 'array', items: { anyOf: [{ const: 'x', title: 'X' }] }, default: ['x'] } })?.fields[0],
  ).toMatchObject({ type: 'choice', several: true, choices: [{ value: 'x', label: 'X' }], initial: 'x' });
});
