import { zshArguments, zshCompleter } from '../completion/zsh-completer.ts';
import { endsOpen, envProgram, type Line, type ShellIntegration, type Startup, shellQuote } from './integration.ts';

/**
 * How the user's interactive zsh is driven (EX-1, EX-2). As bash (bash-integration.ts), with these differences: the
 * line editor is off, since it would read the terminal; so a line is written as it is to be read, its text in `$'…'`;
 * the hooks are the first and the last of `precmd_functions`; and the startup files are found through ZDOTDIR, which is
 * the user's own again before the user's files are read.
 */
function zshenv({ directory, env, personal }: Startup): string {
  return `
${env.ZDOTDIR === undefined ? 'unset ZDOTDIR' : `ZDOTDIR=${shellQuote(env.ZDOTDIR)}`}
${personal ? `[[ -f "\${ZDOTDIR:-$HOME}/.zshenv" ]] && builtin source "\${ZDOTDIR:-$HOME}/.zshenv"` : ''}
__aish_zdotdir=\${ZDOTDIR-} ZDOTDIR=${shellQuote(directory)}
`;
}

function zshrc({ directory, token, personal }: Startup): string {
  return `
if [[ -n $__aish_zdotdir ]]; then ZDOTDIR=$__aish_zdotdir; else unset ZDOTDIR; fi
__aish_dir=${shellQuote(directory)} __aish_token=${token}
[[ \${HISTFILE-} == $__aish_dir/* ]] && HISTFILE=\${ZDOTDIR:-$HOME}/\${HISTFILE:t}
__aish_running= __aish_hidden= __aish_told=0 __aish_status=0 __aish_last= __aish_trace= __aish_xtrace= __aish_quiet= __aish_inner= __aish_his=
__aish_tty=\${TTY:-/dev/tty}
__aish_start() {
  __aish_token=$1 __aish_running=1 __aish_quiet= __aish_inner= __aish_hidden=$4 __aish_line=$5 __aish_tail=$6 __aish_keep=$2
  \\builtin printf '\\033]7331;%s;Q\\007' "$1" >/dev/tty
  # Within the eval: it is the last command of its own that sets $_ here.
  __aish_trace='__aish_state "$__aish_last"; '
  [[ -n $__aish_xtrace ]] && __aish_trace+='{ \\builtin set -x; } 2>/dev/null;'
  [[ -o verbose || -n $__aish_xtrace ]] && __aish_tail=
  PS1=$__aish_ps1 PS2=$__aish_ps2
  [[ -n $__aish_his ]] || \\builtin unsetopt hist_ignore_space
  if [[ $3 == 1 ]]; then
    while \\builtin read -rs -t 0.01 -k 1 __aish_drained <"$__aish_tty"; do \\builtin :; done
  fi
  while [[ $# -gt 6 ]]; do \\builtin print -rs -- "$7"; \\builtin shift; done
  [[ $__aish_keep == 1 ]] && \\builtin print -rs -- "$__aish_line"
  \\builtin printf '\\033]7331;%s;C\\007' "$__aish_token" >/dev/tty
}
__aish_state() { [[ -o errexit || -o errreturn ]] && \\builtin return 0; \\builtin return "$__aish_status"; }
__aish_end() {
  if [[ -n $__aish_running ]]; then
    __aish_running= __aish_told=\${__aish_inner:-$1}
    [[ $__aish_hidden == 1 ]] || __aish_status=$__aish_told
    if [[ -o xtrace ]]; then \\builtin unsetopt xtrace; __aish_xtrace=1; else __aish_xtrace=; fi
    \\builtin printf '\\033]7331;%s;D;%s;%s\\007' "$__aish_token" "$__aish_told" "\${PWD//[[:cntrl:]]/?}" >/dev/tty
    __aish_hook
    if [[ $__aish_told == 14[5-9] || $__aish_told == 150 ]]; then __aish_stopped; fi
  fi
}
# A program that is stopped within an eval: zsh makes a copy of itself for the rest of the eval and lists it as the job,
# with an exit code of its own. Behind a single command there is no rest: the copy goes, the job is the program itself.
__aish_stopped() {
  \\builtin emulate -L zsh
  \\builtin setopt no_notify
  \\builtin local job state tries
  __aish_single || \\builtin return 0
  for job in \${(k)jobtexts}; do
    [[ $jobtexts[$job] == *'$__aish_trace$__aish_line'* ]] || \\builtin continue
    state=\${jobstates[$job]##*:}
    [[ $jobstates[$job] == suspended:+:<->=suspended* ]] || \\builtin continue
    # Of an end by SIGINT zsh says nothing.
    \\builtin kill -INT \${state%%=*} && \\builtin kill -CONT \${state%%=*} || \\builtin continue
    for (( tries = 0; tries < 5000; tries++ )); do \\builtin kill -0 \${state%%=*} || \\builtin break; done
    \\builtin jobs %$job || \\builtin :
  done >/dev/null
}
# As zsh has read it: one line, and nothing in it runs further lines within the shell.
__aish_single() {
  \\builtin local text word
  functions[__aish_read]=$__aish_line
  text=\${functions[__aish_read]-}
  \\builtin unfunction __aish_read || \\builtin :
  [[ -n $text && $text != *$'\\n'* ]] || \\builtin return 1
  for word in \${(z)text}; do
    [[ $word == ('&&'|'||'|eval|.|source) ]] && \\builtin return 1
    (( \${+functions[$word]} )) && \\builtin return 1
  done
  \\builtin return 0
}
__aish_hook() {
  \\builtin emulate -L zsh
  precmd_functions=(__aish_prompt_first \${precmd_functions:#__aish_*} __aish_prompt_ready)
}
__aish_words() {
  \\builtin emulate -L zsh
  \\builtin print -rl -- \${(k)aliases} \${(k)functions} \${(k)builtins} \${(k)reswords} >|"$__aish_dir/words"
}
# Only a line that was thrown away is still open here.
__aish_prompt_first() { { __aish_end 130; __aish_state; } 2>/dev/null; }
__aish_prompt_ready() { {
  if [[ -z $__aish_quiet ]]; then
    __aish_quiet=1 __aish_ps1=\${PS1-} __aish_ps2=\${PS2-}
    if [[ -o hist_ignore_space ]]; then __aish_his=1; else __aish_his=; fi
  fi
  PS1= PS2=
  \\builtin setopt hist_ignore_space
  \\builtin unsetopt prompt_sp prompt_cr zle
  __aish_words || \\builtin :
  ${envProgram} -0 >|"$__aish_dir/env" || \\builtin :
  \\builtin printf '\\033]7331;%s;R;%s\\007' "$__aish_token" "\${PWD//[[:cntrl:]]/?}" >/dev/tty
} 2>/dev/null; }
# A question is a line like any other: the user's own prompt hooks are spared it.
__aish_complete() {
  ( ( \\builtin source "$__aish_dir/completer" "$@" ) </dev/null >/dev/null 2>&1 & )
  __aish_hooks=("\${precmd_functions[@]}") precmd_functions=(__aish_completed)
  if (( \${+functions[precmd]} )); then
    functions[__aish_precmd]=$functions[precmd]
    \\builtin unfunction precmd
  fi
}
__aish_completed() { { __aish_hooks_back; __aish_prompt_ready; } 2>/dev/null; }
__aish_hooks_back() {
  \\builtin emulate -L zsh
  precmd_functions=("\${__aish_hooks[@]}")
  if (( \${+functions[__aish_precmd]} )); then
    functions[precmd]=$functions[__aish_precmd]
    \\builtin unfunction __aish_precmd
  fi
}
__aish_leave() {
  [[ -n \${HISTFILE-} && \${SAVEHIST:-0} -gt 0 ]] && \\builtin fc -AI
  \\builtin printf '\\033]7331;%s;B\\007' "$__aish_token" >/dev/tty
}
${personal ? `[[ -f "\${ZDOTDIR:-$HOME}/.zshrc" ]] && \\builtin source "\${ZDOTDIR:-$HOME}/.zshrc" <"$__aish_tty"` : ''}
# Before the first prompt hook runs, zsh would mark the missing end of a line.
\\builtin unsetopt prompt_sp
__aish_hook
`;
}

/** Tells the line's own status and `$_`, known only within its `eval`. In a group, zsh has no `$_`. */
const TAIL = '\n__aish_inner=$? __aish_last=$_';

function writeLine({ token, text, keep, drain, hidden, remember }: Line): string {
  const flags = [keep, drain, hidden].map((flag) => (flag ? 1 : 0)).join(' ');
  const words = [text, hidden || endsOpen(text) ? '' : TAIL, ...remember].map(ansiQuote).join(' ');
  return (
    ` { __aish_start ${token} ${flags} ${words}; } 2>/dev/null; ` +
    '\\builtin eval "$__aish_trace$__aish_line$__aish_tail" <"$__aish_tty"; ' +
    '{ __aish_end "$?"; } 2>/dev/null\n'
  );
}

/** A word in `$'…'`: one line whatever it holds, and nothing in it that history expansion looks at. */
function ansiQuote(text: string): string {
  const escaped = text.replace(/[\\'!\0-\x1f\x7f]/g, (character) =>
    character === '\0' ? '' : `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
  return `$'${escaped}'`;
}

export const zshIntegration: ShellIntegration = {
  files: (startup) => ({ '.zshenv': zshenv(startup), '.zshrc': zshrc(startup) }),
  launch: 'exec "$0" -i -o nozle',
  env: (env, directory) => ({ ...env, ZDOTDIR: directory }),
  line: writeLine,
  tell: ' { __aish_end 130; } 2>/dev/null\n',
  remembersExits: false,
  leave: ' { __aish_leave; } 2>/dev/null\n',
  completer: {
    code: zshCompleter,
    arguments: zshArguments,
    start: (args) => ` { __aish_complete ${args.map(ansiQuote).join(' ')}; } 2>/dev/null\n`,
    prompts: true,
  },
};
