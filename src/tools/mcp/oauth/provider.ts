/**
 * Answers the OAuth library's questions about one login: the client's identity, its stored data, and the redirect
 * address.
 */
import { createHash, createPrivateKey, type KeyObject, randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type {
  AddClientAuthentication,
  OAuthClientProvider,
  OAuthDiscoveryState,
} from '@modelcontextprotocol/sdk/client/auth.js';
import { createPrivateKeyJwtAuth } from '@modelcontextprotocol/sdk/client/auth-extensions.js';
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import { makeDirectory } from '../../../text/files.ts';
import { isJsonObject } from '../../../text/json.ts';
import type { OAuthConfig } from '../messages.ts';

export type ProviderOptions = {
  readonly config: OAuthConfig;
  readonly store: TokenStore;
  /** Returns the value of a variable named in the configuration. */
  readonly secret: (variable: string) => string | undefined;
  /** Called with every value that must not be shown. */
  readonly learn: (value: string) => void;
  /** The redirect address; undefined if no user is there to log in. */
  readonly redirectUrl?: string;
};

/** A placeholder address for renewals, where the library requires one that is never used. */
const NOWHERE = 'http://127.0.0.1/callback';

export class Provider implements OAuthClientProvider {
  /** Identifies this login; the browser returns it. */
  readonly loginState = randomBytes(32).toString('base64url');
  /** The address for the user's login, once known. */
  address: URL | undefined;
  readonly #options: ProviderOptions;
  #verifier = '';
  #discovered: OAuthDiscoveryState | undefined;
  /** The token that was last offered for renewal. */
  #shown: string | undefined;

  constructor(options: ProviderOptions) {
    this.#options = options;
    const { private_key_env: variable, client_id: id = '' } = options.config;
    if (variable === undefined) return;
    const privateKey = this.#secret(variable);
    this.addClientAuthentication = createPrivateKeyJwtAuth({
      issuer: id,
      subject: id,
      privateKey,
      alg: algorithmOf(variable, privateKey),
    });
  }

  readonly addClientAuthentication?: AddClientAuthentication;

  /** The authorization server's required name for itself. */
  get issuer(): string {
    return this.#discovered?.authorizationServerMetadata?.issuer ?? this.#discovered?.authorizationServerUrl ?? '';
  }

  /** Whether the authorization server declares that it names itself in its answers. */
  get namesItself(): boolean {
    const metadata: Readonly<Record<string, unknown>> = this.#discovered?.authorizationServerMetadata ?? {};
    return metadata.authorization_response_iss_parameter_supported === true;
  }

  get redirectUrl(): string | undefined {
    return this.#isMachine ? undefined : (this.#options.redirectUrl ?? NOWHERE);
  }

  get clientMetadata() {
    const { scope } = this.#options.config;
    return {
      client_name: 'aish-tui',
      application_type: 'native',
      redirect_uris: this.redirectUrl === undefined ? [] : [this.redirectUrl],
      grant_types: this.#isMachine ? ['client_credentials'] : ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      ...(scope === undefined ? {} : { scope }),
    };
  }

  /** A client id that is an address describes the client there, for servers that support that. */
  get clientMetadataUrl(): string {
    const { client_id: id = '' } = this.#options.config;
    // The library ignores an empty value.
    return id.startsWith('https://') ? id : '';
  }

  state(): string {
    return this.loginState;
  }

  clientInformation(): OAuthClientInformationMixed | undefined {
    const { client_id: id, client_secret_env: variable, issuer } = this.#options.config;
    if (id !== undefined && this.clientMetadataUrl === '') {
      return {
        client_id: id,
        ...(variable === undefined ? {} : { client_secret: this.#secret(variable) }),
        ...(issuer === undefined ? {} : { issuer }),
      };
    }
    const { client } = this.#kept;
    const { redirectUrl } = this.#options;
    // The registration contains the redirect address of an earlier login: a new address needs a new one.
    if (redirectUrl !== undefined && client && 'redirect_uris' in client && !client.redirect_uris.includes(redirectUrl))
      return undefined;
    return client;
  }

  saveClientInformation(client: OAuthClientInformationMixed): void {
    if (this.#options.config.client_id !== undefined && this.clientMetadataUrl === '') return;
    if (client.client_secret !== undefined) this.#options.learn(client.client_secret);
    this.#options.store.save(client.issuer ?? this.#server, { client });
  }

  /** A person who logs in wants a new token, even if there is one. */
  tokens(): OAuthTokens | undefined {
    if (this.#options.redirectUrl !== undefined) return undefined;
    const { tokens } = this.#kept;
    this.#shown = tokens?.access_token;
    return tokens;
  }

  saveTokens(tokens: OAuthTokens): void {
    for (const value of [tokens.access_token, tokens.refresh_token]) if (value) this.#options.learn(value);
    this.#options.store.save(tokens.issuer ?? this.#server, { tokens });
  }

  redirectToAuthorization(address: URL): void {
    if (!isGuarded(address)) throw new Error(`${address.origin} is not reached over https; refused`);
    this.address = address;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  prepareTokenRequest(scope?: string): URLSearchParams | undefined {
    if (!this.#isMachine) return undefined;
    return new URLSearchParams({ grant_type: 'client_credentials', ...(scope === undefined ? {} : { scope }) });
  }

  /** Forgets refused data, unless another window has renewed it since then. */
  invalidateCredentials(what: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): void {
    const { store } = this.#options;
    if (what === 'all' || what === 'client') store.save(this.#server, { client: undefined });
    if (what === 'verifier' || what === 'discovery' || what === 'client') return;
    if (this.#kept.tokens?.access_token === this.#shown) store.save(this.#server, { tokens: undefined });
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovered;
  }

  /** Called before anything is sent: a server whose stated name differs from its address may be an impostor. */
  saveDiscoveryState(found: OAuthDiscoveryState): void {
    const { authorizationServerUrl: url, authorizationServerMetadata: metadata } = found;
    const { issuer } = this.#options.config;
    // Servers of protocol version 2025-03-26 are their own authorization server, under any path.
    const isOwn = !found.resourceMetadata && metadata && originOf(metadata.issuer) === originOf(url);
    if (metadata && !isOwn && !isSame(metadata.issuer, url))
      throw new Error(`${url} describes itself as ${metadata.issuer}; refused`);
    if (issuer !== undefined && !isSame(issuer, url))
      throw new Error(`it wants a login at ${url}, and the configuration names ${issuer}; refused`);
    this.#discovered = found;
  }

  get #isMachine(): boolean {
    const { client_credentials: own, private_key_env: key } = this.#options.config;
    return own === true || key !== undefined;
  }

  get #server(): string {
    return this.#discovered?.authorizationServerUrl ?? '';
  }

  get #kept() {
    return this.#options.store.of(this.#server);
  }

  #secret(variable: string): string {
    const value = this.#options.secret(variable);
    if (!value) throw new Error(`the variable ${variable} is not set`);
    this.#options.learn(value);
    return value;
  }
}

function originOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined;
}

/** Whether two addresses are equal except for a final slash. */
function isSame(one: string, other: string): boolean {
  return one.replace(/\/$/, '') === other.replace(/\/$/, '');
}

/** Returns the signing algorithm of a key. Throws for an invalid key. */
function algorithmOf(variable: string, pem: string): string {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    throw new Error(`the variable ${variable} holds no private key in PEM`);
  }
  const curves: Readonly<Record<string, string>> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' };
  if (key.asymmetricKeyType === 'ec') return curves[key.asymmetricKeyDetails?.namedCurve ?? ''] ?? 'ES256';
  return key.asymmetricKeyType === 'ed25519' ? 'EdDSA' : 'RS256';
}

// Receives the browser's redirect: one local address, for one login.

/** The parts that the answer must contain. */
type Expected = {
  readonly state: string;
  readonly issuer: string;
  /** The authorization server declares that it names itself in its answers. */
  readonly namesItself: boolean;
};

const HOST = '127.0.0.1';
const PATH = '/callback';
const PAGE = (text: string) =>
  `<!doctype html><meta charset="utf-8"><title>aish-tui</title><p style="font:16px sans-serif;margin:3em">${text}</p>\n`;

export class Redirect {
  /** The address given to the authorization server. */
  readonly url: string;
  readonly #server: Server;
  readonly #code = Promise.withResolvers<string>();
  #expected: Expected | undefined;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.url = `http://${HOST}:${port}${PATH}`;
    // Prevents an unhandled rejection while nobody waits.
    this.#code.promise.catch(() => {});
    server.on('request', (request, response) => {
      const taken = request.method === 'GET' && this.take(`http://${HOST}${request.url}`);
      response.writeHead(taken ? 200 : 400, { 'content-type': 'text/html; charset=utf-8', connection: 'close' });
      response.end(PAGE(taken ? 'Back to aish-tui: this page can be closed.' : 'This is not what was asked for.'));
    });
  }

  /** @param port the port of an earlier login, which the authorization server knows; another one if that is taken */
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

  /** Waits for the code; rejects with the authorization server's error, or when `signal` aborts. */
  async code(expected: Expected, signal: AbortSignal): Promise<string> {
    this.#expected = expected;
    const stop = () => this.#code.reject(new Error('given up'));
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    return this.#code.promise.finally(() => signal.removeEventListener('abort', stop));
  }

  /**
   * Takes the address to which the browser was redirected. Returns false, and changes nothing, if it lacks the state
   * of this login.
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
      this.#code.reject(new Error(searchParams.get('error_description') ?? error ?? 'it sent no authorization code'));
    else this.#code.resolve(code);
    return error === null && code !== null;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

// Stores the data of logins to one server in a private file: tokens and registrations by authorization server.

/** Data from one authorization server. Both contain its address in `issuer`, which the library checks. */
type Given = { readonly client?: OAuthClientInformationMixed; readonly tokens?: OAuthTokens };

type Kept = {
  readonly url: string;
  /** The authorization server of the current tokens. */
  readonly issuer?: string;
  readonly issuers: Readonly<Record<string, Given>>;
};

/** Read again at each use, because another window may have logged in or renewed a token. */
export class TokenStore {
  readonly #url: string;
  readonly #file: string;

  /** @param folder created on the first write with mode 0700; the file has 0600 */
  constructor(folder: string, url: string) {
    this.#url = url;
    this.#file = join(folder, `${createHash('sha256').update(url).digest('hex').slice(0, 32)}.json`);
  }

  /** The current tokens, from any authorization server. */
  get current(): OAuthTokens | undefined {
    const { issuer, issuers } = this.#read();
    return issuer === undefined ? undefined : issuers[issuer]?.tokens;
  }

  of(issuer: string): Given {
    return this.#read().issuers[issuer] ?? {};
  }

  /** The local port of an earlier login, which authorization servers have registered. */
  get port(): number | undefined {
    for (const { client } of Object.values(this.#read().issuers)) {
      const [address = ''] = client && 'redirect_uris' in client ? client.redirect_uris : [];
      if (URL.canParse(address)) return Number(new URL(address).port) || undefined;
    }
    return undefined;
  }

  /** Updates the data from one authorization server; `undefined` removes. Throws if it can't be written. */
  save(issuer: string, given: { readonly [K in keyof Given]: Given[K] | undefined }): void {
    const kept = this.#read();
    const { client, tokens } = { ...kept.issuers[issuer], ...given };
    const now: Given = { ...(client ? { client } : {}), ...(tokens ? { tokens } : {}) };
    const current = given.tokens ? { issuer } : kept.issuer === undefined ? {} : { issuer: kept.issuer };
    this.#write({ url: this.#url, ...current, issuers: { ...kept.issuers, [issuer]: now } });
  }

  /** Forgets everything about this server; returns false if there was nothing. */
  forget(): boolean {
    const had = Object.keys(this.#read().issuers).length > 0;
    rmSync(this.#file, { force: true });
    return had;
  }

  #read(): Kept {
    const none: Kept = { url: this.#url, issuers: {} };
    try {
      const value: unknown = JSON.parse(readFileSync(this.#file, 'utf8'));
      return isKept(value) && value.url === this.#url ? value : none;
    } catch {
      // Missing, or not readable as ours: as if nobody had logged in.
      return none;
    }
  }

  #write(kept: Kept): void {
    makeDirectory(join(this.#file, '..'));
    const fresh = `${this.#file}.${process.pid}.${Date.now()}`;
    writeFileSync(fresh, JSON.stringify(kept), { mode: 0o600, flag: 'wx', flush: true });
    renameSync(fresh, this.#file);
  }
}

function isKept(value: unknown): value is Kept {
  if (!isJsonObject(value) || typeof value.url !== 'string' || !isJsonObject(value.issuers)) return false;
  return Object.values(value.issuers).every(
    (given) =>
      isJsonObject(given) &&
      (given.client === undefined || (isJsonObject(given.client) && typeof given.client.client_id === 'string')) &&
      (given.tokens === undefined || (isJsonObject(given.tokens) && typeof given.tokens.access_token === 'string')),
  );
}

// Requests of a login: only over https or within this machine, with limits on time and size.

const MAX_BYTES = 1024 * 1024;
const TIMEOUT_MS = 30_000;

/** Returns whether nobody on the network can read what is sent to an address. */
function isGuarded(url: string | URL): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || (protocol === 'http:' && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname));
}

/** How many redirects of a description are followed. */
const MAX_REDIRECTS = 5;

/** Returns a `fetch` that `signal` aborts. */
export function guardedFetch(signal: AbortSignal): FetchLike {
  return async (url, init) => {
    const limits = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const response = await followRedirects(url, { ...init, signal: limits });
    if (!response.body) return response;
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    for await (const piece of response.body as AsyncIterable<Uint8Array>) {
      bytes += piece.length;
      if (bytes > MAX_BYTES) throw new Error(`${new URL(url).origin} answered more than ${MAX_BYTES / 1024} kB`);
      pieces.push(piece);
    }
    const { status, statusText, headers } = response;
    return new Response(Buffer.concat(pieces), { status, statusText, headers });
  };
}

/** Checks each address on the way. A request with a code or a token is never redirected. */
async function followRedirects(url: string | URL, init: RequestInit): Promise<Response> {
  let at = new URL(url);
  for (let left = MAX_REDIRECTS; ; left -= 1) {
    if (!isGuarded(at)) throw new Error(`${at.origin} is not reached over https; refused`);
    const response = await fetch(at, { ...init, redirect: 'manual' });
    const to = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
    if (to === null) return response;
    await response.body?.cancel();
    if ((init.method ?? 'GET') !== 'GET' || left === 0) throw new Error(`${at.origin} redirects the request; refused`);
    at = new URL(to, at);
  }
}
