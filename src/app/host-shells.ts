/** The session's remote hosts and the user's shell on each of them. Decides which shell runs the user's lines. */

import { createHash } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { RunningCommand } from '../contracts/commands.ts';
import type { HostDirectories, HostsPort } from '../contracts/machine.ts';
import {
  findLauncher,
  projectArgv,
  runsOn,
  sandboxArgv,
  supervisedArgv,
  trialArgv,
  whyOpen,
} from '../effects/sandbox/index.ts';
import { type OutputSize, sizeForModel } from '../engine/live.ts';
import {
  asCompanion,
  openElsewhere,
  processEnvironment,
  runElsewhere,
  socketFolder,
  startUserShell,
  type UserShell,
} from '../executor/index.ts';
import { type HostLeftovers, type HostOptions, Hosts, type LauncherKit } from '../remote/hosts/index.ts';
import { hostOf, placeOn } from '../session/place.ts';
import { leavesShell } from '../session/shell.ts';
import type { HostAnswers } from '../store/index.ts';
import { messageOf } from '../text/errors.ts';
import { bytesText } from '../text/spelled.ts';
import type { SessionBus } from './session-bus.ts';

/** How many characters of ssh's configuration are searched for host names. */
const MAX_CONFIG_CHARS = 1_000_000;

export type HostShells = HostsPort & {
  /**
   * The remote shell that gets the user's lines; undefined: the local one does. Rejects if the connection is lost.
   */
  readonly front: Promise<UserShell> | undefined;
  /** The same shell, once it has started. */
  readonly current: UserShell | undefined;
  readonly hosts: Hosts;
  /** Sets the other users of host connections; called before the first host connects. */
  serve(users: Users): void;
  /** Returns whether a word is a program on the host that gets the user's lines. */
  knows(word: string): boolean;
  close(): Promise<void>;
};

type Options = {
  readonly bus: SessionBus;
  readonly dataDir: string;
  readonly size: () => OutputSize;
  /** The directory of the user's local shell. */
  readonly localPlace: () => string;
  readonly kit: LauncherKit;
  /** The files that programs have left on hosts. */
  readonly left: HostDirectories;
  /** The hosts on which the user has agreed to install the launcher. */
  readonly answers: HostAnswers;
};

/** The other parts of the program that use host connections, and are built after this module. */
type Users = {
  readonly keep: NonNullable<HostOptions['keep']>;
  /** Finishes an apply or undo that a lost connection interrupted on the host. Never rejects. */
  readonly recover: (host: string) => Promise<void>;
  /** Whether a fleet uses the host. */
  readonly inFleet: (host: string) => boolean;
};

export function createHosts({ bus, dataDir, size, localPlace, kit, left, answers }: Options): HostShells {
  let users: Users | undefined;
  const shells = new Map<string, UserShell>();
  /** Shells that are still starting; lines for a host wait for its shell. */
  const coming = new Map<string, Promise<UserShell>>();
  const programs = new Map<string, ReadonlySet<string>>();
  let current: string | undefined;
  let folder: string | undefined;
  const env = processEnvironment();

  const goTo = (name: string | undefined) => {
    current = name;
    const shell = name === undefined ? undefined : shells.get(name);
    moved(shell?.cwd ?? localPlace());
    bus.changed();
  };
  const moved = (cwd: string) => {
    const host = hostOf(cwd);
    const project = host !== undefined && hosts.machine(host).lacks('project') === undefined;
    bus.dispatch({ type: 'shellMoved', cwd, ...(project ? { project } : {}) });
  };
  const hosts = new Hosts({
    kit,
    keep: async (...command) => users?.keep(...command),
    left,
    get folder() {
      folder ??= socketFolder('ssh');
      return folder;
    },
    inTerminal: (argv) => runElsewhere({ argv, env, place: bus.engine.shellCwd, size, dataDir }),
    companion: (argv) => asCompanion(argv, env),
    session: (argv) => openElsewhere({ argv, env, closes: true, size: () => sizeForModel(size()), dataDir }),
    ahead: true,
    onLost(host) {
      bus.show(`the connection to ${host} was lost; :host ${host} reconnects, :host - goes back to this machine`);
    },
  });

  /** Installs the launcher if the user has agreed before, and finishes interrupted work on the host. */
  const putLauncher = async (name: string) => {
    const without = await hosts.putLauncher(name);
    if (without !== undefined) return bus.show(`${without}: only Unrestricted runs commands there`);
    const noProject = hosts.machine(name).lacks('project');
    if (noProject !== undefined) bus.show(noProject);
    void users?.recover(name).catch(() => {});
  };

  const startShell = async (name: string): Promise<UserShell> => {
    const there = hosts.shell(name);
    if (!there) throw new Error(`${name} is not connected`);
    const home = placeOn(name, there.home);
    // The shell may end before it is ready; then everybody who waits for it must be notified.
    let shell: UserShell | undefined;
    shell = await startUserShell({
      there,
      cwd: home,
      env: {},
      ...size(),
      dataDir,
      onMove: (cwd) => {
        if (current === name) moved(cwd);
      },
      onPrompt: () => bus.changed(),
      onIdleOutput: (text) => bus.notice('info', text.trimEnd()),
      onExit: ({ left, message }) => {
        // Another shell may have replaced this shell meanwhile.
        if (!shell || shells.get(name) !== shell) return;
        shells.delete(name);
        if (!left || current !== name) return;
        // A host can end its shell at any time. Lines typed for the host must not run on this machine.
        const asked = leavesShell(bus.engine.state.shell.running?.line ?? '');
        const then = asked ? 'back on this machine' : `:host ${name} starts another, :host - goes back to this machine`;
        bus.notice('info', `${message}; ${then}`);
        if (asked) goTo(undefined);
      },
    });
    shells.set(name, shell);
    programs.set(name, await there.programs());
    const { instead, plain, program } = there;
    if (instead !== undefined)
      bus.show(`your shell on ${name}, ${instead}, can't be driven: ${program} runs in its place`);
    if (plain) bus.show(`${program} on ${name}: limited support (no functions, no history)`);
    return shell;
  };

  return {
    hosts,
    serve: (those) => {
      users = those;
    },
    get front() {
      if (current === undefined) return undefined;
      const shell = shells.get(current) ?? coming.get(current);
      const [what, how] = hosts.shell(current)
        ? [`there is no shell on ${current}`, 'starts one']
        : [`${current} is not connected`, 'reconnects'];
      const gone = `${what}; :host ${current} ${how}, :host - goes back to this machine`;
      return shell ? Promise.resolve(shell) : Promise.reject(new Error(gone));
    },
    get current() {
      return current === undefined ? undefined : shells.get(current);
    },
    list: () =>
      hosts.list().map(({ name, state }) => ({
        name,
        state: state === 'open' ? 'connected' : state === 'opening' ? 'opening' : 'lost',
        current: current === name,
        ...(shells.has(name) ? { place: shells.get(name)?.cwd ?? '' } : {}),
      })),
    names: () => Promise.resolve(configuredNames(join(env.HOME ?? '/', '.ssh/config'))),
    async enter(name, asks) {
      if (users?.inFleet(name)) throw new Error(`a fleet is at work on ${name}; :fleet stop ends it`);
      const { promise, resolve, reject } = Promise.withResolvers<UserShell>();
      promise.catch(() => {});
      // A connected host needs no questions.
      if (hosts.shell(name)) coming.set(name, promise);
      try {
        const told = await hosts.open(name, (master, ready) => {
          const shown = asks(untilReady(master, ready, bus));
          // Deferred until after the frame, so that lines waiting for the shell appear below it.
          coming.set(name, promise);
          return shown;
        });
        for (const line of told) bus.notice('info', line);
        if (answers.has(name)) await putLauncher(name);
        resolve(shells.get(name) ?? (await startShell(name).catch(sshMayWork(name))));
      } catch (error) {
        reject(error);
        throw error;
      } finally {
        coming.delete(name);
      }
      if (hosts.isRoot(name)) bus.show(`you are root on ${name}`);
      goTo(name);
    },
    leave() {
      if (current !== undefined) goTo(undefined);
      return undefined;
    },
    async forget(name, yes) {
      const left = await hosts.left(name);
      if (left.length > 0 && !yes) return [...left.map(leftText(name)), `:host forget ${name} yes removes it`];
      answers.set(name, false);
      const shell = shells.get(name);
      shells.delete(name);
      if (current === name) goTo(undefined);
      await shell?.dispose();
      return hosts.forget(name, left);
    },
    async launcher(wanted, yes) {
      const name = wanted ?? current;
      if (name === undefined) throw new Error('which host? :host lists them');
      if (hosts.list().every((host) => host.name !== name)) throw new Error(`${name} is not connected`);
      if (!yes) return `${LAUNCHER_ASKS(name)}\n:host launcher ${wanted === undefined ? '' : `${name} `}yes does it`;
      const why = await hosts.putLauncher(name);
      if (why !== undefined) throw new Error(why);
      answers.set(name, true);
      if (current === name) goTo(name);
      const noProject = hosts.machine(name).lacks('project');
      const works =
        noProject === undefined ? 'Restricted, Project and :undo work there' : 'Restricted and :undo work there';
      return `the launcher is on ${name}: ${works}${noProject === undefined ? '' : `. ${noProject}`}`;
    },
    knows: (word) => current !== undefined && programs.get(current)?.has(word) === true,
    trust: (name) => hosts.trust(name),
    async close() {
      await Promise.all([...shells.values()].map((shell) => shell.dispose()));
      await hosts.close();
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

const LAUNCHER_ASKS = (name: string) =>
  `puts aish-tui's sandbox launcher (a program of some 100 kB) on ${name}, into a private directory below ~/.cache, now and whenever you connect to it; it is compared with the one here before every use. Restricted, Project and :undo work there then. :host forget ${name} removes it`;

/** The shell could not be controlled; plain ssh may still work. */
function sshMayWork(name: string): (error: unknown) => never {
  return (error) => {
    throw new Error(`${messageOf(error)}; plain ssh may work: ssh ${name}`);
  };
}

function leftText(name: string) {
  return ({ directory, actions, bytes }: HostLeftovers) =>
    `on ${name} lies ${directory}: the launcher, and what is kept of ${actions} ${actions === 1 ? 'action' : 'actions'}; ${bytesText(bytes)}`;
}

/** Represents the connection as a command, which ends once the connection succeeds or fails. */
function untilReady(master: RunningCommand, ready: Promise<string | undefined>, bus: SessionBus): RunningCommand {
  const began = performance.now();
  const connected = ready.then((why) => {
    if (why !== undefined) return master.result;
    const head = master.output.lines(50).join('\n');
    const milliseconds = Math.round(performance.now() - began);
    const { bytes } = master.output;
    return { exit: 0, cwd: bus.engine.shellCwd, head, tail: '', omittedLines: 0, bytes, milliseconds };
  });
  return new Proxy(master, {
    get(target, key) {
      if (key === 'result') return connected;
      const value: unknown = Reflect.get(target, key, target);
      const bound: unknown = typeof value === 'function' ? value.bind(target) : value;
      return bound;
    },
  });
}

/** Lists the host names of ssh's configuration, without patterns and included files. */
function configuredNames(path: string): readonly string[] {
  try {
    const text = readFileSync(path, 'utf8').slice(0, MAX_CONFIG_CHARS);
    const names = [...text.matchAll(/^[ \t]*Host[ \t=]+(.+)$/gim)].flatMap(([, words = '']) =>
      words.trim().split(/\s+/),
    );
    return [...new Set(names)].filter((name) => !/[*?!"]/.test(name));
  } catch {
    return [];
  }
}

// The launcher to install on hosts, for their architecture: from the package, or built in this checkout.

/** The largest size of a launcher; a larger file is rejected. */
const MAX_BYTES = 1_000_000;

/** @param base as `findLauncher` takes it */
export function launcherKit(base: string | URL): LauncherKit {
  return {
    program(arch) {
      const path = findLauncher(base, arch);
      if (!runsOn(path, arch)) return undefined;
      const bytes = readFileSync(path);
      return bytes.length > MAX_BYTES ? undefined : { bytes, hash: createHash('sha256').update(bytes).digest('hex') };
    },
    whyOpen,
    kept: ({ tmpDir: _tmpDir, ...launch }) => supervisedArgv({ ...launch, elsewhere: true }),
    project: (launch) => projectArgv({ ...launch, elsewhere: true }),
    trial: (launch) => trialArgv({ ...launch, elsewhere: true }),
    restricted: (launch) => sandboxArgv({ ...launch, elsewhere: true }),
  };
}
