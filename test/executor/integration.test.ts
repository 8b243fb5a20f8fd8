import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { shows, userShell } from './support.ts';

/** Lines of users’ startup files, or typed ones, that would break a naive integration. */
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

  it('survives hostile setups typed at the prompt', async () => {
    const { run } = await userShell();
    for (const [, line] of hostileSetups) {
      await run(line);
      expect((await run('(exit 6)')).exit, line).toBe(6);
    }
  });

  it('restores its hooks after PROMPT_COMMAND was replaced and the line was discarded', async () => {
    const { shell, run } = await userShell();
    const loop = shell.run('PROMPT_COMMAND=; unset PROMPT_COMMAND; echo in; while :; do :; done');
    await shows(loop, 'in');
    loop.interrupt();
    expect((await loop.result).exit).toBe(130);
    expect((await run('echo next')).head).toBe('next');
  });

  it('traces only the user’s commands with set -x', async () => {
    const { run } = await userShell();
    await run('set -x');
    expect((await run('echo traced')).head).toBe('+ echo traced\ntraced');
    expect((await run('false')).exit).toBe(1);
    await run('set +x');
    expect((await run('echo plain')).head).toBe('plain');
  });

  it('reports the true directory whatever PWD says', async () => {
    const { run } = await userShell();
    expect((await run('cd /usr; PWD=/elsewhere')).cwd).toBe('/usr');
    expect((await run('mkdir -p "$HOME/a;b c\'d"; cd "$HOME/a;b c\'d"')).cwd).toMatch(/\/a;b c'd$/);
    expect((await run('mkdir "$HOME/new\nline"; cd "$HOME/new\nline"')).cwd).toMatch(/\/new\nline$/);
    const evil = await run("mkdir $'../a\\e[Ab\\ac\\e\\\\'; cd $'../a\\e[Ab\\ac\\e\\\\'; (exit 3)");
    expect(evil).toMatchObject({ exit: 3, cwd: expect.stringMatching(/\/a\x1b\[Ab\x07c\x1b\\$/) });
    expect((await run('cd /usr')).cwd).toBe('/usr');
  });

  it('keeps working when stdout and stderr are redirected permanently', async () => {
    const { run } = await userShell();
    expect(await run('exec >/dev/null 2>&1; (exit 2)')).toMatchObject({ exit: 2, head: '' });
    expect(await run('echo unseen; (exit 5)')).toMatchObject({ exit: 5, head: '' });
    await run('exec >/dev/tty 2>&1');
    expect((await run('echo seen')).head).toBe('seen');
  });

  it('ignores output that imitates a mark', async () => {
    const { run, home } = await userShell();
    const marks = ['D;0;/', 'C', 'Q', 'R;/', ''].map((rest) => `\\033]7331;${'0'.repeat(32)};${rest}\\007`).join('');
    expect(await run(`printf '${marks}'; echo real; printf '\\033]7331;'; (exit 3)`)).toMatchObject({
      exit: 3,
      cwd: home,
      head: 'real',
    });
  });

  it('ignores marks in output that carry the true token', async () => {
    const { run, home } = await userShell();
    await run('declare -p __aish_token > token');
    const token = /"(@[0-9a-f]{32})"/.exec(readFileSync(join(home, 'token'), 'utf8'))?.[1];
    expect(token).toBeDefined();
    const marks = ['C', 'D;0;999;;/', 'R', 'T;0;-;;/'].map((rest) => `\\033]7331;${token};${rest}\\007`).join('');
    // The marks come from a program and from the shell itself.
    for (const printf of ['/usr/bin/printf', 'printf']) {
      const replay = await run(`${printf} '${marks}'; sleep 0.2; echo still; (exit 3)`);
      expect(replay).toMatchObject({ exit: 3, cwd: home, head: 'still' });
    }
    expect((await run('true')).exit).toBe(0);
  });

  it('ignores marks with the true token that are read only after the line has ended', async () => {
    const { run, home } = await userShell();
    await run('declare -p __aish_token > token');
    const token = /"(@[0-9a-f]{32})"/.exec(readFileSync(join(home, 'token'), 'utf8'))?.[1];
    const marks = ['C', 'D;0;999;;/', 'R', 'T;0;-;;/'].map((rest) => `\\033]7331;${token};${rest}\\007`).join('');
    for (const printf of ['/usr/bin/printf', 'printf']) {
      const line = run(`${printf} '${marks}'; echo still; (exit 3)`);
      // The test process stays busy until the shell is back at its prompt, before it reads anything.
      const until = performance.now() + 300;
      await new Promise((resolve) => setTimeout(resolve, 5));
      while (performance.now() < until);
      expect(await line).toMatchObject({ exit: 3, cwd: home, head: 'still' });
    }
    expect((await run('true')).exit).toBe(0);
  });

  it('never shows, stores or sends its token', async () => {
    const { run } = await userShell();
    expect((await run('echo "<$__aish_token>"')).head).toBe('<***>');
    expect(
      (await run('env; cat /proc/$$/environ /proc/$$/cmdline | tr "\\0" "\\n"; set | grep -c aish_token')).head,
    ).not.toMatch(/@[0-9a-f]{8}/);
  });
});

describe('a shell started within the shell', () => {
  it('has the terminal when it is interactive, and the outer shell returns unchanged', async () => {
    const { shell, run } = await userShell();
    await run('outer=kept');
    const nested = shell.run('bash --norc -i');
    await shows(nested, 'bash-');
    nested.write('echo "in $$ <$outer>"; (exit 4)\n');
    await shows(nested, '<>');
    nested.write('exit\n');
    expect((await nested.result).exit).toBe(4);
    expect((await run('echo "$outer"')).head).toBe('kept');
  });

  it('counts, when started by exec, as one program until it ends', async () => {
    const { shell, exits } = await userShell();
    const other = shell.run('exec bash --norc -i');
    await shows(other, 'bash-');
    other.write('exit 5\n');
    expect((await other.result).exit).toBe(5);
    expect(exits).toHaveLength(1);
  });

  it('does not break background jobs under traps, PROMPT_COMMAND and aliases over jobs and bg', async () => {
    const { shell, run } = await userShell(
      'alias bg=nope jobs=nope wait=nope; trap ":" DEBUG; set -T; PROMPT_COMMAND="true;false"; set -o noclobber',
    );
    const sleeping = shell.run('sh -c "echo go; exec sleep 100"');
    await shows(sleeping, 'go');
    const jobs: number[] = [];
    expect(await shell.background((job) => ({ id: jobs.push(job.pid), release: () => {} }))).toBeUndefined();
    expect((await sleeping.result).note).toBe('continues as job 1');
    expect((await run('echo $?')).head).toBe('148');
    expect((await run('kill %1')).exit).toBe(0);
  });

  it('ends at a failing line under set -e, which the integration itself never triggers', async () => {
    const { exits, run } = await userShell();
    await run('set -e');
    expect((await run('true; echo fine')).head).toBe('fine');
    expect((await run('if false; then :; fi; ! true || echo still')).exit).toBe(0);
    expect(exits).toEqual([]);
    expect((await run('false')).exit).toBe(1);
    expect(exits).toHaveLength(1);
  });
});

describe('a bash whose line editor can’t be used', () => {
  const setup = `greet() { echo "hello $1"; }; alias again='greet again'; PROMPT_COMMAND='PS1="mine "'; BLE_VERSION=0.4`;

  it('runs lines, keeps its state and reports exit codes and directories', async () => {
    const { shell, run, home } = await userShell(setup);
    expect(await run('greet you')).toMatchObject({ exit: 0, head: 'hello you', cwd: home });
    expect(await run('again')).toMatchObject({ exit: 0, head: 'hello again' });
    expect(await run("mkdir 'a\tb' && cd 'a\tb' && x=1; (exit 7)")).toMatchObject({ exit: 7, cwd: `${home}/a\tb` });
    expect(await run('echo "$? $x"')).toMatchObject({ exit: 0, head: '7 1' });
    expect(await run('{ echo a')).toMatchObject({ exit: 2 });
    for (const line of [`PROMPT_COMMAND='PS1=other'; PS1=x`, 'set -o vi', 'set -o emacs'])
      expect(await run(`${line}; (exit 5)`)).toMatchObject({ exit: 5 });
    // Commands sent through the integration’s pipe are in no history.
    expect((await run('set +o | grep history')).head).toBe('set +o history');
    await shell.environment();
    expect(['greet', 'again', 'cd', 'if', 'nothing'].map((word) => shell.knows(word))).toEqual([
      true,
      true,
      true,
      true,
      false,
    ]);
  });

  it('is interrupted by Ctrl-C, and goes on', async () => {
    const { shell, run } = await userShell(setup);
    const running = shell.run('sleep 60');
    setTimeout(() => shell.write('\x03'), 500);
    expect(await running.result).toMatchObject({ exit: 130 });
    expect(await run('echo on')).toMatchObject({ exit: 0, head: 'on' });
  });
});
