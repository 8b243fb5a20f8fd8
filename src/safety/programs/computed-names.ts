import { type StaticVerdict, unknown } from '../verdict.ts';
import type { CallFacts } from './record.ts';

/** Names that a program computes: known to replace nothing where the directory was listed and none of that form is there. */
export function makesNames({ machine }: CallFacts, form: RegExp): StaticVerdict | undefined {
  const { cwd } = machine.scope;
  const around = cwd === undefined ? undefined : machine.reading?.look(cwd);
  const known = around?.kind === 'directory' && ![...around.names].some((name) => form.test(name));
  return known ? undefined : unknown('writes files whose names it computes');
}
