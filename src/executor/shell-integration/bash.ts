import { shellQuote } from '../../text/shell.ts';
import type { Question } from '../completion/complete.ts';
import { type EditorIntegration, envProgram, type HandOver, type Startup } from './integration.ts';

/**
 * The code that a fork of the user's bash runs to answer a completion question. It imitates what readline does with
 * `complete` specifications (bash manual, 8.6 Programmable Completion): the function, word list or command, the
 * loader of `complete -D` (bash-completion) with its status 124, `compopt`, and the defaults.
 * It may change anything, since nothing of a fork returns to the shell.
 */
const bashCompleter = `
\\builtin shopt -u expand_aliases
\\builtin set +euxvn +o noglob
\\builtin trap - DEBUG ERR RETURN EXIT INT
IFS=$' \\t\\n'
exec 9>|"$1" || \\builtin exit 1
__aish_say() { \\builtin printf '%s\\0%s\\0%s\\0' "$1" "\${2-}" "\${3-}" >&9; }
__aish_say pid "$BASHPID"
__aish_role=$2 COMP_LINE=$3 __aish_cur=$4 __aish_prefix=$5 __aish_directory=$6
shift 6
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_POINT=\${#COMP_LINE} COMP_KEY=9 COMP_TYPE=9
__aish_opts=' '
if [ -n "$__aish_directory" ]; then
  \\builtin eval "__aish_say directory $__aish_directory"
fi
compopt() {
  while [ "$#" -gt 0 ]; do
    case $1 in
      -o) __aish_opts+="$2 "; shift ;;
      +o) __aish_opts=\${__aish_opts/" $2 "/ }; shift ;;
    esac
    shift
  done
}
__aish_has() { [[ $__aish_opts == *" $1 "* ]]; }
__aish_list() {
  \\builtin local word note=$1 kind=$2
  shift 2
  while IFS= \\builtin read -r word; do
    [[ $word == __aish_* ]] || __aish_say "$kind" "$__aish_prefix$word" "$note"
  done < <(\\builtin compgen "$@" 2>/dev/null)
}
__aish_commands() {
  __aish_list alias word -a -- "$__aish_cur"
  __aish_list function word -A function -- "$__aish_cur"
  __aish_list builtin word -b -- "$__aish_cur"
  __aish_list keyword word -k -- "$__aish_cur"
  __aish_list '' word -c -- "$__aish_cur"
}
__aish_by_spec() {
  \\builtin local spec name=$1 function= command= kind=word try
  \\builtin local -a generate
  for try in 1 2 3; do
    spec=$(\\builtin complete -p -- "$name" 2>/dev/null) || spec=$(\\builtin complete -p -- "\${name##*/}" 2>/dev/null) ||
      spec=$(\\builtin complete -p -D 2>/dev/null) || \\builtin return 1
    \\builtin eval "set -- $spec"
    __aish_opts=' ' generate=() function= command=
    while [ "$#" -gt 0 ]; do
      case $1 in
        -o) __aish_opts+="$2 "; shift ;;
        -F) function=$2; shift ;;
        -C) command=$2; shift ;;
        -A) generate+=(-A "$2"); [[ $2 == file || $2 == directory ]] && __aish_opts+='filenames '; shift ;;
        -[GWXPS]) generate+=("$1" "$2"); shift ;;
        -f | -d) generate+=("$1"); __aish_opts+='filenames ' ;;
        -[abcegjksuv]) generate+=("$1") ;;
        --) break ;;
      esac
      shift
    done
    COMPREPLY=()
    [ -n "$function" ] || break
    "$function" "$name" "$__aish_cur" "\${COMP_WORDS[COMP_CWORD-1]}"
    [ "$?" -eq 124 ] || break
  done
  if [ -n "$command" ]; then
    \\builtin export COMP_LINE COMP_POINT COMP_KEY COMP_TYPE
    \\builtin mapfile -t COMPREPLY < <(\\builtin eval "$command \\"\\$name\\" \\"\\$__aish_cur\\" \\"\\\${COMP_WORDS[COMP_CWORD-1]}\\"")
  fi
  __aish_has filenames && kind=file
  __aish_has nospace && __aish_say nospace
  for spec in "\${COMPREPLY[@]}"; do __aish_say "$kind" "$__aish_prefix$spec"; done
  [ "\${#generate[@]}" -gt 0 ] && __aish_list '' "$kind" "\${generate[@]}" -- "$__aish_cur"
  __aish_has plusdirs && __aish_say directories
  __aish_has dirnames && __aish_say directories
  if __aish_has default || __aish_has bashdefault; then __aish_say otherwise; fi
}
__aish_word_of() {
  case $__aish_cur in
    \\$\\{*) __aish_say nospace; __aish_list variable word -v -P '\${' -S '}' -- "\${__aish_cur#??}" ;;
    \\$*) __aish_say nospace; __aish_list variable word -v -P '$' -- "\${__aish_cur#?}" ;;
    '~'*) __aish_list user word -u -P '~' -S / -- "\${__aish_cur#?}" ;;
  esac
}
case $__aish_cur in
  */*) ;;
  \\$* | '~'*) __aish_word_of; __aish_role=done ;;
esac
case $__aish_role in
  done) ;;
  target) __aish_say files ;;
  command) case $__aish_cur in */*) __aish_say files ;; *) __aish_commands ;; esac ;;
  *)
    __aish_name=\${COMP_WORDS[0]}
    if ! \\builtin complete -p -- "$__aish_name" >/dev/null 2>&1 && [ -n "\${BASH_ALIASES[$__aish_name]-}" ]; then
      \\builtin read -ra __aish_alias <<<"\${BASH_ALIASES[$__aish_name]}"
      COMP_LINE="\${__aish_alias[*]}\${COMP_LINE#"$__aish_name"}" COMP_POINT=\${#COMP_LINE}
      COMP_WORDS=("\${__aish_alias[@]}" "\${COMP_WORDS[@]:1}") COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
      __aish_name=\${COMP_WORDS[0]}
    fi
    __aish_by_spec "$__aish_name" || __aish_say files ;;
esac
__aish_say end
`;

/** The completer's arguments after the answer file. */
function bashArguments({ line, words, current, role, directory }: Question): readonly string[] {
  const broken = words.flatMap(breakWord);
  const last = broken.at(-1) ?? '';
  // After a breaking character a new, empty word begins, which is not among the words.
  const cur = /^[=:]+$/.test(last) ? '' : /^["']/.test(last) && last.slice(1) === current ? current : last;
  const typed = current.endsWith(cur) ? cur : current;
  return [role, line, typed, current.slice(0, current.length - typed.length), directory, ...broken];
}

/**
 * Breaks a word as readline does: at runs of `=` and `:` outside quotes (the default COMP_WORDBREAKS; blanks and
 * operators are already removed).
 */
function breakWord(word: string): readonly string[] {
  const pieces = word.match(/[=:]+|(?:"(?:\\.|[^"\\])*"?|'[^']*'?|\\.|[^=:"'\\])+|\\$/gs);
  return pieces ?? [''];
}

/**
 * For bash 4.4 and newer. A line is pasted into readline between two private keys, so none of our commands runs:
 * `$_`, `$?`, DEBUG and ERR traps and `set -x` behave as in a plain bash. The marks are in PS0, PS1 and PS2. A serial
 * number distinguishes a new prompt from a redrawn one.
 *
 * `bind -x` runs commands in the shell, visible to a DEBUG trap. So a subshell, invisible to traps, reports the
 * state, and other code runs only when needed.
 */

const FETCH = '\\e[7331~';
const ACCEPT = '\\e[7332~';
const OWN = '\\e[7333~';
const SHOW = '\\e[7334~';
const REPAIR = '\\e[7335~';
const PASTE = '\\e[7336~';
const STATE = '\\e[7337~';
const CLEAR = '\\e[7338~';
const COMPLETE = '\\e[7339~';
const SEARCH = '\\e[7340~';
const FOUND = '\\e[7341~';
const ENTER = '\\e[7342~';
const ENTERED = '\\e[7343~';

/** Bytes that the terminal or readline would interpret inside a paste. Source: termios(3), readline's paste. */
const UNPASTABLE = /[\0\x03\x04\r\x11\x13\x16\x1a\x1b\x1c\x7f]/;
/** Longer text is faster through a file. */
const MAX_PASTE_CHARS = 4000;

function startupFile({ directory, token, personal }: Startup): string {
  return `
__aish_dir=${shellQuote(directory)} __aish_token=${token} __aish_n=0 __aish_ran=0
if [ "\${BASH_VERSINFO[0]}" -lt 4 ] || { [ "\${BASH_VERSINFO[0]}" -eq 4 ] && [ "\${BASH_VERSINFO[1]}" -lt 4 ]; }; then
  printf '\\033]7331;%s;U;bash %s\\007' "$__aish_token" "$BASH_VERSION"
  exit 0
fi
${personal ? 'if [ -f ~/.bashrc ]; then \\builtin source ~/.bashrc; fi' : ''}
if [ -n "\${BLE_VERSION-}" ]; then
  \\builtin printf '\\033]7331;%s;U;ble.sh\\007' "$__aish_token" >/dev/tty
  \\builtin exit 0
fi
__aish_open='\\[\\e]7331;\${__aish_token};D;$?;$((++__aish_n));$-\${BASH_XTRACEFD:+t};\${PWD//[[:cntrl:]]/?}\\a\\]'
__aish_close='\\[\\e]7331;\${__aish_token};R\\a\\]'
__aish_two='\\[\\e]7331;\${__aish_token};2\\a\\]'
# A command has the terminal from PS0 on: from then until the next prompt the editor is open for its read -e only.
__aish_zero='\\e]7331;\${__aish_token};C\${__aish_dir:0:(__aish_ran=__aish_n)*0}\\a'
# Behind what sets the prompt anew. A DEBUG trap sees no subshell; so where there is one, a subshell tells of the prompt.
__aish_plain='{ __aish_wrap; } 2>/dev/null' __aish_traced='( { __aish_tell "$?"; } 2>/dev/null )'
__aish_wrap() {
  case \${PROMPT_COMMAND[*]-} in
    *"$__aish_plain"*) ;;
    *__bp_interactive_mode*) __aish_behind ;;
  esac
  if ! __aish_ps1; then
    PS1=\${PS1-} PS1=\${PS1//"$__aish_open"/}
    PS1=$__aish_open\${PS1//"$__aish_close"/}$__aish_close
  fi
  case \${PS2-} in *"$__aish_two") ;; *) PS2=\${PS2-}$__aish_two ;; esac
  case \${PS0-} in *"$__aish_zero"*) ;; *) PS0=$__aish_zero\${PS0-} ;; esac
}
# bash-preexec runs its functions first, then what was in PROMPT_COMMAND, which may set the prompt; and an entry behind
# its last one would be taken for a line of the user's.
__aish_behind() {
  \\builtin local each entry
  for each in "\${!PROMPT_COMMAND[@]}"; do
    entry=\${PROMPT_COMMAND[each]/__bp_interactive_mode/"$__aish_plain"$'\\n'__bp_interactive_mode}
    if [ "$each" = 0 ]; then PROMPT_COMMAND=$entry; else PROMPT_COMMAND[each]=$entry; fi
  done
}
__aish_repair() {
  \\builtin local IFS=$' \\t\\n' each hook
  \\builtin local -a keep
  keep=()
  __aish_hook
  if [ -n "\${bash_preexec_imported-}\${__bp_imported-}" ]; then
    for each in "\${precmd_functions[@]}"; do [ "$each" = __aish_wrap ] || keep+=("$each"); done
    precmd_functions=("\${keep[@]}" __aish_wrap)
  elif [ -n "\${PROMPT_COMMAND[*]-}" ]; then
    if [ "\${BASH_VERSINFO[0]}" -gt 5 ] || { [ "\${BASH_VERSINFO[0]}" -eq 5 ] && [ "\${BASH_VERSINFO[1]}" -ge 1 ]; }; then
      for each in "\${PROMPT_COMMAND[@]}"; do
        [ "$each" = "$__aish_plain" ] || [ "$each" = "$__aish_traced" ] || keep+=("$each")
      done
      PROMPT_COMMAND=("\${keep[@]}" "$hook")
    else
      PROMPT_COMMAND=\${PROMPT_COMMAND%$'\\n'"$__aish_plain"}
      PROMPT_COMMAND=\${PROMPT_COMMAND%$'\\n'"$__aish_traced"}$'\\n'$hook
    fi
  fi
  __aish_wrap
  \\builtin shopt -s promptvars
}
# Which hook fits now.
__aish_hook() {
  hook=$__aish_plain
  if [[ \${PROMPT_COMMAND[*]-} == *DEBUG* || -n $(\\builtin trap -p DEBUG) ]]; then hook=$__aish_traced; fi
}
# As wrapped: the first mark begins it, the last one ends it, and nothing has come between.
__aish_ps1() {
  [[ \${PS1-} == "$__aish_open"*"$__aish_close" && \${PS1#"$__aish_open"} != *"$__aish_open"* ]]
}
__aish_marked() {
  [[ \${PS2-} == *"$__aish_two" && \${PS0-} == *"$__aish_zero"* ]] && { [[ \${PROMPT_COMMAND[*]-} == *"$__aish_traced"* ]] || __aish_ps1; }
}
__aish_tell() {
  \\builtin printf '\\033]7331;%s;T;%s;-;%s;%s\\007' "$__aish_token" "$1" "$-" "\${PWD//[[:cntrl:]]/?}" >/dev/tty
}
__aish_fetch() {
  IFS= \\builtin read -r -d '' READLINE_LINE <"$__aish_dir/line" || \\builtin :
  READLINE_POINT=\${#READLINE_LINE}
}
__aish_show() {
  \\builtin local text
  text=$READLINE_LINE
  READLINE_LINE= READLINE_POINT=0
  \\builtin printf '\\033]7331;%s;L;%s\\007' "$__aish_token" "\${text//[[:cntrl:]]/?}" >/dev/tty
}
__aish_enter() {
  \\builtin local map then=accept-line
  if ((__aish_n > __aish_ran)); then
    then='""'
    \\builtin printf '\\033]7331;%s;W;%s\\007' "$__aish_token" "\${READLINE_LINE//[[:cntrl:]]/?}" >/dev/tty
    READLINE_LINE= READLINE_POINT=0
  fi
  for map in emacs vi-insert vi-command; do \\builtin bind -m "$map" '"${ENTERED}":'"$then"; done
}
__aish_found() {
  \\builtin printf %s "$READLINE_LINE" >|"$__aish_dir/found"
  READLINE_LINE= READLINE_POINT=0
  \\builtin printf '\\033]7331;%s;G\\007' "$__aish_token" >/dev/tty
}
__aish_state() {
  \\builtin set +exuvn
  \\builtin local flags=
  if [ -n "$(\\builtin trap -p DEBUG)" ]; then
    flags+=d
    [[ -z \${bash_preexec_imported-}\${__bp_imported-} && \${PROMPT_COMMAND[*]-} == *"$__aish_plain"* ]] && flags+=h
  fi
  case \${HISTCONTROL-} in *ignorespace* | *ignoreboth*) flags+=b ;; esac
  __aish_marked || flags+=wa
  case :\${SHELLOPTS-}: in *:vi:*) flags+=v ;; esac
  { \\builtin compgen -A alias; \\builtin echo; \\builtin compgen -A function -A builtin -A keyword; } >|"$__aish_dir/words"
  ${envProgram} -0 >|"$__aish_dir/env"
  \\builtin printf %s "\${HISTFILE-}" >|"$__aish_dir/history"
  { \\builtin bind -X; \\builtin bind -s; } >|"$__aish_dir/bindings"
  \\builtin printf '\\033]7331;%s;S;%s;%s;%s\\007' "$__aish_token" "$flags" "$__aish_n" "$1" >/dev/tty
  \\builtin exit 0
}
__aish_complete() {
  \\builtin set +exu
  \\builtin local field
  \\builtin local -a fields
  while IFS= \\builtin read -r -d '' field; do fields+=("$field"); done <"$__aish_dir/question"
  ( \\builtin source "$__aish_dir/completer" "\${fields[@]}" ) </dev/null >/dev/null 2>&1 &
  \\builtin exit 0
}
__aish_own() {
  { \\builtin source "$__aish_dir/own"; } >|"$__aish_dir/told" 2>&1
  \\builtin printf '\\033]7331;%s;O;%s\\007' "$__aish_token" "$?" >/dev/tty
}
for __aish_map in emacs vi-insert vi-command; do
  \\builtin bind -m "$__aish_map" -x '"${FETCH}":{ __aish_fetch "$_"; } 2>/dev/null'
  \\builtin bind -m "$__aish_map" '"${ACCEPT}":accept-line'
  \\builtin bind -m "$__aish_map" -x '"${ENTER}":{ __aish_enter "$_"; } 2>/dev/null'
  for __aish_key in C-m C-j; do \\builtin bind -m "$__aish_map" '"\\'$__aish_key'":"${ENTER}${ENTERED}"'; done
  \\builtin bind -m "$__aish_map" -x '"${OWN}":{ __aish_own "$_"; } 2>/dev/null'
  \\builtin bind -m "$__aish_map" -x '"${SHOW}":{ __aish_show "$_"; } 2>/dev/null'
  \\builtin bind -m "$__aish_map" -x '"${REPAIR}":{ __aish_repair "$_"; } 2>/dev/null'
  \\builtin bind -m "$__aish_map" '"${PASTE}":bracketed-paste-begin'
  \\builtin bind -m "$__aish_map" -x '"${STATE}":( { __aish_state "$?"; } 2>/dev/null )'
  \\builtin bind -m "$__aish_map" '"${CLEAR}":kill-whole-line'
  # Keys of a macro are readline's own: what searches can't read them.
  \\builtin bind -m "$__aish_map" '"${SEARCH}":"\\C-r${FOUND}"'
  \\builtin bind -m "$__aish_map" -x '"${FOUND}":{ __aish_found; } 2>/dev/null'
  \\builtin bind -m "$__aish_map" -x '"${COMPLETE}":( { __aish_complete; } 2>/dev/null )'
done 2>/dev/null
\\builtin unset __aish_map __aish_key
\\builtin bind 'set enable-bracketed-paste on' 2>/dev/null
__aish_repair
`;
}

const key = (sequence: string) => sequence.replace('\\e', '\x1b');

/** Pastes the line, or passes it through a file if it has bytes that can't be pasted. */
function put(text: string, then: string): HandOver {
  return text.length > MAX_PASTE_CHARS || UNPASTABLE.test(text)
    ? { file: text, keys: key(FETCH) + key(then) }
    : { keys: `${key(CLEAR)}${key(PASTE)}${text}\x1b[201~${key(then)}` };
}

export const bashEditor: EditorIntegration = {
  files: (startup) => ({ 'startup.bash': startupFile(startup) }),
  launch: 'exec "$0" --rcfile "$1/startup.bash" -i',
  env: (env) => env,
  line: (text) => put(text, ACCEPT),
  search: (text) => put(text, SEARCH),
  keys: {
    state: key(STATE),
    // bash keeps pointers to PS0 and PS2 between prompts, so a new prompt must follow at once.
    hook: key(REPAIR),
    reset: key(CLEAR) + key(ACCEPT),
    repair: key(REPAIR) + key(CLEAR) + key(ACCEPT),
    show: key(SHOW),
    own: key(OWN),
  },
  echoOver: '\x1b[?2004l',
  pollsInEditorOnly: true,
  promptBegins: '\x1b[?2004h',
  code: {
    remember: (commands) => commands.map((command) => `\\builtin history -s -- ${shellQuote(command)}`).join('\n'),
    save: '[ -n "${HISTFILE-}" ] && \\builtin history -a',
    hide: '__aish_hc=${HISTCONTROL+x}${HISTCONTROL-} HISTCONTROL=ignorespace:${HISTCONTROL-}',
    unhide: `if [ "\${HISTCONTROL-}" = "ignorespace:\${__aish_hc#x}" ]; then
  if [ -n "$__aish_hc" ]; then HISTCONTROL=\${__aish_hc#x}; else \\builtin unset HISTCONTROL; fi
fi`,
  },
  completer: { code: bashCompleter, arguments: bashArguments, keys: key(COMPLETE) },
  remembersExits: true,
};
