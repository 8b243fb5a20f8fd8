import { homedir } from 'node:os';
import { parse } from 'unbash';
import { depthOf, MAX_COMMAND_CHARS, MAX_DEPTH } from '../limits.ts';
import { Call } from '../programs/call.ts';
import { dispatch } from '../programs/dispatch.ts';
import { programName } from '../programs/name.ts';
import { judgeRedirect } from '../programs/redirects.ts';
import { ShellInterpreter } from '../shell/interpreter.ts';
import { hasUnknown } from '../shell/taint.ts';

/** What a command is about to touch, found by walking it as the judge does. */
export type Targets = {
  /** Paths to be deleted, with the directory they are relative to; may hold patterns. */
  readonly deleted: readonly { readonly path: string; readonly cwd: string }[];
  /** Files to be overwritten. */
  readonly overwritten: readonly { readonly path: string; readonly cwd: string }[];
  /** Git subcommands that lose something, with their words. */
  readonly git: readonly { readonly words: readonly string[]; readonly cwd: string }[];
  /** Process ids and names to be ended. */
  readonly processes: readonly string[];
  readonly names: readonly string[];
};

const DELETERS = /^(rm|unlink|rmdir|shred|rimraf|trash|trash-put|srm|wipe|truncate)$/;

/** A walk that passes no verdict, so that it does not stop at the first loss. */
class Survey extends ShellInterpreter {
  override note(): void {}
}

/** Walks `command` and collects what it would touch. Nothing is run. */
export function targetsOf(command: string, cwd: string): Targets {
  const found = { deleted: [], overwritten: [], git: [], processes: [], names: [] } as {
    deleted: { path: string; cwd: string }[];
    overwritten: { path: string; cwd: string }[];
    git: { words: string[]; cwd: string }[];
    processes: string[];
    names: string[];
  };
  if (command.length > MAX_COMMAND_CHARS || depthOf(command) > MAX_DEPTH) return found;
  const shell = new Survey(
    {
      call(machine, fields, io, redirects) {
        const word = fields[0]?.text ?? '';
        const here = machine.scope.cwd ?? cwd;
        if (!hasUnknown(word)) collect(new Call(machine, programName(word), fields.slice(1), io, redirects), here);
        return dispatch(machine, fields, io, redirects, new Set());
      },
      assignment() {},
      definition() {},
      redirect(machine, redirect) {
        const verdict = judgeRedirect(machine, redirect);
        if (verdict.verdict === 'destructive')
          found.overwritten.push({ path: redirect.target, cwd: machine.scope.cwd ?? cwd });
      },
    },
    { cwd, files: undefined, reading: undefined, own: undefined },
    new Set(),
  );
  shell.scope.set('HOME', homedir());
  const collect = (call: Call, here: string): void => {
    const { program } = call;
    const words = call.operands.map((operand) => operand.text);
    if (DELETERS.test(program))
      for (const path of words.filter((word) => !hasUnknown(word))) found.deleted.push({ path, cwd: here });
    else if (program === 'find' && call.has('-delete', '-exec')) {
      for (const path of words.filter((word) => !/^[(!;+{]/.test(word)).slice(0, 4))
        found.deleted.push({ path, cwd: here });
    } else if (/^(cp|mv|tee|sponge)$/.test(program)) {
      const path = words.at(-1);
      if (path !== undefined) found.overwritten.push({ path, cwd: here });
    } else if (program === 'sed' && call.args.some((field) => /^-\w*i|^--in-place/.test(field.text))) {
      for (const path of words.slice(1)) found.overwritten.push({ path, cwd: here });
    } else if (program === 'dd') {
      const path = words.find((word) => word.startsWith('of='))?.slice(3);
      if (path !== undefined) found.overwritten.push({ path, cwd: here });
    } else if (program === 'git')
      found.git.push({ words: [...words, ...call.options.flags], cwd: call.value('-C') ?? here });
    else if (program === 'kill') found.processes.push(...words.filter((word) => /^-?\d+$/.test(word)));
    else if (/^(pkill|killall)$/.test(program)) found.names.push(...words);
  };
  try {
    shell.runScript(parse(command), { stdin: undefined });
  } catch {
    // What was found so far is still true.
  }
  return found;
}
