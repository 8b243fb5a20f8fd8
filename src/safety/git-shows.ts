/**
 * Whether git would print what a store of credentials holds that it has in its index or its history: by asking git for
 * the names alone. Not knowing counts as yes.
 */
import { lstat } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { isCredential } from './credential-files.ts';
import type { GitReader } from './impact/git.ts';
import { recordOf } from './programs/records/index.ts';
import { hasUnknown } from './shell/taint.ts';

/** What one question to git may take, in ms. */
const MAX_MS = 1000;
/** Words before the subcommand that lead git to no other place and set nothing. */
const PLAIN = /^(-P|--no-pager|--no-optional-locks)$/;
/** How `log` is limited: asked for the names with the same words. */
const LIMITS =
  /^(-\d+|-n\d*|-[iEFPRm]|-[SG].*|--(max-count|skip|since|until|after|before|author|committer|grep|diff-filter|find-object)(=.*)?|--(all|branches|tags|remotes|first-parent|merges|no-merges|reverse|cached|staged|merge-base|pickaxe-\w+|all-match|follow|root|cc))$/;
/** How it is shown: nothing that would change which files there are. */
const LOOKS =
  /^(-[pubwsWz]+|-U\d*|--(patch|patch-with-stat|no-patch|unified=\d+|stat|numstat|shortstat|summary|name-only|name-status|raw|oneline|graph|color|no-color|word-diff|color-words|minimal|patience|histogram|text|binary|abbrev-commit|no-decorate|decorate|function-context|no-ext-diff|no-textconv|no-prefix|ignore-(all-space|space-change|blank-lines))|--(format|pretty|color|stat|abbrev|date|decorate|word-diff|diff-algorithm)=.*)$/;
/** Shows commits without what they change. */
const WITHOUT_PATCH =
  /^(-\d+|-n\d*|-s|--no-patch|--(oneline|graph|all|stat|shortstat|numstat|name-only|name-status|decorate|no-decorate|reverse|merges|no-merges|first-parent|abbrev-commit|branches|tags|remotes)|--(format|pretty|since|until|after|before|author|grep|max-count|date|decorate|skip|abbrev)=.*)$/;
const SUMMARY = /^(-s|--(no-patch|stat(=.*)?|shortstat|numstat|name-only|name-status))$/;

type Ask = { readonly git: GitReader; readonly cwd: string };
type Shows = (ask: Ask, args: readonly string[]) => boolean | Promise<boolean>;

/** A repository that nobody can ask. */
const SILENT: GitReader = async () => undefined;

/** May `git WORDS…`, run in `cwd`, print such a file out of a repository? Never rejects. Without `git` it is elsewhere. */
export async function gitShowsStore(
  git: GitReader | undefined,
  cwd: string,
  words: readonly string[],
): Promise<boolean> {
  let place = cwd;
  let at = 0;
  for (; words[at]?.startsWith('-'); at += 1) {
    const word = words[at] ?? '';
    if (word === '-C') {
      at += 1;
      const to = words[at] ?? '';
      place = isAbsolute(to) ? to : join(place, to);
    } else if (!PLAIN.test(word)) return !/^--(version|help)$/.test(word);
  }
  if (words.some((word) => hasUnknown(word) || /^--(submodule|recurse-submodules)/.test(word))) return true;
  // What it finds there outside of what it keeps nobody has looked at.
  if (place !== cwd && words.some((word) => /^(--no-in|--un)/.test(word))) return true;
  if (git && !(await isRepository(place))) return false;
  const [subcommand = '', ...args] = words.slice(at);
  const shows = SHOWS.get(subcommand) ?? (recordOf('git')?.subs?.has(subcommand) ? ofHunks : inHistory);
  return shows({ git: git ?? SILENT, cwd: place }, args);
}

const SHOWS: ReadonlyMap<string, Shows> = new Map<string, Shows>([
  ['log', (ask, args) => !isWithoutPatch(args) && byNames('log', ask, args)],
  ['show', shown],
  ['diff', (ask, args) => !(isSummary(args) || args.includes('--no-index')) && byNames('diff', ask, args)],
  ['stash', (ask, args) => (args[0] === 'show' ? inHistory(ask) : ofHunks(ask, args))],
  ['grep', searched],
  ['cat-file', (ask, args) => !args.some((word) => /^(-[ets]|--batch-check.*)$/.test(word)) && inHistory(ask)],
  ...['whatchanged', 'diff-tree', 'diff-index', 'diff-files', 'range-diff', 'format-patch', 'archive'].map(
    (name) => [name, inHistory] as const,
  ),
  ...['fast-export', 'bundle', 'unpack-file', 'show-index', 'bisect', 'difftool'].map(
    (name) => [name, inHistory] as const,
  ),
]);

/** Choosing changes shows them. */
function ofHunks(ask: Ask, args: readonly string[]): boolean | Promise<boolean> {
  return args.some((word) => /^(-[a-zA-Z]*[pv]|--patch|--verbose|--interactive|-i)$/.test(word)) && inHistory(ask);
}

function isWithoutPatch(args: readonly string[]): boolean {
  return args.every((word) => !word.startsWith('-') || WITHOUT_PATCH.test(word));
}

function isSummary(args: readonly string[]): boolean {
  return isWithoutPatch(args) && args.some((word) => SUMMARY.test(word));
}

/** Commits, or a file out of one, which is looked at by its name, or by the name of its content, which is not its own. */
async function shown(ask: Ask, args: readonly string[]): Promise<boolean> {
  if (isSummary(args)) return false;
  const end = args.indexOf('--');
  const operands = (end < 0 ? args : args.slice(0, end)).filter((word) => !word.startsWith('-'));
  const files = operands.filter((word) => /^[^:{]*:(\d:)?[^:/]/.test(word));
  if (files.length > 0 && files.length === operands.length) return false;
  for (const word of operands) if (!word.includes('..') && (await isFile(ask, word))) return inHistory(ask);
  return byNames(
    'show',
    ask,
    args.filter((word) => !files.includes(word)),
  );
}

/** Asks the same with the names alone. */
async function byNames(subcommand: string, ask: Ask, args: readonly string[]): Promise<boolean> {
  const end = args.indexOf('--');
  const options = args.slice(0, end < 0 ? args.length : end);
  if (options.some((word) => word.startsWith('-') && !LIMITS.test(word) && !LOOKS.test(word))) return inHistory(ask);
  const kept = options.filter((word) => LIMITS.test(word) || !word.startsWith('-'));
  const paths = end < 0 ? [] : args.slice(end);
  const format = subcommand === 'diff' ? [] : ['--format='];
  const quiet = ['--no-ext-diff', '--no-textconv', '--name-only', '--no-relative', '-z', ...format];
  return holdsStore(
    await ask.git(ask.cwd, ['--no-literal-pathspecs', subcommand, ...quiet, ...kept, ...paths], MAX_MS),
  );
}

async function isFile({ git, cwd }: Ask, name: string): Promise<boolean> {
  const kind = await git(cwd, ['cat-file', '-t', `${name}^{}`], MAX_MS);
  return kind?.trim() === 'blob';
}

/** `git grep` looks through what is tracked below, or through a commit. */
async function searched(ask: Ask, args: readonly string[]): Promise<boolean> {
  const end = args.indexOf('--');
  const words = (end < 0 ? args : args.slice(0, end)).filter((word) => !word.startsWith('-'));
  const options = args.filter((word) => word.startsWith('-'));
  // Which of its words is the pattern is plain only where no option may take one.
  if (options.some((word) => !/^(-[nilcwvEFGPHhoIW]+|-[ABC]\d+|--|--(count|heading|break))$/.test(word)))
    return inHistory(ask);
  const places = [...words.slice(1), ...(end < 0 ? [] : args.slice(end + 1))];
  for (const place of words.slice(1)) if (!(await isThere(join(ask.cwd, place)))) return inHistory(ask);
  const list = ['--no-literal-pathspecs', 'ls-files', '-z', '--cached', '--', ...places];
  return holdsStore(await ask.git(ask.cwd, list, MAX_MS));
}

/** Does any commit or the index hold one? */
async function inHistory({ git, cwd }: Ask): Promise<boolean> {
  const [kept, once] = await Promise.all([
    git(cwd, ['--no-literal-pathspecs', 'ls-files', '-z', '--full-name', '--', ':/'], MAX_MS),
    git(cwd, ['log', '--all', '--reflog', '-m', '--root', '--no-renames', '--name-only', '--format=', '-z'], MAX_MS),
  ]);
  return holdsStore(kept) || holdsStore(once);
}

function holdsStore(names: string | undefined): boolean {
  return names === undefined || names.split(/[\0\n]/).some((name) => isCredential(name));
}

async function isRepository(cwd: string): Promise<boolean> {
  for (let at = cwd; ; at = dirname(at)) {
    if (
      (await isThere(join(at, '.git'))) ||
      ((await isThere(join(at, 'HEAD'))) && (await isThere(join(at, 'objects'))))
    )
      return true;
    if (at === dirname(at)) return false;
  }
}

function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
