/** The user's own settings for a directory: `projects` of their file (CF-1, MO-9). */
import { homedir } from 'node:os';
import { isAbsolute, join, relative } from 'node:path';
import type { Config } from './config.ts';

/**
 * The configuration as it holds in `cwd`: of the directories that `cwd` is or lies in, the longest counts.
 * @param real a path behind all links; undefined where there is nothing
 */
export function withDirectory(config: Config, cwd: string, real: (path: string) => string | undefined): Config {
  const here = real(cwd) ?? cwd;
  let longest = '';
  let { mode } = config;
  for (const [name, settings] of Object.entries(config.projects)) {
    const path = real(name.replace(/^~(?=\/|$)/, homedir())) ?? name;
    if (path.length <= longest.length || !isWithin(here, path) || settings.mode === undefined) continue;
    longest = path;
    mode = settings.mode;
  }
  return mode === config.mode ? config : { ...config, mode };
}

function isWithin(path: string, directory: string): boolean {
  if (!isAbsolute(directory)) return false;
  const way = relative(directory, path);
  return way === '' || !(way === '..' || way.startsWith(join('..', '/')) || isAbsolute(way));
}
