import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { userShells } from '../support/lacks.ts';
import { scratch } from '../support/program.ts';
import { openRig } from '../support/rig.ts';

/** Asks the terminal in raw mode, and prints every byte of the reply until 0.4 s pass without one. */
const ASK = `stty -icanon -echo min 0 time 4
[ -z "$1" ] || stty min 1
printf "$1"
{
  dd bs=1 count=1
  stty min 0 time 4
  dd bs=1 count=199
} 2>/dev/null | od -An -c | tr -d ' \\n'
stty sane
echo " end"
`;

describe.each(userShells())('a program’s query to its terminal in %s', (program) => {
  it('is answered once, and no reply is sent without a query', async () => {
    using place = scratch();
    writeFileSync(join(place.work, 'ask'), ASK);
    await using rig = await openRig(place, /\[aish:\w+\]>/, { env: { SHELL: program }, rows: 40 });
    const answers: string[] = [];
    for (const [index, query] of ['\\033[c', '\\033[6n', '\\033[5n', '\\033[>q', ''].entries()) {
      rig.type(`sh ask '${query}'; echo "done ${index}"\r`);
      await rig.waitFor(new RegExp(`"done ${index}".*✓[\\s\\S]*│ done ${index}`));
      answers.push(/│ (.*) end\n/.exec(rig.text().slice(rig.text().lastIndexOf('❯')))?.[1] ?? '');
    }
    const [attributes, cursor, status, version, nothing] = answers;
    expect(attributes).toMatch(/^033\[\?[\d;]+c$/);
    expect(cursor).toMatch(/^033\[\d+;\d+R$/);
    expect(status).toBe('033[0n');
    expect(version).toBe('033P>|aish-tui033\\');
    expect(nothing).toBe('');
    rig.type('echo clean\r');
    await rig.waitFor(/❯ echo clean[\s\S]*│ clean/);
  });

  it('returns the colours that the real terminal reported, and no others', async () => {
    using place = scratch();
    writeFileSync(join(place.work, 'ask'), ASK);
    await using rig = await openRig(place, /\[aish:\w+\]>/, { env: { SHELL: program }, rows: 40 });
    // A terminal's answers to the queries at the start.
    expect(rig.raw).toContain('\x1b]10;?\x1b\\\x1b]4;0;?;1;?');
    rig.type('\x1b]10;rgb:d0d0/d0d0/d0d0\x1b\\\x1b]4;1;rgb:cc/00/00\x1b\\\x1b]4;2;not a colour\x1b\\');
    const answers: string[] = [];
    for (const [index, query] of ['\\033]10;?\\007', '\\033]4;1;?;2;?\\007'].entries()) {
      rig.type(`sh ask '${query}'; echo "done ${index}"\r`);
      await rig.waitFor(new RegExp(`"done ${index}".*✓[\\s\\S]*│ done ${index}`));
      answers.push(/│ (.*) end\n/.exec(rig.text().slice(rig.text().lastIndexOf('❯')))?.[1] ?? '');
    }
    expect(answers).toEqual(['033]10;rgb:d0d0/d0d0/d0d0033\\', '033]4;1;rgb:cc/00/00033\\']);
  });
});
