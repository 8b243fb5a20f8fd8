/** A picture of the gallery: a state of the real program, and how the user reaches it. */
import type { Rig } from '../support/rig.ts';
import type { ScriptedServer, Turn } from '../support/scripted-server.ts';

export type Stage = { readonly rig: Rig; readonly server: ScriptedServer; readonly work: string };

export type Scene = {
  /** The name of the picture's file. */
  readonly name: string;
  /** The subject of the picture, in half a sentence. */
  readonly title: string;
  /** The model's answers; without them, the program's own demo model. */
  readonly script?: readonly Turn[];
  readonly config?: Readonly<Record<string, unknown>>;
  readonly args?: readonly string[];
  env?(server: ScriptedServer): Readonly<Record<string, string>>;
  /** Files below the working directory. */
  readonly files?: Readonly<Record<string, string>>;
  /** Programs that the state needs. */
  readonly needs?: readonly string[];
  /** Plays from the first prompt to the state. */
  play?(stage: Stage): Promise<void>;
};

/** Types a line, and waits for its result. */
export async function enter({ rig }: Stage, line: string, then: string | RegExp): Promise<void> {
  rig.type(`${line}\r`);
  await rig.waitFor(then);
}

/** Presses keys by name, and waits for their result. */
export async function press({ rig }: Stage, keys: readonly string[], then: string | RegExp): Promise<void> {
  rig.key(...keys);
  await rig.waitFor(then);
}
