import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { everyShell, lacks, pathOf } from '../support/lacks.ts';
import { type Scratch, scratch } from '../support/program.ts';
import { type Rig, startRig } from '../support/rig.ts';
import { startScriptedServer } from '../support/scripted-server.ts';

const START = { COLORTERM: 'truecolor' };

async function start(place: Scratch, program: string): Promise<Rig> {
  const rig = startRig(place, { env: { ...START, SHELL: program }, columns: 100 });
  await rig.waitFor(/\[aish:\w+\]>/);
  rig.type('echo up\r');
  await rig.waitFor(/✓ \d/);
  return rig;
}

/** Returns the style of a text in the prompt's row. */
const styleOf = (rig: Rig, text: string) =>
  JSON.stringify(
    rig
      .runs()
      .at(-2)
      ?.find((run) => run.text.includes(text))?.style,
  );

describe.each(everyShell())('the prompt with %s', (program) => {
  it('colours each word of the line by its kind', async () => {
    using place = scratch();
    writeFileSync(join(place.work, 'poem.txt'), '');
    const rc = join(
      place.home,
      { bash: '.bashrc', zsh: '.zshrc', fish: '.config/fish/config.fish' }[basename(program)] ?? '',
    );
    mkdirSync(join(place.home, '.config/fish'), { recursive: true });
    writeFileSync(rc, "alias loud='echo LOUD'\n");
    await using rig = await start(place, program);
    rig.type('nosuchcmd');
    await rig.waitFor(/nosuchcmd/);
    const unknown = styleOf(rig, 'nosuchcmd');
    rig.key('ctrl-u');
    rig.type('loud "a b" -n $HOME poem.txt gone.txt | wc # end');
    await rig.waitFor(/# end/);
    await rig.waitFor(() => styleOf(rig, 'poem.txt') !== styleOf(rig, 'gone.txt'));
    const styles = ['loud', '"a b"', '-n', '$HOME', 'poem.txt', 'wc', '# end'].map((word) => styleOf(rig, word));
    expect(new Set([...styles, unknown]).size).toBe(8);
    expect(styles).not.toContain(undefined);
  });

  it('suggests lines from the history, this directory first, and a key accepts all or one word', async () => {
    using place = scratch();
    mkdirSync(join(place.work, 'sub'));
    await using rig = await start(place, program);
    rig.type('echo here and now\r');
    await rig.waitFor(/│ here and now/);
    rig.type('cd sub\r');
    await rig.waitFor(new RegExp(`${join(realpathSync(place.work), 'sub')}|sub\\n?$`));
    rig.type('echo here but deeper\r');
    await rig.waitFor(/│ here but deeper/);
    rig.type('echo h');
    await rig.waitFor(/> echo here but deeper\s/);
    rig.key('ctrl-c');
    rig.type('cd ..\r');
    await rig.waitFor(/❯ cd \.\.[\s\S]*✓/);
    rig.type('echo h');
    await rig.waitFor(/> echo here and now\s/);
    rig.key('alt-right');
    rig.type('X');
    await rig.waitFor(/> echo hereX/);
    rig.key('backspace', 'right', 'enter');
    await rig.waitFor(/│ here and now[\s\S]*│ here and now/);
    // Alt-. takes the last word of the previous line, then of earlier ones.
    rig.type('echo ');
    rig.key('alt-.');
    await rig.waitFor(/> echo now/);
    rig.key('alt-.');
    await rig.waitFor(/> echo \.\./);
  });

  it('expands abbreviations', async () => {
    using place = scratch(undefined, { abbreviations: { ec: 'echo short' } });
    await using rig = await start(place, program);
    rig.type('ec for long\r');
    await rig.waitFor(/❯ echo short for long[\s\S]*│ short for long/);
    rig.type('echo ec x\r');
    await rig.waitFor(/│ ec x/);
  });

  it('names a similar command for an unknown one, and one key sends the output to the model', async () => {
    await using server = await startScriptedServer([{ text: ['It is misspelled.'] }]);
    using place = scratch(server.baseUrl);
    await using rig = await start(place, program);
    rig.type('ehco --again\r');
    await rig.waitFor(/did you mean echo --again\?/);
    await rig.waitFor(/\]> echo --again/);
    rig.key('right', 'enter');
    await rig.waitFor(/│ --again/);
    rig.type('ehco --again\r');
    await rig.waitFor(/Alt-A asks the model/);
    rig.key('alt-a');
    await rig.waitFor('It is misspelled.');
    expect(server.requests[0]?.lastUser).toMatch(/\$ ehco --again\n[\s\S]*\[exit 127/);
    expect(server.requests[0]?.lastUser).toContain('`ehco --again` failed');
  });
});

it.skipIf(lacks('fish'))('the prompt expands fish’s own abbreviations too', async () => {
  using place = scratch();
  mkdirSync(join(place.home, '.config/fish'), { recursive: true });
  writeFileSync(join(place.home, '.config/fish/config.fish'), "abbr -a ec 'echo fishy'\n");
  await using rig = await start(place, pathOf('fish') ?? '');
  rig.type('ec x\r');
  await rig.waitFor(/❯ echo fishy x/);
});
