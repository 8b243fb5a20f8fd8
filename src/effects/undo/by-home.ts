/** What of a project's tree the user's own start files name: shells, editors, ssh and the desktop run or obey it (MO-9). */
import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Turns } from '../../text/turns.ts';
import { endOf, NOTHING, type Obeyed, type Shape } from './obeyed-by.ts';
import { isWild, patternOf, segmentMatches, segmentsOf, slashesIn } from './patterns.ts';
import { entriesAt, seenAt, UNKNOWN } from './seen.ts';
import { startFiles } from './start-files.ts';
import { type Named, StartLines, TOO_MUCH, type Whole } from './start-lines.ts';
import type { Later } from './waiting.ts';
import type { WaysOf } from './ways.ts';

/** Read in turn, besides the start files themselves. */
const MAX_FILES = 500;
const MAX_BYTES = 1024 * 1024;
/** What all of them name, and what of it is a pattern that the tree may match. */
const MAX_NAMED = 20_000;
const MAX_SHAPES = 100;
/** What of a tree that is such a directory itself a program takes from it by its kind of name. */
const SCRIPTS = ['.sh', '.bash', '.zsh', '.zsh-theme', '.fish', '.vim', '.lua', '.el', '.py'];

/**
 * What of `tree` they name; by its end what is named with a beginning that can't be told. Others work in between, however long
 * it takes. Rejects where it is too much.
 */
export async function byHome(tree: string, waysOf: WaysOf): Promise<Obeyed> {
  const last = known;
  return (last && (await look(tree, waysOf, last))) ?? (await look(tree, waysOf)) ?? NOTHING;
}

/** What start files named when they were read last, in this order: between two commands they hardly ever change. */
let known: readonly ReadFile[] | undefined;

type ReadFile = { readonly file: string; readonly stamp: string; readonly named: readonly Named[] };

/** @param last what is taken for read, where all of it still stands as it was; undefined where it does not */
async function look(tree: string, waysOf: WaysOf, last?: readonly ReadFile[]): Promise<Obeyed | undefined> {
  const turns = new Turns();
  const lines = new StartLines();
  const found = new Found(tree, waysOf);
  const starts = startFiles();
  const files = new Set(starts);
  const read: ReadFile[] = [];
  let named = 0;
  // A set is gone through with what is added meanwhile.
  for (const file of files) {
    const stamp = stampOf(file);
    const same = last?.[read.length];
    if (last && (same?.file !== file || same.stamp !== stamp)) return undefined;
    const own = new Map<string, Named>();
    for (const each of same?.named ?? (stamp === '' ? [] : lines.namedIn(file, textOf(file)))) {
      if (turns.due) await turns.next();
      const key = each && JSON.stringify(each);
      if (key === undefined || own.has(key)) continue;
      own.set(key, each as Named);
      named += 1;
      for (const next of found.take(each as Named, file)) files.add(next);
      if (files.size - starts.length > MAX_FILES || named > MAX_NAMED) throw new Error(TOO_MUCH);
    }
    if (read.length < starts.length) found.lead(file);
    read.push({ file, stamp, named: [...own.values()] });
  }
  known = read;
  return { places: found.places, shapes: found.shapes, ends: found.ends };
}

/** A time of change has steps: what changed as recently as this may change again without a new one. */
const RECENT_MS = 2000;

/** Changes whenever the file does; empty where no plain file is. */
function stampOf(file: string): string {
  try {
    const found = statSync(file, { bigint: true });
    const { dev, ino, size, mtimeNs, ctimeNs, ctimeMs } = found;
    if (!found.isFile()) return '';
    const recent = Number(ctimeMs) > Date.now() - RECENT_MS ? performance.now() : '';
    return [dev, ino, size, mtimeNs, ctimeNs, recent].join(' ');
  } catch {
    return '';
  }
}

const isIn = (directory: string, path: string) => path.startsWith(`${directory}/`);

/** What is found of the tree. */
class Found {
  readonly #tree: string;
  readonly #waysOf: WaysOf;
  readonly #home = homedir();
  readonly #places = new Map<string, Later>();
  readonly #shapes = new Map<string, Shape>();
  readonly ends = new Set<string>();
  #globbed = 0;

  constructor(tree: string, waysOf: WaysOf) {
    this.#tree = tree;
    this.#waysOf = waysOf;
  }

  get places(): readonly Later[] {
    return [...this.#places.values()];
  }

  get shapes(): readonly Shape[] {
    return [...this.#shapes.values()];
  }

  /** Returns the files that are read in turn. Throws where it is too much. */
  take(named: Named, file: string): readonly string[] {
    const { path, there } = named;
    const what = `is named in ${file.replace(this.#home, '~')}`;
    if (there !== undefined) this.#takeThere(there, named, what);
    const end = named.end === undefined ? undefined : endOf(named.end);
    if (end !== undefined) this.ends.add(end);
    // What the tree says is anybody's: it leads to no place elsewhere that would be looked at.
    if (path === undefined || (isIn(this.#tree, file) && !this.#mayLead(path))) return [];
    if (!isWild(path)) return this.#takePath(path, named, what, isIn(this.#tree, file));
    // With a slash at its end it is a place to go to, too.
    if (named.isPlace || path.endsWith('/') || !(named.isRead || named.isRun || named.whole)) return [];
    this.#takeWild(path, named, what);
    const each = named.isRead ? this.#globbedBy(path) : [];
    return each.flatMap((one) => this.#takePath(one, named, what, isIn(this.#tree, file)));
  }

  /** A start file that is a link itself. */
  lead(file: string): void {
    const what = `is ${file.replace(this.#home, '~')}`;
    for (const way of this.#waysOf(file)) if (isIn(this.#tree, way)) this.#places.set(way, { path: way, what });
  }

  /** A file that is read wherever the shell works may be any of that name; a directory that is searched is one of the tree's. */
  #takeThere(there: string, named: Named, what: string): void {
    const end = named.whole === 'files' ? undefined : endOf(there);
    if (end !== undefined) this.ends.add(end);
    else if (named.whole === 'files') this.#takePath(join(this.#tree, there), named, what, true);
  }

  #mayLead(path: string): boolean {
    return isIn(this.#tree, path) || isIn(this.#home, path);
  }

  #takePath(path: string, { isRead, whole, isPlace }: Named, what: string, isOfTree: boolean): readonly string[] {
    const ways = this.#waysOf(path);
    const real = ways.at(-1) ?? path;
    const seen = seenAt(real);
    const isDirectory = seen !== UNKNOWN && seen?.isDirectory() === true;
    // Of a directory, which may be a place to go to, the links alone.
    const counts = !isPlace && (!isDirectory || whole !== undefined);
    for (const each of counts ? [path, ...ways] : ways.slice(0, -1))
      if (isIn(this.#tree, each)) this.#places.set(each, { path: each, what });
    if (counts && real === this.#tree && whole) this.#takeTree(whole, what);
    const isFile = seen !== UNKNOWN && seen?.isFile() === true;
    return isRead && isFile && (!isOfTree || this.#mayLead(real)) ? [real] : [];
  }

  /** The tree itself is such a directory: not all in it is meant. */
  #takeTree(whole: Whole, what: string): void {
    const prefix = `${this.#tree}/`;
    const depth = whole === 'files' ? slashesIn(prefix) : undefined;
    for (const suffix of whole === 'scripts' ? SCRIPTS : ['']) this.#add({ prefix, suffix, depth, what });
  }

  #takeWild(path: string, { whole }: Named, what: string): void {
    const { prefix, suffix, depth } = patternOf(path);
    const ways = this.#waysOf(prefix.slice(0, prefix.lastIndexOf('/')) || '/');
    for (const each of ways.slice(0, -1)) if (isIn(this.#tree, each)) this.#places.set(each, { path: each, what });
    const real = `${ways.at(-1) === '/' ? '' : (ways.at(-1) ?? '')}${prefix.slice(prefix.lastIndexOf('/'))}`;
    const change = slashesIn(real) - slashesIn(prefix);
    // Directories whose files are meant.
    const deeper = whole === undefined ? 0 : 1;
    const counted = depth === undefined ? undefined : depth + change + deeper;
    const shape = { prefix: real, suffix: deeper ? '' : suffix, depth: counted, what };
    const isBelow = isIn(this.#tree, `${real}x`);
    // What may be meant of a tree far below it is told by a name of its own.
    const isAbove = this.#tree.startsWith(real) && shape.suffix.includes('/');
    if (isBelow || isAbove) this.#add(shape);
  }

  #add(shape: Shape): void {
    this.#shapes.set(JSON.stringify([shape.prefix, shape.suffix, shape.depth]), shape);
    if (this.#shapes.size > MAX_SHAPES) throw new Error(TOO_MUCH);
  }

  /** What is there of a wild path in the home directory or the tree: each is read, too. */
  #globbedBy(path: string): readonly string[] {
    const segments = this.#mayLead(path) ? segmentsOf(path) : undefined;
    let found: readonly string[] = segments ? ['/'] : [];
    for (const segment of segments ?? []) {
      if (!isWild(segment)) found = found.map((directory) => join(directory, segment));
      else
        found = found.flatMap((directory) =>
          (entriesAt(directory) ?? []).flatMap(({ name }) => {
            this.#globbed += 1;
            if (this.#globbed > MAX_NAMED) throw new Error(TOO_MUCH);
            return segmentMatches(segment, name) ? [join(directory, name)] : [];
          }),
        );
    }
    return found;
  }
}

/** Empty where there is no such file, or it is closed to this account. Throws where it is too large. */
function textOf(path: string): string {
  let opened: number;
  try {
    opened = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    return '';
  }
  try {
    const found = fstatSync(opened);
    if (!found.isFile()) return '';
    if (found.size > MAX_BYTES) throw new Error(TOO_MUCH);
    return readFileSync(opened, 'utf8');
  } finally {
    closeSync(opened);
  }
}
