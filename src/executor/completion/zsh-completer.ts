import type { Question } from './complete.ts';

/**
 * What a fork of the user's zsh runs to answer a question. zsh completes only within its line editor, so the fork gives
 * itself a terminal (zsh/zpty) and begins to edit the line there with the user's own completion system in force; where
 * the user has none, the shipped one is loaded. `compadd`, through which every match goes, is replaced by a function that
 * writes the matches down. Nothing of a fork comes back to the shell.
 */
export const zshCompleter = `
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

/** The arguments of the completer, behind the file for its answer. `dump` is where the completion system is kept. */
export function zshArguments({ line, quote, directory }: Question, dump: string): readonly string[] {
  return [line, quote, directory, dump];
}
