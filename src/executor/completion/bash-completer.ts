import type { Question } from './complete.ts';

/**
 * What a fork of the user's bash runs to answer a question. It does by hand what readline does with the `complete`
 * specifications in force (bash manual, 8.6 Programmable Completion): the function, word list or command of a
 * specification, the loader of `complete -D` (bash-completion) with its status 124, `compopt`, and the defaults.
 * It may do as it likes: nothing of a fork comes back to the shell.
 */
export const bashCompleter = `
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

/** The arguments of the completer, behind the file for its answer. */
export function bashArguments({ line, words, current, role, directory }: Question): readonly string[] {
  const broken = words.flatMap(breakWord);
  const last = broken.at(-1) ?? '';
  // Behind a breaking character a new, empty word begins; it has no place of its own among the words.
  const cur = /^[=:]+$/.test(last) ? '' : /^["']/.test(last) && last.slice(1) === current ? current : last;
  const typed = current.endsWith(cur) ? cur : current;
  return [role, line, typed, current.slice(0, current.length - typed.length), directory, ...broken];
}

/** A word as readline breaks it: at runs of `=` and `:` outside quotes (COMP_WORDBREAKS as shipped; blanks and operators are out already). */
function breakWord(word: string): readonly string[] {
  const pieces = word.match(/[=:]+|(?:"(?:\\.|[^"\\])*"?|'[^']*'?|\\.|[^=:"'\\])+|\\$/gs);
  return pieces ?? [''];
}
