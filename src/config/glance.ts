/**
 * A quick look at the configuration for the first frame, before anything else is loaded. Nothing is validated: the
 * real check follows, and corrects the frame if necessary.
 */
import { readFileSync, statSync } from 'node:fs';
import { type Environment, placesOf } from './config.ts';

export type Glance = {
  /** The preset named in the prompt. */
  readonly preset: string;
  readonly theme: string | undefined;
  readonly mouse: boolean;
  /** Plain lines are configured: there is no first frame. */
  readonly plain: boolean;
  /** Whether the configuration names a shell. */
  readonly shell: boolean;
};

const MAX_BYTES = 1 << 20;
/** A string, or syntax beyond JSON: a comment, a trailing comma. */
const JSONC = /"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|,(?=\s*[}\]])/g;

/** @returns undefined if the file is unreadable or invalid: then there is no early frame */
export function glanceAtConfig(flag: string | undefined, env: Environment): Glance | undefined {
  const named = flag ?? (env.AISH_CONFIG || undefined);
  const path = named ?? placesOf(env).config;
  try {
    if (named === undefined && !statSync(path, { throwIfNoEntry: false })) return lookAt({});
    if (statSync(path).size > MAX_BYTES) return undefined;
    const text = readFileSync(path, 'utf8').replace(JSONC, (part) => (part.startsWith('"') ? part : ''));
    return lookAt(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function lookAt(config: unknown): Glance {
  const ui = entryOf(config, 'ui');
  const models = entryOf(config, 'models');
  const [first] = typeof models === 'object' && models !== null ? Object.keys(models) : [];
  const theme = entryOf(ui, 'theme');
  const preset = entryOf(config, 'model') ?? first;
  return {
    preset: typeof preset === 'string' ? preset : 'demo',
    theme: typeof theme === 'string' ? theme : undefined,
    mouse: entryOf(ui, 'mouse') !== false,
    plain: entryOf(ui, 'screen') === 'plain',
    shell: entryOf(config, 'shell') !== undefined,
  };
}

function entryOf(holder: unknown, key: string): unknown {
  return typeof holder === 'object' && holder !== null
    ? Object.getOwnPropertyDescriptor(holder, key)?.value
    : undefined;
}
