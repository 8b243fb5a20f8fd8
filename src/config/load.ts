import { realpathSync, type Stats, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkText } from './check.ts';
import { type Config, DEFAULTS, type Environment, placesOf } from './config.ts';
import { mergeProject } from './project.ts';
import { withDirectory } from './projects.ts';
import type { Trust } from './trust.ts';

export type ProjectFile = {
  readonly path: string;
  readonly text: string;
  /** Keys that count only when the file is trusted; not empty: worth asking the user. */
  readonly waiting: readonly string[];
  /** Keys whose value comes from it. */
  readonly taken: readonly string[];
};

export type Loaded =
  | {
      readonly ok: true;
      readonly config: Config;
      /** The user's file, where there is one, and what it holds. */
      readonly file?: string;
      readonly text?: string;
      readonly project?: ProjectFile;
      /** Lines for the user about a project file. */
      readonly notices: readonly string[];
    }
  | {
      readonly ok: false;
      /** One line: what is wrong, where, what to do. */
      readonly message: string;
      /** Every mistake in the file, a line each. */
      readonly mistakes: readonly string[];
    };

/** Where to look for a project's `.aish.jsonc`, and whom to believe. */
export type ProjectOptions = { readonly cwd: string; readonly trust: Pick<Trust, 'has'> };

const PROJECT_NAME = '.aish.jsonc';
/** How a project tells every agent what holds in it; the first that is there. */
const INSTRUCTIONS = ['AGENTS.md', 'CLAUDE.md'];
/** More would fill a small window before the first question. */
const MAX_INSTRUCTION_CHARACTERS = 24_000;
const MAX_BYTES = 1 << 20;

/**
 * Reads the configuration: `--config`, else `AISH_CONFIG`, else the usual file; over it the project's, within what it
 * may set. A named file must be there; the usual one may be missing. A project file that is wrong is said and left out:
 * a repository must not keep the program from starting.
 */
export async function loadConfig(
  flag: string | undefined,
  env: Environment,
  options?: ProjectOptions,
): Promise<Loaded> {
  const named = flag ?? (env.AISH_CONFIG || undefined);
  const path = named ?? placesOf(env).config;
  const read = await readText(path);
  const missing = 'code' in read && read.code === 'ENOENT' && named === undefined;
  if ('code' in read && !missing) {
    const message = `${path}: can't be read (${read.code}); check the path, or leave it out to use the defaults`;
    return { ok: false, message, mistakes: [message] };
  }
  const checked = 'text' in read ? await checkText(read.text, path) : undefined;
  if (checked && !checked.ok) return { ...checked, message: andMore(checked) };
  const own = checked ? withDefaults(checked.value) : DEFAULTS;
  // Before the project's file: that one may still tighten it.
  const config = options ? withDirectory(own, options.cwd, realOf) : own;
  const loaded = { ok: true as const, config, notices: [], ...('text' in read ? { file: path, text: read.text } : {}) };
  return options ? withProject(loaded, path, env, options) : loaded;
}

function andMore({ message, mistakes }: { readonly message: string; readonly mistakes: readonly string[] }): string {
  return mistakes.length > 1 ? `${message} (and ${mistakes.length - 1} more: aish-tui config check)` : message;
}

async function withProject(
  loaded: Extract<Loaded, { ok: true }>,
  own: string,
  env: Environment,
  { cwd, trust }: ProjectOptions,
): Promise<Loaded> {
  const path = findProject(cwd, env.HOME);
  if (path === undefined || path === realOf(own)) return loaded;
  const read = await readText(path);
  if ('code' in read) return { ...loaded, notices: [`${path}: can't be read (${read.code}); it was ignored`] };
  const checked = await checkText(read.text, path);
  if (!checked.ok) return { ...loaded, notices: [`${checked.message}; the project's file was ignored`] };
  const { config, taken, waiting, refused } = mergeProject(loaded.config, checked.value, trust.has(path, read.text));
  const notices = [
    ...(waiting.length > 0 ? [`${path} is not trusted; ignored: ${waiting.join(', ')}`] : []),
    ...(refused.length > 0 ? [`${path}: not allowed in a project's file, ignored: ${refused.join(', ')}`] : []),
  ];
  return { ...loaded, config, project: { path, text: read.text, waiting, taken }, notices };
}

export type Instructions = {
  readonly path: string;
  readonly text: string;
  readonly trusted: boolean;
  /** Of the text that is used, and how many of the file are left out at its end. */
  readonly characters: number;
  readonly omitted: number;
};

/** What the project tells every agent; undefined where it has no such file. Only a trusted one is to be used. */
export async function readInstructions(
  env: Environment,
  { cwd, trust }: ProjectOptions,
): Promise<Instructions | undefined> {
  const path = findProject(cwd, env.HOME, INSTRUCTIONS);
  const read = path === undefined ? undefined : await readText(path);
  if (path === undefined || !read || 'code' in read || read.text.trim() === '') return undefined;
  const text = read.text.slice(0, MAX_INSTRUCTION_CHARACTERS);
  const omitted = read.text.length - text.length;
  return { path, text, trusted: trust.has(path, read.text), characters: text.length, omitted };
}

/** The nearest one from the working directory up to the repository's top, never beyond the home directory. */
function findProject(
  cwd: string,
  home: string | undefined,
  names: readonly string[] = [PROJECT_NAME],
): string | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const path = names.map((name) => join(folder, name)).find((one) => statOf(one)?.isFile());
    if (path !== undefined) return realOf(path);
    const top = statOf(join(folder, '.git')) !== undefined;
    if (top || folder === home || folder === dirname(folder)) return undefined;
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

async function readText(path: string): Promise<{ readonly text: string } | { readonly code: string }> {
  try {
    const stats = statSync(path);
    if (stats.isDirectory()) return { code: 'it is a directory' };
    if (stats.size > MAX_BYTES) return { code: 'it is larger than 1 MB' };
    return { text: await readFile(path, 'utf8') };
  } catch (error) {
    return { code: error instanceof Error && 'code' in error ? String(error.code) : 'unreadable' };
  }
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
    disk: { ...DEFAULTS.disk, ...given.disk },
    memory: { ...DEFAULTS.memory, ...given.memory },
    sandbox: { ...DEFAULTS.sandbox, ...given.sandbox },
    undo: { ...DEFAULTS.undo, ...given.undo },
    ui: { ...DEFAULTS.ui, ...given.ui },
  };
}
