/**
 * Containers and pods as machines, through docker, podman and kubectl. A killed client leaves its command running,
 * and a client with a broken connection exits with 0, so only what the container itself has recorded counts.
 */
import { UNATTENDED_CODE } from '../../knowledge/unattended.ts';

/** The client's arguments before the program to run. */
export type Client = readonly [string, ...string[]];

const WORD = /^[A-Za-z0-9][\w.-]{0,252}$/;

/**
 * Returns the client for `docker:NAME`, `podman:NAME`, `k8s:NAMESPACE/POD[/CONTAINER]`; undefined for other names.
 */
export function clientFor(host: string): Client | undefined {
  const [, kind, name = ''] = /^(docker|podman|k8s):(.+)$/.exec(host) ?? [];
  const words = name.split('/');
  if (!words.every((word) => WORD.test(word))) return undefined;
  if (kind === 'docker' || kind === 'podman') return words.length === 1 ? [kind, 'exec', '-i', name] : undefined;
  const [namespace = '', pod, container] = words;
  if (kind !== 'k8s' || pod === undefined || words.length > 3) return undefined;
  const which = container === undefined ? [] : ['-c', container];
  return ['kubectl', 'exec', '-i', '-n', namespace, pod, ...which, '--'];
}

/**
 * Reports facts about the machine, each ended by NUL; `$b` is the private directory in the container. For `readFacts`.
 */
export const FACTS = `printf '%s\\0' "$b" "$(pwd)" "\${HOME:-/}" "$(id -u)"`;

/** Creates a private directory and reports facts about the machine. */
export const SETUP = `umask 077
for d in "\${XDG_RUNTIME_DIR-}" "\${TMPDIR-}" /tmp /dev/shm; do
  [ -n "$d" ] && b=$(mktemp -d "$d/aish-tui-XXXXXXXX" 2>/dev/null) && break
done
[ -d "$b" ] || exit 1
${FACTS}`;

export type ContainerFacts = {
  readonly folder: string;
  readonly directory: string;
  readonly home: string;
  readonly root: boolean;
};

/** A container may send anything: accept only well-formed facts. */
export function readFacts(text: string): ContainerFacts | undefined {
  const [folder = '', directory = '', home = '', uid = ''] = text.split('\0');
  const isPath = (path: string) => /^\/[^\u0000-\u001f\u007f\ufffd]*$/.test(path);
  if (!/^\/[\w./@+-]+$/.test(folder) || !isPath(directory) || !isPath(home)) return undefined;
  return { folder, directory, home, root: uid === '0' };
}

/**
 * Runs `$3` in `$2`, at most once: a file that only one process can create marks its start, and its end is
 * written to a second one (`$1`). The command ends when the input of this script ends, that is, with the client.
 */
const RUN = `at=$1
set -C; { true >"$at.began"; } 2>/dev/null || exit 126; set +C
cd -- "$2" || { echo 1 >"$at.end"; exit 1; }
${UNATTENDED_CODE}
s=; command -v setsid >/dev/null 2>&1 && s=setsid
b=/bin/sh; command -v bash >/dev/null 2>&1 && b=bash
exec 3<&0
$s "$b" -c -- "$3" </dev/null 3<&- &
p=$!
printf '%s\\n' "$p" >"$at.pid"
{ cat <&3; kill -TERM "-$p" || kill -TERM "$p"; sleep 2; kill -KILL "-$p" || kill -KILL "$p"; } >/dev/null 2>&1 &
w=$!
exec 3<&-
wait "$p"; c=$?
printf '%s\\n' "$c" >"$at.end.new" && mv -f "$at.end.new" "$at.end"
kill "$w" 2>/dev/null
exit "$c"`;

/**
 * Returns the arguments after the client's for a command.
 * @param at the path of its records
 */
export function runWords(at: string, directory: string, command: string): readonly string[] {
  return ['/bin/sh', '-c', RUN, 'aish-tui', at, directory, command];
}

/** Returns the arguments after the client's for a piece of our code. */
export function askWords(code: string): readonly string[] {
  return ['/bin/sh', '-c', `PATH=/usr/bin:/bin:/usr/sbin:/sbin; LC_ALL=C; export PATH LC_ALL\n${code}`];
}

/**
 * Returns code whose answer `readEnd` parses. It takes the start file, so that a command that has not started can't
 * start any more.
 * @param file the command's records, as a word of sh
 */
export function endCode(file: string): string {
  const fence = `( set -C; : >${file}.began ) 2>/dev/null`;
  return `if [ -e ${file}.end ]; then cat ${file}.end; elif ${fence}; then echo none; else echo began; fi`;
}

/**
 * Returns code that ends a command that still runs.
 * @param file its records, as a word of sh
 */
export function killCode(file: string): string {
  return `p=$(cat ${file}.pid) && case $p in ''|*[!0-9]*) ;; *) kill -KILL "-$p" || kill -KILL "$p" ;; esac`;
}

export type ContainerEnd =
  | { readonly kind: 'ended'; readonly exit: number }
  /** `silent`: the container did not answer. */
  | { readonly kind: 'never began' | 'began' | 'silent' };

export function readEnd(answer: string | undefined): ContainerEnd {
  const text = answer?.trim();
  if (text !== undefined && /^\d{1,3}$/.test(text)) return { kind: 'ended', exit: Number(text) };
  return { kind: text === 'none' ? 'never began' : text === 'began' ? 'began' : 'silent' };
}
