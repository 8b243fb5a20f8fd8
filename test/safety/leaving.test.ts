/** The data that a command sends to other machines, the receiver, and the text about them (AC-8). */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { realFiles } from '../../src/safety/files.ts';
import { allowParts } from '../../src/safety/gate.ts';
import { leavingOf } from '../../src/safety/impact/leaving.ts';
import { createGate } from '../../src/safety/index.ts';
import { judgeCommand } from '../../src/safety/judge.ts';
import { lacks } from '../support/lacks.ts';

let cwd = '';

async function leaving(command: string) {
  const { sendings = [] } = judgeCommand(command, { cwd, files: realFiles() });
  return leavingOf(sendings, cwd);
}
const receivers = async (command: string) => (await leaving(command)).map(({ to }) => to);
const git = (...args: readonly string[]) => execFileSync('git', args, { cwd, stdio: 'pipe' });

beforeAll(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), 'aish-leaving-')));
  mkdirSync(join(cwd, 'dist'));
  writeFileSync(join(cwd, 'dist', 'a.txt'), 'data\n');
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

describe('the receiver of sent data', () => {
  it.each([
    ['curl -X POST -d a=b https://a.example/x', 'a.example'],
    ['curl -T dist/a.txt https://a.example:8443/up', 'a.example:8443'],
    ['curl -F file=@dist/a.txt a.example', 'a.example'],
    ['curl --json "{}" $URL', 'an address that is not known'],
    ['wget --post-data=x https://a.example', 'a.example'],
    ['http POST a.example name=x', 'a.example'],
    ['scp dist/a.txt me@host.example:/tmp/', 'host.example'],
    ['rsync -a dist/ host.example:/srv', 'host.example'],
    ['aws s3 cp dist/a.txt s3://bucket/x', 's3://bucket'],
    ['npm publish', 'registry.npmjs.org'],
    ['npm publish --registry https://npm.example', 'npm.example'],
    ['cargo publish', 'crates.io'],
    ['twine upload dist/a.txt', 'upload.pypi.org'],
    ['docker push ghcr.io/me/x:1', 'ghcr.io/me/x'],
    ['docker push me/x', 'docker.io/me/x'],
    ['podman push x docker://quay.io/me/x:1', 'quay.io/me/x'],
    ['docker build --push -t ghcr.io/me/x:1 .', 'ghcr.io/me/x'],
    ['docker buildx build --platform linux/arm64 -t me/x --push .', 'docker.io/me/x'],
    ['docker buildx build -o type=registry -t me/x .', 'docker.io/me/x'],
    ['docker buildx bake --push', 'an address that is not known'],
    ['docker compose push web', 'an address that is not known'],
    ['nc a.example 9000 < dist/a.txt', 'a.example:9000'],
    ['tar c dist | nc -w 3 a.example 9000', 'a.example:9000'],
    ['ncat a.example 9000 < dist/a.txt', 'a.example:9000'],
    ['socat - TCP:a.example:9000 < dist/a.txt', 'a.example:9000'],
    ['socat -u FILE:dist/a.txt TCP4:a.example:9000', 'a.example:9000'],
    ['socat OPENSSL:a.example:443 EXEC:ls', 'a.example:443'],
    ['gh pr create -R me/tool --title x', 'github.com/me/tool'],
    ['gh api -X POST repos/a/b/issues -R me/tool', 'github.com/me/tool'],
    ['mail -s hi a@b.example', 'a@b.example'],
    ['sudo apt-get install jq', 'the packages of this system'],
  ])('of %s is %s', async (command, to) => expect(await receivers(command)).toEqual([to]));

  it.each([
    ...['curl https://a.example/x', 'curl -G -d q=1 https://a.example', 'curl -d a=b http://localhost:3000/x'],
    ...['curl -X DELETE http://127.0.0.1:80/x', 'scp host.example:/tmp/x .', 'rsync -a a b', 'aws s3 cp s3://b/x .'],
    ...['npm install x', 'npm test', 'npm publish --dry-run', 'docker pull me/x', 'docker push localhost:5000/x'],
    ...['docker build -t me/x .', 'docker buildx bake', 'podman push x oci:out', 'docker build -o type=local,dest=o .'],
    ...['nc -z a.example 22', 'nc -l 9000 < dist/a.txt', 'nc localhost 80 < dist/a.txt', 'nc a.example 22 < /dev/null'],
    ...[
      'echo ruok | nc a.example 2181',
      'nc a.example 80',
      'socat -u TCP:a.example:90 OPEN:got,creat',
      'nc -v a.example 25',
    ],
    ...['socat TCP-LISTEN:80,fork TCP:a.example:80', 'socat -d -d - TCP:localhost:90 < dist/a.txt'],
    ...['gh pr view 1', 'gh api repos/a/b', 'pip install x', 'cargo build', 'git fetch', 'git commit -m x'],
  ])('is nobody, or this machine: %s', async (command) => expect(await receivers(command)).toEqual([]));
});

it('a command that sends data lists the sent files with their sizes', async () => {
  expect(await leaving('curl -X POST -d @dist/a.txt https://a.example/x')).toEqual([
    { to: 'a.example', what: ['POST /x', 'dist/a.txt: 1 file, 5 bytes'], connects: ['a.example:443'] },
  ]);
  expect((await leaving('scp -r dist host.example:'))[0]?.what).toContain('dist: 1 file, 5 bytes');
});

it('an allow rule does not include commands that send data', () => {
  const parts = (command: string) => allowParts(command, { cwd, files: realFiles() });
  expect(parts('git push origin main')).toEqual({ acts: [], reads: [] });
  expect(parts('npm test && git push')).toEqual({ acts: ['npm test'], reads: [] });
  expect(parts('git push; bash x.sh')).toBeUndefined();
});

describe.skipIf(lacks('git'))('a push', () => {
  beforeAll(() => {
    git('init', '-q', '-b', 'main');
    for (const [key, value] of Object.entries({ 'user.email': 'a@b.example', 'user.name': 'A' }))
      git('config', key, value);
    git('init', '-q', '--bare', join(cwd, 'bare.git'));
    git('remote', 'add', 'bare', join(cwd, 'bare.git'));
    git('remote', 'add', 'origin', 'https://github.com/me/tool.git');
    git('remote', 'add', 'up', 'ssh://git@example.org:2222/x/y.git');
    git('remote', 'add', 'here', 'http://localhost:8080/x.git');
    writeFileSync(join(cwd, '.gitignore'), 'bare.git\ndist\n');
    git('add', '.gitignore');
    git('commit', '-qm', 'one');
    git('update-ref', 'refs/remotes/origin/main', 'HEAD');
    writeFileSync(join(cwd, 'b.txt'), 'b\n');
    git('add', 'b.txt');
    git('commit', '-qm', 'two: more');
  });

  it('is reported with the repository of its remote and the commits ahead of that', async () => {
    for (const command of ['git push', 'git push origin main', `git -C ${cwd} push`]) {
      const [only] = await leaving(command);
      expect(only).toMatchObject({ to: 'github.com/me/tool', connects: ['github.com:443'] });
      expect(only?.what[0]).toMatch(/^1 commit to main, 1 file, \d+ bytes$/);
      expect(only?.what[1]).toMatch(/^[0-9a-f]+ two: more$/);
    }
    expect(await receivers('git push git@example.org:a/b.git main')).toEqual(['example.org/a/b']);
    expect(await leaving('git push up HEAD:topic')).toMatchObject([
      { to: 'example.org:2222/x/y', connects: ['example.org:2222'] },
    ]);
  });

  it('to a path or a server of this machine sends nothing away', async () => {
    for (const command of ['git push bare main', 'git push ../x.git', 'git push here main', 'git push -n'])
      expect(await receivers(command), command).toEqual([]);
  });

  it('is found in a script that the command runs', async () => {
    writeFileSync(join(cwd, 'deploy.sh'), 'git push origin main\n');
    const gate = createGate({ enabled: false });
    const action = { kind: 'command', command: 'bash deploy.sh', job: false } as const;
    const context = { cwd, goal: '', signal: new AbortController().signal };
    expect((await gate.judge(action, context)).leaves).toMatchObject([{ to: 'github.com/me/tool' }]);
    // In Restricted nothing can leave the machine.
    expect((await gate.judge(action, { ...context, held: true })).leaves).toBeUndefined();
    rmSync(join(cwd, 'deploy.sh'));
  });

  it('halts when it would send a key file, committed before or by the same command', async () => {
    const gate = createGate({ enabled: false });
    const judge = (command: string) =>
      gate.judge({ kind: 'command', command, job: false }, { cwd, goal: '', signal: new AbortController().signal });
    writeFileSync(join(cwd, '.env'), 'KEY=1\n');
    expect(await judge('git push')).toMatchObject({ destructive: false, leaves: [{ to: 'github.com/me/tool' }] });
    expect(await judge('git add -A && git commit -m x && git push')).toMatchObject({
      destructive: true,
      rule: 'credential leaves',
      reason: 'sends .env to another machine',
    });
    git('add', '.env');
    git('commit', '-qm', 'oops');
    expect(await judge('git push')).toMatchObject({ destructive: true, rule: 'credential leaves' });
  });
});
