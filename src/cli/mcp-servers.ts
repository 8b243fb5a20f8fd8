/**
 * `aish-tui mcp list`, `add`, `remove`, `import`: edits the servers in the user's configuration file. Starts none of
 * them.
 */
import { readFileSync } from 'node:fs';
import { parse } from 'jsonc-parser';
import { changeConfig, checkText, loadConfig, type McpServer, placesOf } from '../config/index.ts';
import { messageOf } from '../text/errors.ts';
import { isJsonObject, tooDeepAt } from '../text/json.ts';
import { visible } from '../text/sanitize.ts';
import { EXIT } from './exit-codes.ts';
import type { Writer } from './print.ts';

type Strings = Readonly<Record<string, string>>;

export type McpWish =
  | { readonly what: 'list' }
  | {
      readonly what: 'add';
      readonly name: string;
      readonly target: readonly string[];
      readonly env: Strings;
      readonly headers: Strings;
    }
  | { readonly what: 'remove'; readonly name: string }
  | { readonly what: 'import'; readonly file: string; readonly names: readonly string[] };

const ADDRESS = /^https?:\/\//i;

/** Returns exit code 0, or 2 with a one-line reason; then nothing has changed. */
export async function mcpServers(wish: McpWish, config: string | undefined, out: Writer, err: Writer): Promise<number> {
  const complain = (line: string): number => {
    err(`aish-tui: ${visible(line)}\n`);
    return EXIT.usage;
  };
  const loaded = await loadConfig(config, process.env);
  if (!loaded.ok) return complain(loaded.message);
  const { servers } = loaded.config.mcp;
  const path = loaded.file ?? config ?? (process.env.AISH_CONFIG || placesOf(process.env).config);
  switch (wish.what) {
    case 'list':
      list(servers, out);
      return EXIT.ok;
    case 'add': {
      const server = serverOf(wish);
      if (typeof server === 'string') return complain(server);
      return add(path, { [wish.name]: server }, servers, out, complain);
    }
    case 'remove': {
      if (!Object.hasOwn(servers, wish.name)) return complain(`there is no server ${wish.name} in ${path}`);
      const problem = changeConfig(path, [{ place: ['mcp', 'servers', wish.name], value: undefined }]);
      if (problem !== undefined) return complain(problem);
      out(`${wish.name} is taken out of ${path}\n`);
      return EXIT.ok;
    }
    case 'import': {
      const found = serversIn(wish.file);
      if (typeof found === 'string') return complain(found);
      if (wish.names.length === 0) {
        list(found, out);
        return EXIT.ok;
      }
      const missing = wish.names.find((name) => !Object.hasOwn(found, name));
      if (missing !== undefined) return complain(`there is no server ${missing} in ${wish.file}`);
      const wanted = Object.fromEntries(Object.entries(found).filter(([name]) => wish.names.includes(name)));
      return add(path, wanted, servers, out, complain);
    }
  }
}

/** Shows only the names of variables and headers, whose values are usually keys. */
function list(servers: Readonly<Record<string, McpServer>>, out: Writer): void {
  const entries = Object.entries(servers);
  if (entries.length === 0) out('no MCP server; aish-tui mcp add NAME -- COMMAND adds one\n');
  for (const [name, server] of entries) {
    const given = Object.keys(('url' in server ? server.headers : server.env) ?? {});
    const target = 'url' in server ? server.url : [server.command, ...(server.args ?? [])].join(' ');
    out(`${visible(`${name}  ${target}${given.length > 0 ? `  (${given.join(', ')})` : ''}`)}\n`);
  }
}

function serverOf({ target, env, headers }: Extract<McpWish, { what: 'add' }>): McpServer | string {
  const [first = '', ...args] = target;
  if (!ADDRESS.test(first)) {
    if (Object.keys(headers).length > 0) return '--header is for a server with an address; a command takes --env';
    return { command: first, ...(args.length > 0 ? { args } : {}), ...(Object.keys(env).length > 0 ? { env } : {}) };
  }
  if (args.length > 0) return `unexpected ${args[0]} after the address: put options before the name`;
  if (Object.keys(env).length > 0) return '--env is for a server that is started; one with an address takes --header';
  return { url: first, ...(Object.keys(headers).length > 0 ? { headers } : {}) };
}

/** Validates the new configuration before writing anything. */
async function add(
  path: string,
  fresh: Readonly<Record<string, McpServer>>,
  known: Readonly<Record<string, McpServer>>,
  out: Writer,
  complain: (line: string) => number,
): Promise<number> {
  for (const name of Object.keys(fresh)) {
    if (Object.hasOwn(known, name)) return complain(`there is a server ${name} already; run mcp remove ${name} first`);
  }
  const checked = await checkText(JSON.stringify({ mcp: { servers: fresh } }), 'the server');
  if (!checked.ok) return complain(checked.mistakes[0] ?? 'it is not a server');
  const changes = Object.entries(fresh).map(([name, value]) => ({ place: ['mcp', 'servers', name], value }));
  const problem = changeConfig(path, changes);
  if (problem !== undefined) return complain(problem);
  for (const name of Object.keys(fresh)) out(`${name} is in ${path}; the model asks you before each of its calls\n`);
  return EXIT.ok;
}

/** Returns the servers in another client's file; a string gives the reason if there are none. */
function serversIn(file: string): Readonly<Record<string, McpServer>> | string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return `${file} can't be read (${messageOf(error)})`;
  }
  const value: unknown = tooDeepAt(text) === undefined ? parse(text, [], { allowTrailingComma: true }) : undefined;
  const block = isJsonObject(value) ? (value.mcpServers ?? value.servers) : undefined;
  if (!isJsonObject(block)) return `${file} names no MCP servers`;
  return Object.fromEntries(
    Object.entries(block).flatMap(([name, given]) => {
      const server = isJsonObject(given) ? serverFrom(given) : undefined;
      return server ? [[name, server]] : [];
    }),
  );
}

/**
 * Returns a server’s configuration with known keys of valid types only; `${env:…}` of other programs is not supported.
 */
function serverFrom({ command, args, env, url, headers }: Readonly<Record<string, unknown>>): McpServer | undefined {
  if (typeof url === 'string') return { url, ...(areStrings(headers) ? { headers } : {}) };
  if (typeof command !== 'string') return undefined;
  const words = Array.isArray(args) && args.every((word) => typeof word === 'string') ? args : [];
  return { command, ...(words.length > 0 ? { args: words } : {}), ...(areStrings(env) ? { env } : {}) };
}

function areStrings(value: unknown): value is Strings {
  return isJsonObject(value) && Object.values(value).every((each) => typeof each === 'string');
}
