import { describe, expect, it } from 'vitest';
import { sandboxEnvironment } from '../../../src/effects/sandbox/index.ts';

describe('the environment of a sandboxed command', () => {
  it.each([
    'OPENAI_API_KEY',
    'ANTHROPIC_API_KEY',
    'AWS_ACCESS_KEY_ID',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_SESSION_TOKEN',
    'GITHUB_TOKEN',
    'GH_TOKEN',
    'NPM_TOKEN',
    'npm_config__authToken',
    'PGPASSWORD',
    'MYSQL_PWD_HASH',
    'DB_PASS',
    'DATABASE_PASSWORD',
    'STRIPE_SECRET',
    'GPG_PASSPHRASE',
    'SLACK_WEBHOOK_URL',
    'SENTRY_DSN',
    'JWT',
    'MY_PRIVATE_KEY',
    'HTTP_COOKIE',
    'GOOGLE_APPLICATION_CREDENTIALS',
    'SSH_AUTH_SOCK',
    'DBUS_SESSION_BUS_ADDRESS',
    'DOCKER_HOST',
    'TMUX',
  ])('does not contain %s', (name) => {
    expect(sandboxEnvironment({ [name]: 'x' }, '/t')).not.toHaveProperty(name);
  });

  it.each([
    'PATH',
    'HOME',
    'LANG',
    'PWD',
    'OLDPWD',
    'USER',
    'TERM',
    'SHELL',
    'EDITOR',
    'GIT_AUTHOR_NAME',
    'VIRTUAL_ENV',
    'NODE_OPTIONS',
    'JAVA_HOME',
    'XDG_SESSION_ID',
    'KEYBOARD',
    'MONKEY',
    'COMPASS',
  ])('contains %s', (name) => {
    expect(sandboxEnvironment({ [name]: 'x' }, '/t')).toHaveProperty(name, 'x');
  });

  it('contains no variable with a password inside an address, whatever its name', () => {
    const env = { MIRROR: 'https://me:hunter2@host/', PLAIN: 'https://host/a@b', CLOCK: '12:30@noon' };
    expect(Object.keys(sandboxEnvironment(env, '/t')).sort()).toEqual(['CLOCK', 'PLAIN', 'TEMP', 'TMP', 'TMPDIR']);
  });

  it('points every variable for a temporary directory to the private one', () => {
    expect(sandboxEnvironment({ TMPDIR: '/tmp', TMP: '/tmp', UNSET: undefined }, '/t')).toEqual({
      TMPDIR: '/t',
      TMP: '/t',
      TEMP: '/t',
    });
  });
});
