/** What the library asks of a client that logs in to one server: who it is, what it was given, where the browser goes. */
import { createPrivateKey, type KeyObject, randomBytes } from 'node:crypto';
import type {
  AddClientAuthentication,
  OAuthClientProvider,
  OAuthDiscoveryState,
} from '@modelcontextprotocol/sdk/client/auth.js';
import { createPrivateKeyJwtAuth } from '@modelcontextprotocol/sdk/client/auth-extensions.js';
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import type { OAuthConfig } from '../types.ts';
import { isGuarded } from './guarded-fetch.ts';
import type { TokenStore } from './token-store.ts';

export type ProviderOptions = {
  readonly config: OAuthConfig;
  readonly store: TokenStore;
  /** The value of a variable that the configuration names. */
  readonly secret: (variable: string) => string | undefined;
  /** Told of every value that must not be shown. */
  readonly learn: (value: string) => void;
  /** Where the browser comes back to; absent where nobody is there to log in. */
  readonly redirectUrl?: string;
};

/** Stands for an address that nobody will come back to: the library wants one where a token is renewed. */
const NOWHERE = 'http://127.0.0.1/callback';

export class Provider implements OAuthClientProvider {
  /** What this login is told by: the browser brings it back. */
  readonly loginState = randomBytes(32).toString('base64url');
  /** Where the person logs in, once it is known. */
  address: URL | undefined;
  readonly #options: ProviderOptions;
  #verifier = '';
  #discovered: OAuthDiscoveryState | undefined;
  /** The token that was shown last to be renewed. */
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

  /** The authorization server, by the name that it must use of itself. */
  get issuer(): string {
    return this.#discovered?.authorizationServerMetadata?.issuer ?? this.#discovered?.authorizationServerUrl ?? '';
  }

  /** It says that its answers name it. */
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

  /** A client that is an address describes itself there, for servers that read that. */
  get clientMetadataUrl(): string {
    const { client_id: id = '' } = this.#options.config;
    // The library leaves out what is empty.
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
    // It knows us by the address that an earlier login came back to: a new one needs a new registration.
    if (redirectUrl !== undefined && client && 'redirect_uris' in client && !client.redirect_uris.includes(redirectUrl))
      return undefined;
    return client;
  }

  saveClientInformation(client: OAuthClientInformationMixed): void {
    if (this.#options.config.client_id !== undefined && this.clientMetadataUrl === '') return;
    if (client.client_secret !== undefined) this.#options.learn(client.client_secret);
    this.#options.store.save(client.issuer ?? this.#server, { client });
  }

  /** A person who logs in wants a new token, whatever there was. */
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

  /** What was refused is not used again; unless another window has renewed it meanwhile. */
  invalidateCredentials(what: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): void {
    const { store } = this.#options;
    if (what === 'all' || what === 'client') store.save(this.#server, { client: undefined });
    if (what === 'verifier' || what === 'discovery' || what === 'client') return;
    if (this.#kept.tokens?.access_token === this.#shown) store.save(this.#server, { tokens: undefined });
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovered;
  }

  /** Called before anything is sent: what does not name itself by the address it is reached at is somebody else’s. */
  saveDiscoveryState(found: OAuthDiscoveryState): void {
    const { authorizationServerUrl: url, authorizationServerMetadata: metadata } = found;
    const { issuer } = this.#options.config;
    // Servers of 2025-03-26 are their own authorization server, under whichever path.
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

/** Whether two addresses are the same but for a slash at the end. */
function isSame(one: string, other: string): boolean {
  return one.replace(/\/$/, '') === other.replace(/\/$/, '');
}

/** How a key signs. Throws where it is none. */
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
