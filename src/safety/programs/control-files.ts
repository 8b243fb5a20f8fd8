import { hasHiddenName, isHomeStart, isOwnStart, isProjectControl, runsLater } from '../../knowledge/control-files.ts';
import { STANDARD_MODULES } from '../knowledge/python-modules.ts';
import { destructive, type StaticVerdict, unknown } from '../verdict.ts';

const HOME = /^(~|\/root|\/home\/[^/]+|\/Users\/[^/]+|\$HOME)(?:\/|$)/;

/** Names that begin with a dot and tell no tool what to run; all others may. */
const PLAIN_HIDDEN =
  /^\.(|\.|[\w-]*ignore|gitkeep|keep|nojekyll|mailmap|cache|tmp|temp|trash|ds_store|done|placeholder|env\.(example|sample|template|dist)|pytest_cache|mypy_cache|ruff_cache|next|nuxt|output|turbo|parcel-cache|nyc_output|coverage|ipynb_checkpoints|hypothesis)$/i;

/** Is this the home directory of somebody? */
export function isHome(path: string): boolean {
  return /^(~|\/root|\/home\/[^/]+|\/Users\/[^/]+|\$HOME)\/?$/.test(path);
}

/** Does the user's own shell, login or a tool of theirs run this file later? */
export function isStartFile(path: string): boolean {
  const home = HOME.exec(path)?.[0];
  return isOwnStart(path) || (home !== undefined && isHomeStart(path.slice(home.length)));
}

/** Does a name on the way begin with a dot, where a tool may look for what to do? */
function isHidden(path: string): boolean {
  return hasHiddenName(path) && path.split('/').some((name) => name.startsWith('.') && !PLAIN_HIDDEN.test(name));
}

/** Would Python import this file in place of a module of its own? */
function shadowsModule(path: string): boolean {
  const name = path.endsWith('.py') ? /(?:^|\/)(\w+)\.py$/.exec(path)?.[1] : undefined;
  return name !== undefined && STANDARD_MODULES.has(name);
}

/**
 * What holds for writing to a file that decides what runs later; undefined for any other. What begins with a dot counts as
 * such unless it is known not to: each tool looks for files of its own.
 */
export function controlFile(path: string): StaticVerdict | undefined {
  const tidy = path.replace(/\/\.?\//g, '/').replace(/^\.\//, '');
  if (isStartFile(tidy)) return destructive('write to start file', 'changes what your own shell and tools run later');
  return isHidden(tidy) || runsLater(tidy) !== undefined || isProjectControl(tidy) || shadowsModule(tidy)
    ? unknown('writes a file that decides what tools run')
    : undefined;
}
