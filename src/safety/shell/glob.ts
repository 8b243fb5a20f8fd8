import type { Field, Machine } from './machine.ts';
import { QUOTE } from './taint.ts';

/**
 * A shell pattern as an anchored regular expression. Stars are merged and counted so that a hostile pattern can't
 * make the matcher backtrack for long; too many stars match everything.
 */
export function globToRegExp(pattern: string): RegExp {
  let out = '';
  let stars = 0;
  for (let i = 0; i < pattern.length; i++) {
    const c = pattern.charAt(i);
    if (c === QUOTE || c === '\\') {
      i++;
      out += literally(pattern.charAt(i));
    } else if (c === '*') {
      if (pattern[i - 1] !== '*') {
        out += '[\\s\\S]*';
        stars++;
      }
    } else if (c === '?') out += '[\\s\\S]';
    else if (c === '[') {
      const end = pattern.indexOf(']', i + 2);
      if (end < 0) out += '\\[';
      else {
        const body = pattern.slice(i + 1, end).replaceAll(QUOTE, '');
        const negated = body.startsWith('!') || body.startsWith('^');
        out += bracket(negated ? body.slice(1) : body, negated);
        i = end;
      }
    } else out += literally(c);
  }
  if (stars > 6 || out.length > 2000) return /^/;
  return new RegExp(`^${out}$`);
}

function bracket(body: string, negated: boolean): string {
  const safe = body.replace(/[\\\]^]/g, '\\$&');
  try {
    const source = `[${negated ? '^' : ''}${safe}]`;
    new RegExp(source);
    return source;
  } catch {
    return '[\\s\\S]';
  }
}

function literally(c: string): string {
  return /[\\^$.*+?()[\]{}|/]/.test(c) ? `\\${c}` : c;
}

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
