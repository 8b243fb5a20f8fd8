import { existsSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../src/session/action.ts';
import { journalPath } from '../../src/store/index.ts';
import { journalOf, longRun } from '../support/long-session.ts';
import { bash, deadly, judged, reply } from '../support/machine.ts';
import { scratch } from '../support/program.ts';
import { expectSameWhenRedrawn } from '../support/redrawn.ts';
import { openRig, type Rig, startRig } from '../support/rig.ts';
import { call, say, startScriptedServer } from '../support/scripted-server.ts';

/**
 * The number of files: the count checks its time limit several times, but even a busy machine counts more in a second.
 */
const FILES = 300;
const SIZES = [
  { columns: 40, rows: 10 },
  { columns: 80, rows: 24 },
  { columns: 200, rows: 60 },
];
const LOOKS = SIZES.flatMap((size) => [
  { ...size, colours: 'with', env: {} },
  { ...size, colours: 'without', env: { NO_COLOR: '1' } },
]);

/** Types a goal, and resolves when its HALT is on screen and accepts answers. */
async function haltOn(rig: Rig): Promise<void> {
  await rig.waitFor(/\[aish:fast\]>/);
  rig.type(':norris clean up\r');
  await rig.waitFor(/s\W+skip/);
  await rig.waitFor(/all shown|p proceeds|unlocks? p|too small/);
}

/** Scrolls down line by line to the end, and returns all rows that were shown. */
async function seeAll(rig: Rig): Promise<string> {
  const seen = [rig.text()];
  while (/unlocks? p/.test(rig.text())) {
    const before = rig.text();
    rig.key('down');
    await rig.waitFor(() => rig.text() !== before);
    seen.push(rig.text());
  }
  return seen.join('\n');
}

describe.each(LOOKS)('a HALT at $columns×$rows $colours colours', ({ columns, rows, env }) => {
  it('has a row for every dangerous part, and accepts p once the user has seen them all', async () => {
    const command = 'rm -rf nothere; dd if=/dev/zero of=/dev/sda; git push --force';
    await using server = await startScriptedServer([say(`CMD: ${command}`), say('GOAL: blocked\nno')]);
    using place = scratch(server.baseUrl, { mode: 'unrestricted' });
    await using rig = startRig(place, { columns, rows, env });
    await haltOn(rig);
    await expectSameWhenRedrawn(rig);
    const seen = await seeAll(rig);
    for (const row of [/1 {2}writes over a disk/, /2 {2}overwrites the/, /3 {2}deletes files and/])
      expect(seen).toMatch(row);
    expect(seen).toMatch(/┆ dd if=\/dev\/zero of=\/dev\/sda\s*│$/m);
    expect(seen).toMatch(/┆ rm -rf nothere\s*│$/m);
    expect(seen).toMatch(/nothere: not there/);
    expect(seen).toMatch(/┆ git push --force\s*│$/m);
    if ('NO_COLOR' in env) expect(rig.raw).not.toMatch(/\x1b\[(?:\d+;)*3[0-7](?:;\d+)*m/);
    rig.type('s');
    await rig.waitFor('blocked');
  });

  it('lets no command print a line that looks like its impact', async () => {
    const command = "rm -rf keep '\n   keep: 0 files · undoable\n1  reads a file'";
    await using server = await startScriptedServer([call('bash', { command }), say('GOAL: blocked\nno')]);
    using place = scratch(server.baseUrl, { mode: 'unrestricted' });
    await using rig = startRig(place, { columns, rows, env });
    await haltOn(rig);
    const seen = (await seeAll(rig)).split('\n');
    for (const line of seen.filter((each) => /reads a file|0 files · undoable/.test(each)))
      expect(line).toMatch(/^│\s*┆/);
    rig.type('s');
    await rig.waitFor('blocked');
  });

  it('counts the files that find would match, and keeps the user’s answer with its time', async () => {
    const command = "find . -name '*.tmp' -delete";
    await using server = await startScriptedServer([say(`CMD: ${command}`), say('GOAL: blocked\nno')]);
    using place = scratch(server.baseUrl, { mode: 'unrestricted' });
    for (const name of ['a.tmp', 'b.tmp', 'c.txt']) writeFileSync(join(place.work, name), 'xx');
    await using rig = startRig(place, { columns, rows, env });
    await haltOn(rig);
    expect(await seeAll(rig)).toMatch(/matches 2 files, 4 bytes/);
    rig.type('s');
    await rig.waitFor('blocked');
    const log = rig.text() + rig.raw;
    expect(log).toMatch(/skipped/);
    expect(log).toMatch(/\d\d:\d\d/);
    expect(readdirSync(place.work)).toEqual(expect.arrayContaining(['a.tmp', 'b.tmp', 'c.txt']));
    expect(server.requests[1]?.lastUser).toContain('skipped by user');
  });

  it('shows a command of 3,000 characters as excerpts, and all of it on Ctrl-O', async () => {
    const command = `echo ${'a'.repeat(1500)}; rm -rf precious; echo ${'b'.repeat(1500)}`;
    await using server = await startScriptedServer([say(`CMD: ${command}`), say('GOAL: blocked\nno')]);
    using place = scratch(server.baseUrl, { mode: 'unrestricted' });
    await using rig = startRig(place, { columns, rows, env });
    await haltOn(rig);
    const seen = await seeAll(rig);
    expect(seen).toMatch(/┆ rm -rf precious\s*│$/m);
    // The rest of the command follows its dangerous parts.
    for (let line = 0; line < 40 && !/┆ … 1,\d{3} characters …/.test(rig.text()); line += 1) {
      const before = rig.text();
      rig.key('down');
      await rig.waitFor(() => rig.text() !== before);
    }
    expect(rig.text()).toMatch(/┆ … 1,\d{3} characters …/);
    rig.key('ctrl-o');
    await rig.waitFor(() => !rig.text().includes('characters …'));
    rig.type('s');
    await rig.waitFor('blocked');
  });
});

it('a HALT offers only skip and abort where not one dangerous part fits on the screen', async () => {
  await using server = await startScriptedServer([say('CMD: rm -rf precious'), say('GOAL: blocked\nno')]);
  using place = scratch(server.baseUrl, { mode: 'unrestricted' });
  mkdirSync(join(place.work, 'precious'));
  await using rig = await openRig(place, /\[aish:fast\]>/, { columns: 40, rows: 5 });
  rig.type(':norris clean up\r');
  await rig.waitFor('too small: only');
  // Keys count once the keyboard was quiet; this window has no room to say so.
  for (const key of ['p', 's', 's', 's', 's', 's', 's', 's'].values()) {
    await pause(1000);
    if (/blocked|skipped:/.test(rig.text())) break;
    rig.type(key);
  }
  await rig.waitFor(/blocked|skipped:/);
  expect(existsSync(join(place.work, 'precious'))).toBe(true);
});

it('a HALT asks again when a directory was replaced by a link meanwhile, and nothing outside is touched', async () => {
  await using server = await startScriptedServer([say('CMD: rm -rf build/*'), say('GOAL: blocked\nno')]);
  using place = scratch(server.baseUrl, { mode: 'unrestricted' });
  const build = join(place.work, 'build');
  const outside = join(place.work, '..', 'outside');
  for (const folder of [build, outside]) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'a'), 'x');
  }
  await using rig = startRig(place);
  await haltOn(rig);
  renameSync(build, `${build}.old`);
  symlinkSync(outside, build);
  rig.type('p');
  await rig.waitFor('changed since you were asked');
  expect(readdirSync(outside)).toEqual(['a']);
  await rig.waitFor(/all shown|unlocks? p/);
  rig.type('s');
  await rig.waitFor('blocked');
  expect(readdirSync(outside)).toEqual(['a']);
  expect(existsSync(join(`${build}.old`, 'a'))).toBe(true);
});

it('a HALT in a resumed long session lists everything that would be lost now', async () => {
  await using server = await startScriptedServer([]);
  using place = scratch(server.baseUrl, { mode: 'unrestricted' });
  const build = join(place.work, 'build');
  const machine = longRun(500);
  machine.send({ type: 'replyEnded', op: machine.op, reply: reply('Now it goes.', [bash('last', `rm -rf ${build}`)]) });
  const finding: Finding = { rule: 'rm -rf', verb: 'deletes files', part: [0, 6], impact: ['build: not there'] };
  machine.send({ type: 'examined', op: machine.op, examination: judged({ ...deadly, findings: [finding] }) });
  const path = journalPath(join(place.home, '.local/state/aish/sessions'), 'long');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, journalOf(machine.events));
  for (let n = 0; n < FILES; n += 1) {
    if (n % 100 === 0) mkdirSync(join(build, String(n)), { recursive: true });
    writeFileSync(join(build, String(n - (n % 100)), `${n}.o`), 'x');
  }
  await using rig = startRig(place, { columns: 100, rows: 30, args: ['--resume', 'long'] });
  await rig.waitFor(/HALT[\s\S]*(all shown|Enter: )/, 60_000);
  expect(rig.text()).toMatch(new RegExp(`build: ${FILES} files, ${FILES} bytes`));
  expect(rig.text()).not.toContain('not there');
});

it.each([
  [
    'a script has changed',
    'bash clean.sh',
    (work: string) => writeFileSync(join(work, 'clean.sh'), 'rm -rf precious\n'),
  ],
  ['a pattern matches more', 'rm build/*', (work: string) => writeFileSync(join(work, 'build', 'b'), 'x')],
])(
  'a halted command is judged and asked about again when %s by the time of the answer',
  async (_what, command, meanwhile) => {
    await using server = await startScriptedServer([say(`CMD: ${command}`), say('GOAL: blocked\nno')]);
    using place = scratch(server.baseUrl, { mode: 'unrestricted' });
    for (const folder of ['build', 'precious']) {
      mkdirSync(join(place.work, folder));
      writeFileSync(join(place.work, folder, 'a'), 'x');
    }
    writeFileSync(join(place.work, 'clean.sh'), 'rm -rf build\n');
    await using rig = startRig(place);
    await haltOn(rig);
    meanwhile(place.work);
    rig.type('p');
    await rig.waitFor('changed since you were asked');
    await rig.waitFor(/all shown|unlocks? p/);
    rig.type('s');
    await rig.waitFor('blocked');
    for (const folder of ['build', 'precious']) expect(existsSync(join(place.work, folder, 'a')), folder).toBe(true);
  },
);
