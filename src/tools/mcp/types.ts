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
