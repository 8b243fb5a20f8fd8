/**
 * A machine that commands run on: this one, or a host. Whoever runs a command or looks at files asks `machineAt(place)`
 * for it (see `session/place.ts`) and does not learn which one it got, but for `host`, which a person must be told.
 *
 * How to use it: `machineAt(placeOn('web1', '/srv'))` gives the machine of a host, connected or not; `spawn` runs what the
 * gate has judged for that very place, `files` and `processes` tell a HALT what would be lost. Nothing here judges, and
 * nothing that a host says may soften a verdict.
 */
import type { AgentCommands, Confinement } from './commands.ts';

/** A path as a command names it; `glob`: it is a pattern that the shell expands; `cwd`: a directory of that machine. */
export type Named = { readonly path: string; readonly glob: boolean; readonly cwd: string };

/** Whether the looking must end. */
export type IsOver = () => boolean;

/** `more`: there is more than was counted. */
export type Count = { files: number; bytes: number; more: boolean };

/** Looks at files, reading only. What can't be looked at counts as there. Never reject. */
export type MachineFiles = {
  /** Looks are taken in the order in which they are asked for: none needs to wait for the answer of the one before. */
  readonly inOrder?: true;
  /** Paths that exist of those named, patterns expanded, at most 200. */
  existing(named: readonly Named[], isOver: IsOver): Promise<readonly string[]>;
  /** How many files and bytes lie at and below `paths`, following no links; undefined where that can't be told. */
  count(paths: readonly string[], isOver: IsOver): Promise<Count | undefined>;
  /** What a `find` with these words matches; undefined where that can't be told. */
  matches(words: readonly string[], cwd: string, isOver: IsOver): Promise<Count | undefined>;
  /** What the paths stand for now, in lines that change when they come to stand for something else. */
  identities(named: readonly Named[]): Promise<readonly string[]>;
};

export type Machine = {
  /** The name that a person knows it by; undefined: this one. */
  readonly host?: string;
  /** The home directory of the user there. */
  readonly home: string;
  /** Starts a command of a model there. It must have been judged for that place and mode. */
  readonly spawn: AgentCommands['run'];
  readonly files: MachineFiles;
  /** Why no command of this mode can run there, in a line for the user; undefined: it can. */
  lacks(mode: Confinement): string | undefined;
  /** Lines that name the processes which would be ended, by number and by name. Never rejects. */
  processes(ids: readonly string[], names: readonly string[]): Promise<readonly string[]>;
};

/** What can be seen of a machine, running nothing. */
export type Sight = Omit<Machine, 'spawn' | 'lacks'>;

/** The machine of a place. A host that is not connected has one as well: nothing runs on it, nothing is seen there. */
export type MachineAt = (place: string) => Machine;
