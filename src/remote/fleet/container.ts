/**
 * Containers and pods as machines, through the clients of their vendors. A client that is killed leaves its command
 * alive, and one whose connection broke has ended with 0: only what the container itself wrote down is believed.
 */
import { UNATTENDED_CODE } from '../../knowledge/unattended.ts';

/** How a program is started there: behind these words stand its own. */
export type Client = readonly [string, ...string[]];

const WORD = /^[A-Za-z0-9][\w.-]{0,252}$/;

/** The client for `docker:NAME`, `podman:NAME`, `k8s:NAMESPACE/POD[/CONTAINER]`; undefined for any other name. */
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

/** Tells of the machine, each fact ended by NUL; `$b` is the private directory there. For `readFacts`. */
export const FACTS = `printf '%s\\0' "$b" "$(pwd)" "\${HOME:-/}" "$(id -u)"`;

/** Makes a private directory and tells of the machine. */
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

/** It says what it likes: only what has the form of a fact is one. */
export function readFacts(text: string): ContainerFacts | undefined {
  const [folder = '', directory = '', home = '', uid = ''] = text.split('\0');
  const isPath = (path: string) => /^\/[^\u0000-\u001f\u007f\ufffd]*$/.test(path);
  if (!/^\/[\w./@+-]+$/.test(folder) || !isPath(directory) || !isPath(home)) return undefined;
  return { folder, directory, home, root: uid === '0' };
}

/**
 * Runs \`$3\` in \`$2\`, at most once: its beginning is a file that only one can make, its end is written beside it
 * (\`$1\`). Its life hangs on the input of this script, which ends with the client.
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

/** Words behind the client's that run a command there. @param at path of its records */
export function runWords(at: string, directory: string, command: string): readonly string[] {
  return ['/bin/sh', '-c', RUN, 'aish-tui', at, directory, command];
}

/** Words behind the client's that run a piece of code of ours. */
export function askWords(code: string): readonly string[] {
  return ['/bin/sh', '-c', `PATH=/usr/bin:/bin:/usr/sbin:/sbin; LC_ALL=C; export PATH LC_ALL\n${code}`];
}

/**
 * Code whose answer `readEnd` reads. What has not begun by then can't begin any more: its beginning is taken.
 * @param file the command's records, as a word of sh
 */
export function endCode(file: string): string {
  const fence = `( set -C; : >${file}.began ) 2>/dev/null`;
  return `if [ -e ${file}.end ]; then cat ${file}.end; elif ${fence}; then echo none; else echo began; fi`;
}

/** Code that ends what is left of a command. @param file its records, as a word of sh */
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
