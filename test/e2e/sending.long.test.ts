/**
 * The user is asked once per receiver about commands that send data from the machine, and sees what they would send
 * (AC-8).
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lacks } from '../support/lacks.ts';
import { runProgram, scratch } from '../support/program.ts';
import { openRig } from '../support/rig.ts';
import { say, startScriptedServer } from '../support/scripted-server.ts';

type Place = ReturnType<typeof scratch>;

/** Makes a repository whose remote is an ssh replacement that serves a bare repository beside it. */
function repository({ home, work }: Place): () => string {
  const bare = join(home, 'bare.git');
  const ssh = join(home, 'fake-ssh');
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: work, stdio: 'pipe' }).toString();
  writeFileSync(ssh, `#!/bin/sh\nexec git-receive-pack ${bare}\n`, { mode: 0o755 });
  git('init', '-q', '-b', 'main');
  git('init', '-q', '--bare', bare);
  for (const [key, value] of Object.entries({
    'user.email': 'a@b.example',
    'user.name': 'A',
    'core.sshCommand': ssh,
    'remote.origin.url': 'ssh://git@code.example/me/tool.git',
  }))
    git('config', key, value);
  writeFileSync(join(work, 'a.txt'), 'a\n');
  git('add', 'a.txt');
  git('commit', '-qm', 'the first one');
  return () => execFileSync('git', ['-C', bare, 'log', '--all', '--format=%s'], { stdio: 'pipe' }).toString().trim();
}

const SETTINGS = { mode: 'unrestricted', safety: { llm_second_opinion: false } } as const;

describe.skipIf(lacks('git'))('git push', () => {
  it('asks once and lists the commits, and does not ask again for the same receiver', async () => {
    await using server = await startScriptedServer([
      say('CMD: git push origin main'),
      say('CMD: git push origin main:again'),
      say('That is all.'),
    ]);
    using place = scratch(server.baseUrl, SETTINGS);
    const pushed = repository(place);
    await using rig = await openRig(place, '[aish:fast]>', { rows: 40, columns: 100 });
    rig.type('?push it\r');
    await rig.waitFor('SEND THIS?  to code.example/me/tool');
    expect(rig.text()).toContain('1 commit to main, 1 file');
    expect(rig.text()).toContain('the first one');
    expect(rig.text()).not.toContain('not again');
    await rig.waitFor(/all shown|Enter: /);
    rig.type('p');
    await rig.waitFor('That is all.');
    expect(server.requests[2]?.text).toContain('main -> again');
    expect(pushed()).toBe('the first one');
    rig.type(':allow\r');
    await rig.waitFor('this session  leave code.example/me/tool');
  });

  it('does not run without a screen, unless --leave names the receiver', async () => {
    for (const [flags, sent] of [
      [[], ''],
      [['--leave', 'elsewhere.example'], ''],
      [['--leave', 'code.example'], 'the first one'],
    ] as const) {
      await using server = await startScriptedServer([say('CMD: git push origin main'), say('GOAL: complete')]);
      using place = scratch(server.baseUrl, SETTINGS);
      const pushed = repository(place);
      const { code, err } = await runProgram(place, ['run', ...flags, 'push it']);
      expect(code).toBe(0);
      expect(pushed()).toBe(sent);
      if (sent !== '') continue;
      expect(err).toContain('not sent: git push origin main to code.example/me/tool (--leave allows it)');
      expect(server.requests[1]?.text).toContain('[aish] action not run: nobody is there to approve it');
    }
  });

  it('to a repository at a path sends nothing away, and asks nothing', async () => {
    await using server = await startScriptedServer([say('CMD: git push path main'), say('GOAL: complete')]);
    using place = scratch(server.baseUrl, SETTINGS);
    const pushed = repository(place);
    execFileSync('git', ['remote', 'add', 'path', join(place.home, 'bare.git')], { cwd: place.work });
    const { code, err } = await runProgram(place, ['run', 'push it']);
    expect([code, err]).toEqual([0, '']);
    expect(pushed()).toBe('the first one');
  });
});
