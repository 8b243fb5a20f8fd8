/**
 * `aish-tui try -- cmd …` (EF-5): runs a command in a trial and reports what it would change. Returns the command's
 * exit code.
 */
import { spawn } from 'node:child_process';
import { relative } from 'node:path';
import { loadEffects, TRIAL_LAUNCH } from '../app/undo.ts';
import { isGitBookkeeping, type TrialChange, type TrialOutcome } from '../contracts/trials.ts';
import { prepareTrial, spelledBytes, type TrialStore } from '../effects/undo/index.ts';
import { bytesText, nameText } from '../text/spelled.ts';

import { EXIT } from './exit-codes.ts';
import type { Writer } from './print.ts';

const MAX_HEARD_CHARS = 1_000_000;
type Prepared = { readonly argv: readonly string[]; readonly env: NodeJS.ProcessEnv };

/** The launcher's error message if the program can't start. */
const UNSTARTED = /^exec: (.*): (No such file or directory|Permission denied)$/s;
const SAID = /^aish-sandbox: set-up failed at exec: .*; the command was not run\n$/;
const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;

/** The exit code if the effect of a real run is unknown. */
const CANNOT_TELL = 125;

export async function tryOutside(
  { argv, json }: { readonly argv: readonly string[]; readonly json: boolean },
  config: string | undefined,
  out: Writer,
  err: Writer,
): Promise<number> {
  const effects = await loadEffects(config);
  const start = (prepared: Prepared) => run(prepared, json);
  const tried = typeof effects === 'string' ? effects : await tryCommand(effects.trials, argv, process.cwd(), start);
  if (typeof tried === 'string') {
    err(`aish-tui: ${tried}\n`);
    return EXIT.usage;
  }
  const { outcome } = tried;
  if (json) out(`${JSON.stringify(asJson(outcome))}\n`);
  else err(trialText(outcome, process.cwd()));
  return outcome.kind === 'changes' ? outcome.exitCode : CANNOT_TELL;
}

/**
 * Returns what `argv` would change below `cwd`; nothing remains of it. A string is the reason why it can't be tried.
 * @param start runs the prepared command to its end; resolves to its standard error
 */
export async function tryCommand(
  trials: Pick<TrialStore, 'unavailable' | 'open' | 'discard'>,
  argv: readonly string[],
  cwd: string,
  start: (prepared: Prepared) => Promise<string>,
): Promise<{ readonly outcome: TrialOutcome } | string> {
  const why = await trials.unavailable();
  if (why !== undefined) return why;
  const trial = await prepareTrial(trials, argv.join(' '), cwd, TRIAL_LAUNCH);
  const env = { ...process.env, ...trial.temporary(process.env) };
  const outcome = withUnstarted(await trial.outcome(await start({ argv: trial.wrap(argv), env })));
  await trials.discard(trial.id);
  return { outcome };
}

/** A program that can't start would change nothing in a real run either: reports that, with a shell's exit code. */
export function withUnstarted(outcome: TrialOutcome): TrialOutcome {
  const [, name, why] = (outcome.kind === 'cannotTell' && UNSTARTED.exec(outcome.why)) || [];
  if (name === undefined) return outcome;
  const missing = why === 'No such file or directory';
  const doubts = [`${name}: ${missing ? 'command not found' : 'it can’t be executed'}`];
  const nothing = { id: '', changes: [], deletedBytes: 0, writtenBytes: 0, digest: '', outside: [] };
  return { kind: 'changes', exitCode: missing ? NOT_FOUND : NOT_EXECUTABLE, doubts, ...nothing };
}

/**
 * Runs the command with its usual output; with `json` all output goes to standard error. Resolves to its standard
 * error.
 */
function run({ argv, env }: Prepared, json: boolean): Promise<string> {
  const [file = '', ...rest] = argv;
  const child = spawn(file, rest, { stdio: ['inherit', json ? 2 : 'inherit', 'pipe'], env });
  // The terminal sends Ctrl-C to the command as well; this process waits for its end.
  process.on('SIGINT', () => {});
  let heard = '';
  child.stderr?.on('data', (data: Buffer) => {
    if (!SAID.test(data.toString())) process.stderr.write(data);
    if (heard.length < MAX_HEARD_CHARS) heard += data.toString();
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', () => resolve(heard));
  });
}

/**
 * Returns the outcome for `--json`. Bytes of a name that are not valid UTF-8 are escaped, because JSON can't express
 * them.
 */
export function asJson(outcome: TrialOutcome): Readonly<Record<string, unknown>> {
  if (outcome.kind === 'cannotTell') return { cannotTell: outcome.why, exit: outcome.exitCode ?? null };
  const { exitCode: exit, deletedBytes, writtenBytes, doubts } = outcome;
  const changes = outcome.changes.map((change) => ({ ...change, path: spelledBytes(change.path) }));
  return { exit, changes, deletedBytes, writtenBytes, doubts };
}

// Formats a trial's outcome for a person, below the command's own output.

const MAX_LINES = 200;
/** Losses come first. */
const KINDS = [
  ['deleted', 'delete'],
  ['changed', 'change'],
  ['mode', 'set mode, owner, times or attributes of'],
  ['created', 'create'],
] as const;
/** Moved branches are reported separately. */
const REFS = /(^|\/)\.git\/refs\//;
type Kind = TrialChange['kind'];

/** @param cwd paths below it are shown relative to it */
export function trialText(outcome: TrialOutcome, cwd: string): string {
  if (outcome.kind === 'cannotTell') return `aish-tui: the trial can't tell: ${outcome.why}\n`;
  const { changes, doubts, exitCode } = outcome;
  const git = changes.filter(({ path }) => isGitBookkeeping(path) && !REFS.test(path));
  const shown = KINDS.flatMap(([kind]) => changes.filter((change) => change.kind === kind && !git.includes(change)));
  const rows = shown.slice(0, MAX_LINES).map((change) => `  ${rowOf(change, cwd)}`);
  const more = shown.length - rows.length;
  const ended = exitCode === 0 ? [] : [`the command ended with ${exitCode}; a trial has no network and no sockets`];
  const lines = [
    headOf(changes),
    ...rows,
    ...(more > 0 ? [`  … and ${more} more`] : []),
    ...(git.length > 0 ? [`  and git's own bookkeeping: ${countsOf(git)}`] : []),
    ...ended,
    ...doubts.map((doubt) => `but: ${doubt}`),
  ];
  return `${lines.join('\n')}\n`;
}

function headOf(changes: readonly TrialChange[]): string {
  const tried = 'aish-tui: only tried, nothing was changed. For real it would change';
  return changes.length === 0 ? `${tried} nothing here` : `${tried} this (${countsOf(changes)}):`;
}

/** Returns `3 deleted, 1 created`. */
function countsOf(changes: readonly TrialChange[]): string {
  const count = (kind: Kind) => changes.filter((change) => change.kind === kind).length;
  const words: Readonly<Record<Kind, string>> = {
    deleted: 'deleted',
    changed: 'changed',
    mode: 'with another mode or time',
    created: 'created',
  };
  return KINDS.filter(([kind]) => count(kind) > 0)
    .map(([kind]) => `${count(kind)} ${words[kind]}`)
    .join(', ');
}

function rowOf({ kind, type, path, bytes, shared }: TrialChange, cwd: string): string {
  const [, verb] = KINDS.find(([known]) => known === kind) ?? KINDS[1];
  const near = path.startsWith(`${cwd}/`) ? relative(cwd, path) : path === cwd ? '.' : path;
  const what = type === 'directory' ? '/' : type === 'link' ? ' (link)' : type === 'other' ? ' (special)' : '';
  const size = type === 'file' ? ` (${bytesText(bytes)})` : '';
  return `${verb} ${nameText(near)}${what}${size}${shared ? ', of which other names stay' : ''}`;
}
