/** What logins to one server have left: tokens and registrations by authorization server, in a private file. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import { isJsonObject } from '../../../text/json.ts';

/** What one authorization server has given. Both carry its address in `issuer`, by which the library checks them. */
type Given = { readonly client?: OAuthClientInformationMixed; readonly tokens?: OAuthTokens };

type Kept = {
  readonly url: string;
  /** The authorization server that the tokens in use are from. */
  readonly issuer?: string;
  readonly issuers: Readonly<Record<string, Given>>;
};

/** Read anew at each use: another window may have logged in, or renewed a token. */
export class TokenStore {
  readonly #url: string;
  readonly #file: string;

  /** @param folder made when something is written, 0700; the file 0600 */
  constructor(folder: string, url: string) {
    this.#url = url;
    this.#file = join(folder, `${createHash('sha256').update(url).digest('hex').slice(0, 32)}.json`);
  }

  /** The tokens in use, of whichever authorization server. */
  get current(): OAuthTokens | undefined {
    const { issuer, issuers } = this.#read();
    return issuer === undefined ? undefined : issuers[issuer]?.tokens;
  }

  of(issuer: string): Given {
    return this.#read().issuers[issuer] ?? {};
  }

  /** The port of this machine that an earlier login came back to, which authorization servers have registered. */
  get port(): number | undefined {
    for (const { client } of Object.values(this.#read().issuers)) {
      const [address = ''] = client && 'redirect_uris' in client ? client.redirect_uris : [];
      if (URL.canParse(address)) return Number(new URL(address).port) || undefined;
    }
    return undefined;
  }

  /** Adds to what that authorization server has given; `undefined` takes away. Throws where it can't be written. */
  save(issuer: string, given: { readonly [K in keyof Given]: Given[K] | undefined }): void {
    const kept = this.#read();
    const { client, tokens } = { ...kept.issuers[issuer], ...given };
    const now: Given = { ...(client ? { client } : {}), ...(tokens ? { tokens } : {}) };
    const current = given.tokens ? { issuer } : kept.issuer === undefined ? {} : { issuer: kept.issuer };
    this.#write({ url: this.#url, ...current, issuers: { ...kept.issuers, [issuer]: now } });
  }

  /** Forgets everything of this server; false where there was nothing. */
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
      // Not there, or not ours: as if nobody had logged in.
      return none;
    }
  }

  #write(kept: Kept): void {
    mkdirSync(join(this.#file, '..'), { recursive: true, mode: 0o700 });
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
