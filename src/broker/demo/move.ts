import type { Outcome, Scene } from './conversation.ts';

/** What the script does next: a sentence, and an action or an end. */
export type Move = { readonly say: string } & (
  | { readonly kind: 'command'; readonly command: string; readonly native: boolean }
  | { readonly kind: 'tool'; readonly name: string; readonly args: Readonly<Record<string, unknown>> }
  | { readonly kind: 'done' }
  | { readonly kind: 'blocked'; readonly reason: string }
);

/** One goal the script understands. `next` gets the scene and says what follows from what has happened. */
export type Script = { readonly matches: (goal: string) => boolean; readonly next: (scene: Scene) => Move };

/** A command as a `CMD:` line. */
export function line(say: string, command: string): Move {
  return { kind: 'command', say, command, native: false };
}

/** A command as a call of the `bash` tool, where that is on offer. */
export function native(say: string, command: string): Move {
  return { kind: 'command', say, command, native: true };
}

export function done(say: string): Move {
  return { kind: 'done', say };
}

export function blocked(say: string, reason: string): Move {
  return { kind: 'blocked', say, reason };
}

/** The answer when a step found nothing to continue with; undefined when it did. */
export function setback(outcome: Outcome): Move | undefined {
  if (outcome.skipped) return blocked('You skipped that step, so I stop here.', 'a step was skipped by the user');
  if (outcome.exit === undefined || outcome.exit === 0) return undefined;
  const said = outcome.lines.find((text) => /: /.test(text))?.trim() ?? `exit ${outcome.exit}`;
  return blocked(`The command failed: ${said}`, 'the command failed');
}

/** What kept `find` from finding anything: the exit code of a pipeline is that of its last program and does not tell. */
export function searchFailure(outcome: Outcome): Move | undefined {
  const said = pathsIn(outcome).length > 0 ? undefined : outcome.lines.find((text) => /(?:^|: )find: /.test(text));
  return said === undefined ? undefined : blocked(`The command failed: ${said.trim()}`, 'the command failed');
}

/** The last line that is a number and nothing else. */
export function numberIn(outcome: Outcome | undefined): number | undefined {
  const found = outcome?.lines.findLast((text) => /^\s*\d+\s*$/.test(text));
  return found === undefined ? undefined : Number(found);
}

/** Lines that are paths as `find` prints them. */
export function pathsIn(outcome: Outcome | undefined): readonly string[] {
  return outcome?.lines.filter((text) => /^(\.{0,2}|~|[\w.@+-]+)\//.test(text) && !/: /.test(text)) ?? [];
}

/** "1 file", "3 files". */
export function counted(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}
