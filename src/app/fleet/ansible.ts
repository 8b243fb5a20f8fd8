/**
 * Hosts of a fleet through Ansible: what is judged for many at the same time goes there in one call, and so do the looks at
 * what it names. No connection stays that could be lost; what a host has written down itself tells how a command ended.
 */
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import type { FleetMachine, OpenMachine } from '../../contracts/fleet.ts';
import type { Machine } from '../../contracts/machine.ts';
import { sizeForModel } from '../../engine/live.ts';
import { type Reported, runReported, socketFolder } from '../../executor/index.ts';
import {
  type AnsibleHost,
  askLine,
  CLOSE_THERE,
  endingCode,
  identityCode,
  MAX_OUTPUT_BYTES,
  readEnd,
  readFacts,
  readRun,
  runLine,
  SETUP_THERE,
} from '../../remote/fleet/index.ts';
import { absentHost, endMasters } from '../../remote/hosts/index.ts';
import { directoryAt } from '../../session/place.ts';
import { sha256 } from '../../text/digest.ts';
import { processEnvironment } from '../user-shell.ts';
import { AnsibleQueue, type Outcome } from './ansible-queue.ts';
import type { ContainerOptions } from './container.ts';
import { checkLength, checkOrder } from './order.ts';

/** What a look may take, the start of Ansible with it. In ms. */
const ANSWER_TIMEOUT_MS = 60_000;
const NAME_CHARS = 16;

export type Carrier = {
  /** @param seconds what a command may take there: nothing here can end it when Ansible has gone */
  readonly open: (seconds: number) => OpenMachine;
  readonly close: () => void;
};

export function carrierByAnsible(options: ContainerOptions): Carrier {
  const env = processEnvironment();
  const token = randomBytes(16).toString('hex');
  let folder: string | undefined;
  let serial = 0;
  const place = () => {
    folder ??= socketFolder('a');
    return { folder, env };
  };
  const closing = new Together(async () => {
    if (folder !== undefined) await endMasters(folder, env);
  });
  const parts = { ...options, closing, commands: new AnsibleQueue(place), looks: new AnsibleQueue(place) };
  return {
    open: (seconds) => (name, signal) => {
      serial += 1;
      // Two names may be one machine.
      return openHost({ name, folder: `/tmp/aish-tui-${token}-${serial}` }, signal, { ...parts, seconds });
    },
    close() {
      parts.commands.close();
      parts.looks.close();
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Parts = ContainerOptions & {
  readonly commands: AnsibleQueue;
  /** Apart from the commands, which may take all places for long. */
  readonly looks: AnsibleQueue;
  readonly closing: Together;
  readonly seconds: number;
};

/** Lets what is to be closed wait for what is still open: then it is one call, and nobody needs it sooner. */
class Together {
  #open = 0;
  #works: (() => Promise<unknown>)[] = [];
  #closed = Promise.withResolvers<void>();
  readonly #after: () => Promise<void>;

  /** @param after done when all has been closed and nothing was opened meanwhile */
  constructor(after: () => Promise<void>) {
    this.#after = after;
  }

  begin(): void {
    this.#open += 1;
  }

  /** Does the work when nothing is open any more; resolves when all of that is done. */
  end(work: () => Promise<unknown> = () => Promise.resolve()): Promise<void> {
    this.#open -= 1;
    this.#works.push(work);
    const { promise, resolve } = this.#closed;
    if (this.#open > 0) return promise;
    this.#closed = Promise.withResolvers();
    const works = this.#works.splice(0).map((each) => each());
    resolve(Promise.all(works).then(() => (this.#open > 0 ? undefined : this.#after())));
    return promise;
  }
}

async function openHost(at: AnsibleHost, signal: AbortSignal, parts: Parts): ReturnType<OpenMachine> {
  const { name: host } = at;
  const { commands, looks, closing, seconds, size, dataDir } = parts;
  const ask = async (code: string) => {
    const answer = await looks.send(at, askLine(code), ANSWER_TIMEOUT_MS);
    return answer.kind === 'ran' && answer.exit === 0 ? answer.output : undefined;
  };
  closing.begin();
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= closing.end(() => ask(CLOSE_THERE));
    return closed;
  };
  const told = await looks.send(at, askLine(SETUP_THERE), ANSWER_TIMEOUT_MS, signal);
  const facts = told.kind === 'ran' && told.exit === 0 ? readFacts(told.output) : undefined;
  if (facts?.folder !== at.folder) {
    if (told.kind === 'dropped' && !told.over) void closing.end();
    // It may have made its directory all the same, as long as its call lives.
    else if (told.kind === 'dropped') await told.over?.then(close);
    else void close();
    return { problem: problemOf(host, told) };
  }
  const { home, root } = facts;
  const lost = Promise.withResolvers<string>();
  const times = new Map<string, number>();
  /** The same for all hosts that run the same for the same time. */
  const recordsOf = (cwd: string, command: string) => {
    const digest = sha256(JSON.stringify([cwd, command])).slice(0, NAME_CHARS);
    const time = (times.get(digest) ?? 0) + 1;
    times.set(digest, time);
    return `op-${digest}-${time}`;
  };
  const machine: Machine = {
    ...absentHost(host),
    home,
    files: {
      ...absentHost(host).files,
      // What can't be looked at is not what it was before.
      identities: async (named) =>
        (await ask(identityCode(named)))?.split('\n') ?? [`not looked at ${performance.now()}`],
    },
    async spawn(command, { cwd: place, mode, env = {}, signal: aborted }) {
      checkOrder(host, { command, mode, env });
      const cwd = directoryAt(place);
      const name = recordsOf(cwd, command);
      const line = runLine(name, cwd, command, seconds);
      checkLength(line);
      aborted.throwIfAborted();
      return runReported({ ...sizeForModel(size()), dataDir }, place, async (ending): Promise<Reported> => {
        const outcome = await commands.send(at, line, seconds * 1000 + ANSWER_TIMEOUT_MS, ending);
        const reported = reportedOf(outcome) ?? endOf(outcome, await ask(endingCode(name)));
        if (reported.lost !== undefined) lost.resolve(`${host}: ${reported.lost}`);
        // What could not be ended may begin as long as its call lives.
        if (reported.lost !== undefined && outcome.kind === 'dropped')
          void outcome.over?.then(() => ask(endingCode(name)));
        return reported;
      });
    },
    processes: async () => ['the processes there were not looked at'],
  };
  return {
    ...{ machine, directory: home, root, ask, lost: lost.promise, close },
  } satisfies FleetMachine;
}

function problemOf(host: string, told: Outcome): string {
  if (told.kind === 'altered') return ALTERED;
  if (told.kind === 'failed') return told.why;
  return told.kind === 'dropped' ? 'no longer wanted' : `there is no usable shell in ${host}`;
}

const ALTERED = 'Ansible brought back another command than was judged; what ran there is not known';

type Known = Reported & { readonly lost?: string };

/** Undefined where only the host's own record can tell. */
function reportedOf(outcome: Outcome): Known | undefined {
  if (outcome.kind === 'altered') return { exit: null, note: ALTERED, lost: ALTERED };
  if (outcome.kind === 'dropped' && !outcome.over) return { exit: null, note: 'interrupted', began: false };
  if (outcome.kind !== 'ran') return undefined;
  const { exit } = outcome;
  const run = readRun(exit, outcome.output);
  // Perhaps a second start of Ansible's own, which was refused; or what watched over it there was killed.
  if (!run) return undefined;
  const { output, isWhole } = run;
  const isCut = Buffer.byteLength(output) >= MAX_OUTPUT_BYTES;
  const note = isCut ? 'of its output only the beginning was kept' : 'of its output the end may be missing';
  return { exit, output, ...(isCut || !isWhole ? { note } : {}) };
}

/** What Ansible could not tell, from what the host has written down. */
function endOf(outcome: Outcome, answer: string | undefined): Known {
  const end = readEnd(answer);
  const isDropped = outcome.kind === 'dropped';
  const why =
    outcome.kind === 'failed' ? outcome.why : isDropped ? 'interrupted' : 'what watched over it there told no end';
  if (isDropped && end.kind !== 'silent') return { exit: null, note: why };
  if (end.kind === 'never began') return { exit: null, note: `it never began: ${why}`, began: false };
  if (end.kind === 'ended') return { exit: end.exit, note: 'its output is lost' };
  return { exit: null, note: `how it ended is not known: ${why}`, lost: `what ran there then is not known: ${why}` };
}
