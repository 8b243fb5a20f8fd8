import { readAwkProgram } from '../code/awk.ts';
import { readSedScript } from '../code/sed.ts';
import { hasUnknown, NUMBER, UNKNOWN } from '../shell/taint.ts';
import { destructive, harmless, type StaticVerdict, unknown } from '../verdict.ts';
import { type Call, forAll, type Handler, type Handlers } from './call.ts';
import { runCode } from './code.ts';
import { writesOutput } from './outputs.ts';
import { editsInPlace } from './overwriting.ts';
import { adds, overwrite } from './paths.ts';

/** Programs whose argument is a small program of its own: sed, awk, ed. */
export const TEXT_TOOLS: Handlers = {
  sed(call) {
    const { operands, reading } = call;
    const given = reading?.given.filter(({ name }) => name === '-e' || name === '--expression') ?? [];
    const scripts = given.map(({ value = '' }) => value);
    const fromFile = call.has('-f', '--file');
    const own = scripts.length === 0 && !fromFile;
    if (own) scripts.push(operands[0]?.text ?? '');
    if (scripts.length > 0) readSed(call, scripts.join('\n'));
    if (fromFile) call.machine.note(unknown('runs a sed script file', { runsFiles: true }));
    const inPlace =
      reading?.given.some(({ name }) => name === '-i' || name === '--in-place') === true ||
      call.args.some((field) => /^(-[nErsuz]*i|--in-p)/.test(field.text));
    const files = operands.slice(own ? 1 : 0).map((operand) => operand.text);
    call.machine.note(inPlace ? editsInPlace(call, 'sed -i', files) : harmless());
    return inPlace ? '' : (call.io.stdin ?? UNKNOWN);
  },
  awk(call) {
    const { operands, machine } = call;
    const file = call.value('-f', '--file');
    const program =
      call.value('-e', '--source') ??
      (file === '-' || file === '/dev/stdin' ? call.io.stdin : file === undefined ? operands[0]?.text : undefined);
    if (
      call.args.some(
        (field, index) => /^-i$|^--include$/.test(field.text) && /^inplace/.test(call.args[index + 1]?.text ?? ''),
      ) ||
      call.value('-i') === 'inplace'
    ) {
      machine.note(
        editsInPlace(
          call,
          'awk -i inplace',
          operands.slice(1).map((operand) => operand.text),
        ),
      );
    }
    if (program === undefined) machine.note(unknown('runs an awk script file', { runsFiles: true }));
    else readAwk(call, program);
    return call.io.stdin ?? UNKNOWN;
  },
  ed: editor,
  red: editor,
};

/** sed's `w FILE`, `s///w FILE`, `e` (runs the pattern space) and `s///e`. */
function readSed({ machine }: Call, script: string): void {
  const known = script.replaceAll(NUMBER, '1');
  if (hasUnknown(known)) machine.note(unknown('a sed script that is not known', { unresolved: true }));
  for (const effect of readSedScript(known)) {
    if (effect.kind === 'unknown') machine.note(unknown(effect.reason));
    else if (effect.kind === 'write')
      machine.note(overwrite(machine, effect.path, 'sed w', 'empties an existing file'));
    else if (effect.text === undefined) machine.note(destructive('sed e', 'sed runs text as shell commands'));
    else {
      machine.note(unknown('sed runs a command'));
      runCode(machine, effect.text, { stdin: UNKNOWN });
    }
  }
}

/** awk: `system(…)`, `print | "cmd"`, `"cmd" | getline`, `print > file`. */
function readAwk(call: Call, program: string): void {
  const { machine } = call;
  if (hasUnknown(program.replaceAll(NUMBER, '1')))
    machine.note(unknown('an awk program that is not known', { unresolved: true }));
  if (/\bwhile\s*\(\s*1\s*\)|\bfor\s*\(\s*;\s*;\s*\)/.test(program) && !/\b(break|exit|return)\b/.test(program))
    machine.note(unknown('awk code: a loop without end'));
  if (/\/inet\d?\/\w+\//.test(program) && /\|&\s*getline\s+\w+[\s\S]{0,500}\|&\s*getline/.test(program))
    machine.note(destructive('curl | sh', 'gives a shell to the network'));
  for (const effect of readAwkProgram(program.replaceAll(NUMBER, '1'))) {
    if (effect.kind === 'system') machine.note(destructive('awk system', 'awk runs text as shell commands'));
    else if (effect.kind === 'shell') runCode(machine, effect.text + (effect.more ? UNKNOWN : ''), { stdin: UNKNOWN });
    else if (effect.kind === 'unknown') machine.note(unknown(effect.reason, { unresolved: true }));
    else machine.note(awkTarget(call, effect.append, effect.path));
  }
  machine.note(harmless());
}

function awkTarget(call: Call, append: boolean, path: string): StaticVerdict {
  if (append) return adds(call.machine, path);
  return overwrite(call.machine, path, 'awk to a file', 'empties an existing file');
}

function editor(call: Call): string {
  const { stdin } = call.io;
  if (stdin === undefined || stdin.includes(UNKNOWN)) call.machine.note(unknown('an editor session'));
  else if (/^\s*(?:[\d,$%]*w|wq)\b/m.test(stdin))
    call.machine.note(
      editsInPlace(
        call,
        'ed script',
        call.operands.map((operand) => operand.text),
      ),
    );
  const shell = stdin === undefined ? null : /^\s*!(.*)$/m.exec(stdin);
  if (shell) runCode(call.machine, shell[1] ?? '');
  return UNKNOWN;
}

/** How a small language goes out to the shell; what a pattern captures is the command. */
const WAYS_OUT: Readonly<Record<string, RegExp>> = {
  dc: /!(?![<>=])\s*([^\n]+)/g,
  gnuplot: /\bsystem\s*(?:\(\s*)?["']([^"']+)["']|(?:^|[;\n])[^\S\n]*!\s*([^\n;]+)|`([^`]+)`|["']<\s*([^"']+)["']/g,
  m4: /\be?syscmd\s*\(\s*[`"']?([^')"]+)/g,
};

/** Small languages whose code may hold a command: only a loss in it counts here, the rest is the record's. */
export const CALCULATORS: Handlers = Object.fromEntries(
  Object.entries(WAYS_OUT).map(([program, way]): [string, Handler] => [program, (call) => readWaysOut(call, way)]),
);

function readWaysOut({ machine, args, io }: Call, way: RegExp): undefined {
  for (const text of [...args.map((field) => field.text), io.stdin ?? '']) {
    for (const [, ...commands] of text.matchAll(way)) {
      const code = commands.find((each) => each !== undefined) ?? '';
      const inner = machine.watch(() => runCode(machine, code));
      machine.note(inner.verdict === 'destructive' ? inner : unknown('code that runs a command'));
    }
  }
  return undefined;
}

/** Media converters. */
export const MEDIA: Handlers = {
  ...forAll('ffmpeg sox magick convert mogrify', (call) => {
    const target = call.args.at(-1)?.text ?? '-';
    const inputs = call.args.slice(0, -1).map((field) => field.text);
    if (
      call.args.length > 1 &&
      /^[\w./~]/.test(target) &&
      inputs.includes(target) &&
      (call.program !== 'ffmpeg' || call.has('-y'))
    )
      call.machine.note(destructive('same file in and out', 'empties the file it reads'));
    if (/^(magick|convert)$/.test(call.program) && call.args.length > 1 && /\.\w+$/.test(target))
      call.machine.note(writesOutput(call, target.replace(/^\w+:/, '')));
    if (call.program === 'mogrify') call.machine.note(destructive('sed -i', 'edits files in place'));
    else if (call.has('-y') && call.program === 'ffmpeg') {
      call.machine.note(
        target === '-' || target.startsWith('/dev/') || target === 'null'
          ? harmless()
          : unknown('writes over a file if there is one'),
      );
    } else call.machine.note(harmless());
    return UNKNOWN;
  }),
  exiftool(call) {
    const writes = call.args.some((field) =>
      /^-[\w:]+[-+]?=|^-(all|tagsfromfile|delete_original|restore_original)/i.test(field.text),
    );
    call.machine.note(
      writes && call.args.some((field) => /overwrite_original|delete_original/.test(field.text))
        ? destructive('sed -i', 'edits files in place')
        : writes
          ? unknown('edits files and keeps copies')
          : harmless(),
    );
    return UNKNOWN;
  },
};

/** Formatters: they keep what sources mean, so changing them is no loss; what else there is to say their records say. */
export const FORMATTERS: Handlers = {
  ...forAll(
    'prettier eslint black isort ruff gofmt goimports rustfmt clang-format autopep8 yapf stylelint biome standard xo rubocop swiftformat ktlint shfmt terraform-fmt dprint taplo djlint autoflake pyupgrade clang-tidy csscomb buf pre-commit-fix dartfmt ormolu fourmolu stylish-haskell prettierd nixfmt alejandra cmake-format beautysh php-cs-fixer phpcbf swiftlint',
    () => UNKNOWN,
  ),
};
