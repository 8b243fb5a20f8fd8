/**
 * The login to one server. `fetch` adds the token to each request and renews it automatically. If a person is needed,
 * it throws `LoginNeeded`, and the user's request calls `login`. Only one login and one renewal at a time: a second
 * one would open another browser window and overwrite the data that the first is checked against.
 */

import { auth, extractWWWAuthenticateParams } from '@modelcontextprotocol/sdk/client/auth.js';
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { OAuthConfig } from '../messages.ts';
import { guardedFetch, Provider, type ProviderOptions, Redirect, TokenStore } from './provider.ts';

export type AuthorizationOptions = Pick<ProviderOptions, 'secret'> & {
  readonly url: string;
  readonly config: OAuthConfig;
  /** The folder for tokens. */
  readonly folder: string;
  readonly learn: (value: string) => void;
};

/** The server requires a person to log in. */
export class LoginNeeded extends Error {
  /** The scopes that the current login lacks, by the server's names. */
  readonly missing: string | undefined;

  constructor(missing?: string) {
    super(missing === undefined ? 'it wants a login' : `it wants further rights: ${missing}`);
    this.missing = missing;
  }
}

/** The login parameters in a server's refusal. */
type Wish = { readonly resourceMetadataUrl?: URL; readonly scope?: string };

const NEVER = new AbortController().signal;

export class Authorization {
  readonly #options: AuthorizationOptions;
  readonly #store: TokenStore;
  readonly #origin: string;
  readonly #secrets = new Set<string>();
  #wish: Wish = {};
  #login: { readonly done: Promise<void>; readonly address: Promise<string> } | undefined;
  #redirect: Redirect | undefined;
  #renewal: Promise<boolean> | undefined;

  constructor(options: AuthorizationOptions) {
    this.#options = options;
    this.#store = new TokenStore(options.folder, options.url);
    this.#origin = new URL(options.url).origin;
  }

  /** Values that must not be shown. */
  get secrets(): readonly string[] {
    return [...this.#secrets];
  }

  /** Adds the token to requests of `next`; retries a refused one once with a renewed token. */
  fetch(next: FetchLike): FetchLike {
    return async (url, init) => {
      for (let again = true; ; again = false) {
        const token = new URL(url).origin === this.#origin ? this.#store.current?.access_token : undefined;
        if (token !== undefined) this.#learn(token);
        const headers = new Headers(init?.headers);
        if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
        const response = await next(url, { ...init, headers });
        const missing = this.#refused(response);
        if (missing === undefined) return response;
        await response.body?.cancel();
        if (missing !== '') throw new LoginNeeded(missing);
        if (!again || !(await this.#renew(token))) throw new LoginNeeded();
      }
    };
  }

  /**
   * Logs in, or joins the current login.
   * @param show called with the address for the login
   * @throws the reason, in words
   */
  async login(show: (address: string, server: string) => void, signal: AbortSignal): Promise<void> {
    this.#login ??= this.#begin(signal);
    const { done, address } = this.#login;
    void address.then((where) => where !== '' && show(where, new URL(where).host)).catch(() => {});
    await done;
  }

  /**
   * Takes the browser's final address, if the browser runs on another machine. Returns false if it does not belong to
   * this login.
   */
  take(address: string): boolean {
    return this.#redirect?.take(address.trim()) ?? false;
  }

  /** Deletes tokens and registrations; returns false if there were none. */
  logout(): boolean {
    this.#wish = {};
    return this.#store.forget();
  }

  /** What the response requires: undefined nothing, '' any login, else the missing scopes. */
  #refused(response: Response): string | undefined {
    if (response.status !== 401 && response.status !== 403) return undefined;
    const { error, scope, resourceMetadataUrl } = extractWWWAuthenticateParams(response);
    if (response.status === 403 && error !== 'insufficient_scope') return undefined;
    const asked = response.status === 403 ? union(this.#wish.scope, this.#store.current?.scope, scope) : scope;
    this.#wish = {
      ...(resourceMetadataUrl ? { resourceMetadataUrl } : {}),
      ...(asked === undefined ? {} : { scope: asked }),
    };
    return response.status === 401 ? '' : (scope ?? 'unnamed ones');
  }

  /** Gets a new token without a person, if possible. */
  #renew(used: string | undefined): Promise<boolean> {
    // Another request or window has already renewed the token.
    if (this.#store.current?.access_token !== used) return Promise.resolve(true);
    this.#renewal ??= this.#renewed().finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  async #renewed(): Promise<boolean> {
    const { config } = this.#options;
    const alone = config.client_credentials === true || config.private_key_env !== undefined;
    if (!alone && this.#store.current?.refresh_token === undefined) return false;
    const provider = this.#provider();
    return (await this.#auth(provider, NEVER)) === 'AUTHORIZED';
  }

  #begin(signal: AbortSignal) {
    const address = Promise.withResolvers<string>();
    const done = this.#loggedIn(address.resolve, signal).finally(() => {
      address.resolve('');
      this.#login = undefined;
    });
    return { done, address: address.promise };
  }

  async #loggedIn(show: (address: string) => void, signal: AbortSignal): Promise<void> {
    const { redirect_port: port } = this.#options.config;
    const redirect = await Redirect.listen(port ?? this.#store.port);
    this.#redirect = redirect;
    try {
      const provider = this.#provider(redirect.url);
      if ((await this.#auth(provider, signal)) === 'AUTHORIZED' || !provider.address) return;
      const { loginState: state, issuer, namesItself } = provider;
      const code = redirect.code({ state, issuer, namesItself }, signal);
      show(provider.address.href);
      await this.#auth(provider, signal, await code);
    } finally {
      this.#redirect = undefined;
      redirect.close();
    }
  }

  #provider(redirectUrl?: string): Provider {
    const { config, secret } = this.#options;
    const own = { config, secret, store: this.#store, learn: (value: string) => this.#learn(value) };
    return new Provider(redirectUrl === undefined ? own : { ...own, redirectUrl });
  }

  #auth(provider: Provider, signal: AbortSignal, code?: string) {
    const { resourceMetadataUrl, scope } = this.#wish;
    if (resourceMetadataUrl && resourceMetadataUrl.origin !== this.#origin)
      throw new Error(`it is described at ${resourceMetadataUrl.origin}, which is not its own; refused`);
    return auth(provider, {
      serverUrl: this.#options.url,
      fetchFn: guardedFetch(signal),
      ...(resourceMetadataUrl ? { resourceMetadataUrl } : {}),
      ...(scope === undefined ? {} : { scope }),
      ...(code === undefined ? {} : { authorizationCode: code }),
    });
  }

  #learn(value: string): void {
    if (this.#secrets.has(value)) return;
    this.#secrets.add(value);
    this.#options.learn(value);
  }
}

/** Returns all distinct scopes; undefined for none. */
function union(...scopes: readonly (string | undefined)[]): string | undefined {
  const names = scopes.flatMap((scope) => scope?.split(/\s+/).filter((name) => name !== '') ?? []);
  return names.length === 0 ? undefined : [...new Set(names)].join(' ');
}
