import { UNKNOWN } from '../shell/taint.ts';
import { unknown } from '../verdict.ts';
import { runAside } from './code.ts';
import { forAll, type Handlers } from './handler.ts';

/** What stands behind the `+` of a pager is typed there: these only say where to begin. */
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
      if (code !== undefined) runAside(call.machine, code);
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
    if (gentle) call.machine.note(unknown('sends a signal that some programs end at'));
    return UNKNOWN;
  }),
  ...forAll('less more man most', (call) => {
    for (const { text } of call.args) {
      if (text.startsWith('+!')) runAside(call.machine, text.slice(2));
      else if (text.startsWith('+') && !MOVES.test(text))
        call.machine.note(unknown(`types ${text.slice(1)} into the pager`));
    }
    return undefined;
  }),
};
