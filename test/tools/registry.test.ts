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
  ])('%s %s is looked at before anything runs', async (name, args, refusal) => {
    const answer = await tools.refusal(call(name, args));
    if (refusal === undefined) expect(answer).toBeUndefined();
    else expect(answer).toMatch(refusal);
  });

  it('is approved beforehand by its name, bash by its bare one', () => {
    expect(tools.autoApproved(call('echo', '{}'))).toBe(true);
    expect(tools.autoApproved({ kind: 'command', command: 'ls', job: false, callId: 'c' })).toBe(false);
    expect(createTools([BASH], [], ['bash'], []).autoApproved({ kind: 'command', command: 'ls', job: false })).toBe(
      true,
    );
  });

  it('HALTs where the user says so, whatever the tool says of itself', () => {
    expect(tools.judge(call('echo', '{}'), '/')?.destructive).toBe(false);
    expect(createTools([], [echo], [], ['e*']).judge(call('echo', '{}'), '/')?.destructive).toBe(true);
    expect(tools.judge(call('other', '{}'), '/')).toBeUndefined();
  });
});
