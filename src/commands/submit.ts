/** One submitted line → meta command, shell command, or question (IN-1). */

import type { Route } from '../contracts/lines.ts';
import { messageOf } from '../text/errors.ts';
import { nearest } from '../text/nearest.ts';
import type { App } from './app.ts';
import { takeAttached } from './attached.ts';
import { CommandError } from './command.ts';
import { showMeta } from './show-meta.ts';
import { commands } from './table.ts';
import { StoppedError } from './waits.ts';

/** How a line is taken: as `classify` reads it, or as `kind` says where the user flipped the guess. */
export function routeOf(app: App, line: string, kind?: Route['kind']): Route {
  const route = app.classify(line);
  return kind === undefined || route.forced ? route : { ...route, kind, text: line };
}

/**
 * Takes a line by its route.
 * Resolves when a meta command or a shell line has ended; a question resolves once it is durable.
 */
export async function submitLine(app: App, line: string, route = routeOf(app, line)): Promise<void> {
  if (line.trim() === '') return;
  const { text } = route;
  if (!line.startsWith(' ')) app.history.add(line, route.kind === 'shell' ? text : undefined);
  switch (route.kind) {
    case 'meta':
      return runMeta(app, text);
    case 'shell':
      // Half a command would leave the shell waiting for the rest.
      if (app.incomplete(text)) return show(app, line, 'not run: the command is not complete', true);
      return app.shell.submit(text, { private: route.private ?? false, keep: !line.startsWith(' ') });
    case 'ai':
      return ask(app, line, text);
  }
}

/** A question with what its `@` words stand for. */
async function ask(app: App, line: string, text: string): Promise<void> {
  const attached = await takeAttached(app, line, text);
  if (attached === undefined) return;
  const comes = attached.length > 0 && { attached };
  // A journal that can't be written reports that itself.
  return app.engine.dispatch({ type: 'asked', line: app.engine.newLineId(), text, ...comes }).catch(() => {});
}

/** Text that came back to the prompt: a question stays one, even if it reads like a command (`?ls`). */
export function asItWas(app: App, text: string, question: boolean): string {
  return question && app.classify(text).kind !== 'ai' ? `?${text}` : text;
}

/** Runs `:name rest` and shows its output. An unknown name suggests the nearest (CF-2). */
async function runMeta(app: App, line: string): Promise<void> {
  const [, name = '', rest = ''] = /^\s*:?(\S*)\s*([\s\S]*)$/.exec(line) ?? [];
  const command = commands.find((candidate) => candidate.name === name);
  try {
    if (!command) throw new CommandError(unknown(name));
    const given = rest.trim();
    const work = (signal: AbortSignal) => command.run(app, given, signal);
    const text = await app.waits.during(`:${name}`, command.stops?.(given) ?? false, work);
    if (text !== undefined) show(app, line, text, false);
  } catch (error) {
    const clear = error instanceof CommandError || error instanceof StoppedError;
    const text = clear ? error.message : `:${name} failed: ${messageOf(error)}`;
    show(app, line, text, true);
  }
}

function unknown(name: string): string {
  const guess = nearest(
    name,
    commands.map((command) => command.name),
  );
  return `no command :${name}; ${guess ? `did you mean :${guess}? ` : ''}:help lists them; !:${name} runs it in the shell`;
}

function show(app: App, line: string, text: string, failed: boolean): void {
  showMeta(app.engine, line, text, failed);
}
