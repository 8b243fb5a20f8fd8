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
      /** A file sets the mode; otherwise it is the default. */
      readonly modeAsked: boolean;
      /** Lines for the user about a project file. */
      readonly notices: readonly string[];
      /** Keys that protect the user and can't be read: the file itself, where nothing of it can. */
      readonly unread?: readonly string[];
    }
  | {
      readonly ok: false;
      /** One line: what is wrong, where, what to do. */
      readonly message: string;
      /** Every mistake in the file, a line each. */
      readonly mistakes: readonly string[];
      /** What holds without them, for a screen: it always starts. */
      readonly rest: Extract<Loaded, { ok: true }>;
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
  const unreadable = 'code' in read && !missing ? unreadableFile(path, read.code) : undefined;
  const checked = unreadable ?? ('text' in read ? await checkText(read.text, path) : undefined);
  const given = checked ? soundValue(checked) : {};
  const own = withDefaults(given);
  // Before the project's file: that one may still tighten it.
  const there = options && ofDirectory(own.projects, options.cwd, 'mode')?.value;
  const config = there === undefined ? own : { ...own, mode: there };
  const modeAsked = there !== undefined || given.mode !== undefined;
  const file = 'text' in read ? { file: path, text: read.text } : {};
  const ours = { ok: true as const, config, modeAsked, notices: [], ...file };
  const loaded = options ? await withProject(ours, path, env, options) : ours;
  return checked?.ok === false ? inSpite(checked, path, loaded) : loaded;
}

/** The mistakes, and the configuration that holds in spite of them. */
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

/** Blocks and keys that protect the user whatever they say. */
const PROTECTING: ReadonlySet<unknown> = new Set([
  ...['mode', 'projects', 'safety', 'secrets', 'undo', 'sandbox', 'confirm_cmd'],
  undefined,
]);

function protects([first, second, third]: Place): boolean {
  if (first === 'models') return third === 'secrets';
  if (first === 'cost') return second === undefined || second === 'stop_at_dollars';
  return PROTECTING.has(first);
}

/** What holds of a file with mistakes. Where it can't be read what a preset may be sent, it is sent no secret. */
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
    const bytes = await readFile(path);
    if (isUtf16(bytes)) return { code: 'it is UTF-16: save it as UTF-8' };
    return { text: bytes.toString('utf8') };
  } catch (error) {
    return { code: error instanceof Error && 'code' in error ? String(error.code) : 'unreadable' };
  }
}

/** By its mark, or by the zero in its first letter: a configuration begins with one of ASCII. */
function isUtf16([first, second]: Buffer): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) || first === 0 || second === 0;
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
    context: { ...DEFAULTS.context, ...given.context },
    memory: { ...DEFAULTS.memory, ...given.memory },
    sandbox: { ...DEFAULTS.sandbox, ...given.sandbox },
    undo: { ...DEFAULTS.undo, ...given.undo },
    ui: { ...DEFAULTS.ui, ...given.ui },
  };
}

// Where each value of the configuration comes from (`aish-tui config show`).

type Origin = 'default' | 'user' | 'project';

export type Setting = {
  /** With dots: `models.fast.base_url`. */
  readonly key: string;
  readonly value: unknown;
  readonly origin: Origin;
  /** `PATH:LINE:COLUMN`, where a file says it. */
  readonly place?: string;
};

/** Keys under which the program reads a value, by the key where a file may also write it. */
const ALSO_AS: Readonly<Record<string, string>> = {
  'norris.max_norris_steps': 'safety.max_norris_steps',
  auto_approve: 'mcp.auto_approve',
};

/** Every setting that has a value, in the order of the schema. */
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

/** A block is taken apart as the schema says; what a user names (models, servers, keys) by its names. */
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

// The user's own settings for a directory: `projects` of their file (CF-1, MO-9).

/**
 * What the user has set for `cwd`: of the directories that `cwd` is or lies in and that set it, the longest counts.
 * `tree` is that directory behind all links, `name` as the file has it.
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
