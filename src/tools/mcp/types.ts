/** What the parts of this folder share. None of them but `connection.ts` and the transports knows the MCP library. */

/** A server as the user has configured it (MC-1): started here, or reached over streamable HTTP. */
export type ServerConfig =
  | {
      readonly command: string;
      readonly args?: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
    }
  | {
      readonly url: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly oauth?: OAuthConfig;
    };

/** How to log in to a server that wants it; keys as in the configuration. Without any of it the server is asked. */
export type OAuthConfig = {
  /** A client registered beforehand, or the https address that describes one. */
  readonly client_id?: string;
  /** Variables that hold its secret, or its private key in PEM. */
  readonly client_secret_env?: string;
  readonly private_key_env?: string;
  /** The only authorization server that may be used. */
  readonly issuer?: string;
  /** Rights to ask for, where the server names none. */
  readonly scope?: string;
  /** The port of this machine that the browser comes back to. */
  readonly redirect_port?: number;
  /** The program logs in as itself, without a person. */
  readonly client_credentials?: boolean;
};

/** How a child of the program is started so that it inherits none of its terminals and never outlives it. */
export type Launch = (
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
) => { readonly argv: readonly [string, ...string[]]; readonly env: Readonly<Record<string, string>> };
