import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { contextUse } from '../../src/session/context.ts';
import type { Settings } from '../../src/session/state.ts';
import { startEngine } from '../support/engine.ts';
import { reply } from '../support/machine.ts';
import {
  startWindowServer,
  type WindowOptions,
  type WindowRequest,
  type WireMessage,
} from '../support/window-server.ts';

const STEPS = 60;
const GOAL = 'look through everything in this folder and report what is odd';
const task = (k: number) => `look at part ${k} and note what stands out`;

/**
 * Outputs of the kinds that count differently: listings, code, digits, hexadecimal, other scripts, runs of one
 * character.
 */
const COMMANDS = [
  'ls -la --full-time /usr/bin | head -90',
  'seq 1 3000',
  'cat prose.txt',
  'od -A x -t x1 /bin/ls | head -200',
  'cat code.txt',
  'cat chinese.txt',
  'printf "%6000s\\n" | tr " " "="',
  'echo short',
];

function fill(folder: string): void {
  const words = 'the quick brown fox jumps over a lazy dog while nobody looks at it for long';
  writeFileSync(join(folder, 'prose.txt'), `${words}\n`.repeat(150));
  writeFileSync(
    join(folder, 'code.txt'),
    "export const value = table.find(({ id }) => id === 'x')?.name ?? '';\n".repeat(150),
  );
  writeFileSync(join(folder, 'chinese.txt'), `${'日志文件已经很大了请检查磁盘空间 🚀 Ünïcödé'.repeat(3)}\n`.repeat(50));
}

/** Every kind of step: one call, two at once, a line marker, a long argument. */
function script(nth: number) {
  const command = (offset: number) => COMMANDS[(nth + offset) % COMMANDS.length] ?? 'true';
  const text = `Step ${nth + 1}: I look further.`;
  if (nth % 7 === 3) return { text: `${text}\n\nCMD: ${command(0)}` };
  if (nth % 7 === 5) return { text, calls: [bash(command(0)), bash(command(1))] };
  if (nth % 11 === 8) return { text, calls: [bash(`: ${'long argument '.repeat(300)}; ${command(0)}`)] };
  return { text, calls: [bash(command(0))] };
}

const bash = (command: string) => ({ name: 'bash', args: { command } });

async function session(server: Omit<WindowOptions, 'script'>, settings: Partial<Settings> = {}) {
  await using peer = await startWindowServer({ ...server, script });
  const preset = { name: 'fast', model: 'windowed', baseUrl: peer.baseUrl };
  const known = server.tells.includes('props') ? preset : { ...preset, context: server.window };
  const tasks = Array.from({ length: STEPS }, (_, index) => `TASK: ${task(index + 1)}`).join('\n');
  await using bench = startEngine(known, {
    services: { maxAnswerTokens: 2048, preplanner: { plan: async () => reply(tasks) } },
    settings: { maxNorrisSteps: STEPS, maxTurns: 1000, preplanner: 'fast', tasksMax: STEPS, ...settings },
  });
  mkdirSync(bench.cwd, { recursive: true });
  fill(bench.cwd);
  void bench.engine.dispatch({ type: 'norrisStarted', goal: GOAL });
  await bench.until(() => bench.engine.conversation.phase.kind === 'idle');
  const { entries } = bench.engine.transcript;
  const notices = entries.flatMap(({ entry }) => (entry.kind === 'notice' ? [entry.text] : []));
  const evictions = notices.filter((text) => /to fit the window of fast/.test(text));
  return { requests: peer.requests, evictions, conversation: bench.engine.conversation };
}

/** Returns tool messages whose call is not in the message before them, and calls without their result. */
function orphans(messages: readonly WireMessage[]): string[] {
  const open = new Set<string>();
  const lost: string[] = [];
  for (const { role, tool_call_id: id = '', tool_calls: calls = [] } of messages) {
    if (role === 'tool' ? !open.delete(id) : open.size > 0) lost.push(id || 'a call');
    for (const call of calls) open.add(call.id);
  }
  return [...lost, ...open];
}

/** Returns the request without the task line at its end. */
function body(request: WindowRequest | undefined): string {
  const text = JSON.stringify(request?.messages.map(({ role, content, tool_calls: calls }) => [role, content, calls]));
  return text.replace(/(?:\\n\\n)?\[aish\] (?:Current step|All tasks).*$/, '').replace(/(?:,\["user","?)?$/, '');
}

const WINDOWS: readonly (readonly [name: string, server: Omit<WindowOptions, 'script'>])[] = [
  ['4k, its own tokenizer to ask', { window: 4096, tokenizer: 'cl100k', tells: ['props', 'tokenize', 'usage'] }],
  ['8k, with a tokenizer unlike the estimate', { window: 8192, tokenizer: 'r50k', tells: ['props', 'usage'] }],
  ['16k, without reported counts', { window: 16_384, tokenizer: 'o200k', tells: [] }],
];

describe.concurrent('60 steps with large outputs', () => {
  it.each(WINDOWS)('fit into a window of %s', async (_name, server) => {
    const { requests, evictions, conversation } = await session(server);
    expect(requests).toHaveLength(STEPS + 1);
    for (const [index, request] of requests.entries()) {
      expect(request.tokens + request.answer).toBeLessThanOrEqual(server.window);
      expect(request.messages[0]?.content).toContain(`Goal: ${GOAL}`);
      const last = request.messages.at(-1)?.content;
      expect(last).toContain(index < STEPS ? `Current step ${index + 1}/${STEPS}: ${task(index + 1)}` : 'Report');
      expect(orphans(request.messages)).toEqual([]);
    }
    // Each request starts with the one before it, except where the transcript reports an eviction.
    const broken = requests.filter(
      (request, index) => index > 0 && !body(request).startsWith(body(requests[index - 1])),
    );
    expect(broken.length).toBeGreaterThan(3);
    expect(broken.length).toBeLessThanOrEqual(evictions.length);
    expect(evictions.length).toBeLessThan(STEPS / 2);
    // The available window is used.
    expect(Math.max(...requests.map(({ tokens }) => tokens))).toBeGreaterThan(server.window / 2);
    expect(contextUse(conversation)?.percent).toBeLessThanOrEqual(100);
  });
});

it('a sub-agent has the same budget of tokens, and never loses its task', async () => {
  const WORK = 'read every listing here and say which is the longest';
  await using peer = await startWindowServer({
    window: 4096,
    tokenizer: 'cl100k',
    tells: ['props', 'usage'],
    script(nth, messages) {
      if (messages[0]?.content.includes('[SUB-AGENT]'))
        return nth < 12
          ? { text: 'I look at the next one. '.repeat(30), calls: [bash(COMMANDS[nth % 2] ?? 'true')] }
          : { text: 'All are long.' };
      return nth === 0
        ? { text: '', calls: [{ name: 'delegate', args: { task: WORK } }] }
        : { text: 'So be it.\nGOAL: complete' };
    },
  });
  const preset = { name: 'fast', model: 'windowed', baseUrl: peer.baseUrl };
  await using bench = startEngine(preset, { services: { maxAnswerTokens: 512 } });
  void bench.engine.dispatch({ type: 'norrisStarted', goal: GOAL });
  await bench.until(() => bench.engine.conversation.phase.kind === 'idle');
  expect(bench.engine.transcript.entries.at(-1)?.entry).toMatchObject({ kind: 'norrisEnded', status: 'done' });
  const own = peer.requests.filter(({ messages }) => messages[0]?.content.includes('[SUB-AGENT]'));
  expect(own.length).toBeGreaterThan(8);
  expect(own.some(({ messages }) => messages[1]?.content.includes('earlier turns were left out'))).toBe(true);
  for (const { messages, tokens, answer } of own) {
    expect(tokens + answer).toBeLessThanOrEqual(4096);
    expect(messages[1]?.content).toContain(`Task: ${WORK}`);
    expect(orphans(messages)).toEqual([]);
  }
});
