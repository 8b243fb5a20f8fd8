import { plain } from '../shell/machine.ts';
import { hasUnknown } from '../shell/taint.ts';
import { unknown } from '../verdict.ts';
import type { Call } from './call.ts';

/** First lines after which a file is shell code, or Python. */
const SHELL = /^#!\s*(?:\/usr)?(?:\/local)?\/bin\/(?:env\s+)?(?:ba|da)?sh(?:\s+-[eu]+)*\s*$/;
const PYTHON = /^#!\s*(?:\/usr)?(?:\/local)?\/bin\/(?:env\s+)?python[\d.]*(?:\s+-[uBOsE]+)*\s*$/;

/** What runs a file: a shell (also one without such a line), Python, or the command that its first line is. */
export type Runner = 'shell' | 'python' | 'another';

export function runnerOf(text: string): Runner {
  const end = text.indexOf('\n');
  const first = end < 0 ? text : text.slice(0, end);
  if (!first.startsWith('#!') || SHELL.test(first)) return 'shell';
  return PYTHON.test(first) ? 'python' : 'another';
}

/**
 * A first line such as `#!/usr/bin/sed -f` is a command of its own: the kernel runs it with the file, and the words after
 * that, behind it.
 */
export function runByFirstLine({ machine, args, io }: Call, path: string, text: string): string {
  const [first = ''] = text.split('\n', 1);
  const [, program = '', option = ''] = /^#!\s*(\S+)\s*(.*?)\s*$/.exec(first) ?? [];
  if (program === '' || hasUnknown(first)) {
    machine.note(unknown('a first line that is not known', { unresolved: true, runsFiles: true }));
    return '';
  }
  // The kernel gives it one word, other systems several; `env` takes none with a blank.
  const own =
    option === '' ? [] : /(^|\/)env$/.test(program) && option.startsWith('-') ? [option] : option.split(/\s+/);
  return machine.runFields([program, ...own, path].map(plain).concat(args), io);
}
