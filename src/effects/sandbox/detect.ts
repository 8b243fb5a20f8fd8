/** Finds out by a trial whether the kernel sandbox works here (SB-3). */
import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { makeDirectory } from '../../text/files.ts';
import { createPrivateTmp, projectArgv, sandboxArgv } from './launch.ts';

export type SandboxStatus = {
  /** Whether the kernel can confine both the file system and the network, which Restricted mode needs (MO-1). */
  readonly available: boolean;
  /** The kernel’s version of Landlock; 0 without it. Only reported; no decision depends on it. */
  readonly landlockAbi: number;
  readonly filesystem: boolean;
  readonly network: boolean;
  /** Why Project mode does not work here, in one line; undefined: it works (MO-9). */
  readonly noProject?: string;
  /** What Project lacks because it runs by Landlock alone, without namespaces; in one line. */
  readonly projectMissing?: string;
  /** Parts of SB-1 that this kernel or account lacks, each as a phrase for the user. */
  readonly missing: readonly string[];
  /** Why the sandbox is not available, in one line, with a remedy. */
  readonly why?: string;
};

const MAX_TRIES = 3;
const RETRY_AFTER_MS = 100;
const NOT_BUILT = `there is no sandbox launcher for ${process.arch}: the npm package brings it for x64 and arm64 unless installed with --omit=optional; in a checkout, install a C compiler (apt install gcc libc6-dev) and build again`;
const NEEDS = 'needs Linux 5.13 or newer with Landlock, 6.12 or newer for all of it';
const PROJECT_NEEDS = 'Project mode needs Linux 5.12 or newer and unprivileged user namespaces';
const PROJECT_MISSING =
  "no namespaces for this user: only the tree and $TMPDIR can be written, there is no loopback, owners can't be changed, and that git's hooks and configuration stay as they are is watched, not enforced";
const NO_TREE_LIMIT = 'limits on memory and CPU time hold for each process, not for a command as a whole';
const ROOT_WATCHED = 'for root, the limit on the number of processes is enforced only after they have started';
const OPEN_SIGNALS = "signals to this user's own processes outside are not refused (Linux 6.12 or newer)";

/**
 * Runs the launcher’s self-test inside the sandbox, in a directory where every attempt would succeed without a sandbox.
 */
export async function detectSandbox(options: {
  readonly launcher: string;
  /** Arguments before all others; test builds accept more than the shipped launcher. */
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

/** Tests whether a file can be created in the tree and none beside it. */
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

/** How the launcher ended. `failure`: the code of an error that kept it from running, such as EACCES. */
type Ended = { readonly stdout: string; readonly stderr: string; readonly failure?: string };

/**
 * Starts a program, and retries when the machine briefly has no room for a process (EAGAIN): the mode depends on the
 * result.
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

/** Returns why a machine with this self-test has no sandbox; undefined if it has one. */
export function whyOpen(selfTest: string): string | undefined {
  return judge(selfTest).why;
}

/** Parses the self-test’s lines: `abi N`, then `PART ok` or `PART open: WHAT`. */
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
