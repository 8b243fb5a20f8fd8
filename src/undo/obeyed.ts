/**
 * What of a project's tree others run or obey under a name of its own: git by its configuration (`core.hooksPath`,
 * `include.path`, filters and the like), everybody by a link or a second name that a well-known name is (MO-9).
 */
import { execFile } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { linkedIn, linksTo, olderAround, secondNamesIn } from './linked.ts';
import type { Name } from './names.ts';
import { isObeyedByGit } from './set-aside.ts';
import { listsIn } from './todo.ts';
import type { Later } from './waiting.ts';

const TIMEOUT_MS = 5000;
/** Repositories in one tree, and included files of one repository, that are asked about. */
const MAX_ASKED = 20;

/** Keys whose value is a command; an alias is one where it begins with an exclamation mark. */
const COMMANDS =
  /^(alias\..*|(core|sequence|interactive|gpg|diff|difftool|merge|mergetool|filter|trailer|hook|credential|pager|browser|man|sendemail|remote|uploadpack|tar|instaweb|guitool|ssh|submodule)\.(.*\.)?(editor|pager|askpass|fsmonitor|sshcommand|gitproxy|alternaterefscommand|program|defaultkeycommand|external|command|cmd|textconv|driver|clean|smudge|process|helper|difffilter|packobjectshook|receivepack|uploadpack|path|update|log|show|tocmd|cccmd|sendmailcmd))$/i;
const INCLUDES = /^include(if\..*)?\.path$/i;
/** What separates a path from the rest of a command line. */
const BETWEEN_WORDS = /[\s"'`;&|<>()=!$]+/;

/** git itself calls these where the whole tree is its directory of hooks. */
const HOOKS =
  'applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit pre-rebase post-checkout post-merge pre-push pre-auto-gc post-rewrite sendemail-validate fsmonitor-watchman post-index-change reference-transaction'.split(
    ' ',
  );

/** Programs of one directory that are compared with the system's. */
const MAX_PROGRAMS = 20_000;

const BY_GIT = 'is run or obeyed by git, as it is set up';

/**
 * Paths below `tree`, files and directories with all below them. Where there is no git, nothing is run by it.
 * @param names what an action left: what is around it is asked as well
 * @throws where there is too much around it
 */
export async function obeyedIn(tree: string, names: readonly Name[]): Promise<readonly Later[]> {
  const around = olderAround(tree, names);
  const found = await Promise.all(repositoriesIn(around).map((top) => byGit(top, tree)));
  // What lies in a repository's own directory goes by its names.
  const inside = [...found.flat(), ...programsIn(tree)].filter(({ path }) => isIn(tree, path) && !isGits(tree, path));
  const lists = repositoriesIn(around).flatMap(listsIn).flatMap(linksTo);
  const leading = lists.map((path): Later => ({ path, what: `leads to what git goes on with` }));
  const linked = [...linkedIn(tree, around), ...leading].filter(({ path }) => isIn(tree, path));
  const obeyed = [...inside, ...linked];
  return [...obeyed, ...secondNamesIn(tree, names, obeyed, isObeyedByGit)];
}

const isIn = (tree: string, path: string) => path.startsWith(`${tree}/`);
const isGits = (tree: string, path: string) => /\/\.git(\/|$)/.test(path.slice(tree.length));

function repositoriesIn(directories: ReadonlySet<string>): readonly string[] {
  return [...directories].filter((directory) => existsSync(join(directory, '.git'))).slice(0, MAX_ASKED);
}

async function byGit(top: string, tree: string): Promise<readonly Later[]> {
  const git: Git = (...args) => runGit(top, tree, args);
  const [hooks = '', entries] = await Promise.all([git('rev-parse', '--git-path', 'hooks'), entriesOf(top, git)]);
  const named = entries.flatMap(({ key, value, origin }) => {
    if (INCLUDES.test(key)) return [includedBy(value, origin)];
    if (!COMMANDS.test(key) || (/^alias\./i.test(key) && !value.startsWith('!'))) return [];
    return value
      .split(BETWEEN_WORDS)
      .map((word) => resolve(top, word))
      .filter(isFile);
  });
  const files = [...entries.map(({ origin }) => origin), ...named];
  return [...hooksIn(resolve(top, hooks.replace(/\n$/, '')), top), ...files].flatMap(bothNames);
}

type Entry = { readonly key: string; readonly value: string; readonly origin: string };

/** Of the configuration and of all it includes, also under conditions that don't hold now. */
async function entriesOf(top: string, git: Git): Promise<readonly Entry[]> {
  const all = await listed(top, git);
  const asked = new Set(all.map(({ origin }) => origin));
  for (let at = 0; at < all.length && asked.size < MAX_ASKED; at += 1) {
    const { key, value, origin } = all[at] as Entry;
    const path = INCLUDES.test(key) ? includedBy(value, origin) : origin;
    if (asked.has(path)) continue;
    asked.add(path);
    all.push(...(await listed(top, git, '--file', path)));
  }
  return all;
}

async function listed(top: string, git: Git, ...from: readonly string[]): Promise<Entry[]> {
  const output = await git('config', ...from, '--includes', '--list', '--null', '--show-origin');
  const fields = output.split('\0');
  const entries: Entry[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [key = '', value = ''] = (fields[at + 1] ?? '').split(/\n(.*)/s);
    entries.push({ key, value, origin: resolve(top, (fields[at] ?? '').replace(/^file:/, '')) });
  }
  return entries;
}

function includedBy(value: string, origin: string): string {
  return resolve(dirname(origin), value.replace(/^~(?=\/)/, homedir()));
}

function hooksIn(directory: string, top: string): readonly string[] {
  if (directory === top) return HOOKS.map((name) => join(top, name));
  return [directory, ...namesIn(directory).map((name) => join(directory, name))];
}

/** By its name, and where links on the way lead. */
function bothNames(path: string): readonly Later[] {
  const real = realOf(path);
  return [...new Set([path, ...(real === undefined ? [] : [real])])].map((each) => ({ path: each, what: BY_GIT }));
}

/** Directories of PATH that lie in the tree, and those that don't. */
function programDirectories(tree: string): readonly [inside: readonly string[], outside: readonly string[]] {
  const all = (process.env.PATH ?? '').split(delimiter).map((each) => realOf(resolve(tree, each)) ?? '');
  const isInside = (path: string) => path === tree || path.startsWith(`${tree}/`);
  return [all.filter(isInside), all.filter((path) => path !== '' && !isInside(path))];
}

/** A program in the tree that whoever types its name gets in place of the system's. */
function programsIn(tree: string): readonly Later[] {
  const [inside, outside] = programDirectories(tree);
  if (inside.length === 0) return [];
  const known = new Map(outside.flatMap((directory) => namesIn(directory).map((name) => [name, directory] as const)));
  return inside.flatMap((directory) =>
    namesIn(directory)
      .slice(0, MAX_PROGRAMS)
      .filter((name) => known.has(name))
      .map((name) => ({ path: join(directory, name), what: `runs wherever ${name} is typed` })),
  );
}

type Git = (...args: readonly string[]) => Promise<string>;

/** Its output; empty where it fails. Neither of what is asked here runs anything of the repository, nor is git one of its files. */
function runGit(cwd: string, tree: string, args: readonly string[]): Promise<string> {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^GIT_(DIR|WORK_TREE|INDEX_FILE|COMMON_DIR|PREFIX)$/.test(name),
  );
  const PATH = programDirectories(tree)[1].join(delimiter);
  const env = { ...Object.fromEntries(own), PATH, LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0' };
  return new Promise((done) => {
    execFile('git', args, { cwd, env, timeout: TIMEOUT_MS, maxBuffer: 4_000_000 }, (error, stdout) =>
      done(error ? '' : stdout),
    );
  });
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === false;
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
