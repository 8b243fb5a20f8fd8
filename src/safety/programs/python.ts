import { join } from 'node:path';
import { readCode } from '../code/read.ts';
import type { FileContent } from '../reading.ts';
import { plain } from '../shell/machine.ts';
import { FETCHED, FILE_TEXT, hasUnknown, UNKNOWN } from '../shell/taint.ts';
import { destructive, harmless, type StaticVerdict, unknown } from '../verdict.ts';
import type { Call } from './call.ts';
import { noteOrigin } from './code.ts';
import { absolute, fileKey, lookAt, specialDirectory } from './paths.ts';
import { lookAtScript, noteUnread } from './unread.ts';

/** What `python` is told to run. */
type Target =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'code' | 'module' | 'file'; readonly at: number; readonly attached?: string }
  | { readonly kind: 'stdin' };

/** Modules of Python that are programs of their own. */
const PYTHON_MODULES =
  /^(pip|pytest|black|isort|ruff|flake8|pylint|mypy|coverage|twine|poetry|pipenv|virtualenv|tox|nox|ansible|alembic|uvicorn|gunicorn|flask|django|celery|jupyter|sphinx|mkdocs|awscli|http\.server|json\.tool|venv|unittest|build|timeit|cProfile|py_compile|compileall|site|this|platform|sysconfig|ensurepip|zipfile|tarfile|calendar|doctest|pdb|trace|dis|tokenize|ast|base64|hashlib)$/;
const HARMLESS_MODULES =
  /^(json\.tool|venv|timeit|site|this|platform|sysconfig|calendar|dis|tokenize|ast|base64|py_compile|compileall|virtualenv|build)$/;

/** Scripts that are programs of their own, with subcommands the tables know. */
const PROJECT_SCRIPTS = /^(manage\.py|odoo-bin)$/;

/** Options without a value, and with one, that change nothing about what runs. */
const FLAGS = /^[bBdEIOPqsSuv]$/;
const VALUED = /^[WX]$/;

/** Reads the options of `python` exactly; undefined where one is not known. */
function pythonTarget(words: readonly string[]): Target | undefined {
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (hasUnknown(word)) return undefined;
    if (word === '-') return { kind: 'stdin' };
    if (/^--(version|help\w*)$/.test(word)) return { kind: 'nothing' };
    if (word === '--') return words[at + 1] === undefined ? { kind: 'stdin' } : { kind: 'file', at: at + 1 };
    if (!word.startsWith('-')) return { kind: 'file', at };
    for (let index = 1; index < word.length; index++) {
      const letter = word.charAt(index);
      const rest = word.slice(index + 1);
      if (/^[hV?]$/.test(letter)) return { kind: 'nothing' };
      if (letter === 'c' || letter === 'm') {
        const kind = letter === 'c' ? 'code' : 'module';
        return rest === '' ? { kind, at: at + 1 } : { kind, at, attached: rest };
      }
      if (VALUED.test(letter)) {
        if (rest === '') at++;
        break;
      }
      if (!FLAGS.test(letter)) return undefined;
    }
  }
  return { kind: 'stdin' };
}

/** Judges a call of Python by the code it runs; undefined where its options are not known. */
export function runPython(call: Call): string | undefined {
  const words = call.args.map((field) => field.text);
  const target = pythonTarget(words);
  if (!target) return undefined;
  if (target.kind === 'nothing') return UNKNOWN;
  if (target.kind === 'stdin') return source(call, call.io.stdin, {});
  const argv = words.slice(target.at + 1);
  const word = target.attached ?? words[target.at] ?? '';
  if (target.kind === 'code') return source(call, word, { argv, stdin: call.io.stdin });
  if (target.kind === 'module') return runModule(call, word, target.at);
  return runScript(call, word, argv);
}

/** Code of the command line, of the standard input or of a file. */
function source(call: Call, code: string | undefined, run: Parameters<typeof readCode>[3]): string {
  if (code === undefined) call.machine.note(unknown('starts python'));
  else {
    noteOrigin(call.machine, code);
    readCode(call.machine, 'python', code, run);
  }
  return output(call);
}

function output(call: Call): string {
  if (call.io.stdin?.includes(FETCHED)) return FETCHED;
  return call.io.stdin?.includes(FILE_TEXT) ? FILE_TEXT : UNKNOWN;
}

function runScript(call: Call, file: string, argv: readonly string[]): string {
  const { machine } = call;
  const script = file.slice(file.lastIndexOf('/') + 1);
  if (PROJECT_SCRIPTS.test(script)) return machine.runFields([script, ...argv].map(plain), call.io);
  const known = machine.substituted.get(file) ?? machine.written.get(fileKey(machine, file));
  if (known !== undefined) return source(call, known, { argv, file, stdin: call.io.stdin });
  const path = absolute(machine, file);
  const content = lookAtScript(call, file);
  const text = content?.kind === 'text' ? content.text : undefined;
  const run = () => source(call, text, { argv, file, stdin: call.io.stdin });
  const ran = path !== undefined && text !== undefined ? machine.reading?.within(path, run) : undefined;
  if (ran === undefined) noteUnread(call, file, content);
  return output(call);
}

function runModule(call: Call, name: string, at: number): string {
  const { machine, args } = call;
  const rest = args.slice(at + 1);
  // A file of that name goes before the module that is meant.
  const own = ownModule(call, name);
  if (own !== undefined) return own;
  if (name === 'timeit') {
    const code = rest.filter(({ text }) => !text.startsWith('-') && !/^\d+$/.test(text));
    return source(call, code.map(({ text }) => text).join('\n'), {});
  }
  if (name === 'venv' || name === 'virtualenv')
    for (const { text } of rest)
      if (!text.startsWith('-') && !/^\.?(virtual|v)?env$/.test(text)) machine.note(fillsEnvironment(call, text));
  if (name === 'http.server') {
    machine.sends = true;
    machine.note(unknown('serves the files of a directory to the network'));
  } else if (name === 'venv' && rest.some((field) => field.text === '--clear'))
    machine.note(destructive('python venv --clear', 'deletes the environment first'));
  else if (name === 'ensurepip') machine.note(unknown('installs pip'));
  else if (name === 'sysconfig' && rest.length > 0) machine.note(unknown('writes what was configured'));
  else if (name === 'json.tool' && rest.filter((field) => !field.text.startsWith('-')).length > 1) {
    machine.note(unknown('writes a file'));
  } else if (HARMLESS_MODULES.test(name)) machine.note(harmless());
  else if (PYTHON_MODULES.test(name)) return machine.runFields([{ text: name, glob: false }, ...rest], call.io);
  else machine.note(unknown('runs a python module', { runsFiles: true }));
  return UNKNOWN;
}

/** An environment is made anew, or in one that is there: among other files it would write over some. */
function fillsEnvironment({ machine }: Call, path: string): StaticVerdict {
  const special = specialDirectory(machine, path);
  if (special) return special;
  const full = absolute(machine, path);
  const other =
    /^[./]*$/.test(path) ||
    (machine.files && lookAt(machine, path) === 'directory' && !machine.files.stat(join(full ?? '', 'pyvenv.cfg')));
  return other ? unknown('makes an environment among other files') : harmless();
}

/** `-m name` where the working directory holds `name.py`. */
function ownModule(call: Call, name: string): string | undefined {
  const { machine } = call;
  const root = name.split('.')[0] ?? name;
  const file = `${root}.py`;
  const argv = call.args.slice(1).map((field) => field.text);
  const known = machine.written.get(fileKey(machine, file));
  if (known !== undefined) return source(call, known, { argv, file, stdin: call.io.stdin });
  const path = absolute(machine, file);
  const directory = machine.scope.cwd;
  if (path === undefined || directory === undefined) return undefined;
  const there = machine.reading
    ? isListed(machine.reading.look(directory), root)
    : machine.files?.stat(path) !== undefined || machine.files?.stat(join(directory, root)) !== undefined;
  if (!there) return undefined;
  const content = machine.reading?.look(path);
  if (content?.kind === 'text' && name === root)
    return source(call, content.text, { argv, file, stdin: call.io.stdin });
  machine.note(unknown('runs a python module of the project', { runsFiles: true }));
  return UNKNOWN;
}

function isListed(content: FileContent | undefined, name: string): boolean {
  if (content?.kind === 'absent') return false;
  return content?.kind !== 'directory' || content.names.has(name) || content.names.has(`${name}.py`);
}
