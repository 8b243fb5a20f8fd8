/** Whether the kernel sandbox works here, found by trying it (SB-3). */
import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { makeDirectory } from '../../text/files.ts';
import { createPrivateTmp, projectArgv, sandboxArgv } from './launch.ts';

export type SandboxStatus = {
  /** File system and network can both be enforced: only then is there a Restricted mode (MO-1). */
  readonly available: boolean;
  /** The version of Landlock that the kernel speaks; 0 without it. Told, never decided on. */
  readonly landlockAbi: number;
  readonly filesystem: boolean;
  readonly network: boolean;
  /** Undefined: Project mode holds here. Else why not, in one line (MO-9). */
  readonly noProject?: string;
  /** It holds by Landlock alone, without namespaces: what that lacks, in one line. */
  readonly projectMissing?: string;
  /** Parts of SB-1 that are missing with this kernel or account, each a phrase for the user. */
  readonly missing: readonly string[];
  /** Why it is not available, in one line, with what to do. */
  readonly why?: string;
};

const MAX_TRIES = 3;
const RETRY_AFTER_MS = 100;
const NOT_BUILT = `there is no sandbox launcher for ${process.arch}: the npm package brings it for x64 and arm64 unless installed with --omit=optional; in a checkout, install a C compiler (apt install gcc libc6-dev) and build again`;
const NEEDS = 'needs Linux 5.13 or newer with Landlock, 6.12 or newer for all of it';
const PROJECT_NEEDS = 'Project mode needs Linux 5.12 or newer and user namespaces for everybody';
const PROJECT_MISSING =
  "no namespaces for this user: only the tree and $TMPDIR can be written, there is no loopback, owners can't be changed, and that git's hooks and configuration stay as they are is watched, not enforced";
const NO_TREE_LIMIT = 'limits on memory and CPU time hold for each process, not for a command as a whole';
const ROOT_WATCHED = 'the number of processes of root is watched and stopped, not refused';
const OPEN_SIGNALS = "signals to this user's own processes outside are not refused (Linux 6.12 or newer)";

/**
 * Runs the launcher's own self-test inside the sandbox, against a directory in which all of it would succeed outside.
 */
export async function detectSandbox(options: {
  readonly launcher: string;
  /** Arguments before all others; test builds take more than the shipped one. */
  readonly extra?: readonly string[];
}): Promise<SandboxStatus> {
  if (process.platform !== 'linux') return unavailable(`${NEEDS}; this is ${process.platform}`);
  try {
    accessSync(options.launcher, constants.X_OK);
  } catch {
    return unavailable(NOT_BUILT);
  }
  const tmp = createPrivateTmp();
  try {
    const target = join(dirname(tmp.path), 'target');
    makeDirectory(join(target, 'dir'));
    writeFileSync(join(target, 'file'), 'must stay');
    const [program = '', ...rest] = sandboxArgv({
      launcher: options.launcher,
      argv: [options.launcher, '--selftest', target],
      tmpDir: tmp.path,
      statusFile: tmp.statusFile,
      limits: { wallSeconds: 10 },
    });
    const ended = await start(program, [...(options.extra ?? []), ...rest], { TMPDIR: tmp.path });
    const status = tmp.status();
    if (ended.failure !== undefined) return unavailable(`the sandbox launcher could not be started (${ended.failure})`);
    if (status.kind !== 'exited' || status.code !== 0) return refusedBy(status);
    const judged = judge(ended.stdout);
    if (!judged.available) return { ...judged, noProject: 'there is no kernel sandbox' };
    const argv = [options.launcher, ...(options.extra ?? [])];
    const noProject = await tryProject(argv, target);
    if (noProject === undefined) return judged;
    if ((await tryProject([...argv, '--without-namespaces'], target)) !== undefined) return { ...judged, noProject };
    return { ...judged, projectMissing: PROJECT_MISSING };
  } finally {
    tmp.dispose();
  }
}

/** Found by trying: a file can be made in the tree, and none beside it. */
async function tryProject([launcher = '', ...extra]: readonly string[], tree: string): Promise<string | undefined> {
  const argv = ['/bin/sh', '-c', ': > made; (: > ../beside) 2>/dev/null; exit 0'];
  const [program = '', ...words] = projectArgv({ launcher, argv, cwd: tree, project: tree });
  const rest = [...words.slice(0, 2), ...extra, ...words.slice(2)];
  rmSync(join(tree, 'made'), { force: true });
  const { stderr, failure } = await start(program, rest, {});
  if (existsSync(join(tree, 'made')) && !existsSync(join(tree, '..', 'beside'))) return undefined;
  return `${failure ?? (stderr.trim() || 'its bounds do not hold')}; ${PROJECT_NEEDS}`;
}

function unavailable(why: string): SandboxStatus {
  return { noProject: why, available: false, landlockAbi: 0, filesystem: false, network: false, missing: [], why };
}

function refusedBy(status: ReturnType<ReturnType<typeof createPrivateTmp>['status']>): SandboxStatus {
  const why = status.kind === 'notStarted' ? status.why : `the self-test failed (${status.kind})`;
  return unavailable(`${why}; the sandbox ${NEEDS}`);
}

/** `failure`: the code of an error for which it never ran, such as EACCES. */
type Ended = { readonly stdout: string; readonly stderr: string; readonly failure?: string };

/**
 * A machine that has no room for one more process at the moment (EAGAIN) is asked again: the mode depends on the
 * answer.
 */
async function start(program: string, args: readonly string[], env: NodeJS.ProcessEnv, tries = 1): Promise<Ended> {
  const ended = await new Promise<Ended>((resolve) => {
    execFile(program, [...args], { env, encoding: 'utf8' }, (error, stdout, stderr) =>
      resolve({ stdout, stderr, ...(typeof error?.code === 'string' ? { failure: error.code } : {}) }),
    );
  });
  if (ended.failure !== 'EAGAIN' || tries === MAX_TRIES) return ended;
  await setTimeout(RETRY_AFTER_MS);
  return start(program, args, env, tries + 1);
}

/** Why a machine with this answer of the self-test has no sandbox; undefined where it has. */
export function whyOpen(selfTest: string): string | undefined {
  return judge(selfTest).why;
}

/** Reads the self-test's lines: `abi N`, then `PART ok` or `PART open: WHAT`. */
function judge(output: string): SandboxStatus {
  const said = new Map(output.split('\n').map((line) => splitOnce(line)));
  const filesystem = said.get('filesystem') === 'ok' && said.get('temporary') === 'ok';
  const network = said.get('network') === 'ok';
  const missing = [NO_TREE_LIMIT];
  if (said.get('signals') !== 'ok') missing.unshift(OPEN_SIGNALS);
  if (process.getuid?.() === 0) missing.push(ROOT_WATCHED);
  const open = ['filesystem', 'network', 'temporary'].filter((part) => said.get(part) !== 'ok');
  const status = {
    available: filesystem && network,
    landlockAbi: Number(said.get('abi') ?? 0),
    filesystem,
    network,
    missing,
  };
  if (status.available) return status;
  const parts = open.map((part) => `${part} ${said.get(part) ?? 'not tried'}`).join(', ');
  return { ...status, why: `the sandbox does not hold here: ${parts}` };
}

function splitOnce(line: string): readonly [string, string] {
  const at = line.indexOf(' ');
  return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)];
}
