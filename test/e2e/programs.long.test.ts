/** Everyday programs in the built aish-tui. Each gets the keyboard or the screen and returns it. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lacks } from '../support/lacks.ts';
import { type Scratch, scratch } from '../support/program.ts';
import { expectSameWhenRedrawn } from '../support/redrawn.ts';
import { type Rig, startRig } from '../support/rig.ts';
import { say, startScriptedServer } from '../support/scripted-server.ts';

const PASSWORD = 'hunter2-9471';

/** Asks on the terminal without echo, as `sudo` does, and again after a wrong password. */
const SUDO_LIKE = `#!/bin/bash
exec 3<>/dev/tty
for try in 1 2; do
  stty -echo <&3
  printf '[sudo-like] password for me: ' >&3
  IFS= read -r word <&3; stty echo <&3
  printf '\\n' >&3
  if [ "$word" = ${PASSWORD} ]; then "$@"; exit; fi
  echo 'Sorry, try again.' >&3
done
exit 1
`;

/** Waits for the end of `line` and for the prompt, which shows that the keyboard is back. */
async function ended(rig: Rig, line: string, exit = 0): Promise<void> {
  const escaped = line.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  await rig.waitFor(new RegExp(`❯ \\S*${escaped}[^\\n]*${exit === 0 ? '✓' : `✗ ${exit}`}[\\s\\S]*\\[aish:\\w+\\]>`));
}

/** Returns everything the program stores: history, journal and log. */
function kept(place: Scratch): string {
  return readdirSync(place.home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}

async function program(place: Scratch): Promise<Rig> {
  const rig = startRig(place);
  await rig.waitFor(/\[aish:\w+\]>/);
  return rig;
}

/**
 * A program like fzf and tools of Go, .NET and the JVM: its first thread sleeps. Another one asks the terminal for its
 * cursor, draws after the answer, and reads keys from /dev/tty until Enter. Keys typed before the answer count.
 */
const SECOND_THREAD = `#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>
static void *reader(void *none) {
  int tty = open("/dev/tty", O_RDWR), row, column, length = 0;
  char text[64] = {0}, *escape, c;
  struct termios old, raw;
  tcgetattr(tty, &old);
  raw = old;
  raw.c_lflag &= ~(ICANON | ECHO);
  tcsetattr(tty, TCSANOW, &raw);
  (void)!write(tty, "\\033[6n", 4);
  while (read(tty, &c, 1) == 1 && c != 'R' && length < 63) text[length++] = c;
  escape = strchr(text, 27);
  dprintf(tty, "%s", escape && sscanf(escape + 1, "[%d;%d", &row, &column) == 2 ? "list> " : "no answer> ");
  for (length = escape ? escape - text : 0; read(tty, &c, 1) == 1 && c != '\\r' && c != '\\n';) text[length++ & 31] = c;
  tcsetattr(tty, TCSANOW, &old);
  dprintf(tty, "\\nchose <%.*s>\\n", length, text);
  return none;
}
int main(void) {
  pthread_t thread;
  sleep(1);
  pthread_create(&thread, 0, reader, 0);
  return pthread_join(thread, 0);
}
`;

describe('a program that reads the terminal in another thread', () => {
  it.skipIf(lacks('cc'))(
    'gets its answer and all keys typed before it drew anything, and the prompt gets none of them',
    async () => {
      using place = scratch();
      writeFileSync(join(place.work, 'second.c'), SECOND_THREAD);
      execFileSync('cc', ['-pthread', '-o', join(place.work, 'second'), join(place.work, 'second.c')]);
      await using rig = await program(place);
      rig.type('./second\r');
      await rig.waitFor('running');
      rig.type('be');
      await rig.waitFor(/list>/);
      await rig.waitFor(/keys go to the program/);
      expect(rig.text()).toMatch(/\]> *$/m);
      rig.type('ta\r');
      await rig.waitFor('chose <beta>');
      await ended(rig, './second');
    },
  );

  it.skipIf(lacks('fzf'))('can be fzf below the prompt, set by its option or by FZF_DEFAULT_OPTS', async () => {
    using place = scratch();
    await using rig = await program(place);
    for (const line of ['fzf --height 40%', 'FZF_DEFAULT_OPTS=--height=40% fzf']) {
      const whole = `printf 'alpha\\nbeta\\ngamma\\n' | ${line}`;
      rig.type(`${whole}\r`);
      await rig.waitFor(/> alpha[\s\S]*3\/3/);
      rig.type('ga');
      await rig.waitFor(/> gamma[\s\S]*1\/3[\s\S]*> ga/);
      rig.type('\r');
      await ended(rig, whole);
      expect(rig.text()).toMatch(/│ gamma/);
    }
  });
});

describe('an interactive program', () => {
  it.skipIf(lacks('python3'))('python3 holds a conversation and returns to the prompt', async () => {
    using place = scratch();
    await using rig = await program(place);
    rig.type('python3 -q\r');
    await rig.waitFor(/>>>$/m);
    rig.type('6 * 7\r');
    await rig.waitFor(/^\W*42$/m);
    rig.type('exit()\r');
    await ended(rig, 'python3 -q');
    rig.type('echo back\r');
    await ended(rig, 'echo back');
  });

  it.skipIf(lacks('script'))('script runs a shell in a terminal of its own, as ssh does', async () => {
    using place = scratch();
    await using rig = await program(place);
    rig.type('script -q -c "bash --norc -i" /dev/null\r');
    await rig.waitFor(/bash-[\d.]+[#$] ?$/m);
    rig.type('echo far"-"away; [ -t 0 ] && exit 7\r');
    await rig.waitFor(/^\W*far-away/m);
    await ended(rig, 'script -q');
  });

  it.skipIf(lacks('top'))('top redraws in its pane, reacts to keys, and leaves at q', async () => {
    using place = scratch();
    await using rig = await program(place);
    rig.type('top -d 0.3\r');
    await rig.waitFor('load average');
    await rig.waitFor('keys go to the program');
    rig.type('q');
    await ended(rig, 'top -d 0.3');
  });
});

it('a program gets a terminal as large as its pane, also after the window was resized while nothing ran', async () => {
  using place = scratch();
  await using rig = await program(place);
  rig.type('stty size\r');
  await rig.waitFor('│ 19 78');
  rig.resize(100, 30);
  await rig.waitFor(() => rig.screen()[29]?.includes('RESTRICTED --') === true);
  rig.type('stty size\r');
  await rig.waitFor('│ 25 98');
});

describe('a password', () => {
  it('goes directly to the program that asked, and is stored nowhere', async () => {
    await using server = await startScriptedServer([say('I saw.')]);
    using place = scratch(server.baseUrl);
    writeFileSync(join(place.work, 'sudo-like'), SUDO_LIKE, { mode: 0o755 });
    await using rig = await program(place);
    rig.type(`read -rsp 'Secret: ' word; echo; echo "it has \${#word} letters"\r`);
    await rig.waitFor('typing is hidden: it goes to bash');
    rig.type(`${PASSWORD}\r`);
    await rig.waitFor(new RegExp(`✓[\\s\\S]*it has ${PASSWORD.length} letters\\n`));
    rig.type('./sudo-like echo "as root"\r');
    await rig.waitFor(/password for me: *$/m);
    await rig.waitFor('typing is hidden: it goes to sudo-like');
    rig.type('wrong\r');
    await rig.waitFor(/Sorry, try again\.\n.*password for me: *$/m);
    rig.type(`${PASSWORD}\r`);
    await rig.waitFor(/^\W*as root$/m);
    await ended(rig, 'sudo-like');
    rig.type('?what happened\r');
    await rig.waitFor('I saw.');
    rig.type(':quit\r');
    await rig.exited;
    expect(rig.raw).not.toContain(PASSWORD);
    expect(kept(place)).not.toContain(PASSWORD);
    expect(server.requests[0]?.text).toContain('as root');
    expect(server.requests[0]?.text).not.toContain(PASSWORD);
  });
});

describe('a full-screen program', () => {
  it.skipIf(lacks('vim'))('vim opens, edits, saves and returns', async () => {
    using place = scratch();
    await using rig = await program(place);
    rig.type('echo before\r');
    await ended(rig, 'echo before');
    rig.type('vim -u NONE -n note.txt\r');
    await rig.waitFor(() => rig.screen()[22]?.startsWith('~') === true);
    rig.type('ihello from vim');
    await rig.waitFor(() => rig.screen()[0] === 'hello from vim');
    rig.key('escape');
    rig.type(':wq\r');
    await ended(rig, 'vim -u NONE -n note.txt');
    expect(readFileSync(join(place.work, 'note.txt'), 'utf8')).toBe('hello from vim\n');
    // What vim painted is gone and the earlier screen is back.
    expect(rig.text()).toMatch(/│ before\n/);
    expect(rig.text()).not.toContain('hello from vim');
    expect(rig.screen().at(-1)).toContain('RESTRICTED --');
    rig.type('cat note.txt\r');
    await rig.waitFor(/❯ cat note\.txt .*✓[^\n]*\n│ hello from vim/);
    // The status bar shows the end one frame later.
    await rig.waitForGone('running ');
    await expectSameWhenRedrawn(rig);
  });
});
