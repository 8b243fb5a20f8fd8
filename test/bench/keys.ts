/** What the benches of the screen have in common: typing, and a server that streams. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Rig } from '../support/rig.ts';

const KEYS = Number(process.env.BENCH_KEYS ?? 150);

/** In ms; `times` are those of every key. */
export type Latency = {
  readonly p50: number;
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

/** Sums up keys, of several measurements too. */
export function latencyOf(times: readonly number[], bytes: number): Latency {
  const sorted = times.toSorted((a, b) => a - b);
  return { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99), bytes, times };
}

/** Types one letter at a time and waits until it stands on the screen. */
export async function keyLatency(rig: Rig): Promise<Latency> {
  const times: number[] = [];
  const before = rig.raw.length;
  let typed = '';
  for (let n = 0; n < KEYS; n += 1) {
    if (typed.length === 40) {
      rig.key(...Array<string>(typed.length).fill('backspace'));
      const old = typed;
      typed = '';
      await rig.waitForGone(old);
    }
    // A run of one letter can't stand in the transcript by chance.
    typed += 'z';
    const wanted = typed.padStart(4, 'z').slice(-typed.length);
    const began = performance.now();
    rig.type('z');
    await rig.waitFor((r) => r.screen().some((line) => line.includes(wanted)));
    times.push(performance.now() - began);
    await delay(12);
  }
  return latencyOf(times, (rig.raw.length - before) / KEYS);
}

/** A server that streams so many tokens a second until the client goes, unless `answer` takes a request over. */
export async function tokenServer(
  rate: number,
  answer: (body: string, response: ServerResponse) => boolean = () => false,
) {
  const server = createServer((request, response) => {
    if (request.method !== 'POST') return void response.end('{}');
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
