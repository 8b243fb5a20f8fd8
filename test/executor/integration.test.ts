import { describe, expect, it } from 'vitest';
import { shows, userShell } from './support.ts';

/** What users put into their startup files or type, and what would break a naive integration. */
const hostileSetups: readonly (readonly [string, string])[] = [
  ['aliases over builtins', 'alias cd="echo CD" eval=nope builtin=nope printf=false echo="echo"'],
  [
    'functions over builtins',
    'function printf { \\false; }; function eval { :; }; function history { :; }; function read { :; }',
  ],
  ['a PROMPT_COMMAND that ends in a semicolon', 'PROMPT_COMMAND="true;"'],
  ['an array of PROMPT_COMMANDs', 'PROMPT_COMMAND=("true" "false")'],
  ['a PROMPT_COMMAND that sets the prompt', `PROMPT_COMMAND='PS1="$(date) > "'`],
  ['a DEBUG trap', 'trap ":" DEBUG'],
  ['a DEBUG trap with functrace and extdebug', 'set -T; shopt -s extdebug; trap ":" DEBUG'],
  ['an ERR and a RETURN trap', 'trap "true" ERR; trap "true" RETURN'],
  ['an EXIT trap', 'trap "echo bye" EXIT'],
  ['set -u', 'set -u'],
  ['vi mode', 'set -o vi; bind "set show-mode-in-prompt on"'],
  ['key macros', `bind '"jj": vi-movement-mode' '"e": "x"' 2>/dev/null; bind 'Space: magic-space'`],
  ['posix mode', 'set -o posix'],
  ['noclobber and noglob', 'set -o noclobber -o noglob'],
  ['every HISTCONTROL', 'HISTCONTROL=ignoreboth:erasedups; HISTIGNORE="*"; shopt -s histappend histverify'],
  ['allexport', 'set -a'],
  ['an exported PROMPT_COMMAND', 'export PROMPT_COMMAND="true"'],
  ['a changed IFS', 'IFS=abcdehlnoprstu0123456789'],
];

describe('shell integration', () => {
  it.each(hostileSetups)('survives %s', async (_name, bashrc) => {
    const { run, home } = await userShell(bashrc);
    expect(await run('\\builtin echo out; (exit 4)')).toMatchObject({ exit: 4, head: 'out', cwd: home });
    expect(await run('\\builtin cd /usr')).toMatchObject({ exit: 0, cwd: '/usr' });
    expect(await run('bash -c "echo nested"')).toMatchObject({ exit: 0, head: 'nested', cwd: '/usr' });
  });

  it('survives the same, typed', async () => {
    const { run } = await userShell();
    for (const [, line] of hostileSetups) {
      await run(line);
      expect((await run('(exit 6)')).exit, line).toBe(6);
    }
  });

  it('finds its hooks again after PROMPT_COMMAND was replaced and the line was thrown away', async () => {
    const { shell, run } = await userShell();
    const loop = shell.run('PROMPT_COMMAND=; unset PROMPT_COMMAND; echo in; while :; do :; done');
    await shows(loop, 'in');
    loop.interrupt();
    expect((await loop.result).exit).toBe(130);
    expect((await run('echo next')).head).toBe('next');
  });

  it('traces the user’s commands only', async () => {
    const { run } = await userShell();
    await run('set -x');
    expect((await run('echo traced')).head).toBe('++ echo traced\ntraced');
    expect((await run('false')).exit).toBe(1);
    await run('set +x');
    expect((await run('echo plain')).head).toBe('plain');
  });

  it('tells the true directory whatever PWD says', async () => {
    const { run } = await userShell();
    expect((await run('cd /usr; PWD=/elsewhere')).cwd).toBe('/usr');
    expect((await run('mkdir -p "$HOME/a;b c\'d"; cd "$HOME/a;b c\'d"')).cwd).toMatch(/\/a;b c'd$/);
    expect((await run('mkdir "$HOME/new\nline"; cd "$HOME/new\nline"')).cwd).toMatch(/\/new\nline$/);
  });

  it('keeps marks when stdout and stderr are redirected for good', async () => {
    const { run } = await userShell();
    expect(await run('exec >/dev/null 2>&1; (exit 2)')).toMatchObject({ exit: 2, head: '' });
    expect(await run('echo unseen; (exit 5)')).toMatchObject({ exit: 5, head: '' });
    await run('exec >/dev/tty 2>&1');
    expect((await run('echo seen')).head).toBe('seen');
  });

  it('is not fooled by output that imitates a mark', async () => {
    const { run, home } = await userShell();
    const marks = ['D;0;/', 'C', 'Q', 'R;/', ''].map((rest) => `\\033]7331;${'0'.repeat(32)};${rest}\\007`).join('');
    expect(await run(`printf '${marks}'; echo real; printf '\\033]7331;'; (exit 3)`)).toMatchObject({
      exit: 3,
      cwd: home,
      head: 'real',
    });
  });

  it('is not fooled by a mark that was recorded from an earlier command', async () => {
    const { run, home } = await userShell();
    await run('declare -p __aish_token > token');
    const token = /"(\w+)"/.exec((await run('cat token')).head)?.[1];
    expect(token).toMatch(/^[0-9a-f]{32}$/);
    const replay = `printf '\\033]7331;${token};D;0;/\\007'; sleep 0.02; (exit 3)`;
    expect(await run(replay)).toMatchObject({ exit: 3, cwd: home });
  });
});
