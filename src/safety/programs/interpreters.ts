import { join } from 'node:path';
import { pattern } from '../../text/pattern.ts';
import { readCode } from '../code/read.ts';
import type { FileContent } from '../files.ts';
import { plain } from '../shell/machine.ts';
import { FETCHED, FILE_TEXT, hasUnknown, UNKNOWN } from '../shell/taint.ts';
import { destructive, harmless, type StaticVerdict, unknown } from '../verdict.ts';
import { type Call, forAll, type Handlers } from './call.ts';
import { noteOrigin } from './code.ts';
import { editsInPlace } from './overwriting.ts';
import { absolute, ENVIRONMENT, fileKey, lookAt, runsProject, specialDirectory } from './paths.ts';
import { lookAtScript, noteUnread } from './shells.ts';

/** Scripts with subcommands that the tables know. */
const PROJECT_SCRIPTS =
  /^(artisan|console|rails|rake|magento|occ|wp|wp-cli\.phar|drush|composer(\.phar)?|craft|yii|spark|please)$/;

const PRELOAD =
  /^(-r(?!json$|yaml$|date$|time$|set$|pp$|digest$|csv$)|--require\b|--import\b|--loader\b|--experimental-loader\b|-I)/;
/** Perl modules that have no effect when loaded; the text after the name is code. */
const PERL_MODULE = pattern(String.raw`
    ^-[Mm]-?(List::Util|Scalar::Util|POSIX|JSON::PP|Data::Dumper|strict|warnings|utf8|feature|bigint|bignum
    |integer|Time::HiRes|Time::Local|Time::Piece|Digest::(MD5|SHA)|MIME::Base64|Encode|Text::Wrap|Math::Trig
    |vars)(=[\w:,]*)?$
  `);
/** A field separator that contains no code. */
const PERL_FIELDS = /^-F([^\w\s"'/;`]|\\[t|]|\/(\\[ts|.]|[^/\\(){}@$&'"])+\/)$/;
const PRELOAD_VARIABLES = 'NODE_OPTIONS PYTHONPATH PYTHONSTARTUP PERL5OPT PERL5LIB RUBYOPT RUBYLIB LD_PRELOAD'.split(
  ' ',
);

/** Interpreters: one-line programs, code on standard input, script files. */
export const INTERPRETERS: Handlers = forAll(
  'python node bun deno perl ruby php lua Rscript R julia groovy osascript elixir scala tclsh guile sbcl ghc expect jshell erl racket',
  interpret,
);

function interpret(call: Call): string | undefined {
  const { program, args, machine } = call;
  const words = args.map((field) => field.text);
  if (words.length === 1 && /^(--version|-V|-v|--help|-h|version)$/.test(words[0] ?? '')) return UNKNOWN;
  notePreloads(call, words);
  const ran = OWN_WAYS[program]?.(call, words);
  if (ran !== undefined) return ran.output;
  if (runsOptions(call, words)) return output(call);
  const file = words.find((word) => !word.startsWith('-') || word === '-');
  if (file === undefined || file === '-' || file === '/dev/stdin') return source(call, call.io.stdin);
  const script = file.slice(file.lastIndexOf('/') + 1);
  if (PROJECT_SCRIPTS.test(script)) {
    const at = words.indexOf(file);
    return machine.runFields([{ text: script, glob: false }, ...args.slice(at + 1)], call.io);
  }
  const known = machine.substituted.get(file) ?? machine.written.get(fileKey(machine, file));
  if (known !== undefined) return source(call, known);
  machine.note(unknown('runs a script file', { runsFiles: true }));
  return output(call);
}

/** Notes modules and settings that are loaded first, which may do anything. */
function notePreloads({ program, machine }: Call, words: readonly string[]): void {
  if (
    (program !== 'php' && words.some((word) => PRELOAD.test(word))) ||
    PRELOAD_VARIABLES.some((name) => machine.scope.get(name) !== undefined)
  )
    machine.note(unknown('loads its own code first', { runsFiles: true }));
}

/** The output of a call that is fully judged; `output` undefined: it runs no code. */
type Settled = { readonly output: string | undefined };

const ONLY_LOOKS: Settled = { output: UNKNOWN };

/** Special calls of an interpreter besides code, files and input; a handler returns undefined for an ordinary call. */
const OWN_WAYS: Readonly<Record<string, (call: Call, words: readonly string[]) => Settled | undefined>> = {
  python(call) {
    const ran = runPython(call);
    return ran === undefined ? undefined : { output: ran };
  },
  perl(call, words) {
    const odd = (word: string) =>
      (/^-[Mm]/.test(word) && !PERL_MODULE.test(word)) || (/^-F./.test(word) && !PERL_FIELDS.test(word));
    if (words.some(odd)) call.machine.note(unknown('options that hold code', { runsFiles: true }));
    inPlace(call, /^-\w*i(?!nc)/);
    return undefined;
  },
  ruby(call, words) {
    inPlace(call, /^-\w*i\b/);
    // `perl -c` runs BEGIN blocks and `use` statements; ruby does not.
    return words.length === 2 && /^-w?c$/.test(words[0] ?? '') ? ONLY_LOOKS : undefined;
  },
  node: (call, words) =>
    words.some((word) => /^(-c|--check)$/.test(word)) || runsTests(call, words) ? ONLY_LOOKS : undefined,
  php: (_, words) => (words[0] === '-l' ? ONLY_LOOKS : undefined),
  deno: runsSubcommand,
  bun: runsSubcommand,
};

/** Permissions with which deno code can do more than compute. */
const MAY = /^(-A|--allow-(all|run|write|ffi)(=.*)?)$/;

/** Judges programs with subcommands such as `deno run npm:x` and `bun x y`, some of which run the named package. */
function runsSubcommand(call: Call, words: readonly string[]): Settled | undefined {
  const { program, machine, args, io } = call;
  const sub = words[0] ?? '';
  if (sub === '' || sub.startsWith('-')) return undefined;
  if (sub === 'eval') return { output: source(call, words.slice(1).find((word) => !word.startsWith('-')) ?? '') };
  if (program === 'bun' && sub === 'x') return { output: machine.runFields([plain('bunx'), ...args.slice(1)], io) };
  if (
    /^(run|install|serve)$/.test(sub) &&
    words.some((word) => /^https?:/.test(word)) &&
    words.some((word) => MAY.test(word))
  )
    machine.note(destructive('curl | sh', 'runs code from the network unseen'));
  const packaged = words.findIndex((word) => /^(npm|jsr):\w/.test(word));
  if (packaged >= 0 && sub === 'run') {
    const name = (words[packaged] ?? '').replace(/^\w+:/, '');
    return { output: machine.runFields([plain(name), ...args.slice(packaged + 1)], io) };
  }
  return /^(run|-)$/.test(sub) || /\.\w+$/.test(sub) ? undefined : { output: undefined };
}

/** Judges the code in options before the first operand; only some interpreters accept several. */
function runsOptions(call: Call, words: readonly string[]): boolean {
  const { program } = call;
  const { code: option } = call.facts;
  if (!option) return false;
  let found = false;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (!word.startsWith('-')) {
      if (found) continue;
      return false;
    }
    const whole = option.test(word);
    const attached = whole ? undefined : /^(?:--eval=|--print=|-e(?=.))([\s\S]+)$/.exec(word)?.[1];
    if (!whole && attached === undefined) continue;
    source(call, attached ?? words[++at] ?? '');
    if (program !== 'perl' && program !== 'ruby') return true;
    found = true;
  }
  return found;
}

/** Judges `node --test`, which runs the project’s tests as `cargo test` does, unless the same command wrote one. */
function runsTests({ machine }: Call, words: readonly string[]): boolean {
  const tests =
    words.includes('--test') &&
    words.every((word) => TEST_WORD.test(word)) &&
    ![...machine.written.keys()].some((path) => /\.([cm]?[jt]sx?|json)$/.test(path));
  if (tests) machine.note(runsProject(machine));
  return tests;
}

const TEST_WORD = pattern(String.raw`
    ^(--test(-only|-(name-pattern|skip-pattern|concurrency|timeout)=.*|-reporter=(spec|tap|dot|junit|lcov))?
    |--watch|--no-warnings|--experimental-(strip-types|test-coverage)|--enable-source-maps|(?!/
    |-)(?!.*\.\.)([\w.@*-]+/)*[\w.*-]+\.(test|spec)\.[cm]?[jt]sx?|(?!/|-)(?!.*\.\.)([\w.@*-]+/)*(__tests__
    |tests?)/?([\w.@*-]+/)*([\w.*-]+\.[cm]?[jt]sx?)?)$
  `);

function inPlace(call: Call, pattern: RegExp): void {
  const option = call.args.find(
    (field) => /^-\w+/.test(field.text) && pattern.test(field.text) && !/^-[eEIMm]/.test(field.text),
  );
  if (!option) return;
  const files = call.operands.map((operand) => operand.text);
  call.machine.note(editsInPlace(call, `${call.program} -i`, files));
}

function source(call: Call, code: string | undefined): string {
  const { machine, program } = call;
  if (code === undefined) machine.note(unknown(`starts ${program}`));
  else {
    noteOrigin(machine, code);
    readCode(machine, program, code);
  }
  return output(call);
}

/** Returns the output of a call, which may contain its input from the network or a file. */
function output(call: Call): string {
  const { stdin } = call.io;
  if (stdin?.includes(FETCHED)) return FETCHED;
  return stdin?.includes(FILE_TEXT) ? FILE_TEXT : UNKNOWN;
}

/** The code that `python` is told to run. */
type Target =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'code' | 'module' | 'file'; readonly at: number; readonly attached?: string }
  | { readonly kind: 'stdin' };

/** Python modules that are programs. */
const PYTHON_MODULES = pattern(String.raw`
    ^(pip|pytest|black|isort|ruff|flake8|pylint|mypy|coverage|twine|poetry|pipenv|virtualenv|tox|nox|ansible
    |alembic|uvicorn|gunicorn|flask|django|celery|jupyter|sphinx|mkdocs|awscli|http\.server|json\.tool|venv
    |unittest|build|timeit|cProfile|py_compile|compileall|site|this|platform|sysconfig|ensurepip|zipfile|tarfile
    |calendar|doctest|pdb|trace|dis|tokenize|ast|base64|hashlib)$
  `);
const HARMLESS_MODULES =
  /^(json\.tool|venv|timeit|site|this|platform|sysconfig|calendar|dis|tokenize|ast|base64|py_compile|compileall|virtualenv|build)$/;

/** Python scripts with subcommands that the tables know. */
const PYTHON_SCRIPTS = /^(manage\.py|odoo-bin)$/;

/** Python options, without and with a value, that don’t change which code runs. */
const FLAGS = /^[bBdEIOPqsSuv]$/;
const VALUED = /^[WX]$/;

/** Parses the options of `python` exactly; undefined for an unknown option. */
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

/** Judges a call of Python by the code it runs; undefined for unknown options. */
function runPython(call: Call): string | undefined {
  const words = call.args.map((field) => field.text);
  const target = pythonTarget(words);
  if (!target) return undefined;
  if (target.kind === 'nothing') return UNKNOWN;
  if (target.kind === 'stdin') return runSource(call, call.io.stdin, {});
  const argv = words.slice(target.at + 1);
  const word = target.attached ?? words[target.at] ?? '';
  if (target.kind === 'code') return runSource(call, word, { argv, stdin: call.io.stdin });
  if (target.kind === 'module') return runModule(call, word, target.at);
  return runScript(call, word, argv);
}

/** Judges code from the command line, standard input or a file. */
function runSource(call: Call, code: string | undefined, run: Parameters<typeof readCode>[3]): string {
  if (code === undefined) call.machine.note(unknown('starts python'));
  else {
    noteOrigin(call.machine, code);
    readCode(call.machine, 'python', code, run);
  }
  return pythonOutput(call);
}

function pythonOutput(call: Call): string {
  if (call.io.stdin?.includes(FETCHED)) return FETCHED;
  return call.io.stdin?.includes(FILE_TEXT) ? FILE_TEXT : UNKNOWN;
}

function runScript(call: Call, file: string, argv: readonly string[]): string {
  const { machine } = call;
  const script = file.slice(file.lastIndexOf('/') + 1);
  if (PYTHON_SCRIPTS.test(script) && startsFramework(call, file, argv))
    return machine.runFields([script, ...argv].map(plain), call.io);
  const known = machine.substituted.get(file) ?? machine.written.get(fileKey(machine, file));
  if (known !== undefined) return runSource(call, known, { argv, file, stdin: call.io.stdin });
  const path = absolute(machine, file);
  const content = lookAtScript(call, file);
  const text = content?.kind === 'text' ? content.text : undefined;
  const run = () => runSource(call, text, { argv, file, stdin: call.io.stdin });
  const ran = path !== undefined && text !== undefined ? machine.reading?.within(path, run) : undefined;
  if (ran === undefined) noteUnread(call, file, content);
  return pythonOutput(call);
}

/** Returns whether a script with a well-known name is the genuine one. Losses in the rest of its text are noted. */
function startsFramework(call: Call, file: string, argv: readonly string[]): boolean {
  const { machine } = call;
  const path = absolute(machine, file);
  const content = path === undefined ? undefined : machine.reading?.look(path);
  if (content?.kind !== 'text') return true;
  if (!/\bexecute_from_command_line\(|\bodoo\.cli\.main\(/.test(content.text)) return false;
  const found = machine.watch(() => machine.inSubshell(() => runSource(call, content.text, { argv, file })));
  if (found.verdict === 'destructive') machine.note(found);
  return true;
}

function runModule(call: Call, name: string, at: number): string {
  const { machine, args } = call;
  const rest = args.slice(at + 1);
  // A file of that name in the working directory would be loaded instead.
  const own = ownModule(call, name);
  if (own !== undefined) return own;
  if (name === 'timeit') {
    const code = rest.filter(({ text }) => !text.startsWith('-') && !/^\d+$/.test(text));
    return runSource(call, code.map(({ text }) => text).join('\n'), {});
  }
  if (name === 'venv' || name === 'virtualenv') {
    const places = rest.flatMap(({ text }) => (text.startsWith('-') ? [] : [text]));
    for (const place of places)
      if (place.includes('/') || !ENVIRONMENT.test(place)) machine.note(fillsEnvironment(call, place));
    if (places.length === 1) machine.written.set(fileKey(machine, join(places[0] ?? '', 'pyvenv.cfg')), '');
  }
  if (name === 'http.server') {
    machine.sends = true;
    machine.note(unknown('serves the files of a directory to the network'));
  } else if (name === 'venv' && rest.some((field) => field.text === '--clear'))
    machine.note(destructive('python venv --clear', 'deletes the environment first'));
  else if (name === 'ensurepip') machine.note(unknown('installs pip'));
  else if (name === 'sysconfig' && rest.length > 0) machine.note(unknown('writes configured files'));
  else if (name === 'json.tool' && rest.filter((field) => !field.text.startsWith('-')).length > 1) {
    machine.note(unknown('writes a file'));
  } else if (HARMLESS_MODULES.test(name)) machine.note(harmless());
  else if (PYTHON_MODULES.test(name)) return machine.runFields([{ text: name, glob: false }, ...rest], call.io);
  else machine.note(unknown('runs a python module', { runsFiles: true }));
  return UNKNOWN;
}

/** Judges making a virtual environment: in an existing directory it would overwrite files. */
function fillsEnvironment({ machine }: Call, path: string): StaticVerdict {
  const special = specialDirectory(machine, path);
  if (special) return special;
  const full = absolute(machine, path);
  const other =
    /^[./]*$/.test(path) ||
    (machine.files && lookAt(machine, path) === 'directory' && !machine.files.stat(join(full ?? '', 'pyvenv.cfg')));
  return other ? unknown('makes a virtual environment in a directory with other files') : harmless();
}

/** Returns the local file that `-m name` would run from the working directory (`name.py`). */
function ownModule(call: Call, name: string): string | undefined {
  const { machine } = call;
  const root = name.split('.')[0] ?? name;
  const file = `${root}.py`;
  const argv = call.args.slice(1).map((field) => field.text);
  const known = machine.written.get(fileKey(machine, file));
  if (known !== undefined) return runSource(call, known, { argv, file, stdin: call.io.stdin });
  const path = absolute(machine, file);
  const directory = machine.scope.cwd;
  if (path === undefined || directory === undefined) return undefined;
  const there = machine.reading
    ? isListed(machine.reading.look(directory), root)
    : machine.files?.stat(path) !== undefined || machine.files?.stat(join(directory, root)) !== undefined;
  if (!there) return undefined;
  const content = machine.reading?.look(path);
  if (content?.kind === 'text' && name === root)
    return runSource(call, content.text, { argv, file, stdin: call.io.stdin });
  machine.note(unknown('runs a python module of the project', { runsFiles: true }));
  return UNKNOWN;
}

function isListed(content: FileContent | undefined, name: string): boolean {
  if (content?.kind === 'absent') return false;
  return content?.kind !== 'directory' || content.names.has(name) || content.names.has(`${name}.py`);
}
