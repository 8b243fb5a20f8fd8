/**
 * Decides whether a command of the user's configuration may start (MO-9): an MCP server, a model server, a command
 * that prints a key, the shell. If a model has changed the tree of its program since its last start, the user is
 * asked first.
 */
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makeDirectory } from '../text/files.ts';
import { parseJsonObject } from '../text/json.ts';
import { BETWEEN_WORDS, contains, realOf } from './own-places.ts';
import { treeAround } from './project-tree.ts';

export type OwnCommand = {
  /** The name of the program in a question: `the MCP server files`. */
  readonly name: string;
  /** A program with its arguments, or one string for a shell command line. */
  readonly words: readonly string[];
  /** Variables added to this program's environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** The program’s working directory; undefined if that does not affect which files it runs. */
  readonly cwd?: string;
};

type Options = {
  /** The log of changes by models and of allowed starts, shared by all sessions. */
  readonly file: string;
  /** Asks the user; false if no user can answer. */
  ask(names: string, files: readonly string[]): Promise<boolean>;
};

/** One line of the file: either files of one tree changed, or a command was allowed to start. */
type Line = { readonly at: number; readonly tree?: string; readonly files?: readonly string[]; readonly let?: string };

/** How many changed files to keep for each tree and action. */
const MAX_NAMED = 20;
/** If one action changed more trees than this, note only their common directory. */
const MAX_TREES = 50;
const MAX_FILE_BYTES = 500_000;
const MAX_WORDS = 200;
/** Commands that start within this many milliseconds share one question. */
const TOGETHER_MS = 50;

export class OwnStarts {
  readonly #options: Options;
  /** Open questions, and refusals with the time of the change they were about. */
  readonly #asked = new Map<string, Promise<boolean>>();
  readonly #refused = new Map<string, number>();
  /** The file is compacted when it is larger than this. */
  #longest = MAX_FILE_BYTES;
  #batch:
    | { readonly commands: OwnCommand[]; readonly files: Set<string>; readonly answer: Promise<boolean> }
    | undefined;

  /** Resolves once the latest changes are written. */
  settled: () => Promise<void> | undefined = () => undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Notes the files that a model's action changed. Never throws. */
  changed(files: readonly string[]): void {
    const known = new Map<string, string>();
    const treeAt = (file: string) => {
      const directory = dirname(file);
      const tree = known.get(directory) ?? treeOf(file, directory);
      // Directly in the home directory, each file counts as a tree of its own.
      if (tree !== file) known.set(directory, tree);
      return tree;
    };
    const trees = Map.groupBy(files, treeAt);
    const few = trees.size <= MAX_TREES ? trees : new Map([[[...trees.keys()].reduce(commonTo), files]]);
    for (const [tree, all] of few) this.#write({ at: Date.now(), tree, files: all.slice(0, MAX_NAMED) });
  }

  /** @param byUser the user has just requested the start, so earlier refusals don't apply */
  async mayStart(command: OwnCommand, byUser = false): Promise<boolean> {
    await this.settled();
    const key = keyOf(command);
    const changes = this.#changesOf(command, key);
    const last = changes.at(-1)?.at;
    if (last === undefined) return true;
    if (!byUser && (this.#refused.get(key) ?? 0) >= last) return false;
    const known = this.#asked.get(key);
    if (known) return known;
    const answer = this.#ask(command, changes).finally(() => this.#asked.delete(key));
    this.#asked.set(key, answer);
    const yes = await answer;
    if (yes) this.#write({ at: Date.now(), let: key });
    else this.#refused.set(key, last);
    return yes;
  }

  #ask(command: OwnCommand, changes: readonly Line[]): Promise<boolean> {
    const batch = this.#batch ?? this.#newBatch();
    batch.commands.push(command);
    for (const { files = [] } of changes) for (const file of files) batch.files.add(file);
    return batch.answer;
  }

  #newBatch() {
    const [commands, files] = [[] as OwnCommand[], new Set<string>()];
    const answer = delay(TOGETHER_MS).then(() => {
      this.#batch = undefined;
      return this.#options.ask(commands.map(({ name }) => name).join(', '), [...files]);
    });
    this.#batch = { commands, files, answer };
    return this.#batch;
  }

  /** Returns the changes to the command's trees since it was last allowed to start, oldest first. */
  #changesOf(command: OwnCommand, key: string): readonly Line[] {
    const lines = this.#read();
    const since = Math.max(0, ...lines.filter((line) => line.let === key).map(({ at }) => at));
    const later = lines.filter(({ at, tree }) => tree !== undefined && at >= since);
    if (later.length === 0) return [];
    const trees = [...new Set(placesOf(command).map((place) => treeOf(place)))];
    return later.filter(({ tree = '' }) => trees.some((own) => contains(own, tree) || contains(tree, own)));
  }

  #read(): readonly Line[] {
    try {
      return readFileSync(this.#options.file, 'utf8').split('\n').flatMap(readLine);
    } catch {
      return [];
    }
  }

  #write(line: Line): void {
    const { file } = this.#options;
    try {
      makeDirectory(dirname(file));
      if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > this.#longest) this.#shorten();
      appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
    } catch {
      // On a full disk the model runs nothing either, since its journal can't be written.
    }
  }

  /** Compacts the file: keeps the last change of each tree and the last allowed start of each command. */
  #shorten(): void {
    const last = new Map(this.#read().map((line) => [line.tree ?? ` ${line.let}`, line]));
    const text = [...last.values()].map((line) => `${JSON.stringify(line)}\n`).join('');
    writeFileSync(`${this.#options.file}.new`, text, { mode: 0o600 });
    renameSync(`${this.#options.file}.new`, this.#options.file);
    this.#longest = Math.max(MAX_FILE_BYTES, 2 * Buffer.byteLength(text));
  }
}

function readLine(text: string): readonly Line[] {
  const { at, tree, files, let: key } = parseJsonObject(text) ?? {};
  if (typeof at !== 'number') return [];
  if (typeof key === 'string') return [{ at, let: key }];
  const names = Array.isArray(files) ? files.filter((file): file is string => typeof file === 'string') : [];
  return typeof tree === 'string' ? [{ at, tree, files: names }] : [];
}

const keyOf = ({ name, words, env = {}, cwd = '' }: OwnCommand): string =>
  createHash('sha256')
    .update(JSON.stringify([name, words, env, cwd]))
    .digest('hex');

/**
 * Returns the tree of a file: its repository, else its directory (for a `bin`, the parent). Directly in the home
 * directory the tree is the file itself.
 */
function treeOf(path: string, directory = directoryOf(path)): string {
  const home = realOf(homedir()) ?? homedir();
  const tree = treeAround(directory, home, (top) => existsSync(join(top, '.git'))) ?? path;
  const around = dirname(tree);
  return /^\.?bin$/.test(basename(tree)) && !contains(around, home) ? around : tree;
}

function directoryOf(path: string): string {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ? path : dirname(path);
}

function commonTo(one: string, other: string): string {
  let common = one;
  while (!contains(common, other)) common = dirname(common);
  return common;
}

/** Returns the paths in a command: its words, directory and program, each also with symlinks resolved. */
function placesOf({ words, env = {}, cwd }: OwnCommand): readonly string[] {
  const all = [...words, ...Object.values(env)].flatMap((written) => {
    const word = written.replace(/\$(HOME\b|\{HOME\})/g, homedir());
    // A quoted or escaped path may contain blanks.
    const escaped = word.replaceAll('\\ ', '\0').split(BETWEEN_WORDS);
    return [
      word,
      ...word.split(BETWEEN_WORDS),
      ...word.split(/['"]/),
      ...escaped.map((part) => part.replaceAll('\0', ' ')),
    ];
  });
  const directories = `${env.PATH ?? ''}${delimiter}${process.env.PATH ?? ''}`
    .split(delimiter)
    .filter((each) => each !== '');
  const named = [...new Set(all)].slice(0, MAX_WORDS).flatMap((word) => {
    const path = word.replace(/^~(?=\/)/, homedir());
    const inPath = word.includes('/') || word === '' ? [] : directories.map((directory) => join(directory, word));
    return [resolve(cwd ?? homedir(), path), ...inPath].filter((each) => existsSync(each));
  });
  const places = cwd === undefined ? named : [...named, cwd];
  // Ignore directories that contain the home directory: for a server they are data, and every file of the user is
  // inside them.
  return [...new Set(places.flatMap((place) => [place, realOf(place) ?? place]))].filter(
    (place) => !contains(place, realOf(homedir()) ?? homedir()) && !contains(place, homedir()),
  );
}
