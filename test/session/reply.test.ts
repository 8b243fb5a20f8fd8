import { describe, expect, it } from 'vitest';
import { parseReply } from '../../src/session/reply.ts';

const commands = (text: string, complete = true) => parseReply(text, [], complete).actions;

describe('a marker in a reply', () => {
  it('is read as CMD: when indented or inside a fence as well', () => {
    const text = 'First:\n```sh\n  CMD: ls -la\n```\nCMD: pwd';
    expect(commands(text)).toEqual([
      { kind: 'command', command: 'ls -la', job: false },
      { kind: 'command', command: 'pwd', job: false },
    ]);
  });

  it('starts a job when it is CMD&:', () => {
    expect(commands('CMD&: npm run dev')).toEqual([{ kind: 'command', command: 'npm run dev', job: true }]);
  });

  it('inside a sentence is ignored', () => {
    expect(commands('Use CMD: ls to list')).toEqual([]);
    expect(commands('CMD:')).toEqual([]);
  });

  it('is marked as cut when the token limit cut the text', () => {
    expect(commands('CMD: ls\nCMD: rm -rf /tmp/a', false)).toEqual([
      { kind: 'command', command: 'ls', job: false },
      { kind: 'command', command: 'rm -rf /tmp/a', job: false, unfinished: 'cut' },
    ]);
    expect(commands('DELEGATE: read\nGOAL: com', false)).toEqual([
      { kind: 'delegate', task: 'read', unfinished: 'cut' },
    ]);
  });

  it('comes after all tool calls', () => {
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
  ])('does not replace the schema’s check of bash arguments: %j', (args) => {
    const action = parseReply('', [{ id: 'c', name: 'bash', arguments: args }], true).actions[0];
    expect(action).toEqual({ kind: 'tool', name: 'bash', arguments: args, callId: 'c' });
  });
});

describe('a command of several lines', () => {
  const whole = (command: string) => [{ kind: 'command', command, job: false }];
  const open = (command: string, unfinished: string) => [{ kind: 'command', command, job: false, unfinished }];

  it('continues to the end of a here-document, in which fences, markers and GOAL: are text', () => {
    const file = "cat > f <<'EOF'\n```\nCMD: rm -rf /\nGOAL: complete\n\n```\nEOF";
    const { actions, sentinel } = parseReply(
      `Writing:\n\`\`\`sh\nCMD: ${file}\n\`\`\`\nCMD: ls\nGOAL: blocked`,
      [],
      true,
    );
    expect(actions).toEqual([...whole(file), ...whole('ls')]);
    expect(sentinel?.kind).toBe('blocked');
  });

  it.each([
    'for f in *; do\n  echo "$f"\n\n  wc "$f"\ndone',
    "git commit -m 'one\ntwo'",
    'make \\\n  all',
    'make &&\n  make install',
    'f() {\n  ls\n}',
  ])('continues while its shell syntax is open: %j', (command) => {
    expect(commands(`CMD: ${command}\nThat is all.`)).toEqual(whole(command));
    expect(commands(`CMD&: ${command}`)).toEqual([{ kind: 'command', command, job: true }]);
  });

  it('ends at the next marker, complete or not', () => {
    expect(commands('CMD: for f in *; do\n  ls\nCMD: pwd')).toEqual([
      ...open('for f in *; do\n  ls', 'compound command'),
      ...whole('pwd'),
    ]);
    const { actions, sentinel } = parseReply('CMD: ls &&\nGOAL: complete', [], true);
    expect(actions).toEqual(open('ls &&', 'continuation'));
    expect(sentinel).toEqual({ kind: 'complete' });
  });

  it('ends at the end of its fence, and outside a fence an open quote ends at a blank line', () => {
    expect(commands("```\nCMD: echo 'a\n\nb\n```\nIt's done")).toEqual(open("echo 'a\n\nb", 'quote'));
    expect(commands("CMD: echo it's\n\nIt's done")).toEqual(open("echo it's", 'quote'));
  });

  it('is unfinished while its here-document is, whatever follows', () => {
    expect(commands("CMD: cat > f <<'EOF'\n```\nCMD: ls")).toEqual(
      open("cat > f <<'EOF'\n```\nCMD: ls", 'here-document'),
    );
  });

  it('is one line in an older journal, and none when the token limit cut it', () => {
    expect(parseReply("CMD: cat <<'EOF'\nCMD: ls\nCMD: rm", [], false, false).actions).toEqual([
      ...whole("cat <<'EOF'"),
      ...whole('ls'),
    ]);
  });

  it('keeps a blank after a backslash', () => {
    expect(commands('CMD: ls a\\ \nThen')).toEqual(whole('ls a\\ '));
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
    'is left to the schema’s check when the arguments are %j',
    (args) => {
      const action = parseReply('', [{ id: 'c', name: 'delegate', arguments: args }], true).actions[0];
      expect(action).toEqual({ kind: 'tool', name: 'delegate', arguments: args, callId: 'c' });
    },
  );
});

describe('a GOAL: line', () => {
  const sentinel = (text: string) => parseReply(text, [], true).sentinel;

  it('is complete or blocked, with the reason on the same or the next line', () => {
    expect(sentinel('All done.\n  GOAL: complete  ')).toEqual({ kind: 'complete' });
    expect(sentinel('GOAL: blocked: no network')).toEqual({ kind: 'blocked', reason: 'no network' });
    expect(sentinel('GOAL: blocked\nno network')).toEqual({ kind: 'blocked', reason: 'no network' });
  });

  it('counts in bold, in code and as a heading', () => {
    for (const line of ['**GOAL: complete**', '`GOAL: complete`', '## GOAL: complete'])
      expect(parseReply(line, [], true).sentinel).toEqual({ kind: 'complete' });
    expect(parseReply('**GOAL: complete**', [], true, false).sentinel).toBeUndefined();
  });

  it('that is complete wins over one that is blocked', () => {
    expect(sentinel('GOAL: blocked\nx\nGOAL: complete')).toEqual({ kind: 'complete' });
  });

  it('counts only on a line of its own, outside fences', () => {
    expect(sentinel('```\nGOAL: complete\n```')).toBeUndefined();
    expect(sentinel('I will say GOAL: complete later')).toBeUndefined();
  });
});
