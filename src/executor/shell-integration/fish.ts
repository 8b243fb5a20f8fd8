import type { Fact } from '../completion/complete.ts';
import { type EditorIntegration, envProgram, type Startup } from './integration.ts';

/**
 * For fish 3.6 and newer. A binding puts the line into the editor and executes it. The marks come from fish's events
 * (`fish_preexec`, `fish_prompt` before a prompt is drawn, `fish_posterror` after a syntax error) and from the prompt
 * function, which is wrapped again whenever it is redefined. fish 4 drops keys of the form `ESC [ N ~` with unknown
 * numbers, so these keys use its other form.
 */

const FETCH = '\\e\\[57400u';
const OWN = '\\e\\[57401u';
const SHOW = '\\e\\[57402u';
const REPAIR = '\\e\\[57403u';
const STATE = '\\e\\[57404u';
const ACCEPT = '\\e\\[57405u';
const SEARCH = '\\e\\[57406u';

function init({ directory, token }: Startup): string {
  return `
set -gu __aish_dir ${fishQuote(directory)}
set -gu __aish_token ${token}
set -g fish_autosuggestion_enabled 0
function __aish_fetch
    read -zl line <$__aish_dir/line
    commandline -r -- $line
    commandline --is-valid
    if test $status -eq 2
        commandline -r ''
        printf '\\e]7331;%s;2\\a' $__aish_token
    else
        printf '\\e]7331;%s;F\\a' $__aish_token
        commandline -f execute
    end
end
# Whatever is read at the prompt was typed ahead: report each whole line, and run none.
function __aish_enter
    if test (status current-command) != fish
        commandline -f execute
        return
    end
    printf '\\e]7331;%s;W;%s\\a' $__aish_token (commandline | string replace -ra '[[:cntrl:]]' '?' | string join '?')
    commandline -r ''
end
function __aish_accept
    commandline -r ''
    commandline -f execute
end
function __aish_show
    printf '\\e]7331;%s;L;%s\\a' $__aish_token (commandline | string replace -ra '[[:cntrl:]]' '?' | string join '?')
    commandline -r ''
end
# What the user has bound to Ctrl-R, as code.
function __aish_searcher
    bind --user -M $fish_bind_mode \\cr 2>/dev/null | string replace -rf '^bind .*?(?:\\\\\\\\cr|ctrl-r) ' ''
end
function __aish_search
    commandline -r -- (string collect -N <$__aish_dir/line)
    eval (__aish_searcher | string collect)
    commandline >$__aish_dir/found
    commandline -r ''
    printf '\\e]7331;%s;G\\a' $__aish_token
end
# To look at the text of each function, which alone tells an alias, takes 10 ms: only where one may have been defined.
function __aish_words
    functions -an | read -zl names
    test "$names" = "$__aish_names"; and return
    set -g __aish_names $names
    begin
        functions (functions -n) 2>/dev/null | string replace -rf "^function (\\S+) .*--description (?:'alias |alias\\\\\\\\ ).*" '$1'
        echo
        string collect -- $names
        builtin -n
    end >$__aish_dir/words
end
# Of ready pipes and variables: a substitution or a new file costs as much as all the rest. A file tells what has changed.
function __aish_state
    printf '\\e]7331;%s;>\\a' $__aish_token
    __aish_words
    set -xL | read -zl exported
    if test "$exported" != "$__aish_exported"
        set -g __aish_exported $exported
        ${envProgram} -0 >$__aish_dir/env
    end
    abbr --show | read -zl abbreviations
    if test "$abbreviations" != "$__aish_abbreviations"
        set -g __aish_abbreviations $abbreviations
        echo -n $abbreviations >$__aish_dir/abbreviations
    end
    set -l data $XDG_DATA_HOME
    set -q data[1]; or set data ~/.local/share
    set -l name fish
    set -q fish_history; and set name $fish_history
    set -l file
    test -n "$name"; and set file $data[1]/fish/"$name"_history
    if test "$file" != "$__aish_history"
        set -g __aish_history $file
        echo -n $file >$__aish_dir/history
    end
    set -l flags b
    string match -q '*_vi_*' -- "$fish_key_bindings"; and set flags bv
    __aish_searcher | read -zl searcher
    test -n "$searcher"; and set flags {$flags}r
    test -n "$__aish_at"; and set flags "$flags;-;$__aish_at"
    if set -q __aish_unsaved
        builtin history save
        set -e __aish_unsaved
    end
    printf '\\e]7331;%s;S;%s\\a' $__aish_token $flags
end
function __aish_own
    source $__aish_dir/own >$__aish_dir/told 2>&1
    printf '\\e]7331;%s;O;%s\\a' $__aish_token $status
end
function __aish_preexec --on-event fish_preexec
    set -g __aish_at
    set -g __aish_unsaved
    string match -qr 'alias|function|source|eval' -- "$argv"; and set -g __aish_names
    printf '\\e]7331;%s;C\\a' $__aish_token
end
function __aish_posterror --on-event fish_posterror
    set -g __aish_at 1
    printf '\\e]7331;%s;X\\a\\e]7331;%s;D;1;-;\\a\\e]7331;%s;R\\a\\e]7331;%s;<\\a' $__aish_token $__aish_token $__aish_token $__aish_token
    commandline -r ''
end
function __aish_before_prompt --on-event fish_prompt
    set -l told $status
    set -g __aish_at $told
    string replace -ra '[[:cntrl:]]' '?' -- $PWD | read -l place
    printf '\\e]7331;%s;K;%s\\a\\e]7331;%s;D;%s;-;\\a' $__aish_token $place $__aish_token $told
    __aish_wrap
end
function __aish_wrap
    __aish_wrap_sides
    functions fish_prompt | string match -q '*__aish_user_prompt*'; and return
    functions -e __aish_user_prompt
    functions -c fish_prompt __aish_user_prompt
    function fish_prompt
        __aish_user_prompt
        printf '\\e]7331;%s;R\\a' $__aish_token
    end
end
# The mode comes first wherever a prompt is drawn, the right prompt last. Their own text is taken first: it may show $status.
function __aish_wrap_sides
    if not functions fish_mode_prompt | string match -q '*__aish_user_mode_prompt*'
        functions -e __aish_user_mode_prompt
        functions -q fish_mode_prompt; or function fish_mode_prompt; end
        functions -c fish_mode_prompt __aish_user_mode_prompt
        function fish_mode_prompt
            __aish_user_mode_prompt | read -zl drawn
            printf '\\e]7331;%s;P\\a%s' $__aish_token "$drawn"
        end
    end
    functions -q fish_right_prompt; or return
    functions fish_right_prompt | string match -q '*__aish_user_right_prompt*'; and return
    functions -e __aish_user_right_prompt
    functions -c fish_right_prompt __aish_user_right_prompt
    function fish_right_prompt
        __aish_user_right_prompt | read -zl drawn
        test -n "$drawn"; and printf '\\e]7331;%s;<\\a%s\\e]7331;%s;>\\a' $__aish_token $drawn $__aish_token
    end
end
for __aish_mode in default insert visual replace replace_one paste
    bind -M $__aish_mode ${FETCH} __aish_fetch
    bind -M $__aish_mode ${ACCEPT} __aish_accept
    bind -M $__aish_mode \\r __aish_enter
    bind -M $__aish_mode \\n __aish_enter
    bind -M $__aish_mode ${OWN} __aish_own
    bind -M $__aish_mode ${SHOW} __aish_show
    bind -M $__aish_mode ${REPAIR} __aish_wrap
    bind -M $__aish_mode ${STATE} __aish_state
    bind -M $__aish_mode ${SEARCH} __aish_search
end
set -e __aish_mode
functions -q fish_prompt; or function fish_prompt; echo -n '> '; end
__aish_wrap
`;
}

function fishQuote(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}

/** Parses the output of `complete -C`: a word, a tab, its description. */
function factsOf(told: string): readonly Fact[] {
  return told
    .split('\n')
    .filter((row) => row !== '' && !/[\0-\x08\x0b-\x1f\x7f]/.test(row))
    .map((row): Fact => {
      const [text = '', note = ''] = row.split('\t');
      return { kind: text.includes(' ') || text.endsWith('/') ? 'file' : 'word', text, note };
    });
}

/** Parses `abbr --show`: only abbreviations with a fixed text in command position. */
export function parseAbbreviations(told: string): Readonly<Record<string, string>> {
  const rows = told.matchAll(/^abbr -a(?: -U)? -- (\S+) (?:'((?:[^'\\]|\\.)*)'|(\S+))$/gm);
  return Object.fromEntries(
    [...rows].map(([, name = '', quoted, bare]) => [name, quoted?.replace(/\\(.)/g, '$1') ?? bare ?? '']),
  );
}

const key = (sequence: string) => sequence.replace('\\e\\', '\x1b');

export const fishEditor: EditorIntegration = {
  files: (startup) => ({ 'init.fish': init(startup), ...(startup.personal ? {} : { bare: '' }) }),
  launch:
    'if [ -e "$1/bare" ]; then set -- "$1" --no-config; fi; directory=$1; shift; exec "$0" "$@" -i -C "source \'$directory/init.fish\'"',
  env: (env) => env,
  line: (text) => ({ file: text, keys: key(FETCH) }),
  search: (text) => ({ file: text, keys: key(SEARCH) }),
  keys: {
    state: key(STATE),
    repair: key(REPAIR) + key(ACCEPT),
    show: key(SHOW),
    own: key(OWN),
  },
  clearsRest: true,
  // The history file grows with each line, when the state is requested.
  code: {},
  completer: { ask: ({ line }) => `complete -C ${fishQuote(line)} | head -n 500`, facts: factsOf },
  remembersExits: false,
};
