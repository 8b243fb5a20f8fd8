/**
 * Startup files as users have them after years: bash-preexec, suggestions and highlighting, vi keys, a two-line prompt
 * that is set each time with a clock on the right (zsh's shrinks when its line runs), a greeting, and slow hooks that
 * print. Parts that need a missing program are left out.
 */
import { existsSync } from 'node:fs';
import type { ShellName } from './row.ts';
import { PROMPT_TEXT } from './row.ts';

const PREEXEC = '/usr/share/bash-preexec/bash-preexec.sh';
const ZSH_PLUGINS = [
  '/usr/share/zsh-autosuggestions/zsh-autosuggestions.zsh',
  '/usr/share/zsh-syntax-highlighting/zsh-syntax-highlighting.zsh',
];

/** The plugins of the heavy startup files on this machine, by file name. */
export const PLUGINS: Readonly<Record<ShellName, readonly string[]>> = {
  bash: [PREEXEC].filter(existsSync),
  zsh: ZSH_PLUGINS.filter(existsSync),
  fish: [],
};

const sourced = (shell: ShellName) => PLUGINS[shell].map((path) => `source ${path}\n`).join('');

export const HEAVY: Readonly<Record<ShellName, string>> = {
  bash: `
set -o vi
_slow() { sleep 0.05; echo printed by a hook; PS1='\\n\\[\\e[s\\e[1;70H\\t\\e[u\\]\\[\\e[1;36m\\][two]\\[\\e[0m\\] \\w\\n${PROMPT_TEXT} '; }
PROMPT_COMMAND=_slow
_before() { :; }
${sourced('bash')}
preexec_functions+=(_before)
`,
  zsh: `
bindkey -v
autoload -Uz add-zsh-hook
_slow() { sleep 0.05; echo printed by a hook; PS1=$'\\n%F{cyan}[two]%f %~\\n${PROMPT_TEXT} ' RPROMPT='%F{240}%*%f' }
_shrink() { PROMPT='%# ' RPROMPT= ; zle .reset-prompt }
zle -N zle-line-finish _shrink
_before() { : }
add-zsh-hook precmd _slow
add-zsh-hook preexec _before
${sourced('zsh')}
`,
  fish: `
fish_vi_key_bindings
function fish_greeting; echo Welcome; echo; end
function fish_right_prompt; set_color brblack; date +%T; set_color normal; end
function _before --on-event fish_preexec; true; end
function _slow --on-event fish_prompt; sleep 0.05; echo printed by a hook; end
function fish_prompt; echo; echo "[two] "(prompt_pwd); echo -n '${PROMPT_TEXT} '; end
`,
};
