import { unknown } from '../verdict.ts';
import type { Call } from './call.ts';
import { runCode } from './code.ts';
import type { Handlers } from './handler.ts';

/** Build tools whose input carries commands. */
export const BUILD: Handlers = {
  make(call) {
    if (call.value('-f', '--file', '--makefile') === '-' && call.io.stdin !== undefined)
      runRecipes(call, call.io.stdin);
    for (const text of call.options.values.get('--eval') ?? []) runRecipes(call, text);
    for (const { text } of call.operands)
      if (/^SHELL=/.test(text)) call.machine.note(unknown('changes the shell of make', { unresolved: true }));
    return undefined;
  },
};

/** Recipe lines of a makefile given as text. */
function runRecipes(call: Call, text: string): void {
  for (const line of text.split('\n')) {
    const recipe = /^\t[@+-]*(.*)$/.exec(line)?.[1] ?? /^[^#=\n]*:[^=;\n]*;\s*[@+-]*(.*)$/.exec(line)?.[1];
    const shell = /\$\(shell\s+([^)]*)\)/.exec(line)?.[1];
    if (recipe) runCode(call.machine, recipe.replaceAll('$$', '$'), { stdin: '' });
    if (shell) runCode(call.machine, shell, { stdin: '' });
  }
}
