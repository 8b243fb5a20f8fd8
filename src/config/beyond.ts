/** What a schema can't say: names that must exist, values that must hold together. The shape is already vouched for. */
import { nearest } from '../text/nearest.ts';
import type { Config, McpServer } from './config.ts';

export type Mistake = { readonly place: readonly (string | number)[]; readonly message: string };

/** All such mistakes. */
export function beyondSchema(given: Partial<Config>): readonly Mistake[] {
  return [...badPatterns(given), ...badModel(given), ...badFallbacks(given), ...badServers(given)];
}

function badPatterns({ safety }: Partial<Config>): readonly Mistake[] {
  return (safety?.destructive_patterns ?? []).flatMap(({ pattern }, i) => {
    try {
      new RegExp(pattern);
      return [];
    } catch {
      const place = ['safety', 'destructive_patterns', i, 'pattern'];
      return [{ place, message: `${place.join('.')} is not a regular expression: ${pattern}` }];
    }
  });
}

/** Without presets of the user's own the name may be that of one that is found. */
function badModel({ model, models = {} }: Partial<Config>): readonly Mistake[] {
  const known = Object.keys(models);
  if (model === undefined || known.length === 0 || model === 'demo' || known.includes(model)) return [];
  return [{ place: ['model'], message: `model names no preset: ${model}; ${hint(model, known)}` }];
}

function badFallbacks({ models = {} }: Partial<Config>): readonly Mistake[] {
  const known = Object.keys(models);
  return Object.entries(models).flatMap(([name, { fallback = [] }]) =>
    fallback.flatMap((other, i) => {
      const place = ['models', name, 'fallback', i];
      if (other === name) return [{ place, message: `${place.join('.')} names the preset itself` }];
      if (known.includes(other)) return [];
      return [{ place, message: `${place.join('.')} names no preset: ${other}; ${hint(other, known)}` }];
    }),
  );
}

function hint(name: string, known: readonly string[]): string {
  const guess = nearest(name, known);
  return guess ? `did you mean ${guess}?` : `there are: ${known.join(', ')}`;
}

/** Tools are called NAME__tool, in at most 64 characters: a name must not look as if it ended earlier or later. */
const SERVER_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,28}[A-Za-z0-9-])?$/;
const NAMING = 'a server is named with letters, digits, - and single _, at most 30, not ending in _';

/** Whether MCP tools of a server of this name can be told from all others. */
function isServerName(name: string): boolean {
  return SERVER_NAME.test(name) && !name.includes('__');
}

/** A secret goes to no server but the one that it is for. */
function badLogin(server: McpServer): string | undefined {
  if (!('url' in server)) return 'is for a server with an address';
  const { client_id, client_secret_env, private_key_env, client_credentials, issuer } = server.oauth ?? {};
  const own = [client_secret_env, private_key_env, client_credentials].some((given) => given !== undefined);
  if (own && (client_id === undefined || issuer === undefined))
    return 'needs client_id and issuer with a secret or a key';
  if (issuer !== undefined && !URL.canParse(issuer)) return 'has an issuer that is no address';
  return undefined;
}

function badServers({ mcp }: Partial<Config>): readonly Mistake[] {
  return Object.entries(mcp?.servers ?? {}).flatMap(([name, server]) => {
    const place = ['mcp', 'servers', name];
    if (!isServerName(name)) return [{ place, message: `${place.join('.')}: ${NAMING}` }];
    if ('command' in server === 'url' in server)
      return [{ place, message: `mcp.servers.${name} needs either command or url` }];
    if ('url' in server && !/^https?:$/.test(URL.canParse(server.url) ? new URL(server.url).protocol : ''))
      return [{ place: [...place, 'url'], message: `mcp.servers.${name}.url is not an http or https address` }];
    const problem = 'oauth' in server ? badLogin(server) : undefined;
    return problem === undefined
      ? []
      : [{ place: [...place, 'oauth'], message: `mcp.servers.${name}.oauth ${problem}` }];
  });
}
