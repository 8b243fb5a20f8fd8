import { unknown } from '../verdict.ts';
import type { Call } from './call.ts';
import { runCode } from './code.ts';
import type { Handler, Handlers } from './handler.ts';

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
      const inner = machine.watch(() => runCode(machine, code, { stdin: '' }));
      machine.note(inner.verdict === 'destructive' ? inner : unknown('code that runs a command'));
    }
  }
  return undefined;
}
