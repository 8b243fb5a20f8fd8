import { aimsAtKeys, findableStores, isCredential, isCredentialPlace } from '../credential-files.ts';
import { storeMark } from '../shell/arrays.ts';
import { globToRegExp } from '../shell/glob.ts';
import { hasUnknown, STORE, UNKNOWN } from '../shell/taint.ts';
import type { Call } from './call.ts';
import type { Operand } from './options.ts';
import { absolute } from './paths.ts';

/**
 * Which names a search finds, or a listing lists: whether one of them may be that of a store of credentials. What reads
 * such names shows a store though no word of the command spells it.
 */
export function mayNameStore(call: Call): boolean {
  const { args, program } = call;
  if (LISTS.has(program) && call.hasMarks && args.some(({ text }) => text.includes(STORE))) return true;
  return (NAMES_STORES.get(program) ?? passesStores)(call);
}

type Look = (call: Call) => boolean;

const namesPattern: Look = (call) => call.args.some(isPatternOfStores(call));
const listsStores: Look = (call) => namesPattern(call) || call.operands.some(isStorePlace(call)) || listsHidden(call);
const locates: Look = ({ operands }) =>
  operands.some(({ text }) => nameOfStore(/[*?[]/.test(text) ? text : `*${text}*`, true));

const NAMES_STORES: ReadonlyMap<string, Look> = new Map<string, Look>([
  ['find', finds],
  ['ls', listsStores],
  ['dir', listsStores],
  ['vdir', listsStores],
  ['echo', namesPattern],
  ['printf', namesPattern],
  [
    'fd',
    (call) =>
      call.has('-H', '-u', '--hidden', '--unrestricted') && call.operands.every(({ text }) => matchesStore(text)),
  ],
  ['rg', (call) => call.has('--files', '-l', '--files-with-matches') && seesHidden(call)],
  [
    'grep',
    (call) =>
      isRecursive(call)
        ? call.has('-l', '--files-with-matches', '-L') && mayInclude(call, true) && !isNarrow(call)
        : passesStores(call),
  ],
  ['locate', locates],
  ['mlocate', locates],
  ['plocate', locates],
  ['git', gitLists],
]);

function passesStores(call: Call): boolean {
  return call.io.stdin?.includes(STORE) === true && passesNames(call) && !dropsStores(call);
}

/** Programs that print names which they are given. */
const LISTS: ReadonlySet<string> = new Set(
  'ls dir vdir find echo printf basename dirname realpath readlink xargs'.split(' '),
);

/** Does it print lines of its input? */
function passesNames({ facts, program }: Call): boolean {
  return facts.traits.has('prints') || /^(tee|shuf|fzf|sponge|perl|python)$/.test(program);
}

/** `grep '\\.ts$'` of a list of names: none of a store is left. */
function dropsStores(call: Call): boolean {
  if (!/^[ef]?grep$|^rg$/.test(call.program)) return false;
  const [pattern, ...more] = call.operands;
  if (!pattern || more.length > 0 || hasUnknown(pattern.text) || call.has('-f', '-e', '--file', '--regexp'))
    return false;
  return call.has('-v', '--invert-match')
    ? everyStore(pattern.text)
    : !matchesStore(pattern.text, call.has('-i', '-y'));
}

const AT_HOME = findableStores(true);

/** May a regular expression match the name of a store? Not knowing counts as yes. */
function matchesStore(source: string, anyCase = false): boolean {
  const expression = compile(source, anyCase);
  return !expression || AT_HOME.some((name) => expression.test(`./${name}`) || expression.test(name));
}

function everyStore(source: string): boolean {
  const expression = compile(source, false);
  return expression !== undefined && AT_HOME.every((name) => expression.test(name) || expression.test(`./${name}`));
}

/** Most letters of a pattern that is tried; names are short, so that none can take long. */
const MAX_PATTERN = 60;

function compile(source: string, anyCase: boolean): RegExp | undefined {
  if (source.length > MAX_PATTERN) return undefined;
  try {
    // Without -E these are signs of grep's.
    return new RegExp(source.replace(/\\([|+?(){}])/g, '$1'), anyCase ? 'i' : '');
  } catch {
    return undefined;
  }
}

function isPatternOfStores({ machine }: Call) {
  return ({ text, glob }: { readonly text: string; readonly glob: boolean }) => glob && storeMark(machine, text) !== '';
}

function isStorePlace({ machine }: Call) {
  return ({ text }: Operand) => {
    const path = absolute(machine, text) ?? text;
    return isCredential(text) || (isCredentialPlace(path) && path !== '/' && path !== '/proc');
  };
}

/** `ls -A` of a place where a store may lie. */
function listsHidden(call: Call): boolean {
  if (!call.has('-a', '-A', '-f', '--all', '--almost-all')) return false;
  return call.operands.every(({ text }) => isHere(text) || isStorePlace(call)({ text } as Operand));
}

/** The directory where the command is: the top of a project, where its `.env` lies. */
function isHere(path: string): boolean {
  return /^(\.\/*)?$/.test(path) || /^(\.\/)?\.?\*?$/.test(path);
}

/** Searches of find, one for each side of its `-o`. */
function finds(call: Call): boolean {
  const words = call.args.map(({ text }) => text);
  const start = words.findIndex((word) => /^[-(!]/.test(word));
  const places = start < 0 ? words : words.slice(0, start);
  const tests = start < 0 ? [] : words.slice(start);
  const paths = places.filter((word) => !/^-/.test(word));
  if (paths.some((path) => isCredential(path))) return true;
  const home = paths.some((path) => isCredentialPlace(absolute(call.machine, path) ?? path) || hasUnknown(path));
  const here = paths.length === 0 || paths.some((path) => isHere(path) || path.startsWith('..'));
  const until = tests.findIndex((word) => /^-(exec|execdir|ok|okdir)$/.test(word));
  return alternatives(until < 0 ? tests : tests.slice(0, until)).some((tested) => finder(tested, home, here));
}

/** The words between the `-o` of a search; brackets don't matter. */
function alternatives(tests: readonly string[]): readonly (readonly string[])[] {
  const out: string[][] = [[]];
  for (const word of tests)
    if (/^-(o|or)$/.test(word)) out.push([]);
    else if (!/^\\?[()]$/.test(word)) out.at(-1)?.push(word);
  return out;
}

/** May what passes these tests be a store? */
function finder(tests: readonly string[], home: boolean, here: boolean): boolean {
  if (tests.includes('-prune')) return false;
  let stores = findableStores(home);
  let named = false;
  const passes: ((name: string) => boolean)[] = [];
  for (const [at, word] of tests.entries()) {
    const value = tests[at + 1] ?? '';
    const negated = /^(!|-not)$/.test(tests[at - 1] ?? '');
    if (word === '-type' && !negated && !value.includes('f')) return false;
    if (!/^-i?(name|path|wholename|regex)$/.test(word)) continue;
    const matches = matcher(word, value);
    stores = stores.filter((store) => matches(store) !== negated);
    passes.push((name) => matches(name) !== negated);
    named ||= !negated;
  }
  if (aimsAtKeys((name) => passes.every((test) => test(name)))) return true;
  return stores.length > 0 && (named || home || here);
}

function matcher(test: string, value: string): (store: string) => boolean {
  if (hasUnknown(value)) return () => true;
  const folded = test.startsWith('-i') && test !== '-iname' ? 'i' : test === '-iname' ? 'i' : '';
  const source = /regex$/.test(test) ? `^(?:${value})$` : globToRegExp(value).source;
  const expression = source.length > 4 * MAX_PATTERN ? undefined : compileExactly(source, folded);
  if (!expression) return () => true;
  if (/name$/.test(test) && !/whole/.test(test))
    return (store) => expression.test(store.slice(store.lastIndexOf('/') + 1));
  return (store) => expression.test(`./${store}`) || expression.test(`/home/user/${store}`);
}

function compileExactly(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags);
  } catch {
    return undefined;
  }
}

/** What lies about untracked, or is ignored, holds the stores of a project. */
function gitLists(call: Call): boolean {
  const [sub] = call.operands;
  if (sub?.text === 'check-ignore') return true;
  if (sub?.text !== 'ls-files') return false;
  const words = call.args.map(({ text }) => text);
  const narrow = call.operands.slice(1).filter(({ text }) => !isHere(text));
  if (narrow.length > 0) return narrow.some(({ text }) => storeMark(call.machine, text) !== '' || isCredential(text));
  return words.some((word) => /^-[a-z]*[oi]|^--(others|ignored)$/.test(word));
}

/** Is what it searches told by names that no store has? */
function isNarrow(call: Call): boolean {
  const places = call.operands.slice(call.has('-e', '--regexp', '-f', '--file') ? 0 : 1);
  return places.length > 0 && places.every(({ text }) => !isHere(text) && !isStorePlace(call)({ text } as Operand));
}

function isRecursive(call: Call): boolean {
  return (
    call.has('-r', '-R', '--recursive', '--dereference-recursive') || call.value('-d', '--directories') === 'recurse'
  );
}

/** Names that it is told to search, if any. */
function included(call: Call): readonly string[] {
  const names = call.options.values;
  return ['--include', '-g', '--glob', '--iglob']
    .flatMap((option) => names.get(option) ?? [])
    .filter((text) => !text.startsWith('!'));
}

function mayInclude(call: Call, home: boolean): boolean {
  const names = included(call);
  return names.length === 0 || names.some((name) => nameOfStore(name, home));
}

function nameOfStore(pattern: string, home = false): boolean {
  const expression = globToRegExp(pattern.replace(/^(\*\*\/|\/)+/, ''));
  if (aimsAtKeys((name) => expression.test(name))) return true;
  return findableStores(home).some(
    (store) => expression.test(store.slice(store.lastIndexOf('/') + 1)) || expression.test(store),
  );
}

/** Does it search what is hidden, and what the project says is nobody's matter? */
function seesHidden(call: Call): boolean {
  const words = call.args.map(({ text }) => text);
  const twice =
    words.filter((word) => /^(-u|--unrestricted)$/.test(word)).length > 1 ||
    words.some((word) => /^-\w*u\w*u/.test(word));
  const hidden = call.has('--hidden', '-.') || words.some((word) => /^-[a-zA-Z]*\./.test(word));
  return (
    twice ||
    (hidden &&
      (call.has('--no-ignore', '--no-ignore-vcs', '-u', '--unrestricted') ||
        words.some((word) => /^--no-ignore/.test(word))))
  );
}

/**
 * Does a call read all that lies below places where credentials do, or names by which only they go? To search a project,
 * with its hidden files, is no such thing by its words.
 */
export function readsStoresBelow(call: Call): boolean {
  return READS_STORES.get(call.program)?.(call) ?? false;
}

function aims({ machine }: Call, from: readonly Pick<Operand, 'text'>[]): boolean {
  return from.some(({ text }) => isCredentialPlace(absolute(machine, text) ?? text) || isCredentialPlace(text));
}

const aimsBehindPattern: Look = (call) => aims(call, call.operands.slice(1));
const searches: Look = (call) =>
  call.has('-u', '--unrestricted') || (call.has('-U') && call.has('--hidden')) || aimsBehindPattern(call);
const archives: Look = (call) =>
  printsArchive(call) && (call.operands.some(({ text }) => isCredential(text)) || aims(call, call.operands));

const READS_STORES: ReadonlyMap<string, Look> = new Map<string, Look>([
  [
    'grep',
    (call) => {
      if (!isRecursive(call) || call.has('-l', '-c', '-q', '--count', '--quiet', '--files-with-matches')) return false;
      if (included(call).some((name) => name !== '*' && nameOfStore(name))) return true;
      return mayInclude(call, true) && (aims(call, call.operands) || isPlaceByNow(call));
    },
  ],
  [
    'rg',
    (call) => {
      if (call.has('-l', '-c', '-q', '--count', '--quiet', '--files-with-matches', '--files')) return false;
      if (included(call).some((name) => name.startsWith('.') && nameOfStore(name))) return true;
      return mayInclude(call, true) && (seesHidden(call) || aimsBehindPattern(call));
    },
  ],
  ['ag', searches],
  ['ack', searches],
  ['ugrep', (call) => call.has('--hidden', '-.') || aimsBehindPattern(call)],
  [
    'diff',
    (call) =>
      call.operands.length === 2 &&
      (aims(call, call.operands) || (call.has('-N', '--new-file') && call.operands.some(({ text }) => isHere(text)))),
  ],
  [
    'git',
    (call) =>
      call.has('--no-index') && call.operands.slice(1).some((operand) => isHere(operand.text) || aims(call, [operand])),
  ],
  ['tar', archives],
  ['zip', archives],
  ['cpio', ({ io }) => io.stdin?.includes(STORE) === true],
]);

/** Is the command in such a place by now? */
function isPlaceByNow({ machine }: Call): boolean {
  const { near, cwd } = machine.scope;
  return [near, cwd === machine.root ? undefined : cwd].some(
    (place) => place !== undefined && /\./.test(place) && isCredentialPlace(place),
  );
}

/** An archive that is named nowhere, or `-`, is printed. */
function printsArchive({ program, args }: Call): boolean {
  const words = args.map(({ text }) => text);
  if (program === 'zip') return words.includes('-');
  const [letters = ''] = words;
  if (!/c/.test(letters) && !words.some((word) => word === '--create')) return false;
  const named = /^-?[a-zA-Z]*f/.test(letters) || words.some((word) => /^(-[a-zA-Z]*f|--file)/.test(word));
  return !named || words.includes('-') || words.some((word) => /^(-[a-zA-Z]*f-|--file=-)$/.test(word));
}

/** What stands for the names that a search finds. */
export function foundBy(call: Call): string {
  return `./${UNKNOWN}${mayNameStore(call) ? STORE : ''}`;
}
