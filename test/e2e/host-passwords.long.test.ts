/** Secrets that ssh or a command on a host asks for are answered in the frame, and neither shown nor stored. */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addUser, removeUser } from '../support/accounts.ts';
import { pathOf } from '../support/lacks.ts';
import { scratch } from '../support/program.ts';
import { openRig, startRig } from '../support/rig.ts';
import { say, startScriptedServer } from '../support/scripted-server.ts';
import { lacksSshd, type SshHost, startSshd } from '../support/sshd.ts';

const SECRET = 'correct-Horse-7battery';
const WRONG = 'another-Mule-8staple';

/** Returns the files below a directory that contain a text. */
function filesWith(text: string, folder: string): readonly string[] {
  const code = 'grep -rlaF -- "$1" "$2" || [ $? = 1 ]';
  return execFileSync('/bin/sh', ['-c', code, 'sh', text, folder], { encoding: 'utf8' }).split('\n').filter(Boolean);
}

describe.skipIf(lacksSshd())('a secret that ssh asks for', () => {
  let server: SshHost;
  let user: string | undefined;
  const root = process.getuid?.() === 0;
  beforeAll(async () => {
    if (root) user = addUser(pathOf('bash') ?? '/bin/sh');
    server = await startSshd('web1', { ...(user ? { user, lines: ['PasswordAuthentication yes'] } : {}) });
  });
  afterAll(async () => {
    await server?.stop();
    if (user) removeUser(user);
  });

  async function connects(question: RegExp, again: RegExp): Promise<void> {
    using place = scratch();
    await using rig = startRig(place, { env: { PATH: `${server.bin}:${process.env.PATH}` }, columns: 100, rows: 30 });
    await rig.waitFor(/\[aish:\w+\]>/);
    rig.type(':host web1\r');
    await rig.waitFor(question);
    await rig.waitFor(/hidden/);
    rig.type(`${WRONG}\r`);
    await rig.waitFor(again);
    await rig.waitFor(/hidden/);
    rig.type(`${SECRET}\r`);
    await rig.waitFor(/@web1 \[aish:\w+\]>/);
    rig.type('echo $((6*7)) there\r');
    await rig.waitFor(/│ 42 there/);
    // The up arrow does not bring the secret back.
    rig.key('up');
    await rig.waitFor(/@web1 \[aish:\w+\]> echo /);
    expect(rig.text()).not.toMatch(/Horse|Mule/);
    for (const secret of [SECRET, WRONG]) expect(filesWith(secret, place.home)).toEqual([]);
    expect(filesWith('6*7', place.home)).not.toEqual([]);
  }

  it('accepts a key’s passphrase without showing or storing it', async () => {
    const words = ['-q', '-p', '-f', server.identity];
    execFileSync(pathOf('ssh-keygen') ?? '', [...words, '-P', '', '-N', SECRET]);
    try {
      await connects(/Enter passphrase for key/, /Enter passphrase for key[\s\S]*Enter passphrase for key/);
    } finally {
      execFileSync(pathOf('ssh-keygen') ?? '', [...words, '-P', SECRET, '-N', '']);
    }
  });

  it.skipIf(!root)('accepts an account’s password without showing or storing it', async () => {
    execFileSync('/bin/sh', ['-c', 'printf %s "$1:$2" | chpasswd', 'sh', user ?? '', SECRET]);
    rmSync(server.identity);
    await connects(/password:/, /Permission denied, please try again/);
  });
});

describe.skipIf(lacksSshd())('a model’s command on a host that asks for a secret', () => {
  it('is answered by the user, and the answer is hidden, not stored and not sent to the model', async () => {
    const server = await startSshd('web1');
    try {
      const ask = `read -rsp "Password: " p; echo; printf "|%s" "\${#p}"`;
      await using model = await startScriptedServer([say(`CMD: ${ask}`), say('that was it')]);
      using place = scratch(model.baseUrl, { mode: 'unrestricted' });
      const env = { PATH: `${server.bin}:${process.env.PATH}` };
      await using rig = await openRig(place, /\[aish:\w+\]>/, { env, columns: 100, rows: 30 });
      rig.type(':host web1\r');
      await rig.waitFor(/@web1 \[aish:\w+\]>/);
      rig.type('?ask me\r');
      await rig.waitFor(/RUN THIS\? +on web1[\s\S]*(all shown|Enter: )/);
      rig.type('p');
      await rig.waitFor(/waits for something secret/);
      rig.key('ctrl-]');
      await rig.waitFor(/typing is hidden/);
      rig.type(`${SECRET}\r`);
      await rig.waitFor(/that was it/);
      rig.type(':quit\r');
      await rig.exited;
      // The command read the secret to its last character.
      expect(model.requests.at(-1)?.text).toContain(`|${SECRET.length}`);
      expect(model.requests.map(({ text }) => text).join()).not.toContain(SECRET);
      expect(rig.raw).not.toContain(SECRET);
      expect(filesWith(SECRET, place.home)).toEqual([]);
    } finally {
      await server.stop();
    }
  });
});
