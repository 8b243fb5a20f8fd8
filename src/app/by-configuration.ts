/** What this program starts, unconfined, since the user's configuration says so. */
import type { Config } from '../config/index.ts';
import type { ByConfiguration } from '../contracts/started.ts';

/** The part of a configuration that names programs. */
export type NamesPrograms = Pick<Config, 'mcp' | 'models' | 'shell'>;

/** MCP servers, servers of models, commands that print a key, and the user's shell. */
export function byConfiguration({ mcp, models, shell }: NamesPrograms): readonly ByConfiguration[] {
  const servers = Object.entries(mcp.servers).flatMap(([name, server]) =>
    'command' in server
      ? [
          {
            name: `the MCP server ${name}`,
            words: [server.command, ...(server.args ?? [])],
            env: server.env ?? {},
          },
        ]
      : [],
  );
  const lines = Object.entries(models).flatMap(([name, { serve, api_key_cmd }]) =>
    [serve, api_key_cmd].flatMap((line) =>
      line === undefined ? [] : [{ name: `the model ${name}`, words: [line], env: {} }],
    ),
  );
  return [...servers, ...lines, ...(shell === undefined ? [] : [{ name: 'your shell', words: [shell], env: {} }])];
}
