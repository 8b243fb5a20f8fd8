/** What a schema can't say: names that must exist, values that must hold together. The shape is already vouched for. */
import { nearest } from '../session/nearest.ts';
import type { Config } from './config.ts';

export type Mistake = { readonly place: readonly (string | number)[]; readonly message: string };

/** The first such mistake; undefined when there is none. */
export function beyondSchema(given: Partial<Config>): Mistake | undefined {
  return badPattern(given) ?? badFallback(given) ?? badServer(given);
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

function badServer({ mcp }: Partial<Config>): Mistake | undefined {
  for (const [name, server] of Object.entries(mcp?.servers ?? {})) {
    if ('command' in server !== 'url' in server) continue;
    return { place: ['mcp', 'servers', name], message: `mcp.servers.${name} needs either command or url` };
  }
  return undefined;
}
