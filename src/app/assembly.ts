/** The composition root, in two steps: the services on one bus; then the engine, and what follows it. */
import type { App } from '../commands/app.ts';
import { Engine } from '../engine/engine.ts';
import { type Folded, foldInPieces } from '../engine/fold.ts';
import { Forms } from '../engine/forms.ts';
import { createApp } from './create-app.ts';
import { type Environment, loadEnvironment, type OpenOptions } from './environment.ts';
import { createServices } from './services.ts';
import { SessionBus } from './session-bus.ts';
import { startSession } from './start-session.ts';
import { followSession } from './subscriptions.ts';
import { tidyDisk } from './tidy-disk.ts';

/** The user's own conversation. */
const ROOT = 'main';

export type Opened = { readonly app: App /** Ends everything it started. Idempotent. */; close(): Promise<void> };

/** Opens a session. A problem that prevents it is one line for the user. */
export async function openApp(options: OpenOptions): Promise<Opened | { readonly problem: string }> {
  const loaded = await loadEnvironment(options);
  if ('problem' in loaded) return loaded;
  const { turn = () => Promise.resolve() } = options;
  await turn();
  // Before there is anything that could send an event of its own.
  const folded = await foldInPieces(loaded.events, ROOT, turn);
  return assemble(loaded.environment, folded);
}

function assemble(environment: Environment, folded: Folded): Opened {
  const bus = new SessionBus();
  const services = createServices(environment, bus);

  const engine = new Engine(services.services, ROOT, folded);
  const { columns, rows } = environment.options;
  engine.live.size = { columns, rows };
  const forms = new Forms(engine);
  bus.connect(engine, forms);

  const notices = startSession(bus, environment, services.costs.problem);
  followSession(engine, environment, services, bus);
  // After the first frame: nobody waits for it, and what can't be removed now is tried at the next start.
  setImmediate(() => void tidyDisk(environment, services.log).catch(() => {}));
  let closing: Promise<void> | undefined;
  return {
    app: createApp(environment, services, engine, forms, notices),
    close() {
      closing ??= Promise.all([engine.close(), services.mcp.close()]).then(() => services.close());
      return closing;
    },
  };
}
