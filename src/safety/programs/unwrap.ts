import type { Field } from '../shell/machine.ts';
import { plain } from '../shell/machine.ts';
import { FETCHED, FILE_TEXT, UNKNOWN } from '../shell/taint.ts';
import { unknown } from '../verdict.ts';
import type { Call } from './call.ts';
import { runCode } from './code.ts';
import { judgeAssignment } from './environment.ts';
import { type ProgramFacts, type Wrapper, words } from './record.ts';

/** A row with its words as sets. */
type Compiled = {
  readonly row: Wrapper;
  readonly subs: ReadonlySet<string> | undefined;
  readonly values: ReadonlySet<string>;
  readonly code: ReadonlySet<string>;
  readonly after: ReadonlySet<string>;
  readonly idle: ReadonlySet<string>;
};

/** Where nothing is left to run: what the call prints, or undefined where it was no wrapper after all. */
type Ended = { readonly output: string | undefined };

const NO_WRAPPER: Ended = { output: undefined };

/** Made when first met. */
const COMPILED = new Map<ProgramFacts, Compiled>();

function compiled(facts: ProgramFacts, row: Wrapper): Compiled {
  const known = COMPILED.get(facts);
  if (known) return known;
  const made: Compiled = {
    row,
    subs: row.sub === undefined ? undefined : new Set(row.sub.split('|')),
    values: row.values === undefined ? facts.values : new Set(words(row.values)),
    code: new Set(words(row.code)),
    after: new Set(words(row.after)),
    idle: new Set(words(row.idle)),
  };
  COMPILED.set(facts, made);
  return made;
}

/** Runs the command in a wrapper where it will run; undefined: this call is none. */
export function unwrap(call: Call): string | undefined {
  const { wraps } = call.facts;
  if (!wraps) return undefined;
  const wrapper = compiled(call.facts, wraps);
  if (!wrapper.row.elsewhere) return unwrapHere(call, wrapper);
  return call.machine.inSubshell(() => {
    call.machine.scope.leaveFor('machine');
    const output = unwrapHere(call, wrapper);
    // What a file there says comes over the network.
    return /^(ssh|rsh|tsh|sshpass)$/.test(call.program) ? output?.replaceAll(FILE_TEXT, FETCHED) : output;
  });
}

function unwrapHere(call: Call, wrapper: Compiled): string | undefined {
  const { machine, args, io } = call;
  const { row } = wrapper;
  const start = commandStart(call, wrapper);
  if (typeof start !== 'number') return start.output;
  if (row.onlyCode) return undefined;
  const rest = args.slice(start);
  if (rest.length === 0) return row.sub ? undefined : idleWrapper(call);
  if (row.python) return machine.runFields(byPython(call, rest), io);
  if (row.as !== undefined) return machine.runFields([plain(row.as), ...rest], io);
  if (row.joined || (row.joinedAlone && /\s/.test(rest[0]?.text ?? ''))) return runCode(machine, joined(rest), io);
  return machine.runFields(rest, io);
}

/** `uv run x.py`: which of its words name code, not a program. */
function byPython({ machine }: Call, words: readonly Field[]): readonly Field[] {
  const first = words[0]?.text ?? '';
  if (/^\w+:\/\//.test(first)) machine.note(unknown('fetches code and runs it', { unresolved: true }));
  return first === '-' || /\.py[wc]?$|:\/\//i.test(first) ? [plain('python'), ...words] : words;
}

/** The index of the command's first word. */
function commandStart(call: Call, wrapper: Compiled): number | Ended {
  const { args } = call;
  let { subs } = wrapper;
  let skip = wrapper.row.skip ?? 0;
  for (let at = 0; at < args.length; at++) {
    const { text } = args[at] as Field;
    if (text === '--') return subs ? NO_WRAPPER : afterDashes(call, wrapper, at, skip);
    if (text === '-' && wrapper.row.dash) continue;
    if (text.startsWith('-') && text !== '-') {
      const taken = ownOption(call, wrapper, text, at);
      if (typeof taken !== 'number') return taken;
      at += taken;
    } else if (subs) {
      if (!subs.has(text)) return NO_WRAPPER;
      subs = undefined;
    } else if (!assigns(call, wrapper, text) && skip-- <= 0) return at;
  }
  return subs ? NO_WRAPPER : args.length;
}

function afterDashes(call: Call, { row }: Compiled, at: number, skip: number): number | Ended {
  const { machine, args, io } = call;
  if (row.remote !== undefined && args.slice(0, at).some(({ text }) => text === row.remote))
    return { output: runCode(machine, joined(args.slice(at + 1)), io) };
  return at + 1 + (skip > 0 && skip < 99 ? skip : 0);
}

/** One option of the wrapper's own: how many more words it takes. */
function ownOption(call: Call, wrapper: Compiled, text: string, at: number): number | Ended {
  const { machine, args, io } = call;
  const { values, code, after, idle } = wrapper;
  const equals = text.indexOf('=');
  const name = equals >= 0 ? text.slice(0, equals) : text;
  const cluster = clusterEnd(text);
  if (code.has(name) || code.has(cluster)) {
    const inline = equals >= 0 && text.startsWith('--') ? text.slice(equals + 1) : undefined;
    return { output: runCode(machine, inline ?? args[at + 1]?.text ?? '', io) };
  }
  if (after.has(name)) return { output: runRest(call, wrapper, args.slice(at + 1)) };
  if (idle.has(name)) return { output: call.program === 'command' ? `/usr/bin/${args.at(-1)?.text ?? ''}\n` : UNKNOWN };
  if (values.has(name)) return name === text ? 1 : 0;
  return !text.startsWith('--') && values.has(cluster) && cluster !== text ? 1 : 0;
}

function runRest({ machine, io }: Call, { row }: Compiled, rest: readonly Field[]): string {
  return row.joined ? runCode(machine, joined(rest), io) : machine.runFields(rest, io);
}

/** Assignments before the command: `sudo A=1 cmd`. */
function assigns({ machine }: Call, { row }: Compiled, text: string): boolean {
  const assigned = row.joined ? null : /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(text);
  if (assigned) machine.note(judgeAssignment(machine, assigned[1] ?? '', assigned[2] ?? '', true));
  return assigned !== null;
}

function joined(fields: readonly Field[]): string {
  return fields.map((field) => field.text).join(' ');
}

/** The last letter of a cluster as an option: `-lc` may end in `-c`. */
function clusterEnd(text: string): string {
  return /^-[A-Za-z]{2,}$/.test(text) ? `-${text.at(-1)}` : text;
}

function idleWrapper(call: Call): string {
  const { machine, program, io } = call;
  if (program === 'ssh' && call.args.some((field) => /^-(V|T|Q|G|O)$/.test(field.text)) && io.stdin === undefined)
    return UNKNOWN;
  if (call.facts.wraps?.session) {
    if (io.stdin !== undefined && io.stdin !== '') return runCode(machine, io.stdin, { stdin: '' });
    machine.note(unknown('starts a session'));
  }
  return UNKNOWN;
}
