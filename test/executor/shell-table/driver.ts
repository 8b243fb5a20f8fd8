/** Two ways to drive a shell by the same steps: the plain shell in a terminal, and inside aish-tui. */
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { RunningCommand } from '../../../src/contracts/commands.ts';
import { startUserShell } from '../../../src/executor/index.ts';
import { findProcess, processesOf } from '../../../src/executor/processes.ts';
import { Pty } from '../../../src/executor/pty.ts';
import { waitsForLine } from '../../../src/executor/terminal-state.ts';
import { HEAVY } from './heavy.ts';
import { PROMPT_TEXT as PROMPT, type Row, type ShellName, type Step } from './row.ts';

/** Under load everything takes five times as long. */
const PATIENCE_MS = process.env.AISH_SHELL_TABLE === 'loaded' ? 60_000 : 12_000;
const LOOK_EVERY_MS = 3;

/** Startup files that every row starts with. */
const PLAIN: Readonly<Record<ShellName, readonly [path: string, text: string]>> = {
  bash: ['.bashrc', `PS1='${PROMPT} '; PS2='@@2@@ '; HISTCONTROL=ignoreboth; alias hi='echo hi there'\n`],
  zsh: [
    '.zshrc',
    `PS1='${PROMPT} '; PS2='@@2@@ '; HISTFILE=~/.zsh_history HISTSIZE=1000 SAVEHIST=1000
setopt hist_ignore_space hist_ignore_dups interactive_comments; alias hi='echo hi there'\n`,
  ],
  fish: [
    '.config/fish/config.fish',
    `set -g fish_greeting; alias hi='echo hi there'; function fish_prompt; echo -n '${PROMPT} '; end\n`,
  ],
};

type Driver = {
  readonly pid: number;
  start(line: string): void;
  keys(bytes: string): void;
  /** Returns what the shell printed since the last line was sent. */
  seen(): string;
  /** Returns what the last line showed, and what was printed between lines since. */
  shown(): string;
  /** Returns whether the shell can take a line. */
  atPrompt(): boolean;
  /** Returns whether the shell has ended. */
  ended(): boolean;
  dispose(): Promise<void>;
};

export type Way = { readonly inside: boolean; readonly heavy: boolean };

/** Runs a row in one way and returns the contents of its files. Throws with the step that was never reached. */
export async function play(row: Row, shell: ShellName, program: string, { inside, heavy }: Way): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'shell-table-'));
  const out = join(home, 'O');
  const [path, text] = PLAIN[shell];
  mkdirSync(join(home, '.config/fish'), { recursive: true });
  writeFileSync(join(home, path), text);
  appendFileSync(join(home, path), (heavy ? HEAVY[shell] : '') + (row.rc?.[shell] ?? ''));
  const env = {
    HOME: home,
    O: out,
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    SHELL: program,
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
  };
  const driver = await (inside ? insideDriver : nativeDriver)(program, home, env);
  try {
    await until(() => driver.atPrompt(), 'the first prompt');
    for (const step of row.steps[shell] ?? []) await take(step, driver, out);
    const named = row.files ?? [''];
    const files = Array.isArray(named)
      ? named
      : ((named as Partial<Record<ShellName, readonly string[]>>)[shell] ?? []);
    const texts = files.map((name: string) => read(name.startsWith('~') ? home + name.slice(1) : out + name));
    return (row.clean ?? String)(texts.join('---\n'));
  } finally {
    await driver.dispose();
    rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  }
}

async function take(step: Step, driver: Driver, out: string): Promise<void> {
  if (typeof step === 'string') {
    driver.start(step);
    await until(() => driver.atPrompt(), `a prompt behind ${step.slice(0, 80)}`, driver);
  } else if ('start' in step) driver.start(step.start);
  else if ('keys' in step) driver.keys(step.keys);
  else if ('front' in step) {
    const name = () => findProcess(findProcess(driver.pid)?.foreground ?? -1)?.name;
    await until(() => name() === step.front, `${step.front} in front`, driver);
  } else if ('shows' in step) await until(() => driver.seen().includes(step.shows), `it shows ${step.shows}`, driver);
  else if ('file' in step)
    await until(() => read(out + step.file).includes(step.holds), `a file holds ${step.holds}`, driver);
  else if ('shown' in step) appendFileSync(out, `${driver.shown()}\n`);
  else if ('prompt' in step) await until(() => driver.atPrompt(), 'a prompt', driver);
  else await until(() => driver.ended(), 'the end', driver);
}

async function nativeDriver(program: string, home: string, env: Record<string, string>): Promise<Driver> {
  let log = '';
  let from = 0;
  let gone = false;
  const pty: Pty = new Pty({
    argv: [program, '-i'],
    cwd: home,
    env,
    columns: 80,
    rows: 24,
    onData: (data) => {
      const text = data.toString('latin1');
      log += text;
      if (text.includes('\x1b[c') || text.includes('\x1b[0c')) pty.write('\x1b[?1;2c');
    },
    onExit: () => {
      gone = true;
    },
  });
  return {
    pid: pty.pid,
    start(line) {
      from = log.length;
      // A terminal sends an Enter for each line, and Ctrl-V puts the key after it into the line.
      const keys = line.replace(/[\x01-\x09\x0b-\x1f\x7f]/g, '\x16$&').replaceAll('\n', '\r');
      pty.write(`${keys}\r`);
    },
    keys(bytes) {
      from = log.length;
      pty.write(bytes);
    },
    seen: () => log.slice(from),
    shown: () => log.slice(from),
    atPrompt: () => gone || (log.slice(from).includes(PROMPT) && waitsForLine(pty.pid, pty.slave) === true),
    ended: () => gone,
    async dispose() {
      killAll(pty.pid);
      pty.dispose();
      await until(() => gone, 'the shell is gone');
    },
  };
}

async function insideDriver(program: string, home: string, env: Record<string, string>): Promise<Driver> {
  const dataDir = join(home, 'data');
  mkdirSync(dataDir);
  let gone = false;
  let running: RunningCommand | undefined;
  let done = true;
  let idle = '';
  let head = '';
  const shell = await startUserShell({
    cwd: home,
    env,
    columns: 80,
    rows: 24,
    dataDir,
    onIdleOutput: (text) => {
      idle += text;
    },
    onExit: () => {
      gone = true;
    },
  });
  idle = '';
  if (shell.program !== program) throw new Error(`${shell.program} runs instead of ${basename(program)}`);
  const follow = (next: RunningCommand) => {
    running = next;
    done = false;
    void next.result.then(async (result) => {
      head = result.head;
      const typed = await next.unread();
      const end = typed.indexOf('\n');
      if (end >= 0) {
        // Handles lines of the shell as the program does.
        follow(shell.run(typed.slice(0, end)));
        running?.write(typed.slice(end + 1).replaceAll('\n', '\r'));
      } else if (running === next) done = true;
    });
  };
  const pid = shell.pid;
  return {
    pid,
    start: (line) => follow(shell.run(line)),
    keys: (bytes) => running?.write(bytes),
    seen: () => running?.output.lines(100).join('\n') ?? '',
    shown() {
      const text = head + idle;
      idle = '';
      return text;
    },
    atPrompt: () => done,
    ended: () => gone,
    async dispose() {
      killAll(pid);
      await shell.dispose();
    },
  };
}

/** Ends every process that a row left running, except the shell itself. */
function killAll(shell: number): void {
  for (const pid of processesOf(shell)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // The process has just ended.
    }
  }
}

function read(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

async function until(condition: () => boolean, what: string, driver?: Driver): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!condition()) {
    if (Date.now() > end) throw new Error(`waited in vain for ${what}; seen: ${driver?.seen().slice(-300) ?? ''}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
