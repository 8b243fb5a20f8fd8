/** A search that the user has bound to Ctrl-R in their shell also works in the prompt. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, it } from 'vitest';
import { everyShell, lacks } from '../support/lacks.ts';
import { type Scratch, scratch } from '../support/program.ts';
import { type Rig, startRig } from '../support/rig.ts';

type ShellName = 'bash' | 'zsh' | 'fish';

const STARTUP = { bash: '.bashrc', zsh: '.zshrc', fish: '.config/fish/config.fish' } as const;

/** A user's search that shows the text it starts with and reads one key. */
const OWN = {
  bash: `own() { printf 'SEARCH [%s]' "$READLINE_LINE"; read -rsn1 key </dev/tty; READLINE_LINE="echo fo''und $key"; }
bind -x '"\\C-r": own'`,
  zsh: `own() { printf 'SEARCH [%s]' $BUFFER; read -sk1 key; BUFFER="echo fo''und $key"; zle reset-prompt }
zle -N own; bindkey '^R' own`,
  fish: `function own
  set -l typed 'stty raw -echo; printf "SEARCH [%s]" "$1" >/dev/tty; dd bs=1 count=1 2>/dev/null; stty sane'
  sh -c $typed own (commandline) </dev/tty | read -l key
  commandline -r "echo fo''und $key"
end
bind \\cr own`,
} as const;

/** Directories where packages install fzf's key bindings. */
const FZF_KEYS = ['/usr/share/doc/fzf/examples', '/usr/share/fzf', '/usr/share/fzf/shell'];

async function startWith(place: Scratch, program: string, startup: string): Promise<Rig> {
  const path = join(place.home, STARTUP[basename(program) as ShellName]);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, startup);
  const rig = startRig(place, { env: { SHELL: program } });
  await rig.waitFor(/\[aish:\w+\]>/);
  return rig;
}

describe.each(everyShell())('the user’s own Ctrl-R in %s', (program) => {
  const shell = basename(program) as ShellName;

  it('gets the terminal, starts with the typed text, and leaves the chosen line in the prompt', async () => {
    using place = scratch();
    await using rig = await startWith(place, program, OWN[shell]);
    rig.type('echo first\r');
    await rig.waitFor(/❯ echo first .*✓/);
    for (const key of ['x', 'y']) {
      rig.type('dra ft');
      rig.key('ctrl-r');
      await rig.waitFor('SEARCH [dra ft]');
      rig.type(key);
      await rig.waitFor(new RegExp(`> echo fo''und ${key}`));
      rig.type(' now\r');
      await rig.waitFor(new RegExp(`'und ${key} now .*✓[^\\n]*\n│ found ${key} now`));
    }
  });
});

const keysOf = (shell: ShellName) => FZF_KEYS.map((folder) => join(folder, `key-bindings.${shell}`)).find(existsSync);

describe.skipIf(lacks('fzf') || keysOf('bash') === undefined)('fzf’s own key bindings', () => {
  it.each(everyShell())('find earlier commands, and Escape keeps the typed text in %s', async (program) => {
    using place = scratch();
    const keys = keysOf(basename(program) as ShellName);
    const source = program.endsWith('fish') ? `source ${keys}; fzf_key_bindings` : `HISTFILE=~/.hist; source ${keys}`;
    await using rig = await startWith(place, program, `${source}\n`);
    for (const word of ['alpha', 'beta']) {
      rig.type(`echo ${word} one\r`);
      await rig.waitFor(new RegExp(`❯ echo ${word} one .*✓`));
    }
    rig.type('alp');
    rig.key('ctrl-r');
    await rig.waitFor(/> alp/);
    await rig.waitFor(/1\/\d/);
    rig.key('enter');
    await rig.waitFor(/\]> echo alpha one/);
    rig.key('ctrl-c');
    rig.type('draft');
    rig.key('ctrl-r');
    await rig.waitFor(/0\/\d/);
    rig.key('escape');
    await rig.waitFor(/\]> draft/);
  });
});
