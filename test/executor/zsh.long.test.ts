import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lacks, pathOf } from '../support/lacks.ts';
import { type Bench, shows, until, userShell, workspace } from './support.ts';

const ZSH = pathOf('zsh');

/** Starts a real zsh with its own home and startup file. */
async function zsh(rc = ''): Promise<Bench> {
  const dotfiles = workspace();
  writeFileSync(join(dotfiles, '.zshrc'), rc);
  const env = { HOME: dotfiles, PATH: process.env.PATH ?? '', LANG: 'C.UTF-8', SHELL: ZSH ?? '' };
  return { ...(await userShell('', { env, cwd: dotfiles })), home: dotfiles };
}

describe.skipIf(lacks('zsh'))('zsh', () => {
  it('keeps what a line changes, and reports exit codes, $? and $_ of the line before', async () => {
    const { shell, run } = await zsh('alias greet="echo hello"; echo "started on $(tty)"');
    expect(await run('cd /usr; export COLOR=red; n=5; twice() { echo $1 $1; }; (exit 3)')).toMatchObject({ exit: 3 });
    expect(shell.cwd).toBe('/usr');
    expect((await run('echo $?; greet; echo $COLOR $n; twice x')).head).toBe('3\nhello\nred 5\nx x');
    await run('true a-word');
    expect((await run('echo $_; echo $ZSH_VERSION | wc -l')).head).toMatch(/^a-word\n\s*1$/);
    expect((await run('echo )')).exit).toBe(1);
    expect((await run('nosuch')).exit).toBe(127);
    expect((await shell.environment()).COLOR).toBe('red');
    expect((await shell.environment()).ZDOTDIR).toBeUndefined();
    expect(['greet', 'twice', 'cd', 'while', 'nope'].map((word) => shell.knows(word))).toEqual([
      true,
      true,
      true,
      true,
      false,
    ]);
  });

  it('runs lines of any shape and gives them the terminal', async () => {
    const { shell, run } = await zsh();
    expect((await run('for i in 1 2\ndo echo "$i."\ndone')).head).toBe('1.\n2.');
    expect((await run("cat <<'E'\nit's $x \\ \"q\" \x01x\nE")).head).toContain('it\'s $x \\ "q" ');
    const asking = shell.run('read "n?name? "; echo "hi $n"; tty');
    await shows(asking, 'name?');
    asking.write('bob\n');
    expect((await asking.result).head).toMatch(/^name\? bob\nhi bob\n\/dev\/pts\/\d+$/);
  });

  it('stops its command on Ctrl-C and Ctrl-Z, even when every hook was lost', async () => {
    const { shell, run } = await zsh();
    const sleeping = shell.run('sh -c "echo go; exec sleep 100"');
    await shows(sleeping, 'go');
    shell.write('\x1a');
    expect((await sleeping.result).exit).toBe(148);
    expect((await run('jobs')).head).toContain('suspended');
    const loop = shell.run('precmd_functions=(); unset precmd_functions; echo in; while :; do :; done');
    await shows(loop, 'in');
    loop.interrupt();
    const { exit, note } = await loop.result;
    expect(note).toBe('interrupted');
    // The loop’s `$?` is 0 if the signal came between two of its commands.
    expect([0, 130]).toContain(exit);
    expect((await run('echo next')).head).toBe('next');
  });

  it('makes a stopped program a job with its own exit code', async () => {
    const { shell, home, run } = await zsh();
    const line = "sh -c 'echo go; while [ ! -e end ]; do sleep 0.02; done; exit 7'";
    const first = shell.run(line);
    await shows(first, 'go');
    shell.write('\x1a');
    expect((await first.result).exit).toBe(148);
    await until(() => shell.jobs().length === 1, 'zsh keeps no copy of itself');
    expect(shell.jobs()).toMatchObject([{ command: line.replaceAll("'", ''), stopped: true }]);
    expect((await run('jobs -l')).head).toMatch(/^\[1\] +\+ \d+ suspended +sh -c 'echo go[^\n]*$/);
    const front = shell.run('fg; echo st=$?');
    await until(() => shell.jobs().length === 0, 'it is in the front');
    writeFileSync(join(home, 'end'), '');
    const { head } = await front.result;
    expect(head).toContain('st=7');
    expect(head).not.toContain('builtin');
    expect((await run('jobs')).head).toBe('');
  });

  it('keeps the rest of a loop after a stopped program until fg', async () => {
    const { shell, home, run } = await zsh();
    const loop = shell.run(
      'for i in 1 2; do sh -c "echo go; while [ ! -e end ]; do sleep 0.02; done"; echo after $i; done',
    );
    await shows(loop, 'go');
    shell.write('\x1a');
    expect((await loop.result).exit).toBe(148);
    writeFileSync(join(home, 'end'), '');
    expect((await run('fg')).head).toMatch(/after 1[\s\S]*after 2/);
  });

  it('ends like a terminal’s shell, and is replaced when it was killed', async () => {
    const { exits, run } = await zsh('alias here="echo alive"');
    expect((await run('kill -9 $$')).exit).toBe(137);
    expect((await run('here')).head).toBe('alive');
    expect((await run('exit 7')).exit).toBe(7);
    expect(exits).toHaveLength(2);
  });

  it.each([
    ['prompt themes', 'setopt prompt_subst; precmd() { PROMPT="$(date) > "; RPROMPT=x }'],
    ['aliases over builtins', 'alias cd="echo CD" eval=nope builtin=nope printf=false'],
    ['options', 'setopt ksh_arrays sh_word_split no_bare_glob_qual noclobber no_unset warn_create_global hist_verify'],
    ['vi keys', 'bindkey -v; setopt zle 2>/dev/null'],
    ['traps', 'trap ":" DEBUG; trap ":" ZERR'],
    ['a changed IFS', 'IFS=abcdehlnoprstu0123456789'],
    ['a preexec that inspects the terminal', 'preexec() { print -n "\\e]0;$1\\a" }'],
  ])('survives %s', async (_name, rc) => {
    const { run, home } = await zsh(rc);
    expect(await run('\\builtin echo out; (exit 4)')).toMatchObject({ exit: 4, head: 'out', cwd: home });
    expect(await run('\\builtin cd /usr')).toMatchObject({ exit: 0, cwd: '/usr' });
    expect(await run(rc)).toMatchObject({ cwd: '/usr' });
    expect((await run('(exit 6)')).exit).toBe(6);
  });

  it('keeps the integration’s lines out of the history, and saves the user’s', async () => {
    const { shell, home, run } = await zsh('HISTFILE=~/.zhist SAVEHIST=100 HISTSIZE=100');
    await run('echo one');
    await run(' echo hidden');
    shell.remember('make all # aish');
    await run('echo two!');
    expect((await run('fc -l 1')).head.replace(/^ *\d+\*? +/gm, '')).toBe('echo one\nmake all # aish\necho two!');
    await shell.dispose();
    const saved = readFileSync(join(home, '.zhist'), 'utf8');
    expect(saved).toContain('echo two!');
    expect(saved).not.toContain('__aish');
  });
});
