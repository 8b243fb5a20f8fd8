/**
 * What runs on a host that Ansible reaches. The first line of the input names the private directory there. Nothing here hangs on a
 * connection: Ansible's ends when it likes, and a command outlives it. So a command's beginning is a file that can be made
 * once, and its time is bounded there.
 */
import { shellQuote } from '../../text/shell-quote.ts';
import { askWords, endCode, FACTS, killCode, UNATTENDED } from './container.ts';

const READ = 'IFS= read -r b || exit 1';
/** What is kept of an output there. */
export const MAX_OUTPUT_BYTES = 1_000_000;

/** What stands behind an output: the end of it, and whether all of the output was read. */
const LAST = /aish-tui (\d{1,3}) (whole|part)$/;
const MAX_LAST_CHARS = 24;

const lineOf = (words: readonly string[]): string => words.map(shellQuote).join(' ');

/** A command line that runs a piece of code of ours; `$b` is the private directory. */
export function askLine(code: string): string {
  return lineOf(askWords(`${READ}\n${code}`));
}

/** Makes the private directory, whose name nobody can know, and tells of the machine; for `readFacts`. */
export const SETUP_THERE = `umask 077; mkdir "$b" || exit 1\n${FACTS}`;
/** Ends what is left of its commands, and removes the directory. */
export const CLOSE_THERE = `for f in "$b"/*.pid; do [ -e "$f" ] || continue; f=\${f%.pid}; ${killCode('"$f"')}; done; rm -rf "$b"`;

/**
 * Runs `$3` in `$2`, at most once, for at most `$4` seconds: its beginning is a file that only one can make, its end is
 * written beside it. Of its output the beginning is kept and the rest is read, so that the command does not notice; what it leaves
 * in the background keeps nobody waiting. Behind the output it says that it has come to its own end (`readRun`): whatever else
 * ends it, a signal or a lack of processes, leaves a code that is not the command's.
 */
const RUN = `${READ}; at=$b/$1
last() { printf 'aish-tui %s %s' "$1" "$2"; exit "$1"; }
u=$(umask); umask 077
set -C; { true >"$at.began"; } 2>/dev/null || exit 126; set +C
cd -- "$2" 2>&1 || { echo 1 >"$at.end"; last 1 whole; }
mkfifo "$at.pipe" || { echo 126 >"$at.end"; last 126 whole; }
${UNATTENDED}
s=; command -v setsid >/dev/null 2>&1 && s=setsid
b=/bin/sh; command -v bash >/dev/null 2>&1 && b=bash
{ n=0
  while dd bs=65536 count=1 >>"$at.out"; m=$(($(wc -c <"$at.out"))); [ $m -gt $n ] && [ $m -lt ${MAX_OUTPUT_BYTES} ]; do n=$m; done
  true >"$at.read"
  cat
} <"$at.pipe" >/dev/null 2>&1 &
( umask "$u"; exec $s "$b" -c -- "$3" ) </dev/null >"$at.pipe" 2>&1 &
p=$!
printf '%s\\n' "$p" >"$at.pid"
{ n=0
  while [ -e "$at.pid" ]; do
    if [ "$n" -ge "$4" ]; then kill -TERM "-$p" || kill -TERM "$p"; sleep 2; kill -KILL "-$p" || kill -KILL "$p"; break; fi
    sleep 1; n=$((n+1))
  done
} </dev/null >/dev/null 2>&1 &
wait "$p"; c=$?
printf '%s\\n' "$c" >"$at.end.new" && mv -f "$at.end.new" "$at.end"
n=0
until [ -e "$at.read" ] || [ $n -ge 10 ]; do n=$((n+1)); sleep 0.1 2>/dev/null || sleep 1; done
r=part; [ -e "$at.read" ] && r=whole
cat "$at.out" || r=part
rm -f "$at.pid" "$at.pipe" "$at.out" "$at.read"
last "$c" "$r"`;

/** A command line that runs a judged command. @param name of its records; @param seconds that it may take */
export function runLine(name: string, directory: string, command: string, seconds: number): string {
  return lineOf(['/bin/sh', '-c', RUN, 'aish-tui', name, directory, command, String(Math.ceil(seconds))]);
}

/** What was carried back of such a line. @returns undefined where it did not come to its own end */
export function readRun(
  exit: number,
  text: string,
): { readonly output: string; readonly isWhole: boolean } | undefined {
  const [last, code, read] = LAST.exec(text.slice(-MAX_LAST_CHARS)) ?? [];
  if (last === undefined || Number(code) !== exit) return undefined;
  return { output: text.slice(0, -last.length), isWhole: read === 'whole' };
}

/**
 * Ends what is left of a command, and tells how it ended, for `readEnd`. One that has only just begun has no process yet: that
 * is waited for, and where it does not come, nothing is told.
 */
export function endingCode(name: string): string {
  const file = `"$b"/${name}`;
  return `n=0
while [ -e ${file}.began ] && ! [ -s ${file}.pid ] && ! [ -e ${file}.end ]; do
  [ $n -lt 50 ] || exit 1
  n=$((n+1)); sleep 0.1 2>/dev/null || sleep 1
done
${killCode(file)} 2>/dev/null
${endCode(file)}`;
}
