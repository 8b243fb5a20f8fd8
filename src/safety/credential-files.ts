import { holdsCredentials, isAboveCredentials, KEY_NAMES, READABLE_AT_HOME } from '../knowledge/credential-files.ts';
import { spellOut } from '../knowledge/patterns.ts';
import { isSecretVariable } from '../knowledge/secret-names.ts';

export { isSecretVariable };

/** Words that were looked at: each of a command is asked about by several judges. */
const ASKED = new Map<string, boolean>();
const MAX_ASKED = 5000;

/** The system takes no longer path (PATH_MAX), and no file system a longer name. */
const MAX_PATH_CHARS = 4096;
const MAX_NAME_CHARS = 1024;

/** Does this path name a store of credentials? A public key is none. */
export function isCredential(path: string): boolean {
  if (path.length > MAX_PATH_CHARS || path.length - path.lastIndexOf('/') > MAX_NAME_CHARS) return false;
  const known = ASKED.get(path);
  if (known !== undefined) return known;
  const found = holdsCredentials(path);
  if (ASKED.size < MAX_ASKED && path.length < 100) ASKED.set(path, found);
  return found;
}

/** Homes, and other places of the system that hold some. */
const HOMES = /^(\/|\/root|\/home(\/[^/]+)?|\/Users(\/[^/]+)?|\/proc|\/etc\/ssl\/private)\/*$/;

/** Is a directory one whose files, read without a choice of names, are stores of credentials? */
export const isCredentialPlace = (path: string): boolean => isAboveCredentials(path) || HOMES.test(path);

const AT_HOME = READABLE_AT_HOME.map(([path]) => path);

/** Stores that nearly every machine has, for patterns that may name one. */
const USUAL = [
  ...AT_HOME,
  ...AT_HOME.filter((path) => path.startsWith('.ssh/')).map((path) => path.slice('.ssh/'.length)),
  'proc/1/environ',
  'proc/self/environ',
  'proc/self/task/1/environ',
].map((path) => path.split('/'));

/** Names by which keys and passwords go anywhere, and names of all else. */
const KEYS = KEY_NAMES.flatMap(spellOut).map((name) => name.replace(/^\*/, 'x').replaceAll('*', ''));
const ALL_ELSE =
  'README.md main.c index.ts server.js test.py setup.py app.log data.json package.json config.yaml values.yml notes.txt style.css index.html a.sh src Makefile s p c t'.split(
    ' ',
  );

/** Is what lets these names pass aimed at keys: lets it some of theirs pass, and none of what else lies about? */
export function aimsAtKeys(passes: (name: string) => boolean): boolean {
  return KEYS.some(passes) && !ALL_ELSE.some(passes);
}

/**
 * May a pattern of the shell name such a store? Its stars don't stand for a dot at the beginning of a name unless
 * `hidden` says so. `read`: a pattern as an expression.
 */
export function mayNameCredential(pattern: string, read: (pattern: string) => RegExp, hidden = false): boolean {
  // The longest store has five parts.
  const parts = pattern.split('/').slice(-5);
  if (!mayEndAsStore(parts.at(-1) ?? '')) return false;
  const expressions = parts.map(read);
  if (aimsAtKeys((name) => expressions.at(-1)?.test(name) === true)) return true;
  return USUAL.some((store) => {
    const skipped = parts.length - store.length;
    return (
      skipped >= 0 &&
      store.every((name, at) => {
        const part = parts[skipped + at] ?? '';
        // A name that says what it is stands for itself; in any directory `*` would be one.
        const starts = !hidden && (name.startsWith('.') || store.length === 1);
        return (!starts || part.startsWith(name.charAt(0))) && expressions[skipped + at]?.test(name) === true;
      })
    );
  });
}

/** The last names of all stores that a pattern is tried on. */
const LAST_NAMES = [...new Set([...KEYS, ...USUAL.map((store) => store.at(-1) ?? '')])];
/** Longer patterns, and those of more stars, may be taken to match everything. */
const MAX_PLAIN_PATTERN = 200;
const MAX_STARS = 6;

/** May the pattern of a name match that of a store, by the letters before and behind what stands for others? Most may not. */
function mayEndAsStore(pattern: string): boolean {
  if (pattern.length > MAX_PLAIN_PATTERN || pattern.split('*').length > MAX_STARS + 1) return true;
  const start = /^[^*?[\]\\\uE004]*/.exec(pattern)?.[0] ?? '';
  const end = /[^*?[\]\\\uE004]*$/.exec(pattern)?.[0] ?? '';
  return LAST_NAMES.some((name) => name.startsWith(start) && name.endsWith(end));
}

/** Names, with a directory, that a search in a project may find and that are stores; `home`: or in a home. */
export function findableStores(home: boolean): readonly string[] {
  const found = [...USUAL.map((store) => store.join('/')), 'prod.env'].filter((path) => !path.startsWith('proc/'));
  return home ? found : found.filter((path) => !path.includes('/'));
}

/** What a file of settings also holds and that is nobody's secret. */
const PLAIN_SETTING =
  /(^|_)(PORT|HOST|HOSTNAME|NAME|ENV|ENVIRONMENT|DEBUG|LEVEL|MODE|VERSION|REGION|ZONE|USER|TZ|LANG|DIR|PATH|ROOT|ENABLED|TIMEOUT|COUNT|SIZE|BRANCH|FILE|i|f|x|line)$/;

/** Is a variable out of a store, by its name, a plain setting? */
export function isPlainSetting(name: string): boolean {
  return PLAIN_SETTING.test(name) && !isSecretVariable(name);
}
