/**
 * Handles paths chosen by a hostile project or host: their bytes as text, which file is there, the links they pass, and
 * which is below which. A name that is not UTF-8 is converted to text without loss: each invalid byte becomes U+DC80
 * … U+DCFF, which no valid text contains and JSON keeps. Such text must be escaped before it is shown or sent.
 */
import { isUtf8 } from 'node:buffer';
import { type BigIntStats, type Dirent, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';

const BYTES = /[\udc80-\udcff]/gu;
const FIRST = 0xdc00;

/** Returns the length in bytes of a character that begins with this byte; 0 if none does. */
function lengthAt(byte: number): number {
  return byte < 0x80 ? 1 : byte < 0xc2 ? 0 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : byte < 0xf5 ? 4 : 0;
}

export function textOfBytes(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = lengthAt(bytes[at] as number);
    if (length > 0 && at + length <= bytes.length && (length === 1 || isUtf8(bytes.subarray(at, at + length)))) {
      at += length;
      continue;
    }
    parts.push(bytes.toString('utf8', from, at), String.fromCharCode(FIRST + (bytes[at] as number)));
    at += 1;
    from = at;
  }
  parts.push(bytes.toString('utf8', from));
  return parts.join('');
}

export const isOfBytes = (text: string) => text.search(BYTES) >= 0;

/** Returns a path as Node accepts it: as bytes if it is not valid text. */
export function pathOf(text: string): string | Buffer {
  return isOfBytes(text) ? bytesOfText(text) : text;
}

export function bytesOfText(text: string): Buffer {
  const parts: Buffer[] = [];
  let from = 0;
  for (const { 0: character, index } of text.matchAll(BYTES)) {
    parts.push(Buffer.from(text.slice(from, index)), Buffer.of(character.charCodeAt(0) - FIRST));
    from = index + 1;
  }
  return Buffer.concat([...parts, Buffer.from(text.slice(from))]);
}

/** Returns the text for a person or a model, with each invalid byte as `⟨xE9⟩`. */
export function spelledBytes(text: string): string {
  return text.replace(BYTES, (character) => `⟨x${(character.charCodeAt(0) - FIRST).toString(16).toUpperCase()}⟩`);
}

// Looks up the file at a path. Never throws, whatever the name is.

/** Errors that mean that no file can be reached by the path. */
const NOT_THERE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP', 'ERR_INVALID_ARG_VALUE']);
/** Errors that mean that this account may not enter the directory. */
const CLOSED: ReadonlySet<string> = new Set(['EACCES', 'EPERM']);
/** Returned when a file may exist. */
export const UNKNOWN = 'unknown';

/**
 * Returns the state of a path without following links; undefined if nothing is there. Never throws for a system error.
 */
export function seenAt(path: string): BigIntStats | undefined | typeof UNKNOWN {
  return asked<BigIntStats | typeof UNKNOWN | undefined>(
    () => lstatSync(pathOf(path), { bigint: true, throwIfNoEntry: false }),
    () => UNKNOWN,
  );
}

/** Returns the target of a link; undefined if there is no link, or it can’t be read. */
function targetAt(path: string): string | undefined {
  const found = seenAt(path);
  if (found === undefined || found === UNKNOWN || !found.isSymbolicLink()) return undefined;
  return asked<string | undefined>(
    () => readlinkSync(pathOf(path), 'utf8'),
    () => undefined,
  );
}

/**
 * Returns the names in a directory; undefined if it does not exist or this account may not read it. Throws for any
 * other error.
 */
export function entriesAt(directory: string): readonly Dirent[] | undefined {
  return asked<readonly Dirent[] | undefined>(
    () => readdirSync(pathOf(directory), { withFileTypes: true }),
    (code, error) => {
      if (CLOSED.has(code)) return undefined;
      throw error;
    },
  );
}

/** Calls the system and returns `otherwise` for a system error; other errors are bugs and thrown. */
function asked<Answer>(ask: () => Answer, otherwise: (code: string, error: unknown) => Answer): Answer | undefined {
  try {
    return ask();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    if (code === undefined) throw error;
    return NOT_THERE.has(code) ? undefined : otherwise(code, error);
  }
}

// Resolves links.

/** The most links that the system follows in a path. */
const MAX_LINKS = 40;
/** The most characters of all places in all paths together. */
const MAX_CHARACTERS = 50_000_000;

/**
 * Returns a function that lists every place a path passes through: the location of each link and the final target,
 * existing or not; beyond the most links, the last one followed. Anyone who can write to a project may change a link in
 * it. Links may be hostile, so depth and length are limited. Results are cached. @throws if all requested paths
 * together are too long
 */
export function waysThrough(): WaysOf {
  const seen = new Map<string, readonly string[] | undefined>();
  let left = MAX_CHARACTERS;
  /** Returns the parts of a link’s target, the last one first. */
  const targetOf = (path: string) => {
    left -= path.length;
    if (left < 0) throw new Error('its symbolic links lead through too many paths to follow');
    if (!seen.has(path)) seen.set(path, partsOf(targetAt(path)));
    return seen.get(path);
  };
  return (path) => {
    const ways: string[] = [];
    const rest = [...(partsOf(isAbsolute(path) ? path : join(process.cwd(), path)) ?? [])];
    let at = '';
    for (let name = rest.pop(); name !== undefined; name = rest.pop()) {
      if (name === '..') {
        at = at.slice(0, Math.max(0, at.lastIndexOf('/')));
        continue;
      }
      const here = name === '/' ? '' : `${at}/${name}`;
      const target = here === '' ? undefined : targetOf(here);
      if (target === undefined) {
        at = here;
        continue;
      }
      ways.push(here);
      if (ways.length > MAX_LINKS) return ways;
      rest.push(...target);
    }
    return [...ways, at || '/'];
  };
}

type WaysOf = (path: string) => readonly string[];

/** Returns the parts of a path without redundant ones, the last one first; an absolute path ends with a slash. */
function partsOf(path: string | undefined): readonly string[] | undefined {
  if (path === undefined) return undefined;
  const parts = path.split('/').filter((name) => name !== '' && name !== '.');
  return [...(isAbsolute(path) ? ['/'] : []), ...parts].reverse();
}

// Compares paths by containment. A hostile list may be long, so no operation takes quadratic time.

/** Returns a sort key by which everything below a path follows it directly: no path contains a NUL. */
const keyOf = (path: string) => path.replaceAll('/', '\0');

const isWithin = (key: string, top: string) => key === top || key.startsWith(`${top}\0`);

/** Returns the first item with each path, without items below another one. */
export function topmost<Thing>(things: readonly Thing[], pathOf: (thing: Thing) => string): readonly Thing[] {
  const keyed = things.map((thing) => ({ thing, key: keyOf(pathOf(thing)) }));
  keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  let top: string | undefined;
  return keyed.flatMap(({ thing, key }) => {
    if (top !== undefined && isWithin(key, top)) return [];
    top = key;
    return [thing];
  });
}

/** Finds items whose paths are above or below a given path. */
type Around<Thing> = {
  /** Returns the topmost item at the path or above it. */
  over(path: string): Thing | undefined;
  /** Returns an item below the path, if any. */
  below(path: string): Thing | undefined;
};

/** Prepares the search; each question takes logarithmic time. */
export function around<Thing>(things: readonly Thing[], pathOf: (thing: Thing) => string): Around<Thing> {
  const tops = topmost(things, pathOf).map((thing) => ({ thing, key: keyOf(pathOf(thing)) }));
  /** Returns how many keys are at or before this one. */
  const upTo = (key: string) => {
    let [low, high] = [0, tops.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((tops[middle]?.key ?? '') <= key) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {
    over(path) {
      const key = keyOf(path);
      const top = tops[upTo(key) - 1];
      return top !== undefined && isWithin(key, top.key) ? top.thing : undefined;
    },
    below(path) {
      const key = keyOf(path);
      const next = tops[upTo(key)];
      return next?.key.startsWith(`${key}\0`) ? next.thing : undefined;
    },
  };
}

/** Returns a test whether a path is one of these or below one. */
export function within(paths: readonly string[]): (path: string) => boolean {
  const { over } = around(paths, (path) => path);
  return (path) => over(path) !== undefined;
}
