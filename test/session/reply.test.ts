import { describe, expect, it } from 'vitest';
import { parseReply } from '../../src/session/reply.ts';

const commands = (text: string, complete = true) => parseReply(text, [], complete).actions;

describe('markers in a reply', () => {
  it('reads CMD: lines, indented ones and those inside fences', () => {
    const text = 'First:\n```sh\n  CMD: ls -la\n```\nCMD: pwd';
    expect(commands(text)).toEqual([
      { kind: 'command', command: 'ls -la', job: false },
      { kind: 'command', command: 'pwd', job: false },
    ]);
  });

  it('reads CMD&: as a job', () => {
    expect(commands('CMD&: npm run dev')).toEqual([{ kind: 'command', command: 'npm run dev', job: true }]);
  });

  it('leaves a marker inside a sentence alone', () => {
    expect(commands('Use CMD: ls to list')).toEqual([]);
    expect(commands('CMD:')).toEqual([]);
  });

  it('never takes a last line that the token limit cut', () => {
    expect(commands('CMD: ls\nCMD: rm -rf /tmp/a', false)).toEqual([{ kind: 'command', command: 'ls', job: false }]);
  });

  it('puts tool calls before markers', () => {
    const call = { id: 'c1', name: 'bash', arguments: '{"command":"date"}' };
    expect(parseReply('CMD: ls', [call], true).actions).toEqual([
      { kind: 'command', command: 'date', job: false, callId: 'c1' },
      { kind: 'command', command: 'ls', job: false },
    ]);
  });

  it.each([
    '',
    '[]',
    '{"command":5}',
    '{"command":""}',
    '{"command":"ls","rm":1}',
    '{"command":"ls","wait_seconds":"x"}',
  ])('leaves bash with arguments %j to the schema', (args) => {
    const action = parseReply('', [{ id: 'c', name: 'bash', arguments: args }], true).actions[0];
    expect(action).toEqual({ kind: 'tool', name: 'bash', arguments: args, callId: 'c' });
  });
});

describe('a task for a sub-agent', () => {
  it('is a DELEGATE: line, also in a fence, or a call of delegate', () => {
    const call = { id: 'c1', name: 'delegate', arguments: '{"task":" count the files "}' };
    const { actions } = parseReply('Then:\n```\n  DELEGATE: read the notes \nCMD: ls\n```', [call], true);
    expect(actions).toEqual([
      { kind: 'delegate', task: 'count the files', callId: 'c1' },
      { kind: 'delegate', task: 'read the notes' },
      { kind: 'command', command: 'ls', job: false },
    ]);
  });

  it.each(['{}', '{"task":""}', '{"task":1}', '{"task":"x","more":1}', 'no json'])(
    'is left to the schema with arguments %j',
    (args) => {
      const action = parseReply('', [{ id: 'c', name: 'delegate', arguments: args }], true).actions[0];
      expect(action).toEqual({ kind: 'tool', name: 'delegate', arguments: args, callId: 'c' });
    },
  );
});

describe('sentinels', () => {
  const sentinel = (text: string) => parseReply(text, [], true).sentinel;

  it('knows complete and blocked, with the reason on the same or the next line', () => {
    expect(sentinel('All done.\n  GOAL: complete  ')).toEqual({ kind: 'complete' });
    expect(sentinel('GOAL: blocked: no network')).toEqual({ kind: 'blocked', reason: 'no network' });
    expect(sentinel('GOAL: blocked\nno network')).toEqual({ kind: 'blocked', reason: 'no network' });
  });

  it('lets complete beat blocked', () => {
    expect(sentinel('GOAL: blocked\nx\nGOAL: complete')).toEqual({ kind: 'complete' });
  });

  it('counts only on a line of its own, outside fences', () => {
    expect(sentinel('```\nGOAL: complete\n```')).toBeUndefined();
    expect(sentinel('I will say GOAL: complete later')).toBeUndefined();
  });
});
