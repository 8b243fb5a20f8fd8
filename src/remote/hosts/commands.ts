/**
 * A command of a model on a host. Its text goes there as a file, so that no login shell reads it and no list of
 * processes shows it; and it runs at most once: its beginning is a file that only one can make, its end is written
 * beside it. (`true` makes it: a redirection of `:` that fails would end a POSIX sh with a code of its own.)
 */
import { UNATTENDED_CODE } from '../../knowledge/unattended.ts';
import { shellQuote } from '../../text/shell.ts';
import { lineTold } from './facts.ts';

/** The last of the codes that a system has; and what is shown of why a command did not begin. */
const MAX_EXIT = 255;
const MAX_WHY_CHARS = 300;

export type Order = {
  readonly command: string;
  readonly directory: string;
  /**
   * Signs the marks with which it tells where it ended, and, behind all of its output, that nothing follows. No
   * protection from the command itself, which runs as the same user and can read it: all that an end told early does is
   * keep away the note about missing output.
   */
  readonly token: string;
  readonly env: Readonly<Record<string, string>>;
  /** The bash there; undefined: its sh. */
  readonly bash: string | undefined;
  readonly behind?: Behind;
};

/** The launcher that a command is put behind. */
export type Behind = {
  /** Code for a condition, right before: without it nothing runs. */
  readonly guard: string;
  /** Its words and those of the command. @param tmp a private directory of the command */
  readonly wrap: (
    argv: readonly string[],
    files: { readonly tmp: string; readonly status: string },
  ) => readonly string[];
  /**
   * `bare`: little of the environment there, and a temporary directory of its own; `tmp`: all of it, and that; `whole`:
   * as it is.
   */
  readonly environment: 'bare' | 'tmp' | 'whole';
  /** Its files lie in that directory: it sees no other of what is temporary. */
  readonly apart?: true;
  /** A file that the launcher's last word is left in. */
  readonly told?: string;
};

/**
 * What a confined command keeps of the login shell's environment: who can read files should not have its keys as well.
 */
const BARE = ['HOME', 'PATH', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TERM', 'TZ'];
/** In front of a program of the system: what startup files made of PATH is for the command alone. */
const SYSTEM = 'PATH=/usr/bin:/bin:$PATH';
/** Whatever the login shell's startup files say, it finds the system's programs. */
const CLEAN_SH = '/usr/bin/env -i LC_ALL=C PATH=/usr/bin:/bin:/usr/sbin:/sbin /bin/sh';
/** Neither startup files nor functions of the environment come between. */
const READ_BY_BASH = 'IFS= read -r -d "" AISH_TUI_COMMAND <"$1.cmd"';
const READ_BY_SH = 'AISH_TUI_COMMAND=$(cat "$1.cmd")';

/** Code for the helper that lays the command down as `name` in the folder. */
export function layDown(folder: string, name: string, order: Order): string {
  const files = {
    cmd: order.command.replaceAll('\0', ''),
    env: [
      UNATTENDED_CODE,
      ...Object.entries(order.env).map(([key, value]) => `export ${key}=${shellQuote(value)}`),
      '',
    ].join('\n'),
    sh: scriptOf(folder, name, order),
  };
  const written = Object.entries({ ...files, ready: '' }).map(([kind, text]) => {
    return `printf %s ${shellQuote(text)} >${shellQuote(`${folder}/${name}.${kind}`)}`;
  });
  return `umask 077; ${written.join(' && ')} && ${wake(folder, name)}`;
}

/**
 * The same for a command that was laid down as `before` and did not begin: only where the host's record of that one is
 * taken, and stays so, is it laid down anew.
 */
export function layDownAgain(folder: string, before: string, name: string, order: Order): string {
  return `[ -s ${shellQuote(`${folder}/${before}.began`)} ] && { ${layDown(folder, name, order)}; }`;
}

/** Code that waits for such a session to be there, two seconds at most. */
export function restsAt(folder: string, name: string): string {
  return `n=0; until [ -p ${shellQuote(`${folder}/${name}.go`)} ] || [ $n -ge 20 ]; do n=$((n+1)); sleep 0.1; done`;
}

/**
 * The same for one whose command may never be laid down: it looks for a moment, and gives up. Its pipe may not be there
 * yet; so what it looks at behind its pipe's opening lies there first.
 */
export function wakeUnlaid(folder: string, name: string): string {
  return `: >${shellQuote(`${folder}/${name}.woken`)}; ${wake(folder, name)}`;
}

/**
 * Code that wakes the session that waits for this command, where one does. Both ends are opened, so that it waits for
 * nobody.
 */
function wake(folder: string, name: string): string {
  const pipe = shellQuote(`${folder}/${name}.go`);
  return `{ [ ! -p ${pipe} ] || echo 1<>${pipe}; }`;
}

/** `$1`: the command's files. Those of a command behind a launcher are not its own to remove. */
function scriptOf(folder: string, name: string, order: Order): string {
  const { directory, token, bash, behind } = order;
  const at = `${folder}/${name}`;
  const told = `builtin printf "\\033]7331;${token};D;%s\\007" "$PWD" 2>/dev/null >/dev/tty`;
  const plain = told.replace('builtin ', bash === undefined ? '' : 'builtin ');
  const report = `case $PWD in *[[:cntrl:]]*) ;; *) ${plain} ;; esac`;
  const read = `. "$1.env"; ${bash === undefined ? READ_BY_SH : READ_BY_BASH}`;
  // Emptied, not removed: that takes no program. Behind a launcher they are not the command's to write.
  const empty = behind ? '' : ' : >"$1.env"; : >"$1.cmd";';
  const run = `${read};${empty} shift; trap '${report}' EXIT; eval "$AISH_TUI_COMMAND"`;
  const argv = [
    ...(bash === undefined ? ['/bin/sh'] : [bash, '--noprofile', '--norc', '-p']),
    '-c',
    run,
    'bash',
    behind?.apart ? `${at}.tmp/op` : at,
  ];
  return `at=${shellQuote(at)}
set -C
{ true >"$at.began"; } 2>/dev/null || exit 126
set +C
echo $$ >"$at.pid"
${MARK}=${name}.$$; export ${MARK}
trap : INT QUIT
c=1; e=1
if cd -- ${shellQuote(directory)}; then
${behind ? launched(at, argv, behind) : `${argv.map(shellQuote).join(' ')}\nc=$?\ne=$c`}
fi
printf '%s\\n' "$e" >"$at.end"
printf '\\033]7331;${token};E\\007'
exit "$c"
`;
}

/**
 * Its parent is this shell, which leads the terminal's session: the end of the connection is its own end, and with it
 * the command's.
 */
function launched(at: string, argv: readonly string[], { wrap, environment, guard, told, apart }: Behind): string {
  const [launcher = '', ...words] = wrap(argv, { tmp: `${at}.tmp`, status: `${at}.status` });
  const kept = BARE.map((name) => `\${${name}+"${name}=$${name}"}`).join(' ');
  const env = `/usr/bin/env ${environment === 'bare' ? `-i ${kept} ` : ''}TMPDIR="$at.tmp" TMP="$at.tmp" TEMP="$at.tmp" `;
  const tell = told === undefined ? '' : `printf '%s\\n' "$s" >${shellQuote(told)}\n`;
  const move = apart ? `${SYSTEM} mv "$at.cmd" "$at.tmp/op.cmd" && ${SYSTEM} mv "$at.env" "$at.tmp/op.env"\n` : '';
  return `${SYSTEM} mkdir -m 700 "$at.tmp"
${move}s='failed the launcher there is not the one that was sent'; c=126
if ${CLEAN_SH} -c ${shellQuote(guard)}; then
  ${environment === 'whole' ? '' : env}${shellQuote(launcher)} --parent $$ ${words.map(shellQuote).join(' ')}
  c=$?
  s=$(${SYSTEM} tail -n 1 "$at.status" 2>/dev/null)
fi
e=$c
case $s in ''|failed*) e="none $s"; c=126 ;; esac
${tell}${SYSTEM} rm -rf "$at.tmp" "$at.env" "$at.cmd" "$at.status"`;
}

/** The kinds of a command's files, but for the one that says whether it began. */
const KINDS = ['cmd', 'env', 'sh', 'ready', 'go', 'woken', 'pid', 'end', 'status'];

/** Code for the helper that removes what a command has left; of one that did not begin the word stays that it can't. */
export function clean(folder: string, name: string, began: boolean): string {
  const at = shellQuote(`${folder}/${name}`);
  return began ? `rm -f ${at}.*` : `rm -f ${KINDS.map((kind) => `${at}.${kind}`).join(' ')}`;
}

/** Looks for a command that is still being laid down, some hundredths of a second apart. */
const LOOKS = 100;
/**
 * Lies there once for all commands, so that a session can be opened while its command is on its way: that went first,
 * and is there by then, mostly. One that never comes does not begin. A session that waits looks once its pipe is open,
 * and whoever lays the command down writes into the pipe behind it: neither can miss the other.
 */
const START = `at=\${0%/*}/$1
if [ "$2" = waits ] && ${SYSTEM} mkfifo -m 600 "$at.go" && exec 3<>"$at.go"; then
  [ -e "$at.ready" ] || [ -e "$at.woken" ] || TMOUT=0 read -r go <&3
  exec 3<&-
fi 2>/dev/null
n=0
until [ -e "$at.ready" ]; do
  n=$((n+1)); [ $n -le ${LOOKS} ] || exit 126
  ${SYSTEM} sleep 0.05 || ${SYSTEM} sleep 1
done 2>/dev/null
. "$at.sh"
`;
/** Code for the helper that lays down what every command is started by; `$b` is the folder. */
export const LAY_START = `printf %s ${shellQuote(START)} >"$b/start"`;

/** What the session of its own runs. */
export function startOf(folder: string, name: string): string {
  return `exec /bin/sh ${folder}/start ${name}`;
}

/**
 * The same for one that is opened before its command is known: it waits until that lies there, however long it takes.
 */
export function waitOf(folder: string, name: string): string {
  return `${startOf(folder, name)} waits`;
}

/** The file that holds the number of the process that leads its session. */
export function leaderOf(folder: string, name: string): string {
  return `${folder}/${name}.pid`;
}

/** In the environment of a command: its name and the session of its terminal. */
const MARK = 'AISH_TUI_RUN';

/**
 * Code that hangs up once more on what is left of a command whose connection is gone: a bash that was just forking has
 * lost the first time. What has a session of its own, or ignores it, lives on as it would have.
 */
export function hangUp(name: string): string {
  const mark = `${MARK}=${name}\\.`;
  return `for f in $(grep -lza '^${mark}' /proc/[0-9]*/environ); do
  p=\${f#/proc/}; p=\${p%/*}
  s=$(tr '\\0\\n' '\\n ' <"$f" | sed -n 's/^${mark}//p')
  [ "$s" = "$(sed 's/.*) . [0-9]* [0-9]* \\([0-9]*\\) .*/\\1/' "/proc/$p/stat")" ] && kill -HUP "$p"
done`;
}

/** What is known of how it ended. */
export type End =
  | { readonly kind: 'ended'; readonly exit: number }
  /** `why`: what the launcher says. */
  | { readonly kind: 'never began'; readonly why?: string }
  | { readonly kind: 'unknown' };

/**
 * Code for the helper whose answer `readEnd` reads. What has not begun by then can't begin any more, however late its
 * session starts: its beginning is taken, with a word in it, so that the answer stays the same.
 */
export function askEnd(folder: string, name: string): string {
  const at = shellQuote(`${folder}/${name}`);
  const take = `( set -C; echo none >${at}.began ) 2>/dev/null`;
  const began = `${take}; if [ -s ${at}.began ]; then cat ${at}.began; else echo began; fi`;
  return `if [ -s ${at}.end ]; then cat ${at}.end; elif [ -d ${shellQuote(folder)} ]; then ${began}; fi`;
}

export function readEnd(answer: string | undefined): End {
  const text = answer?.trim() ?? '';
  if (/^\d{1,3}$/.test(text) && Number(text) <= MAX_EXIT) return { kind: 'ended', exit: Number(text) };
  const [, why = ''] = /^none(?: failed (.*))?/.exec(text) ?? [];
  if (!text.startsWith('none')) return { kind: 'unknown' };
  return { kind: 'never began', ...(why === '' ? {} : { why: lineTold(why, MAX_WHY_CHARS) }) };
}
