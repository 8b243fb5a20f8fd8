/** Where a directory of a host lies, as the host says: what its project is, is decided here. */
import { shellQuote } from '../../text/shell.ts';
import type { AskHost } from './files.ts';
import { isPathThere } from './told.ts';

export type Standing = {
  /** The directory and the home, behind all links. */
  readonly cwd: string;
  readonly home: string;
  /** Of it and what it lies in, those that hold a `.git`. */
  readonly repositories: readonly string[];
};

/** Undefined where it is gone, or the host does not say so in words that can be paths. Never rejects. */
export async function standingOf(ask: AskHost, directory: string): Promise<Standing | undefined> {
  const answer = await ask(`(cd -P -- "$HOME" && h=$PWD && cd -P -- ${shellQuote(directory)} || exit 1
printf '%s\\0' "$PWD" "$h"; d=$PWD
while :; do
  [ ! -e "$d/.git" ] || printf '%s\\0' "\${d:-/}"
  [ -n "$d" ] || break
  d=\${d%/*}
done)`);
  if (answer?.exit !== 0) return undefined;
  const [cwd = '', home = '', ...rest] = answer.text.split('\0');
  const repositories = rest.slice(0, -1);
  return [cwd, home, ...repositories].every(isPathThere) ? { cwd, home, repositories } : undefined;
}
