import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { completeShell } from '../../src/executor/completion/complete.ts';
import { findProcess } from '../../src/executor/processes.ts';
import { lacks, pathOf, userShells } from '../support/lacks.ts';
import { shows, until, userShell } from './support.ts';

const ZSH = pathOf('zsh') ?? 'zsh';

/** Asks a shell for completions at the end of a line: the texts, and where they would begin. */
async function asking(bashrc: string, options: Parameters<typeof userShell>[1] = {}) {
  const bench = await userShell(bashrc, options);
  const complete = (line: string, signal = new AbortController().signal) =>
    completeShell(
      line,
      line.length,
      { cwd: bench.shell.cwd, ask: (question, end) => bench.shell.complete(question, end), executables: () => [] },
      signal,
    );
  const texts = async (line: string) => {
    const { start, items } = await complete(line);
    return items.map((item) => line.slice(0, start) + item.text + (item.open ? '' : ' '));
  };
  return { ...bench, complete, texts };
}

const RC = `
alias gg='git log' zebra-alias=true
zebra_function() { :; }
export ZEBRA_EXPORTED=1; zebra_local=2
_pets() {
  local cur=$2
  [ "\${COMP_WORDS[COMP_CWORD-1]}" = --name ] || [ "\${COMP_WORDS[COMP_CWORD-2]}" = --name ] && { COMPREPLY=($(compgen -W "rex tom" -- "$cur")); return; }
  COMPREPLY=($(compgen -W "cat dog --name= --loud" -- "$cur"))
  [[ \${COMPREPLY[0]} == *= ]] && compopt -o nospace
}
complete -F _pets pets
alias mypets='pets cat'
_files() { COMPREPLY=($(compgen -W "my\\ file other" -- "$2")); COMPREPLY=("my file" "other file"); compopt -o filenames; }
complete -F _files openit
complete -W "alpha beta" words
_late() { complete -W "loaded latent" lazy; return 124; }
complete -D -F _late -o default
cd() { builtin cd "$@"; }
`;

describe('completion by bash', () => {
  it('knows the aliases, functions and variables of the live shell', async () => {
    const { texts, run } = await asking(RC);
    expect(await texts('zebra')).toEqual(['zebra-alias ', 'zebra_function ']);
    await run('zebra_later() { :; }');
    expect(await texts('true && zebra_l')).toEqual(['true && zebra_later ']);
    expect(await texts('echo $ZEB')).toEqual(['echo $ZEBRA_EXPORTED']);
    expect(await texts('echo "$zebra_l')).toEqual(['echo "$zebra_local']);
    expect(await texts('ls ~roo')).toEqual(['ls ~root/']);
  });

  it('uses the functions, word lists and loaders registered for a command', async () => {
    const { texts } = await asking(RC);
    expect(await texts('pets ')).toEqual(['pets cat ', 'pets dog ', 'pets --name=', 'pets --loud ']);
    expect(await texts('pets --n')).toEqual(['pets --name=']);
    expect(await texts('pets --name=r')).toEqual(['pets --name=rex ']);
    expect(await texts('pets --name=')).toEqual(['pets --name=rex ', 'pets --name=tom ']);
    expect(await texts('mypets d')).toEqual(['mypets dog ']);
    expect(await texts('words b')).toEqual(['words beta ']);
    expect(await texts('x=$(words a')).toEqual(['x=$(words alpha ']);
    expect(await texts('lazy l')).toEqual(['lazy loaded ', 'lazy latent ']);
  });

  it('quotes candidates as the quotes around the cursor require', async () => {
    const { texts, home } = await asking(RC);
    mkdirSync(join(home, 'a dir'));
    writeFileSync(join(home, 'it’s $5 & more'), '');
    writeFileSync(join(home, '漢字 ①.txt'), '');
    expect(await texts('openit ')).toEqual(['openit my\\ file ', 'openit other\\ file ']);
    expect(await texts('openit "m')).toContain('openit "my file ');
    expect(await texts('cat a')).toEqual(['cat a\\ dir/']);
    expect(await texts("cat 'a")).toEqual(["cat 'a dir/"]);
    expect(await texts('cat it')).toEqual(['cat it’s\\ \\$5\\ \\&\\ more ']);
    expect(await texts('cat 漢')).toEqual(['cat 漢字\\ ①.txt ']);
    expect(await texts('cat < 漢')).toEqual(['cat < 漢字\\ ①.txt ']);
    expect(await texts('cat $HOME/a')).toEqual(['cat $HOME/a\\ dir/']);
    expect(await texts('cat ~/a')).toEqual(['cat ~/a\\ dir/']);
  });

  it('changes neither status, history, jobs, traps nor screen', async () => {
    const { texts, run, idle } = await asking(`${RC}
trap 'echo debugged >> ~/debug' DEBUG
PROMPT_COMMAND='echo prompted >> ~/prompts'`);
    await run('set -eu');
    await run('sleep 100 & false || true; last=$!');
    await run('sh -c "exit 3" || x=$?; (exit 7) || :');
    await run('set +e; (exit 7)');
    const before = await run('history | wc -l; wc -l < ~/prompts');
    await texts('pets ');
    await texts('zeb');
    await texts('words b');
    const after = await run('echo "status $? last $([ "$last" = "$!" ] && echo same)"; history | tail -3; jobs');
    expect(after.head).toContain('status 0 last same');
    expect(after.head).not.toContain('__aish');
    expect(after.head).toMatch(/Running\s+sleep 100/);
    await run('(exit 7)');
    await texts('pets ');
    expect((await run('echo "status $?"')).head).toBe('status 7');
    expect(Number(before.head.split('\n')[1])).toBeGreaterThan(0);
    expect(idle.join('')).toBe('');
    await run('kill %1');
  });

  it('is not asked during a command, and stops when it takes too long or is cancelled', async () => {
    const { shell, texts, complete, run } = await asking(
      `_slow() { sleep 100; COMPREPLY=(never); }; complete -F _slow slow; _hang() { while :; do :; done; }; complete -F _hang hang`,
    );
    const running = shell.run("sh -c 'echo begun; exec sleep 100'");
    await shows(running, 'begun');
    expect(await texts('zebra')).toEqual([]);
    running.interrupt();
    await running.result;
    await run(':');
    const stop = new AbortController();
    const asked = complete('slow ', stop.signal);
    stop.abort();
    expect((await asked).items).toBeDefined();
    const began = performance.now();
    await complete('hang ');
    expect(performance.now() - began).toBeLessThan(15_000);
    expect((await run('echo alive')).head).toContain('alive');
  });
});

describe.skipIf(lacks('zsh'))('completion by zsh', () => {
  it('uses the completion system of the live shell', async () => {
    const bench = await asking('', { shell: ZSH });
    await bench.run(
      'alias zebra-alias=true; zebra_function() { :; }; zebra_local=1; _pets() { _arguments "--loud[make noise]" "--name=[its name]:name:(rex tom)" "1:kind:(cat dog)" }',
    );
    await bench.run('autoload -Uz compinit; compinit -D -i; compdef _pets pets');
    expect((await bench.texts('zebra')).sort()).toEqual(['zebra-alias ', 'zebra_function ', 'zebra_local=']);
    expect(await bench.texts('pets ')).toEqual(['pets cat ', 'pets dog ']);
    const { items } = await bench.complete('pets --');
    expect(items).toContainEqual({ text: '--loud', note: 'make noise' });
    expect(await bench.texts('pets --name=r')).toEqual(['pets --name=rex ']);
    expect(await bench.texts('echo $zebra_l')).toEqual(['echo $zebra_local ']);
    mkdirSync(join(bench.home, 'a dir'));
    writeFileSync(join(bench.home, 'a file'), '');
    expect(await bench.texts('cat a')).toEqual(['cat a\\ dir/', 'cat a\\ file ']);
    expect(await bench.texts("cat 'a f")).toEqual(["cat 'a file "]);
  });

  it('changes neither status, history, jobs, hooks nor screen', async () => {
    const bench = await asking('', { shell: ZSH });
    await bench.run('precmd() { print prompted >> ~/prompts }; chpwd_functions=(); add() { print added >> ~/prompts }');
    await bench.run('precmd_functions+=(add); autoload -Uz compinit; compinit -D -i; sleep 100 & last=$!');
    const count = async () => Number((await bench.run('wc -l < ~/prompts')).head.trim());
    const before = await count();
    await bench.texts('ls --');
    await bench.texts('cat ');
    // Two hooks ran for the command that counted, and none for the questions.
    expect((await count()) - before).toBe(2);
    await bench.run('(exit 7)');
    await bench.texts('ls --');
    expect((await bench.run('print "status $?"; [[ $last == $! ]] && print same')).head).toBe('status 7\nsame');
    const after = await bench.run('fc -l -20; jobs; print -l $precmd_functions ${+functions[precmd]}');
    expect(after.head).not.toContain('__aish_complete');
    expect(after.head).toMatch(/running\s+sleep 100/);
    expect(after.head).toMatch(/\nadd\n_aish_precmd\n1$/);
    expect(bench.idle.join('')).toBe('');
    await bench.run('kill %1');
  });

  it('loads a completion system for a user without one, from the second request on', async () => {
    const bench = await asking('', { shell: ZSH });
    await until(async () => (await bench.texts('ls --al')).includes('ls --all '), 'zsh has loaded its completions');
  });
});

const SLOW = {
  bash: '_slow() { echo $BASHPID > ~/pid.new; mv ~/pid.new ~/pid; sleep 107; }; complete -F _slow slow',
  zsh: 'zmodload zsh/system; _slow() { print $sysparams[pid] > ~/pid.new; mv ~/pid.new ~/pid; sleep 107 }; autoload -Uz compinit; compinit -D -i; compdef _slow slow',
};

it.each(userShells())('an open completion request ends when %s is closed', async (shell) => {
  const bench = await asking('', { shell });
  await bench.run(shell.endsWith('zsh') ? SLOW.zsh : SLOW.bash);
  const asked = bench.complete('slow x');
  const file = join(bench.home, 'pid');
  await until(() => existsSync(file), 'the completion has begun');
  await bench.shell.dispose();
  const pid = Number(readFileSync(file, 'utf8'));
  expect(pid).toBeGreaterThan(1);
  await until(() => findProcess(pid)?.state !== 'S', 'it is gone');
  await asked;
});
