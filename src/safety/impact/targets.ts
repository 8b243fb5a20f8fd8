import { readlink, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { parse } from 'unbash';
import type { Targets } from '../../contracts/gate.ts';
import type { Machine, Named } from '../../contracts/machine.ts';
import { directoryAt } from '../../session/place.ts';
import type { Reading } from '../files.ts';
import { Call } from '../programs/call.ts';
import { dispatch } from '../programs/dispatch.ts';
import { programName } from '../programs/name.ts';
import type { Operand } from '../programs/options.ts';
import { judgeRedirect } from '../programs/outputs.ts';
import { factsOf, recordOf } from '../programs/records/index.ts';
import { FOUND } from '../programs/wrappers.ts';
import { hasRules } from '../rules/table.ts';
import { ShellInterpreter } from '../shell/interpreter.ts';
import { depthOf, type Field, MAX_COMMAND_CHARS, MAX_DEPTH } from '../shell/machine.ts';
import { hasUnknown } from '../shell/taint.ts';
import type { Part } from '../verdict.ts';
import { expanded } from './files.ts';

/** The files or processes that one part of a command would affect. */
export type Touched = { readonly part: Part } & (
  | {
      readonly kind: 'deletes' | 'overwrites';
      readonly paths: readonly Named[];
      /** Whether only some of the paths are affected, and another program decides which. */
      readonly some?: true;
    }
  /** A `find` that deletes: its words up to its first action. */
  | { readonly kind: 'finds'; readonly words: readonly string[]; readonly cwd: string }
  | { readonly kind: 'git'; readonly words: readonly string[]; readonly cwd: string }
  /** Process ids and names that would be ended. */
  | { readonly kind: 'ends'; readonly ids: readonly string[]; readonly names: readonly string[] }
);

/** One call of a program: whether it runs elsewhere or with other rights, and whether all of its words are known. */
type SurveyedCall = { readonly part: Part; readonly away: boolean; readonly known: boolean };

export type Survey = {
  readonly touched: readonly Touched[];
  /** Other changes: by code, in place, or of files that a list names for `xargs`. They are only shown. */
  readonly besides: readonly Touched[];
  readonly calls: readonly SurveyedCall[];
  /** Every path that any part names: the file behind a name must not change between question and answer. */
  readonly named: readonly Named[];
  /** Absolute paths to which existing files are moved. */
  readonly brought: ReadonlySet<string>;
};

const DELETERS = /^(rm|unlink|rmdir|shred|rimraf|trash|trash-put|srm|wipe|truncate)$/;
const FIND_ACTS = /^-(delete|exec|execdir|ok|okdir|fprint|fprint0|fprintf|fls|print|print0|printf|ls|quit|prune)$/;
const MAX_NAMED = 500;
/** A word with a pattern in it. */
const PATTERN = /[^\s'"`;|&<>(){}$\\]*[*?][^\s'"`;|&<>(){}$\\]*/g;

/** Walks a command without verdicts, so that it does not stop at the first loss. */
class SurveyShell extends ShellInterpreter {
  override note(): void {}

  get place(): Part {
    return this.part;
  }
}

/**
 * Walks `command` as the judge does and collects what it would touch. Runs nothing.
 * @param home the directory that `~` means
 * @param reading the files that the command runs, such as a makefile; without it none is read
 */
export function survey(command: string, cwd: string, home: string, reading?: Reading): Survey {
  const touched: Touched[] = [];
  const besides: Touched[] = [];
  const known = new Set<string>();
  let listed: Listed | undefined;
  const named: Named[] = [];
  const calls: SurveyedCall[] = [];
  let inFind = false;
  if (command.length > MAX_COMMAND_CHARS || depthOf(command) > MAX_DEPTH)
    return { touched, besides, calls, named, brought: new Set() };
  const name = (path: Named): void => {
    if (named.length < MAX_NAMED) named.push(path);
  };
  // A loop over a pattern is walked with unknown values; the pattern itself can be expanded.
  for (const path of command.match(PATTERN) ?? []) name({ path, glob: true, cwd });
  const shell = new SurveyShell(
    {
      call(machine, fields, io, redirects) {
        const word = fields[0]?.text ?? '';
        const here = machine.scope.cwd ?? cwd;
        const part = shell.place;
        const { elsewhere, cwd: place } = machine.scope;
        const program = programName(word);
        // An unknown program may run a command among its own words (`adb shell rm x`).
        const isKnown = recordOf(program) !== undefined || hasRules(program);
        // The words that find passes to rm are its matches, which are searched for.
        const isMatch = (text: string) => inFind && DELETERS.test(program) && text === FOUND;
        const isClear =
          isKnown && place !== undefined && !fields.some(({ text }) => hasUnknown(text) && !isMatch(text));
        calls.push({ part, known: isClear, away: elsewhere !== undefined || worksAway(program, fields) });
        if (!hasUnknown(word)) {
          const call = new Call(machine, program, fields.slice(1), io, redirects);
          // A pattern from a variable counts, even though its word is quoted.
          for (const path of knownPaths(call.operands, here))
            name({ ...path, glob: path.glob || /[*?[]/.test(path.path) });
          const effects = touchedBy(call, part, here);
          touched.push(...effects);
          besides.push(...editedInPlace(call, part, here));
          for (const path of machine.changed) known.add(path);
          const before = touched.length;
          const list = program === 'xargs' ? listed : undefined;
          listed = listedBy(call, here);
          if (effects.some(({ kind }) => kind === 'finds')) {
            inFind = true;
            const verdict = dispatch(machine, fields, io, redirects, new Set());
            inFind = false;
            return verdict;
          }
          const output = dispatch(machine, fields, io, redirects, new Set());
          if (list && touched.length === before) besides.push({ part, ...list });
          const changed = [...machine.changed].filter((path) => !known.has(path) && !hasUnknown(path));
          for (const path of changed) known.add(path);
          const paths = changed.map((path) => ({ path, glob: false, cwd: here }));
          if (paths.length > 0 && effects.length === 0) besides.push({ part, kind: 'overwrites', paths });
          return output;
        }
        return dispatch(machine, fields, io, redirects, new Set());
      },
      redirect(machine, redirect) {
        if (!/[<>]/.test(redirect.operator) || redirect.operator.startsWith('<<') || hasUnknown(redirect.target))
          return;
        const path = { path: redirect.target, glob: false, cwd: machine.scope.cwd ?? cwd };
        name(path);
        if (judgeRedirect(machine, redirect).verdict === 'destructive')
          touched.push({ part: shell.place, kind: 'overwrites', paths: [path] });
      },
      assignment() {},
      definition() {},
    },
    { cwd, files: undefined, reading, own: undefined },
    new Set(),
  );
  shell.scope.set('HOME', home);
  try {
    shell.runScript(parse(command), { stdin: undefined });
  } catch {
    // The findings made so far stay valid.
  }
  return { touched, besides, calls, named, brought: shell.scope.brought };
}

/**
 * Returns whether a program works where undo keeps no changes: on another machine, in a server, or with other rights.
 */
function worksAway(program: string, [, ...args]: readonly Field[]): boolean {
  // rsync also works on this machine.
  if (program === 'rsync') return args.some(({ text }) => /^[\w.@-]+:|^rsync:/.test(text));
  return AWAY.test(program) || factsOf(program).traits.has('sends');
}

const AWAY =
  /^(sudo|su|doas|pkexec|run0|chroot|nsenter|systemd-run|at|batch|tmux|screen|emacsclient|ansible|clickhouse-client|cqlsh|sqlcmd)$/;

function knownPaths(operands: readonly Operand[], cwd: string): readonly Named[] {
  return operands.flatMap(({ text, glob }) => (hasUnknown(text) || text === '' ? [] : [{ path: text, glob, cwd }]));
}

function touchedBy(call: Call, part: Part, cwd: string): readonly Touched[] {
  const { program } = call;
  const operands = knownPaths(call.operands, cwd);
  const words = operands.map(({ path }) => path);
  const over = (paths: readonly Named[]): readonly Touched[] =>
    paths.length === 0 ? [] : [{ part, kind: 'overwrites', paths }];
  if (DELETERS.test(program)) return operands.length === 0 ? [] : [{ part, kind: 'deletes', paths: operands }];
  if (program === 'find' && call.has('-delete', '-exec', '-execdir')) {
    const all = call.args.map(({ text }) => text);
    const acts = all.findIndex((word) => FIND_ACTS.test(word));
    return all.some(hasUnknown) ? [] : [{ part, kind: 'finds', words: acts < 0 ? all : all.slice(0, acts), cwd }];
  }
  if (/^(cp|mv|tee|sponge)$/.test(program)) return over(operands.slice(-1));
  if (program === 'sed' && call.args.some((field) => /^-\w*i|^--in-place/.test(field.text)))
    return over(operands.slice(1));
  if (program === 'dd') {
    const target = operands.find(({ path }) => path.startsWith('of='));
    return target ? over([{ ...target, path: target.path.slice(3) }]) : [];
  }
  if (program === 'git')
    return [{ part, kind: 'git', words: [...words, ...call.options.flags], cwd: call.value('-C') ?? cwd }];
  const ids = program === 'kill' ? words.filter((word) => /^-?\d+$/.test(word)) : [];
  const names = /^(pkill|killall)$/.test(program) ? words : [];
  return ids.length + names.length > 0 ? [{ part, kind: 'ends', ids, names }] : [];
}

/** Returns the files that perl or ruby edits in place. */
function editedInPlace(call: Call, part: Part, cwd: string): readonly Touched[] {
  if (!/^(perl|ruby)$/.test(call.program) || !call.args.some(({ text }) => /^-\w*i/.test(text))) return [];
  const paths = knownPaths(call.operands, cwd);
  return paths.length === 0 ? [] : [{ part, kind: 'overwrites', paths }];
}

/** The items that `xargs` receives from a list: named files, some of the named files, or the matches of `find`. */
type Listed =
  | { readonly kind: 'overwrites'; readonly paths: readonly Named[]; readonly some?: true }
  | { readonly kind: 'finds'; readonly words: readonly string[]; readonly cwd: string };

function listedBy(call: Call, cwd: string): Listed | undefined {
  const words = call.args.map(({ text }) => text);
  if (words.some(hasUnknown)) return undefined;
  if (call.program === 'find') return { kind: 'finds', words: words.filter((word) => !/^-print0?$/.test(word)), cwd };
  const operands = knownPaths(call.operands, cwd);
  if (call.program === 'ls' && operands.length > 0) return { kind: 'overwrites', paths: operands };
  const isSearch = /^(grep|egrep|fgrep|rg)$/.test(call.program) && call.has('-l', '--files-with-matches');
  const paths = isSearch ? operands.slice(call.has('-e', '-f') ? 0 : 1) : [];
  return paths.length > 0 ? { kind: 'overwrites', paths, some: true } : undefined;
}

/** The most paths that are resolved; a pattern may name more. */
const MAX_RESOLVED = 2000;
/** The longest chain of links that the kernel follows. */
const MAX_LINKS = 40;

/** Returns what the paths in a command refer to now: real paths, devices, inodes, patterns (SF-13). Reads only. */
export async function resolveTargets(
  command: string,
  place: string,
  { files, home }: Pick<Machine, 'files' | 'home'>,
): Promise<Targets> {
  const cwd = directoryAt(place);
  const named = [{ path: '.', glob: false, cwd }, ...survey(command, cwd, home).named];
  return { command, cwd: place, found: await files.identities(named) };
}

/** Returns whether they still refer to the same files. */
export async function areSame(
  { command, cwd, found }: Targets,
  machine: Pick<Machine, 'files' | 'home'>,
): Promise<boolean> {
  const now = await resolveTargets(command, cwd, machine);
  return now.found.length === found.length && now.found.every((line, at) => line === found[at]);
}

/** Returns one line of identity for each path of this machine. */
export async function identities(named: readonly Named[]): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const each of named) {
    const paths = [...(await expanded(each, MAX_RESOLVED))].sort();
    const { path } = each;
    if (paths.length === 0) lines.push(await missing(isAbsolute(path) ? path : join(each.cwd, path)));
    for (const found of paths) lines.push(await identity(found));
    if (lines.length > MAX_RESOLVED) break;
  }
  return lines;
}

async function identity(path: string): Promise<string> {
  const [real, stats] = await Promise.all([realpath(path).catch(() => '?'), stat(path).catch(() => undefined)]);
  if (stats) return `${path} → ${real} ${stats.dev}:${stats.ino}`;
  return `${[path, ...(await linksOf(path))].join(' → ')} leads nowhere`;
}

/** Returns the chain of a dangling link: writing through it creates the file at its end. */
async function linksOf(path: string, most = MAX_LINKS): Promise<readonly string[]> {
  const target = await readlink(path).catch(() => undefined);
  if (target === undefined || most === 0) return [];
  const around = await realpath(dirname(path)).catch(() => '?');
  const next = resolve(around, target);
  return [next, ...(await linksOf(next, most - 1))];
}

/**
 * Returns the identity of a missing path: its surroundings must stay the same, or the file would be created elsewhere.
 */
async function missing(path: string): Promise<string> {
  const around = await realpath(join(path, '..')).catch(() => '?');
  return `${path} → nothing in ${around}`;
}
