import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

export type Places = {
  /** The user's configuration file. */
  readonly config: string;
  /** Sessions, history, logs, what is trusted. */
  readonly state: string;
  /** What can be made again. */
  readonly cache: string;
};

/** Where things are kept, by the XDG base directory rules: a relative value there counts as unset. */
export function placesOf(env: Environment): Places {
  const home = env.HOME || homedir();
  const base = (value: string | undefined, usual: string): string =>
    value !== undefined && isAbsolute(value) ? value : join(home, usual);
  return {
    config: join(base(env.XDG_CONFIG_HOME, '.config'), 'aish', 'config.jsonc'),
    state: join(base(env.XDG_STATE_HOME, '.local/state'), 'aish'),
    cache: join(base(env.XDG_CACHE_HOME, '.cache'), 'aish'),
  };
}
