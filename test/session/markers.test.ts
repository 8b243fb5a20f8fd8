import { describe, expect, it } from 'vitest';
import { parseReply, withoutMarkers } from '../../src/session/reply.ts';
import { SEMANTICS } from '../../src/session/state.ts';
import { harmless, Machine } from '../support/machine.ts';

const actions = (text: string, complete = true) => parseReply(text, [], complete).actions;
const patched = (text: string) =>
  actions(text).map((action) => (action.kind === 'tool' ? [action.name, JSON.parse(action.arguments)] : action));

const BLOCKS = `<<<<<<< SEARCH
one
two
=======
ONE
two
>>>>>>> REPLACE`;
const REPLACES = { operation: 'replace', oldText: 'one\ntwo', newText: 'ONE\ntwo' };

describe('a PATCH: marker in a reply', () => {
  it('is parsed as a call of patch, before a fence, without one, and inside one', () => {
    const call = ['patch', { path: 'a.txt', patches: [REPLACES] }];
    expect(patched(`I change it.\nPATCH: a.txt\n\`\`\`\n${BLOCKS}\n\`\`\`\nDone.`)).toEqual([call]);
    expect(patched(`PATCH: a.txt\n${BLOCKS}\nDone.`)).toEqual([call]);
    expect(patched(`\`\`\`\nPATCH: a.txt\n${BLOCKS}\n\`\`\`\nCMD: ls`)).toEqual([
      call,
      { kind: 'command', command: 'ls', job: false },
    ]);
  });

  it('is parsed from a unified diff by the lines of its hunks, not by their numbers', () => {
    const diff = '--- a/a.txt\n+++ b/a.txt\n@@ -9,3 +9,3 @@\n one\n-two\n+TWO\n three\n@@ -1 +0,0 @@\n-gone';
    expect(patched(`PATCH: a.txt\n\`\`\`diff\n${diff}\n\`\`\``)).toEqual([
      [
        'patch',
        {
          path: 'a.txt',
          patches: [
            { operation: 'replace', oldText: 'one\ntwo\nthree', newText: 'one\nTWO\nthree' },
            { operation: 'replace', oldText: 'gone\n', newText: '' },
          ],
        },
      ],
    ]);
  });

  it('writes the whole file when its search text is empty', () => {
    const text = 'PATCH: new.txt\n```\n<<<<<<< SEARCH\n=======\nCMD: rm -rf x\nGOAL: complete\n>>>>>>> REPLACE\n```';
    expect(parseReply(text, [], true).sentinel).toBeUndefined();
    const newText = 'CMD: rm -rf x\nGOAL: complete\n';
    expect(patched(text)).toEqual([['patch', { path: 'new.txt', patches: [{ operation: 'overwrite', newText }] }]]);
  });

  it('is refused when it is incomplete, or cut by the token limit', () => {
    for (const text of ['PATCH: a.txt', 'PATCH: a.txt\n```\n<<<<<<< SEARCH\none', `PATCH: a.txt\n\`\`\`\n${BLOCKS}`])
      expect(actions(text)).toMatchObject([{ kind: 'tool', name: 'patch', unfinished: 'patch' }]);
    expect(actions(`PATCH: a.txt\n\`\`\`\n${BLOCKS}\n\`\`\``, false)).toMatchObject([{ unfinished: 'cut' }]);
  });

  it('with an error runs nothing, and the model is told what to write instead', () => {
    const machine = new Machine({ semantics: SEMANTICS });
    machine.send({ type: 'norrisStarted', goal: 'g' });
    machine.says('PATCH: a.txt\nthe first line becomes ONE');
    expect(machine.phase.kind).toBe('replying');
    expect(machine.conversation.turns.at(-1)?.text).toMatch(/^\[aish\] not run: behind PATCH: path comes one fence/);
  });

  it('runs like a tool call, and its result is a turn', () => {
    const machine = new Machine({ semantics: SEMANTICS });
    machine.send({ type: 'norrisStarted', goal: 'g' });
    machine.says(`PATCH: a.txt\n${BLOCKS}`);
    machine.judges(harmless, true);
    const { op } = machine;
    machine.send({ type: 'actionStarted', op });
    machine.send({ type: 'actionEnded', op, outcome: { kind: 'tool', text: '+ONE', failed: false } });
    expect(machine.conversation.turns.at(-1)).toMatchObject({ kind: 'user', origin: 'exec', text: '+ONE' });
  });

  it('is not repeated in the transcript', () => {
    expect(withoutMarkers(`I change it.\nPATCH: a.txt\n\`\`\`\n${BLOCKS}\n\`\`\`\nDone.`)).toBe('I change it.\nDone.');
  });
});

describe('a MODE: marker in a reply', () => {
  it('asks the user for a wider mode', () => {
    const machine = new Machine({ semantics: SEMANTICS, sandbox: true, project: true }, 'restricted');
    machine.send({ type: 'norrisStarted', goal: 'g' });
    machine.says('MODE: project - to write the report');
    expect(machine.state.questions).toMatchObject([{ kind: 'mode', reason: 'to write the report', wish: 'project' }]);
  });

  it('is plain text when it names no mode, and in older journals', () => {
    expect(actions('MODE: Restricted means that nothing is written')).toEqual([]);
    expect(parseReply('MODE: project to write', [], true, false).actions).toEqual([]);
    expect(parseReply(`PATCH: a.txt\n${BLOCKS}`, [], true, false).actions).toEqual([]);
  });
});
