import type { Machine } from './machine.ts';

/** Is it known that no name in the working directory begins with a dash, so that a pattern becomes no option? */
export function noNameIsOption(machine: Machine): boolean {
  const { cwd } = machine.scope;
  const around = cwd === undefined ? undefined : machine.reading?.look(cwd);
  if (around?.kind !== 'directory') return false;
  return ![...around.names, ...machine.written.keys(), ...machine.scope.made].some((path) => /(^|\/)-/.test(path));
}
