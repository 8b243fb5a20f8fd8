/**
 * Runs a model's command on a host. Its text is sent as a file, so that no login shell parses it and no process list
 * shows it. It runs at most once: a file that only one process can create marks its start, and its end is written to
 * another. (`true` creates it: a failing redirection of `:` would end a POSIX sh.)
 */
import { UNATTENDED_CODE } from '../../knowledge/unattended.ts';
import { shellQuote } from '../../text/shell.ts';
import { parseLine } from './facts.ts';

/** The highest exit code; and the length of the reason shown if a command did not start. */
const MAX_EXIT = 255;
const MAX_WHY_CHARS = 300;

export type Order = {
  readonly command: string;
  readonly directory: string;
  /**
   * Authenticates the marks that report where the command ended and, after all output, that nothing follows. It does
   * not protect against the command itself, which runs as the same user and can read it; a forged end would only
   * suppress the note about missing output.
   */
  readonly token: string;
  readonly env: Readonly<Record<string, string>>;
  /** The path of bash on the host; undefined: use sh. */
  readonly bash: string | undefined;
  readonly behind?: Behind;
};

/** How a command is wrapped in the launcher. */
export type Behind = {
  /** A condition, checked right before: if it fails, nothing runs. */
  readonly guard: string;
  /**
   * Returns the launcher's arguments followed by the command's.
   * @param tmp a private directory of the command
   */
  readonly wrap: (
    argv: readonly string[],
    files: { readonly tmp: string; readonly status: string },
  ) => readonly string[];
  /**
   * `bare`: few variables of the host, and an own temporary directory. `tmp`: all variables and that directory.
   * `whole`: unchanged.
   */
  readonly environment: 'bare' | 'tmp' | 'whole';
  /** The command sees only its own temporary directory. */
  readonly apart?: true;
  /** The file for the launcher's final report. */
  readonly told?: string;
};

/**
 * The login shell's variables that a sandboxed command keeps: a command that can read files should not get keys in
 * its environment as well.
 */
const BARE = ['HOME', 'PATH', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TERM', 'TZ'];
/** Adds the system’s programs to PATH for one of them: a PATH from startup files is only for the command. */
const SYSTEM = 'PATH=/usr/bin:/bin:$PATH';
/** A clean sh that finds the system's programs, whatever the login shell's startup files set. */
const CLEAN_SH = '/usr/bin/env -i LC_ALL=C PATH=/usr/bin:/bin:/usr/sbin:/sbin /bin/sh';
/** Reads the command without startup files or functions from the environment. */
const READ_BY_BASH = 'IFS= read -r -d "" AISH_TUI_COMMAND <"$1.cmd"';
const READ_BY_SH = 'AISH_TUI_COMMAND=$(cat "$1.cmd")';

/** Returns code for the helper that stores the command as `name` in the folder. */
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
 * The same for a command that was stored as `before` and did not start. It is stored again only if the old start file
 * could be taken, so that the old one can't start.
 */
export function layDownAgain(folder: string, before: string, name: string, order: Order): string {
  return `[ -s ${shellQuote(`${folder}/${before}.began`)} ] && { ${layDown(folder, name, order)}; }`;
}

/** Returns code that waits up to two seconds until the session opened ahead for the next command is ready. */
export function restsAt(folder: string, name: string): string {
  return `n=0; until [ -p ${shellQuote(`${folder}/${name}.go`)} ] || [ $n -ge 20 ]; do n=$((n+1)); sleep 0.1; done`;
}

/**
 * Returns code that wakes a session whose command may never be stored: it checks briefly and gives up. Its pipe may
 * not exist yet, so the file that it checks after opening the pipe is written first.
 */
export function wakeUnlaid(folder: string, name: string): string {
  return `: >${shellQuote(`${folder}/${name}.woken`)}; ${wake(folder, name)}`;
}

/**
 * Returns code that wakes the session waiting for this command, if any. It opens both ends of the pipe, so it waits
 * for nobody.
 */
function wake(folder: string, name: string): string {
  const pipe = shellQuote(`${folder}/${name}.go`);
  return `{ [ ! -p ${pipe} ] || echo 1<>${pipe}; }`;
}

/**
 * Returns the script that runs a command; `$1` is the path of its files. A command inside the launcher can’t remove
 * them itself.
 */
function scriptOf(folder: string, name: string, order: Order): string {
  const { directory, token, bash, behind } = order;
  const at = `${folder}/${name}`;
  const told = `builtin printf "\\033]7331;${token};D;%s\\007" "$PWD" 2>/dev/null >/dev/tty`;
  const plain = told.replace('builtin ', bash === undefined ? '' : 'builtin ');
  const report = `case $PWD in *[[:cntrl:]]*) ;; *) ${plain} ;; esac`;
  const read = `. "$1.env"; ${bash === undefined ? READ_BY_SH : READ_BY_BASH}`;
  // The files are emptied, not removed, because that needs no program. A command inside the launcher can’t write to
  // them.
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
 * Returns code that starts the launcher as a child of this shell, the leader of the terminal’s session: when the
 * connection ends, both end.
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

/** The kinds of a command's files, except the one that marks its start. */
const KINDS = ['cmd', 'env', 'sh', 'ready', 'go', 'woken', 'pid', 'end', 'status'];

/**
 * Returns code for the helper that removes a command's files. For one that did not start, the record stays that it
 * can't.
 */
export function clean(folder: string, name: string, began: boolean): string {
  const at = shellQuote(`${folder}/${name}`);
  return began ? `rm -f ${at}.*` : `rm -f ${KINDS.map((kind) => `${at}.${kind}`).join(' ')}`;
}

/** How often to check for a command that is still being stored. The checks are some hundredths of a second apart. */
const LOOKS = 100;
/**
 * Code stored once for all commands, so that a session can be opened while its command is being sent. The command
 * mostly arrives first. A session without a command does not start. A waiting session checks after opening its pipe,
 * and the sender writes to the pipe after storing the command, so neither can miss the other.
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
/** Returns code for the helper that stores the start script; `$b` is the folder. */
export const LAY_START = `printf %s ${shellQuote(START)} >"$b/start"`;

/** Returns the command line of a session for a known command. */
export function startOf(folder: string, name: string): string {
  return `exec /bin/sh ${folder}/start ${name}`;
}

/** The same for a session opened before its command is known: it waits as long as necessary. */
export function waitOf(folder: string, name: string): string {
  return `${startOf(folder, name)} waits`;
}

/** Returns the file with the process id of the session's leader. */
export function leaderOf(folder: string, name: string): string {
  return `${folder}/${name}.pid`;
}

/** The environment variable with a command's name and its terminal session. */
const MARK = 'AISH_TUI_RUN';

/**
 * Returns code that hangs up a command again after a lost connection: a bash that was just forking loses the first
 * signal. Processes in their own session, or that ignore it, survive as usual.
 */
export function hangUp(name: string): string {
  const mark = `${MARK}=${name}\\.`;
  return `for f in $(grep -lza '^${mark}' /proc/[0-9]*/environ); do
  p=\${f#/proc/}; p=\${p%/*}
  s=$(tr '\\0\\n' '\\n ' <"$f" | sed -n 's/^${mark}//p')
  [ "$s" = "$(sed 's/.*) . [0-9]* [0-9]* \\([0-9]*\\) .*/\\1/' "/proc/$p/stat")" ] && kill -HUP "$p"
done`;
}

/** How a command ended, as far as known. */
export type End =
  | { readonly kind: 'ended'; readonly exit: number }
  /** `why`: the launcher's message. */
  | { readonly kind: 'never began'; readonly why?: string }
  | { readonly kind: 'unknown' };

/**
 * Returns code whose answer `readEnd` parses. It takes the start file and writes a word into it, so that a command
 * that has not started never will, and the answer stays the same.
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
  return { kind: 'never began', ...(why === '' ? {} : { why: parseLine(why, MAX_WHY_CHARS) }) };
}
