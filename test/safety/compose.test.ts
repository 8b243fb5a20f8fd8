/** A compose file that gives a service the whole machine causes a HALT at the command that starts the service. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGate } from '../../src/safety/index.ts';
import { givesMachine } from '../../src/safety/programs/compose.ts';

let cwd = '';
beforeEach(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), 'aish-compose-')));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const ROOT = 'services:\n  a:\n    image: alpine\n    volumes:\n      - /:/host\n';
const PLAIN = 'services:\n  a:\n    image: alpine\n    volumes:\n      - ./data:/data\n      - cache:/root\n';

async function halts(command: string): Promise<string | undefined> {
  const gate = createGate({ enabled: false });
  const context = { cwd, goal: '', signal: AbortSignal.timeout(60_000) };
  const { destructive, rule } = await gate.judge({ kind: 'command', command, job: false }, context);
  return destructive ? rule : undefined;
}

describe('docker compose up', () => {
  it.each(['compose.yaml', 'compose.yml', 'docker-compose.yml', 'docker-compose.yaml'])(
    'halts at the default file %s that mounts the root, and not at an ordinary one',
    async (name) => {
      writeFileSync(join(cwd, name), ROOT);
      expect(await halts('docker compose up -d')).toBe('machine given to a container');
      writeFileSync(join(cwd, name), PLAIN);
      expect(await halts('docker compose up -d')).toBeUndefined();
    },
  );

  it('reads the file named by -f, the override file, and the file of a parent directory', async () => {
    mkdirSync(join(cwd, 'sub'));
    writeFileSync(join(cwd, 'other.yml'), ROOT);
    writeFileSync(join(cwd, 'compose.yaml'), PLAIN);
    expect(await halts('docker compose -f other.yml up')).toBe('machine given to a container');
    expect(await halts('docker-compose -f compose.yaml -f other.yml up')).toBe('machine given to a container');
    expect(await halts('docker compose -f compose.yaml up')).toBeUndefined();
    writeFileSync(join(cwd, 'compose.override.yaml'), ROOT);
    expect(await halts('docker compose run a sh')).toBe('machine given to a container');
    expect(await halts('cd sub && docker compose up')).toBe('machine given to a container');
  });

  it('reads a compose file that the same command wrote', async () => {
    const command = `cat > compose.yaml <<'EOF'\n${ROOT}EOF\ndocker compose up -d`;
    expect(await halts(command)).toBe('machine given to a container');
  });

  it('does not halt for ps, config or logs, which start nothing', async () => {
    writeFileSync(join(cwd, 'compose.yaml'), ROOT);
    for (const sub of ['ps', 'logs', 'config -q']) expect(await halts(`docker compose ${sub}`)).toBeUndefined();
  });
});

describe('a compose file gives a service the whole machine', () => {
  it.each([
    '      - /:/host:ro',
    '      - "/var/run/docker.sock:/var/run/docker.sock"',
    "      - '/run/user/1000/docker.sock:/var/run/docker.sock'",
    '      - $HOME:/home/me',
    `      - $\{HOME:-/root}/:/home/me`,
    '      - ~:/home/me',
    '      - /home/anna:/work',
    '      - /etc:/etc:ro',
    '    volumes: ["./x:/x", "/:/host"]',
    '        source: /',
    '      - {type: bind, source: "/var/run/docker.sock", target: /d}',
    '      device: /',
    '    privileged: true',
    '    pid: host',
  ])('by the volume or option %s', (line) => expect(givesMachine(line)).toBe(true));

  it.each([
    '      - ./data:/data',
    '      - /srv/app:/app',
    '      - ~/.cache/pip:/root/.cache/pip',
    `      - $\{HOME}/src/app:/app`,
    '      - data:/var/lib/docker',
    '      - /etc/localtime:/etc/localtime:ro',
    '      # - /:/host',
    '    command: ls /:/x',
    '        source: data',
    '    privileged: false',
    '      - "8080:80"',
  ])('but not by the volume or option %s', (line) => expect(givesMachine(line)).toBe(false));
});
