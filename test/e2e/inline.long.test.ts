/** The program without the alternate screen: on request, and where the terminal can’t move its cursor. */
import { expect, it } from 'vitest';
import { lacks } from '../support/lacks.ts';
import { scratch } from '../support/program.ts';
import { openRig } from '../support/rig.ts';
import { call, startScriptedServer } from '../support/scripted-server.ts';

const INLINE = { args: ['--inline'], rows: 20 };
const ALTERNATE = '\x1b[?1049h';

it('--inline draws Markdown in colour and leaves all of a long output in the scrollback', async () => {
  await using server = await startScriptedServer([{ text: ['It is **tea** with `milk`.'] }]);
  await using rig = await openRig(scratch(server.baseUrl), '[aish:fast]>', INLINE);
  rig.type('seq -f "row %g" 1 60\r');
  await rig.waitFor(/│ row 60\n\n\[aish:fast\]>/);
  rig.type('?what is it\r');
  await rig.waitFor(/● It is tea with milk\.\n\n\[aish:fast\]>/);
  expect(rig.coloured('milk')).toBe(true);
  const all = rig.history();
  for (const row of ['row 1', 'row 30', 'row 60', '? what is it', '● It is tea'])
    expect(all.split(row).length - 1, row).toBeGreaterThan(0);
  expect(all.match(/│ row 30\n/g)).toHaveLength(1);
  expect(rig.raw).not.toContain(ALTERNATE);
  rig.type(':quit\r');
  expect(await rig.exited).toMatchObject({ code: 0 });
  // The live rows are gone; the answer stays.
  expect(rig.text()).toMatch(/● It is tea with milk\.\n\nResume this session: aish-tui --resume/);
});

it('--inline uses no colours under NO_COLOR', async () => {
  await using server = await startScriptedServer([{ text: ['It is `milk`.'] }]);
  await using rig = await openRig(scratch(server.baseUrl), '[aish:fast]>', { ...INLINE, env: { NO_COLOR: '1' } });
  rig.type('?what is it\r');
  await rig.waitFor(/● It is milk\./);
  expect(
    rig
      .runs()
      .flat()
      .some(({ style }) => style.foreground || style.background),
  ).toBe(false);
});

it('--inline shows a HALT with its keys above the prompt, and continues below the answer', async () => {
  await using server = await startScriptedServer([
    call('bash', { command: 'rm -rf foo' }),
    { text: ['GOAL: complete'] },
  ]);
  await using rig = await openRig(scratch(server.baseUrl, { mode: 'unrestricted' }), '[aish:fast]>', INLINE);
  rig.type(':norris clean up\r');
  await rig.waitFor(/HALT[\s\S]*rm -rf foo[\s\S]*s skip/);
  for (let tries = 0; tries < 50 && rig.text().includes('s skip'); tries += 1) {
    rig.type('s');
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  await rig.waitFor(/skipped[\s\S]*rm -rf foo[\s\S]*done[\s\S]*\[aish:fast\]>/);
});

it('--inline draws a new window after a resize, in the new width', async () => {
  await using rig = await openRig(scratch(), '[aish:demo]>', INLINE);
  rig.type('echo one\r');
  await rig.waitFor(/│ one\n\n\[aish:demo\]>/);
  rig.resize(50, 16);
  await rig.waitFor(/│ one\n\n\[aish:demo\]>/);
  rig.type('echo two\r');
  await rig.waitFor(/│ one\n\n❯ echo two[^\n]*\n│ two\n\n\[aish:demo\]>/);
});

it.skipIf(lacks('less'))('--inline continues below the earlier rows after a full-screen program', async () => {
  await using rig = await openRig(scratch(), '[aish:demo]>', INLINE);
  rig.type('echo one\r');
  await rig.waitFor(/│ one\n\n\[aish:demo\]>/);
  rig.type('seq 100 | less\r');
  await rig.waitFor(() => rig.alternate && rig.screen()[0] === '1');
  rig.type('q');
  await rig.waitFor(/│ one\n\n❯ seq 100 \| less[^\n]*\n\n\[aish:demo\]>/);
});

it('a dumb terminal gets plain lines, and its cursor is never moved', async () => {
  using place = scratch();
  await using rig = await openRig(place, /aish/, { env: { TERM: 'dumb' } });
  rig.type('echo one; echo two\r');
  await rig.waitFor(/one\ntwo\n\[exit 0\]/);
  expect(rig.raw).not.toMatch(/\x1b/);
  rig.type(':quit\r');
  expect(await rig.exited).toMatchObject({ code: 0 });
  expect(rig.text()).toContain('echo one; echo two');
});
