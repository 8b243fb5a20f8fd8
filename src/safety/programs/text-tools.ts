import { readAwkProgram } from '../code/awk.ts';
import { readSedScript } from '../code/sed.ts';
import { isCredential } from '../credential-files.ts';
import { hasUnknown, NUMBER, UNKNOWN } from '../shell/taint.ts';
import { destructive, harmless, type StaticVerdict, unknown } from '../verdict.ts';
import type { Call } from './call.ts';
import { runAside } from './code.ts';
import type { Handlers } from './handler.ts';
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
  for (const [, path = ''] of known.matchAll(/[rR]\s*([^\s;}]+)/g))
    if (isCredential(path)) machine.note(unknown('shows a credential to the model'));
  for (const effect of readSedScript(known)) {
    if (effect.kind === 'unknown') machine.note(unknown(effect.reason));
    else if (effect.kind === 'write')
      machine.note(overwrite(machine, effect.path, 'sed w', 'empties an existing file'));
    else if (effect.text === undefined) machine.note(destructive('sed e', 'sed runs text as shell commands'));
    else {
      machine.note(unknown('sed runs a command'));
      runAside(machine, effect.text, UNKNOWN);
    }
  }
}

/** The environment of awk, but for what every shell has. */
const SHOWS_SECRETS = /\bENVIRON\b(?!\s*\[\s*"(HOME|PATH|USER|SHELL|LANG|PWD|TERM)"\s*\])/;

/** awk: `system(…)`, `print | "cmd"`, `"cmd" | getline`, `print > file`. */
function readAwk(call: Call, program: string): void {
  const { machine } = call;
  if (hasUnknown(program.replaceAll(NUMBER, '1')))
    machine.note(unknown('an awk program that is not known', { unresolved: true }));
  if (SHOWS_SECRETS.test(program) || [...program.matchAll(/"([^"]+)"/g)].some(([, text = '']) => isCredential(text)))
    machine.note(unknown('shows a credential to the model'));
  if (/\bwhile\s*\(\s*1\s*\)|\bfor\s*\(\s*;\s*;\s*\)/.test(program) && !/\b(break|exit|return)\b/.test(program))
    machine.note(unknown('awk code: a loop without end'));
  if (/\/inet\d?\/\w+\//.test(program) && /\|&\s*getline\s+\w+[\s\S]{0,500}\|&\s*getline/.test(program))
    machine.note(destructive('curl | sh', 'gives a shell to the network'));
  for (const effect of readAwkProgram(program.replaceAll(NUMBER, '1'))) {
    if (effect.kind === 'system') machine.note(destructive('awk system', 'awk runs text as shell commands'));
    else if (effect.kind === 'shell') runAside(machine, effect.text + (effect.more ? UNKNOWN : ''), UNKNOWN);
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
  if (shell) runAside(call.machine, shell[1] ?? '');
  return UNKNOWN;
}
