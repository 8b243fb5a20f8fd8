/**
 * Faults × places: the real program meets each fault in each place; records what its user sees, and which data was
 * saved.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { reduce } from '../../src/session/reduce.ts';
import { emptyState, type Turn } from '../../src/session/state.ts';
import { journalPath, readJournal } from '../../src/store/index.ts';
import { fault as mcpServer } from '../tools/mcp/support.ts';
import { ensureBuilt } from './build.ts';
import { BRISK } from './fault.ts';
import type { FaultName } from './fault-server.ts';
import { jsonLines } from './lines.ts';
import { PROGRAM, runProgram, type Scratch, scratch } from './program.ts';
import { type Place, startRoleServer, TRIAL_SECONDS } from './role-server.ts';

type Fault = {
  /** The fault of the model’s server; `slow` is a case of its own. */
  readonly model?: FaultName | 'slow';
  /** Stops, kills or disturbs the program while it waits for the model. */
  readonly strike?: (pid: number) => Promise<void> | void;
  /** Whether the user presses Ctrl-C. */
  readonly interrupts?: true;
  readonly disk?: (place: Scratch) => Readonly<Record<string, string>>;
  /** The tool that the model calls, and the flags of its server. */
  readonly mcp?: readonly [tool: string, ...flags: string[]];
};

const signal = (name: NodeJS.Signals) => (pid: number) => void process.kill(pid, name);

export const FAULTS: Readonly<Record<string, Fault>> = {
  'connection dropped': { model: 'killed-at-once' },
  'slow answer': { model: 'slow' },
  'answer cut': { model: 'early-end' },
  '429': { model: 'rate-limited-for-ever' },
  '500': { model: 'server-error' },
  garbage: { model: 'garbage' },
  'no answer': { model: 'stall-before-anything', interrupts: true },
  'line of 64 MB': { model: 'line-of-64-megabytes' },
  'JSON nested 100,000 deep': { model: 'deep-event' },
  'disk full': { disk: fullDisk },
  'read-only home': { disk: readOnlyHome },
  'MCP server killed': { mcp: ['fault__die'] },
  'MCP server stuck': { mcp: ['fault__hang'], interrupts: true },
  'MCP server talks garbage': { mcp: ['fault__nested', 'rubbish'] },
  'shell killed': { strike: killShell },
  'hang-up': { strike: signal('SIGHUP') },
  'stopped and continued': {
    async strike(pid) {
      process.kill(pid, 'SIGSTOP');
      await delay(300);
      process.kill(pid, 'SIGCONT');
    },
  },
};

/** The result of one fault in one place; undefined where it can't occur there. */
export type Cell = { readonly sees: string; readonly kept: string };

/**
 * Returns whether a fault can occur in a place. A trial asks no model and no server, but its command may not end; a
 * plan and a second opinion ask no server.
 */
export function applies(name: string, place: Place): boolean {
  const fault = FAULTS[name];
  if (place === 'trial') return fault?.mcp === undefined && (fault?.model === undefined || fault.interrupts === true);
  return fault?.mcp === undefined || place === 'chat' || place === 'Norris' || place === 'sub-agent';
}

export async function meet(name: string, place: Place): Promise<Cell> {
  const fault = FAULTS[name] ?? {};
  await using server = await startRoleServer(place, fault.model, fault.mcp?.[0]);
  const { baseUrl } = server;
  const model = 'scripted';
  const [, ...flags] = fault.mcp ?? [];
  using here = scratch(undefined, {
    mode: 'unrestricted',
    model: 'fast',
    models: { fast: { base_url: baseUrl, model, context: 16_000 }, planner: { base_url: baseUrl, model: 'planner' } },
    safety: { llm_second_opinion: place === 'second opinion' },
    auto_approve: ['bash', 'fault__*'],
    ...(place === 'preplan' ? { norris: { preplanner: 'planner' } } : {}),
    ...(fault.mcp ? { mcp: { servers: { fault: mcpServer(...flags) }, auto_approve: ['fault__*'] } } : {}),
  });
  const env = { ...here.env, ...BRISK, ...fault.disk?.(here) };
  const command = place === 'chat' ? ['ask', '--json', 'how are you?'] : ['run', '--json', 'do it'];
  if (place === 'trial') {
    mkdirSync(join(here.work, 'build'));
    writeFileSync(join(here.work, 'build', 'made.txt'), 'made\n');
    command.push('--on-halt', 'try');
  }
  const { out, err, end } = await run({ ...here, env }, command, async (pid) => {
    await (place === 'trial' ? sleeps(TRIAL_SECONDS) : server.reached);
    await fault.strike?.(pid);
    // A tool call starts only after its answer.
    if (fault.mcp) await delay(700);
    if (fault.interrupts && place !== 'second opinion') process.kill(pid, 'SIGINT');
    server.release();
  });
  const sees = [...seen(out, err), end].map((text) => plain(text, here)).join(' · ');
  if (place === 'trial' && !existsSync(join(here.work, 'build', 'made.txt')))
    throw new Error(`the trial deleted: ${sees}`);
  return { sees, kept: await kept(here) };
}

/** Resolves when a command sleeps for this many seconds, anywhere on this machine. */
async function sleeps(seconds: string): Promise<void> {
  while (!readdirSync('/proc').some((pid) => /^\d+$/.test(pid) && commandOf(pid) === `sleep\0${seconds}\0`))
    await delay(20);
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

async function run(place: Scratch, args: readonly string[], meanwhile: (pid: number) => Promise<void>) {
  ensureBuilt();
  const child = spawn(PROGRAM, args, { cwd: place.work, env: place.env, stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let err = '';
  child.stdout.on('data', (data) => {
    out += data;
  });
  child.stderr.on('data', (data) => {
    err += data;
  });
  const ended = new Promise<string>((resolve) =>
    child.on('close', (code, killed) => resolve(code === null ? `ended by ${killed}` : `exit ${code}`)),
  );
  void meanwhile(child.pid ?? 0).catch(() => {});
  return { end: await ended, out, err };
}

type Printed = {
  readonly kind: string;
  readonly level?: string;
  readonly text?: string;
  readonly partial?: boolean;
  readonly status?: string;
  readonly reason?: string;
  readonly judgement?: { readonly reason: string };
  readonly answer?: string;
  readonly asks?: string;
  readonly name?: string;
  readonly task?: string;
  readonly trial?: {
    readonly kind: string;
    readonly why?: string;
    readonly rows?: readonly { kind: string; path: string }[];
  };
  readonly result?: { readonly failed?: boolean; readonly text?: string; readonly note?: string };
};

/** Returns every line that reports something about a fault, once. */
function seen(out: string, err: string): readonly string[] {
  const objects = out.split('\n').filter((line) => line.startsWith('{'));
  const lines = jsonLines(objects.join('\n')).flatMap((line) => wordsOf(line as Printed));
  // Waiting on a slow machine is not the result of a fault.
  const [halts, waits] = [/HALT/, /^aish-tui: waiting for /];
  const said = err.split('\n').filter((line) => /^aish-tui: /.test(line) && !halts.test(line) && !waits.test(line));
  return [...new Set([...said, ...lines])];
}

function wordsOf({ kind, level, text = '', partial, result, ...entry }: Printed): readonly string[] {
  const [first = ''] = (result?.text ?? result?.note ?? '').split('\n');
  switch (kind) {
    case 'notice':
      return level === 'info' ? [] : [text];
    case 'assistant':
      return partial ? [`the answer so far: “${text.slice(0, 40)}”`] : [];
    case 'question':
      return [`HALT: ${entry.judgement?.reason ?? entry.asks ?? ''} → ${entry.answer ?? ''}`];
    case 'trial':
      return [trialText(entry.trial)];
    case 'norrisEnded':
      return [`run ${entry.status}${entry.reason ? `: ${entry.reason}` : ''}`];
    case 'tool':
      return result?.failed ? [`${entry.name}: ${first}`] : [];
    case 'delegate':
      return result?.failed ? [`sub-agent: ${first}`] : [];
    case 'exec':
      return result?.note === undefined ? [] : [first];
    default:
      return [];
  }
}

function trialText(trial: Printed['trial']): string {
  if (trial?.kind !== 'changes') return `the trial can't tell: ${trial?.why}`;
  return `the trial: ${(trial.rows ?? []).map(({ kind, path }) => `${kind} ${path}`).join(', ')}`;
}

/** Removes the parts of a text that differ from run to run. */
function plain(text: string, { home, work }: Scratch): string {
  return text
    .replaceAll(work, 'DIR')
    .replaceAll(home, 'HOME')
    .replaceAll(/127\.0\.0\.1:\d+/g, 'SERVER')
    .replaceAll(/\d{4}-\d\d-\d\d-\d{4}-[0-9a-f]{4}/g, 'SESSION')
    .replaceAll(/\b\d+(?:\.\d+)? (?:ms|s)\b/g, 'some time')
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll('|', '\\|');
}

/** Returns the conversation according to the journal, and whether it can be resumed. */
async function kept(here: Scratch): Promise<string> {
  const sessions = join(here.home, '.local/state/aish/sessions');
  const [id] = list(sessions);
  const { events, damage } =
    id === undefined ? { events: [], damage: undefined } : await readJournal(journalPath(sessions, id));
  if (id === undefined || events.length === 0) return 'nothing, and it says so';
  let state = emptyState('main');
  for (const event of events) [state] = reduce(state, event);
  const { code } = await runProgram(here, ['--resume', id], { input: ':history\n' });
  const again = code === 0 && damage === undefined ? 'resumes' : `does not resume (${damage ?? code})`;
  return `${turnsText(state.sessions.main?.turns ?? [])}; ${again}`;
}

function turnsText(turns: readonly Turn[]): string {
  const answers = turns.filter((turn) => turn.kind === 'assistant');
  const parts = [
    [turns.filter((turn) => turn.kind === 'user' && ['user', 'goal'].includes(turn.origin)).length, 'request'],
    [answers.filter((turn) => !turn.partial).length, 'answer'],
    [answers.filter((turn) => turn.partial).length, 'cut answer'],
    [
      turns.filter((turn) => turn.kind === 'result' || (turn.kind === 'user' && turn.origin === 'exec')).length,
      'result',
    ],
  ] as const;
  const some = parts.filter(([count]) => count > 0);
  return some.map(([count, word]) => `${count} ${word}${count === 1 ? '' : 's'}`).join(', ') || 'an empty conversation';
}

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readOnlyHome({ home }: Scratch): Readonly<Record<string, string>> {
  return { XDG_STATE_HOME: join(home, 'state'), ...loaded(new URL('read-only-home.mjs', import.meta.url)) };
}

function fullDisk(): Readonly<Record<string, string>> {
  return loaded(new URL('full-disk.mjs', import.meta.url));
}

/** The environment that loads a file of this directory into the program. */
function loaded({ href }: URL): Readonly<Record<string, string>> {
  return { NODE_OPTIONS: `--import=${href}` };
}

/** Kills the user’s shell, which is a child of the program itself. */
function killShell(pid: number): void {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  for (const child of children) {
    if (readFileSync(`/proc/${child}/comm`, 'utf8').startsWith('bash')) process.kill(child, 'SIGKILL');
  }
}
