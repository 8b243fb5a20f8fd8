/**
 * Paths that a hostile project or host chose: their bytes as text, what is there, over which links they lead, and which
 * lies below which.
 *
 * Names that are no UTF-8 become text and come back without loss: a byte that belongs to no character stands as U+DC80
 * … U+DCFF, which no valid text holds and JSON keeps. Whoever shows such a text, or sends it anywhere, spells it.
 */
import { isUtf8 } from 'node:buffer';
import { type BigIntStats, type Dirent, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';

const BYTES = /[\udc80-\udcff]/gu;
const FIRST = 0xdc00;

/** How many bytes a character has that begins with this one; 0 where none does. */
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

/** As the system takes a path: its bytes, where it is no valid text. */
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

/** For a person or a model: each such byte as `⟨xE9⟩`. */
export function spelledBytes(text: string): string {
  return text.replace(BYTES, (character) => `⟨x${(character.charCodeAt(0) - FIRST).toString(16).toUpperCase()}⟩`);
}

// What is there. Whatever a name is, the look at it never throws.

/** Of a path by which nobody reaches anything. */
const NOT_THERE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP', 'ERR_INVALID_ARG_VALUE']);
/** Of a directory that is closed to this account. */
const CLOSED: ReadonlySet<string> = new Set(['EACCES', 'EPERM']);
/** Something may be there. */
export const UNKNOWN = 'unknown';

/** What is there, links not followed; undefined where nothing is. Never throws for what the system says. */
export function seenAt(path: string): BigIntStats | undefined | typeof UNKNOWN {
  return asked<BigIntStats | typeof UNKNOWN | undefined>(
    () => lstatSync(pathOf(path), { bigint: true, throwIfNoEntry: false }),
    () => UNKNOWN,
  );
}

/** Where the link there leads; undefined where none is, or it can't be told. */
function targetAt(path: string): string | undefined {
  const found = seenAt(path);
  if (found === undefined || found === UNKNOWN || !found.isSymbolicLink()) return undefined;
  return asked<string | undefined>(
    () => readlinkSync(pathOf(path), 'utf8'),
    () => undefined,
  );
}

/**
 * Undefined where no directory is there, or it is closed to this account. Throws where it can't be read for another
 * reason.
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

/** Only what the system says of a file is an answer: other errors are the program's own. */
function asked<Answer>(ask: () => Answer, otherwise: (code: string, error: unknown) => Answer): Answer | undefined {
  try {
    return ask();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    if (code === undefined) throw error;
    return NOT_THERE.has(code) ? undefined : otherwise(code, error);
  }
}

// Over which links it leads.

/** As many as the system follows; a path over more of them leads nowhere. */
const MAX_LINKS = 40;
/** Of all places on all ways together. */
const MAX_CHARACTERS = 50_000_000;

/**
 * Tells of a path every place that it leads through: where each link of it lies, and where it ends, whether there is
 * anything or not; over too many links, the last of them that counts. A link to the outside that lies in a project can
 * be turned by whoever writes there. Links are hostile: nothing here is deeper or longer than they are many. What it
 * has seen of the files it does not look at again.
 * @throws where all paths it was asked about are too much together
 */
export function waysThrough(): WaysOf {
  const seen = new Map<string, readonly string[] | undefined>();
  let left = MAX_CHARACTERS;
  /** What stands in a link, the last part first. */
  const targetOf = (path: string) => {
    left -= path.length;
    if (left < 0) throw new Error('its links lead through too much');
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

/** Without those that lead nowhere else, the last one first; the first of an absolute path is a slash. */
function partsOf(path: string | undefined): readonly string[] | undefined {
  if (path === undefined) return undefined;
  const parts = path.split('/').filter((name) => name !== '' && name !== '.');
  return [...(isAbsolute(path) ? ['/'] : []), ...parts].reverse();
}

// Which lies below which. Whoever is hostile may write long lists: nothing here takes the square of their length.

/** In the order of these, all that lies below a path comes right behind it: no path holds a NUL. */
const keyOf = (path: string) => path.replaceAll('/', '\0');

const isWithin = (key: string, top: string) => key === top || key.startsWith(`${top}\0`);

/** Each once, the first of those with its path, and none that lies below another. */
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

/** Among many things with paths, those that a path has to do with. */
type Around<Thing> = {
  /** The topmost thing that stands at the path, or above it. */
  over(path: string): Thing | undefined;
  /** Some thing that lies below the path. */
  below(path: string): Thing | undefined;
};

/** Each question takes the logarithm of their number. */
export function around<Thing>(things: readonly Thing[], pathOf: (thing: Thing) => string): Around<Thing> {
  const tops = topmost(things, pathOf).map((thing) => ({ thing, key: keyOf(pathOf(thing)) }));
  /** How many of them come before the key, or are it. */
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

/** Tells of a path whether it is one of these, or lies below one. */
export function within(paths: readonly string[]): (path: string) => boolean {
  const { over } = around(paths, (path) => path);
  return (path) => over(path) !== undefined;
}
