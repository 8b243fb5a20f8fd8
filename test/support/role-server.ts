/** A model server that plays every role of a session well, except one role in which it fails as configured. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { actOf, type FaultName } from './fault-server.ts';

export const PLACES = ['chat', 'Norris', 'preplan', 'second opinion', 'sub-agent', 'trial'] as const;
export type Place = (typeof PLACES)[number];

type Role = 'main' | 'planner' | 'opinion' | 'sub-agent';

/**
 * The role that fails in each place; a trial asks no model, so there the command, the disk, or the program itself
 * fails.
 */
const TARGETS: Readonly<Record<Place, Role | undefined>> = {
  chat: 'main',
  Norris: 'main',
  preplan: 'planner',
  'second opinion': 'opinion',
  'sub-agent': 'sub-agent',
  trial: undefined,
};

/** How long the command of a trial sleeps; a unique number that identifies it among all processes. */
export const TRIAL_SECONDS = '2.71';

/** The first reply of the main model in each place; then it is done. */
const FIRST: Readonly<Record<Place, string>> = {
  chat: 'I am well.',
  Norris: 'CMD: echo one',
  preplan: 'CMD: echo one',
  'second opinion': 'CMD: frobnicate --all',
  'sub-agent': 'DELEGATE: look around',
  trial: `CMD: rm -rf build; sleep ${TRIAL_SECONDS}`,
};

export type RoleServer = {
  readonly baseUrl: string;
  /** Resolves when the request that is to fail has arrived. */
  readonly reached: Promise<void>;
  /** Answers a waiting request, once the fault has been caused. */
  release(): void;
  [Symbol.asyncDispose](): Promise<void>;
};

/** @param tool called by the model in its place, instead of its usual reply there */
export async function startRoleServer(
  place: Place,
  fault: FaultName | 'slow' | undefined,
  tool: string | undefined,
): Promise<RoleServer> {
  const counts = { main: 0, planner: 0, opinion: 0, 'sub-agent': 0 };
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  // A Norris run fails at its second call, when it has already acted.
  const failsFrom = place === 'Norris' ? 2 : 1;

  async function answer(text: string, res: ServerResponse): Promise<void> {
    const body = JSON.parse(text) as Readonly<Record<string, unknown>>;
    const role = roleOf(text, body);
    counts[role] += 1;
    const nth = counts[role];
    const isTarget = role === TARGETS[place] && nth >= failsFrom;
    if (isTarget) reached.resolve();
    if (isTarget && fault !== undefined && fault !== 'slow') return actOf(fault)({ res, nth, body });
    if (isTarget && fault === 'slow') await new Promise((resolve) => setTimeout(resolve, 800));
    if (isTarget && fault === undefined && tool === undefined) await released.promise;
    if (isTarget && tool !== undefined && nth === failsFrom) return send(res, body, '', tool);
    send(res, body, wordsOf(role, place, nth));
  }

  const server = createServer((req, res) => {
    if (req.method === 'POST' && req.url?.endsWith('/chat/completions'))
      void textOf(req).then((text) => answer(text, res));
    else res.writeHead(404).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    baseUrl: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/v1`,
    reached: reached.promise,
    release: () => released.resolve(),
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function roleOf(text: string, body: Readonly<Record<string, unknown>>): Role {
  if (body.model === 'planner') return 'planner';
  if (text.includes('Detect destructive')) return 'opinion';
  return text.includes('[SUB-AGENT]') ? 'sub-agent' : 'main';
}

function wordsOf(role: Role, place: Place, nth: number): string {
  if (role === 'planner') return 'TASK: say how you are';
  if (role === 'opinion') return 'NO';
  if (role === 'sub-agent') return 'All is well.\nGOAL: complete';
  return nth === 1 ? FIRST[place] : 'Done.\nGOAL: complete';
}

function send(res: ServerResponse, body: Readonly<Record<string, unknown>>, content: string, tool?: string): void {
  const calls = [{ index: 0, id: 'call-1', type: 'function', function: { name: tool, arguments: '{}' } }];
  const message = { role: 'assistant', content, ...(tool === undefined ? {} : { tool_calls: calls }) };
  const finish_reason = tool === undefined ? 'stop' : 'tool_calls';
  if (body.stream !== true) {
    res.writeHead(200, { 'content-type': 'application/json' });
    return void res.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason }] }));
  }
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  const events = [{ delta: message }, { delta: {}, finish_reason }];
  const lines = events.map((choice) => `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`);
  res.end(`${lines.join('')}data: [DONE]\n\n`);
}

async function textOf(req: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of req) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}
