import { UNKNOWN } from '../shell/taint.ts';
import { harmless } from '../verdict.ts';
import { forAll, type Handlers } from './handler.ts';
import { deletesOnlyOwn, endsOnlyOwn } from './ownership.ts';

/** Deleting what was made by the model itself loses nothing; everything else the rules say. */
export const DELETING: Handlers = forAll('rm unlink', (call) => {
  if (!deletesOnlyOwn(call)) return undefined;
  call.machine.note(harmless('deletes only what was made in this session'));
  return UNKNOWN;
});

/** Ending a process that the same command has started is its own matter. */
export const ENDING: Handlers = forAll('kill', (call) => {
  if (!endsOnlyOwn(call)) return undefined;
  call.machine.note(harmless('ends only what the command itself has started'));
  return UNKNOWN;
});
