/**
 * A command of a model on a host. Its text goes there as a file, so that no login shell reads it and no list of processes
 * shows it; and it runs at most once: its beginning is a file that only one can make, its end is written beside it. (`true` makes it: a
 * redirection of `:` that fails would end a POSIX sh with a code of its own.)
 */
import { shellQuote } from '../text/shell-quote.ts';

export type Order = {
  readonly command: string;
  readonly directory: string;
  /** Signs the mark with which it tells where it ended. */
  readonly token: string;
  readonly env: Readonly<Record<string, string>>;
  /** The bash there; undefined: its sh. */
  readonly bash: string | undefined;
};

const UNATTENDED = 'export PAGER=cat GIT_PAGER=cat GIT_TERMINAL_PROMPT=0; unset ENV BASH_ENV';
/** Neither startup files nor functions of the environment come between. */
const READ_BY_BASH = 'IFS= read -r -d "" AISH_TUI_COMMAND <"$1"';
const READ_BY_SH = 'AISH_TUI_COMMAND=$(cat "$1")';

/** Code for the helper that lays the command down as `name` in the folder. */
export function layDown(folder: string, name: string, order: Order): string {
  const file = (kind: string) => shellQuote(`${folder}/${name}.${kind}`);
  return [
    `umask 077; printf %s ${shellQuote(order.command.replaceAll('\0', ''))} >${file('cmd')} &&`,
    `printf %s ${shellQuote(scriptOf(folder, name, order))} >${file('sh')}`,
  ].join(' ');
}

function scriptOf(folder: string, name: string, { directory, token, env, bash }: Order): string {
  const at = shellQuote(`${folder}/${name}`);
  const told = `builtin printf "\\033]7331;${token};D;%s\\007" "$PWD" 2>/dev/null >/dev/tty`;
  const plain = told.replace('builtin ', bash === undefined ? '' : 'builtin ');
  const report = `case $PWD in *[[:cntrl:]]*) ;; *) ${plain} ;; esac`;
  const run = `${bash === undefined ? READ_BY_SH : READ_BY_BASH}; rm -f "$1"; shift; trap '${report}' EXIT; eval "$AISH_TUI_COMMAND"`;
  const shell = bash === undefined ? '/bin/sh' : `${shellQuote(bash)} --noprofile --norc -p`;
  return `at=${at}
set -C
{ true >"$at.began"; } 2>/dev/null || exit 126
set +C
rm -f "$at.sh"
trap : INT QUIT
${UNATTENDED}
${Object.entries(env)
  .map(([key, value]) => `export ${key}=${shellQuote(value)}`)
  .join('\n')}
cd -- ${shellQuote(directory)} || exit 1
${shell} -c ${shellQuote(run)} bash "$at.cmd"
c=$?
printf '%s\\n' "$c" >"$at.end.new" && mv -f "$at.end.new" "$at.end"
exit "$c"
`;
}

/** What the session of its own runs. */
export function startOf(folder: string, name: string): string {
  return `exec /bin/sh ${folder}/${name}.sh`;
}

/** What is known of how it ended. */
export type End = { readonly kind: 'ended'; readonly exit: number } | { readonly kind: 'never began' | 'unknown' };

/**
 * Code for the helper whose answer `readEnd` reads. What has not begun by then can't begin any more, however late its
 * session starts: its beginning is taken, with a word in it, so that the answer stays the same.
 */
export function askEnd(folder: string, name: string): string {
  const at = shellQuote(`${folder}/${name}`);
  const take = `( set -C; echo none >${at}.began ) 2>/dev/null`;
  const began = `${take}; if [ -s ${at}.began ]; then cat ${at}.began; else echo began; fi`;
  return `if [ -e ${at}.end ]; then cat ${at}.end; elif [ -d ${shellQuote(folder)} ]; then ${began}; fi`;
}

export function readEnd(answer: string | undefined): End {
  const text = answer?.trim() ?? '';
  if (/^\d{1,3}$/.test(text)) return { kind: 'ended', exit: Number(text) };
  return { kind: text === 'none' ? 'never began' : 'unknown' };
}
