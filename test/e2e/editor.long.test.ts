import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lacks, pathOf } from '../support/lacks.ts';
import { type Scratch, scratch } from '../support/program.ts';
import { expectSameWhenRedrawn } from '../support/redrawn.ts';
import { openRig, type Rig, startRig } from '../support/rig.ts';

const PETS = `
_pets() { COMPREPLY=($(compgen -W "cat chameleon dog" -- "$2")); }
complete -F _pets pets
zebra_function() { echo "zebra runs"; }
`;

/** Starts the program with this startup file for its shell, and waits until the shell is ready. */
async function start(place: Scratch, rc: string, shell = '/bin/bash'): Promise<Rig> {
  writeFileSync(join(place.home, shell.endsWith('zsh') ? '.zshrc' : '.bashrc'), rc);
  const rig = startRig(place, { env: { SHELL: shell }, columns: 120 });
  await rig.waitFor('[aish:demo]>');
  rig.type(':\x7fecho up\r');
  await rig.waitFor(/✓[\s\S]*│ up/);
  return rig;
}

describe('Tab', () => {
  it.each([
    ['/bin/bash', `sleep 3; ${PETS}`],
    ['/bin/bash', PETS.replace('{ COMP', '{ sleep 2; COMP')],
    [pathOf('zsh'), 'sleep 3; autoload -Uz compinit; compinit -D -i; _pets() { compadd cat dog }; compdef _pets pets'],
    [pathOf('fish'), 'sleep 3; complete -c pets -f -a "cat dog"'],
  ])('reports that the shell is loading, and completes once it has: %s %#', async (shell, rc) => {
    if (shell === undefined) return expect(lacks('zsh') || lacks('fish')).toBe(true);
    using place = scratch();
    const file = { bash: '.bashrc', zsh: '.zshrc', fish: '.config/fish/config.fish' }[basename(shell)] ?? '';
    mkdirSync(dirname(join(place.home, file)), { recursive: true });
    writeFileSync(join(place.home, file), rc);
    await using rig = await openRig(place, '[aish:demo]>', { env: { SHELL: shell }, columns: 120 });
    rig.type('pets d\t');
    await rig.waitFor('still loading');
    await rig.waitFor('[aish:demo]> pets dog');
    rig.type('x');
    await rig.waitFor('[aish:demo]> pets dog x');
    expect(rig.text()).not.toContain('still loading');
  });

  it('asks the live bash, and lists its candidates', async () => {
    using place = scratch();
    mkdirSync(join(place.work, 'a folder'));
    await using rig = await start(place, PETS);
    rig.type('pets \t');
    await rig.waitFor('completions');
    await rig.waitFor(/cat\s[\s\S]*chameleon[\s\S]*dog/);
    rig.type('ch');
    await rig.waitForGone('completions');
    rig.type('\t');
    await rig.waitFor('[aish:demo]> pets chameleon');
    rig.key('ctrl-u');
    rig.type('zebra_f\t');
    await rig.waitFor('[aish:demo]> zebra_function');
    rig.key('enter');
    await rig.waitFor(/✓[\s\S]*│ zebra runs\n/);
    rig.type('cd a\t');
    await rig.waitFor('[aish:demo]> cd a\\ folder/');
    rig.key('enter');
    await rig.waitFor(/\/a folder\b/);
    expect(rig.text()).not.toContain('__aish');
  });

  it.skipIf(lacks('zsh'))('asks the live zsh, and shows its descriptions', async () => {
    using place = scratch();
    await using rig = await start(
      place,
      `autoload -Uz compinit; compinit -D -i
_pets() { _arguments '--loud[make noise]' '--quiet[make none]' }
compdef _pets pets
precmd() { print hooked }`,
      pathOf('zsh'),
    );
    const hooked = () => rig.text().match(/hooked/g)?.length ?? 0;
    const before = hooked();
    rig.type('pets --\t');
    await rig.waitFor(/--loud\s+make noise/);
    rig.key('down', 'enter');
    await rig.waitFor('[aish:demo]> pets --quiet');
    rig.key('ctrl-u');
    rig.type('echo "status $?"\r');
    await rig.waitFor('│ status 0');
    expect(hooked()).toBeLessThanOrEqual(before + 1);
  });

  it('completes commands of the program and their arguments', async () => {
    await using rig = await openRig(scratch('http://127.0.0.1:9/v1'), '[aish:fast]>');
    rig.type(':mod\t');
    await rig.waitFor(/completions[\s\S]*:mode\s[\s\S]*:model\s/);
    rig.key('escape');
    await rig.waitForGone('completions');
    rig.type('l \t');
    await rig.waitFor(/fast\s+scripted[\s\S]*demo[\s\S]*keep/);
    rig.key('escape');
    await rig.waitForGone('completions');
    rig.key('ctrl-u');
    rig.type(':safety check cat /etc/passw\t');
    await rig.waitFor('[aish:fast]> :safety check cat /etc/passwd');
  });
});

describe('the external editor', () => {
  /** An editor that records the text it opened and writes another. */
  function fakeEditor(place: Scratch, exit: number): string {
    const path = join(place.home, 'editor');
    writeFileSync(
      path,
      `#!/bin/sh
stat -c %a "$1" > "$HOME/mode"; cp "$1" "$HOME/given"; echo "$1" > "$HOME/path"
printf 'EDITING: press a key'; stty raw; head -c 1 >/dev/null; stty -raw
printf 'echo edited;\\n echo twice\\n' > "$1"
exit ${exit}
`,
    );
    chmodSync(path, 0o755);
    return path;
  }

  it('gets the terminal and a private file, and returns the text to the prompt without running it', async () => {
    using place = scratch();
    await using rig = await start(place, `export EDITOR=${fakeEditor(place, 0)}`);
    rig.type('echo one');
    await rig.waitFor('[aish:demo]> echo one');
    rig.key('ctrl-x', 'ctrl-e');
    await rig.waitFor('EDITING');
    expect(rig.alternate).toBe(false);
    rig.type('x');
    await rig.waitFor(/\[aish:demo\]> echo edited;\s.*\n echo twice/);
    expect(rig.alternate).toBe(true);
    expect(readFileSync(join(place.home, 'given'), 'utf8')).toBe('echo one\n');
    expect(readFileSync(join(place.home, 'mode'), 'utf8').trim()).toBe('600');
    expect(existsSync(readFileSync(join(place.home, 'path'), 'utf8').trim())).toBe(false);
    expect(rig.text()).not.toContain('│ edited');
    rig.key('enter');
    await rig.waitFor(/❯ echo edited;[^\n]*✓[\s\S]*│ edited\n.*│ twice/);
    await expectSameWhenRedrawn(rig);
  });

  it('changes nothing when it fails or is missing', async () => {
    using place = scratch();
    await using rig = await start(place, `export EDITOR=${fakeEditor(place, 3)}`);
    rig.type('echo one');
    rig.key('ctrl-x', 'ctrl-e');
    await rig.waitFor('EDITING');
    rig.type('x');
    await rig.waitFor('exited with 3: nothing was changed');
    await rig.waitFor('[aish:demo]> echo one');
    rig.key('ctrl-u');
    rig.type('export VISUAL=/nowhere/ed\r');
    await rig.waitFor(/VISUAL=[^\n]*✓/);
    rig.key('ctrl-x', 'ctrl-e');
    await rig.waitFor('/nowhere/ed was not found');
  });
});

describe('the transcript', () => {
  it('can be searched and copied from by keys', async () => {
    using place = scratch();
    await using rig = await start(place, '');
    rig.type('seq 1 300\r');
    await rig.waitFor(/│ 300/);
    rig.key('alt-t', '/');
    await rig.waitFor('search');
    rig.type('177');
    await rig.waitFor('"177": 1 of 1');
    await rig.waitFor('│ 177');
    rig.key('enter');
    await rig.waitFor('-- SCROLL --');
    rig.key('y');
    await rig.waitFor(/copied "\$ seq 1 300"/);
    const copied = /\x1b\]52;c;([\w+/=]*)\x07/.exec(rig.raw)?.[1] ?? '';
    expect(Buffer.from(copied, 'base64').toString()).toMatch(/^\$ seq 1 300\n1\n2\n[\s\S]*\n300$/);
    rig.key('q');
    await rig.waitForGone('SCROLL');
  });
});

describe('text typed while a program runs', () => {
  it('stays in the prompt, and goes to the program only when the user gives it the keyboard', async () => {
    using place = scratch();
    await using rig = await start(place, '');
    rig.type('until [ -e go ]; do sleep 0.02; done; read -p "name? " name; echo "got [$name]"\r');
    await rig.waitFor('keys go to the program');
    rig.key('ctrl-]');
    await rig.waitFor('gives it the keyboard');
    rig.type('half a line');
    await rig.waitFor('[aish:demo]> half a line');
    writeFileSync(join(place.work, 'go'), '');
    await rig.waitFor(/│ name\?[\s\S]*Ctrl-\] answers[\s\S]*half a line/);
    rig.key('ctrl-]');
    await rig.waitFor('keys go to the program');
    expect(rig.text()).toContain('[aish:demo]> half a line');
    rig.type('bob\r');
    // Until the program has ended, the keys are its own.
    await rig.waitFor(/name; echo .*✓[\s\S]*got \[bob\][\s\S]*\[aish:demo\]> half a line/);
    rig.type(' more');
    await rig.waitFor('[aish:demo]> half a line more');
  });
});
