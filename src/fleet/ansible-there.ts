/**
 * What runs on a host that Ansible reaches. The first line of the input names the private directory there. Nothing here hangs on a
 * connection: Ansible's ends when it likes, and a command outlives it. So a command's beginning is a file that can be made
 * once, and its time is bounded there.
 */
import { shellQuote } from '../text/shell-quote.ts';
import { askWords, FACTS, killCode, UNATTENDED } from './container.ts';

const READ = 'IFS= read -r b || exit 1';
/** What is kept of an output there. */
export const MAX_OUTPUT_BYTES = 1_000_000;

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
 * in the background keeps nobody waiting.
 */
const RUN = `${READ}; at=$b/$1
u=$(umask); umask 077
set -C; { true >"$at.began"; } 2>/dev/null || exit 126; set +C
cd -- "$2" 2>&1 || { echo 1 >"$at.end"; exit 1; }
mkfifo "$at.pipe" || { echo 126 >"$at.end"; exit 126; }
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
cat "$at.out"
rm -f "$at.pid" "$at.pipe" "$at.out" "$at.read"
exit "$c"`;

/** A command line that runs a judged command. @param name of its records; @param seconds that it may take */
export function runLine(name: string, directory: string, command: string, seconds: number): string {
  return lineOf(['/bin/sh', '-c', RUN, 'aish-tui', name, directory, command, String(Math.ceil(seconds))]);
}
