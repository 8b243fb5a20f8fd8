/** Everyday read-only commands give the same output and exit code inside the sandbox as outside. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPrivateTmp, sandboxArgv, sandboxEnvironment } from '../../../src/effects/sandbox/index.ts';
import { lacks } from '../../support/lacks.ts';
import { inPty } from './pty.ts';
import { run } from './run.ts';
import { buildTools, type Tools } from './tools.ts';

const COMMANDS: readonly string[] = [
  'ls -la',
  'ls -laR --color=always',
  'cat text.txt data.json',
  'head -n 3 numbers.txt; tail -n 3 numbers.txt',
  'wc -lwc *',
  'grep -rn "needle" .',
  'grep -c . numbers.txt | sort -n',
  'find . -type f -size -10k -printf "%p %s %m\\n" | sort',
  'find / -maxdepth 1 | sort',
  'sort -rn numbers.txt | uniq -c | head',
  'sort -S 1M --parallel=2 numbers.txt | md5sum',
  'awk "{s+=\\$1} END {print s}" numbers.txt',
  'sed -n "s/line/LINE/p" text.txt',
  'cut -d: -f1,7 /etc/passwd | head -5',
  'tr a-z A-Z < text.txt | rev',
  'diff text.txt other.txt',
  'cmp text.txt other.txt',
  'comm -12 <(sort text.txt) <(sort other.txt)',
  'paste numbers.txt text.txt | head -4',
  'stat -c "%n %s %a %U" *',
  'file text.txt data.json 2>/dev/null || echo no file',
  'md5sum *.txt; sha256sum *.txt; cksum text.txt',
  'od -c text.txt | head -3; xxd text.txt 2>/dev/null | head -2',
  'base64 text.txt | base64 -d',
  'gzip -c text.txt | gunzip',
  'tar -cf - --exclude=.git . | tar -tf - | sort',
  'tar -czf "$TMPDIR/x.tgz" text.txt && tar -tzf "$TMPDIR/x.tgz"',
  'du -s --apparent-size . | cut -f2; df -P / | tail -1 | cut -d" " -f1',
  'git log --oneline; git status --short; git diff; git branch',
  'git show --stat HEAD; git blame text.txt | cut -c1-8',
  'git grep needle; git ls-files; git rev-parse HEAD',
  "python3 -c \"import json; print(json.load(open('data.json'))['a'])\"",
  "python3 -c \"import sqlite3; print(sqlite3.connect(':memory:').execute('select 1+1').fetchone())\"",
  "python3 -c \"import subprocess; print(subprocess.run(['echo', 'hi'], capture_output=True).stdout)\"",
  'python3 -c "import threading; t=threading.Thread(target=lambda: print(1)); t.start(); t.join()"',
  "python3 -c \"import tempfile; f=tempfile.NamedTemporaryFile(); f.write(b'x'); print('ok')\"",
  'python3 -c "import asyncio; print(asyncio.run(asyncio.sleep(0, 3)))" 2>&1 | tail -1',
  'perl -ne "print if /needle/" text.txt',
  'node -e "console.log([1,2,3].map(x => x * 2))"',
  'node -e "new WebAssembly.Module(new Uint8Array([0,97,115,109,1,0,0,0])); console.log(\'wasm\')"',
  "node -e \"new (require('worker_threads').Worker)('console.log(1)', {eval: true})\"",
  "node -e \"console.log(require('child_process').execSync('echo hi').toString())\"",
  'echo 1 2 3 | xargs -n1 -P2 echo | sort',
  'seq 1 5 | tee "$TMPDIR/copy" | tail -1; cat "$TMPDIR/copy"',
  'date -u -d @0 +%F; cal 1 2020 2>/dev/null | head -1',
  'env -i PATH="$PATH" bash -c "echo \\$0"',
  'uname -sm; hostname; whoami; id -un; nproc',
  'printf "%s\\n" {a..c}; echo $((6*7)); echo $BASH_VERSINFO',
  'cat <<EOF\nhere\nEOF\ncat <<< string',
  'mktemp >/dev/null && mktemp -d >/dev/null && echo made',
  'timeout 5 echo in time; nice -n 5 echo nice',
  'ps -o comm= -p $$; pgrep -c no-such-program',
  'test -r text.txt -a -w . ; echo $?; [[ -x /bin/sh ]]; echo $?',
  'readlink -f .; realpath text.txt; basename "$PWD"',
  'make -n -f rules.mk; make -s -f rules.mk',
  'cc -fsyntax-only main.c; cc -S main.c -o - | grep -c puts',
  'jq -c . data.json 2>/dev/null || echo no jq',
  'which ls; type cd; command -v bash',
  'exit 3',
  'no-such-command',
  'false | true; echo $PIPESTATUS',
  '(exit 4); echo $?; trap "echo bye" EXIT',
];

/** The programs that these commands need: without them a command would give the same error inside and outside. */
const missing = ['awk', 'cc', 'diff', 'git', 'gzip', 'make', 'perl', 'ps', 'python3', 'tar', 'which'].filter(lacks);
const possible = COMMANDS.filter((command) => !missing.some((program) => command.startsWith(`${program} `)));

let tools: Tools;
let outer: string;
let place: string;
beforeAll(async () => {
  tools = await buildTools();
  // The directory is one level below the temporary directory: the commands list `..` too, and the temporary directory
  // itself changes all the time.
  outer = mkdtempSync(join(tmpdir(), 'aish-everyday-'));
  place = join(outer, 'place');
  mkdirSync(join(place, 'sub'), { recursive: true });
  writeFileSync(join(place, 'text.txt'), 'first line\nneedle line\nlast line\n');
  writeFileSync(join(place, 'other.txt'), 'first line\nanother line\nlast line\n');
  writeFileSync(join(place, 'sub/deep.txt'), 'a needle\n');
  writeFileSync(join(place, 'data.json'), '{"a": [1, 2, {"b": null}]}\n');
  writeFileSync(join(place, 'numbers.txt'), Array.from({ length: 2000 }, (_, i) => `${(i * 7919) % 1000}\n`).join(''));
  writeFileSync(join(place, 'rules.mk'), 'all:\n\t@echo built\n');
  writeFileSync(join(place, 'main.c'), '#include <stdio.h>\nint main(void) { puts("compiled"); }\n');
  const git = 'git init -q . && git add . && git -c user.name=a -c user.email=a@b commit -qm first';
  await run(['bash', '-c', git], { cwd: place });
});
afterAll(() => {
  tools?.dispose();
  rmSync(outer, { recursive: true, force: true });
});

async function outcome(command: string, inside: boolean) {
  const tmp = createPrivateTmp();
  try {
    const plain = { PATH: process.env.PATH ?? '', HOME: place, LC_ALL: 'C.UTF-8', TERM: 'xterm', COLUMNS: '200' };
    const argv = ['bash', '-c', command];
    const pty = inPty(inside ? sandboxArgv({ launcher: tools.launcher, argv, tmpDir: tmp.path }) : argv, {
      cwd: place,
      env: sandboxEnvironment(plain, tmp.path),
    });
    const { exitCode } = await pty.ended;
    return { exitCode, text: pty.text().replaceAll(tmp.path, '$TMPDIR') };
  } finally {
    tmp.dispose();
  }
}

it.skipIf(lacks('cc'))('at least forty everyday commands are tested', () =>
  expect(COMMANDS.length).toBeGreaterThanOrEqual(40),
);

it.skipIf(lacks('cc')).each(possible)('%s gives the same result inside the sandbox as outside', async (command) => {
  const outside = await outcome(command, false);
  expect(await outcome(command, true)).toEqual(outside);
});
