/**
 * The sandbox launcher on a host: sent with the user's yes into a directory that only this user and root can change, named
 * by what it contains, and compared with it before every use. What differs is never run.
 */
import { randomBytes } from 'node:crypto';
import { shellQuote } from '../../text/shell-quote.ts';
import type { AskHost } from './files.ts';
import { isPathThere } from './told.ts';

/** A launcher of this machine, for the architecture of a host. */
export type LauncherProgram = { readonly bytes: Buffer; readonly hash: string };

export type LauncherKit = {
  /** @param arch `x64` or `arm64`; undefined: there is none here */
  program(arch: string): LauncherProgram | undefined;
  /** What its self-test printed: why it holds nothing there; undefined where it does. */
  whyOpen(selfTest: string): string | undefined;
  /** Words that run `argv` in Restricted there. */
  restricted(launch: Launch): readonly string[];
  /** The same in Unrestricted, what it changes kept. */
  kept(launch: Launch & { readonly keep: KeepThere }): readonly string[];
  /** In Project there, the tree of `keep` its project; without it nothing is kept. */
  project(launch: Launch & { readonly project: string; readonly keep?: KeepThere }): readonly string[];
  /** In a trial. */
  trial(launch: Launch & TrialThere): readonly string[];
};

/** What the launcher needs to keep old states, there. Bytes. */
export type KeepThere = {
  readonly directory: string;
  readonly tree: string;
  readonly budgetBytes: number;
  readonly fileBytes: number;
  readonly credentials: boolean;
};

/** What the launcher needs for a trial, there. Bytes. */
export type TrialThere = {
  readonly store: string;
  readonly trees: readonly string[];
  readonly spaceBytes: number;
};

type Launch = {
  readonly launcher: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly statusFile: string;
  readonly tmpDir: string;
};

/** A launcher that lies on a host. */
export type PlacedLauncher = {
  /** Private; its stores lie there as well. */
  readonly directory: string;
  readonly path: string;
  readonly hash: string;
  /** The program there that tells hashes, with its arguments. */
  readonly hasher: string;
};

/** Answer of a code in which the launcher was not the one that was sent. */
export const NOT_THE_LAUNCHER = 77;

/** Bytes in one question to the helper, for lines that are slow. */
const CHUNK_BYTES = 8192;
const ARCHITECTURES: Readonly<Record<string, string>> = {
  'Linux x86_64': 'x64',
  'Linux amd64': 'x64',
  'Linux aarch64': 'arm64',
  'Linux arm64': 'arm64',
};

/**
 * `safe` tells whether nobody but root and this user can put another thing in the place of a directory: each one on the way
 * is theirs, and others may write to none but such as let nobody touch what is not his own. What counts is the real path.
 */
const SAFE = `unset IFS; set -f; umask 077; me=$(id -u)
safe() {
  p=$1
  while :; do
    set -- $(ls -ldn -- "$p/.")
    case $1 in d*) ;; *) return 1 ;; esac
    case $3 in 0|"$me") ;; *) return 1 ;; esac
    case $1 in ?????w*|????????w*) case $1 in ?????????[tT]*) ;; *) return 1 ;; esac ;; esac
    [ -n "$p" ] || return 0
    p=\${p%/*}
  done
}
own() {
  [ ! -h "$1" ] && cd -P -- "$1" && d=$(pwd -P) || return 1
  set -- $(ls -ldn .)
  case $1.$3 in drwx------*."$me") safe "$d" ;; *) return 1 ;; esac
}`;

const NAME = 'aish-tui-host';
/** As many as there are places. */
const MAX_LEFT = 4;
/** Places in their order: what is kept should outlast the session. */
const PLACES = '"$HOME/.cache" /var/tmp "$XDG_RUNTIME_DIR" /tmp';

/** Finds the directory, or makes it where programs can be run; tells it, the kind of machine, and what tells hashes. */
const FIND = `(${SAFE}
for b in ${PLACES}; do
  [ -n "$b" ] || continue
  mkdir -p "$b"; mkdir -m 700 "$b/${NAME}-$me"
  own "$b/${NAME}-$me" || continue
  t=$(mktemp "$d/run-XXXXXXXX") || continue
  printf '#!/bin/sh\\nexit 7\\n' >"$t"; chmod 500 "$t"; "$t"; r=$?; rm -f "$t"
  [ $r = 7 ] && break
done
[ "$r" = 7 ] || exit 1
for h in sha256sum 'shasum -a 256' 'openssl dgst -sha256 -r'; do command -v \${h%% *} >/dev/null && break; h=; done
printf '%s\\0' "$d" "$(uname -sm)" "$h")`;

/** Sends the launcher where it is not there yet. Resolves to why not, in a line. */
export async function placeLauncher(
  ask: AskHost,
  host: string,
  kit: LauncherKit,
): Promise<PlacedLauncher | { readonly why: string }> {
  const found = await ask(FIND);
  if (found?.exit !== 0) return { why: `no directory on ${host} is private and lets programs run` };
  const [directory = '', system = '', hasher = ''] = found.text.split('\0');
  if (!/^\/[\w./@+ -]+$/.test(directory)) return { why: `no directory on ${host} can be used` };
  if (!/^(?:sha256sum|shasum -a 256|openssl dgst -sha256 -r)$/.test(hasher))
    return { why: `nothing on ${host} tells a file’s hash (sha256sum, shasum, openssl)` };
  const arch = ARCHITECTURES[system];
  const program = arch === undefined ? undefined : kit.program(arch);
  if (!program) return { why: `there is no launcher for ${system.replace(/[^\w ]/g, '').slice(0, 40)}` };
  const placed = { directory, path: `${directory}/launcher-${program.hash.slice(0, 16)}`, hash: program.hash, hasher };
  if ((await ask(`(${isLauncher(placed)})`))?.exit === 0) return placed;
  return (await send(ask, placed, program.bytes))
    ? placed
    : { why: `the launcher could not be sent to ${host}, or does not run there` };
}

/** Written in small pieces, compared, started once, and only then given its name. */
async function send(ask: AskHost, placed: PlacedLauncher, bytes: Buffer): Promise<boolean> {
  const fresh = { ...placed, path: `${placed.directory}/new-${randomBytes(8).toString('hex')}` };
  const file = shellQuote(fresh.path);
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    const octal = [...bytes.subarray(at, at + CHUNK_BYTES)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`);
    if ((await ask(`(umask 077; printf '${octal.join('')}' >>${file})`))?.exit !== 0) return false;
  }
  const name = shellQuote(placed.path);
  const use = `${isLauncher(fresh)} && chmod 500 ${file} && ${file} --help >/dev/null && rm -rf ${name} && mv -f ${file} ${name}`;
  const done = await ask(`(${use} || { rm -f ${file}; exit 1; })`);
  return done?.exit === 0;
}

/** Code for a condition: the file is, to the byte, what was sent. */
export function isLauncher({ path, hash, hasher }: PlacedLauncher): string {
  const file = shellQuote(path);
  return `[ -f ${file} ] && [ ! -h ${file} ] && [ "$(${hasher} <${file} | cut -c 1-64)" = ${hash} ]`;
}

/** Why it holds nothing there, in a line; undefined where it does. */
export async function tryLauncher(ask: AskHost, host: string, placed: PlacedLauncher, kit: LauncherKit) {
  const launcher = shellQuote(placed.path);
  const answer = await ask(`(${isLauncher(placed)} || exit ${NOT_THE_LAUNCHER}
umask 077; t=$(mktemp -d ${shellQuote(placed.directory)}/test-XXXXXXXX) || exit 1
mkdir "$t/tmp" "$t/target" "$t/target/dir"; echo 'must stay' >"$t/target/file"
TMPDIR=$t/tmp ${launcher} --tmp "$t/tmp" --status "$t/status" --limit wall=4 -- ${launcher} --selftest "$t/target"
tail -n 1 "$t/status"; rm -rf "$t")`);
  if (answer?.exit === NOT_THE_LAUNCHER) return `the launcher on ${host} is not the one that was sent`;
  const lines = answer?.text.trimEnd().split('\n') ?? [];
  const status = lines.pop() ?? '';
  if (!status.startsWith('exit 0 ')) return `the sandbox does not work on ${host}: ${clean(status)}`;
  const why = kit.whyOpen(lines.join('\n'));
  return why === undefined ? undefined : `${clean(why)} (${host})`;
}

function clean(text: string): string {
  return (text === '' ? 'it did not say why' : text).replace(/[\u0000-\u001f\u007f-\u009f]/g, '�').slice(0, 200);
}

/** Code that tells what lies there of ours, removing nothing: files and bytes. */
export function measureThere(): string {
  return `(${SAFE}
for b in ${PLACES}; do
  [ -n "$b" ] && own "$b/${NAME}-$me" || continue
  n=$(ls "$d/undo" | grep -c '^[0-9]') ; k=$(du -skx "$d" | cut -f 1)
  printf '%s\\0%s\\0%s\\0' "$d" "$n" "$k"
done)`;
}

/** What is removed later by the user's word: a directory of that very name, and no way out of it. */
function isOurs(directory: string): boolean {
  return isPathThere(directory) && new RegExp(`^${NAME}-\\d+$`).test(directory.slice(directory.lastIndexOf('/') + 1));
}

function numberTold(text = ''): number {
  return /^\d{1,12}$/.test(text) ? Number(text) : 0;
}

/** What lies in one directory of a host. */
export type LeftThere = { readonly directory: string; readonly actions: number; readonly bytes: number };

export function readMeasured(text: string): readonly LeftThere[] {
  const fields = text.split('\0');
  const left: LeftThere[] = [];
  for (let at = 0; at + 2 < fields.length && left.length < MAX_LEFT; at += 3) {
    const [directory = '', actions, kilobytes] = fields.slice(at, at + 3);
    if (!/^\/[\w./@+ -]+$/.test(directory) || !isOurs(directory)) continue;
    left.push({ directory, actions: numberTold(actions), bytes: numberTold(kilobytes) * 1024 });
  }
  return left;
}
