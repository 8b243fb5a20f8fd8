import { shellQuote } from '../../text/shell.ts';
import { bashArguments, bashCompleter } from './bash.ts';
import { endsOpen, envProgram, type Line, type ShellIntegration, type Startup } from './integration.ts';

/**
 * Controls the user's interactive bash through a pipe (EX-1, EX-2).
 *
 * bash reads its command lines from a private FIFO on descriptor 0, while everything the user runs has the terminal
 * as its input. So a key pressed for a program can never be read as a command line, and nothing is echoed. A private
 * key sequence (`bind -x`) fetches a line: the text never passes through the line editor with the user's keys and
 * macros. The line is evaluated at top level (declarations, aliases, `exec` and job control behave as typed) between
 * two marks, which go to /dev/tty so that a redirected stdout does not lose them.
 *
 * Three places can report the end, whichever runs first: the line itself; the first entry of PROMPT_COMMAND, if
 * Ctrl-C discarded the line; or a key, if PROMPT_COMMAND was replaced as well. All call one function, which reports
 * once. Every builtin is called as `\builtin`, so that aliases and functions can't replace it.
 *
 * The submitted line begins with a plain command: after an `eval` that ended inside quotes, bash 5.2 does not
 * recognize a reserved word at the start of the next line, and would reject `{`.
 *
 * Line editing stays on: without it, `set -o vi` inside `eval` makes bash 5.2 read commands from freed memory.
 */

const FETCH = '\\e[7331~';
const ACCEPT = '\\e[7332~';
const TELL = '\\e[7333~';
const LEAVE = '\\e[7334~';
const COMPLETE = '\\e[7335~';

/** Saves the line's status and `$_`, which only exist inside its `eval`; hidden from traces. */
const TAIL = '\n{ __aish_inner=$? __aish_last=$_; } 2>/dev/null';

function startupFile({ directory, token, personal }: Startup): string {
  return `
__aish_dir=${shellQuote(directory)} __aish_token=${token} __aish_newline='
'
__aish_running= __aish_hidden= __aish_told=0 __aish_status=0 __aish_last= __aish_trace= __aish_xtrace= __aish_quiet= __aish_inner=
__aish_tty=$(/usr/bin/tty <&2) || __aish_tty=/dev/tty
__aish_fetch() {
  \\builtin local IFS= count entry
  \\builtin read -r -d '' __aish_token
  \\builtin printf '\\033]7331;%s;Q\\007' "$__aish_token" >/dev/tty
  \\builtin read -r -d '' __aish_keep
  \\builtin read -r -d '' __aish_drain
  \\builtin read -r -d '' __aish_hidden
  \\builtin read -r -d '' __aish_line
  \\builtin read -r -d '' __aish_tail
  \\builtin read -r -d '' count
  while [ "$count" -gt 0 ]; do
    \\builtin read -r -d '' entry
    \\builtin history -s -- "$entry"
    count=$((count - 1))
  done
  READLINE_LINE=' \\builtin : ; { __aish_start; } 2>/dev/null; __aish_state "$__aish_last"; \\builtin eval "$__aish_trace$__aish_line$__aish_tail" <"$__aish_tty"; { __aish_end "$?"; } 2>/dev/null'
  READLINE_POINT=0
} 2>/dev/null
__aish_start() {
  __aish_running=1 __aish_trace= __aish_quiet= __aish_inner=
  [ -n "$__aish_xtrace" ] && __aish_trace='{ \\builtin set -x; } 2>/dev/null;'
  case $- in *v*) __aish_tail= ;; esac
  PS1=$__aish_ps1 PS2=$__aish_ps2
  if [ -n "\${__aish_histcontrol+x}" ]; then HISTCONTROL=$__aish_histcontrol; else \\builtin unset HISTCONTROL; fi
  if [ "$__aish_drain" = 1 ]; then
    IFS= \\builtin read -rs -t 0.01 -N 1000000 __aish_drain </dev/tty
  fi
  [ "$__aish_keep" = 1 ] && \\builtin history -s -- "$__aish_line"
  \\builtin printf '\\033]7331;%s;C\\007' "$__aish_token" >/dev/tty
}
__aish_state() { case $- in *e*) \\builtin return 0 ;; esac; \\builtin return "$__aish_status"; }
__aish_end() {
  if [ -n "$__aish_running" ]; then
    __aish_running= __aish_told=\${__aish_inner:-$1}
    [ "$__aish_hidden" = 1 ] || __aish_status=$__aish_told
    case $- in *x*) \\builtin set +x; __aish_xtrace=1 ;; *) __aish_xtrace= ;; esac
    \\builtin printf '\\033]7331;%s;D;%s;%s\\007' "$__aish_token" "$__aish_told" "\${PWD//[[:cntrl:]]/?}" >/dev/tty
    __aish_hook
  fi
}
__aish_hook() {
  case \${PROMPT_COMMAND[*]-} in
    "$__aish_firstword"*"$__aish_readyword") ;;
    *)
      PROMPT_COMMAND=\${PROMPT_COMMAND-}
      PROMPT_COMMAND=\${PROMPT_COMMAND//"$__aish_firstword$__aish_newline"/}
      PROMPT_COMMAND=\${PROMPT_COMMAND//"$__aish_newline$__aish_readyword"/}
      PROMPT_COMMAND=$__aish_firstword$__aish_newline$PROMPT_COMMAND
      if [ "\${PROMPT_COMMAND[*]}" != "$PROMPT_COMMAND" ]; then PROMPT_COMMAND+=("$__aish_readyword")
      else PROMPT_COMMAND=$PROMPT_COMMAND$__aish_newline$__aish_readyword; fi ;;
  esac
}
__aish_firstword='"\${__aish_first-:}"' __aish_readyword='"\${__aish_ready-:}"'
__aish_first=__aish_prompt_first __aish_ready=__aish_prompt_ready
__aish_prompt_first() { __aish_end "$?"; __aish_state; } 2>/dev/null
__aish_prompt_ready() {
  if [ -z "$__aish_quiet" ]; then
    __aish_quiet=1 __aish_ps1=\${PS1-} __aish_ps2=\${PS2-}
    if [ -n "\${HISTCONTROL+x}" ]; then __aish_histcontrol=$HISTCONTROL; else \\builtin unset __aish_histcontrol; fi
  fi
  PS1= PS2= HISTCONTROL=ignorespace
  \\builtin compgen -A alias -A function -A builtin -A keyword >|"$__aish_dir/words" || :
  ${envProgram} -0 >|"$__aish_dir/env" || :
  \\builtin printf '\\033]7331;%s;R;%s\\007' "$__aish_token" "\${PWD//[[:cntrl:]]/?}" >/dev/tty
} 2>/dev/null
__aish_bind() {
  \\builtin local map
  for map in emacs vi-insert vi-command; do
    \\builtin bind -m "$map" -x '"${FETCH}":__aish_fetch'
    \\builtin bind -m "$map" '"${ACCEPT}":accept-line'
    \\builtin bind -m "$map" -x '"${TELL}":__aish_tell'
    \\builtin bind -m "$map" -x '"${LEAVE}":__aish_leave'
    \\builtin bind -m "$map" -x '"${COMPLETE}":__aish_complete'
  done
  \\builtin bind 'set show-mode-in-prompt off'
} 2>/dev/null
__aish_tell() { __aish_end "$?"; __aish_prompt_ready; } 2>/dev/null
__aish_leave() {
  [ -n "\${HISTFILE-}" ] && \\builtin history -a
  \\builtin printf '\\033]7331;%s;B\\007' "$__aish_token" >/dev/tty
} 2>/dev/null
__aish_complete() {
  \\builtin local IFS= count field
  \\builtin local -a fields
  \\builtin read -r -d '' count
  while [ "$count" -gt 0 ]; do
    \\builtin read -r -d '' field
    fields+=("$field") count=$((count - 1))
  done
  ( ( \\builtin source "$__aish_dir/completer" "\${fields[@]}" ) </dev/null >/dev/null 2>&1 & )
} 2>/dev/null
${personal ? 'if [ -f ~/.bashrc ]; then \\builtin source ~/.bashrc <"$__aish_tty"; fi' : ''}
__aish_bind
__aish_hook
`;
}

/** Returns the fetching key, the fields, and the accepting key. */
function fetchLine({ token, text, keep, drain, hidden, remember }: Line): string {
  const flags = [keep, drain, hidden].map((flag) => (flag ? '1' : '0'));
  const tail = hidden || endsOpen(text) ? '' : TAIL;
  const fields = [token, ...flags, text, tail, String(remember.length), ...remember];
  const body = fields.map((field) => `${field.replaceAll('\0', '')}\0`).join('');
  return `${key(FETCH)}${body}${key(ACCEPT)}`;
}

function key(sequence: string): string {
  return sequence.replace('\\e', '\x1b');
}

export const bashIntegration: ShellIntegration = {
  files: (startup) => ({ 'startup.bash': startupFile(startup) }),
  launch: 'exec "$0" --rcfile "$1/startup.bash" -i',
  env: (env) => env,
  line: fetchLine,
  tell: key(TELL),
  remembersExits: true,
  leave: key(LEAVE),
  completer: {
    code: bashCompleter,
    arguments: bashArguments,
    start: (args) =>
      key(COMPLETE) + [String(args.length), ...args].map((field) => `${field.replaceAll('\0', '')}\0`).join(''),
    prompts: false,
  },
};
