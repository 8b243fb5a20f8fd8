/** Starts model servers when they are first needed: `models.NAME.serve` (CF-3). */
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../config/index.ts';
import type { Broker } from '../contracts/models.ts';
import { type Daemon, startDaemon } from '../executor/index.ts';
import { makeDirectory, readEnd } from '../text/files.ts';
import { clean, plainText } from '../text/sanitize.ts';

/** How long a large model may take to load; after that the call goes ahead and reports the failure itself. In ms. */
const START_TIMEOUT_MS = 180_000;
const PROBE_INTERVAL_MS = 300;
const MAX_LOG_END_BYTES = 8192;

export type Serving = {
  readonly broker: Broker;
  /** Ends the servers that this program started. */
  stop(): Promise<void>;
};

/**
 * The broker, with a check before each call to a preset that has a command: a server that does not answer is started,
 * once for all calls that need it, and awaited.
 * @param commands by preset
 * @param logOf where a server's output goes
 * @param say one line for the user
 * @param mayStart whether the user lets it start
 */
export function serving(
  broker: Broker,
  commands: ReadonlyMap<string, string>,
  logOf: (preset: string) => string,
  say: (line: string) => void,
  mayStart: (preset: string, command: string) => Promise<boolean>,
): Serving {
  if (commands.size === 0) return { broker, stop: async () => {} };
  const daemons = new Map<string, Daemon>();
  const coming = new Map<string, Promise<void>>();

  const start = (name: string, command: string, log: string): Daemon => {
    say(`${name}: nothing answers; starting ${command}`);
    makeDirectory(dirname(log));
    const daemon = startDaemon(command, log);
    daemons.set(name, daemon);
    void daemon.ended.then(() => {
      if (daemons.get(name) === daemon) daemons.delete(name);
    });
    return daemon;
  };

  const bringUp = async (name: string, command: string): Promise<void> => {
    const log = logOf(name);
    const running = daemons.get(name);
    if (!running && !(await mayStart(name, command))) return;
    const daemon = running ?? start(name, command, log);
    const enough = new AbortController();
    const how = await Promise.race([daemon.ended, answers(broker, name, enough.signal)]);
    enough.abort();
    // A slower server is awaited again at the next call, and ends with the program.
    if (how === 'it answers') return;
    say(`${name}: its server did not answer (${how}); ${lastLine(log)}the full log is in ${log}`);
  };

  const ready = async (name: string, signal: AbortSignal): Promise<void> => {
    const command = commands.get(name);
    if (command === undefined || signal.aborted) return;
    if (!coming.has(name)) {
      if ((await broker.probe(name, signal)).reachable || signal.aborted) return;
      // Two calls may have checked at the same time.
      if (!coming.has(name)) {
        const up = bringUp(name, command).catch((error: Error) => say(`${name}: ${error.message}`));
        coming.set(
          name,
          up.finally(() => coming.delete(name)),
        );
      }
    }
    const { promise: given, resolve: giveUp } = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => giveUp(), { once: true });
    await Promise.race([coming.get(name), given]);
  };

  return {
    broker: {
      ...broker,
      async chat(preset, messages, options) {
        await ready(preset, options.signal);
        return broker.chat(preset, messages, options);
      },
      async chatStream(preset, messages, options) {
        await ready(preset, options.signal);
        return broker.chatStream(preset, messages, options);
      },
      async measure(preset, request) {
        await ready(preset, request.signal);
        return broker.measure(preset, request);
      },
    },
    async stop() {
      await Promise.all([...daemons.values()].map((daemon) => daemon.stop()));
    },
  };
}

/** The presets that have a command to start their server. */
export function serveCommands(models: Config['models']): ReadonlyMap<string, string> {
  return new Map(Object.entries(models).flatMap(([name, { serve }]) => (serve === undefined ? [] : [[name, serve]])));
}

async function answers(
  broker: Broker,
  name: string,
  signal: AbortSignal,
): Promise<'it answers' | 'not within three minutes'> {
  const until = performance.now() + START_TIMEOUT_MS;
  while (performance.now() < until && !signal.aborted) {
    const { reachable } = await broker.probe(name, signal);
    if (reachable) return 'it answers';
    await delay(PROBE_INTERVAL_MS);
  }
  return 'not within three minutes';
}

function lastLine(log: string): string {
  try {
    const line =
      plainText(clean(readEnd(log, MAX_LOG_END_BYTES)))
        .trimEnd()
        .split('\n')
        .at(-1)
        ?.trim()
        .slice(0, 200) ?? '';
    return line === '' ? '' : `its last line: ${line}; `;
  } catch {
    return '';
  }
}
