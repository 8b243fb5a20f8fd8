import { OWN_PROCESS, OWN_TEMP } from '../shell/taint.ts';
import { isMadeHere } from './paths.ts';
import type { CallFacts } from './record.ts';

/** Does a call delete only what this command, or an action of the model before it, has made? */
export function deletesOnlyOwn({ operands, machine }: CallFacts): boolean {
  return (
    operands.length > 0 &&
    operands.every(
      ({ text }) =>
        text.includes(OWN_TEMP) || (machine.files !== undefined && !/[*?[]/.test(text) && isMadeHere(machine, text)),
    )
  );
}

/** Does a call of `kill` name only processes that the same command has started? */
export function endsOnlyOwn({ operands }: CallFacts): boolean {
  return operands.length > 0 && operands.every(({ text }) => text === OWN_PROCESS);
}
