import { type ParsedScript, parse } from 'unbash';
import { judgeByPatterns } from './fallback-patterns.ts';
import type { FileLook } from './files.ts';
import { depthOf, MAX_COMMAND_CHARS, MAX_DEPTH, MAX_SEPARATORS } from './limits.ts';
import { dispatch } from './programs/dispatch.ts';
import { judgeRedirect } from './programs/redirects.ts';
import { ShellInterpreter } from './shell/interpreter.ts';
import type { Field, Redirect } from './shell/machine.ts';
import { escapeMarks } from './shell/taint.ts';
import { destructive, harmless, type StaticVerdict, type UserPattern, unknown, worse } from './verdict.ts';

export type JudgeOptions = {
  /** The directory the command would run in; without it the file system is not looked at. */
  readonly cwd?: string;
  /** How to look at files (see `realFiles`). Without it every truncation counts as over an existing file. */
  readonly files?: FileLook;
  /** The user's own patterns, tried on the command as written. */
  readonly userPatterns?: readonly UserPattern[];
  /** Names of rules that are switched off. */
  readonly disabledRules?: readonly string[];
};

const NOTHING: ReadonlySet<string> = new Set();
/** NUL, backspace, carriage return, escape and the like can make a line look like another; replaced bytes are noise. */
const ODD = /[\0-\x08\x0b-\x1f\x7f\u0080-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufffd]/;

/** Is told of each call and each redirection of a command as they are found. */
export type Watcher = {
  call(fields: readonly Field[]): void;
  redirect(redirect: Redirect): void;
};

/** What a shell command would do, as far as reading tells (SF-2). Never throws, runs nothing, calls no model. */
export function judgeCommand(command: string, options: JudgeOptions = {}, watcher?: Watcher): StaticVerdict {
  try {
    return judgeText(command, options, watcher);
  } catch {
    return judgeByPatterns(command, 'could not be taken apart');
  }
}

function judgeText(command: string, options: JudgeOptions, watcher: Watcher | undefined): StaticVerdict {
  const own = userVerdict(command, options.userPatterns);
  const tooMuch = beyondLimits(command);
  if (tooMuch) return worse(judgeByPatterns(command, tooMuch), own);
  const disabled = options.disabledRules?.length ? new Set(options.disabledRules) : NOTHING;
  const shell = new ShellInterpreter(
    {
      call(machine, fields, io, redirects) {
        watcher?.call(fields);
        return dispatch(machine, fields, io, redirects, disabled);
      },
      redirect(machine, redirect) {
        watcher?.redirect(redirect);
        machine.note(judgeRedirect(machine, redirect));
      },
    },
    options.cwd,
    options.files,
    disabled,
  );
  const script: ParsedScript = parse(escapeMarks(command));
  shell.runScript(script, { stdin: undefined });
  const verdict = worse(shell.verdict, own);
  if (verdict.verdict !== 'destructive' && script.errors?.length)
    return worse(verdict, judgeByPatterns(command, 'not valid shell syntax'));
  if (ODD.test(command)) return worse(verdict, unknown('control characters in the command', { unresolved: true }));
  return verdict;
}

function beyondLimits(command: string): string | undefined {
  if (command.length > MAX_COMMAND_CHARS) return 'longer than is looked at';
  if (depthOf(command) > MAX_DEPTH) return 'nested deeper than is looked at';
  if (command.length > MAX_SEPARATORS && separators(command) > MAX_SEPARATORS)
    return 'more commands than are looked at';
  return undefined;
}

function separators(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 59 || c === 38 || c === 124 || c === 96) count++;
  }
  return count;
}

function userVerdict(command: string, patterns: readonly UserPattern[] | undefined): StaticVerdict {
  let verdict = harmless();
  for (const { pattern, reason } of patterns ?? []) {
    const found = compile(pattern).exec(command);
    if (found)
      verdict = worse(verdict, destructive(`user: ${pattern}`, reason, [found.index, found.index + found[0].length]));
  }
  return verdict;
}

const compiled = new Map<string, RegExp>();

/** A pattern that is no valid regular expression is taken as plain text. */
function compile(pattern: string): RegExp {
  const known = compiled.get(pattern);
  if (known) return known;
  let result: RegExp;
  try {
    result = new RegExp(pattern);
  } catch {
    result = new RegExp(pattern.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  }
  compiled.set(pattern, result);
  return result;
}
