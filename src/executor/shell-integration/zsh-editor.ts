import { shellQuote } from '../../text/shell-quote.ts';
import { zshArguments, zshCompleter } from '../completion/zsh-completer.ts';
import type { EditorIntegration } from './editor.ts';
import { envProgram, type Startup } from './integration.ts';

/**
 * zsh 5.8 and newer. A widget puts the line into the editor and accepts it: history, `preexec`, `correct` and LINENO are
 * zsh's own. The marks stand in POSTEDIT (printed when the editor leaves), in the first of `preexec_functions` and in PS1
 * and PS2, which the last of `precmd_functions` wraps again. The startup files are found through ZDOTDIR, which is the
 * user's own again before the user's files are read. Names begin with one `_`: plugins leave such widgets alone.
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
_aish_left=$'\\e]7331;'$_aish_token$';E\\a'
\\builtin typeset -g +x _aish_open _aish_close _aish_two _aish_left
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
    [[ $PS2 == *"$_aish_two" && $POSTEDIT == *"$_aish_left" ]]
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
    # They hold the token.
    \\builtin typeset -g +x PS1 PROMPT prompt PS2 PROMPT2 POSTEDIT
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
_aish_own() {
  { \\builtin source $_aish_dir/own } >|$_aish_dir/told 2>&1
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
