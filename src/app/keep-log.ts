/** What the program's own log is told: facts about the session, never its words. */
import type { Engine } from '../engine/engine.ts';
import type { Log } from '../store/index.ts';
import { VERSION } from './version.ts';

/**
 * Logs the opening, each change of mode (MO-1, MO-5), calls that failed and what could not be done.
 * @param session the id of the session on disk
 */
export function keepLog(log: Log, engine: Engine, session: string): void {
  const { mode, preset, settings } = engine.conversation;
  const { sandbox } = settings;
  const facts = { session, version: VERSION, node: process.versions.node, mode, sandbox, preset };
  // Behind the first frame: the filter that every line passes reads what it knows at the first one.
  setImmediate(() => log.write('info', 'session opened', facts));
  let last = mode;
  engine.onEvent((event) => {
    const now = engine.conversation.mode;
    if (now !== last) log.write('info', 'mode changed', { session, from: last, to: now });
    last = now;
    if (event.type === 'replyEnded' && event.reply.failure)
      log.write('warning', 'model call failed', {
        session,
        preset: event.reply.preset,
        kind: event.reply.failure.kind,
      });
    if (event.type === 'noticed' && event.level !== 'info') log.write(event.level, event.text, { session });
  });
}
