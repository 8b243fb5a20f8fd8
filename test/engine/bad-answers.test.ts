/**
 * Ways in which models answer badly, and the reaction to each: the table of docs/models.md (AISH_WRITE=1 writes it).
 */
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { startEngine } from '../support/engine.ts';

type Delta = {
  readonly content?: string;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly object[];
};
type Way = readonly [what: string, delta: Delta, finish: 'stop' | 'length', commands: readonly string[]];

const HALF = { index: 0, id: 'c1', function: { name: 'bash', arguments: '{"command":"touch ha' } };
const RENAMED = { index: 0, id: 'c1', function: { name: 'run_shell', arguments: '{"cmd":"echo hi"}' } };
const HI = '{"command":"echo hi"}';

const WAYS: readonly Way[] = [
  ['an empty answer', { content: '' }, 'stop', []],
  ['only thoughts', { reasoning_content: 'The files are to be listed.' }, 'stop', []],
  ['thoughts up to the token limit', { reasoning_content: 'The files …' }, 'length', []],
  ['words: “I will now list the files.”', { content: 'I will now list the files.' }, 'stop', []],
  ['a fence without a marker', { content: '```sh\necho hi\n```' }, 'stop', []],
  ['`- CMD: echo hi` in a list', { content: 'I run:\n- CMD: echo hi' }, 'stop', []],
  ['a command cut at the token limit', { content: "CMD: cat > half <<'E'\none" }, 'length', []],
  ['a tool call cut at the token limit', { tool_calls: [HALF] }, 'length', []],
  ['the shell by another name', { tool_calls: [RENAMED] }, 'stop', ['echo hi']],
  [
    '`<tool_call>` as text',
    { content: `<tool_call>{"name":"bash","arguments":${HI}}</tool_call>` },
    'stop',
    ['echo hi'],
  ],
  [
    '`<function=shell>` as text',
    { content: '<function=shell>\n<parameter=command>echo hi</parameter>\n</function>' },
    'stop',
    ['echo hi'],
  ],
  ['`[TOOL_CALLS]` as text', { content: `[TOOL_CALLS][{"name":"bash","arguments":${HI}}]` }, 'stop', ['echo hi']],
  ['a call as bare JSON', { content: `{"name":"bash","arguments":${HI}}` }, 'stop', ['echo hi']],
  ['a command in its thoughts', { content: '[THINK]\nCMD: touch half\n[/THINK]\nCMD: echo hi' }, 'stop', ['echo hi']],
];

/** A run whose first answer is the bad one. */
async function runAfter({ 1: delta, 2: finish_reason }: Way, tools: boolean) {
  let asked = 0;
  const server = createServer((request, response) => {
    if (!request.url?.endsWith('/chat/completions')) return response.writeHead(404).end();
    asked += 1;
    const choice =
      asked === 1 ? { delta, finish_reason } : { delta: { content: 'GOAL: complete' }, finish_reason: 'stop' };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    return response.end(`data: ${JSON.stringify({ choices: [choice] })}\n\ndata: [DONE]\n\n`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const preset = { name: 'fast', model: 'm', baseUrl, context: 8192, ...(tools ? {} : { capabilities: { tools } }) };
  const quick = { retry: { baseMs: 1, maxMs: 1 } };
  await using bench = startEngine(preset, { settings: { semantics: 3 }, broker: quick });
  await bench.engine.dispatch({ type: 'norrisStarted', goal: 'g' });
  await bench.until(() => bench.engine.conversation.phase.kind === 'idle');
  server.close();
  const entries = bench.engine.transcript.entries.map(({ entry }) => entry);
  const ran = entries.flatMap((entry) => (entry.kind === 'exec' ? [entry.command] : []));
  const notices = entries.flatMap((entry) => (entry.kind === 'notice' ? [entry.text] : []));
  const refused = entries.some((entry) => entry.kind === 'refused');
  const again = notices.some((text) => text.endsWith('asking once more'));
  const pause = notices.some((text) => text.includes('trying again in'));
  const ended = entries.at(-1);
  const cell = [
    ran.length > 0 ? 'runs it' : refused ? 'not run, and told why' : '',
    again ? 'asked once more' : pause ? 'sent again' : '',
  ].filter((part) => part !== '');
  return { ran, cell: cell.join(', '), status: ended?.kind === 'norrisEnded' ? ended.status : '' };
}

it('no single bad answer ends a run, and none runs half a command', async () => {
  const rows: string[] = [];
  for (const way of WAYS) {
    const outcomes = [await runAfter(way, true), await runAfter(way, false)];
    for (const { ran, cell, status } of outcomes)
      expect([way[0], ran, status, cell !== '']).toEqual([way[0], way[3], 'done', true]);
    rows.push(`| ${way[0]} | ${outcomes.map(({ cell }) => cell).join(' | ')} |`);
  }
  const table = ['| the answer | with tools | with lines |', '|---|---|---|', ...rows].join('\n');
  const page = new URL('../../docs/models.md', import.meta.url);
  const text = readFileSync(page, 'utf8');
  const now = /\| the answer \| with tools[\s\S]*?(?=\n\n)/;
  if (process.env.AISH_WRITE === '1')
    writeFileSync(
      page,
      text.replace(now, () => table),
    );
  else expect(now.exec(text)?.[0]).toBe(table);
}, 60_000);
