import { shellQuote } from '../../text/shell.ts';
import type { Question } from '../completion/complete.ts';
import { type EditorIntegration, envProgram, type Startup } from './integration.ts';

/**
 * The code that a fork of the user's zsh runs to answer a completion question. zsh completes only inside its line
 * editor, so the fork opens a terminal (zsh/zpty) and edits the line there with the user's completion system; without
 * one it loads the default. Every match goes through `compadd`, which is replaced by a function that records it.
 * Nothing of a fork returns to the shell.
 */
const zshCompleter = `
builtin emulate -R zsh -o no_aliases
__aish_to=$1 __aish_line=$2 __aish_quote=$3 __aish_directory=$4 __aish_dump=$5
__aish_say() { builtin print -rN -- "$1" "\${2-}" "\${3-}" >>|"$__aish_to" }
zmodload zsh/system zsh/zpty zsh/zle zsh/complete zsh/parameter || builtin exit 1
# The shell is gone meanwhile.
__aish_say pid $sysparams[pid] || builtin exit 1
[[ -n $__aish_directory ]] && __aish_say directory "\${(e)~__aish_directory}"
if (( ! \${+functions[_main_complete]} )); then
  autoload -Uz compinit || builtin exit 1
  # The first time takes a second or two: nobody waits for it, the next question finds it ready.
  if [[ ! -e $__aish_dump ]]; then
    __aish_say unable
    __aish_say end
    builtin setopt no_clobber
    { : >$__aish_dump.busy } || builtin exit 0
    compinit -i -d $__aish_dump.new && command mv $__aish_dump.new $__aish_dump
    builtin exit 0
  fi
  compinit -C -d $__aish_dump
fi
__aish_compadd() {
  builtin emulate -L zsh -o extended_glob
  local -a hits notes words own
  local -A taken
  local word name before behind
  integer at quoted=0
  # Calls that only try what would match are none of ours.
  for word in "$@"; do
    [[ $word == (-|--) ]] && break
    [[ $word == -[OAD]* ]] && { builtin compadd "$@"; return }
  done
  own=("$@")
  zparseopts -E -D -A taken P: p: S: s: d: i: I: W: J: V: X: x: r: R: M+: F: E: o+: e f q Q n U k a l C 1 2
  (( \${+taken[-Q]} )) && quoted=1
  if (( \${+taken[-d]} )); then
    if [[ $taken[-d] == \\(* ]]; then builtin eval "notes=$taken[-d]"; else notes=("\${(@P)taken[-d]}"); fi
  fi
  builtin compadd -O hits -D notes "\${own[@]}"
  for (( at = 1; at <= $#hits && at <= 500; at++ )); do
    name=$hits[at]
    word=\${notes[at]-}
    word=\${word##\${(b)name}[[:blank:]]#}
    word=\${word##--[[:blank:]]#}
    [[ $word == $name ]] && word=
    before=\${taken[-P]-}\${taken[-p]-} behind=\${taken[-s]-}\${taken[-S]-}
    [[ -z $__aish_quote ]] && before=$IPREFIX$before
    if (( \${+taken[-f]} )); then
      (( quoted )) && name=\${(Q)name} before=\${(Q)before}
      [[ -d \${taken[-W]-}$name ]] && name+=/
      __aish_say file "$before$name" "$word"
    else
      [[ -z $__aish_quote ]] && (( ! quoted )) && name=\${(q)name}
      if (( \${+taken[-S]} )); then __aish_say open "$before$name$behind" "$word"
      else __aish_say word "$before$name$behind" "$word"; fi
    fi
  done
  builtin compadd "\${own[@]}"
}
__aish_gather() {
  functions[compadd]=$functions[__aish_compadd]
  builtin unset 'compstate[vared]'
  _main_complete
  __aish_say end
  builtin exit 0
}
__aish_edit() {
  # A terminal of no size makes the list of matches divide by zero.
  COLUMNS=200 LINES=100
  zstyle ':completion:*' completer _complete _ignored
  zstyle ':completion:*' list-grouped false
  zstyle ':completion:*' insert-tab false
  zstyle ':completion:*' list-separator ''
  zle -C __aish_gather complete-word __aish_gather
  bindkey -e
  bindkey '^I' __aish_gather
  autoload +X _complete
  functions[__aish_complete_before]=$functions[_complete]
  _complete() { builtin unset 'compstate[vared]'; __aish_complete_before "$@" }
  TERM=xterm
  vared -p '' __aish_line
}
zpty __aish_worker __aish_edit
zpty -w -n __aish_worker $'\\t'
while zpty -r __aish_worker __aish_drop; do :; done
`;

/** The completer's arguments after the answer file. `dump` is the cache of the completion system. */
function zshArguments({ line, quote, directory }: Question, dump: string): readonly string[] {
  return [line, quote, directory, dump];
}

/**
 * For zsh 5.8 and newer. A widget puts the line into the editor and accepts it: history, `preexec`, `correct` and
 * LINENO stay zsh's own. The marks are in POSTEDIT (printed when the editor exits), in the first of
 * `preexec_functions`, and in PS1 and PS2, which the last of `precmd_functions` wraps again. zsh finds the startup
 * files through ZDOTDIR, which has the user's value again before the user's files are read. Names begin with one `_`,
 * because plugins leave such widgets alone.
 */
function zshenv({ directory, env, personal }: Startup): string {
  return `
${env.ZDOTDIR === undefined ? 'unset ZDOTDIR' : `ZDOTDIR=${shellQuote(env.ZDOTDIR)}`}
${personal ? `[[ -f "\${ZDOTDIR:-$HOME}/.zshenv" ]] && builtin source "\${ZDOTDIR:-$HOME}/.zshenv"` : ''}
_aish_zdotdir=\${ZDOTDIR-} ZDOTDIR=${shellQuote(directory)}
`;
}

const FETCH = '^[[7331~';
const OWN = '^[[7333~';
const SHOW = '^[[7334~';
const REPAIR = '^[[7335~';
const STATE = '^[[7337~';
const ACCEPT = '^[[7332~';
const COMPLETE = '^[[7339~';
const SEARCH = '^[[7340~';

function zshrc({ directory, token, personal }: Startup): string {
  return `
if [[ -n $_aish_zdotdir ]]; then ZDOTDIR=$_aish_zdotdir; else unset ZDOTDIR; fi
unset _aish_zdotdir
_aish_dir=${shellQuote(directory)} _aish_token=${token}
[[ \${HISTFILE-} == $_aish_dir/* ]] && HISTFILE=\${ZDOTDIR:-$HOME}/\${HISTFILE:t}
${personal ? `[[ -f "\${ZDOTDIR:-$HOME}/.zshrc" ]] && \\builtin source "\${ZDOTDIR:-$HOME}/.zshrc"` : ''}
\\builtin zmodload zsh/zle zsh/mapfile zsh/parameter
\\builtin typeset -g +x _aish_dir _aish_token
_aish_open=$'%{\\e]7331;'$_aish_token$';D;%?;-;\\a%}'
_aish_close=$'%{\\e]7331;'$_aish_token$';R\\a%}'
_aish_two=$'%{\\e]7331;'$_aish_token$';2\\a%}'
_aish_right=$'%{\\e]7331;'$_aish_token$';<\\a%}' _aish_rest=$'%{\\e]7331;'$_aish_token$';>\\a%}'
_aish_left=$'\\e]7331;'$_aish_token$';E\\a'
\\builtin typeset -g +x _aish_open _aish_close _aish_two _aish_left _aish_right _aish_rest
_aish_fetch() {
  \\builtin emulate -L zsh
  BUFFER=$mapfile[$_aish_dir/line]
  CURSOR=$#BUFFER
  zle .accept-line
}
# Whatever is read at the prompt was typed ahead: report each whole line, and run none.
_aish_enter() {
  if [[ $CONTEXT != (start|cont) ]]; then zle accept-line; \\builtin return; fi
  { \\builtin printf '\\033]7331;%s;W;%s\\007' $_aish_token "\${BUFFER//[[:cntrl:]]/?}" >$TTY } 2>/dev/null
  BUFFER=
}
_aish_accept() {
  BUFFER=
  zle .accept-line
}
# What the user has bound to Ctrl-R; fails where that is the editor's own.
_aish_searcher() {
  \\builtin emulate -L zsh
  \\builtin bindkey '^R' >|$_aish_dir/bindings
  REPLY=\${\${mapfile[$_aish_dir/bindings]%$'\\n'}##* }
  [[ \${widgets[$REPLY]-} == user:* && -z \${widgets[.$REPLY]-} ]]
}
_aish_search() {
  BUFFER=\${mapfile[$_aish_dir/line]}
  CURSOR=\${#BUFFER}
  \\builtin local REPLY
  {
    _aish_searcher && zle $REPLY
  } always {
    TRY_BLOCK_ERROR=0
    { \\builtin print -rn -- $BUFFER >|$_aish_dir/found } 2>/dev/null
    BUFFER=
    \\builtin printf '\\033]7331;%s;G\\007' $_aish_token >$TTY
  }
}
_aish_show() { {
  \\builtin emulate -L zsh
  \\builtin printf '\\033]7331;%s;L;%s\\007' $_aish_token "\${BUFFER//[[:cntrl:]]/?}" >$TTY
  BUFFER=
} 2>/dev/null }
_aish_marked() {
  [[ $PS1 == "$_aish_open"*"$_aish_close" && \${PS1#"$_aish_open"} != *"$_aish_open"* ]] &&
    [[ $PS2 == *"$_aish_two" && $POSTEDIT == *"$_aish_left" && \${RPS1:-\${RPROMPT:-$_aish_right}} == "$_aish_right"* ]]
}
_aish_wrap() { {
  \\builtin unsetopt prompt_sp
  _aish_wrap_prompts
} 2>/dev/null }
_aish_wrap_prompts() {
  \\builtin emulate -L zsh
  if ! _aish_marked; then
    PS1=\${PS1//"$_aish_open"/}
    PS1=$_aish_open\${PS1//"$_aish_close"/}$_aish_close
    PS2=\${PS2%"$_aish_two"}$_aish_two
    POSTEDIT=\${POSTEDIT%"$_aish_left"}$_aish_left
    # Two names of one text, and only the one that was assigned is set.
    _aish_side=\${RPS1:-\${RPROMPT-}}
    _aish_side=\${_aish_side//"$_aish_right"/}
    [[ -n $_aish_side ]] && RPROMPT=$_aish_right\${_aish_side//"$_aish_rest"/}$_aish_rest
    \\builtin unset _aish_side
    # They hold the token.
    \\builtin typeset -g +x PS1 PROMPT prompt PS2 PROMPT2 POSTEDIT RPS1 RPROMPT
  fi
  [[ \${precmd_functions[-1]-} == _aish_precmd ]] || precmd_functions=(\${precmd_functions:#_aish_precmd} _aish_precmd)
  [[ \${preexec_functions[1]-} == _aish_preexec ]] || preexec_functions=(_aish_preexec \${preexec_functions:#_aish_preexec})
  (( \${zshaddhistory_functions[(I)_aish_history]} )) || zshaddhistory_functions+=(_aish_history)
}
_aish_precmd() { {
  # A plugin calls the hooks within the editor.
  [[ -n \${ZLE_STATE-} ]] && \\builtin return 0
  _aish_wrap
  \\builtin printf '\\033]7331;%s;K;%s\\007' $_aish_token "\${PWD//[[:cntrl:]]/?}" >$TTY
} 2>/dev/null }
_aish_preexec() { { \\builtin printf '\\033]7331;%s;C\\007' $_aish_token >$TTY } 2>/dev/null }
# A line with a leading blank is in no history, whatever the options say.
_aish_history() { {
  if [[ $1 == ' '* ]]; then \\builtin return 1; fi
  \\builtin return 0
} 2>/dev/null }
_aish_state() {
  \\builtin local told=$?
  \\builtin emulate -L zsh
  {
    local flags=b at=
    [[ $CONTEXT == start ]] && at=";-;$told"
    _aish_marked || flags+=w
    \\builtin bindkey -lL main >|$_aish_dir/keys
    [[ $mapfile[$_aish_dir/keys] == *' vi'* ]] && flags+=v
    local REPLY
    _aish_searcher && flags+=r
    \\builtin print -rl -- \${(k)aliases} '' \${(k)functions} \${(k)builtins} \${(k)reswords} >|$_aish_dir/words
    ( ${envProgram} -0 >|$_aish_dir/env )
    \\builtin printf %s "\${HISTFILE-}" >|$_aish_dir/history
    \\builtin printf '\\033]7331;%s;S;%s\\007' $_aish_token $flags$at >$TTY
  } 2>/dev/null
}
_aish_complete() {
  \\builtin emulate -L zsh
  local -a fields
  fields=("\${(@0)\${mapfile[$_aish_dir/question]%$'\\0'}}")
  ( ( \\builtin source $_aish_dir/completer "\${fields[@]}" ) </dev/null >/dev/null 2>&1 & )
}
# zsh counts what \`source\` reads as lines of the user's: a second \`exit\` in spite of jobs would warn again.
_aish_own() {
  { \\builtin eval -- "$mapfile[$_aish_dir/own]" } >|$_aish_dir/told 2>&1
  { \\builtin printf '\\033]7331;%s;O;%s\\007' $_aish_token $? >$TTY } 2>/dev/null
}
for _aish_each in fetch enter accept complete own show wrap state search; do zle -N _aish_$_aish_each; done
for _aish_each in emacs viins vicmd visual viopp isearch command; do
  \\builtin bindkey -M $_aish_each '${FETCH}' _aish_fetch
  \\builtin bindkey -M $_aish_each '${ACCEPT}' _aish_accept
  \\builtin bindkey -M $_aish_each '${OWN}' _aish_own
  \\builtin bindkey -M $_aish_each '${SHOW}' _aish_show
  \\builtin bindkey -M $_aish_each '${REPAIR}' _aish_wrap
  \\builtin bindkey -M $_aish_each '${STATE}' _aish_state
  \\builtin bindkey -M $_aish_each '${COMPLETE}' _aish_complete
  \\builtin bindkey -M $_aish_each '${SEARCH}' _aish_search
done 2>/dev/null
for _aish_each in emacs viins vicmd; do \\builtin bindkey -M $_aish_each '^M' _aish_enter '^J' _aish_enter; done
unset _aish_each
# A plugin that colours each line takes seconds for a long one, and nobody sees it.
ZSH_HIGHLIGHT_MAXLENGTH=0
_aish_wrap
`;
}

const key = (sequence: string) => sequence.replace('^[', '\x1b');

export const zshEditor: EditorIntegration = {
  files: (startup) => ({ '.zshenv': zshenv(startup), '.zshrc': zshrc(startup) }),
  launch: 'exec "$0" -i',
  env: (env, directory) => ({ ...env, ZDOTDIR: directory }),
  line: (text) => ({ file: text, keys: key(FETCH) }),
  search: (text) => ({ file: text, keys: key(SEARCH) }),
  keys: {
    state: key(STATE),
    repair: key(REPAIR) + key(ACCEPT),
    show: key(SHOW),
    own: key(OWN),
  },
  code: {
    remember: (commands) => commands.map((command) => `\\builtin print -rs -- ${shellQuote(command)}`).join('\n'),
    save: '[[ -n ${HISTFILE-} && ${SAVEHIST:-0} -gt 0 ]] && \\builtin fc -AI',
  },
  completer: { code: zshCompleter, arguments: zshArguments, keys: key(COMPLETE) },
  remembersExits: false,
};
