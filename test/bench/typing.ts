/** Shared by the benches of the screen: typing, and a server that streams. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DEFAULTS } from '../../src/config/config.ts';
import type { SessionEvent } from '../../src/session/event.ts';
import type { Scratch } from '../support/program.ts';
import type { Rig } from '../support/rig.ts';

const KEYS = Number(process.env.BENCH_KEYS ?? 150);

const LINES_PER_COMMAND = 50;

/** The delay of keys in ms; `times` has one for every key. */
export type Latency = {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly bytes: number;
  readonly times: readonly number[];
};

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return percentile(
    [...values].sort((a, b) => a - b),
    0.5,
  );
}

/** Summarises the delays of keys, also from several measurements. */
export function latencyOf(times: readonly number[], bytes: number): Latency {
  const sorted = times.toSorted((a, b) => a - b);
  return { p50: percentile(sorted, 0.5), p95: percentile(sorted, 0.95), p99: percentile(sorted, 0.99), bytes, times };
}

/** Types one letter at a time and waits until it is on the screen. */
export async function keyLatency(rig: Rig, keys = KEYS): Promise<Latency> {
  const times: number[] = [];
  const before = rig.raw.length;
  let typed = '';
  for (let n = 0; n < keys; n += 1) {
    if (typed.length === 40) {
      rig.key(...Array<string>(typed.length).fill('backspace'));
      const old = typed;
      typed = '';
      await rig.waitForGone(old);
    }
    // A run of one letter can't be in the transcript by chance.
    typed += 'z';
    const wanted = typed.padStart(4, 'z').slice(-typed.length);
    const began = performance.now();
    rig.type('z');
    await rig.waitFor((r) => r.screen().some((line) => line.includes(wanted)));
    times.push(rig.shownSince - began);
    await delay(12);
  }
  return latencyOf(times, (rig.raw.length - before) / keys);
}

/**
 * A server that streams this many tokens a second until the client disconnects, unless `answer` handles the request.
 */
export async function tokenServer(
  rate: number,
  answer: (body: string, response: ServerResponse) => boolean = () => false,
) {
  const server = createServer((request, response) => {
    if (request.method !== 'POST') return void response.end('{}');
    if (!request.url?.endsWith('/chat/completions')) return void response.writeHead(404).end('{}');
    void textOf(request).then((body) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      if (!answer(body, response)) streamTokens(rate, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    baseUrl: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/v1`,
    close: () => server.close(),
  };
}

function streamTokens(rate: number, response: ServerResponse): void {
  const send = (text: string) =>
    response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: text } }] })}\n\n`);
  let sent = 0;
  const timer = setInterval(() => {
    sent += 1;
    send(sent % 12 === 0 ? 'words.\n\n' : 'token ');
  }, 1000 / rate);
  response.on('close', () => clearInterval(timer));
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

/** Writes a session with this many lines of output. */
export function writeSession(place: Scratch, lines: number): void {
  const { max_turns, max_tool_rounds, norris, confirm_cmd } = DEFAULTS;
  const settings = {
    preset: 'fast',
    maxTurns: max_turns,
    maxToolRounds: max_tool_rounds,
    maxNorrisSteps: norris.max_norris_steps,
    confirmCmd: confirm_cmd,
    sandbox: false,
  };
  const events: SessionEvent[] = [
    { session: 'main', at: 0, type: 'opened', cwd: place.work, mode: 'unrestricted', settings },
  ];
  for (let done = 0; done < lines; done += LINES_PER_COMMAND) {
    const op = `sh-${done}`;
    const head = Array.from(
      { length: LINES_PER_COMMAND - 2 },
      (_, n) => `line ${done + n} of the output, in \x1b[32mcolour\x1b[m`,
    ).join('\n');
    const result = { exit: 0, cwd: place.work, head, tail: '', omittedLines: 0, bytes: head.length, milliseconds: 3 };
    events.push({ session: 'main', at: done, type: 'shellStarted', op, line: `make part-${done}`, private: true });
    events.push({ session: 'main', at: done, type: 'shellEnded', op, result });
  }
  const folder = join(place.home, '.local/state/aish/sessions/bench');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'journal.jsonl'),
    events.map((event, seq) => `${JSON.stringify({ v: 1, seq, event })}\n`).join(''),
  );
}
