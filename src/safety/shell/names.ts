import type { Field, Machine } from './machine.ts';

/** Programs that make files whose names stand in an archive, in a repository, or on another machine. */
const BRINGS_NAMES: ReadonlySet<string> = new Set(
  'tar bsdtar gtar unzip 7z 7za 7zr unrar unar cpio pax rsync scp sftp wget aria2c csplit patch git hg svn'.split(' '),
);
/** What of the last three makes none, as their first word: an archive may be called anything. */
const LEAVES_NAMES =
  /^(git|hg|svn) (status|log|diff|show|branch|ls-files|rev-parse|describe|blame|grep|remote|config|fetch|add|commit|push|cat|info|list)$/;

/** Remembers what a call may have made whose name begins with a dash. */
export function noteDashes({ scope }: Machine, fields: readonly Field[]): void {
  const program = fields[0]?.text ?? '';
  const name = program.slice(program.lastIndexOf('/') + 1);
  if (BRINGS_NAMES.has(name) && !LEAVES_NAMES.test(`${name} ${fields[1]?.text ?? ''}`)) scope.dashed.add(name);
  if (!fields.some(mayMakeDashed)) return;
  const words = fields.slice(1).map(({ text }) => text);
  const operands = words.includes('--') ? words.slice(words.indexOf('--') + 1) : [];
  const made = operands.find((word) => word.startsWith('-')) ?? words.find((word) => /(^|[^:])\/-/.test(word));
  if (made !== undefined) scope.dashed.add(made);
}

function mayMakeDashed({ text }: Field): boolean {
  return text === '--' || text.includes('/-');
}

/** Is it known that no name in the working directory begins with a dash, so that a pattern becomes no option? */
export function noNameIsOption(machine: Machine): boolean {
  const { cwd, dashed } = machine.scope;
  if (dashed.size > 0) return false;
  const around = cwd === undefined ? undefined : machine.reading?.look(cwd);
  if (around?.kind !== 'directory') return false;
  return ![...around.names, ...machine.written.keys(), ...machine.scope.made].some((path) => /(^|\/)-/.test(path));
}
