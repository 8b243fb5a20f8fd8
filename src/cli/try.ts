/** `aish-tui try -- cmd …` (EF-5): runs it in a trial and says what it would change. Its exit code is the command's own. */
import { spawn } from 'node:child_process';
import { loadEffects, TRIAL_LAUNCH } from '../app/undo.ts';
import type { TrialOutcome } from '../contracts/trials.ts';
import { prepareTrial, spelledBytes, type TrialStore } from '../effects/undo/index.ts';
import { EXIT } from './exit-codes.ts';
import type { Writer } from './print.ts';
import { trialText } from './trial-text.ts';

const MAX_HEARD_CHARS = 1_000_000;
type Prepared = { readonly argv: readonly string[]; readonly env: NodeJS.ProcessEnv };

/** As the launcher words it, and says beside. */
const UNSTARTED = /^exec: (.*): (No such file or directory|Permission denied)$/s;
const SAID = /^aish-sandbox: set-up failed at exec: .*; the command was not run\n$/;
const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;

/** What a real run would do is not known. */
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
 * What `argv` would change below `cwd`; nothing of it stays. The sentence says why it can't be tried.
 * @param start runs the prepared command to its end; resolves to what it said on standard error
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
  const { tmpDir } = trial;
  const env = { ...process.env, TMPDIR: tmpDir, TMP: tmpDir, TEMP: tmpDir };
  const outcome = withUnstarted(await trial.outcome(await start({ argv: trial.wrap(argv), env })));
  await trials.discard(trial.id);
  return { outcome };
}

/** What can't be started changes nothing for real either: that is told, with the exit code that a shell would give. */
export function withUnstarted(outcome: TrialOutcome): TrialOutcome {
  const [, name, why] = (outcome.kind === 'cannotTell' && UNSTARTED.exec(outcome.why)) || [];
  if (name === undefined) return outcome;
  const missing = why === 'No such file or directory';
  const doubts = [`${name}: ${missing ? 'command not found' : 'it can’t be executed'}`];
  const nothing = { id: '', changes: [], deletedBytes: 0, writtenBytes: 0, digest: '' };
  return { kind: 'changes', exitCode: missing ? NOT_FOUND : NOT_EXECUTABLE, doubts, ...nothing };
}

/** Its output goes where it would; with `json` all of it to standard error. Resolves to what it said there, at its end. */
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

/** As `--json` prints it: of names that are no text, each such byte is spelled out, since JSON has no sign for it. */
export function asJson(outcome: TrialOutcome): Readonly<Record<string, unknown>> {
  if (outcome.kind === 'cannotTell') return { cannotTell: outcome.why, exit: outcome.exitCode ?? null };
  const { exitCode: exit, deletedBytes, writtenBytes, doubts } = outcome;
  const changes = outcome.changes.map((change) => ({ ...change, path: spelledBytes(change.path) }));
  return { exit, changes, deletedBytes, writtenBytes, doubts };
}
