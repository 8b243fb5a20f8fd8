import { describe, expect, it } from 'vitest';
import { createGate } from '../../src/safety/index.ts';
import { namesCredentials } from '../../src/safety/names-credentials.ts';

describe('a command that names a credential file and may print it', () => {
  it.each([
    'cat .env',
    'cd /srv && head -3 .env',
    'grep KEY ~/.aws/credentials',
    'less < ~/.netrc',
    'dd if=.env',
    'git show HEAD:.env',
    `python3 -c "print(open('.env').read())"`,
    'cat ~/.ssh/*',
    'tar czf - ~/.ssh',
    "bash -c 'cat .npmrc'",
    String.raw`find . -name .env -exec cat {} \;`,
  ])('is known: %s', (command) => expect(namesCredentials(command, {})).toBe(true));

  it.each([
    'ls -la .env',
    'find . -name .env',
    'stat ~/.ssh/id_rsa',
    'echo .env',
    'cat .env.example',
    'cat ~/.ssh/id_rsa.pub',
    'cat README.md',
  ])('is not: %s', (command) => expect(namesCredentials(command, {})).toBe(false));

  it.each([
    [false, true],
    [true, undefined],
  ])('asks unless every model that reads it is on this machine (%s)', async (local, credential) => {
    const gate = createGate({
      enabled: true,
      localModel: () => local,
      secondOpinion: () => Promise.resolve({ ok: true, text: 'NO' }),
    });
    const action = { kind: 'command', command: 'cat .env', job: false } as const;
    const judged = await gate.judge(action, { cwd: '/', goal: '', signal: AbortSignal.timeout(5000) });
    expect(judged.credential).toBe(credential);
  });
});
