import { readCode } from '../code/read.ts';
import { readable } from '../shell/taint.ts';
import { harmless, type StaticVerdict, unknown, worse } from '../verdict.ts';
import type { Call } from './call.ts';
import { absolute, isOwnProject } from './paths.ts';
import type { Reading } from './record.ts';

/** Tests as pytest finds them by their name, and what it loads beside them. */
const PYTHON_TESTS = /(^|\/)(conftest\.py|test_[^/]*\.py|[^/]*_test\.py)$/;

/**
 * The verdict on the files that a program obeys without a word of the call naming them: they must be those of the project
 * it is started in, and what was written in this conversation must have been read and judged.
 */
export function judgeObeyed(call: Call, { root, level, operands }: Reading): StaticVerdict {
  const control = level.control ?? root.control;
  if (!control) return harmless();
  const { machine, program } = call;
  const { elsewhere, near } = machine.scope;
  if (machine.scope.foreign.size > 0)
    return unknown(`${program} obeys files that the same command has brought`, { runsFiles: true });
  if (elsewhere === 'machine' || (!elsewhere && near !== '' && !isOwnProject(machine, '.')))
    return unknown(`${program} obeys the files of another place`, { runsFiles: true });
  for (const paths of [machine.written.keys(), machine.changed])
    for (const path of paths)
      if (control.test(path))
        return unknown(`${program} obeys ${readable(path).slice(-60)}, which was written just now`);
  if (!machine.own?.size) return harmless();
  let verdict = harmless();
  const named = new Set(operands.map(({ text }) => absolute(machine, text.replace(/::.*$/, ''))));
  for (const path of machine.own) {
    if (control.test(path) && (PYTHON_RUNNERS.test(program) ? isTest(path) || named.has(path) : true))
      verdict = worse(verdict, judgeOwn(call, path));
  }
  return verdict;
}

const PYTHON_RUNNERS = /^(pytest|py\.test|unittest)$/;

/** Of all modules only the tests are run by themselves; settings decide which, and the rest they import. */
function isTest(path: string): boolean {
  return PYTHON_TESTS.test(path) || !/\.py$/.test(path) || /(^|\/)(setup|sitecustomize|usercustomize)\.py$/.test(path);
}

/** A file that the model has written: Python can be read, for the rest it is not known what it makes the program do. */
function judgeOwn(call: Call, path: string): StaticVerdict {
  const { machine, program } = call;
  const { reading } = machine;
  const content = PYTHON_RUNNERS.test(program) && path.endsWith('.py') ? reading?.look(path) : undefined;
  const text = content?.kind === 'text' ? content.text : undefined;
  const judged =
    text === undefined
      ? undefined
      : reading?.within(path, () =>
          machine.watch(() => machine.inSubshell(() => readCode(machine, 'python', text, { argv: [], file: path }))),
        );
  return (
    judged ?? unknown(`${program} obeys ${path.slice(-60)}, which was written in this session`, { runsFiles: true })
  );
}
