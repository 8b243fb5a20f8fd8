import { UNATTENDED } from '../knowledge/unattended.ts';

/** Variables that change which code bash or the loader runs (EX-10). */
const DANGEROUS = /^(?:BASH_ENV|ENV|BASH_FUNC_.*|SHELLOPTS|BASHOPTS|PS4|LD_.*|DYLD_.*)$/;

/** Variables from npm, aish-tui and its shell control, which are not the user's. */
const OURS = /^(?:npm_.*|AISH_TUI_RUN|__aish_.*|_|SHLVL|OLDPWD|PWD)$/;

/** `git status` would otherwise rewrite its index, which an undo would have to restore. */
const NO_LOCKS = { GIT_OPTIONAL_LOCKS: '0' };
const TERMINAL = { TERM: 'xterm-256color' };

export type Environment = Readonly<Record<string, string>>;

/** Returns the environment of a model's command, based on the exported one of the user's shell. */
export function unattendedEnvironment(env: Environment): Record<string, string> {
  return { ...keep(env, (name) => !DANGEROUS.test(name) && name !== '_'), ...TERMINAL, ...UNATTENDED, ...NO_LOCKS };
}

/** Returns the environment for the user's shell, without variables of npm and of aish-tui's launcher. */
export function userEnvironment(env: Environment): Record<string, string> {
  const clean = keep(env, (name) => !OURS.test(name));
  if (clean.PATH !== undefined) {
    clean.PATH = clean.PATH.split(':')
      .filter((entry) => env.npm_config_user_agent === undefined || !isNpmPath(entry))
      .join(':');
  }
  return { ...clean, ...TERMINAL };
}

function isNpmPath(entry: string): boolean {
  return entry.endsWith('/node_modules/.bin') || entry.includes('/node-gyp-bin');
}

function keep(env: Environment, wanted: (name: string) => boolean): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => wanted(name)));
}

/** Parses the output of `env -0`. */
export function parseEnvironment(text: string): Record<string, string> {
  const pairs = text
    .split('\0')
    .filter((entry) => entry.includes('='))
    .map((entry): [string, string] => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]);
  return keep(Object.fromEntries(pairs), (name) => name !== '_' && !name.startsWith('__aish_'));
}

/** The environment in which this program was started. */
export function processEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
}
