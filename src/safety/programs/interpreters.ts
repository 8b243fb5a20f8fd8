import { readCode } from '../code/read.ts';
import { plain } from '../shell/machine.ts';
import { FETCHED, FILE_TEXT, UNKNOWN } from '../shell/taint.ts';
import { destructive, unknown } from '../verdict.ts';
import { type Call, forAll, type Handlers } from './call.ts';
import { noteOrigin } from './code.ts';

import { editsInPlace } from './overwriting.ts';
import { fileKey } from './paths.ts';
import { runPython } from './python.ts';

/** Scripts that are programs of their own, with subcommands the tables know. */
const PROJECT_SCRIPTS =
  /^(artisan|console|rails|rake|magento|occ|wp|wp-cli\.phar|drush|composer(\.phar)?|craft|yii|spark|please)$/;

const PRELOAD =
  /^(-r(?!json$|yaml$|date$|time$|set$|pp$|digest$|csv$)|--require\b|--import\b|--loader\b|--experimental-loader\b|-I)/;
/** Modules of Perl that do nothing by being loaded; what follows the name is code. */
const PERL_MODULE =
  /^-[Mm]-?(List::Util|Scalar::Util|POSIX|JSON::PP|Data::Dumper|strict|warnings|utf8|feature|bigint|bignum|integer|Time::HiRes|Time::Local|Time::Piece|Digest::(MD5|SHA)|MIME::Base64|Encode|Text::Wrap|Math::Trig|vars)(=[\w:,]*)?$/;
/** A separator of fields that is no code. */
const PERL_FIELDS = /^-F([^\w\s"'/;`]|\\[t|]|\/(\\[ts|.]|[^/\\(){}@$&'"])+\/)$/;
const PRELOAD_VARIABLES = [
  'NODE_OPTIONS',
  'PYTHONPATH',
  'PYTHONSTARTUP',
  'PERL5OPT',
  'PERL5LIB',
  'RUBYOPT',
  'RUBYLIB',
  'LD_PRELOAD',
];

/** Interpreters: one-liners, code on standard input, script files. */
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

/** A module or a setting that is loaded first may do anything. */
function notePreloads({ program, machine }: Call, words: readonly string[]): void {
  if (
    (program !== 'php' && words.some((word) => PRELOAD.test(word))) ||
    PRELOAD_VARIABLES.some((name) => machine.scope.get(name) !== undefined)
  )
    machine.note(unknown('loads code of its own first', { runsFiles: true }));
}

/** What a call prints, where it is settled; `output` undefined: it runs no code. */
type Settled = { readonly output: string | undefined };

const ONLY_LOOKS: Settled = { output: UNKNOWN };

/** What an interpreter has beside code, files and its input; undefined: it is one of these. */
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
    // `perl -c` runs what stands in BEGIN and use; ruby does not.
    return words.length === 2 && /^-w?c$/.test(words[0] ?? '') ? ONLY_LOOKS : undefined;
  },
  node: (call, words) =>
    words.some((word) => /^(-c|--check)$/.test(word)) || runsTests(call, words) ? ONLY_LOOKS : undefined,
  php: (_, words) => (words[0] === '-l' ? ONLY_LOOKS : undefined),
  deno: runsSubcommand,
  bun: runsSubcommand,
};

/** What lets deno do more than compute. */
const MAY = /^(-A|--allow-(all|run|write|ffi)(=.*)?)$/;

/** `deno run npm:x`, `bun x y`: programs with subcommands, of which some run what they name. */
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

/** Runs the code in the options before the first operand; only some take several. */
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

/** `node --test`: the project's tests, as `cargo test` runs them. Not where the same command has just written one. */
function runsTests({ machine }: Call, words: readonly string[]): boolean {
  return (
    words.includes('--test') &&
    words.every((word) => TEST_WORD.test(word)) &&
    ![...machine.written.keys()].some((path) => /\.([cm]?[jt]sx?|json)$/.test(path))
  );
}

const TEST_WORD =
  /^(--test(-only|-(name-pattern|skip-pattern|concurrency|timeout)=.*|-reporter=(spec|tap|dot|junit|lcov))?|--watch|--no-warnings|--experimental-(strip-types|test-coverage)|--enable-source-maps|(?!\/|-)(?!.*\.\.)([\w.@*-]+\/)*[\w.*-]+\.(test|spec)\.[cm]?[jt]sx?|(?!\/|-)(?!.*\.\.)([\w.@*-]+\/)*(__tests__|tests?)\/?([\w.@*-]+\/)*([\w.*-]+\.[cm]?[jt]sx?)?)$/;

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

/** What came in over the network or from a file may go out again. */
function output(call: Call): string {
  const { stdin } = call.io;
  if (stdin?.includes(FETCHED)) return FETCHED;
  return stdin?.includes(FILE_TEXT) ? FILE_TEXT : UNKNOWN;
}
