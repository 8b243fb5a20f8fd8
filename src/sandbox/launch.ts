/** How a command is put behind the launcher. */

/**
 * Bounds on one command. Bytes, seconds, counts; 0 lifts the bound. Per process, except `procs` and `wallSeconds`.
 * What is left out keeps the launcher's own: 16 GiB of addresses, 4 GiB of data, files of 1 GiB, 600 s of CPU time,
 * 1024 open files, 512 tasks, one hour.
 */
export type SandboxLimits = {
  readonly addressBytes?: number;
  readonly dataBytes?: number;
  readonly fileBytes?: number;
  readonly cpuSeconds?: number;
  readonly openFiles?: number;
  /** Tasks beyond those that the machine had when the command began. */
  readonly procs?: number;
  /** Of the whole command; then everything of it is killed. */
  readonly wallSeconds?: number;
};

export type Launch = {
  readonly launcher: string;
  readonly argv: readonly string[];
  readonly cwd?: string;
  /** From `createPrivateTmp()`: its `path` and `statusFile`. */
  readonly tmpDir?: string;
  readonly statusFile?: string;
  /** Old states are kept in the empty directory of a store, whatever the profile (EF-1). Bytes. */
  readonly keep?: {
    readonly directory: string;
    readonly tree: string;
    readonly budgetBytes: number;
    readonly fileBytes: number;
  };
};

const LIMITS: readonly (readonly [keyof SandboxLimits, string])[] = [
  ['addressBytes', 'as'],
  ['dataBytes', 'data'],
  ['fileBytes', 'fsize'],
  ['cpuSeconds', 'cpu'],
  ['openFiles', 'nofile'],
  ['procs', 'procs'],
  ['wallSeconds', 'wall'],
];

/**
 * The argument vector that runs `argv` in the kernel sandbox (SB-1). Start it from the main thread: the launcher kills
 * everything below it when this process dies. Ends with the command's exit code, 128+n for a signal, 124 at the
 * wall-clock limit, 126 with one line when the set-up failed and nothing ran (`PrivateTmp.status()` tells it from the
 * command's own 126).
 */
export function sandboxArgv(launch: Launch & { readonly limits?: SandboxLimits }): readonly string[] {
  const limits = launch.limits ?? {};
  const bounds = LIMITS.flatMap(([key, name]) => {
    const value = limits[key];
    return value === undefined ? [] : ['--limit', `${name}=${value}`];
  });
  return compose(launch, [...(launch.tmpDir ? ['--tmp', launch.tmpDir] : []), ...bounds]);
}

/** The same for Unrestricted with the light profile: everything writable except other terminals, signals stay inside. */
export function lightArgv(launch: Launch): readonly string[] {
  return compose(launch, ['--light']);
}

/** No restriction at all: only that nothing of the command outlives it or this process (EX-6). */
export function supervisedArgv(launch: Launch): readonly string[] {
  return compose(launch, ['--supervise']);
}

function compose(launch: Launch, options: readonly string[]): readonly string[] {
  return [
    launch.launcher,
    ...options,
    ...(launch.cwd ? ['--cwd', launch.cwd] : []),
    ...(launch.keep ? keepOptions(launch.keep) : []),
    ...(launch.statusFile ? ['--status', launch.statusFile] : []),
    '--parent',
    String(process.pid),
    '--',
    ...launch.argv,
  ];
}

function keepOptions({ directory, tree, budgetBytes, fileBytes }: NonNullable<Launch['keep']>): readonly string[] {
  const bounds = ['--keep-budget', String(budgetBytes), '--keep-file', String(fileBytes)];
  return ['--keep', directory, '--keep-tree', tree, ...bounds];
}
