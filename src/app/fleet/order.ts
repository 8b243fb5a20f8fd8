import type { Confinement } from '../../contracts/commands.ts';

/** What a system takes as one argument. */
const MAX_ARGUMENT_BYTES = 120_000;

type Order = {
  readonly command: string;
  readonly mode: Confinement;
  readonly env: Readonly<Record<string, string>>;
};

/** Throws, in a line for the user, where a command can't run on a machine that has neither a sandbox nor secrets of this one. */
export function checkOrder(host: string, { command, mode, env }: Order): void {
  if (mode !== 'unrestricted') throw new Error(`there is no sandbox in ${host}`);
  if (Object.keys(env).length > 0) throw new Error(`secrets of this machine do not go to ${host}`);
  checkLength(command);
}

/** Throws where a text is too long for one argument of a program. */
export function checkLength(text: string): void {
  if (Buffer.byteLength(text) > MAX_ARGUMENT_BYTES) throw new Error('the command is too long for one argument');
}
