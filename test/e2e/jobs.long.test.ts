/** Jobs, hyperlinks and the agent's commands in rare cases: a full-screen job, closing, resuming. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scratch } from '../support/program.ts';
import { openRig, startRig } from '../support/rig.ts';
import { call, say, startScriptedServer } from '../support/scripted-server.ts';

const demo = '[aish:demo]>';

describe(':bg with a full-screen program', () => {
  it('gives it the terminal when it is brought to the front', async () => {
    await using rig = await openRig(scratch(), demo);
    rig.type(":bg printf '\\033[?1049h\\033[Hpainted'; read x; printf '\\033[?1049l'; echo closed\r");
    await rig.waitFor('1 job ');
    rig.type(':fg\r');
    await rig.waitFor((r) => r.screen()[0] === 'painted' && !r.text().includes(demo));
    rig.type('\r');
    await rig.waitFor('job 1 ended (exit 0)');
    await rig.waitFor('│ closed');
  });
});

it(':takeover adopts the agent’s directory and adds its commands to the history, marked', async () => {
  await using server = await startScriptedServer([
    call('bash', { command: 'cd /usr && echo looking' }),
    say('GOAL: complete'),
  ]);
  using place = scratch(server.baseUrl, { safety: { llm_second_opinion: false } });
  writeFileSync(join(place.home, '.bashrc'), 'HISTFILE=~/.history');
  await using rig = await openRig(place, '[aish:fast]>');
  rig.type(':norris look\r');
  await rig.waitFor('✓ done');
  rig.key('up');
  await rig.waitFor('[aish:fast]> cd /usr && echo looking');
  await rig.waitFor('the agent ran this');
  rig.key('ctrl-c');
  rig.type(':adopt\r');
  await rig.waitFor(/now in \/usr/);
  rig.type('pwd\r');
  await rig.waitFor(/✓[\s\S]*│ \/usr\n/);
  rig.type('history\r');
  await rig.waitFor(': aish; cd /usr && echo looking');
  rig.type(':quit\r');
  await rig.exited;
  const rows = readFileSync(join(place.home, '.local/state/aish/history'), 'utf8').trim().split('\n');
  expect(rows.map((row): unknown => JSON.parse(row))).toContainEqual({
    line: 'cd /usr && echo looking',
    by: 'agent',
  });
  expect(readFileSync(join(place.home, '.history'), 'utf8')).toContain(': aish; cd /usr && echo looking');
});

it('--resume reports how a command ended that closing interrupted', async () => {
  using place = scratch();
  {
    await using rig = startRig(place);
    await rig.waitFor(demo);
    rig.type('echo up; sleep 1000\r');
    await rig.waitFor(/^│ up$/m);
    rig.kill('SIGTERM');
    await rig.exited;
  }
  await using again = startRig(place, { args: ['--resume'] });
  await again.waitFor(/✗ 130[\s\S]*│ up\n/);
  expect(again.text()).not.toContain('outcome unknown');
});

it('a nohup process of the user in a job outlives the program, and the job does not', async () => {
  using place = scratch();
  const pid = (name: string) => join(place.work, name);
  const alive = (name: string) => existsSync(`/proc/${readFileSync(pid(name), 'utf8').trim()}`);
  {
    await using rig = startRig(place);
    await rig.waitFor(demo);
    // Removes the mark by which the test rig finds leftover processes.
    rig.type(":bg env -u RIG_RUN nohup sh -c 'echo $$ > far; exec sleep 1000' >/dev/null 2>&1\r");
    rig.type(":bg sh -c 'echo $$ > near; exec sleep 1000'\r");
    await rig.waitFor(() =>
      ['far', 'near'].every((name) => existsSync(pid(name)) && readFileSync(pid(name), 'utf8').endsWith('\n')),
    );
    rig.type(':quit\r');
    await rig.exited;
  }
  await expect.poll(() => alive('near')).toBe(false);
  expect(alive('far')).toBe(true);
  process.kill(Number(readFileSync(pid('far'), 'utf8')), 'SIGKILL');
});

it('a program’s safe hyperlink reaches the terminal, and an unsafe one does not', async () => {
  using place = scratch();
  await using rig = await openRig(place, demo);
  const link = (target: string, text: string) => `\\033]8;;${target}\\007${text}\\033]8;;\\007`;
  writeFileSync(
    join(place.work, 'links.sh'),
    `printf '${link('https://a.b/c', 'good')} ${link('data:x', 'bad')}\\n'\n`,
  );
  rig.type('sh links.sh\r');
  await rig.waitFor(/✓[\s\S]*│ good bad\n/);
  expect(rig.raw).toContain(']8;;https://a.b/c');
  expect(rig.raw).not.toContain('data:x');
});
