/** The files that a user's own programs obey when they start: shells, editors, tmux, ssh, Python, the desktop, systemd, and what names programs to others. */
import { homedir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import {
  CONFIG_START_DIRECTORIES,
  CONFIG_START_FILES,
  HOME_START_DIRECTORIES,
  HOME_START_FILES,
  START_VARIABLES,
  ZSH_START_FILES,
} from '../../knowledge/start-files.ts';
import { entriesAt } from './seen.ts';

/** What every Python of the user loads of its packages. */
const LOADED = /^(site|user)customize\.py$|\.pth$/;
/** Their paths, whether anything is there or not. Throws where a directory of them can't be read. */
export function startFiles(): readonly string[] {
  const { env } = process;
  const home = homedir();
  const config = env.XDG_CONFIG_HOME || join(home, '.config');
  const directories = [
    ...HOME_START_DIRECTORIES.map((name) => join(home, name)),
    ...CONFIG_START_DIRECTORIES.map((name) => join(config, name)),
  ];
  return [
    ...HOME_START_FILES.map((name) => join(home, name)),
    ...CONFIG_START_FILES.map((name) => join(config, name)),
    ...ZSH_START_FILES.map((name) => join(env.ZDOTDIR || home, name)),
    ...START_VARIABLES.flatMap((name) => env[name] || []).map((path) => resolve(path)),
    ...pythonFiles(join(home, '.local/lib')),
    ...directories.flatMap((directory) => (entriesAt(directory) ?? []).map(({ name }) => join(directory, name))),
  ];
}

function pythonFiles(libraries: string): readonly string[] {
  return (entriesAt(libraries) ?? [])
    .filter(({ name }) => name.startsWith('python'))
    .map(({ name }) => join(libraries, name, 'site-packages'))
    .flatMap((directory) => (entriesAt(directory) ?? []).map(({ name }) => join(directory, name)))
    .filter((path) => LOADED.test(basename(path)));
}
