import { lstat, readFile, realpath } from 'node:fs/promises';
import { sha256 } from '../text/digest.ts';

/** Largest file whose content is compared, in bytes; larger ones are nobody's. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;
/** Most files that are remembered; beyond it the oldest goes. */
const MAX_FILES = 2000;
/** Most targets of one action that are looked at. */
const MAX_TARGETS = 200;

type Identity = {
  readonly device: bigint;
  readonly inode: bigint;
  readonly size: bigint;
  readonly modified: bigint;
  readonly hash: string;
};

/** The targets of an action as they were before it. */
export type Before = readonly { readonly path: string; readonly was: 'absent' | 'own' }[];

/**
 * Which files the model's own actions made in this conversation: seen, not guessed, by looking at what an action names
 * before and after it. A file counts as long as nobody else has changed it; links and files with several names never do.
 */
export class OwnFiles {
  private readonly files = new Map<string, Identity>();

  /** Looks at the targets of an action that is about to run. Absolute paths; never rejects. */
  async before(targets: readonly string[]): Promise<Before> {
    const looked = await Promise.all(
      targets.slice(0, MAX_TARGETS).map(async (path) => {
        if (await isAbsent(path)) return { path, was: 'absent' as const };
        return (await this.isOwn(path)) ? { path, was: 'own' as const } : undefined;
      }),
    );
    return looked.flatMap((found) => found ?? []);
  }

  /** Takes note of what the action made of them. Never rejects. */
  async after(before: Before): Promise<void> {
    for (const { path } of before) {
      const identity = await identify(path);
      this.files.delete(path);
      if (identity) this.files.set(path, identity);
      const oldest = this.files.keys().next().value;
      if (this.files.size > MAX_FILES && oldest !== undefined) this.files.delete(oldest);
    }
  }

  /** The files of its own that nobody has changed since. */
  async unchanged(): Promise<ReadonlySet<string>> {
    const paths = [...this.files.keys()];
    const own = await Promise.all(paths.map((path) => this.looksOwn(path)));
    return new Set(paths.filter((_, index) => own[index]));
  }

  /** The same by size, time and number alone: what is changed is compared in full before it is. */
  private async looksOwn(path: string): Promise<boolean> {
    const known = this.files.get(path);
    return known !== undefined && (await factsOf(path, known)) !== undefined;
  }

  /** Is this a file that the model's actions made, and as they left it? */
  async isOwn(path: string): Promise<boolean> {
    const known = this.files.get(path);
    if (!known) return false;
    const now = await identify(path, known);
    return now !== undefined && now.hash === known.hash;
  }
}

/** Those of the paths that are plain files with one name, reached through no link. */
export async function plainFiles(paths: readonly string[]): Promise<ReadonlySet<string>> {
  const plain = await Promise.all(paths.map(isPlain));
  return new Set(paths.filter((_, index) => plain[index]));
}

async function isPlain(path: string): Promise<boolean> {
  try {
    const found = await lstat(path);
    return found.isFile() && found.nlink === 1 && (await realpath(path)) === path;
  } catch {
    return false;
  }
}

async function isAbsent(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT';
  }
}

type Facts = Omit<Identity, 'hash'>;

/** What a file is told by; undefined for all but plain files with one name, reached through no link, and as `known`. */
async function factsOf(path: string, known?: Facts): Promise<Facts | undefined> {
  try {
    const { dev, ino, size, mtimeNs, nlink, isFile } = await statOf(path);
    if (!isFile || nlink !== 1n || size > MAX_FILE_BYTES || (await realpath(path)) !== path) return undefined;
    const same =
      !known || (known.device === dev && known.inode === ino && known.size === size && known.modified === mtimeNs);
    return same ? { device: dev, inode: ino, size, modified: mtimeNs } : undefined;
  } catch {
    return undefined;
  }
}

async function identify(path: string, known?: Facts): Promise<Identity | undefined> {
  const facts = await factsOf(path, known);
  try {
    return (
      facts && {
        ...facts,
        hash: sha256(await readFile(path)),
      }
    );
  } catch {
    return undefined;
  }
}

async function statOf(path: string) {
  const found = await lstat(path, { bigint: true });
  return { ...found, isFile: found.isFile() };
}
