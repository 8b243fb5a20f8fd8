import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { environmentSources, folderSources, homeSources, SecretsFilter } from '../../src/secrets/index.ts';
import { filled, seeded } from '../support/fake-values.ts';

const home = mkdtempSync(join(tmpdir(), 'aish-known-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const random = seeded(3);

/** Words that no rule would recognise as a secret on their own. */
const files: Readonly<Record<string, (secret: string) => string>> = {
  '.aws/credentials': (secret) =>
    `[default]\naws_access_key_id = ${filled('AKIA<16u>', random)}\naws_secret_access_key = ${secret}\n`,
  '.netrc': (secret) => `machine h.example login me password ${secret}\n`,
  '.npmrc': (secret) => `//npm.corp.io/:_authToken=${secret}\n`,
  '.pgpass': (secret) => `db:7777:*:me:${secret}\n`,
  '.my.cnf': (secret) => `[client]\npassword=${secret}\n`,
  '.git-credentials': (secret) => `https://me:${secret}@git.example\n`,
  '.kube/config': (secret) => `users:\n- name: a\n  user:\n    token: ${secret}\n`,
  '.docker/config.json': (secret) => `{"auths":{"r.io":{"auth":"${Buffer.from(`me:${secret}`).toString('base64')}"}}}`,
  '.config/gh/hosts.yml': (secret) => `github.com:\n    oauth_token: ${secret}\n`,
  '.vault-token': (secret) => secret,
  '.env': (secret) => `SOME_PASSWORD=${secret}\n`,
};

function knowing(...sources: Parameters<SecretsFilter['learn']>[0][]): SecretsFilter {
  const filter = new SecretsFilter();
  for (const source of sources) filter.learn(source);
  return filter;
}

describe('values known on this machine', () => {
  it.each(Object.keys(files))('from ~/%s are found anywhere', (path) => {
    const secret = filled('<20w>', random);
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), files[path]?.(secret) ?? '');
    const filter = knowing(() => homeSources(home));
    expect(new SecretsFilter().hide(`it said ${secret} then`)).toContain(secret);
    expect(filter.hide(`it said ${secret} then`)).toMatch(/^it said ⟦[A-Z_]+_\w+⟧ then$/);
    expect(filter.hide(encodeURIComponent(Buffer.from(`x:${secret}`).toString('base64')))).toContain('⟦');
    rmSync(join(home, path));
  });

  it('are still known after very many others', () => {
    const filter = new SecretsFilter();
    const flood = Array.from({ length: 5100 }, () => `token="${filled('<24w>', random)}"`).join('\n');
    expect(filter.hide(flood).match(/⟦/g)?.length).toBeGreaterThan(5000);
    const secret = filled('<18w>', random);
    filter.learn(() => environmentSources({ DEPLOY_TOKEN: secret }));
    expect(filter.hide(`it said ${secret} then`)).not.toContain(secret);
  });

  it('from the environment are secrets if their variable’s name says so, except paths, words, numbers and hosts', () => {
    const secret = filled('<18w>', random);
    const env = {
      DEPLOY_TOKEN: secret,
      OTHER: filled('<18w>', random),
      API_TOKEN_FILE: '/run/secrets/token',
      SECRET_PATH: '/home/bob/secrets',
      AUTH_HOST: 'auth.example.org',
      PASSWORD_LENGTH: '12345678',
      USE_TOKEN: 'true',
      MY_PASSWORD: 'password',
      SSH_AUTH_SOCK: '/tmp/ssh-1/agent.1',
      // A path as long as a secret key of AWS, with a digit in it.
      PWD: '/home/bob/projects/reader2/src/parsers/a',
      OLDPWD: '/tmp/tmp.OFSA812vgb/tmp/aish-work-IhwE9v',
      BUILD_SECRET: '/tmp/tmp.OFSA812vgb/tmp/aish-work-IhwE9v',
    };
    const filter = knowing(() => environmentSources(env));
    for (const [name, value] of Object.entries(env)) {
      const hidden = filter.hide(`a ${value} b`);
      if (name === 'DEPLOY_TOKEN') expect(hidden).not.toContain(value);
      else expect(hidden).toBe(`a ${value} b`);
    }
  });

  it('include a variable that the configuration names as a key, whatever its name', () => {
    const secret = filled('<18w>', random);
    const filter = knowing(() => environmentSources({ ODD: secret }, ['ODD']));
    expect(filter.hide(secret)).toMatch(/^⟦TOKEN_\w+⟧$/);
  });

  it('include each line of a private key', () => {
    const lines = [filled('<70b>', random), filled('<70b>', random)];
    const key = `-----BEGIN OPENSSH PRIVATE KEY-----\n${lines.join('\n')}\n-----END OPENSSH PRIVATE KEY-----\n`;
    mkdirSync(join(home, '.ssh'), { recursive: true });
    writeFileSync(join(home, '.ssh/id_ed25519'), key);
    const filter = knowing(() => homeSources(home));
    expect(filter.hide(`head -2: ${lines[0]}`)).toMatch(/^head -2: ⟦PRIVATE_KEY_\w+⟧$/);
  });

  it('are read without waiting for a pipe or reading a huge file to its end, and not from example files', () => {
    const folder = mkdtempSync(join(home, 'work-'));
    execFileSync('mkfifo', [join(folder, '.env')]);
    const secret = filled('<20w>', random);
    const example = filled('<20w>', random);
    writeFileSync(join(folder, '.env.local'), `A_SECRET=${secret}\n${'#'.repeat(5_000_000)}`);
    writeFileSync(join(folder, '.env.example'), `A_SECRET=${example}\n`);
    const filter = knowing(() => folderSources(folder));
    expect(filter.hide(secret)).toContain('⟦');
    expect(filter.hide(example)).toBe(example);
  });

  it('have one handle per value, and a different one in another process', () => {
    const secret = filled('ghp_<36w>', random);
    const one = new SecretsFilter();
    expect(one.hide(`${secret} ${secret}`)).toMatch(/^(⟦\w+⟧) \1$/);
    expect(one.hide(secret)).not.toBe(new SecretsFilter().hide(secret));
    expect(new SecretsFilter().reveal(one.hide(secret))).toContain('⟦');
    const other = new SecretsFilter();
    expect(other.hide(filled('ghp_<36w>', random))).toContain('⟦');
    expect(other.reveal(one.hide(secret))).toContain('⟦');
  });

  it('JSON stays valid when secrets are hidden and restored', () => {
    const filter = new SecretsFilter();
    const value = { arguments: JSON.stringify({ command: `curl -u 'me:a"b\\9x!' h`, note: 'x' }) };
    const hidden = filter.hide(value);
    expect(JSON.parse(hidden.arguments)).toMatchObject({ command: expect.stringMatching(/me:⟦PASSWORD_\w+⟧/) });
    expect(JSON.parse(filter.reveal(hidden).arguments)).toEqual(JSON.parse(value.arguments));
  });
});
