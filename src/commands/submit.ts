/** Routes a submitted line to a `:` command, the shell, or the model (IN-1). */

import type { Route } from '../contracts/lines.ts';
import type { GiveBack } from '../engine/engine.ts';
import { messageOf } from '../text/errors.ts';
import { nearest } from '../text/matching.ts';
import type { App } from './app.ts';
import { takeAttached } from './attachments.ts';
import { CommandError } from './command.ts';
import { showMeta } from './show-meta.ts';
import { commands } from './table.ts';
import { StoppedError } from './waits.ts';

/** The maximum lines of one typed-ahead command: the shell's parser is asked after each line. */
const MAX_COMMAND_LINES = 50;

/** Returns a line's route: by `classify`, or by `kind` if the user changed it. */
export function routeOf(app: App, line: string, kind?: Route['kind']): Route {
  const route = app.classify(line);
  return kind === undefined || route.forced ? route : { ...route, kind, text: line };
}

/**
 * Runs a line by its route. `keys` were typed ahead, for the program that it starts in the shell.
 * Resolves when a `:` command or shell line has ended; a question resolves once it is durable.
 */
export async function submitLine(app: App, line: string, route = routeOf(app, line), keys = ''): Promise<void> {
  if (line.trim() === '') return;
  const { text } = route;
  if (!line.startsWith(' ')) app.history.add(line, route.kind === 'shell' ? text : undefined);
  switch (route.kind) {
    case 'meta':
      return runMeta(app, text);
    case 'shell':
      // An incomplete command would leave the shell waiting for the rest.
      if (app.incomplete(text)) return show(app, line, 'not run: the command is not complete', true);
      return app.shell.submit(text, { private: route.private ?? false, keep: !line.startsWith(' '), keys });
    case 'ai':
      return ask(app, line, text);
  }
}

/** Sends a question with its `@` words. */
async function ask(app: App, line: string, text: string): Promise<void> {
  const attached = await takeAttached(app, line, text);
  if (attached === undefined) return;
  const comes = attached.length > 0 && { attached };
  // The journal itself reports a write error.
  return app.engine.dispatch({ type: 'asked', line: app.engine.newLineId(), text, ...comes }).catch(() => {});
}

/**
 * Handles text that returns to the prompt. A question stays one, even if it looks like a command (`?ls`). Of text
 * typed for a command that did not read it, the first line runs if it is surely a shell command, with the rest typed
 * ahead; otherwise all of it returns.
 * @param mayRun whether a shell line may run now
 */
export function returnText(
  app: App,
  text: string,
  kind: Parameters<GiveBack>[1],
  mayRun: (line: string) => boolean = () => true,
): string {
  if (kind === 'question') return app.classify(text).kind === 'ai' ? text : `?${text}`;
  const typed = text.replace(/^\s*\n/, '');
  const whole = kind === 'typed' ? typed.split('\n').slice(0, -1) : [];
  for (const [last] of whole.slice(0, MAX_COMMAND_LINES).entries()) {
    const line = whole.slice(0, last + 1).join('\n');
    const route = routeOf(app, line);
    if (route.kind !== 'shell' || route.unsure !== undefined) break;
    // The command may continue on the next line.
    if (app.incomplete(route.text)) continue;
    if (!mayRun(route.text)) break;
    void submitLine(app, line, route, typed.slice(line.length + 1).replaceAll('\n', '\r'));
    return '';
  }
  return typed.replace(/\n+$/, '');
}

/** Runs `:name rest` and shows its output. For an unknown name it suggests the nearest (CF-2). */
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
  const names = commands.map((command) => command.name);
  const guess = names.find((each) => each.startsWith(name)) ?? nearest(name, names);
  return `no command :${name}; ${guess ? `did you mean :${guess}? ` : ''}:help lists them; !:${name} runs it in the shell`;
}

function show(app: App, line: string, text: string, failed: boolean): void {
  showMeta(app.engine, line, text, failed);
}
