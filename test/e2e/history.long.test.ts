import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { everyShell, userShells } from '../support/lacks.ts';
import { type Scratch, scratch } from '../support/program.ts';
import { type Rig, startRig } from '../support/rig.ts';
import { startScriptedServer } from '../support/scripted-server.ts';

/** The history file of each shell, and the format of a line in it. */
const FILES = {
  bash: { path: '.bash_history', row: (line: string) => `${line}\n` },
  zsh: { path: '.zsh_history', row: (line: string) => `: 1700000000:0;${line.replaceAll('\n', '\\\n')}\n` },
  fish: {
    path: '.local/share/fish/fish_history',
    row: (line: string) => `- cmd: ${line.replaceAll('\n', '\\n')}\n  when: 1700000000\n`,
  },
} as const;

function place(program: string): { home: Scratch; file: string; write: (...lines: string[]) => void } {
  const home = scratch();
  const { path, row } = FILES[basename(program) as keyof typeof FILES];
  const file = join(home.home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(
    join(home.home, '.zshrc'),
    'HISTFILE=~/.zsh_history HISTSIZE=1000 SAVEHIST=1000\nsetopt extended_history\n',
  );
  return { home, file, write: (...lines) => appendFileSync(file, lines.map(row).join('')) };
}

const start = async (home: Scratch, program: string): Promise<Rig> => {
  const rig = startRig(home, { env: { SHELL: program } });
  await rig.waitFor(/\[aish:\w+\]>/);
  // Waits until the shell is ready.
  rig.type('echo up\r');
  await rig.waitFor(/✓ \d/);
  return rig;
};

describe.each(everyShell())('the history with %s', (program) => {
  it('contains the shell’s history file, lines that another session adds meanwhile, and the lines typed here', async () => {
    const { home: made, file, write } = place(program);
    using home = made;
    write('echo from-yesterday', 'make -j4 docs-of-long-ago');
    await using rig = await start(home, program);
    rig.key('up', 'up');
    await rig.waitFor(/(?:>|❯)\s+make -j4 docs-of-long-ago/);
    rig.key('up');
    await rig.waitFor(/>\s+echo from-yesterday/);
    rig.key('ctrl-c');
    rig.key('ctrl-r');
    rig.type('docs ago');
    await rig.waitFor(({ text }) => /make -j4 docs-of-long-ago/.test(text.call(rig)));
    rig.key('ctrl-g');
    // The file has the typed line before the program ends.
    await rig.waitFor(() => readFileSync(file, 'utf8').includes('echo up'));
    write('echo from-next-door');
    // The file is read again a moment after it changed. Until then the newest line is the line typed here.
    while (!/>\s+echo from-next-door/.test(rig.text())) {
      rig.key('ctrl-c');
      await rig.waitFor(/\[aish:\w+\]> *\n/);
      rig.key('up');
      await rig.waitFor(/\[aish:\w+\]> +echo/);
    }
  });

  it('keeps a line that begins with a blank out of every history', async () => {
    const { home: made, file } = place(program);
    using home = made;
    await using rig = await start(home, program);
    rig.type(' echo by""stander\r');
    await rig.waitFor(/bystander/);
    rig.type('echo after\r');
    await rig.waitFor(() => readFileSync(file, 'utf8').includes('echo after'));
    const kept = filesBelow(home.home).filter((each) => readText(each).includes('by""stander'));
    expect(kept.filter((each) => !each.endsWith('journal.jsonl'))).toEqual([]);
    rig.key('up', 'up');
    await rig.waitFor(/>\s+echo up/);
  });
});

describe.each(userShells())('history expansion with %s', (program) => {
  it('shows the expanded line before it runs', async () => {
    const { home: made } = place(program);
    using home = made;
    await using rig = await start(home, program);
    rig.type('echo one two\r');
    await rig.waitFor(/│ one two/);
    rig.type('!!\r');
    await rig.waitFor(/│ echo one two\n[^\n]*│ one two/);
    rig.type('echo again !$\r');
    await rig.waitFor(/│ echo again two\n[^\n]*│ again two/);
    rig.type('^two^three\r');
    await rig.waitFor(/│ echo again three\n[^\n]*│ again three/);
    rig.type('echo x !?one?:1\r');
    await rig.waitFor(/│ echo x one\n[^\n]*│ x one/);
  });

  it('leaves ! as a negation and : as a command to the shell, and suggests the nearest name for an unknown : command', async () => {
    const { home: made } = place(program);
    using home = made;
    await using rig = await start(home, program);
    rig.type('! true\r');
    await rig.waitFor(/✗ 1/);
    rig.type(': > made\r');
    // While the command runs, typed text goes to the shell.
    await rig.waitFor(/: > made .*✓/);
    expect(readdirSync(home.work)).toContain('made');
    rig.type(':job\r');
    await rig.waitFor(/no command :job; did you mean :jobs\?/);
    await rig.waitFor('!:job');
  });
});

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Returns the text of a file, or an empty text when it has just been removed. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

it('the program asks once whether an ambiguous line is a command or a question', async () => {
  await using server = await startScriptedServer([{ text: ['Here they are.'] }, { text: ['And those.'] }]);
  using home = scratch(server.baseUrl);
  {
    await using rig = startRig(home);
    await rig.waitFor('[aish:fast]>');
    rig.type('find python files');
    await rig.waitFor(/ask\? · Alt-S: shell/);
    rig.key('enter');
    await rig.waitFor('Enter: ask · Alt-S Enter: run it');
    rig.key('enter');
    await rig.waitFor('Here they are.');
  }
  // A similar line is treated the same way from then on, in later sessions too.
  await using again = startRig(home);
  await again.waitFor('[aish:fast]>');
  again.type('find temporary files\r');
  await again.waitFor('And those.');
});
