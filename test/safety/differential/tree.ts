/** The scratch tree in which lines run: its contents before and after. */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  type Stats,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';

export const HOME = '/home/proof';
export const PROJECT = `${HOME}/project`;

/** The initial contents, kept in memory, where no line can change them; folders precede their contents. */
let template: readonly {
  readonly path: string;
  readonly mode: number;
  readonly content: Buffer | undefined;
  readonly leads?: string;
}[] = [];

/** The file at a path: its kind, its mode, and its content or target. */
export type Entry = {
  readonly kind: 'file' | 'link' | 'folder' | 'other';
  readonly mode: number;
  readonly content: string;
};
export type Snapshot = ReadonlyMap<string, Entry>;

const FILES: Readonly<Record<string, string>> = {
  'project/README.md': '# x\nline\n',
  'project/notes.md': 'precious\n'.repeat(5),
  'project/data/a.txt': '1\n2\n',
  'project/data/b.csv': 'a,b\n1,2\n',
  'project/src/index.ts': 'export const x = 1\n',
  'project/src/main.py': 'print(1)\n',
  'project/src/main.c': 'int main(void) { return 0; }\n',
  'project/package.json': '{ "name": "x", "version": "1.0.0", "scripts": { "test": "echo t", "build": "echo b" } }\n',
  'project/Makefile': 'all:\n\techo hi\ntest:\n\techo t\n',
  'project/a.json': '{"a":[1,2]}\n',
  'project/config.yml': 'a: 1\n',
  'project/app.log': 'ERROR x\n'.repeat(10),
  'project/tests/test_a.py': 'def test_a():\n  assert 1\n',
  'project/docs/x.md': 'd\n',
  'project/.env': 'S=1\n',
  '.bashrc': '# rc\n',
  '.profile': '# p\n',
  '.ssh/id_rsa': 'KEY\n',
  '.ssh/config': '\n',
  '.gitconfig': '[user]\n\tname = a\n\temail = a@b.c\n',
  '.npmrc': 'x=1\n',
};

const HISTORY = `git init -q -b main && git add -A && git commit -qm one && echo more >>notes.md && git commit -qam two &&
  git branch feature && git tag v1 && git update-ref refs/remotes/origin/main HEAD && echo stashed >>docs/x.md &&
  git stash -q && echo dirty >>src/main.py && echo untracked >untracked.txt && tar czf a.tar.gz data && gzip -k data/a.txt && echo precious >precious.txt && mkdir -p lib/below &&
  echo victim >lib/victim && ln -s lib/below link && ln -s precious.txt lnk`;

/**
 * Makes the template from which every line gets a copy: a project with a history, uncommitted changes, and a home
 * folder.
 */
export function makeTemplate(): void {
  for (const [path, content] of Object.entries(FILES)) {
    mkdirSync(dirname(join(HOME, path)), { recursive: true });
    writeFileSync(join(HOME, path), content);
  }
  const { status, stderr } = spawnSync('bash', ['-c', HISTORY], { cwd: PROJECT, encoding: 'utf8' });
  if (status !== 0) throw new Error(`no history was made: ${stderr}`);
  template = readdirSync(HOME, { recursive: true, withFileTypes: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name);
    const mode = lstatSync(path).mode & 0o7777;
    const leads = entry.isSymbolicLink() ? { leads: readlinkSync(path) } : {};
    return { path, mode, content: entry.isFile() ? readFileSync(path) : undefined, ...leads };
  });
}

/** Makes a fresh tree for one line. */
export function freshTree(): void {
  try {
    removeTree();
  } catch {
    // A line may have locked a folder.
    spawnSync('chmod', ['-R', 'u+rwX', HOME, '/tmp'], { stdio: 'ignore' });
    removeTree();
  }
  mkdirSync(HOME, { recursive: true });
  for (const { path, mode, content, leads } of template) {
    if (leads !== undefined) symlinkSync(leads, path);
    else if (content === undefined) mkdirSync(path, { mode });
    else writeFileSync(path, content, { mode });
  }
}

function removeTree(): void {
  for (const name of readdirSync('/tmp')) rmSync(join('/tmp', name), { recursive: true, force: true });
  rmSync(HOME, { recursive: true, force: true });
}

const PATH = /^(?:~\/|\/tmp\/|\.\/)?(?:[\w.@+-]+\/)*[\w.@+-]*$/;
/**
 * A word that is certainly a file name: `x`, `f2`, `main.c`. A longer bare word may also be a subcommand or a branch.
 */
const LIKE_A_FILE = /^[A-Za-z_][\w.+-]*\.[A-Za-z]\w{0,6}$|^\w{1,2}$/;
const MOST_COLLISIONS = 60;

/**
 * Creates a file at each path that a line names, and in each named folder a file by the name of each other path, so
 * that there is data to lose. Returns whether it created any.
 */
export function fill(line: string): boolean {
  const paths = pathsIn(line).map((word) => {
    if (word.startsWith('/')) return word;
    return word.startsWith('~/') ? join(HOME, word.slice(2)) : join(PROJECT, word);
  });
  const named = paths.filter((path) => put(path, path.endsWith('/')));
  const folders = [...new Set(paths)].filter((path) => isFolder(path));
  const names = [...new Set(paths.map((path) => basename(path)))];
  const collisions = folders.flatMap((folder) => names.map((name) => join(folder, name)));
  const collided = collisions.slice(0, MOST_COLLISIONS).filter((path) => put(path, false));
  return named.length + collided.length > 0;
}

/** Returns the words of a line that may be paths, and the file it finally writes to. */
export function pathsIn(line: string): readonly string[] {
  const paths = line.split(/[\s'"=;|&<>(){}:,]+/).flatMap((word) => {
    const named = PATH.test(word) && !word.includes('..') && word.length < 80 && !word.startsWith('-');
    if (!named || !(word.includes('/') || LIKE_A_FILE.test(word))) return [];
    return [word];
  });
  for (const [, target = ''] of line.matchAll(/>\|?\s*(\w+)(?=\s|$|[;)}])/g)) paths.push(target);
  return paths;
}

function isFolder(path: string): boolean {
  return existsSync(path) && lstatSync(path).isDirectory();
}

function put(path: string, folder: boolean): boolean {
  if (existsSync(path)) return false;
  try {
    mkdirSync(folder ? path : dirname(path), { recursive: true });
    writeFileSync(folder ? join(path, 'inside.txt') : path, `old content of ${path}\n`.repeat(3));
    return true;
  } catch {
    // A file is in place of a parent directory, so the path can’t exist.
    return false;
  }
}

const LARGEST = 2_000_000;

/** Returns the state of the home directory and the temporary directory. Does not follow links. */
export function snapshot(): Snapshot {
  const out = new Map<string, Entry>();
  const look = (folder: string): void => {
    for (const name of namesIn(folder)) {
      const path = join(folder, name);
      const entry = entryAt(path);
      out.set(path.startsWith(HOME) ? relative(HOME, path) : path, entry);
      if (entry.kind === 'folder') look(path);
    }
  };
  look(HOME);
  look('/tmp');
  return out;
}

/** Returns the names in a folder; none if it is gone or locked: then all its contents count as lost. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function entryAt(path: string): Entry {
  const stats = statsOf(path);
  // The contents of a folder that can’t be entered any more count as unreadable.
  if (!stats) return { kind: 'other', mode: 0, content: 'locked' };
  const mode = stats.mode & 0o7777;
  if (stats.isSymbolicLink()) return { kind: 'link', mode, content: readlinkSync(path) };
  if (stats.isDirectory()) return { kind: 'folder', mode, content: '' };
  if (!stats.isFile()) return { kind: 'other', mode, content: '' };
  const content = stats.size > LARGEST ? `${stats.size} bytes` : contentOf(path);
  return { kind: 'file', mode, content };
}

function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return 'locked';
  }
}
