/** Puts equal commands for several hosts into one call of Ansible: whoever asks for the same soon enough goes with the others. */
import type { AnsibleHost, Carried } from '../../remote/fleet/index.ts';
import { messageOf } from '../../text/errors.ts';
import { AnsibleCall, type CallOptions } from './ansible-call.ts';

/** How long others are waited for behind the last one, and behind the first. In ms. */
const QUIET_MS = 400;
const GATHER_MS = 3000;
/** Calls at work at the same time; meanwhile others gather. */
const CALLS = 8;

/**
 * `dropped`: it is not waited for any more. `over`: it was sent, so it may have begun or begin there, until this resolves.
 */
export type Outcome = Carried | { readonly kind: 'dropped'; readonly over?: Promise<void> };

type Batch = Pick<CallOptions, 'command' | 'limitMs'> & {
  readonly hosts: Map<string, { readonly host: AnsibleHost; readonly resolve: (outcome: Outcome) => void }>;
  readonly since: number;
  timer?: NodeJS.Timeout;
  due: boolean;
  call?: AnsibleCall;
  readonly over: PromiseWithResolvers<void>;
};

export class AnsibleQueue {
  readonly #options: () => Pick<CallOptions, 'folder' | 'env'>;
  /** Those that nothing was begun for, by command. */
  readonly #gathering = new Map<string, Batch>();
  readonly #calls = new Set<AnsibleCall>();

  constructor(options: () => Pick<CallOptions, 'folder' | 'env'>) {
    this.#options = options;
  }

  /** Runs a command line on a host. Never rejects. @param limitMs after that it counts as not answered */
  send(host: AnsibleHost, command: string, limitMs: number, signal?: AbortSignal): Promise<Outcome> {
    if (signal?.aborted) return Promise.resolve({ kind: 'dropped' });
    return new Promise((resolve) => {
      const batch = this.#batchFor(host, command, limitMs);
      const drop = () => {
        batch.hosts.delete(host.name);
        batch.call?.drop(host.name);
        resolve({ kind: 'dropped', ...(batch.call ? { over: batch.over.promise } : {}) });
      };
      signal?.addEventListener('abort', drop, { once: true });
      batch.hosts.set(host.name, {
        host,
        resolve(outcome) {
          signal?.removeEventListener('abort', drop);
          resolve(outcome);
        },
      });
    });
  }

  /** Ends all calls, and begins no other. */
  close(): void {
    for (const { timer } of this.#gathering.values()) clearTimeout(timer);
    this.#gathering.clear();
    for (const call of this.#calls) call.kill();
  }

  #batchFor(host: AnsibleHost, command: string, limitMs: number): Batch {
    const found = this.#gathering.get(command);
    // One that asks for the same twice means it twice.
    if (found?.hosts.has(host.name)) this.#begin(found);
    const over = Promise.withResolvers<void>();
    const fresh: Batch = { command, limitMs, hosts: new Map(), since: performance.now(), due: false, over };
    const batch = this.#gathering.get(command) ?? fresh;
    this.#gathering.set(command, batch);
    clearTimeout(batch.timer);
    const left = GATHER_MS - (performance.now() - batch.since);
    batch.timer = setTimeout(() => this.#letGo(batch), Math.max(0, Math.min(QUIET_MS, left)));
    return batch;
  }

  #letGo(batch: Batch): void {
    batch.due = true;
    if (this.#calls.size < CALLS) this.#begin(batch);
  }

  /** As many as there is room for; one that nobody waits for any more, or that can't be begun, takes no room. */
  #beginDue(): void {
    for (const batch of [...this.#gathering.values()]) {
      if (this.#calls.size >= CALLS) return;
      if (batch.due) this.#begin(batch);
    }
  }

  #begin(batch: Batch): void {
    clearTimeout(batch.timer);
    if (this.#gathering.get(batch.command) === batch) this.#gathering.delete(batch.command);
    if (batch.hosts.size === 0) return;
    const { command, limitMs, hosts } = batch;
    try {
      const call = new AnsibleCall({
        ...this.#options(),
        ...{ command, limitMs, hosts: [...hosts.values()].map(({ host }) => host) },
        onCarried: (name, carried) => hosts.get(name)?.resolve(carried),
        onEnd: () => {
          this.#calls.delete(call);
          batch.over.resolve();
          this.#beginDue();
        },
      });
      batch.call = call;
      this.#calls.add(call);
    } catch (error) {
      for (const { resolve } of hosts.values()) resolve({ kind: 'failed', why: messageOf(error) });
    }
  }
}
