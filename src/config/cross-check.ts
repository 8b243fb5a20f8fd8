/** What a schema can't say: names that must exist, values that must hold together. The shape is already vouched for. */
import { nearest } from '../text/nearest.ts';
import type { Config } from './config.ts';

export type Mistake = { readonly place: readonly (string | number)[]; readonly message: string };

/** The first such mistake; undefined when there is none. */
export function beyondSchema(given: Partial<Config>): Mistake | undefined {
  return badPattern(given) ?? badModel(given) ?? badFallback(given) ?? badServer(given);
}

function badPattern({ safety }: Partial<Config>): Mistake | undefined {
  for (const [i, { pattern }] of (safety?.destructive_patterns ?? []).entries()) {
    try {
      new RegExp(pattern);
    } catch {
      const place = ['safety', 'destructive_patterns', i, 'pattern'];
      return { place, message: `${place.join('.')} is not a regular expression: ${pattern}` };
    }
  }
  return undefined;
}

/** Without presets of the user's own the name may be that of one that is found. */
function badModel({ model, models = {} }: Partial<Config>): Mistake | undefined {
  const known = Object.keys(models);
  if (model === undefined || known.length === 0 || model === 'demo' || known.includes(model)) return undefined;
  const guess = nearest(model, known);
  const hint = guess ? `did you mean ${guess}?` : `there are: ${known.join(', ')}`;
  return { place: ['model'], message: `model names no preset: ${model}; ${hint}` };
}

function badFallback({ models = {} }: Partial<Config>): Mistake | undefined {
  const known = Object.keys(models);
  for (const [name, { fallback }] of Object.entries(models)) {
    for (const [i, other] of (fallback ?? []).entries()) {
      if (known.includes(other) && other !== name) continue;
      const place = ['models', name, 'fallback', i];
      if (other === name) return { place, message: `${place.join('.')} names the preset itself` };
      const guess = nearest(other, known);
      const hint = guess ? `did you mean ${guess}?` : `there are: ${known.join(', ')}`;
      return { place, message: `${place.join('.')} names no preset: ${other}; ${hint}` };
    }
  }
  return undefined;
}

/** Tools are called NAME__tool, in at most 64 characters: a name must not look as if it ended earlier or later. */
const SERVER_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,28}[A-Za-z0-9-])?$/;
const NAMING = 'a server is named with letters, digits, - and single _, at most 30, not ending in _';

function badServer({ mcp }: Partial<Config>): Mistake | undefined {
  for (const [name, server] of Object.entries(mcp?.servers ?? {})) {
    const place = ['mcp', 'servers', name];
    if (!SERVER_NAME.test(name) || name.includes('__')) return { place, message: `${place.join('.')}: ${NAMING}` };
    if ('command' in server === 'url' in server)
      return { place, message: `mcp.servers.${name} needs either command or url` };
    if ('url' in server && !/^https?:$/.test(URL.canParse(server.url) ? new URL(server.url).protocol : ''))
      return { place: [...place, 'url'], message: `mcp.servers.${name}.url is not an http or https address` };
  }
  return undefined;
}
