/** The login to one server, by the user's wish. Nothing of OAuth is loaded for a server that is a program. */
import type { Authorization } from './oauth/authorization.ts';
import type { ServerConfig } from './types.ts';

export type LoginOptions = {
  readonly name: string;
  readonly config: ServerConfig;
  /** Where logins are kept. */
  readonly loginFolder: string;
  /** The value of a variable that the configuration names for a login. */
  readonly secret: (variable: string) => string | undefined;
  /** Told of every value of a login that must not be shown. */
  readonly learn: (value: string) => void;
};

export class ServerLogin {
  readonly #options: LoginOptions;
  #authorization: Authorization | undefined;
  #underWay = new AbortController();

  constructor(options: LoginOptions) {
    this.#options = options;
  }

  /** Values that must not be shown. */
  get secrets(): readonly string[] {
    return this.#authorization?.secrets ?? [];
  }

  /** Of a server with an address and without a header of the user's that says who they are. */
  async authorization(): Promise<Authorization | undefined> {
    const { config, loginFolder: folder, secret, learn } = this.#options;
    if (!('url' in config) || Object.keys(config.headers ?? {}).some((name) => /^authorization$/i.test(name))) return;
    const { Authorization } = await import('./oauth/authorization.ts');
    this.#authorization ??= new Authorization({ url: config.url, config: config.oauth ?? {}, folder, secret, learn });
    return this.#authorization;
  }

  /** @returns why not; undefined when done */
  async run(show: (address: string, server: string) => void): Promise<string | undefined> {
    const authorization = await this.authorization();
    const { name } = this.#options;
    if (!authorization) return `${name} takes no login here: it is a program, or has a header of its own for that`;
    if (this.#underWay.signal.aborted) this.#underWay = new AbortController();
    try {
      await authorization.login(show, this.#underWay.signal);
      return undefined;
    } catch (error) {
      const { reasonOf } = await import('./connection.ts');
      return reasonOf(error);
    }
  }

  take(address: string): boolean {
    return this.#authorization?.take(address) ?? false;
  }

  /** False where there was none. */
  async forget(): Promise<boolean> {
    return (await this.authorization())?.logout() ?? false;
  }

  /** Gives up what is under way. */
  stop(): void {
    this.#underWay.abort();
  }
}
