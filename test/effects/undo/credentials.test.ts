import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isCredential } from '../../../src/knowledge/credential-files.ts';
import { shellQuote } from '../../../src/text/shell.ts';
import { lacks } from '../../support/lacks.ts';
import { buildTools, type Tools } from '../sandbox/tools.ts';
import { makeScene, type Scene } from './scene.ts';

const FILES = [
  ...['.env', '.env.production', 'config/prod.env', '.envrc', '.netrc', '.npmrc', '.pypirc', '.pgpass', '.my.cnf'],
  ...['.git-credentials', '.config/git/credentials', '.config/rclone/rclone.conf', '.s3cfg', '.boto', '.vault-token'],
  ...['.cache/huggingface/token', '.huggingface/token', '.terraform.d/credentials.tfrc.json', '.terraformrc'],
  ...['prod.tfvars', 'terraform.tfstate', '.aws/credentials', '.ssh/id_ed25519', '.kube/config', '.docker/config.json'],
  ...[
    '.config/gh/hosts.yml',
    '.cargo/credentials.toml',
    'server.key',
    'client_secret_1.json',
    '.mozilla/firefox/a.b/Login Data',
  ],
];
/** Programs that change a file, each in its own way; they are used in turn. */
const WAYS = [
  (file: string) => `echo new > ${file}`,
  (file: string) => `echo more >> ${file}`,
  (file: string) => `rm ${file}`,
  (file: string) => `echo new > tmp && mv tmp ${file}`,
  (file: string) => `truncate -s 1 ${file}`,
  (file: string) => `mv ${file} ${file}.example`,
];

let tools: Tools;
let scene: Scene;

function put(file: string, text: string): void {
  const path = join(scene.tree, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function storedTexts(): string {
  const all = readdirSync(scene.store, { recursive: true, encoding: 'utf8' }).map((name) => join(scene.store, name));
  return all
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'latin1'))
    .join('\n');
}

describe.skipIf(lacks('cc'))('credential files', () => {
  beforeAll(async () => {
    tools = await buildTools();
    scene = makeScene(tools.launcher);
  });
  afterAll(() => {
    scene.dispose();
    tools.dispose();
  });

  test('leave no old text in the undo store after commands changed thirty of them', async () => {
    expect(FILES).toHaveLength(30);
    expect(FILES.filter((file) => !isCredential(file))).toEqual([]);
    for (const [at, file] of FILES.entries()) put(file, `a password ${at} of old\n`);
    put('notes.txt', 'a note of old\n');
    const commands = FILES.map((file, at) => WAYS[at % WAYS.length]?.(shellQuote(file)));
    const { code, notes } = await scene.keep([...commands, 'echo new > notes.txt'].join('\n'));
    expect(code).toBe(0);
    const stored = storedTexts();
    expect(stored).toContain('a note of old');
    expect(stored).not.toMatch(/a password \d+ of old/);
    const named = FILES.filter((file) => notes.includes(`secret ${join(scene.tree, file)}`));
    expect(named.length).toBeGreaterThan(20);
  });

  test('that are samples or public keys are kept like any other file', async () => {
    const files = ['.env.example', 'sample.env', '.ssh/id_rsa.pub', '.ssh/config', '.ssh/known_hosts', 'pubkey.pem'];
    for (const file of files) put(file, `the old text of ${file}\n`);
    await scene.keep(files.map((file) => `echo new > ${file}`).join('\n'));
    const stored = storedTexts();
    expect(files.filter((file) => !stored.includes(`the old text of ${file}`))).toEqual([]);
  });

  const LOSSES = [
    'echo new > .env',
    'sed -i s/old/new/ .env',
    'rm -f .env',
    'echo new > tmp; mv tmp .env',
    'mv .env /tmp/elsewhere',
    'truncate -s 0 .env',
    `python3 -c "import os; os.truncate('.env', 1)"`,
    'tar xf pack.tar',
  ];
  test.each(LOSSES)('that are protected: an environment file of which no copy is kept survives %s', async (loss) => {
    put('.env', 'an old password\n');
    await scene.real('mkdir -p p && echo packed > p/.env && tar cf pack.tar -C p .env');
    const { code, notes } = await scene.keep(loss, { protects: true, project: true });
    expect(code).not.toBe(0);
    expect(readFileSync(join(scene.tree, '.env'), 'latin1')).toBe('an old password\n');
    expect(notes).toContain(`protected ${join(scene.tree, '.env')}`);
    expect(notes.filter((note) => /^(?:secret|refused) /.test(note))).toEqual([]);
  });

  test('that are protected can be read, appended to, moved, made, and overwritten by git', async () => {
    put('.env', 'an old password\n');
    const script = `set -e
      cat .env; echo more >> .env; chmod 600 .env; mv .env .env.bak; mv .env.bak .env
      echo made > new.env; echo again > new.env; rm new.env
      git init -q r; cd r; git config user.email a@b; git config user.name a
      echo one > .npmrc; git add .; git commit -qm one
      echo two > .npmrc; git commit -qam two; git checkout -q HEAD~`;
    const { code, notes } = await scene.keep(script, { protects: true });
    expect(notes.filter((note) => note.startsWith('protected '))).toEqual([]);
    expect(code).toBe(0);
    expect(readFileSync(join(scene.tree, '.env'), 'latin1')).toBe('an old password\nmore\n');
  });

  test('that packages ship are kept and replaced like any other file', async () => {
    put('node_modules/tls/test/server.key', 'a key of old for tests\n');
    const { code } = await scene.keep('rm -r node_modules', { protects: true });
    expect(code).toBe(0);
    expect(storedTexts()).toContain('a key of old for tests');
  });
});
