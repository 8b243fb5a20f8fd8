/** What an action left, by name, as the launcher tells it; and which of it the session itself has made. */
import { type BigIntStats, statSync } from 'node:fs';
import { dirname, normalize } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Ran, runLauncher, type Step } from './launcher.ts';
import { pathOf, seenAt, UNKNOWN } from './paths.ts';

/** An inode at one moment: nobody can set its time of change, so that it shows whether anybody was there since. */
type Moment = { readonly file: string; readonly changed: bigint };

export type Name = {
  /** `made` by the action; `moved`: older, and has got this name; `changed` in place. */
  readonly verb: 'made' | 'moved' | 'changed';
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'link' | 'other';
  readonly now: Moment;
  /** When the same inode was changed last before the action; 0 where it was not there. */
  readonly was: bigint;
  /** What stood under the name before. */
  readonly before?: Moment;
};

const VERBS: readonly Name['verb'][] = ['made', 'moved', 'changed'];
const KINDS: ReadonlyMap<string, Name['kind']> = new Map([
  ['f', 'file'],
  ['d', 'directory'],
  ['l', 'link'],
]);
/** The launcher's exit code while somebody else holds the action. */
const NOT_ENDED = 75;
const STEP_MS = 20;
const MAX_WAIT_MS = 5000;
const UNKEPT = 'unkept ';
/** Most files and directories that are remembered as the session's own. */
const MAX_OWN = 50_000;

/** Throws where that can't be told, or not all of it. */
export async function namesLeft(launcher: string, directory: string): Promise<readonly Name[]> {
  const { code, steps, error } = await whenEnded(() => runLauncher(launcher, ['--undo', directory, '--names']));
  if (code !== 0) throw new Error(error || `the launcher ended with ${code}`);
  return namesIn(steps);
}

/** Whoever kept an action lets go of it a moment after its end is known. */
export async function whenEnded(ask: () => Promise<Ran>): Promise<Ran> {
  let ran = await ask();
  for (let waited = 0; ran.code === NOT_ENDED && waited < MAX_WAIT_MS; waited += STEP_MS) {
    await sleep(STEP_MS);
    ran = await ask();
  }
  return ran;
}

/** What the launcher printed of them, on whatever machine. */
export function namesIn(steps: readonly Step[]): readonly Name[] {
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

/**
 * What changed past the store while an action ran, as the launcher noted it: names of which the store knows nothing.
 */
export function unkeptIn(notes: readonly string[], names: readonly Name[]): readonly Name[] {
  const known = new Set(names.map(({ path }) => path));
  const paths = notes.filter((note) => note.startsWith(UNKEPT)).map((note) => normalize(note.slice(UNKEPT.length)));
  const nothing = { file: '', changed: 0n };
  return [...new Set(paths)]
    .filter((path) => !known.has(path))
    .map((path) => ({ verb: 'changed', path, kind: 'other', now: nothing, was: 0n }));
}

/** The clock that files get their times from runs behind by less than this. */
const CLOCK_MS = 1000;

/**
 * Whether a directory stands where it stood when an action began: nothing came or went beside it since. What changed in
 * it past the store is told by its own name then. Nobody can set the time of a change.
 * @param began ms since 1970
 */
export function stoodAt(path: string, began: number): boolean {
  if (fileAt(path, true) === undefined) return false;
  const above = seenAt(dirname(path));
  return above !== undefined && above !== UNKNOWN && Number(above.ctimeMs) < began - CLOCK_MS;
}

/** As the launcher has device numbers: the two halves apart. */
const fileKey = (dev: bigint, ino: bigint) => `${dev}:${ino}`;

/** The two halves of a device number, as stat packs them on Linux. */
function halvesOf(dev: bigint): bigint {
  const major = ((dev >> 8n) & 0xfffn) | ((dev >> 32n) & ~0xfffn);
  const minor = (dev & 0xffn) | ((dev >> 12n) & ~0xffn);
  return (major << 32n) | (minor & 0xffff_ffffn);
}

/** Which file or directory is there, as `Name` has it; undefined where none is, or it can't be told. */
export function fileAt(path: string, onlyDirectory = false): string | undefined {
  const found = seenAt(path);
  if (found === undefined || found === UNKNOWN) return undefined;
  return onlyDirectory && !found.isDirectory() ? undefined : fileOf(found);
}

/** The same behind links. */
export function fileBehind(path: string): string | undefined {
  try {
    return fileOf(statSync(pathOf(path), { bigint: true }));
  } catch {
    return undefined;
  }
}

export const fileOf = ({ dev, ino }: Pick<BigIntStats, 'dev' | 'ino'>) => fileKey(halvesOf(dev), ino);

/** What the session knows of a file or directory that it made, beside its device and inode. */
type Own = {
  /** The number of an inode may come again; the time of its birth does not. */
  readonly born: bigint;
  /** Of a file: as the session left it, since what somebody else wrote to it is not the session's. */
  readonly changed?: bigint;
};

/**
 * Which files and directories are the session's: an action of it made the inode, and its name displaced nothing of the
 * user's. Whatever can't be told is the user's, so everything on file systems that keep no time of birth.
 */
export class Provenance {
  /** By device and inode. */
  readonly #own = new Map<string, Own>();

  /** Learns what an action left. Returns what `load` takes in the next program of this session. */
  take(names: readonly Name[]): string {
    // Of several names of one inode, each counts.
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
    // What took the place of a file of the user's is the user's, whoever made it.
    if (before && !this.#knows(before)) return false;
    return verb === 'made' || this.#knows({ file: now.file, changed: was });
  }

  #knows({ file, changed }: Moment): boolean {
    const own = this.#own.get(file);
    return own !== undefined && (own.changed === undefined || own.changed === changed);
  }

  /** What `take` returned, one action after the other. */
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

  /** Whether the session made what is there, and it is as an action of the session left it. Links are not followed. */
  made(path: string): boolean {
    const found = seenAt(path);
    if (found === undefined || found === UNKNOWN) return false;
    const own = this.#own.get(fileOf(found));
    return own?.born === found.birthtimeNs && (own.changed ?? found.ctimeNs) === found.ctimeNs;
  }
}
