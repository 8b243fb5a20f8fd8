/** Where the browser comes back to: one address of this machine, for one login. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the answer must carry. */
export type Expected = {
  readonly state: string;
  readonly issuer: string;
  /** The authorization server says that it names itself in its answers. */
  readonly namesItself: boolean;
};

const HOST = '127.0.0.1';
const PATH = '/callback';
const PAGE = (text: string) =>
  `<!doctype html><meta charset="utf-8"><title>aish-tui</title><p style="font:16px sans-serif;margin:3em">${text}</p>\n`;

export class Redirect {
  /** The address that is told to the authorization server. */
  readonly url: string;
  readonly #server: Server;
  readonly #code = Promise.withResolvers<string>();
  #expected: Expected | undefined;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.url = `http://${HOST}:${port}${PATH}`;
    // Nobody may be waiting for it yet, or any more.
    this.#code.promise.catch(() => {});
    server.on('request', (request, response) => {
      const taken = request.method === 'GET' && this.take(`http://${HOST}${request.url}`);
      response.writeHead(taken ? 200 : 400, { 'content-type': 'text/html; charset=utf-8', connection: 'close' });
      response.end(PAGE(taken ? 'Back to aish-tui: this page can be closed.' : 'This is not what was asked for.'));
    });
  }

  /** @param port of an earlier login, which the authorization server knows; another one where that is taken */
  static async listen(port = 0): Promise<Redirect> {
    const server = createServer();
    const listens = (on: number) =>
      new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(on, HOST, () => {
          server.off('error', reject);
          resolve();
        });
      });
    await listens(port).catch(() => listens(0));
    const { port: taken } = server.address() as AddressInfo;
    return new Redirect(server, taken);
  }

  /** Waits for the code; rejects with what the authorization server says, or when `signal` gives up. */
  async code(expected: Expected, signal: AbortSignal): Promise<string> {
    this.#expected = expected;
    const stop = () => this.#code.reject(new Error('given up'));
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    return this.#code.promise.finally(() => signal.removeEventListener('abort', stop));
  }

  /**
   * Takes the address that the browser was sent to. One that does not carry the state of this login is none of ours and
   * changes nothing; false then.
   */
  take(address: string): boolean {
    const expected = this.#expected;
    if (!expected || !URL.canParse(address)) return false;
    const { pathname, searchParams } = new URL(address);
    if (pathname !== PATH || searchParams.get('state') !== expected.state) return false;
    const issuer = searchParams.get('iss');
    if (issuer === null ? expected.namesItself : issuer !== expected.issuer) {
      this.#code.reject(new Error(`the answer is not from ${expected.issuer}; refused`));
      return false;
    }
    const error = searchParams.get('error');
    const code = searchParams.get('code');
    if (error !== null || code === null)
      this.#code.reject(new Error(searchParams.get('error_description') ?? error ?? 'it sent no code'));
    else this.#code.resolve(code);
    return error === null && code !== null;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
