import { shellQuote } from '../../text/shell.ts';
import { type EditorIntegration, envProgram, type Startup } from './integration.ts';

/**
 * dash and busybox's ash, on hosts, and a bash whose line editor can't be used. Their editors accept no private
 * keys, they have no hooks, and they expand only variables in prompts. So their input is a pipe: a line is in a
 * file, and the fed code reads that file with the terminal as its input. The file's first line emits mark C, PS1 the
 * end. After a line that changes PS1, and after an interrupt, the wrapper is restored. Commands are called by path,
 * so that user functions can't replace them. The marks' texts are in files, so that no process list shows the token.
 *
 * These shells list neither functions nor a history.
 */

/**
 * Words that these shells don't list. Source: POSIX.1-2024, 2.4 reserved words, 2.15 special built-ins, 1.7
 * built-ins.
 */
const WORDS = `! { } case do done elif else esac fi for if in then until while
. : break continue eval exec exit export readonly return set shift times trap unset
alias bg cd command echo false fc fg getopts hash jobs kill local printf pwd read test true type ulimit umask unalias wait [`
  .split(/\s+/)
  .join('\n');

/**
 * Takes out typed and unread input, as lines to run in turn. An Enter must not become a wildcard, which would match
 * other files.
 */
const SHOW = (token: string) => `PATH=/usr/bin:/bin
m=$(stty -g) || exit 1
stty -icanon -echo min 0 time 0
t=$(dd bs=4096 count=1 2>/dev/null | tr -s '\\r\\n' ';' | tr -d '[:cntrl:]')
stty "$m"
t=\${t#;} t=\${t%;}
printf '\\033]7331;%s;L;%s\\007' ${token} "$t"
`;

/**
 * The mark contains the directory completely or not at all: control characters would end it, and ash interprets
 * backslashes.
 */
function startupFile({ directory, token, personal }: Startup, kind: Kind): string {
  return `
__aish_dir=${shellQuote(directory)} __aish_status=0 __aish_tty=$(/usr/bin/tty <&2) || __aish_tty=/dev/tty
for __aish_close in C S 'O;0' 'O;1'; do
  printf '\\033]7331;%s;%s\\007' ${token} "$__aish_close" >|"$__aish_dir/$__aish_close"
done
printf '\\n%s' ${shellQuote(WORDS)} >|"$__aish_dir/known"
printf %s ${shellQuote(SHOW(token))} >|"$__aish_dir/show"
__aish_open=$(printf '\\033]7331;%s;K;${kind.directory}\\007\\033]7331;%s;D;$?;-;$-\\007' ${token} ${token})
__aish_close=$(printf '\\033]7331;%s;R\\007' ${token})
__aish_wrap() {
  __aish_status=$?
  ${kind.hooks}
  case \${PS1-} in
    "$__aish_open"*"$__aish_close") ;;
    *)
      case \${PS1-} in *"$__aish_close"*) PS1=\${PS1%%"$__aish_close"*}\${PS1#*"$__aish_close"} ;; esac
      PS1=\${PS1-}
      PS1=$__aish_open\${PS1#"$__aish_open"}$__aish_close ;;
  esac
  __aish_back
}
# A shell that ends with the first failure must not end with this one.
__aish_back() { case $- in *e*) return 0 ;; esac; return "$__aish_status"; }
__aish_mark() { /bin/cat "$__aish_dir/$1" >"$__aish_tty"; }
__aish_begin() { __aish_status=$?; __aish_mark C; __aish_back; }
__aish_state() {
  __aish_status=$?
  { ${kind.words}; } >|"$__aish_dir/words"
  ${envProgram} -0 >|"$__aish_dir/env"
  __aish_mark S
  __aish_back
}
__aish_own() {
  __aish_status=$?
  if . "$__aish_dir/own" >|"$__aish_dir/told" 2>&1; then __aish_mark 'O;0'; else __aish_mark 'O;1'; fi
  __aish_back
}
__aish_show() { __aish_status=$?; ${envProgram} -i /bin/sh "$__aish_dir/show" <"$__aish_tty" >"$__aish_tty"; __aish_back; }
${kind.personal(personal)}
`;
}

/** Code to feed: read at a prompt, and excluded from traces. */
const fed = (code: string) => `{ ${code}; } 2>/dev/null\n`;

/** How a shell without hooks is started, and the facts that it can report. */
type Kind = {
  /** Code that prints the directory for the shell’s prompt, without control characters. */
  readonly directory: string;
  /** Code that removes hooks which would set the prompt again after ours. */
  readonly hooks: string;
  /** Code that lists aliases, then an empty line, then the other names that the shell knows. */
  readonly words: string;
  readonly personal: (personal: boolean) => string;
  readonly start: string;
  readonly remembersExits: boolean;
};

const SH: Kind = {
  directory: `\${PWD##*[[:cntrl:]\\\\\\\\]*}`,
  hooks: '',
  words: `alias | PATH=/usr/bin:/bin /usr/bin/env sed -n "s/^\\([^= ]*\\)='.*/\\1/p"; /bin/cat "$__aish_dir/known"`,
  personal: (personal) => `ENV=\${AISH_TUI_ENV-}; unset AISH_TUI_ENV
if [ -n "$ENV" ]; then
  ${personal ? `eval "__aish_user=\\"$ENV\\""; case $__aish_user in /*) [ ! -f "$__aish_user" ] || . "$__aish_user" <>"$__aish_tty" ;; esac` : ':'}
else
  unset ENV
fi`,
  start: `export AISH_TUI_ENV="\${ENV-}" ENV="$1/startup.sh" && exec "$0" -i`,
  remembersExits: false,
};

/** A bash before 4.4, and one with ble.sh. What its line editor and its prompt hooks do is not used. */
const BASH: Kind = {
  directory: `\${PWD//[[:cntrl:]]/?}`,
  // Otherwise bash 5.2 would read its input with a line editor once a line turns the editor on.
  hooks:
    'unset PROMPT_COMMAND; set +o history; case :$SHELLOPTS: in *:vi:*) set +o vi ;; *:emacs:*) set +o emacs ;; esac',
  words: 'compgen -A alias; echo; compgen -A function -A builtin -A keyword',
  // Wrapped at once: else the first prompt would be shown.
  personal: (personal) => `${personal ? '[ ! -f ~/.bashrc ] || . ~/.bashrc <>"$__aish_tty"' : ''}\n__aish_wrap`,
  start: 'exec "$0" --noediting --rcfile "$1/startup.sh" -i',
  remembersExits: true,
};

const integrationOf = (kind: Kind): EditorIntegration => ({
  files: (startup) => ({ 'startup.sh': startupFile(startup, kind) }),
  // The first fed code wraps the prompt, whatever the user's startup file has set.
  launch: `PATH=/usr/bin:/bin /usr/bin/env mkfifo -m 600 "$1/lines" && exec <>"$1/lines" && printf '${fed('__aish_wrap').replace('\n', '\\n')}' >&0 &&
${kind.start}`,
  env: (env) => env,
  line: (text) => ({
    file: `{ __aish_begin; } 2>/dev/null\n${text}\n`,
    keys: `. "$__aish_dir/line" <>"$__aish_tty"; ${fed('__aish_wrap')}`,
  }),
  search: (text) => ({ file: text, keys: '' }),
  keys: {
    state: fed('__aish_state'),
    repair: fed('__aish_wrap'),
    show: fed('__aish_show'),
    own: fed('__aish_own'),
  },
  code: {},
  fed: true,
  completer: undefined,
  remembersExits: kind.remembersExits,
});

export const plainSh = integrationOf(SH);
export const plainBash = integrationOf(BASH);
