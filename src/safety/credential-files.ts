import { holdsCredentials, isAboveCredentials } from '../knowledge/credential-files.ts';
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

/** What a file of settings also holds and that is nobody's secret. */
const PLAIN_SETTING =
  /(^|_)(PORT|HOST|HOSTNAME|NAME|ENV|ENVIRONMENT|DEBUG|LEVEL|MODE|VERSION|REGION|ZONE|USER|TZ|LANG|DIR|PATH|ROOT|ENABLED|TIMEOUT|COUNT|SIZE|BRANCH|FILE|i|f|x|line)$/;

/** Is a variable out of a store, by its name, a plain setting? */
export function isPlainSetting(name: string): boolean {
  return PLAIN_SETTING.test(name) && !isSecretVariable(name);
}
