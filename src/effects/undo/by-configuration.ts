/** What of a project's tree aish-tui itself starts, unconfined, by its configuration, and what that obeys of it (MO-9). */
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import type { ByConfiguration } from '../../contracts/started.ts';
import { filesOfModule, fileWays, namedBy, partsOf, toldBy } from './command-words.ts';
import { installed, openLanguages } from './languages.ts';
import { behindHome, endOf, type Obeyed, type Shape } from './obeyed-by.ts';
import { isWild, patternOf, slashesIn } from './patterns.ts';
import { PACKAGE_RUNNER, runnersOf } from './runners.ts';
import { entriesAt, seenAt, UNKNOWN } from './seen.ts';
import { ANY } from './start-words.ts';
import { plainText } from './todo.ts';
import type { Later } from './waiting.ts';
import type { WaysOf } from './ways.ts';

/** Of one command; what a command has more of counts as one. */
const MAX_WORDS = 1000;
/** Links to programs in one directory of them that are followed. */
const MAX_PROGRAMS = 2000;
/** Variables that hold directories in which programs and libraries are looked for. */
const SEARCHED = /(PATH|LIB)$/;
/** Behind these stands the directory that a program works in. */
const GOES = /^(cd|pushd|-C|--(prefix|directory|cwd|project|dir|chdir|workdir|working-directory))$/;
/** What runs a file, or what a directory says that it is. */
const INTERPRETER = /^(node|nodejs|deno|bun|tsx|ts-node|python[\d.]*|pypy[\d.]*|ruby|php|perl|lua)$/;
const OF_DIRECTORY = ['package.json', 'index.js', 'index.mjs', 'index.cjs', 'index.ts', '__main__.py'];
const PYTHON = /^(python|pypy)[\d.]*$/;
/** A variable that is set for a command among its words. */
const ASSIGNED = /(?:^|[\s;&|('"])(\w+)=(?:'([^']*)'|"?([^\s;&|()'"]*))/g;
/** They keep Python from looking where it is started. */
const IS_SAFE = /^-[a-zA-Z]*[IP]/;
/** What it finds there in place of its own modules. */
const MODULES = ['.py', '.pyc', '.so', '/__init__.py', '/__init__.pyc', '/__init__.so'];
/** Behind these stands what Node loads before its program; a name of a package, with a part of it. */
const LOADS = /^(-r|--require|--import|--preload|--loader|--experimental-loader)$/;
const LOADED = /^(@[\w.-]+\/[\w.-]+|\w[\w.-]*)/;
const NODE = /^(node|nodejs|tsx|ts-node|bun)$/;
/** It leads somewhere whether anything is there or not. */
const IS_PATH = /^[.~]{0,2}\/|^\.{1,2}$|\//;
/** What ends a command in a line for the shell. */
const BETWEEN_COMMANDS = /[;&|()<>]+/;
/** Of a wild word: it stands for files, and not for any. */
const NAMES_SOME = /[./]/;
const PACKAGE = /^((?:@[\w.-]+\/)?\w[\w.-]*)(?:@.*)?$/;

/**
 * A file among the words counts, whether it is the program or its data; a directory never does.
 * @param cwd the directory that all of it is started in
 */
export function byConfiguration(all: readonly ByConfiguration[], tree: string, waysOf: WaysOf, cwd: string): Obeyed {
  const each = all.map((one) => new Started(one, tree, waysOf, waysOf(cwd).at(-1) ?? cwd));
  return {
    places: each.flatMap(({ places }) => places),
    ends: new Set(each.flatMap(({ ends }) => ends)),
    shapes: each.flatMap(({ shapes }) => shapes),
    anywhere: each.flatMap(({ anywhere }) => anywhere),
  };
}

class Started {
  readonly places: Later[] = [];
  readonly ends: string[] = [];
  readonly shapes: Shape[] = [];
  readonly anywhere: Later[] = [];
  readonly #what: string;
  readonly #tree: string;
  readonly #waysOf: WaysOf;

  constructor({ name, words, env }: ByConfiguration, tree: string, waysOf: WaysOf, cwd: string) {
    this.#what = `is run or obeyed by ${name}, which aish-tui starts`;
    this.#tree = tree;
    this.#waysOf = waysOf;
    const parts = words.flatMap((word) => [word, ...partsOf(word)]).filter((word) => word !== '');
    if (parts.length > MAX_WORDS) throw new Error(`${name} has too many words`);
    // A line for the shell may say it in further ways.
    const told = words.flatMap((word) => (words.length === 1 || /\s/.test(word) ? toldBy(word) : []));
    const alone = told.flatMap((word) => word.split(BETWEEN_COMMANDS)).filter((word) => word !== '');
    const from = this.#workedIn([...words.flatMap(partsOf), ...alone], cwd);
    this.#take(words, env, from);
    this.#line(alone, from);
    const set = [...words.join(' ').matchAll(ASSIGNED)].map(
      ([, name = '', quoted, bare = '']) => [name, quoted ?? bare] as const,
    );
    for (const [name, value] of Object.entries(env)) if (SEARCHED.test(name)) this.#searched(value, cwd);
    for (const [name, value] of set)
      if (SEARCHED.test(name)) for (const directory of from) this.#searched(value, directory);
    this.#code(
      words.flatMap((word) => word.split(/[\s'"`;&|()<>]+/)),
      [...Object.entries(env), ...set],
      from,
    );
    this.#found(parts, env.PATH ?? process.env.PATH ?? '', cwd);
    this.#interpreters(parts, from);
    this.#modules(parts, env, from);
    this.#runners(parts, from);
  }

  /** Where it may work. */
  #workedIn(parts: readonly string[], cwd: string): readonly string[] {
    const named = parts.flatMap((word, at) => (GOES.test(parts[at - 1] ?? '') ? [resolve(cwd, behindHome(word))] : []));
    return [...new Set([cwd, ...named.map((path) => this.#waysOf(path).at(-1) ?? path)])];
  }

  /** Files among its words, and among those of its variables. */
  #take(words: readonly string[], env: ByConfiguration['env'], from: readonly string[]): void {
    const all = [...words, words.join(' '), ...Object.values(env)].map((text) => namedBy(text, true));
    const paths = new Set(all.flatMap(({ paths }) => paths).map(behindHome));
    for (const path of paths) for (const directory of from) this.#file(resolve(directory, path));
    // Where it goes to can't be told.
    const line = words.join(' ');
    if (/[$`]/.test(line)) this.ends.push(...namedBy(line, true).ends.flatMap((word) => endOf(word) ?? []));
  }

  #file(path: string): void {
    for (const way of fileWays(path, this.#waysOf)) this.#place(way);
  }

  /** Whatever comes there counts. */
  #whole(path: string): void {
    for (const way of [path, ...this.#waysOf(path)]) this.#place(way);
  }

  #place(path: string): void {
    if (path.startsWith(`${this.#tree}/`)) this.places.push({ path, what: this.#what });
  }

  /** The directories of a list: the files in each, and the packages. */
  #searched(list: string, cwd: string): void {
    for (const part of list.split(delimiter)) this.#filesOf(resolve(cwd, behindHome(part)), ['', ...MODULES.slice(3)]);
  }

  /** Files that lie in a directory and end so. @param isLoose any of them may be an ordinary one of the project */
  #filesOf(directory: string, suffixes: readonly string[], isLoose = false): void {
    const ways = this.#waysOf(directory);
    for (const way of ways.slice(0, -1)) this.#place(way);
    const prefix = `${ways.at(-1) ?? directory}/`;
    if (!prefix.startsWith(`${this.#tree}/`)) return;
    for (const suffix of suffixes)
      this.shapes.push({ prefix, suffix, depth: slashesIn(prefix) + slashesIn(suffix), what: this.#what, isLoose });
  }

  /** What a shell makes of its words: several files, or one with blanks and quotation marks in its name. */
  #line(told: readonly string[], from: readonly string[]): void {
    for (const word of told.filter((each) => !each.startsWith(ANY)))
      for (const directory of from) {
        const path = resolve(directory, behindHome(word));
        if (!isWild(word)) this.#file(path);
        else if (NAMES_SOME.test(word) && this.#mayMatch(path))
          this.shapes.push({ ...patternOf(path), what: this.#what });
      }
  }

  #mayMatch(path: string): boolean {
    const { prefix } = patternOf(path);
    return this.#isAtTree(prefix) || this.#tree.startsWith(prefix);
  }

  /** Code that is found by further ways of a language's own: all of its kind counts. */
  #code(words: readonly string[], variables: readonly (readonly [string, string])[], from: readonly string[]): void {
    const leads = (word: string) =>
      [word, word.replace(/^-\w/, '')].some((each) => each !== '' && from.some((at) => this.#leads(each, at)));
    const isHere = from.some((directory) => this.#isAtTree(directory));
    for (const { code } of openLanguages({ words, variables, isHere, leads })) this.#kinds(this.#tree, code);
    for (const { word, code } of installed(words))
      if (IS_PATH.test(word))
        for (const directory of from) {
          const ways = this.#waysOf(resolve(directory, behindHome(word)));
          for (const way of ways) if (this.#isAtTree(way)) this.#kinds(way, code);
        }
    const options = variables.filter(([name]) => name === 'NODE_OPTIONS').flatMap(([, value]) => partsOf(value));
    const isNode = words.some((word) => NODE.test(basename(word)));
    this.#loaded([...options, ...(isNode ? words.flatMap((word) => word.split('=')) : [])]);
  }

  #leads(word: string, directory: string): boolean {
    if (word.startsWith('-') || word.includes('://')) return false;
    const path = resolve(directory, behindHome(word));
    return this.#waysOf(path).some((way) => this.#isAtTree(way)) && (IS_PATH.test(word) || seenAt(path) !== undefined);
  }

  /** All files below a directory that end so. */
  #kinds(directory: string, code: readonly string[]): void {
    for (const suffix of code) {
      const prefix = suffix.startsWith('/') ? directory : `${directory}/`;
      this.shapes.push({ prefix, suffix, depth: undefined, what: this.#what });
    }
  }

  /** Packages that Node loads before its program. */
  #loaded(parts: readonly string[]): void {
    parts.forEach((word, at) => {
      const name = LOADS.test(parts[at - 1] ?? '') ? word : /^-r(.+)/.exec(word)?.[1];
      const [, of] = LOADED.exec(name ?? '') ?? [];
      if (of === undefined) return;
      for (const path of [`node_modules/${of}`, `node_modules/${of}.js`])
        this.anywhere.push({ path, what: this.#what });
    });
  }

  /** Programs that are found in the tree by their names alone. */
  #found(parts: readonly string[], path: string, cwd: string): void {
    for (const part of path.split(delimiter)) {
      const directory = resolve(cwd, part);
      if (!this.#waysOf(directory).some((way) => this.#isAtTree(way))) continue;
      for (const word of parts) if (!word.includes('/')) this.#file(join(directory, word));
    }
  }

  #isAtTree(path: string): boolean {
    return path === this.#tree || path.startsWith(`${this.#tree}/`);
  }

  /** What interpreters find by less than a file's name: with an ending of theirs, in a directory, beside themselves. */
  #interpreters(parts: readonly string[], from: readonly string[]): void {
    parts.forEach((word, at) => {
      if (!INTERPRETER.test(basename(word))) return;
      for (const directory of from) this.#installation(resolve(directory, word));
      const behind = parts.slice(at + 1);
      const program = behind.find((next) => !next.startsWith('-'));
      for (const name of behind) {
        const path = name.replace(/^-\w/, '');
        if (path === '' || (name !== program && !path.includes('/'))) continue;
        for (const directory of from) this.#begins(resolve(directory, path));
      }
      behind.forEach((option, index) => {
        const [, own] = /^-I(.*)$/.exec(option) ?? [];
        const library = own === '' ? behind[index + 1] : own;
        if (library !== undefined) for (const directory of from) this.#library(resolve(directory, library));
      });
      if (program !== undefined) for (const directory of from) this.#directory(resolve(directory, program));
    });
  }

  /** Files that are called so but for an ending. */
  #begins(path: string): void {
    const way = this.#waysOf(path).at(-1) ?? path;
    if (way.startsWith(`${this.#tree}/`))
      this.shapes.push({ prefix: `${way}.`, suffix: '', depth: slashesIn(way), what: this.#what });
  }

  /** An environment of its own, in which packages are looked for. */
  #installation(interpreter: string): void {
    if (basename(dirname(interpreter)) === 'bin') this.#library(join(dirname(dirname(interpreter)), 'lib'));
  }

  #library(directory: string): void {
    if (!this.#waysOf(directory).includes(this.#tree) && directory !== this.#tree) this.#whole(directory);
  }

  /** A directory that an interpreter is to run. */
  #directory(path: string): void {
    if (!this.#isDirectory(path)) return;
    for (const name of OF_DIRECTORY) this.#file(join(path, name));
    const [, main] = /"main"\s*:\s*"([^"\\]+)"/.exec(plainText(join(path, 'package.json')) ?? '') ?? [];
    if (main === undefined) return;
    this.#file(resolve(path, main));
    this.#begins(resolve(path, main));
  }

  /** A module is looked for where Python is started, before its own; so are those that it loads. */
  #modules(parts: readonly string[], env: ByConfiguration['env'], from: readonly string[]): void {
    const python = parts.findIndex((word) => PYTHON.test(basename(word)));
    const at = parts.findIndex((word, index) => index > python && /^-[a-zA-Z]*[mc]/.test(word));
    if (python < 0 || at < 0) return;
    const isSafe = env.PYTHONSAFEPATH || parts.slice(python + 1, at + 1).some((each) => IS_SAFE.test(each));
    const listed = (env.PYTHONPATH ?? '').split(delimiter).filter((directory) => directory !== '');
    const searched = listed.flatMap((directory) => from.map((at) => resolve(at, behindHome(directory))));
    if (!isSafe) for (const directory of from) this.#filesOf(directory, MODULES, true);
    for (const directory of [...searched, ...(isSafe ? [] : from)])
      for (const word of parts) for (const path of filesOfModule(word)) this.#file(join(directory, path));
  }

  /** What those who run a project's own programs look up there, and above. */
  #runners(parts: readonly string[], from: readonly string[]): void {
    const runners = runnersOf(parts);
    if (runners.length === 0) return;
    const names = runners.flatMap((runner) => runner.obeyed);
    const around = [...new Set(from.flatMap((directory) => this.#upFrom(directory)))];
    for (const directory of around) for (const name of names) this.#whole(join(directory, name));
    if (!runners.includes(PACKAGE_RUNNER)) return;
    const packages = parts.flatMap((word) => PACKAGE.exec(word)?.[1] ?? []).map((name) => `node_modules/${name}`);
    const places = ['node_modules/.bin', ...packages];
    this.anywhere.push(...places.map((path) => ({ path, what: this.#what })));
    for (const directory of around) this.#packages(directory, places);
  }

  #packages(directory: string, places: readonly string[]): void {
    for (const name of places) this.#whole(join(directory, name));
    const programs = entriesAt(join(directory, 'node_modules/.bin')) ?? [];
    for (const { name } of programs.slice(0, MAX_PROGRAMS)) this.#file(join(directory, 'node_modules/.bin', name));
    // Its own programs are found by their names, too.
    const own = join(directory, 'package.json');
    if (/bin|\\u/.test(plainText(own) ?? 'bin')) this.#file(own);
  }

  /** The directory and those above it, as far as the tree goes. */
  #upFrom(directory: string): readonly string[] {
    const all: string[] = [];
    for (let at = directory; this.#isAtTree(at); at = dirname(at)) all.push(at);
    return all;
  }

  #isDirectory(path: string): boolean {
    const found = seenAt(this.#waysOf(path).at(-1) ?? path);
    return found !== undefined && found !== UNKNOWN && found.isDirectory();
  }
}
