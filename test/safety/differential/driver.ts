/**
 * Runs only inside the confinement (`confine.sh`): takes cases from standard input, judges each line in its tree, runs
 * the safe ones, and reports what they changed.
 */
import { spawnSync } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename } from 'node:path';
import { realFiles } from '../../../src/safety/files.ts';
import { judgeCommand, judgeWithFiles } from '../../../src/safety/judge.ts';
import type { Case, Outcome } from './case.ts';
import { contentLost, losses } from './compare.ts';
import { Seen } from './seen.ts';
import { fill, freshTree, HOME, makeTemplate, PROJECT, snapshot } from './tree.ts';

const WALL_MS = 2000;
const TRACE = '/log/trace';
const LIMITS = ['--fsize=30000000', '--core=0', '--cpu=3', '--nproc=300', '--nofile=512', '--data=3000000000'];
const ENVIRONMENT = { PATH: process.env.PATH, HOME, TERM: 'xterm', LANG: 'C.UTF-8', USER: 'u', PWD: PROJECT };
const TRACED = `strace -f -qq -s 200 -e trace=execve,execveat -e signal=none -o ${TRACE} bash --norc -c`.split(' ');
const PLAIN = ['bash', '--norc', '-c'];
/** Arguments for a separate process namespace, in which processes of a line end with it. */
const OWN = [
  '--user',
  '--map-user=1000',
  '--map-group=1000',
  '--pid',
  '--mount',
  '--fork',
  '--kill-child',
  '--mount-proc',
];

assertConfined();
makeTemplate();
const cases: readonly Case[] = readFileSync(0, 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line));
for (const { line, judged, setup } of cases) {
  freshTree();
  if (setup !== undefined) {
    writeSync(1, `${JSON.stringify([await outcomeInState(line, setup, judged)])}\n`);
    continue;
  }
  const filled = fill(line);
  const outcomes = [outcome(line, 'present', judged)];
  if (filled) {
    freshTree();
    outcomes.push(outcome(line, 'absent', judged));
  }
  writeSync(1, `${JSON.stringify(outcomes)}\n`);
}

/** Ends the driver, before any line runs, if the confinement is incomplete. */
function assertConfined(): void {
  const status = readFileSync('/proc/self/status', 'utf8');
  const networks = readFileSync('/proc/self/net/dev', 'utf8')
    .split('\n')
    .flatMap((row) => /^ *(\w+):/.exec(row)?.[1] ?? [])
    .filter((name) => name !== 'lo');
  const writable = ['/', '/usr', '/etc', '/opt', '/dev'].filter((folder) => isWritable(folder));
  const holds = /^CapEff:\t0+$/m.test(status) && /^NoNewPrivs:\t1$/m.test(status) && process.getuid?.() !== 0;
  const alone = readdirSync('/').every((name) => /^(usr|etc|proc|dev|tmp|home|opt|log|s?bin|lib(32|64)?)$/.test(name));
  if (!holds || !alone || networks.length > 0 || writable.length > 0)
    throw new Error(`not confined: ${JSON.stringify({ holds, alone, networks, writable })}`);
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns the result of a line in the current tree. */
function outcome(line: string, tree: Outcome['tree'], judged: boolean): Outcome {
  const seen = new Seen();
  const { verdict } = judgeCommand(line, { cwd: PROJECT, files: realFiles() }, seen);
  if (judged && verdict !== 'safe') return { line, tree, verdict, losses: [], unnamed: [], end: 'not run' };
  const before = snapshot();
  const end = run(line);
  const lost = losses(before, snapshot(), seen);
  return { line, tree, verdict, losses: judged && seen.undo ? [] : lost, unnamed: seen.unnamed(started()), end };
}

/** Returns the result of a line in the tree after a setup, with the files that it runs read first. */
async function outcomeInState(line: string, setup: string, judged: boolean): Promise<Outcome> {
  const made = spawnSync('bash', ['--norc', '-c', setup], { cwd: PROJECT, env: ENVIRONMENT, encoding: 'utf8' });
  if (made.error) throw made.error;
  const seen = new Seen();
  judgeCommand(line, { cwd: PROJECT, files: realFiles() }, seen);
  const { verdict } = await judgeWithFiles(line, { cwd: PROJECT, files: realFiles() });
  const outcome = { line, tree: 'state', verdict, unnamed: [] } as const;
  if (judged && verdict !== 'safe') return { ...outcome, losses: [], end: 'not run' };
  const before = snapshot();
  const end = run(line, PLAIN, judged ? WALL_MS : 5 * WALL_MS);
  const lost = contentLost(before, snapshot(), seen);
  // A change of git’s internal notes can be reverted by the command that its manual names.
  return { ...outcome, losses: judged && seen.undo ? lost.filter((loss) => !loss.includes('/.git/')) : lost, end };
}

/** Runs a line under every limit, and returns how it ended. */
function run(line: string, shell = TRACED, timeout = WALL_MS): string {
  rmSync(TRACE, { force: true });
  const { status, signal, stderr } = spawnSync('unshare', [...OWN, 'prlimit', ...LIMITS, ...shell, line], {
    cwd: PROJECT,
    env: ENVIRONMENT,
    timeout,
    killSignal: 'SIGKILL',
    maxBuffer: 200_000,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  unlock();
  if (shell === TRACED && (!existsSync(TRACE) || statSync(TRACE).size === 0))
    throw new Error(`nothing was started for ${line}: ${stderr}`);
  if (signal) return 'stopped';
  return status === 127 || /command not found/.test(stderr) ? 'missing' : `exit ${status}`;
}

/** Restores the permissions of the folders around the tree after `chmod -R 000 /`, where possible. */
function unlock(): void {
  for (const path of ['/', '/log', TRACE, '/home', '/tmp']) {
    try {
      chmodSync(path, 0o777);
    } catch {
      // The file belongs to another user, so the line could not lock it either.
    }
  }
}

/** Returns the names of the started programs, without the shell that reads the line. */
function started(): readonly string[] {
  const rows = readFileSync(TRACE, 'latin1').split('\n');
  const paths = rows.flatMap(
    (row) => /execve(?:at)?\((?:[^"]*, )?"([^"]+)".*(?: = 0$|<unfinished)/.exec(row)?.[1] ?? [],
  );
  return [...new Set(paths.slice(1).map((path) => basename(path)))];
}
