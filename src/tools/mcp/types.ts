/** What the parts of this folder share. None of them but `connection.ts` and the transports knows the MCP library. */

/** A server as the user has configured it (MC-1): started here, or reached over streamable HTTP. */
export type ServerConfig =
  | {
      readonly command: string;
      readonly args?: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
    }
  | { readonly url: string; readonly headers?: Readonly<Record<string, string>> };

/** How a child of the program is started so that it inherits none of its terminals and never outlives it. */
export type Launch = (
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
) => { readonly argv: readonly [string, ...string[]]; readonly env: Readonly<Record<string, string>> };

/** A call on its way out, where what must not leave the machine can be held back. */
export type Outgoing = {
  readonly server: string;
  readonly tool: string;
  /** The server is not on this machine. */
  readonly remote: boolean;
  readonly args: Readonly<Record<string, unknown>>;
};

export type Prepared = { readonly args: Readonly<Record<string, unknown>> } | { readonly refused: string };
