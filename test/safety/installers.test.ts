import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { plainFiles, realFiles } from '../../src/safety/files.ts';
import { judgeCommand, judgeWithFiles } from '../../src/safety/judge.ts';

const verdict = (command: string) => judgeCommand(command).verdict;

/** Each installer with a package of its registry, and with something else that may hold any code. */
const INSTALLERS: readonly (readonly [command: string, name: string, other: string])[] = [
  ['pip install', 'flask', './flask'],
  ['python3 -m pip install -q', 'flask==3.0', 'git+https://e/x'],
  ['pipx install', 'black', 'black.whl'],
  ['uv add', 'httpx', '../httpx'],
  ['uv pip install', 'numpy', 'numpy@https://e/x'],
  ['poetry add', 'httpx', 'git+https://e/x'],
  ['pipenv install', 'httpx', './httpx'],
  ['conda install -y', 'numpy=1.26', 'numpy.conda'],
  ['mamba install', 'numpy', '/tmp/numpy'],
  ['npm install', 'lodash@^4', 'somebody/lodash'],
  ['npm i -D', '@types/node', 'x@npm:y'],
  ['pnpm add', 'lodash', 'file:1x'],
  ['yarn add', 'lodash', 'https://e/x.tgz'],
  ['bun add', 'lodash', 'somebody/lodash'],
  ['gem install', 'rake', 'rake.gem'],
  ['bundle add', 'rake', '../rake'],
  ['composer require', 'monolog/monolog:^3', './monolog'],
  ['cargo install', 'ripgrep', '../ripgrep'],
  ['cargo add', 'serde', './serde'],
  ['go get', 'golang.org/x/text@v0.3.0', './text'],
  ['go install', 'golang.org/x/tools/gopls@latest', './cmd/x'],
  ['dotnet add package', 'Newtonsoft.Json', './x'],
  ['apt install -y', 'g++', './x.deb'],
  ['sudo apt-get install', 'curl=8.5.0-2 libc6:amd64', '/tmp/curl.deb'],
  ['dnf install -y', 'vim', 'vim.rpm'],
  ['yum install', 'vim', 'https://e/vim.rpm'],
  ['apk add', 'bash', '!bash'],
  ['brew install', 'wget', 'somebody/tap/wget'],
  ['snap install', 'jq', './jq.snap'],
  ['flatpak install', 'flathub', 'x.flatpakref'],
];

describe('the verdict on a package installer', () => {
  test('is tested for at least fifteen installers', () => expect(INSTALLERS.length).toBeGreaterThanOrEqual(15));

  test.each(INSTALLERS)(
    '%s is safe with %s, and unknown with %s, with both, and with a variable as the name',
    (...row) => {
      const [command, name, other] = row;
      expect(verdict(`${command} ${name}`)).toBe('safe');
      expect(verdict(`${command} ${other}`)).toBe('unknown');
      expect(verdict(`${command} ${name} ${other}`)).toBe('unknown');
      expect(verdict(`${command} "$NAME"`)).toBe('unknown');
    },
  );

  test.each(['npm install', 'pnpm install', 'bun install', 'bundle install', 'composer install', 'poetry install'])(
    '%s without a package is unknown, since the project’s own list decides what is installed',
    (command) => expect(verdict(command)).toBe('unknown'),
  );

  test.each(['apk upgrade', 'snap refresh', 'brew upgrade', 'dnf update', 'apt-get install -f'])(
    '%s without a package is unknown, since all of the system may change',
    (command) => expect(verdict(command)).toBe('unknown'),
  );

  test.each([
    'gem install --local x',
    'gem install x -- --with-x=./y',
    'bundle add x --path ../x',
    'npm i x --registry e',
  ])('%s is unknown, since the package does not come from the usual registry', (command) =>
    expect(verdict(command)).toBe('unknown'),
  );
});

describe('a conda environment', () => {
  const packages = 'dependencies:\n  - python=3.10\n  - numpy>=1.21,<1.22   # old\n  - pip:\n    - torch==2.0.0\n';
  const created = (file: string) => verdict(`printf '%s' '${file}' | conda env create -f /dev/stdin`);

  test('is safe when its file lists only shared channels and plain names', () =>
    expect(created(`name: x\nchannels:\n  - conda-forge\n  - defaults\n${packages}`)).toBe('safe'));

  test.each([
    `channels:\n  - somebody\n${packages}`,
    `${packages}    - -e .\n`,
    `${packages}    - git+https://e/x\n`,
    `${packages}prefix: /usr\n`,
    `${packages}variables:\n  PATH: /tmp\n`,
  ])('is unknown when its file contains anything other than shared channels and plain names: %j', (file) =>
    expect(created(file)).toBe('unknown'),
  );

  test('is unknown when nobody has read its file, or when an environment of that name would be replaced', () => {
    expect(verdict('conda env create -f e.yml')).toBe('unknown');
    expect(verdict(`printf '%s' '${packages}' | conda env create -y -f /dev/stdin`)).toBe('unknown');
  });
});

describe('a Python environment', () => {
  let cwd: string;
  beforeEach(() => {
    cwd = realpathSync(mkdtempSync(join(tmpdir(), 'environment-')));
    mkdirSync(join(cwd, '.venv/bin'), { recursive: true });
    writeFileSync(join(cwd, '.venv/pyvenv.cfg'), 'version = 3.11\n');
    writeFileSync(join(cwd, '.venv/bin/activate'), 'rm -rf src\n');
    writeFileSync(join(cwd, '.venv/bin/python'), '');
    writeFileSync(join(cwd, 'x.py'), 'print(1)\n');
    return () => rmSync(cwd, { recursive: true });
  });

  const there = async (command: string, own = plainFiles([])) =>
    (await judgeWithFiles(command, { cwd, files: realFiles(), own })).verdict;

  test.each([
    '. .venv/bin/activate && pip install flask && python x.py',
    '.venv/bin/python x.py',
    '.venv/bin/pip install flask',
    'python3 -m venv env && . env/bin/activate && pip install flask',
  ])('runs code of the user’s project, which is as safe as the project’s tests: %s', async (command) => {
    expect(await there(command)).toBe('safe');
    expect(await there(command, Object.assign(plainFiles([]), { isNew: () => true }))).toBe('unknown');
  });

  test.each(['.venv', '.venv/bin/python', '.venv/bin/activate'])(
    'is not safe when the session made %s',
    async (made) => {
      const own = plainFiles([join(cwd, made)]);
      expect(await there('. .venv/bin/activate', own)).toBe('destructive');
      expect(await there('.venv/bin/python x.py', own)).toBe('unknown');
    },
  );

  test.each(['mv .venv/bin x', 'mv x .venv/bin', 'cp x.py .venv/bin/pip', 'ln -s x .venv/bin/x'])(
    'makes unknown any command that changes the environment: %s',
    async (command) => expect(await there(command)).toBe('unknown'),
  );

  test('is not safe in another directory or by another name', async () => {
    expect(await there('cd nope; . .venv/bin/activate')).not.toBe('safe');
    expect(await there('. ../.venv/bin/activate')).toBe('unknown');
    expect(await there('cp -r .venv other && . other/bin/activate')).not.toBe('safe');
  });
});
