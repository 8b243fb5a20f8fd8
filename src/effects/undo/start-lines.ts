/** What the lines of start files say: which words they name, and whether these are read, run, or obeyed as a whole. */
import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { ZSH_START_FILES } from '../../knowledge/start-files.ts';
import { filesOfModule } from './command-words.ts';
import { behindHome } from './obeyed-by.ts';
import { isWild } from './patterns.ts';
import { ANY, alternativesOf, bare, withoutSubstitutions, wordsOf } from './start-words.ts';

/** Of all lines and words that are told, each of which counts as some more; of one line, and of one value. */
const MAX_TOLD_CHARS = 3_000_000;
const EACH_CHARS = 8;
const MAX_LINE_CHARS = 100_000;
const MAX_VALUE_CHARS = 4096;
/** Values of one variable, and directories that a file may have gone to. */
const MAX_VALUES = 64;
const MAX_PLACES = 16;
export const TOO_MUCH = 'your start files name too much';

/** A quotation mark begins a remark in vim, and a command in shells. */
const COMMENT = /^\s*(#|"(?![~/$])|--\s|;)/;
const IS_JSON = /\.jsonc?$/;
const JSON_COMMENT = /^\s*\/\//;
/** What it names is read and obeyed in its place. */
const READS =
  /(^|[\s;&|({"'=])(\.|source|source-file|include|\$include|load|load-file|runtime|luafile|dofile)(?=[\s("'])/i;
/** What it names is run, or looked through for what is. */
const RUNS =
  /(^|[\s;&|({`"'=\0])(eval|exec|trap|command|env|sudo|nohup|(ba|da|z|k|fi)?sh|python[\d.]*|perl|node|ruby|lua|run|run-shell|run-parts|if-shell|autoload|for|foreach|select|while|done|proxycommand)(?=[\s("'])|\bexec\w*=/i;
/** A path stands where commands do. */
const FIRST = /(?:^|[;&|({]|\b(?:then|do|else)\s|\balias\s{1,3}[\w.-]+=)\s{0,20}["']?[~/$\0]/;
/** What of a directory that it names is taken one by one. */
const LISTS = /\b(find|ls|fd|xargs)\s/;
/** A directory named here is obeyed as a whole; by its name alone another may be a place to go to. */
const WHOLE = /\b(fish_function_path|runtimepath|rtp|packpath|ZSH|ZSH_CUSTOM|load-path|package\.path)\b/;
/** So are the files of these, but not what lies deeper. */
const SEARCHED =
  /\b((f?path|PATH|PYTHONPATH|PERL5LIB|RUBYLIB|NODE_PATH|GEM_PATH|LD_LIBRARY_PATH|fish_user_paths)(\+?=|\s)|fish_add_path|path_?(munge|append|prepend|add)\b)/;
const IS_LIST_OF_PATHS = /(PATH|^f?path|^fish_user_paths)$/;

const ASSIGNED = /(?<![\w$])([A-Za-z_]\w*)\+?=(\([^()]*\)|(?:"[^"]*"|'[^']*'|\\.|[^\s"'\\;&|()])*)/g;
const SET = /(?:^|[\s;])(?:set(?:\s+-\S+)*|setenv|let)\s+(?:[gs]:)?(\w+)(?:\s*=)?\s*("[^"]*"|'[^']*'|[^\s"';]+)/g;
const SET_WHERE_NOT = /\$\{(\w+):?=([^{}]{0,1000})\}/g;
const LOOPS = /\b(?:for|foreach|select)\s+(\w+)\s*(?:in\s+|\()([^;)]*)/g;

/** What separates a path from the rest of a word. */
const BETWEEN = /[\s:=|"'`;&()<>,!{}\\]+/;
/** Without one of these nothing is named. */
const NAMES = /[/~$.\0]/;
const GOES = /^(cd|pushd|chdir)$/;
/** Behind these stands a place to go to, or one that is asked about. */
const IS_PLACE = /^(cd|pushd|chdir|-[deC]|mkdir|z)$/;
const SOURCES = /^(\.|source)$/;
/** Behind these a name without a dot or a slash names something as well. */
const TAKES_ANY = /^(cd|pushd|chdir|\.|source|-m)$/;
/** Behind these stands a file of the directory that the program works in, wherever that is. */
const READS_THERE = /^(\.|source|source-file|luafile|dofile|load-file)$/;
/** A directory that is searched, wherever the shell works. */
const SEARCHED_THERE = /^(\.{1,2}\/)?[\w@-][\w.@/-]*$|^\.$/;
/** Units of systemd and starters of the desktop. */
const IS_UNIT = /\.(service|desktop)$/;
/** Where their commands work. */
const WORKS = /^[ \t]{0,100}(?:WorkingDirectory|Path)[ \t]{0,100}=[ \t]{0,100}[-"]?(\/[^\n"]{1,4000})/gm;

/** `any`: all of it; `scripts`: what programs load from it; `files`: those that lie in it. */
export type Whole = 'any' | 'scripts' | 'files' | undefined;

/** How a line means what it names. */
export type Mark = {
  readonly isRead: boolean;
  readonly isRun: boolean;
  /** Of a directory, what counts of it. */
  readonly whole: Whole;
};

export type Named = Mark & {
  /** An absolute path, perhaps a wild one. */
  readonly path?: string;
  /** Where its beginning can't be told. */
  readonly end?: string;
  /** A path from wherever the program works, a project's directory too. */
  readonly there?: string;
  /** A directory to go to, if it is one. */
  readonly isPlace: boolean;
};

/** Reads start files one after the other: what one sets, the next ones may name. */
export class StartLines {
  readonly #values = new Map<string, Set<string>>([['HOME', new Set([homedir()])]]);
  #left = MAX_TOLD_CHARS;

  /** What a file names, word by word: undefined for one that names nothing. Throws where it is too much. */
  *namedIn(file: string, text: string): Generator<Named | undefined> {
    /** Where its commands may work, besides where its reader does. */
    const places = new Set<string>();
    const comment = IS_JSON.test(file) ? JSON_COMMENT : COMMENT;
    const whole = text.replaceAll(ANY, '').replaceAll('\\\n', '');
    const told = IS_UNIT.test(file) ? whole.replaceAll('%h', homedir()) : whole;
    // It stands before or behind the commands.
    if (IS_UNIT.test(file)) for (const [, place = ''] of told.matchAll(WORKS)) goTo(place.trim(), places, '/');
    for (const line of told.split('\n')) {
      yield undefined;
      this.#spend(line);
      if (comment.test(line)) continue;
      if (line.length > MAX_LINE_CHARS) throw new Error(TOO_MUCH);
      const parts = withoutSubstitutions(line);
      // What a line sets, its end may name.
      for (const part of parts) yield* this.#assign(part);
      for (const part of parts) if (NAMES.test(part)) yield* this.#wordsOf(part, line, file, places);
    }
  }

  *#wordsOf(part: string, line: string, file: string, places: Set<string>): Generator<Named | undefined> {
    const own = dirname(file);
    const lineMark = markOf(line);
    const lists = (lineMark.isRead || lineMark.isRun) && LISTS.test(line);
    const seen = new Set<string>();
    const isOfUnit = IS_UNIT.test(file) && lineMark.isRun;
    let reads = false;
    let before = '';
    let isElsewhere = false;
    for (const word of wordsOf(part)) {
      yield undefined;
      const start = before;
      if (!NAMES.test(word) && !TAKES_ANY.test(start) && !isOfUnit) {
        before = word.split(BETWEEN).at(-1) ?? '';
        reads = readsNext(before, reads);
        continue;
      }
      const isSearched = lineMark.whole === 'files' && /PATH\+?=/.test(word);
      for (const told of this.#told(word)) {
        before = start;
        for (const each of piecesOf(told)) {
          const previous = before;
          before = each;
          const isSource = reads;
          reads = readsNext(each, reads);
          if (GOES.test(previous) && !goTo(each, places, own)) isElsewhere = true;
          const isPlace = IS_PLACE.test(previous);
          if (seen.has(each) && !isPlace && !isSource) continue;
          seen.add(each);
          const mark: Mark = lists && !isPlace ? { ...lineMark, whole: 'any' } : lineMark;
          const how = { mark, previous, isPlace, isElsewhere, isSource, isSearched, isOfUnit };
          yield* meantBy(each, how, mark.isRead ? [own, ...places] : [...places]);
        }
      }
    }
  }

  /** Throws where all that is told becomes too long. */
  #told(word: string): ReadonlySet<string> {
    const all = alternativesOf(word, (name) => this.#values.get(name) ?? fromEnvironment(name));
    for (const each of all) this.#spend(each);
    return all;
  }

  #spend(text: string): void {
    this.#left -= text.length + EACH_CHARS;
    if (this.#left < 0) throw new Error(TOO_MUCH);
  }

  /** What it names already: where zsh looks for its own files. */
  *#assign(part: string): Generator<Named | undefined> {
    for (const pattern of [ASSIGNED, SET, SET_WHERE_NOT])
      for (const [, name = '', value = ''] of part.matchAll(pattern)) {
        yield undefined;
        const isList = value.startsWith('(');
        this.#set(name, isList ? [...wordsOf(value.slice(1, -1))] : [bare(value)]);
        if (name !== 'ZDOTDIR') continue;
        for (const directory of this.#values.get(name) ?? [])
          for (const own of ZSH_START_FILES)
            if (directory.startsWith('/') && !isWild(directory))
              yield { path: resolve(directory, own), isRead: true, isRun: false, whole: undefined, isPlace: false };
      }
    for (const [, name = '', list = ''] of part.matchAll(LOOPS)) {
      yield undefined;
      this.#set(name, [...wordsOf(list)]);
    }
  }

  /** It keeps what it was as well: nobody knows which branch is taken, and by which shell. */
  #set(name: string, values: readonly string[]): void {
    if (IS_LIST_OF_PATHS.test(name) || name === 'HOME') return;
    const all = this.#values.get(name) ?? new Set();
    for (const value of values)
      for (const told of this.#told(value)) {
        const known = told.length > MAX_VALUE_CHARS || all.size >= MAX_VALUES ? ANY : behindHome(told);
        all.add(known);
      }
    this.#values.set(name, all);
  }
}

/** What is the same for all of a user's programs. */
function fromEnvironment(name: string): readonly string[] | undefined {
  const value = /^(USER|LOGNAME|XDG_(CONFIG|DATA|CACHE|STATE)_HOME)$/.test(name) ? process.env[name] : undefined;
  return value ? [value] : undefined;
}

function markOf(line: string): Mark {
  const whole = SEARCHED.test(line) ? 'files' : WHOLE.test(line) ? 'scripts' : undefined;
  return { isRead: READS.test(line), isRun: RUNS.test(line) || FIRST.test(line), whole };
}

/** A word may hold a list, or an option and its value; a path may hold what separates those. */
function piecesOf(told: string): readonly string[] {
  const pieces = told
    .split(BETWEEN)
    .filter((each) => each !== '')
    .map((each) => behindHome(each.replace(/^-\w(?=[~/])/, '')));
  const whole = behindHome(told);
  return /^\/[^;&|<>()`]*$/.test(whole) && !pieces.includes(whole) ? [...pieces, whole] : pieces;
}

/** The directories that a relative one is meant from may be several. */
function pathsOf(word: string, from: readonly string[], isArgument: boolean): readonly string[] {
  if (word.startsWith('/')) return [absolute(word)];
  if (word.startsWith(ANY) || !(isArgument ? /\w/ : /\w\/|\.\w|\/\w/).test(word)) return [];
  return from.map((directory) => absolute(`${directory}/${word}`));
}

/** Behind what is wild nothing is resolved. */
const absolute = (path: string) => (isWild(path) ? path.replace(/\/(\.?\/)+/g, '/') : resolve(path));

type How = {
  readonly mark: Mark;
  readonly previous: string;
  readonly isPlace: boolean;
  /** Its commands may have gone to where nobody can tell. */
  readonly isElsewhere: boolean;
  /** It is read in place of its line. */
  readonly isSource: boolean;
  /** It stands in a list of directories that are searched. */
  readonly isSearched: boolean;
  /** It is a word of what a service or a starter runs. */
  readonly isOfUnit: boolean;
};

/** All that one word may mean. @param from the directories that a relative one is meant from */
function* meantBy(word: string, how: How, from: readonly string[]): Generator<Named> {
  const { mark, previous, isPlace, isElsewhere, isSource, isSearched, isOfUnit } = how;
  for (const path of pathsOf(word, from, SOURCES.test(previous) || isOfUnit)) yield { ...mark, path, isPlace };
  const end = endOfUntold(word, mark, isElsewhere);
  for (const one of [...(end === undefined ? [] : [end]), ...modulesBehind(previous, word, mark)])
    yield { ...mark, end: one, isPlace };
  if ((isSource && isRelative(word)) || isSearchedThere(word, mark, isSearched))
    yield { ...mark, there: word, isPlace: false };
}

/** Whether what follows a word is a file that is read; options stand between. */
const readsNext = (word: string, before: boolean) => READS_THERE.test(word) || (before && word.startsWith('-'));

const isRelative = (word: string) => !isWild(word) && /^[\w.@][^~$]*$/.test(word) && /\w/.test(word);

/** @param isList the word is the list itself */
function isSearchedThere(word: string, { whole }: Mark, isList: boolean): boolean {
  return whole === 'files' && SEARCHED_THERE.test(word) && (isList ? !/PATH$/.test(word) : /^\.\//.test(word));
}

/** Of a module that Python is told to run, the files that it may be: it is looked for where Python works, too. */
function modulesBehind(previous: string, word: string, { isRun }: Mark): readonly string[] {
  return isRun && previous === '-m' ? filesOfModule(word) : [];
}

/** By which end a file is named whose directory can't be told. */
function endOfUntold(word: string, { isRead, isRun }: Mark, isElsewhere: boolean): string | undefined {
  const isUntold = word.startsWith(ANY) && (isRead || isRun);
  const isRelative = isElsewhere && !word.startsWith('/') && /[./]/.test(word);
  if (!isUntold && !isRelative) return undefined;
  const end = word.replace(/^.*[*?\]\0]/s, '');
  if (end !== word && !end.startsWith('/')) return undefined;
  // By one name alone only what is read: a program of that name may lie anywhere.
  return isRead || isRelative || /.\/./.test(end.slice(1)) ? end : undefined;
}

/** False where it can't be told where to. */
function goTo(word: string, places: Set<string>, own: string): boolean {
  if (isWild(word) || word === '-') return false;
  const from = [...places, own];
  for (const directory of word.startsWith('/') ? [word] : from.map((each) => `${each}/${word}`))
    if (places.size < MAX_PLACES) places.add(resolve(directory));
  return word.startsWith('/') && places.size < MAX_PLACES;
}
