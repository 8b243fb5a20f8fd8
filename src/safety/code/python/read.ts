import { dirname, join } from 'node:path';
import { isCredential, isCredentialPlace } from '../../credential-files.ts';
import { STANDARD_MODULES } from '../../knowledge/python-modules.ts';
import { runCode } from '../../programs/code.ts';
import { absolute, fileKey, overwrite } from '../../programs/paths.ts';
import { judgeRedirect } from '../../programs/redirects.ts';
import { storeMark } from '../../shell/arrays.ts';
import { type Machine, plain } from '../../shell/machine.ts';
import { DIGITS, escapeMarks, hasUnknown, holdsSecret } from '../../shell/taint.ts';
import { destructive, harmless, type StaticVerdict, unknown } from '../../verdict.ts';
import { judgeSql } from '../sql.ts';
import type { Effect, LocalModule } from './effects.ts';
import { judgePython } from './judge.ts';

/** How the code is run. */
export type PythonRun = {
  /** The script's path as it was named; absent: code of the command line or of the standard input. */
  readonly file?: string;
  readonly argv?: readonly string[];
  readonly stdin?: string | undefined;
};

/**
 * Judges Python by its syntax tree and notes what it does. False where it can't be read as a tree: then only what shows
 * through patterns is known of it.
 */
export function readPython(machine: Machine, source: string, run: PythonRun = {}): boolean {
  if (hasUnknown(source)) return false;
  const file = run.file === undefined ? undefined : absolute(machine, run.file);
  const directory = file === undefined ? machine.scope.cwd : dirname(file);
  const effects = judgePython(escapeMarks(source), {
    module: (name) => moduleBeside(machine, directory, name),
    ...(run.argv ? { argv: run.argv } : {}),
    ...(run.file === undefined ? {} : { file: run.file }),
  });
  if (effects === 'not valid Python 3') return false;
  if (typeof effects === 'string') {
    machine.note(unknown(`python code: ${effects}`, { unresolved: true }));
    return true;
  }
  if (namesStores(machine, source)) machine.note(unknown('python code: reads what may be a credential'));
  if (machine.reading) machine.reading.accounted++;
  machine.note(harmless('code that only computes, reads and prints'));
  const shadow = shadows(machine, directory);
  if (shadow !== undefined) machine.note(unknown(`python code: ${shadow} stands before a module of Python`));
  for (const effect of effects) noteEffect(machine, effect, run.stdin ?? '');
  return true;
}

/** Does a text in the code stand for names of stores, or for a place where they lie? */
function namesStores(machine: Machine, source: string): boolean {
  for (const [, , text = ''] of source.matchAll(/(["'])((?:(?!\1)[^\\\n])*)\1/g)) {
    if (/^[^\s]*[*?[]/.test(text) && storeMark(machine, text) !== '') return true;
    if (/(^|\/)\.\w/.test(text) && isCredentialPlace(text)) return true;
  }
  return false;
}

function noteEffect(machine: Machine, effect: Effect, stdin: string): void {
  switch (effect.kind) {
    case 'read':
      if (isCredential(effect.path)) machine.note(unknown('python code: reads a credential'));
      return;
    case 'write':
      return machine.note(judgeWrite(machine, effect.path));
    case 'append':
      if (hasUnknown(effect.path)) return machine.note(unknown('python code: writes a file whose name is not known'));
      return machine.note(
        judgeRedirect(machine, { operator: '>>', fd: undefined, target: effect.path.replaceAll(DIGITS, '1') }),
      );
    case 'like': {
      const inner = machine.watch(() => machine.runFields(effect.words.map(plain), { stdin: '' }));
      return machine.note(
        inner.verdict === 'destructive' ? destructive('python code', `python: ${inner.reason}`) : inner,
      );
    }
    case 'call':
      return at(machine, effect.cwd, () =>
        machine.runFields(effect.words.map(plain), { stdin: effect.stdin ?? stdin }),
      );
    case 'shell':
      return at(machine, effect.cwd, () => runCode(machine, effect.text, { stdin: effect.stdin ?? stdin }));
    case 'sql': {
      const verdict = judgeSql(effect.text);
      if (verdict.verdict === 'destructive') machine.note(verdict);
      return;
    }
    case 'unknown':
      return machine.note(unknown(`python code: ${effect.reason}`, effect.unresolved ? { unresolved: true } : {}));
    case 'destructive':
      return machine.note(destructive(effect.rule, effect.reason));
  }
}

function at(machine: Machine, cwd: string | undefined, run: () => string): void {
  machine.inSubshell(() => {
    if (cwd !== undefined) machine.runFields([plain('cd'), plain(cwd)], { stdin: '' });
    const inner = machine.watch(() => {
      // Where the code does not print it, it holds it.
      machine.shows ||= holdsSecret(run());
    });
    const unresolved =
      inner.verdict === 'destructive' && inner.findings.every(({ rule }) => rule === 'unresolved code');
    machine.note(unresolved ? unknown('python code: runs a command that is not known', { unresolved: true }) : inner);
  });
}

function judgeWrite(machine: Machine, path: string): StaticVerdict {
  const reason = 'empties an existing file';
  if (hasUnknown(path)) return unknown('python code: writes a file whose name is not known');
  if (path.includes(DIGITS)) return judgeNumbered(machine, path);
  return overwrite(machine, path, 'code over a file', reason);
}

/** `out/1.txt`, `out/2.txt` …: a loss if one of that form is there already and not made by the command itself. */
function judgeNumbered(machine: Machine, path: string): StaticVerdict {
  const full = absolute(machine, path);
  const { reading } = machine;
  const form = full === undefined ? undefined : formOf(full);
  if (form) reading?.forms.push(form);
  const folder = full === undefined ? undefined : dirname(full);
  const content = folder === undefined || folder.includes(DIGITS) ? undefined : reading?.look(folder);
  if (content?.kind === 'absent') return harmless();
  if (content?.kind !== 'directory' || !form || folder === undefined) {
    if (reading && !form) reading.mayWrite = true;
    return unknown('python code: writes files whose names hold a number');
  }
  for (const name of content.names) {
    const found = join(folder, name);
    if (!form.test(found)) continue;
    const verdict = overwrite(machine, found, 'code over a file', 'empties an existing file');
    if (verdict.verdict !== 'safe') return verdict;
  }
  return harmless();
}

function formOf(path: string): RegExp {
  const literal = path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${literal.replaceAll(DIGITS, '[-+.\\w]+')}$`);
}

/** Where Python looks first: beside the script, or in the working directory. */
function moduleBeside(machine: Machine, directory: string | undefined, name: string): LocalModule {
  const relative = directory === undefined ? `${name}.py` : join(directory, `${name}.py`);
  const written = machine.written.get(fileKey(machine, relative));
  if (written !== undefined) return hasUnknown(written) ? { kind: 'unread' } : { kind: 'text', text: written };
  if (directory === undefined) return { kind: 'absent' };
  const { reading } = machine;
  if (!reading) return isThere(machine, directory, name) ? { kind: 'unread' } : { kind: 'absent' };
  const around = reading.look(directory);
  if (around?.kind === 'absent') return { kind: 'absent' };
  if (around?.kind !== 'directory') return { kind: 'unread' };
  if ([...around.names].some((found) => found.startsWith(`${name}.`) && /\.(so|pyc)$/.test(found)))
    return { kind: 'unread' };
  if (around.names.has(name)) {
    const folder = reading.look(join(directory, name));
    // Without `__init__.py` an installed module goes before it.
    if (folder?.kind !== 'directory' || folder.names.has('__init__.py')) return { kind: 'unread' };
    if (!around.names.has(`${name}.py`)) return { kind: 'absent' };
  }
  if (!around.names.has(`${name}.py`)) return { kind: 'absent' };
  const content = reading.look(relative);
  return content?.kind === 'text' ? { kind: 'text', text: content.text } : { kind: 'unread' };
}

function isThere(machine: Machine, directory: string, name: string): boolean {
  return [`${name}.py`, `${name}/__init__.py`].some((file) => machine.files?.stat(join(directory, file)) !== undefined);
}

/** A file beside the code that Python's own modules would import in place of theirs, without the code naming it. */
function shadows(machine: Machine, directory: string | undefined): string | undefined {
  for (const path of machine.written.keys()) {
    if (directory === undefined ? !path.includes('/') : dirname(path) === directory) {
      const name = /(?:^|\/)(\w+)\.py$/.exec(path)?.[1];
      if (name !== undefined && STANDARD_MODULES.has(name)) return `${name}.py`;
    }
  }
  const around = directory === undefined ? undefined : machine.reading?.look(directory);
  if (around?.kind !== 'directory') return undefined;
  for (const found of around.names) {
    const name = /^(\w+)\.(?:py|pyc|.*so)$/.exec(found)?.[1];
    if (name !== undefined && STANDARD_MODULES.has(name)) return found;
  }
  return undefined;
}
