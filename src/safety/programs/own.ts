import { OWN_PROCESS, OWN_TEMP, UNKNOWN } from '../shell/taint.ts';
import { harmless } from '../verdict.ts';
import type { Call } from './call.ts';
import { forAll, type Handlers } from './handler.ts';
import { isMadeHere } from './paths.ts';

/** Does a call delete only what this command, or an action of the model before it, has made? */
export function deletesOnlyOwn({ operands, machine }: Call): boolean {
  return (
    operands.length > 0 &&
    operands.every(
      ({ text }) =>
        text.includes(OWN_TEMP) || (machine.files !== undefined && !/[*?[]/.test(text) && isMadeHere(machine, text)),
    )
  );
}

/** Deleting what was made by the model itself loses nothing; everything else the rules say. */
export const DELETING: Handlers = forAll('rm unlink', (call) => {
  if (!deletesOnlyOwn(call)) return undefined;
  call.machine.note(harmless('deletes only what was made in this session'));
  return UNKNOWN;
});

/** Does a call of `kill` name only processes that the same command has started? */
export function endsOnlyOwn({ operands }: Call): boolean {
  return operands.length > 0 && operands.every(({ text }) => text === OWN_PROCESS);
}

/** Ending a process that the same command has started is its own matter. */
export const ENDING: Handlers = forAll('kill', (call) => {
  if (!endsOnlyOwn(call)) return undefined;
  call.machine.note(harmless('ends only what the command itself has started'));
  return UNKNOWN;
});
