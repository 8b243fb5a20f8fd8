/** What of a project's tree git runs or obeys by the configuration of a repository, and of all that it includes (MO-9). */
import { execFile } from 'node:child_process';
import { dirname, join, resolve } from 'node:path';
import { fileWays, type NamedByWords, namedBy } from './command-words.ts';
import { behindHome, endOf, type Obeyed } from './obeyed-by.ts';
import { pathWithout } from './programs.ts';
import { entriesAt } from './seen.ts';
import type { Later } from './waiting.ts';
import type { WaysOf } from './ways.ts';

export type Repository = {
  /** The directory that it is about; of a bare one, the one that it is. */
  readonly top: string;
  readonly isBare: boolean;
};

const TIMEOUT_MS = 5000;
/** Included files of one repository that are asked about, each by a git of its own. */
const MAX_ASKED = 100;
const MAX_WORDS = 20_000;
const MAX_BYTES = 4_000_000;

/** Keys whose value is a command; an alias is one where it begins with an exclamation mark. */
const COMMANDS =
  /^(alias\..*|pager\..*|(core|sequence|interactive|gpg|diff|difftool|merge|mergetool|filter|trailer|hook|credential|browser|man|sendemail|remote|uploadpack|tar|instaweb|guitool|ssh|submodule|lfs|gc)\.(.*\.)?(editor|pager|askpass|fsmonitor|sshcommand|gitproxy|alternaterefscommand|program|defaultkeycommand|external|command|cmd|textconv|driver|clean|smudge|process|helper|difffilter|packobjectshook|receivepack|uploadpack|path|update|tocmd|cccmd|headercmd|sendmailcmd|smtpserver|httpd|recentobjectshook))$/i;
/** Keys whose values nobody runs or obeys. What else names a path may be another program's that git starts. */
const DATA =
  /^((user|author|committer|branch|color|column|advice|format|mailmap|blame)\..*|core\.excludesfile|commit\.template)$/i;
/** Keys that name a file or a directory which is obeyed as a whole. */
const PATHS = /^(core\.attributesfile|init\.templatedir)$/i;
const HOOKS_PATH = /^core\.hookspath$/i;
const INCLUDES = /^include(if\..*)?\.path$/i;

/** git itself calls these where the whole tree is its directory of hooks. */
const HOOKS =
  'applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit pre-rebase post-checkout post-merge pre-push pre-receive update proc-receive post-receive post-update push-to-checkout pre-auto-gc post-rewrite sendemail-validate fsmonitor-watchman p4-changelist p4-prepare-changelist p4-post-changelist p4-pre-submit post-index-change reference-transaction'.split(
    ' ',
  );

/** What git begins with where it obeys nothing: there is no repository, it is another user's, or a file is not there. */
const NOTHING = /^fatal: (not a git repository|detected dubious ownership|unable to (read|open) config file)/;

/** What of the environment says which configuration git has; the rest may make it load what lies where it works. */
const SETTING = /^(HOME|USER|XDG_CONFIG_HOME|GIT_CONFIG(_\w+)?)$/;

const BY_GIT = 'is run or obeyed by git, as it is set up';

/** Where there is no git, nothing is run by it. Throws where its configuration says too much. */
export async function byGit({ top, isBare }: Repository, tree: string, waysOf: WaysOf): Promise<Obeyed> {
  const git: Git = (...args) => runGit(args, top, isBare, pathWithout(tree, waysOf));
  const [hooks = '', entries] = await Promise.all([git('rev-parse', '--git-path', 'hooks'), entriesOf(top, git)]);
  const words = entries.map((entry) => wordsOf(entry));
  const named = new Set(words.flatMap(({ paths }) => paths).map((word) => resolve(top, behindHome(word))));
  const ends = new Set(words.flatMap((each) => each.ends).flatMap((word) => endOf(word) ?? []));
  if (named.size > MAX_WORDS || ends.size > MAX_WORDS) throw new Error('git’s configuration names too much');
  const whole = entries.flatMap(({ key, value, origin }) => {
    if (INCLUDES.test(key)) return [origin, includedBy(value, origin)];
    if (HOOKS_PATH.test(key)) return [origin, ...hooksIn(resolve(top, behindHome(value)), top)];
    return PATHS.test(key) ? [origin, resolve(top, behindHome(value))] : [origin];
  });
  const own = hooks === '' ? [] : hooksIn(resolve(top, hooks.replace(/\n$/, '')), top);
  const all = [...own, ...new Set(whole)].flatMap((path) => [path, ...waysOf(path)]);
  const files = [...named].flatMap((path) => fileWays(path, waysOf));
  return { places: [...all, ...files].map((path): Later => ({ path, what: BY_GIT })), ends, shapes: [] };
}

type Entry = { readonly key: string; readonly value: string; readonly origin: string };

/** What a value may name: as paths from the top, and by their ends only. */
function wordsOf({ key, value }: Entry): NamedByWords {
  if ([DATA, INCLUDES, PATHS, HOOKS_PATH].some((keys) => keys.test(key))) return { paths: [], ends: [] };
  return namedBy(value, COMMANDS.test(key) && (!/^alias\./i.test(key) || value.startsWith('!')));
}

/** Of the configuration and of all it includes, also under conditions that don't hold now. Throws where that is too much. */
async function entriesOf(top: string, git: Git): Promise<readonly Entry[]> {
  const all = await listed(top, git);
  const known = new Set(all.map(({ origin }) => origin));
  let asked = 0;
  for (let at = 0; at < all.length; at += 1) {
    const { key, value, origin } = all[at] as Entry;
    const path = INCLUDES.test(key) ? includedBy(value, origin) : origin;
    if (known.has(path)) continue;
    known.add(path);
    asked += 1;
    if (asked > MAX_ASKED) throw new Error('git’s configuration includes too much');
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

const includedBy = (value: string, origin: string) => resolve(dirname(origin), behindHome(value));

function hooksIn(directory: string, top: string): readonly string[] {
  if (directory === top) return HOOKS.map((name) => join(top, name));
  return [directory, ...(entriesAt(directory) ?? []).map(({ name }) => join(directory, name))];
}

type Git = (...args: readonly string[]) => Promise<string>;

/**
 * Its output; empty where there is no git, or nothing that it obeys. Rejects where it can't be known. Neither of what is asked
 * here runs anything of the repository, nor is git one of its files.
 */
function runGit(args: readonly string[], top: string, isBare: boolean, PATH: string): Promise<string> {
  const own = Object.entries(process.env).filter(([name]) => SETTING.test(name));
  const fixed = { PATH, LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0' };
  // Named, it is asked also where git would not go by itself.
  const env = { ...Object.fromEntries(own), ...fixed, ...(isBare ? { GIT_DIR: top } : {}) };
  return new Promise((resolve, reject) => {
    execFile('git', args, { cwd: top, env, timeout: TIMEOUT_MS, maxBuffer: MAX_BYTES }, (error, stdout, stderr) => {
      if (!error) resolve(stdout);
      else if (error.code === 'ENOENT' || (typeof error.code === 'number' && NOTHING.test(stderr))) resolve('');
      else reject(new Error('git could not be asked what it obeys here'));
    });
  });
}
