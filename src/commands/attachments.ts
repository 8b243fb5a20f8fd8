/** Resolves the `@` words of a question or goal (IN-8). */
import { AT_WORD, type Route } from '../contracts/lines.ts';

import type { Attachment } from '../session/message.ts';
import type { App } from './app.ts';
import { showMeta } from './show-meta.ts';

/** Questions with doubtful attachments: submitting the same line again sends them. */
const doubted = new WeakMap<App, string>();

/**
 * Returns the attachments of `text`. Undefined if they can't be sent, or need confirmation; then `line` is back in
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

/** Returns the text for the model in a question or goal. In a shell command an `@` belongs to the shell. */
export function askedIn({ kind, text }: Route): string | undefined {
  if (kind === 'ai') return text;
  return kind === 'meta' && GOAL.test(text) ? text.replace(GOAL, '') : undefined;
}

/** Starts a run toward `goal`, with its `@` words (NO-1). Resolves once that is durable. */
export async function startGoal(app: App, goal: string): Promise<void> {
  const attached = await takeAttached(app, `:norris ${goal}`, goal);
  if (attached === undefined) return;
  const comes = attached.length > 0 && { attached };
  // The journal itself reports a write error.
  await app.engine.dispatch({ type: 'norrisStarted', goal, ...comes }).catch(() => {});
}
