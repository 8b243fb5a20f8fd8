/** Whether a command touches only files and processes that this line made, and what a kill sends. */
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

/** The signal a call sends, by name or number; empty: none is named. */
export const signalOf = (call: CallFacts): string => {
  const given = call.value('-s', '--signal');
  const end = call.args.findIndex((field) => field.text === '--');
  const found = (end < 0 ? call.args : call.args.slice(0, end))
    .find((field) => /^-(\d+|[A-Z]+\d?)$/.test(field.text) && !/^-[lLn]$/.test(field.text))
    ?.text.slice(1);
  return (given ?? found ?? '').replace(/^SIG/, '').toUpperCase();
};

/** Can the process not refuse it? */
export const isKill = (signal: string) => signal === '9' || signal === 'KILL';

/** Signal 0 only asks; CONT, WINCH and CHLD end nothing. */
export const isQuiet = (call: CallFacts) =>
  /^(0|CONT|WINCH|CHLD|URG|INFO|18|28|USR1|USR2|10|12|HUP|1)$/.test(signalOf(call)) ||
  call.has('-l', '--list', '-L', '--table');
