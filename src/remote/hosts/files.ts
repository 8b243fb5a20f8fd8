/** Examines files on a host through its helper. A file that can't be examined counts as present. */

import type { Confinement } from '../../contracts/commands.ts';
import type { Count, Machine, MachineFiles, Named } from '../../contracts/machine.ts';
import { placeOn } from '../../session/place.ts';
import { shellQuote } from '../../text/shell.ts';
import { parseLine, parseNames } from './facts.ts';
import type { Answer } from './helper.ts';

/** How many paths are reported. */
const MAX_PATHS = 200;
/** The length of a line about a process. */
const MAX_LINE_CHARS = 200;
/** How many files are counted. */
const MAX_FILES = 100_000;

export type AskHost = (code: string) => Promise<Answer | undefined>;

/**
 * Prints existing paths, ended by NUL. If a check fails, the path counts as existing; `-e` is false below unreadable
 * directories.
 */
const SHOW = `m=0; show() { m=$((m+1)); [ $m -gt ${MAX_PATHS} ] || printf '%s\\0' "$1"; }
see() { if [ -e "$1" ] || [ -h "$1" ]; then show "$1"; else case $(ls -d -- "$1" 2>&1) in *': No such file or directory'|*': Not a directory') ;; *) show "$1" ;; esac; fi; }`;

/**
 * Reports for a path which link it is and its target, which file it leads to, and its directory, or why not. One
 * program examines all paths that are not links. `stat` differs between systems, so the helper remembers the syntax.
 * A dangling link may pass through others. Lengths precede multi-line values, so that no value can imitate another.
 */
const KIND = `[ -n "\${STAT-}" ] || { STAT=-c LINK='%i %N'; stat -L -c %i / >/dev/null || STAT=-f LINK='%i %Y'; }`;
const IDENTIFY = `for q do
  [ -h "$q" ] || continue
  t=$(stat $STAT "$LINK" -- "$q"; [ -e "$q" ] || readlink -f -- "$q"; echo .)
  printf 'link %s %s %s %s\\n' \${#q} "$q" \${#t} "$t"
done
exec 2>&1; case $STAT in -c) exec stat -L -c '%n %d:%i' -- "$@" ;; *) exec stat -L -f '%N %d:%i' -- "$@" ;; esac`;

export function hostFiles(ask: AskHost): MachineFiles {
  const existing = async (named: readonly Named[]): Promise<readonly string[]> => {
    const looks = named.slice(0, MAX_PATHS).map(lookAt).join('\n');
    const answer = await ask(`${SHOW}\n${looks}`);
    if (!answer) return named.map(fullOf);
    return [...new Set(parseNames(answer.text, MAX_PATHS))];
  };
  return {
    inOrder: true,
    existing,
    count: async (paths) => readCount(await ask(countOf(paths))),
    // The words come from the model: run nothing of them before a yes, not even to look.
    matches: () => Promise.resolve(undefined),
    async identities(named) {
      const looks = named.slice(0, MAX_PATHS).map(identify).join('\n');
      const answer = await ask(`${KIND}\n(set --\n${looks}\n${IDENTIFY})`);
      const names = named.map((each) => `${fullOf(each)}${each.glob ? ' (pattern)' : ''}`);
      return [...names, ...(answer ? answer.text.split('\n') : [`not looked at ${performance.now()}`])];
    },
  };
}

function fullOf({ path, cwd }: Named): string {
  return path.startsWith('/') ? path : `${cwd}/${path}`;
}

/** Expands a pattern from a variable, without running anything in it. */
function lookAt(named: Named): string {
  const full = shellQuote(fullOf(named).replaceAll('\0', ''));
  if (!named.glob) return `see ${full}`;
  return `p=${full}; IFS=; n=0; for q in $p; do if [ -e "$q" ] || [ -h "$q" ]; then n=1; show "$q"; fi; done; unset IFS; case $n$p in 0*[{]*) show "$p" ;; esac`;
}

/** Identifies the path and its directory, for reported names: a missing name may later exist elsewhere. */
function identify(named: Named): string {
  const full = shellQuote(fullOf(named).replaceAll('\0', ''));
  const add = `set -- "$@" "$q" "\${q%/*}/."`;
  if (!named.glob) return `q=${full}; ${add}`;
  return `p=${full}; IFS=; for q in $p; do [ $# -gt ${2 * MAX_PATHS} ] || ${add}; done; unset IFS`;
}

/** Ends with find's exit code: an error means that there may be more files. */
function countOf(paths: readonly string[]): string {
  const words = paths.map((path) => shellQuote(path.startsWith('/') ? path : `./${path}`)).join(' ');
  const sum = 'BEGIN{n=0;s=0;w=0} /^e/{w=($0=="e0");next} {n++;s+=$1} END{printf "%d %.0f %d",n,s,w}';
  return `{ find ${words} -xdev ! -type d -printf '%s\\n'; echo "e$?"; } | head -n ${MAX_FILES} | awk '${sum}'`;
}

function readCount(answer: Answer | undefined): Count | undefined {
  const [, files, bytes, whole] = /^(\d{1,12}) (\d{1,18}) ([01])$/.exec(answer?.text.trim() ?? '') ?? [];
  if (files === undefined || bytes === undefined || (whole === '0' && files === '0')) return undefined;
  return { files: Number(files), bytes: Number(bytes), more: whole === '0' };
}

/** Returns lines about the processes that would be ended. */
export async function hostProcesses(
  ask: AskHost,
  ids: readonly string[],
  names: readonly string[],
): Promise<readonly string[]> {
  const answer = await ask('ps -eo pid=,args=');
  if (!answer) return ['the processes could not be looked at'];
  const rows = answer.text.split('\n').map((row) => row.trim());
  const wanted = new Set(ids.map((id) => id.replace(/^-/, '')));
  const byId = rows.filter((row) => wanted.has(row.split(' ', 1)[0] ?? '')).map((row) => `process ${row.slice(0, 80)}`);
  const byName = names.slice(0, 3).flatMap((name) => {
    const hits = rows.filter((row) => row.includes(name)).length;
    return hits === 0 ? [] : [`${hits} ${hits === 1 ? 'process' : 'processes'} with "${name}"`];
  });
  return [...byId, ...byName].slice(0, 8).map((line) => parseLine(line, MAX_LINE_CHARS));
}

/** A host without a connection: no command runs on it, and every name may exist. */
export function absentHost(host: string): Machine {
  return {
    host,
    home: '/',
    spawn: () => Promise.reject(new Error(`${host} is not connected; :host ${host} connects to it`)),
    lacks: (mode) => lacksSandbox(host, mode),
    files: {
      existing: (named) => Promise.resolve(named.map(({ path }) => path)),
      count: () => Promise.resolve(undefined),
      matches: () => Promise.resolve(undefined),
      identities: (named) =>
        Promise.resolve(named.map(({ path, cwd }) => `${placeOn(host, cwd)} ${path} not looked at`)),
    },
    processes: (ids, names) => Promise.resolve([...ids, ...names].map((each) => `${each}: it can't be looked at`)),
  };
}

/** Explains why a machine without a sandbox can't run the mode. */
export function lacksSandbox(host: string, mode: Confinement): string | undefined {
  return mode === 'unrestricted'
    ? undefined
    : `there is no sandbox on ${host}, so only Unrestricted runs commands there`;
}
