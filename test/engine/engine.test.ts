import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Engine } from '../../src/engine/engine.ts';
import { foldEvents } from '../../src/engine/transcript.ts';
import { startEngine } from '../support/engine.ts';
import { call, hold, say, startScriptedServer } from '../support/scripted-server.ts';

const preset = (server: { baseUrl: string }) => ({ name: 'fast', model: 'test', baseUrl: server.baseUrl });
const kinds = (engine: Engine) => engine.transcript.entries.map((shown) => shown.entry.kind);

describe('the engine over a real server and real commands', () => {
  it('runs a goal in several steps without a question and ends as done', async () => {
    await using server = await startScriptedServer([
      call('bash', { command: 'cd sub && ls' }),
      call('bash', { command: 'pwd' }),
      say('Two files.\nGOAL: complete'),
    ]);
    await using bench = startEngine(preset(server));
    mkdirSync(join(bench.cwd, 'sub'));
    writeFileSync(join(bench.cwd, 'sub', 'a.py'), '');
    void bench.engine.dispatch({ type: 'norrisStarted', goal: 'count' });
    await bench.until(() => bench.engine.conversation.phase.kind === 'idle');
    expect(bench.engine.transcript.entries.at(-1)?.entry).toMatchObject({
      kind: 'norrisEnded',
      status: 'done',
      commands: 2,
    });
    // The agent's cd lasts for its next command.
    expect(bench.engine.conversation.cwd).toBe(join(bench.cwd, 'sub'));
    expect(server.requests).toHaveLength(3);
  });

  it.each(['proceed', 'skip', 'abort'] as const)(
    'carries out the answer %s, on disk and in the next request',
    async (answer) => {
      await using server = await startScriptedServer([call('bash', { command: 'rm -rf foo' }), say('GOAL: complete')]);
      await using bench = startEngine(preset(server));
      mkdirSync(join(bench.cwd, 'foo'));
      void bench.engine.dispatch({ type: 'norrisStarted', goal: 'clean' });
      await bench.until(() => bench.engine.state.questions.length > 0);
      expect(existsSync(join(bench.cwd, 'foo'))).toBe(true);
      expect(bench.engine.permits.size).toBe(1);
      const question = bench.engine.state.questions[0]?.id ?? '';
      void bench.engine.dispatch({ type: 'answered', question, answer: { kind: answer } });
      await bench.until(() => bench.engine.conversation.phase.kind === 'idle');
      // With any answer, no permit can be consumed any more.
      expect(bench.engine.permits.size).toBe(0);
      expect(existsSync(join(bench.cwd, 'foo'))).toBe(answer !== 'proceed');
      expect(kinds(bench.engine)).toContain('norrisEnded');
      expect(server.requests).toHaveLength(answer === 'abort' ? 1 : 2);
      if (answer === 'abort') return;
      const result = server.requests[1]?.messages.findLast((message) => message.role === 'tool')?.content;
      expect(result).toMatch(
        answer === 'proceed' ? /^\[aish\] action approved\n\$ rm -rf foo/ : /^\[aish\] action skipped by user: rm -rf$/,
      );
    },
  );

  it('on an abort during a stream keeps the text so far', async () => {
    await using server = await startScriptedServer([{ text: ['one ', hold('rest'), 'two'] }]);
    await using bench = startEngine(preset(server));
    void bench.engine.dispatch({ type: 'asked', line: 'l1', text: 'count' });
    const live = () => [...bench.engine.live.replies.values()][0];
    await new Promise<void>((resolve) => {
      const look = () => (live()?.text.length ? resolve() : setImmediate(look));
      look();
    });
    void bench.engine.dispatch({ type: 'aborted' });
    await bench.until(() => bench.engine.conversation.phase.kind === 'idle');
    expect(bench.engine.conversation.turns.at(-1)).toMatchObject({ kind: 'assistant', text: 'one ', partial: true });
  });

  it('runs nothing when it is closed while a HALT is open', async () => {
    await using server = await startScriptedServer([call('bash', { command: 'rm -rf foo' })]);
    await using bench = startEngine(preset(server));
    mkdirSync(join(bench.cwd, 'foo'));
    void bench.engine.dispatch({ type: 'norrisStarted', goal: 'clean' });
    await bench.until(() => bench.engine.state.questions.length > 0);
    const question = bench.engine.state.questions[0]?.id ?? '';
    await bench.engine.close();
    await bench.engine.dispatch({ type: 'answered', question, answer: { kind: 'proceed' } });
    expect(existsSync(join(bench.cwd, 'foo'))).toBe(true);
    expect(bench.journal.some((event) => event.type === 'actionStarted')).toBe(false);
  });

  it.each([false, true])('starts nothing that was aborted while the shell started (job: %s)', async (job) => {
    await using server = await startScriptedServer([say(`${job ? 'CMD&' : 'CMD'}: touch mark`)]);
    let comeUp = () => {};
    const shell = new Promise<void>((resolve) => {
      comeUp = resolve;
    });
    const launched: string[] = [];
    await using bench = startEngine(preset(server), {
      services: {
        agent: {
          async run(command, { signal }) {
            await shell;
            signal.throwIfAborted();
            launched.push(command);
            throw new Error('launched');
          },
        },
      },
    });
    void bench.engine.dispatch({ type: 'norrisStarted', goal: 'mark' });
    await bench.until(() => bench.engine.conversation.phase.kind === 'acting');
    void bench.engine.dispatch({ type: 'aborted' });
    comeUp();
    await bench.until(() => bench.engine.conversation.phase.kind === 'idle');
    expect(launched).toEqual([]);
  });

  it('records the exit of a command that closing interrupted, and starts nothing because of it', async () => {
    await using server = await startScriptedServer([call('bash', { command: 'echo up; exec sleep 100' })]);
    await using bench = startEngine(preset(server));
    void bench.engine.dispatch({ type: 'norrisStarted', goal: 'serve' });
    const up = () => [...bench.engine.live.commands.values()].some((run) => run.output.lines(1).join() === 'up');
    await expect.poll(up).toBe(true);
    await bench.engine.close();
    expect(bench.journal.at(-1)).toMatchObject({ type: 'actionEnded', outcome: { result: { exit: 130, head: 'up' } } });
    expect(bench.engine.live.commands.size).toBe(0);
    expect(server.requests).toHaveLength(1);
    const again = new Engine(bench.engine.services, 'main', foldEvents(bench.journal, 'main'));
    void again.dispatch({ type: 'resumed', settings: again.conversation.settings });
    expect(again.conversation.phase.kind).toBe('idle');
    expect(again.transcript.entries.findLast(({ entry }) => entry.kind === 'exec')?.entry).toMatchObject({
      result: { exit: 130, note: 'interrupted' },
    });
    await again.close();
  });

  it('returns queued lines to a listener that subscribes later', async () => {
    await using server = await startScriptedServer([{ text: [hold('never'), 'x'] }]);
    await using bench = startEngine(preset(server));
    void bench.engine.dispatch({ type: 'asked', line: 'l1', text: 'one' });
    void bench.engine.dispatch({ type: 'asked', line: 'l2', text: 'two' });
    const again = new Engine(bench.engine.services, 'main', foldEvents(bench.journal, 'main'));
    void again.dispatch({ type: 'resumed', settings: again.conversation.settings });
    const back: string[] = [];
    again.onGiveBack((text) => back.push(text));
    expect(back).toEqual(['two']);
    await again.close();
  });

  it('resumes from its journal with the question pending and judged again', async () => {
    await using server = await startScriptedServer([call('bash', { command: 'rm -rf foo' })]);
    await using bench = startEngine(preset(server));
    void bench.engine.dispatch({ type: 'norrisStarted', goal: 'clean' });
    await bench.until(() => bench.engine.state.questions.length > 0);
    const again = new Engine(bench.engine.services, 'main', foldEvents(bench.journal, 'main'));
    expect(again.transcript.entries).toEqual(bench.engine.transcript.entries);
    void again.dispatch({ type: 'resumed', settings: again.conversation.settings });
    await new Promise<void>((resolve) => {
      const look = () => (again.state.questions.length > 0 ? resolve() : setImmediate(look));
      look();
    });
    expect(again.state.questions[0]).toMatchObject({ kind: 'halt', why: 'destructive' });
    await again.close();
  });
});
