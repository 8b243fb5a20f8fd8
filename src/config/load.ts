import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { checkText } from './check.ts';
import { type Config, DEFAULTS } from './config.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export type Loaded =
  | { readonly ok: true; readonly config: Config /** The file read, where there is one. */; readonly file?: string }
  | { readonly ok: false /** One line: what is wrong, where, what to do. */; readonly message: string };

/** Where things are kept, by the XDG rules. */
export function placesOf(env: Environment): { readonly config: string; readonly state: string } {
  const home = env.HOME ?? homedir();
  return {
    config: join(env.XDG_CONFIG_HOME || join(home, '.config'), 'aish', 'config.jsonc'),
    state: join(env.XDG_STATE_HOME || join(home, '.local', 'state'), 'aish'),
  };
}

/** Reads the configuration: `--config`, else `AISH_CONFIG`, else the usual file. A named file must be there; the usual one may be missing. */
export async function loadConfig(flag: string | undefined, env: Environment): Promise<Loaded> {
  const named = flag ?? (env.AISH_CONFIG || undefined);
  const path = named ?? placesOf(env).config;
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    if (named === undefined && code === 'ENOENT') return { ok: true, config: DEFAULTS };
    return {
      ok: false,
      message: `${path}: can't be read (${code}); check the path, or leave it out to use the defaults`,
    };
  }
  const checked = await checkText(text, path);
  if (!checked.ok) return checked;
  const config = withDefaults(checked.value);
  return { ok: true, file: path, config };
}

/** The schema has vouched for the shape. */
function withDefaults(
  given: Partial<Config> & { readonly safety?: Partial<Config['safety']> & { max_norris_steps?: number } },
): Config {
  const { max_norris_steps: steps, ...safety } = given.safety ?? {};
  return {
    ...DEFAULTS,
    ...given,
    auto_approve: [...(given.auto_approve ?? []), ...(given.mcp?.auto_approve ?? [])],
    safety: { ...DEFAULTS.safety, ...safety },
    norris: { ...DEFAULTS.norris, ...(steps === undefined ? {} : { max_norris_steps: steps }), ...given.norris },
    mcp: { ...DEFAULTS.mcp, ...given.mcp },
    memory: { ...DEFAULTS.memory, ...given.memory },
    sandbox: { ...DEFAULTS.sandbox, ...given.sandbox },
    ui: { ...DEFAULTS.ui, ...given.ui },
  };
}
