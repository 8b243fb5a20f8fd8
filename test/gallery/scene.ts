/** What a picture of the gallery is: a state of the real program, and how a person gets there. */
import type { Rig } from '../support/rig.ts';
import type { ScriptedServer, Turn } from '../support/scripted-server.ts';

export type Stage = { readonly rig: Rig; readonly server: ScriptedServer; readonly work: string };

export type Scene = {
  /** The file's name. */
  readonly name: string;
  /** What is to be seen, in half a sentence. */
  readonly title: string;
  /** What the model answers; none: the program's own demo model. */
  readonly script?: readonly Turn[];
  readonly config?: Readonly<Record<string, unknown>>;
  readonly args?: readonly string[];
  env?(server: ScriptedServer): Readonly<Record<string, string>>;
  /** Files below the working directory. */
  readonly files?: Readonly<Record<string, string>>;
  /** Programs that the state needs. */
  readonly needs?: readonly string[];
  /** From the first prompt to the state. */
  play?(stage: Stage): Promise<void>;
};

/** Types a line, and waits for what it leads to. */
export async function enter({ rig }: Stage, line: string, then: string | RegExp): Promise<void> {
  rig.type(`${line}\r`);
  await rig.waitFor(then);
}

/** Presses keys by name, and waits for what they lead to. */
export async function press({ rig }: Stage, keys: readonly string[], then: string | RegExp): Promise<void> {
  rig.key(...keys);
  await rig.waitFor(then);
}
