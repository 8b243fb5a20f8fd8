import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { everyShell } from '../support/lacks.ts';
import { scratch } from '../support/program.ts';
import { openRig } from '../support/rig.ts';

describe.each(everyShell())('a nested shell in %s', (program) => {
  it('is announced as a shell without blocks of output, and `read` and a script are not announced', async () => {
    await using rig = await openRig(scratch(), /\[aish:\w+\]>/, { env: { SHELL: program } });
    rig.type('bash --norc\r');
    await rig.waitFor('keys go to bash, a shell without blocks');
    rig.type('exit\r');
    await rig.waitFor(/✓ \d/);
    rig.type("sh -c 'read line; echo read $line'\r");
    await rig.waitFor('keys go to the program');
    rig.type('this\r');
    await rig.waitFor(/│ read this/);
  });

  it('that marks its commands with OSC 133 is recognised, and their exit codes are shown', async () => {
    using place = scratch();
    const marks = "PS0='\\e]133;C\\a'; PS1='\\[\\e]133;D;$?\\a\\e]133;A\\a\\]within> \\[\\e]133;B\\a\\]'";
    writeFileSync(join(place.work, 'marks'), marks);
    await using rig = await openRig(place, /\[aish:\w+\]>/, { env: { SHELL: program } });
    rig.type('bash --rcfile marks -i\r');
    await rig.waitFor('keys go to bash, a shell of its own');
    rig.type('(exit 4)\r');
    await rig.waitFor('keys go to bash: its last command ✗ 4');
    rig.type('true\r');
    await rig.waitFor('keys go to bash: its last command ✓');
    rig.type('exit 3\r');
    await rig.waitFor(/❯ bash --rcfile marks -i .*✗ 3/);
  });

  it('leaves pasted lines in the prompt when no program reads them', async () => {
    await using rig = await openRig(scratch(), /\[aish:\w+\]>/, { env: { SHELL: program } });
    rig.type('sleep 2\r');
    await rig.waitFor('keys go to the program');
    rig.paste('echo pas""ted1\necho pas""ted2');
    await rig.waitFor(/> echo pas""ted1/);
    await rig.waitFor(/✓ \d\.\d s/);
    rig.key('ctrl-c');
    rig.type('echo after\r');
    await rig.waitFor(/│ after/);
    expect(rig.text()).not.toContain('pasted');
  });
});
