import { UNKNOWN } from '../shell/taint.ts';
import { destructive, harmless, type StaticVerdict, unknown } from '../verdict.ts';
import type { Call } from './call.ts';
import { runCode } from './code.ts';
import type { Handlers } from './handler.ts';
import { editsInPlace } from './overwriting.ts';
import { adds, overwrite } from './paths.ts';

/** Programs whose argument is a small program of its own: sed, awk, ed. */
export const TEXT_TOOLS: Handlers = {
  sed(call) {
    const { operands } = call;
    const scripts = [...(call.options.values.get('-e') ?? []), ...(call.options.values.get('--expression') ?? [])];
    const own = scripts.length === 0 && !call.has('-f', '--file');
    if (own) scripts.push(operands[0]?.text ?? '');
    const files = operands.slice(own ? 1 : 0).map((operand) => operand.text);
    for (const script of scripts) readSed(call, script);
    if (call.has('-f', '--file')) call.machine.note(unknown('runs a sed script file', { runsFiles: true }));
    const inPlace = call.args.some((field) => /^(-[nErsuz]*i|--in-place)/.test(field.text) && field.text !== '--');
    if (inPlace) {
      call.machine.note(editsInPlace(call, 'sed -i', files));
    } else call.machine.note(harmless());
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
function readSed(call: Call, script: string): void {
  const { machine } = call;
  const body = script.replace(
    /(^|[;\n{}]|\d|\$|\/[IM]*)\s*s([^\w\s])(?:\\[\s\S]|(?!\2)[^\\])*\2(?:\\[\s\S]|(?!\2)[^\\])*\2([gpiImM\d]*)(e?)(?:w\s*([^\n]+))?/g,
    (_whole, before, _d, _f, run, file) => {
      if (run === 'e') machine.note(destructive('sed e', 'sed runs text as shell commands'));
      if (typeof file === 'string') machine.note(overwrite(machine, file.trim(), 'sed w', 'empties an existing file'));
      return `${before}:`;
    },
  );
  const flat = body.replace(/\/(?:\\[\s\S]|[^/\\])*\//g, '/');
  const run = /(?:^|[;\n{}\d$/,!])\s*e(?:\s+([^\n]+))?\s*(?=$|[;\n}])/.exec(flat);
  if (run) {
    if (run[1]) runCode(machine, run[1], { stdin: UNKNOWN });
    else machine.note(destructive('sed e', 'sed runs text as shell commands'));
  }
  const write = /(?:^|[;\n{}\d$/])\s*[wW]\s+([^\n;}]+)/.exec(flat);
  if (write) machine.note(overwrite(machine, (write[1] ?? '').trim(), 'sed w', 'empties an existing file'));
}

/** awk: `system(…)`, `print | "cmd"`, `"cmd" | getline`, `print > file`. */
function readAwk(call: Call, program: string): void {
  const { machine } = call;
  const strings: string[] = [];
  const code = program
    .replace(/"((?:\\[\s\S]|[^"\\])*)"/g, (_, text: string) => `"${strings.push(text) - 1}"`)
    .replace(/(^|[({,;!~&|\s])\/(?:\\[\s\S]|[^/\\\n])+\//g, '$1/ /')
    .replace(/#[^\n]*/g, '');
  const at = (index: string | undefined) => (strings[Number(index)] ?? '').replace(/\\(["\\/])/g, '$1');
  const shell = (index: string | undefined, more: boolean) =>
    runCode(machine, at(index) + (more ? UNKNOWN : ''), { stdin: UNKNOWN });
  for (const found of code.matchAll(/\bsystem\s*\(\s*(?:"(\d+)")?([^)]*)\)/g)) {
    if (found[1] === undefined) machine.note(destructive('awk system', 'awk runs text as shell commands'));
    else shell(found[1], found[2]?.trim() !== '');
  }
  for (const found of code.matchAll(/\|&?\s*(?:"(\d+)"|([A-Za-z_(]\w*))/g)) {
    if (found[1] !== undefined) shell(found[1], false);
    else if (found[2] !== undefined && found[2] !== 'getline' && /print/.test(code))
      machine.note(unknown('awk pipes into a command', { unresolved: true }));
  }
  for (const found of code.matchAll(/(?:"(\d+)"([^|;{}\n]{0,200})|\b(\w+)\s*)\|&?\s*getline/g)) {
    if (found[1] !== undefined) shell(found[1], (found[2] ?? '').trim() !== '');
    else machine.note(unknown('awk reads from a command', { unresolved: true }));
  }
  let flat = code;
  for (let depth = 0; depth < 6 && /\([^()]*\)/.test(flat); depth++) flat = flat.replace(/\([^()]*\)/g, '@');
  for (const found of flat.matchAll(/\bprintf?\b[^;\n}]*?[^>=<]>(>?)\s*(?:"(\d+)"|([\w$"@][\w$" .@]*))/g)) {
    machine.note(awkTarget(call, found[1] === '>', found[2] === undefined ? undefined : at(found[2])));
  }
  machine.note(harmless());
}

function awkTarget(call: Call, append: boolean, path: string | undefined): StaticVerdict {
  if (path === undefined) return append ? harmless() : unknown('awk writes files whose names are not known');
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
  if (shell) runCode(call.machine, shell[1] ?? '', { stdin: '' });
  return UNKNOWN;
}
