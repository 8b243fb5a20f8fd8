/** Programs that ask the user, and a model's commands whose questions the user answers (EX-4). */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Scratch, scratch } from '../support/program.ts';
import { type Rig, startRig } from '../support/rig.ts';
import { call, say, startScriptedServer } from '../support/scripted-server.ts';

const PASSWORD = 'correct-horse';

/** A program that asks as sudo does: on the terminal, without echo, discarding what was typed before. */
const SUDO_LIKE = `#!/bin/bash
exec 3<>/dev/tty
saved=$(stty -g <&3)
stty -echo <&3
printf '[sudo] password for me: ' >&3
read -r answer <&3
stty "$saved" <&3
echo >&3
[ "$answer" = '${PASSWORD}' ] || { echo 'Sorry, try again.'; exit 1; }
exec "$@"
`;

const unattended = { safety: { llm_second_opinion: false }, mode: 'unrestricted' };

function place(baseUrl: string | undefined, config: Readonly<Record<string, unknown>> = {}): Scratch {
  const made = scratch(baseUrl, { ...unattended, ...config });
  writeFileSync(join(made.work, 'sudo-like'), SUDO_LIKE, { mode: 0o755 });
  return made;
}

/** Returns the text of every file the program wrote under its home. */
function kept(home: string): string {
  return readdirSync(home, { recursive: true, encoding: 'utf8' })
    .map((name) => join(home, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
    .map((path) => readFileSync(path, 'latin1'))
    .join('\n');
}

async function ready(rig: Rig, preset = 'fast'): Promise<void> {
  await rig.waitFor(`[aish:${preset}]>`);
}

describe('a model’s command that asks for a password or a yes', () => {
  const goal = (command: string) => [call('bash', { command }), say('GOAL: complete')];

  it('gets the keyboard by one key of the user, and the model never sees the answer', async () => {
    await using server = await startScriptedServer(goal('./sudo-like echo as root'));
    using home = place(server.baseUrl);
    await using rig = startRig(home);
    await ready(rig);
    rig.type(':norris do it as root\r');
    await rig.waitFor('Ctrl-] answers');
    await rig.waitFor('sudo-like waits for something secret');
    await rig.waitFor('waits for you');
    rig.key('ctrl-]');
    await rig.waitFor('typing is hidden: it goes to sudo-like');
    rig.type(`${PASSWORD}\r`);
    await rig.waitFor('✓ done');
    const result = server.requests[1]?.messages.findLast((message) => message.role === 'tool')?.content;
    expect(result).toMatch(/as root\n\[exit 0/);
    rig.type(':quit\r');
    await rig.exited;
    expect(server.requests.map((request) => request.text).join()).not.toContain(PASSWORD);
    expect(rig.raw).not.toContain(PASSWORD);
    expect(kept(home.home)).not.toContain(PASSWORD);
  });

  it('becomes a job when nobody answers, reports that it waits, and can be answered there', async () => {
    await using server = await startScriptedServer(goal('./sudo-like echo late'));
    using home = place(server.baseUrl, { wait_seconds: 1 });
    await using rig = startRig(home);
    await ready(rig);
    rig.type(':norris do it\r');
    await rig.waitFor('✓ done');
    const result = server.requests[1]?.messages.findLast((message) => message.role === 'tool')?.content;
    expect(result).toContain('runs on as job 1: it waits for input that only the user can give');
    rig.type(':jobs\r');
    await rig.waitFor('(waits for input');
    rig.type(':fg 1\r');
    await rig.waitFor('sudo-like waits for something secret');
    rig.key('ctrl-]');
    await rig.waitFor('typing is hidden');
    rig.type(`${PASSWORD}\r`);
    await rig.waitFor('job 1 ended (exit 0)');
    server.add(say('Good.'));
    rig.type('?what now\r');
    await rig.waitFor('Good.');
    expect(server.requests.at(-1)?.lastUser).toMatch(/job 1 ended:[\s\S]*late/);
  });

  it('is not answered by any text of the model', async () => {
    await using server = await startScriptedServer([
      call('bash', { command: 'read -p "Go on? [y/N] " yes; echo "<$yes>"' }),
      say('yes\ny\nGOAL: complete'),
    ]);
    using home = place(server.baseUrl);
    await using rig = startRig(home);
    await ready(rig);
    rig.type(':norris ask\r');
    await rig.waitFor('bash waits for your answer');
    rig.key('ctrl-]');
    rig.type('no\r');
    await rig.waitFor('✓ done');
    // A step is one row until the user opens it.
    rig.key('ctrl-o');
    await rig.waitFor('│ <no>');
  });
});

it('a password typed ahead reaches the program, and stays out of prompt, history, journal and requests', async () => {
  await using server = await startScriptedServer([say('I saw.')]);
  using home = place(server.baseUrl);
  writeFileSync(
    join(home.work, 'slow'),
    `#!/bin/bash\nsleep 0.3\nread -rsp 'Secret: ' w; echo; echo "\${#w} letters"\n`,
    {
      mode: 0o755,
    },
  );
  await using rig = startRig(home);
  await ready(rig);
  rig.type('true\r');
  await rig.waitFor(/✓ \d/);
  rig.type('./slow\r');
  // The password is typed separately: in one piece with the line it would count as a paste.
  await rig.waitFor('❯ ./slow');
  rig.type(PASSWORD);
  rig.type('\r');
  await rig.waitFor(new RegExp(`slow .*✓[\\s\\S]*${PASSWORD.length} letters`));
  rig.type('?what happened\r');
  await rig.waitFor('I saw.');
  rig.type(':quit\r');
  await rig.exited;
  expect(server.requests.map((request) => request.text).join()).not.toContain(PASSWORD);
  expect(rig.raw).not.toContain(PASSWORD);
  expect(kept(home.home)).not.toContain(PASSWORD);
});
