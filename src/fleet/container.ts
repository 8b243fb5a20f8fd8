/** Connects to a container or pod, and starts commands in it. */
import { execFile } from 'node:child_process';
import type { Confinement, RunningCommand } from '../contracts/commands.ts';
import type { FleetMachine } from '../contracts/fleet.ts';
import type { HostDirectories, Machine } from '../contracts/machine.ts';

import { type OutputSize, sizeForModel } from '../engine/live.ts';
import { processEnvironment, runOnce } from '../executor/index.ts';
import {
  askWords,
  type Client,
  type ContainerEnd,
  endCode,
  identityCode,
  killCode,
  readEnd,
  readFacts,
  runWords,
  SETUP,
} from '../remote/fleet/index.ts';
import { absentHost } from '../remote/hosts/index.ts';
import { directoryAt, placeOn } from '../session/place.ts';
import { messageOf } from '../text/errors.ts';
import { shellQuote } from '../text/shell.ts';

const ANSWER_TIMEOUT_MS = 5000;
const MAX_ANSWER_BYTES = 1_000_000;
/** How often to ask for the end of a command whose client has ended, and the delay between. */
const END_LOOKS = 10;
const END_PAUSE_MS = 300;

export type ContainerOptions = {
  readonly dataDir: string;
  readonly size: () => OutputSize;
  /** The files that programs have left on hosts. */
  readonly left?: HostDirectories;
};

export async function openContainer(
  host: string,
  client: Client,
  signal: AbortSignal,
  options: ContainerOptions,
): Promise<FleetMachine | { readonly problem: string }> {
  const ask = (code: string, within?: AbortSignal) => askContainer(client, code, within);
  const told = await ask(SETUP, signal);
  const facts = told.text === undefined ? undefined : readFacts(told.text);
  if (!facts) return { problem: told.problem ?? `there is no usable shell in ${host}` };
  const { folder, directory, home, root } = facts;
  const lost = Promise.withResolvers<string>();
  let serial = 0;
  const machine: Machine = {
    ...absentHost(host),
    home,
    files: {
      ...absentHost(host).files,
      async identities(named) {
        const { text } = await ask(identityCode(named));
        // A file that can’t be examined counts as changed.
        return text?.split('\n') ?? [`not looked at ${performance.now()}`];
      },
    },
    async spawn(command, { cwd: place, mode, env = {}, signal: aborted }) {
      checkOrder(host, { command, mode, env });
      aborted.throwIfAborted();
      serial += 1;
      const at = `${folder}/op-${serial}`;
      const [program, ...words] = client;
      const argv = [program, ...words, ...runWords(at, directoryAt(place), command)];
      const running = runOnce({
        ...{ command: '', cwd: '/', env: processEnvironment(), dataDir: options.dataDir },
        ...sizeForModel(options.size()),
        // The client itself: no shell of this machine parses the command.
        launcher: () => argv,
      });
      return withEnd(running, placeOn(host, directoryAt(place)), async (interrupted) => {
        const end = await endOf(ask, shellQuote(at), interrupted);
        if (end.kind === 'silent') lost.resolve(`${host} does not answer any more`);
        return end;
      });
    },
    processes: async () => ['the processes there were not looked at'],
  };
  return {
    ...{ machine, directory, root, lost: lost.promise },
    ask: async (code) => (await ask(code)).text,
    async close() {
      await ask(`rm -rf ${shellQuote(folder)}`);
    },
  };
}

/** Returns the command with the exit code that the container has recorded, whatever the client reported. */
function withEnd(
  running: RunningCommand,
  cwd: string,
  ending: (interrupted: boolean) => Promise<ContainerEnd>,
): RunningCommand {
  const result = running.result.then(async (said) => {
    const end = await ending(said.note === 'interrupted');
    const told = { ...said, cwd };
    if (end.kind === 'ended') return { ...told, exit: end.exit };
    const notes = {
      'never began': 'it never began',
      began: 'it was cut off',
      silent: 'the connection was lost; how it ended is not known',
    };
    const note = said.note ?? notes[end.kind];
    return { ...told, exit: null, note, ...(end.kind === 'never began' ? { began: false } : {}) };
  });
  return new Proxy(running, {
    get(target, key) {
      if (key === 'result') return result;
      const value: unknown = Reflect.get(target, key, target);
      const bound: unknown = typeof value === 'function' ? value.bind(target) : value;
      return bound;
    },
  });
}

type Ask = (code: string) => Promise<{ readonly text?: string }>;

/**
 * Returns the end of a command after its client ended: the client’s exit code may be wrong, and a command that still
 * runs is ended now.
 */
async function endOf(ask: Ask, file: string, interrupted: boolean): Promise<ContainerEnd> {
  for (let look = 0; ; look += 1) {
    const end = readEnd((await ask(endCode(file))).text);
    if (end.kind !== 'began' || look === END_LOOKS) return end;
    if (look === END_LOOKS / 2 || (interrupted && look === 1)) await ask(killCode(file));
    await new Promise((resolve) => setTimeout(resolve, END_PAUSE_MS));
  }
}

function askContainer(
  [program, ...words]: Client,
  code: string,
  signal?: AbortSignal,
): Promise<{ readonly text?: string; readonly problem?: string }> {
  const options = { cwd: '/', timeout: ANSWER_TIMEOUT_MS, maxBuffer: MAX_ANSWER_BYTES, killSignal: 'SIGKILL' as const };
  return new Promise((resolve) => {
    const child = execFile(
      program,
      [...words, ...askWords(code)],
      { ...options, ...(signal ? { signal } : {}) },
      (error, stdout, stderr) => {
        if (!error) return resolve({ text: stdout });
        if (error.killed && error.code === null && !signal?.aborted)
          return resolve({ problem: `no answer within ${ANSWER_TIMEOUT_MS / 1000} s` });
        const said = stderr.trim().split('\n').at(-1) ?? '';
        resolve({ problem: said === '' ? (messageOf(error).split('\n')[0] ?? '') : said });
      },
    );
    child.stdin?.on('error', () => {});
    child.stdin?.end();
  });
}

/** The system's limit for one argument. */
const MAX_ARGUMENT_BYTES = 120_000;

type Order = {
  readonly command: string;
  readonly mode: Confinement;
  readonly env: Readonly<Record<string, string>>;
};

/**
 * Throws a line for the user if a command can't run on a machine without a sandbox and without this machine's
 * secrets.
 */
export function checkOrder(host: string, { command, mode, env }: Order): void {
  if (mode !== 'unrestricted') throw new Error(`there is no sandbox in ${host}`);
  if (Object.keys(env).length > 0) throw new Error(`secrets of this machine do not go to ${host}`);
  checkLength(command);
}

/** Throws if a text is too long for one argument. */
export function checkLength(text: string): void {
  if (Buffer.byteLength(text) > MAX_ARGUMENT_BYTES) throw new Error('the command is too long for one argument');
}
