/**
 * The files that an action left, by name, as the launcher reports them; and which of them the session itself has made.
 */
import { type BigIntStats, statSync } from 'node:fs';
import { dirname, normalize } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ran, Step } from './launcher.ts';
import { pathOf, seenAt, UNKNOWN } from './paths.ts';

/** The state of an inode at one moment. Nobody can set its change time, so a later change is always visible. */
type Moment = { readonly file: string; readonly changed: bigint };

export type Name = {
  /** `made` by the action; `moved`: an older file that the action renamed; `changed` in place. */
  readonly verb: 'made' | 'moved' | 'changed';
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'link' | 'other';
  readonly now: Moment;
  /** The inode’s last change time before the action; 0 if it did not exist. */
  readonly was: bigint;
  /** The file that had the name before. */
  readonly before?: Moment;
};

const VERBS: readonly Name['verb'][] = ['made', 'moved', 'changed'];
const KINDS: ReadonlyMap<string, Name['kind']> = new Map([
  ['f', 'file'],
  ['d', 'directory'],
  ['l', 'link'],
]);
/** The launcher’s exit code while another process still works on the action. */
export const NOT_ENDED = 75;
const STEP_MS = 20;
const MAX_WAIT_MS = 5000;
const UNKEPT = 'unkept ';
/** The most files and directories that are remembered as the session’s. */
const MAX_OWN = 50_000;

/** The launcher's work, on whatever machine. */
export type Launch = (...args: readonly string[]) => Promise<Ran>;

/** Returns the names that an action left. Throws if they can’t be listed completely. */
export async function namesLeft(launch: Launch, directory: string): Promise<readonly Name[]> {
  const { code, steps, error } = await whenEnded(() => launch('--undo', directory, '--names'));
  if (code !== 0) throw new Error(error || `the launcher ended with ${code}`);
  return namesIn(steps);
}

/**
 * Repeats a question while the action is still in use: its process releases the action a moment after its end is known.
 */
export async function whenEnded(ask: () => Promise<Ran>): Promise<Ran> {
  let ran = await ask();
  for (let waited = 0; ran.code === NOT_ENDED && waited < MAX_WAIT_MS; waited += STEP_MS) {
    await sleep(STEP_MS);
    ran = await ask();
  }
  return ran;
}

/** Parses the names that the launcher printed, from this machine or a host. */
function namesIn(steps: readonly Step[]): readonly Name[] {
  return steps.flatMap(({ verb, path, source }): readonly Name[] => {
    const known = VERBS.find((each) => each === verb);
    const [kind = '', ...told] = source.split(' ');
    const numbers = told.map((number) => (/^\d{1,20}$/.test(number) ? BigInt(number) : 0n));
    const [dev = 0n, ino = 0n, changed = 0n, was = 0n, oldDev = 0n, oldIno = 0n, oldChanged = 0n] = numbers;
    if (!known) return [];
    const before = oldIno === 0n ? {} : { before: { file: fileKey(oldDev, oldIno), changed: oldChanged } };
    return [
      {
        verb: known,
        path,
        kind: KINDS.get(kind) ?? 'other',
        now: { file: fileKey(dev, ino), changed },
        was,
        ...before,
      },
    ];
  });
}

/** Returns the names of unrecorded changes during an action, as the launcher noted them. */
export function unkeptIn(notes: readonly string[], names: readonly Name[]): readonly Name[] {
  const known = new Set(names.map(({ path }) => path));
  const paths = notes.filter((note) => note.startsWith(UNKEPT)).map((note) => normalize(note.slice(UNKEPT.length)));
  const nothing = { file: '', changed: 0n };
  return [...new Set(paths)]
    .filter((path) => !known.has(path))
    .map((path) => ({ verb: 'changed', path, kind: 'other', now: nothing, was: 0n }));
}

/** The clock for file times lags behind by less than this. */
const CLOCK_MS = 1000;

/**
 * Returns whether no entry of a directory’s parent was added or removed since an action began; then unrecorded changes
 * inside the directory are listed by their own names. Nobody can set a change time.
 * @param began ms since 1970
 */
export function stoodAt(path: string, began: number): boolean {
  if (fileAt(path, true) === undefined) return false;
  const above = seenAt(dirname(path));
  return above !== undefined && above !== UNKNOWN && Number(above.ctimeMs) < began - CLOCK_MS;
}

/** Returns the launcher’s notation of a file: the two halves of the device number, and the inode. */
const fileKey = (dev: bigint, ino: bigint) => `${dev}:${ino}`;

/** Splits a device number into its halves, as stat packs them on Linux. */
function halvesOf(dev: bigint): bigint {
  const major = ((dev >> 8n) & 0xfffn) | ((dev >> 32n) & ~0xfffn);
  const minor = (dev & 0xffn) | ((dev >> 12n) & ~0xffn);
  return (major << 32n) | (minor & 0xffff_ffffn);
}

/**
 * Returns the identity of the file or directory at a path, as in `Name`; undefined if there is none or it is unknown.
 */
export function fileAt(path: string, onlyDirectory = false): string | undefined {
  const found = seenAt(path);
  if (found === undefined || found === UNKNOWN) return undefined;
  return onlyDirectory && !found.isDirectory() ? undefined : fileOf(found);
}

/** Returns the identity of the file at a path, with links resolved; undefined if there is none or it is unknown. */
export function fileBehind(path: string): string | undefined {
  try {
    return fileOf(statSync(pathOf(path), { bigint: true }));
  } catch {
    return undefined;
  }
}

export const fileOf = ({ dev, ino }: Pick<BigIntStats, 'dev' | 'ino'>) => fileKey(halvesOf(dev), ino);

/** The facts about a file or directory that the session made, besides its device and inode. */
type Own = {
  /** The birth time: the number of an inode may be reused, but with another birth time. */
  readonly born: bigint;
  /** For a file the change time when the session left it: later changes by somebody else are not the session’s. */
  readonly changed?: bigint;
};

/**
 * The files and directories of the session: an action made the inode, and its name replaced no file of the user. In
 * doubt a file is the user’s, so everything is on file systems without birth times.
 */
export class Provenance {
  /** The session’s files, by device and inode. */
  readonly #own = new Map<string, Own>();

  /** Learns the files that an action left. Returns text that `load` accepts in the next program of this session. */
  take(names: readonly Name[]): string {
    // If an inode has several names, each of them counts.
    const others = new Set(names.filter((name) => !this.#isMine(name)).map(({ now }) => now.file));
    const mine = new Map(
      names
        .filter(({ now }) => !others.has(now.file))
        .flatMap(({ path, kind, now }): readonly (readonly [string, Own])[] => {
          const found = seenAt(path);
          if (found === undefined || found === UNKNOWN || fileOf(found) !== now.file || found.birthtimeNs <= 0n)
            return [];
          const born = found.birthtimeNs;
          return [[now.file, kind === 'directory' ? { born } : { born, changed: now.changed }]];
        }),
    );
    const lines = names.map(({ now: { file } }) => {
      const { born, changed = '' } = mine.get(file) ?? { born: '' };
      return `= ${file} ${born} ${changed}`;
    });
    const text = [...new Set(lines)].slice(-MAX_OWN).join('\n');
    this.load(text);
    return text;
  }

  #isMine({ verb, now, was, before }: Name): boolean {
    // A file that replaced one of the user’s belongs to the user, whoever made it.
    if (before && !this.#knows(before)) return false;
    return verb === 'made' || this.#knows({ file: now.file, changed: was });
  }

  #knows({ file, changed }: Moment): boolean {
    const own = this.#own.get(file);
    return own !== undefined && (own.changed === undefined || own.changed === changed);
  }

  /** Loads the texts that `take` returned, one action after the other. */
  load(text: string): void {
    for (const line of text.split('\n')) {
      const [, file, born, changed] = /^= (\d+:\d+) (\d*) (\d*)$/.exec(line) ?? [];
      if (file === undefined) continue;
      this.#own.delete(file);
      if (born)
        this.#own.set(file, changed ? { born: BigInt(born), changed: BigInt(changed) } : { born: BigInt(born) });
    }
    for (const file of this.#own.keys()) {
      if (this.#own.size <= MAX_OWN) break;
      this.#own.delete(file);
    }
  }

  /**
   * Returns whether the session made the file at a path, and it is unchanged since an action of the session. Does not
   * follow links.
   */
  made(path: string): boolean {
    const found = seenAt(path);
    if (found === undefined || found === UNKNOWN) return false;
    const own = this.#own.get(fileOf(found));
    return own?.born === found.birthtimeNs && (own.changed ?? found.ctimeNs) === found.ctimeNs;
  }
}
