import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, it } from 'vitest';
import { everyShell } from '../support/lacks.ts';
import { scratch } from '../support/program.ts';
import { openRig } from '../support/rig.ts';

const RC: Readonly<Record<string, readonly [string, string]>> = {
  bash: ['.bashrc', 'set -o vi\n'],
  zsh: ['.zshrc', 'bindkey -v\n'],
  fish: ['.config/fish/config.fish', 'fish_vi_key_bindings\n'],
};

describe.each(everyShell())('the prompt in %s with vi keys', (program) => {
  it('has insert and normal mode, motions, operators, `.` and history, and Emacs keys when the shell switches back', async () => {
    using place = scratch();
    const [path, text] = RC[basename(program)] ?? ['', ''];
    mkdirSync(join(place.home, '.config/fish'), { recursive: true });
    writeFileSync(join(place.home, path), text);
    await using rig = await openRig(place, /\[aish:\w+\]>/, { env: { SHELL: program } });
    rig.type('echo one two three\r');
    await rig.waitFor(/│ one two three/);
    rig.type('echo aa bb aa');
    rig.key('escape');
    await rig.waitFor(/\[aish:\w+\]: echo aa bb aa/);
    rig.type('0wcwcc');
    await rig.waitFor(/\[aish:\w+\]> echo cc bb aa/);
    rig.key('escape');
    await rig.waitFor(/\[aish:\w+\]: /);
    rig.type('ww.');
    await rig.waitFor(/echo cc bb cc/);
    rig.key('enter');
    await rig.waitFor(/│ cc bb cc/);
    await rig.waitFor(/\[aish:\w+\]> /);
    rig.type('x');
    rig.key('escape');
    await rig.waitFor(/\[aish:\w+\]: x/);
    rig.type('ddkk');
    await rig.waitFor(/\[aish:\w+\]: echo one two three/);
    rig.type('$bD');
    await rig.waitFor(/\[aish:\w+\]: echo one two *shell/);
    rig.key('enter');
    await rig.waitFor(/│ one two\n/);
  });
});
