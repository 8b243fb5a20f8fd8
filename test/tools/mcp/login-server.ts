/** An MCP server over HTTP that needs a login, and its authorization server: one process, one address, no library. */
import { createServer, type IncomingMessage } from 'node:http';
import { isJsonObject } from '../../../src/text/json.ts';

/** Deviations of the server from the protocol. */
export type Oddity = {
  /** Another authorization server that the metadata names as the issuer. */
  readonly issuer?: string;
  /** The address of the server’s metadata about itself. */
  readonly resourceMetadata?: string;
  /** Another resource that the metadata describes. */
  readonly resource?: string;
  /** The address to which the server sends the browser to log in. */
  readonly authorize?: string;
  /** The issuer that the server’s answers name. */
  readonly iss?: string;
  readonly saysIss?: boolean;
  /** Permissions without which a call is refused. */
  readonly callScope?: string;
};

export type LoginServer = AsyncDisposable & {
  readonly url: string;
  readonly origin: string;
  /** `METHOD path` of every request, in order. */
  readonly seen: string[];
  /** Bodies sent to the token endpoint. */
  readonly exchanges: URLSearchParams[];
  /** The valid tokens, newest last; when emptied, all have expired. */
  readonly good: string[];
  /** Every secret that the server issued. */
  readonly handed: string[];
  odd: Oddity;
};

export async function startLoginServer(odd: Oddity = {}): Promise<LoginServer> {
  const refresh = new Set<string>();
  const scopes = new Map<string, string>();
  const codes = new Map<string, string>();
  let serial = 0;
  const fresh = (kind: string) => {
    serial += 1;
    const value = `${kind}-${serial}-Qm7xZ2pLw9`;
    state.handed.push(value);
    return value;
  };
  const state = { url: '', origin: '', seen: [], exchanges: [], good: [], handed: [], odd } as unknown as {
    -readonly [K in keyof LoginServer]: LoginServer[K];
  };

  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', state.origin);
    state.seen.push(`${request.method} ${pathname}`);
    const body = await textOf(request);
    const json = (value: unknown, status = 200, headers = {}) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
    switch (pathname) {
      case '/.well-known/oauth-protected-resource/mcp':
        return json({ resource: state.odd.resource ?? state.url, authorization_servers: [state.origin] });
      case '/.well-known/oauth-authorization-server':
        return json({
          issuer: state.odd.issuer ?? state.origin,
          authorization_endpoint: state.odd.authorize ?? `${state.origin}/authorize`,
          token_endpoint: `${state.origin}/token`,
          registration_endpoint: `${state.origin}/register`,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['none'],
          ...(state.odd.saysIss ? { authorization_response_iss_parameter_supported: true } : {}),
        });
      case '/register':
        return json({ ...asObject(body), client_id: 'registered' }, 201);
      case '/authorize': {
        const code = fresh('code');
        codes.set(code, searchParams.get('scope') ?? '');
        const back = new URL(searchParams.get('redirect_uri') ?? '');
        back.searchParams.set('code', code);
        back.searchParams.set('state', searchParams.get('state') ?? '');
        if (state.odd.iss !== undefined) back.searchParams.set('iss', state.odd.iss);
        return response.writeHead(302, { location: back.href }).end();
      }
      case '/token': {
        const given = new URLSearchParams(body);
        state.exchanges.push(given);
        const renews = given.get('grant_type') === 'refresh_token';
        const known = renews ? refresh.delete(given.get('refresh_token') ?? '') : codes.has(given.get('code') ?? '');
        if (!known) return json({ error: 'invalid_grant' }, 400);
        const token = fresh('token');
        const next = fresh('refresh');
        refresh.add(next);
        scopes.set(token, codes.get(given.get('code') ?? '') ?? '');
        state.good.push(token);
        return json({ access_token: token, token_type: 'Bearer', refresh_token: next, scope: scopes.get(token) });
      }
      case '/mcp': {
        const token = request.headers.authorization?.replace(/^Bearer /, '') ?? '';
        const metadata = state.odd.resourceMetadata ?? `${state.origin}/.well-known/oauth-protected-resource/mcp`;
        if (!state.good.includes(token))
          return json({}, 401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` });
        if (request.method !== 'POST') return response.writeHead(405).end();
        const { id, method } = asObject(body);
        const wanted = state.odd.callScope;
        if (method === 'tools/call' && wanted !== undefined && !scopes.get(token)?.split(' ').includes(wanted))
          return json({}, 403, { 'www-authenticate': `Bearer error="insufficient_scope", scope="${wanted}"` });
        if (id === undefined) return response.writeHead(202).end();
        return json({ jsonrpc: '2.0', id, result: resultOf(method) });
      }
      default:
        return response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  state.origin = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  state.url = `${state.origin}/mcp`;
  return Object.assign(state, {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

function resultOf(method: unknown): object {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'guarded', version: '1' },
      };
    case 'tools/list':
      return { tools: [{ name: 'look', inputSchema: { type: 'object' } }] };
    case 'tools/call':
      return { content: [{ type: 'text', text: 'seen' }] };
    default:
      return {};
  }
}

function asObject(body: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(body);
  return isJsonObject(value) ? value : {};
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of request) text += String(piece);
  return text;
}
