import { createServer, type Server } from 'node:http';

/**
 * A server that answers given paths with given JSON and everything else with 404; it plays the information pages of
 * model servers.
 */
export type Peer = {
  readonly baseUrl: string;
  readonly port: number;
  /** `METHOD path` of each request. */
  readonly asked: readonly string[];
  [Symbol.asyncDispose](): Promise<void>;
};

/** `answers`: body by path; `[status, body]` for another status; null to never answer. */
export async function startPeer(answers: Readonly<Record<string, unknown>>): Promise<Peer> {
  const asked: string[] = [];
  const server: Server = createServer((req, res) => {
    asked.push(`${req.method} ${req.url}`);
    const answer = answers[req.url ?? ''];
    if (answer === null) return;
    const [status, body] = Array.isArray(answer) ? answer : [answer === undefined ? 404 : 200, answer ?? {}];
    res.writeHead(Number(status), { 'content-type': 'application/json' });
    res.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { baseUrl: `http://127.0.0.1:${port}/v1`, port, asked, [Symbol.asyncDispose]: close };
}
