import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lacks, pathOf } from '../support/lacks.ts';
import { type Bench, shows, until, userShell, workspace } from './support.ts';

/** Starts a shell whose startup file is `rc`. */
async function shellWith(name: 'zsh' | 'fish', rc: string): Promise<Bench & { readonly home: string }> {
  const home = workspace();
  mkdirSync(join(home, '.config/fish'), { recursive: true });
  writeFileSync(join(home, name === 'zsh' ? '.zshrc' : '.config/fish/config.fish'), `${rc}\n${QUIET[name]}`);
  const env = { HOME: home, PATH: process.env.PATH ?? '', LANG: 'C.UTF-8', SHELL: pathOf(name) ?? '' };
  return { ...(await userShell('', { env, cwd: home })), home };
}

const QUIET = { zsh: '', fish: 'set -g fish_greeting' };

/** Returns what three commands print, and what the shell prints between them. */
async function threeCommands({ run, idle, home }: Bench & { readonly home: string }): Promise<readonly string[]> {
  const heads: string[] = [];
  for (const line of ['echo one', 'sleep 0.3; echo two', 'echo three']) {
    heads.push((await run(line)).head);
    await redrawn(home);
  }
  return [...heads, ...idle];
}

/** A prompt with a clock writes to this file each time it is redrawn. */
const DRAWN = 'drawn';

/** Waits until a clock has redrawn the prompt twice, so that the first redraw has been read. */
async function redrawn(home: string): Promise<void> {
  const file = join(home, DRAWN);
  if (!existsSync(file)) return;
  const before = statSync(file).size;
  await until(() => statSync(file).size >= before + 2, 'the prompt is drawn twice more');
}

const CLOCK = `: >~/${DRAWN}; TMOUT=1; TRAPALRM() { zle reset-prompt; print -n x >>~/${DRAWN} }`;
const TRANSIENT = `
shrink() { PROMPT='%# ' RPROMPT= ; zle .reset-prompt }
zle -N zle-line-finish shrink
again() { PROMPT=$'first row\\nsecond row> ' RPROMPT='%*' }
precmd_functions+=(again)`;

describe.skipIf(lacks('zsh'))('zsh shows no part of its prompt as output', () => {
  it.each([
    ['a right prompt', "RPROMPT='on the right'"],
    ['RPS1 with a clock', `setopt prompt_subst; RPS1='$(date +%T)'; ${CLOCK}`],
    ['a right prompt set for each prompt', 'precmd() { RPROMPT="right $RANDOM" }'],
    ['a prompt of two rows with a clock', `PROMPT=$'first %*\\nsecond> ' RPROMPT='%*'; ${CLOCK}`],
    ['a right prompt that disappears when a line runs', "setopt transient_rprompt; RPROMPT='%F{red}right%f'"],
    ['a prompt that shrinks when a line runs', TRANSIENT],
    [
      'vi keys shown on the right',
      'bindkey -v; zle-keymap-select() { RPROMPT=$KEYMAP; zle reset-prompt }; zle -N zle-keymap-select; RPROMPT=insert',
    ],
  ])('with %s', async (_, rc) => {
    expect(await threeCommands(await shellWith('zsh', rc))).toEqual(['one', 'two', 'three']);
  });
});

describe('bash shows no part of its prompt as output', () => {
  const TWO = "PS1='first \\w\\nsecond> '";
  it.each([
    ['a prompt of two rows', TWO],
    ['a prompt set for each command', 'PROMPT_COMMAND=\'PS1="first $RANDOM\\nsecond> "\''],
    ['a prompt set by a DEBUG trap', `trap : DEBUG; PROMPT_COMMAND='${TWO.replaceAll("'", '"')}'`],
    ['vi keys shown on the left', `set -o vi; bind 'set show-mode-in-prompt on'; ${TWO}`],
    ['a right-aligned part', "PS1='\\[\\e[s\\e[1;70Hright\\e[u\\]first\\nsecond> '"],
    ['a row that is too long', `PS1='${'wide '.repeat(30)}\\n> '`],
  ])('with %s', async (_, rc) => {
    expect(await threeCommands(await userShell(rc))).toEqual(['one', 'two', 'three']);
  });

  it.each([
    ['a prompt set by hand', "PS1='first\\nsecond> '"],
    ['a prompt set by hand and for each command', 'PROMPT_COMMAND=\'PS1="first\\nsecond> "\''],
    ['a prompt set by hand whose hooks are removed', "PROMPT_COMMAND= PS1='first\\nsecond> '"],
    ['a prompt set by hand with more rows', "PS1='\\n\\n[first]\\nsecond\\n> '"],
  ])('after %s', async (_, line) => {
    const bench = await userShell(`${TWO}; PROMPT_COMMAND=:`);
    expect((await bench.run(line)).head).toBe('');
    expect(await threeCommands(bench)).toEqual(['one', 'two', 'three']);
  });

  it('after lines that were typed ahead', async () => {
    const { shell, run, idle } = await userShell(TWO);
    const line = shell.run('echo go; sleep 0.3');
    await shows(line, 'go');
    line.write('echo a\recho b\r');
    await line.result;
    expect(await line.unread()).toBe('echo a\necho b\n');
    await run('echo next');
    expect(idle).toEqual([]);
  });

  it('while `read -e` shows its question', async () => {
    const { shell } = await userShell(TWO);
    const line = shell.run('read -e -p "name? " x; echo "got $x"');
    await shows(line, 'name?');
    line.write('Ann\r');
    expect((await line.result).head).toBe('name? Ann\ngot Ann');
  });
});

describe.skipIf(lacks('fish'))('fish shows no part of its prompt as output', () => {
  it.each([
    ['a right prompt', 'function fish_right_prompt; echo right; end'],
    ['a right prompt with $status', 'function fish_right_prompt; echo "$status $pipestatus"; end'],
    [
      'a prompt of two rows',
      'function fish_prompt; echo first; echo "second> "; end; function fish_right_prompt; date +%T; end',
    ],
    ['vi mode shown in the prompt', 'fish_vi_key_bindings; function fish_right_prompt; echo $fish_bind_mode; end'],
    [
      'a clock that redraws the prompt',
      'function fish_prompt; echo first; echo "$(date +%T)> "; end\nfunction fish_right_prompt; date +%T; end\nfunction again --on-signal USR1; commandline -f repaint; printf x >>~/drawn; end\n: >~/drawn\nsh -c "while sleep 0.5 && kill -USR1 $fish_pid; do :; done" >/dev/null 2>&1 &\ndisown',
    ],
  ])('with %s', async (_, rc) => {
    expect(await threeCommands(await shellWith('fish', rc))).toEqual(['one', 'two', 'three']);
  });

  it.each([
    ['a stray bracket', 'echo )'],
    ['a stray end', 'if; end; end'],
    ['a stray operator', 'echo a && && b'],
    ['an invalid variable', 'echo "$"'],
  ])('and shows a line with a syntax error once, with its error: %s', async (_, line) => {
    const { run, idle } = await shellWith('fish', '');
    const { exit, head } = await run(line);
    expect([exit, head.split('\n')[1]]).toEqual([1, line]);
    expect((await run('echo next')).head).toBe('next');
    expect((await run('sh -c "sleep 0.2; echo late" &; sleep 0.5')).head).toContain('late');
    expect(idle).toEqual([]);
  });

  it('and gives the user’s right prompt the exit code of the line', async () => {
    const bench = await shellWith('fish', 'function fish_right_prompt; echo $status >>~/told; end');
    await bench.run('sh -c "exit 7"');
    expect((await bench.run('cat ~/told')).head.split('\n').at(-1)).toBe('7');
  });
});
