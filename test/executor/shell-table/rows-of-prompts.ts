/** Prompts of every shape: the output of a line is exactly what its command printed. */
import { PROMPT_TEXT, type Row, type ShellName, same } from './row.ts';

/**
 * The prompt of starship in a git repository after a slow command; `[` and `]` enclose parts without width. Shape,
 * colours and symbols follow its documentation.
 */
const STARSHIP =
  '\n[\x1b[1;36m]~/shop[\x1b[0m] on [\x1b[1;35m]\ue0a0 main[\x1b[0m] [\x1b[1;31m]‹!?›[\x1b[0m] via [\x1b[1;32m]\ue718 v24.1.0 [\x1b[0m]took [\x1b[1;33m]2s[\x1b[0m]\n[\x1b[1;32m]❯[\x1b[0m] ';
const STARSHIP_RIGHT = '[\x1b[2;37m]12:30:45[\x1b[0m]';
/** Recorded from powerlevel9k 0.6.7 with a prompt of two rows; powerlevel10k follows its shape. */
const POWERLEVEL =
  '╭─%f%b%k%K{000} %F{003}root@web %K{004}%F{000}\ue0b0 %F{000}\uf07c %F{000}~/shop %K{002}%F{004}\ue0b0 %F{000}\uf1d3  %F{000}\uf126 master %k%F{002}\ue0b0%f \n╰─ ';
const POWERLEVEL_RIGHT =
  '%{\x1b[1A%}%f%b%k%F{000}\ue0b2%f%K{000}%F{002} %F{002}\uf00c %f%F{007}\ue0b2%f%K{007}%F{000} %D{%H:%M:%S}%F{000} \uf017 %E%{\x1b[00m%}%{\x1b[1B%}';

const BRACKETS: Readonly<Record<ShellName, readonly [string, string]>> = {
  bash: ['\\[', '\\]'],
  zsh: ['%{', '%}'],
  fish: ['', ''],
};

/** Quotes a prompt in the shell's own language. */
function drawn(shell: ShellName, text: string): string {
  const [open, close] = BRACKETS[shell];
  return text
    .replace(/\[(?=\x1b)/g, '\0')
    .replace(/(\x1b\[[\d;]*[mAB])\]/g, `$1${close}`)
    .replaceAll('\0', open);
}

const starship = (shell: ShellName) => drawn(shell, STARSHIP) + PROMPT_TEXT;

const CLOCK = 'TMOUT=1; TRAPALRM() { zle reset-prompt }';
const TRANSIENT = `
_shrink() { PROMPT='%# ' RPROMPT= ; zle .reset-prompt }
zle -N zle-line-finish _shrink
_grow() { PROMPT=$'first row\\n${PROMPT_TEXT} ' RPROMPT='%*' }
precmd_functions+=(_grow)
`;

/** Startup files with a prompt of each kind, by shell. */
const SHAPES: Readonly<Record<string, Partial<Readonly<Record<ShellName, string>>>>> = {
  'a right prompt': {
    bash: `PS1='\\[\\e[s\\e[1;70Hright\\e[u\\]${PROMPT_TEXT} '`,
    zsh: `setopt prompt_subst; RPROMPT='$(date +%T) $?'; ${CLOCK}`,
    fish: 'function fish_right_prompt; date +%T; end',
  },
  'two rows, set anew each time': {
    bash: `PROMPT_COMMAND='PS1="first $RANDOM\\n${PROMPT_TEXT} "'`,
    zsh: `precmd() { PS1="first $RANDOM"$'\\n${PROMPT_TEXT} ' }`,
    fish: `function fish_prompt; echo first (random); echo -n '${PROMPT_TEXT} '; end`,
  },
  'one that shrinks as its line runs': { zsh: TRANSIENT },
  'a greeting': {
    bash: 'echo Welcome; echo',
    zsh: 'echo Welcome; echo',
    fish: 'function fish_greeting; echo Welcome; echo; end',
  },
  "starship's": {
    bash: `_star() { PS1='${starship('bash')}'; }; PROMPT_COMMAND=_star`,
    zsh: `setopt prompt_subst; PROMPT='$(print -rn -- "${starship('zsh')}")'; RPROMPT='$(print -rn -- "${drawn('zsh', STARSHIP_RIGHT)}")'`,
    fish: `function fish_prompt; printf %s '${starship('fish')}'; end; function fish_right_prompt; printf %s '${drawn('fish', STARSHIP_RIGHT)}'; end`,
  },
  "powerlevel9k's": {
    zsh: `precmd() { PROMPT='${POWERLEVEL}${PROMPT_TEXT} ' RPROMPT='${POWERLEVEL_RIGHT}' }; setopt transient_rprompt`,
  },
};

const SHOWN = [
  'echo one',
  { shown: true },
  'sleep 0.3; echo two',
  { shown: true },
  'echo three',
  { shown: true },
] as const;

export const PROMPTS: readonly Row[] = Object.entries(SHAPES).map(([shape, rc]): Row => {
  const shells = Object.keys(rc) as ShellName[];
  const steps = Object.fromEntries(shells.map((shell) => [shell, same(...SHOWN)[shell] ?? []]));
  const expect = Object.fromEntries(shells.map((shell) => [shell, 'one\ntwo\nthree\n']));
  const startup = Object.fromEntries(shells.map((shell) => [shell, `${rc[shell]}\n`]));
  return { name: `no row of a prompt is output: ${shape}`, steps, expect, rc: startup, plainOnly: true };
});
