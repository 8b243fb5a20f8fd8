import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkLine } from '../../src/safety/index.ts';

let cwd = '';

beforeAll(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), 'state-')));
  for (const folder of ['src', 'dist', 'real/below']) mkdirSync(join(cwd, folder), { recursive: true });
  const files = {
    'notes.txt': 'x',
    'real/victim': 'x',
    'src/a.ts': 'x',
    'evil.sh': 'rm -rf src',
    'clean.py': 'print(1)',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), `${text}\n`);
  symlinkSync('real/below', join(cwd, 'link'));
  symlinkSync('notes.txt', join(cwd, 'to-notes'));
  symlinkSync('nothing', join(cwd, 'dangling'));
  symlinkSync('.git/hooks/pre-commit', join(cwd, 'to-hook'));
});
afterAll(() => rmSync(cwd, { recursive: true }));

const verdictOf = async (cmd: string): Promise<string> =>
  JSON.parse(await checkLine(JSON.stringify({ cmd, cwd }))).verdict;

describe('a line is not safe if its safety depends on an uncertain earlier step', () => {
  it.each([
    // The directory does not exist, so the rest runs in the current directory.
    'cd nope; ls > notes.txt',
    'cd nope\nls > notes.txt',
    'pushd nope; ls > notes.txt',
    'cd nope; cd deeper; ls > notes.txt',
    'f() { cd nope; }; f; ls > notes.txt',
    "bash -c 'cd nope; ls > notes.txt'",
    'cd nope || ls > notes.txt',
    'cd nope || echo none; ls > notes.txt',
    'cd nope; bash evil.sh',
    // The directory exists, but the `cd` may not run.
    'grep -q x y && cd dist; ls > notes.txt',
    '[ -d nope ] && cd nope; ls > notes.txt',
    'true || cd dist; ls > notes.txt',
    'if cd nope; then ls; fi; ls > notes.txt',
    'cd dist & ls > notes.txt',
    '(cd dist); ls > notes.txt',
    'cd nope; cd a; cd b; cd c; cd d; cd e; cd f; cd g; cd h; ls > notes.txt',
    // A glob names the script.
    'bash ev*l.sh',
    'source ev?l.sh',
    'python3 clea?.py',
    // Variables that evaluate their assigned text.
    "RANDOM='a[$(rm -rf src)]'",
    "OPTIND='a[$(rm -rf src)]'",
    "HISTCMD='a[$(rm -rf src)]'",
    "read RANDOM <<< 'a[$(rm -rf src)]'",
    "printf -v SECONDS '%s' 'a[$(rm -rf src)]'",
    "for RANDOM in 'a[$(rm -rf src)]'; do :; done",
    // Links that the line makes, and a parent directory reached through one.
    'cp -l notes.txt n; echo x > n',
    'cp -al src s2; echo x > s2/a.ts',
    'cp -s "$PWD/notes.txt" n; echo x > n',
    'mv to-notes n; echo x > n',
    'mv to-notes dist; echo x > dist/to-notes',
    'cp -P to-notes n; echo x > n',
    'cp -a to-notes n; echo x > n',
    'echo x > link/../victim',
    'cd link; ls > ../victim',
    'cd link; cd -P ..; ls > victim',
    'mv link moved; echo x > moved/../victim',
    'cp -R dangling n; echo x > n',
    'unzip -q a.zip; echo x > n',
    'git merge -q others; echo x > n',
    'git clone -q other copy; cp notes.txt copy',
    'echo x > to-hook',
    'touch -d yesterday notes.txt',
    // The operands come from the output of another command.
    'chmod 644 $(find .)',
    'find / -type f -exec chmod 600 {} +',
    'ls / | xargs chmod 700',
    'chmod 644 src',
    'chmod 600 to-notes',
    "python3 -c \"import os, shutil; os.makedirs('src', exist_ok=True); shutil.rmtree('src')\"",
    'ln -s /etc/passwd /srv/a-new-page.html',
    'echo x > /srv/a-new-page.php',
    'chmod 600 *',
    'for d in src; do chmod u=rw $d; done',
  ])('%s', async (cmd) => expect(await verdictOf(cmd)).not.toBe('safe'));
});

describe('a line is safe where its earlier steps are certain', () => {
  it.each([
    'cd dist; ls > notes.txt',
    'cd dist && ls > notes.txt',
    'cd nope && ls > notes.txt',
    'cd nope || exit 1; ls > notes.txt',
    'cd nope || { echo none; exit 1; }; ls > notes.txt',
    'set -e; cd nope; ls > notes.txt',
    '[ -d dist ] && cd dist; ls > notes.txt',
    'mkdir -p out && cd out; ls > notes.txt',
    'cd nope; ls > fresh.txt',
    'RANDOM=42; OPTIND=1',
    'echo hello > /srv/a-new-page.html',
    "python3 -c \"import os, shutil; os.makedirs('made'); shutil.rmtree('made')\"",
    'chmod 644 notes.txt',
    'chmod 755 src',
    'chmod go-x src',
    'mv clean.py tidy.py; echo x > other.txt',
    'cp -a src s2; echo x > s2/new.ts',
  ])('%s', async (cmd) => expect(await verdictOf(cmd)).toBe('safe'));
});
