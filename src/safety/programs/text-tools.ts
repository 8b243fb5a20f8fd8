import { readCode } from '../code/read.ts';
import { readAwkProgram, readSedScript } from '../code/sed-awk.ts';
import { hasUnknown, NUMBER, UNKNOWN } from '../shell/taint.ts';
import { destructive, harmless, type StaticVerdict, unknown } from '../verdict.ts';
import { type Call, forAll, type Handler, type Handlers } from './call.ts';
import { runCode } from './code.ts';
import { writesOutput } from './outputs.ts';
import { editsInPlace } from './overwriting.ts';
import { adds, overwrite } from './paths.ts';

/** Programs whose argument is code in a small language: sed, awk, ed. */
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

/** Judges a sed script’s `w FILE`, `s///w FILE`, `e` (runs the pattern space) and `s///e`. */
function readSed({ machine }: Call, script: string): void {
  const known = script.replaceAll(NUMBER, '1');
  if (hasUnknown(known)) machine.note(unknown('an unknown sed script', { unresolved: true }));
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

/** Judges awk’s `system(…)`, `print | "cmd"`, `"cmd" | getline` and `print > file`. */
function readAwk(call: Call, program: string): void {
  const { machine } = call;
  if (hasUnknown(program.replaceAll(NUMBER, '1')))
    machine.note(unknown('an unknown awk program', { unresolved: true }));
  if (/\bwhile\s*\(\s*1\s*\)|\bfor\s*\(\s*;\s*;\s*\)/.test(program) && !/\b(break|exit|return)\b/.test(program))
    machine.note(unknown('awk code: an endless loop'));
  if (/\/inet\d?\/\w+\//.test(program) && /\|&\s*getline\s+\w+[\s\S]{0,500}\|&\s*getline/.test(program))
    machine.note(destructive('curl | sh', 'opens a shell to the network'));
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

/** How code in a small language runs a shell command; the pattern captures the command. */
const WAYS_OUT: Readonly<Record<string, RegExp>> = {
  dc: /!(?![<>=])\s*([^\n]+)/g,
  gnuplot: /\bsystem\s*(?:\(\s*)?["']([^"']+)["']|(?:^|[;\n])[^\S\n]*!\s*([^\n;]+)|`([^`]+)`|["']<\s*([^"']+)["']/g,
  m4: /\be?syscmd\s*\(\s*[`"']?([^')"]+)/g,
};

/** Handlers of small languages whose code may contain a command. Only losses count; the record judges the rest. */
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

/** Handlers of media converters. */
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
          : unknown('overwrites a file if there is one'),
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

/** Formatters keep the meaning of sources, so their changes are no loss; their records judge the rest. */
export const FORMATTERS: Handlers = {
  ...forAll(
    'prettier eslint black isort ruff gofmt goimports rustfmt clang-format autopep8 yapf stylelint biome standard xo rubocop swiftformat ktlint shfmt terraform-fmt dprint taplo djlint autoflake pyupgrade clang-tidy csscomb buf pre-commit-fix dartfmt ormolu fourmolu stylish-haskell prettierd nixfmt alejandra cmake-format beautysh php-cs-fixer phpcbf swiftlint',
    () => UNKNOWN,
  ),
};

/** Editors controlled by arguments; an editor opened for the user is only a session. */
export const EDITORS: Handlers = {
  vim(call) {
    if (asksVersion(call)) return UNKNOWN;
    const commands = vimCommands(call);
    for (const command of commands) readVim(call, command);
    if (call.value('-S') !== undefined) call.machine.note(unknown('runs an editor script', { runsFiles: true }));
    call.machine.note(commands.length === 0 ? session(call) : unknown('editor commands'));
    return UNKNOWN;
  },
  ...forAll('emacs emacsclient', (call) => {
    if (asksVersion(call)) return UNKNOWN;
    const words = call.args.map((field) => field.text);
    for (const [index, word] of words.entries()) {
      const code = /^-?-eval=([\s\S]+)$/.exec(word)?.[1] ?? (/^-?-e(val)?$/.test(word) ? words[index + 1] : undefined);
      if (code !== undefined) readCode(call.machine, 'emacs', code);
      if (/^-?-funcall$|^-f$/.test(word) && /delete|save-buffer|kill/.test(words[index + 1] ?? '')) {
        call.machine.note(editsInPlace(call, 'editor script', []));
      }
    }
    call.machine.note(unknown('an editor session'));
    return UNKNOWN;
  }),
  ...forAll('nano pico micro helix hx kak joe code subl gedit kate mcedit ne jed mg', (call) => {
    if (asksVersion(call) || (call.program === 'code' && call.has('--list-extensions'))) return UNKNOWN;
    call.machine.note(/^(nano|pico)$/.test(call.program) ? session(call) : unknown('an editor session'));
    return UNKNOWN;
  }),
};

/** Returns the verdict on an editor opened on files without commands: the user does the rest. */
function session({ args, io }: Call): StaticVerdict {
  const plain = args.length > 0 && args.every(({ text }) => /^[\w./][\w./ -]*$/.test(text));
  return plain && io.stdin === undefined ? harmless('opens an editor for the person') : unknown('an editor session');
}

function asksVersion(call: Call): boolean {
  return call.args.length === 1 && /^--?(version|help)$/.test(call.args[0]?.text ?? '');
}

function vimCommands(call: Call): string[] {
  const out = [...(call.options.values.get('-c') ?? []), ...(call.options.values.get('--cmd') ?? [])];
  for (const field of call.args) {
    if (
      field.text.startsWith('+') &&
      field.text.length > 1 &&
      !/^\+\d*$/.test(field.text) &&
      !field.text.startsWith('+/')
    )
      out.push(field.text.slice(1));
  }
  for (const [index, field] of call.args.entries()) {
    if (/^-[a-zA-Z]+c$/.test(field.text)) out.push(call.args[index + 1]?.text ?? '');
  }
  if (call.has('-s') && call.io.stdin !== undefined)
    out.push(...call.io.stdin.split('\n').filter((line) => line.trim() !== ''));
  return out;
}

function readVim(call: Call, typed: string): void {
  const command = typed.replace(/^\s*:+/, '');
  const { machine } = call;
  const files = call.operands.map((operand) => operand.text);
  const shell =
    /(?:^|\|)\s*(?:silent!?\s+)?(?:(?:%|\d+(?:,\d+)?|'<,'>)?!|r(?:ead)?\s*!|terminal\s+|w(?:rite)?\s+!)([\s\S]+)$/.exec(
      command,
    );
  if (shell) runCode(machine, shell[1] ?? '', { stdin: UNKNOWN });
  const system = /\bsystem(?:list)?\s*\(\s*(['"])([\s\S]*?)\1/.exec(command);
  if (system) runCode(machine, system[2] ?? '');
  if (/\bdelete\s*\(/.test(command)) machine.note(editsInPlace(call, 'editor script', []));
  if (/^\s*(?:lua|py3?|python3?|perl|ruby)\s/.test(command))
    readCode(machine, command.trim().startsWith('lua') ? 'lua' : 'python', command.replace(/^\s*\w+\s+/, ''));
  const elsewhere = /(?:^|\|)\s*(?:w|write|saveas|sav)!?\s+([^\s|!][^|]*)$/.exec(command)?.[1];
  if (elsewhere !== undefined)
    call.machine.note(overwrite(call.machine, elsewhere.trim(), 'editor script', 'overwrites a file'));
  const writes =
    /(?:^|\||\s)(?:silent!?\s+)?(?:\d*,?\$?|%)?(w|wq|x|xa|wa|wqa|wqall|xall|update|up|write|exit|xit|saveas|sav|argdo\s+update|bufdo\s+\w+|ZZ)!?(?=\s|$|\||"|')/.test(
      command,
    );
  if (writes && !shell) machine.note(editsInPlace(call, 'editor script', files));
  else if (/^\s*(q|qa|quit|qall|cq)!?\s*$|^\s*(set|syntax|echo|version|normal\s+G|\d+)\b/.test(command))
    machine.note(harmless());
}

/** Commands after the `+` of a pager that only move its position. */
const MOVES = /^\+\+?(\d*[gGpF%]?|[/?][^\n\r]*)$/;

/** Debuggers, signals and pagers. */
export const SESSIONS: Handlers = {
  gdb(call) {
    const texts = [
      ...call.args
        .filter((_, index) => /^-?-e(x|val-command)$/.test(call.args[index - 1]?.text ?? ''))
        .map((field) => field.text),
      ...(call.io.stdin ?? '').split('\n'),
    ];
    for (const text of texts) {
      const code = /^\s*(?:shell|!|pipe\s+[^|]*\|)\s*([\s\S]+)$/.exec(text)?.[1];
      if (code !== undefined) runCode(call.machine, code);
    }
    call.machine.note(unknown('a debugger'));
    return UNKNOWN;
  },
  ...forAll('kill pkill killall', (call) => {
    const gentle =
      call.args.some(
        (field, index) =>
          (index === 0 || call.args[0]?.text !== '--') && /^-(SIG)?(USR1|USR2|HUP|1|10|12)$/.test(field.text),
      ) || /^(SIG)?(USR1|USR2|HUP|1|10|12)$/.test(call.value('-s', '--signal') ?? '');
    if (gentle) call.machine.note(unknown('sends a signal that ends some programs'));
    return UNKNOWN;
  }),
  ...forAll('less more man most', (call) => {
    for (const { text } of call.args) {
      if (text.startsWith('+!')) runCode(call.machine, text.slice(2));
      else if (text.startsWith('+') && !MOVES.test(text))
        call.machine.note(unknown(`types ${text.slice(1)} into the pager`));
    }
    return undefined;
  }),
};
