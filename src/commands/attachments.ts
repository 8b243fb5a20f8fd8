/** What the `@` words of a question or of a goal stand for (IN-8). */
import { AT_WORD, type Route } from '../contracts/lines.ts';

import type { Attachment } from '../session/message.ts';
import type { App } from './app.ts';
import { showMeta } from './show-meta.ts';

/** What the user was asked about before it goes along; the same line again is a yes. */
const doubted = new WeakMap<App, string>();

/**
 * What goes along with `text`; undefined where that can't be sent, or not without a second look: then `line` is back at
 * the prompt.
 */
export async function takeAttached(app: App, line: string, text: string): Promise<readonly Attachment[] | undefined> {
  const found = AT_WORD.test(text) ? await app.attachments.take(text) : [];
  const problem = found.find((each) => each.problem !== undefined)?.problem;
  const doubt = doubted.get(app) === line ? undefined : found.find((each) => each.doubt !== undefined)?.doubt;
  doubted.delete(app);
  if (problem === undefined && doubt !== undefined) doubted.set(app, line);
  const why = problem ?? (doubt && `${doubt}: Enter again sends it`);
  if (why === undefined) return found.flatMap(({ attachment }) => attachment ?? []);
  if (app.screen) app.screen.refuse(line, why);
  else showMeta(app.engine, line, `not sent: ${why}`, true);
  return undefined;
}

const GOAL = /^:?norris\s+/;

/** The words for the model in a line: a question's or a goal's. In a line for the shell an `@` is the shell's. */
export function askedIn({ kind, text }: Route): string | undefined {
  if (kind === 'ai') return text;
  return kind === 'meta' && GOAL.test(text) ? text.replace(GOAL, '') : undefined;
}

/** Begins a run toward `goal`, with what its `@` words stand for (NO-1). Resolves once that is durable. */
export async function startGoal(app: App, goal: string): Promise<void> {
  const attached = await takeAttached(app, `:norris ${goal}`, goal);
  if (attached === undefined) return;
  const comes = attached.length > 0 && { attached };
  // A journal that can't be written reports that itself.
  await app.engine.dispatch({ type: 'norrisStarted', goal, ...comes }).catch(() => {});
}
