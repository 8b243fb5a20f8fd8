/** A model whose commands run one after another. It records the time between each answer and the next request. */
import type { ServerResponse } from 'node:http';
import { tokenServer } from './typing.ts';

export type AgentServer = {
  readonly baseUrl: string;
  /** The times in ms from the end of an answer to the request with its result. */
  readonly gaps: readonly number[];
  /** When its last answer was sent, by `performance.now()`. */
  readonly lastEnded: number;
  /** Resolves when the n-th request has arrived, from 1. */
  reached(n: number): Promise<void>;
  close(): void;
};

/**
 * @param command of the n-th step, from 1; undefined ends the work
 * @param turn waited for before each answer
 */
export async function agentServer(
  command: (step: number) => string | undefined,
  turn: () => Promise<void> = () => Promise.resolve(),
): Promise<AgentServer> {
  const gaps: number[] = [];
  const waiting = new Set<() => void>();
  let requests = 0;
  let ended: number | undefined;
  const server = await tokenServer(0, (_body, response) => {
    const now = performance.now();
    if (ended !== undefined) gaps.push(now - ended);
    requests += 1;
    const step = requests;
    response.on('finish', () => {
      ended = performance.now();
    });
    void turn().then(() => answer(response, command(step), step));
    for (const look of waiting) look();
    return true;
  });
  return {
    baseUrl: server.baseUrl,
    gaps,
    get lastEnded() {
      return ended ?? Number.NaN;
    },
    reached: (n) =>
      new Promise((resolve) => {
        const look = () => {
          if (requests < n) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    close: () => server.close(),
  };
}

function answer(response: ServerResponse, command: string | undefined, step: number): void {
  const send = (delta: object, finish: string | null = null) =>
    response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`);
  if (command === undefined) send({ content: 'GOAL: complete' });
  else {
    const call = { name: 'bash', arguments: JSON.stringify({ command }) };
    send({ tool_calls: [{ index: 0, id: `call-${step}`, type: 'function', function: call }] });
  }
  send({}, command === undefined ? 'stop' : 'tool_calls');
  response.end('data: [DONE]\n\n');
}
