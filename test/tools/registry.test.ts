import { describe, expect, it } from 'vitest';
import { BASH, type BuiltinTool, createTools } from '../../src/tools/index.ts';

const echo: BuiltinTool = {
  spec: {
    name: 'echo',
    description: 'says it again',
    parameters: {
      type: 'object',
      properties: { text: { type: 'string' } },
      required: ['text'],
      additionalProperties: false,
    },
  },
  readOnly: false,
  onlyReads: () => false,
  judge: () => ({ destructive: false, reason: 'says it again', source: 'static' }),
  run: ({ text }) => Promise.resolve({ text: String(text), failed: false }),
};
const call = (name: string, args: string) => ({ kind: 'tool', name, arguments: args, callId: 'c' }) as const;

describe('a tool call', () => {
  const tools = createTools([BASH], [echo], ['ec*'], []);

  it.each([
    ['echo', '{"text":"hi"}', undefined],
    ['ecco', '{}', /no tool is called ecco; there are: bash, echo/],
    ['echo', '{"text":5}', /invalid arguments for echo: arguments\/text must be string/],
    ['echo', '{}', /must have required property 'text'/],
    ['echo', '[]', /not a JSON object/],
    ['echo', '{"text":', /not a JSON object/],
    ['bash', '{"command":5}', /invalid arguments for bash/],
  ])('%s %s is checked before anything runs', async (name, args, refusal) => {
    const answer = await tools.refusal(call(name, args));
    if (refusal === undefined) expect(answer).toBeUndefined();
    else expect(answer).toMatch(refusal);
  });

  it('is approved beforehand by its tool name, and bash only if the whole name is listed', () => {
    expect(tools.autoApproved(call('echo', '{}'))).toBe(true);
    expect(tools.autoApproved({ kind: 'command', command: 'ls', job: false, callId: 'c' })).toBe(false);
    expect(createTools([BASH], [], ['bash'], []).autoApproved({ kind: 'command', command: 'ls', job: false })).toBe(
      true,
    );
  });

  it('halts where the user configured it, whatever the tool claims', () => {
    expect(tools.judge(call('echo', '{}'), '/')?.destructive).toBe(false);
    expect(createTools([], [echo], [], ['e*']).judge(call('echo', '{}'), '/')?.destructive).toBe(true);
    expect(tools.judge(call('other', '{}'), '/')).toBeUndefined();
  });
});

describe('more server tools than fit into the window', () => {
  const spec = (name: string) => ({ name, description: 'x'.repeat(100), parameters: {} });
  const specs = ['a__1', 'a__2', 'a__3', 'a__4', 'b__1', 'b__2'].map(spec);
  const size = JSON.stringify(specs[0]).length;
  const enabled = new Set<string>();
  const foreign = {
    specs,
    isEnabled: (name: string) => enabled.has(name),
    arrived: async () => {},
    refusal: async () => undefined,
    facts: () => undefined,
    onlyReads: () => false,
    run: async () => ({ text: '', failed: false }),
  };
  const tools = createTools([BASH], [echo], [], [], foreign);
  const described = (chars: number) => tools.specsWithin(chars).specs.map(({ name }) => name);

  it('are described in equal shares of each server, in listed order, and the rest are named', () => {
    expect(described(4 * size)).toEqual(['bash', 'echo', 'a__1', 'a__2', 'b__1', 'b__2']);
    expect(tools.specsWithin(4 * size).left).toEqual(['a__3', 'a__4']);
    expect(described(5 * size)).toContain('a__3');
    expect(described(Number.POSITIVE_INFINITY)).toHaveLength(8);
    expect(described(0)).toEqual(['bash', 'echo']);
  });

  it('are described first if the user has enabled them', () => {
    enabled.add('a__4');
    expect(described(2 * size)).toEqual(['bash', 'echo', 'a__4', 'b__1']);
  });
});
