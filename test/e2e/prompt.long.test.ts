import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { everyShell } from '../support/lacks.ts';
import { scratch } from '../support/program.ts';
import { openRig } from '../support/rig.ts';

const RC: Readonly<Record<string, readonly [string, string]>> = {
  bash: ['.bashrc', "PS1='first row\\n\\[\\e[35m\\]\\W[$?]\\[\\e[m\\] => '\n"],
  zsh: ['.zshrc', "PS1=$'first row\\n%F{magenta}%1~[%?]%f => '\n"],
  fish: [
    '.config/fish/config.fish',
    'function fish_prompt; set -l s $status; echo first row; set_color magenta; echo -n (basename $PWD)"[$s]"; set_color normal; echo -n \' => \'; end\n',
  ],
};

describe.each(everyShell())('the prompt of %s', (program) => {
  it('precedes the line when configured, drawn as the shell draws it', async () => {
    using place = scratch(undefined, { ui: { prompt: 'shell' } });
    const [path, text] = RC[basename(program)] ?? ['', ''];
    mkdirSync(join(place.home, '.config/fish'), { recursive: true });
    writeFileSync(join(place.home, path), text);
    mkdirSync(join(place.work, 'deep'));
    await using rig = await openRig(place, /\[0\] =>/, { env: { SHELL: program } });
    rig.type('cd deep\r');
    await rig.waitFor(/^deep\[0\] =>/m);
    expect(rig.coloured('deep[0]')).toBe(true);
    expect(rig.text()).not.toContain('first row');
    rig.type('sh -c "exit 3"\r');
    await rig.waitFor(/^deep\[3\] =>/m);
    rig.type('echo typed');
    await rig.waitFor(/^deep\[3\] => echo typed/m);
  });

  it('shows virtual environment, conda and cluster in the status bar by default', async () => {
    using place = scratch();
    mkdirSync(join(place.home, '.kube'));
    writeFileSync(join(place.home, '.kube/config'), 'apiVersion: v1\ncurrent-context: prod-eu\n');
    await using rig = await openRig(place, /k8s prod-eu/, { env: { SHELL: program }, columns: 120 });
    rig.type('export VIRTUAL_ENV=/srv/api CONDA_DEFAULT_ENV=lab\r');
    await rig.waitFor(/venv api · conda lab · k8s prod-eu/);
  });
});
