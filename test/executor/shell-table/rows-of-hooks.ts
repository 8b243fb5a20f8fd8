/** Rows for history, hooks, and leaving. */
import { bash, only, PROMPT, type Row, same, tracedOnly, two, words, zsh } from './row.ts';

const HISTORY: readonly Row[] = [
  {
    name: 'history: the typed text',
    steps: two('echo one  two', 'echo "$(fc -ln -1 -1)" > $O; fc -ln -2 -2 >> $O'),
    short: true,
  },
  {
    name: 'a line with a leading blank is in no history',
    steps: {
      bash: [' echo secretblank', 'echo b', 'history | grep -c secretblank > $O'],
      zsh: [' echo secretblank', 'echo b', 'fc -l 1 | grep -c "echo secretb[l]ank" > $O'],
      fish: [' echo secretblank', 'echo b', 'history search --contains "echo secretb" > $O; echo end >> $O'],
    },
    short: true,
  },
  {
    name: 'duplicates as the shell is set',
    steps: {
      bash: ['echo d1', 'echo d1', 'history | grep -c "echo d[1]" > $O'],
      zsh: ['echo d1', 'echo d1', 'fc -l 1 | grep -c "echo d[1]" > $O'],
    },
  },
  { name: '!$ and !!', steps: two('echo aa bb', 'echo !$ > $O', 'echo !! >> $O'), short: true },
  { name: '!word and ^a^b', steps: two('echo alpha9 > $O', '!echo', '^alpha9^beta8', 'echo end >> $O') },
  {
    name: '`fc -s` and `r`',
    steps: {
      bash: ['echo alpha >> $O', 'fc -s echo=echo', 'echo end >> $O'],
      zsh: ['echo alpha >> $O', 'r echo', 'echo end >> $O'],
    },
  },
  {
    name: 'the history file after leaving',
    steps: same('echo hfile one', ' echo hfile blank', { start: 'exit' }, { ended: true }),
    files: { bash: ['~/.bash_history'], zsh: ['~/.zsh_history'], fish: ['~/.local/share/fish/fish_history'] },
    clean: only('hfile'),
    short: true,
  },
];

const HOOKS: readonly Row[] = [
  {
    name: 'set -x',
    plainOnly: true,
    steps: two(
      'exec 7>>$O; BASH_XTRACEFD=7; [ -n "$ZSH_VERSION" ] && exec 2>>$O; :',
      'set -x',
      'echo a b',
      'f() { echo in; }; f',
      'set +x',
    ),
    clean: tracedOnly,
  },
  {
    name: 'DEBUG trap',
    plainOnly: true,
    steps: bash('trap \'echo "D:$BASH_COMMAND" >> $O\' DEBUG', 'echo x >/dev/null; true', 'trap - DEBUG'),
    short: true,
  },
  {
    name: 'ERR trap',
    steps: bash('trap \'echo "E:$?:$BASH_COMMAND" >> $O\' ERR', 'false', 'true', '(exit 7)', 'trap - ERR'),
  },
  {
    // Plugins that run code on each key would trigger the trap themselves.
    name: 'ZERR trap',
    plainOnly: true,
    steps: zsh('trap \'echo "Z:$?" >> $O\' ZERR', 'false', 'true', 'trap - ZERR'),
  },
  { name: 'PS0 once a line', steps: bash("PS0='$(echo ps0 >> $O)'$PS0", 'true', 'true; true', 'PS0=') },
  {
    name: 'PROMPT_COMMAND: how often, and $?',
    steps: bash('PROMPT_COMMAND=("${PROMPT_COMMAND[@]}" \'echo "pc:$?" >> $O\')', 'true', '(exit 3)'),
  },
  {
    name: 'preexec $1 $2 $3, precmd and $?',
    steps: zsh(
      'preexec() { echo "pre:$1|$2|$3" >> $O }; precmd() { echo "pc:$?" >> $O }',
      'true',
      '(exit 3)',
      'echo "a  b" | cat',
    ),
    short: true,
  },
  {
    name: 'PROMPT_COMMAND sets PS1 behind the functions of bash-preexec',
    plainOnly: true,
    rc: {
      bash: `
__bp_imported=defined precmd_functions=()
__bp_precmd_invoke_cmd() { local s=$? each; for each in "\${precmd_functions[@]}"; do "$each"; done; echo "pc:$s" >> $O; }
_anew() { PS1='@@P@@ '; }
__bp_interactive_mode() { :; }
PROMPT_COMMAND=$'__bp_precmd_invoke_cmd\n_anew\n__bp_interactive_mode'
`,
    },
    steps: bash('true', '(exit 3)', 'echo end >> $O'),
    short: true,
  },
  { name: 'chpwd', steps: zsh('chpwd() { echo "cd:$PWD" >> $O }', 'cd /tmp', 'cd /') },
  {
    name: 'fish_preexec and fish_postexec',
    steps: {
      fish: [
        'function _p --on-event fish_preexec; echo "pre:$argv" >> $O; end',
        'function _q --on-event fish_postexec; echo "post:$status:$argv" >> $O; end',
        'echo "a  b" | cat',
        'false',
      ],
    },
    short: true,
  },
  {
    name: 'heavy startup files: hooks see the line',
    plainOnly: true,
    rc: {
      bash: `
_now() { [ -n "\${COMP_LINE-}\${READLINE_POINT-}" ] || [ -n "$_done" ] || { _done=1; echo "pre:$(HISTTIMEFORMAT= history 1 | sed 's/^ *[0-9]* *//')" >> $O; }; }
_prompt() { local s=$?; echo "pc:$s" >> $O; sleep 0.05; echo printed; }
set -o vi
PROMPT_COMMAND='_prompt; PS1="\\n[two] lines\\n@@P@@ "; trap - DEBUG; _done=; trap _now DEBUG'
`,
      zsh: `
autoload -Uz add-zsh-hook
_pre() { echo "pre:$1" >> $O }
_pc() { echo "pc:$?" >> $O; sleep 0.05; echo printed; PS1=$'\\n[two] lines\\n@@P@@ ' }
add-zsh-hook preexec _pre; add-zsh-hook precmd _pc
bindkey -v
`,
      fish: `
fish_vi_key_bindings
function _pre --on-event fish_preexec; echo "pre:$argv" >> $O; end
function fish_prompt; sleep 0.05; echo; echo two lines; echo -n '@@P@@ '; end
`,
    },
    steps: words(['echo one  two', '(exit 4)', 'true'], ['echo one  two', 'false', 'true']),
    // Drops the first prompt, which comes before anything was typed.
    clean: (text) => text.split('\n').slice(1).join('\n'),
  },
];

const LEAVING: readonly Row[] = [
  {
    name: 'exit 5 and an EXIT trap',
    steps: words(
      [{ start: "trap 'echo bye > $O' EXIT; exit 5" }, { ended: true }],
      [{ start: 'function _x --on-event fish_exit; echo bye > $O; end; exit 5' }, { ended: true }],
    ),
  },
  {
    name: 'exec of another shell',
    steps: same({ start: 'exec sh -i' }, { front: 'sh' }, { keys: 'echo "$0" > $O; exit\r' }, { ended: true }),
  },
  {
    name: 'a nested shell, and back',
    steps: words(
      [{ start: 'bash --norc' }, { shows: 'bash-' }, { keys: 'echo nested > $O; exit 4\r' }, PROMPT, 'echo $? >> $O'],
      [
        { start: 'bash --norc' },
        { shows: 'bash-' },
        { keys: 'echo nested > $O; exit 4\r' },
        PROMPT,
        'echo $status >> $O',
      ],
    ),
  },
  {
    name: 'PS1 set by hand',
    steps: words(
      ["PS1='new@@P@@ '", 'echo a > $O', 'echo b >> $O'],
      ["function fish_prompt; echo -n 'new@@P@@ '; end", 'echo a > $O', 'echo b >> $O'],
    ),
    short: true,
  },
  {
    name: 'PROMPT_COMMAND= and precmd_functions=()',
    plainOnly: true,
    steps: {
      bash: ['PROMPT_COMMAND=true', 'echo a > $O', '(exit 6)', 'echo $? >> $O'],
      zsh: ['precmd_functions=() preexec_functions=()', 'echo a > $O', '(exit 6)', 'echo $? >> $O'],
    },
  },
  { name: 'the working directory', steps: same("mkdir -p 'a b é'; cd 'a b é'", 'basename "$PWD" > $O; cd ..') },
  {
    name: 'a forged mark ends nothing',
    steps: same(
      "printf 'head\\n'; printf '\\033]7331;guess;D;0;9;/x\\007\\033]7331;guess;R;9\\007'; sleep 0.2; echo tail > $O",
    ),
  },
];

export const HOOK_ROWS: readonly Row[] = [...HISTORY, ...HOOKS, ...LEAVING];
