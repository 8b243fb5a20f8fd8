import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { trialsWork } from '../effects/undo/trial-support.ts';
import { lacks } from '../support/lacks.ts';
import { scratch } from '../support/program.ts';
import { openRig, startRig } from '../support/rig.ts';
import { call, startScriptedServer } from '../support/scripted-server.ts';

/** Sequences with which the compositor moves on the screen. */
const MOVES = /\x1b\[\d+;\d+H|\x1b\[\d*X/;

const PLAIN = { ui: { screen: 'plain' } };

it('--plain runs commands, asks questions and answers programs in lines of text', async () => {
  await using server = await startScriptedServer([{ text: ['It is **tea**.'] }]);
  await using rig = await openRig(scratch(server.baseUrl, PLAIN), '[aish:fast]>');
  rig.type('echo one\r');
  await rig.waitFor(/\$ echo one\none\n\[exit 0\]/);
  rig.type('?what is it\r');
  await rig.waitFor('It is **tea**.');
  rig.type('read -p "name? " name; echo "got [$name]"\r');
  await rig.waitFor('waits for input: name?');
  rig.type('bob\r');
  await rig.waitFor(/got \[bob\]\n\[exit 0\]/);
  rig.type('read -s -p "secret? " secret; echo "hidden ${#secret}"\r');
  await rig.waitFor('not shown');
  rig.type('opensesame\r');
  await rig.waitFor(/hidden 10\n\[exit 0\]/);
  expect(rig.raw).not.toContain('opensesame');
  expect(rig.alternate).toBe(false);
  expect(rig.raw).not.toMatch(MOVES);
  rig.key('ctrl-d');
  expect(await rig.exited).toMatchObject({ code: 0 });
});

it('--plain lets Ink write for a screen reader, without cells and cursor moves', async () => {
  await using rig = await openRig(scratch(), '[aish:demo]>', { env: { INK_SCREEN_READER: 'true' } });
  rig.type('echo one');
  await rig.waitFor('[aish:demo]> echo one');
  rig.key('enter');
  await rig.waitFor(/✓[\s\S]*│ one/);
  expect(rig.raw).toContain('F1 lists the keys');
  expect(rig.raw).not.toMatch(MOVES);
});

it('--plain prints a HALT as text and accepts letters and words as answers', async () => {
  await using server = await startScriptedServer([
    call('bash', { command: 'rm -rf foo' }),
    { text: ['GOAL: complete'] },
  ]);
  await using rig = await openRig(scratch(server.baseUrl, { ...PLAIN, mode: 'unrestricted' }), '[aish:fast]>');
  rig.type(':norris clean up\r');
  await rig.waitFor(
    /Question: HALT[\s\S]*1\. Deletes files and directories: `rm -rf foo`\.[\s\S]*Command: rm -rf foo[\s\S]*letter: s skip, (?:t try, )?p proceed, a abort\./,
  );
  rig.type('x\r');
  await rig.waitFor(/answer> x[\s\S]*with a letter/);
  // An answer directly after the question does not count.
  for (let tries = 1; !rig.text().includes('skipped:'); tries += 1) {
    rig.type('s\r');
    await rig.waitFor(() => rig.text().includes('skipped:') || (rig.raw.match(/too early/g)?.length ?? 0) >= tries);
  }
  await rig.waitFor(/skipped: .*rm -rf foo[\s\S]*\[norris\] done/);
});

it.skipIf(lacks('less'))('--plain gives the terminal to a full-screen program and continues after it', async () => {
  using place = scratch(undefined, PLAIN);
  writeFileSync(join(place.work, 'poem'), Array.from({ length: 100 }, (_, n) => `verse ${n + 1}.`).join('\n'));
  await using rig = await openRig(place, '[aish:demo]>');
  rig.type('less poem\r');
  await rig.waitFor(() => rig.alternate && rig.screen()[0] === 'verse 1.');
  rig.type('q');
  await rig.waitFor(/\$ less poem[\s\S]*\[exit 0\][\s\S]*\[aish:demo\]>/);
  rig.type('echo back\r');
  await rig.waitFor(/\$ echo back\nback/);
});

it.skipIf(!trialsWork())('--plain tries a halted command, applies it and undoes it, all in words', async () => {
  await using server = await startScriptedServer([
    call('bash', { command: 'rm -rf src' }),
    { text: ['GOAL: complete'] },
  ]);
  using place = scratch(server.baseUrl, { ...PLAIN, mode: 'project' });
  mkdirSync(join(place.work, 'src'));
  writeFileSync(join(place.work, 'src', 'a.c'), 'int a;\n');
  await using rig = await openRig(place, '[aish:fast]>', { rows: 60 });
  /** An answer directly after the question does not count. */
  const answer = async (question: RegExp, word: string, then: RegExp) => {
    await rig.waitFor(question);
    for (let tries = 1; !then.test(rig.text()); tries += 1) {
      const early = () => rig.raw.match(/too early/g)?.length ?? 0;
      const before = early();
      rig.type(`${word}\r`);
      await rig.waitFor(() => then.test(rig.text()) || early() > before);
    }
  };
  rig.type(':norris clean up\r');
  await answer(/letter: .*t try.*p proceed/, 't', /\d\. deletes +src\//);
  expect(existsSync(join(place.work, 'src', 'a.c'))).toBe(true);
  expect(rig.text()).toMatch(/− int a;/);
  await answer(/letter: .*T apply/, 'T', /\[norris\] done/);
  expect(existsSync(join(place.work, 'src'))).toBe(false);
  rig.type(':undo list\r');
  await rig.waitFor(/1 .* rm -rf src · 2 files deleted/);
  rig.type(':undo run yes\r');
  await rig.waitFor(/undone: 1 · rm -rf src/);
  expect(readFileSync(join(place.work, 'src', 'a.c'), 'utf8')).toBe('int a;\n');
});

it('--plain marks where a session was resumed, below the earlier lines', async () => {
  using place = scratch(undefined, PLAIN);
  {
    await using rig = startRig(place);
    await rig.waitFor('[aish:demo]>');
    rig.type('echo once\r');
    await rig.waitFor('[exit 0]');
    rig.type(':quit\r');
    await rig.exited;
  }
  await using rig = startRig(place, { args: ['--resume'] });
  await rig.waitFor(/\$ echo once\n[\s\S]*\[exit 0\]\n\[aish\] resumed \w+ \d+ \w+ \d{4}, \d\d:\d\d\n/);
});

it('--plain prints the prompt once after a question and its answer', async () => {
  await using server = await startScriptedServer([
    call('bash', { command: 'echo from the model' }),
    { text: ['That was it.'] },
  ]);
  await using rig = await openRig(scratch(server.baseUrl, PLAIN), '[aish:fast]>');
  rig.type('?go\r');
  await rig.waitFor(/That was it\.\n\[aish:fast\]>/);
  expect(rig.raw.match(/\[aish:fast\]>/g)).toHaveLength(2);
});
