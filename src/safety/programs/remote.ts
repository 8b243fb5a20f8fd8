import { UNKNOWN } from '../shell/taint.ts';
import { harmless, unknown } from '../verdict.ts';
import { runAside, runCode } from './code.ts';
import type { Handlers } from './handler.ts';

/** Tools that run a command on other machines. */
export const REMOTE: Handlers = {
  aws(call) {
    for (const { text } of call.args) {
      const list = /^commands=\[([\s\S]*)\]$|"commands"\s*:\s*\[([\s\S]*?)\]/.exec(text);
      for (const found of (list?.[1] ?? list?.[2] ?? '').matchAll(/"((?:\\[\s\S]|[^"\\])*)"/g))
        runAside(call.machine, found[1] ?? '');
      const one = /^commands?=([^[][\s\S]*)$/.exec(text);
      if (one) runAside(call.machine, one[1] ?? '');
    }
    if (call.args.some((field) => field.text === 'execute-command')) {
      const at = call.args.findIndex((field) => /^--command(=|$)/.test(field.text));
      const text = call.args[at]?.text.slice('--command='.length) || call.args[at + 1]?.text;
      if (at >= 0) runAside(call.machine, text ?? '');
    }
    return undefined;
  },
  ansible(call) {
    const module = call.value('-m', '--module-name') ?? 'command';
    const args = call.value('-a', '--args');
    if (/^(ansible\.builtin\.)?(command|shell|raw)$/.test(module) && args !== undefined) {
      // Jinja is filled in on this machine before anything is sent.
      if (args.includes('{{') || args.includes('{%')) call.machine.note(unknown('a template may run a program here'));
      return runCode(call.machine, args.replace(/\b(chdir|creates|removes|executable)=\S+/g, ''), { stdin: '' });
    }
    if (/^(ansible\.builtin\.)?(ping|setup|gather_facts|stat|find)$/.test(module) && !/\{[{%]/.test(args ?? '')) {
      call.machine.note(harmless());
      return UNKNOWN;
    }
    call.machine.note(unknown(`runs the module ${module} on many machines`));
    return undefined;
  },
};
