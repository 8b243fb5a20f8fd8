import { realpathSync, type Stats, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { findNodeAtLocation, type Node, parseTree } from 'jsonc-parser';
import { isJsonObject } from '../text/json.ts';
import { type Checked, checkText, NOTHING_LEFT, type Place, positionOf } from './check.ts';
import { type Config, DEFAULTS, type DirectorySettings, type Environment, placesOf } from './config.ts';
import { mergeProject, type Trust } from './project.ts';
import { SCHEMA, type Schema } from './schema.ts';

export type ProjectFile = {
  readonly path: string;
  readonly text: string;
  /** Keys that apply only if the file is trusted; if not empty, ask the user. */
  readonly waiting: readonly string[];
  /** The keys whose value comes from this file. */
  readonly taken: readonly string[];
};

export type Loaded =
  | {
      readonly ok: true;
      readonly config: Config;
      /** The user's file, if there is one, and its content. */
      readonly file?: string;
      readonly text?: string;
      readonly project?: ProjectFile;
      /** Whether a file sets the mode; otherwise it is the default. */
      readonly modeAsked: boolean;
      /** Lines for the user about a project file. */
      readonly notices: readonly string[];
      /** Security settings that can't be read; the file itself if all of it is unreadable. */
      readonly unread?: readonly string[];
    }
  | {
      readonly ok: false;
      /** One line: what is wrong, where, and what to do. */
      readonly message: string;
      /** Every mistake in the file, one line each. */
      readonly mistakes: readonly string[];
      /** The configuration without the mistakes: the full screen starts with it anyway. */
      readonly rest: Extract<Loaded, { ok: true }>;
    };

/** The directory in which a project’s `.aish.jsonc` is searched, and the trusted files. */
export type ProjectOptions = { readonly cwd: string; readonly trust: Pick<Trust, 'has'> };

const PROJECT_NAME = '.aish.jsonc';
/** Files with a project's instructions for agents; the first existing one counts. */
const INSTRUCTIONS = ['AGENTS.md', 'CLAUDE.md'];
/** The longest instructions in characters: more would fill a small window before the first question. */
const MAX_INSTRUCTION_CHARACTERS = 24_000;
const MAX_BYTES = 1 << 20;

/**
 * Reads the configuration: `--config`, else `AISH_CONFIG`, else the usual file; then applies the project's allowed
 * settings. A file named explicitly must exist. A wrong project file is reported and ignored, because a repository
 * must not prevent the program from starting.
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
  const unreadable = 'code' in read && !missing ? unreadableFile(path, read.code) : undefined;
  const checked = unreadable ?? ('text' in read ? await checkText(read.text, path) : undefined);
  const given = checked ? soundValue(checked) : {};
  const own = withDefaults(given);
  // Applied before the project’s file, which may still tighten the mode.
  const there = options && ofDirectory(own.projects, options.cwd, 'mode')?.value;
  const config = there === undefined ? own : { ...own, mode: there };
  const modeAsked = there !== undefined || given.mode !== undefined;
  const file = 'text' in read ? { file: path, text: read.text } : {};
  const ours = { ok: true as const, config, modeAsked, notices: [], ...file };
  const loaded = options ? await withProject(ours, path, env, options) : ours;
  return checked?.ok === false ? inSpite(checked, path, loaded) : loaded;
}

/** Returns the mistakes, and the configuration without them. */
function inSpite(
  { message, mistakes, lost }: Extract<Checked, { ok: false }>,
  path: string,
  loaded: Extract<Loaded, { ok: true }>,
): Loaded {
  const unread = [...new Set(lost.filter(protects).map((place) => place.join('.') || path))];
  const more = mistakes.length > 1 ? ` (and ${mistakes.length - 1} more: aish-tui config check)` : '';
  return { ok: false, message: message + more, mistakes, rest: unread.length === 0 ? loaded : { ...loaded, unread } };
}

function unreadableFile(path: string, code: string): Extract<Checked, { ok: false }> {
  const message = `${path}: can't be read (${code}); check the path, or leave it out to use the defaults`;
  return { ok: false, message, mistakes: [message], ...NOTHING_LEFT };
}

/** Blocks and keys that protect the user, whatever their value. */
const PROTECTING: ReadonlySet<unknown> = new Set([
  ...['mode', 'projects', 'safety', 'secrets', 'undo', 'sandbox', 'confirm_cmd'],
  undefined,
]);

function protects([first, second, third]: Place): boolean {
  if (first === 'models') return third === 'secrets';
  if (first === 'cost') return second === undefined || second === 'stop_at_dollars';
  return PROTECTING.has(first);
}

/**
 * Returns the usable part of a file with mistakes. If a preset's secrets policy is unreadable, the preset gets no
 * secrets.
 */
function soundValue(checked: Checked): Readonly<Record<string, unknown>> {
  if (checked.ok) return checked.value;
  const { sound, lost } = checked;
  const models = Object.entries(isJsonObject(sound.models) ? sound.models : {}).map(([name, model]) => {
    const unread = lost.some(([first, preset, key]) => first === 'models' && preset === name && key === 'secrets');
    return [name, unread && isJsonObject(model) ? { ...model, secrets: 'block' } : model];
  });
  return models.length === 0 ? sound : { ...sound, models: Object.fromEntries(models) };
}

async function withProject(
  loaded: Extract<Loaded, { ok: true }>,
  own: string,
  env: Environment,
  { cwd, trust }: ProjectOptions,
): Promise<Extract<Loaded, { ok: true }>> {
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
  const modeAsked = loaded.modeAsked || taken.includes('mode');
  return { ...loaded, config, modeAsked, project: { path, text: read.text, waiting, taken }, notices };
}

export type Instructions = {
  readonly path: string;
  readonly text: string;
  readonly trusted: boolean;
  /** The characters of the text used, and of the omitted end of the file. */
  readonly characters: number;
  readonly omitted: number;
};

/**
 * Returns the project's instructions for agents; undefined without such a file. Use only those of a trusted project.
 */
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

/** Finds the nearest one from the working directory up to the repository's top, never above the home directory. */
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
    const bytes = await readFile(path);
    if (isUtf16(bytes)) return { code: 'it is UTF-16: save it as UTF-8' };
    return { text: bytes.toString('utf8') };
  } catch (error) {
    return { code: error instanceof Error && 'code' in error ? String(error.code) : 'unreadable' };
  }
}

/** Detected by its byte order mark, or by a NUL in the first character: a configuration starts with an ASCII one. */
function isUtf16([first, second]: Buffer): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) || first === 0 || second === 0;
}

/** The schema has already validated the structure. */
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
    context: { ...DEFAULTS.context, ...given.context },
    memory: { ...DEFAULTS.memory, ...given.memory },
    sandbox: { ...DEFAULTS.sandbox, ...given.sandbox },
    undo: { ...DEFAULTS.undo, ...given.undo },
    ui: { ...DEFAULTS.ui, ...given.ui },
  };
}

// The origin of each configuration value (`aish-tui config show`).

type Origin = 'default' | 'user' | 'project';

export type Setting = {
  /** Separated by dots: `models.fast.base_url`. */
  readonly key: string;
  readonly value: unknown;
  readonly origin: Origin;
  /** The place that sets the value, as `PATH:LINE:COLUMN`, if a file sets it. */
  readonly place?: string;
};

/** For alternative keys of a file, the key under which the program reads the value. */
const ALSO_AS: Readonly<Record<string, string>> = {
  'norris.max_norris_steps': 'safety.max_norris_steps',
  auto_approve: 'mcp.auto_approve',
};

/** Lists every setting with a value, in schema order. */
export function settingsOf(loaded: Extract<Loaded, { ok: true }>): readonly Setting[] {
  const user = loaded.text === undefined ? undefined : treeOf(loaded.text);
  const project = loaded.project && treeOf(loaded.project.text);
  return leavesOf(loaded.config, SCHEMA, []).map(({ path, value }) => {
    const key = path.join('.');
    const taken = loaded.project?.taken.some((one) => key === one || key.startsWith(`${one}.`)) ?? false;
    const theirs = taken ? nodeAt(project, path) : undefined;
    if (theirs && loaded.project)
      return { key, value, origin: 'project', place: placeOf(loaded.project.path, loaded.project.text, theirs) };
    const ours = nodeAt(user, path) ?? nodeAt(user, ALSO_AS[key]?.split('.') ?? []);
    if (ours && loaded.file !== undefined && loaded.text !== undefined)
      return { key, value, origin: 'user', place: placeOf(loaded.file, loaded.text, ours) };
    return { key, value, origin: 'default' };
  });
}

type Leaf = { readonly path: readonly string[]; readonly value: unknown };

/** Splits a block as in the schema; user-named entries (models, servers, keys) by their names. */
function leavesOf(value: unknown, schema: Schema, path: readonly string[]): readonly Leaf[] {
  if (value === undefined) return [];
  const { properties, additionalProperties: named } = schema;
  if (!isJsonObject(value) || (!properties && typeof named !== 'object')) return [{ path, value }];
  const names = Object.keys({ ...properties, ...value });
  return names.flatMap((name) => {
    const part = properties?.[name] ?? (typeof named === 'object' ? named : {});
    return leavesOf(value[name], part, [...path, name]);
  });
}

function treeOf(text: string): Node | undefined {
  return parseTree(text.replace(/^\uFEFF/, ' '), [], { allowTrailingComma: true });
}

function nodeAt(tree: Node | undefined, path: readonly string[]): Node | undefined {
  return tree && path.length > 0 ? findNodeAtLocation(tree, [...path]) : undefined;
}

function placeOf(path: string, text: string, node: Node): string {
  return `${path}:${positionOf(text, node.parent?.offset ?? node.offset)}`;
}

// The user's settings for a directory: `projects` in their file (CF-1, MO-9).

/**
 * Returns the user's setting for `cwd`: the deepest directory around it that has one wins.
 * `tree` is that directory with symlinks resolved, `name` its spelling in the file.
 */
export function ofDirectory<Key extends keyof DirectorySettings>(projects: Config['projects'], cwd: string, key: Key) {
  const here = realOf(cwd) ?? cwd;
  let found: Found<DirectorySettings[Key]> | undefined;
  for (const [name, { [key]: value }] of Object.entries(projects)) {
    const tree = realOf(name.replace(/^~(?=\/|$)/, homedir())) ?? name;
    if (tree.length <= (found?.tree.length ?? 0) || !isWithin(here, tree) || value === undefined) continue;
    found = { name, tree, value };
  }
  return found;
}

type Found<Value> = { readonly name: string; readonly tree: string; readonly value: NonNullable<Value> };

function isWithin(path: string, directory: string): boolean {
  if (!isAbsolute(directory)) return false;
  const way = relative(directory, path);
  return way === '' || !(way === '..' || way.startsWith(join('..', '/')) || isAbsolute(way));
}
