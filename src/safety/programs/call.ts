import type { Field, Io, Machine, Redirect } from '../shell/machine.ts';
import { noNameIsOption } from '../shell/word.ts';
import { type Operand, type Options, readOptions } from './options.ts';
import { readExactly } from './read-options.ts';
import type { CallFacts, ProgramFacts, Reading } from './record.ts';
import { factsOf, recordOf } from './records/index.ts';

/** One program call, with the facts that rules ask for. Options are sorted on first use. */
export class Call implements CallFacts {
  readonly machine: Machine;
  /** The program's base name without directory and version. */
  readonly program: string;
  readonly facts: ProgramFacts;
  readonly args: readonly Field[];
  readonly io: Io;
  readonly redirects: readonly Redirect[];
  private sorted: Options | undefined;
  private joined: string | undefined;
  private exact: Reading | null | undefined;

  constructor(machine: Machine, program: string, args: readonly Field[], io: Io, redirects: readonly Redirect[]) {
    this.machine = machine;
    this.program = program;
    this.facts = factsOf(program);
    this.args = args;
    this.io = io;
    this.redirects = redirects;
  }

  get options(): Options {
    this.sorted ??= readOptions(this.facts, this.args);
    return this.sorted;
  }

  /** The words interpreted by the program’s record; undefined without a record. */
  get reading(): Reading | undefined {
    if (this.exact === undefined) {
      const record = recordOf(this.program);
      this.exact = record ? readExactly(this.program, record, this.named()) : null;
    }
    return this.exact ?? undefined;
  }

  /** Returns the words, marking patterns whose matches are known not to begin with a dash. */
  private named(): readonly Field[] {
    const pattern = ({ text, glob }: Field) => glob && /^[*?[]/.test(text);
    if (!this.machine.reading || !this.args.some(pattern) || !noNameIsOption(this.machine)) return this.args;
    return this.args.map((field) => (pattern(field) ? { ...field, named: true } : field));
  }

  get operands(): readonly Operand[] {
    return this.options.operands;
  }

  /** Returns whether one of these options is given. Long ones may be abbreviated, as getopt allows. */
  has(...names: readonly string[]): boolean {
    return this.hasAny(names);
  }

  /** Returns whether one of the listed options is given. */
  hasAny(names: readonly string[]): boolean {
    const { flags, beginnings } = this.options;
    if (flags.size === 0) return false;
    for (const name of names) {
      if (flags.has(name)) return true;
      if (beginnings.length > 0 && name.length > 5 && beginnings.some((flag) => name.startsWith(flag))) return true;
    }
    return false;
  }

  /** Returns whether one of these options is given in full, for options that make a call harmless. */
  hasExactly(names: readonly string[]): boolean {
    const { flags } = this.options;
    return flags.size > 0 && names.some((name) => flags.has(name));
  }

  /** The value of an option, the last one given. */
  value(...names: readonly string[]): string | undefined {
    for (const name of names) {
      const found = this.options.values.get(name)?.at(-1);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The words after the program as one line. */
  get argumentLine(): string {
    this.joined ??= this.args.map((field) => field.text).join(' ');
    return this.joined;
  }

  /** The words of the call as one line, for patterns and reasons. */
  get line(): string {
    return this.args.length === 0 ? this.program : `${this.program} ${this.argumentLine}`;
  }
}

/**
 * Judges one call with knowledge about the program and notes a verdict on the machine. Returns the call’s output (with
 * marks), or undefined to leave the call to the tables and `byVerbs`.
 */
export type Handler = (call: Call) => string | undefined;

/** Handlers by program name. */
export type Handlers = Readonly<Record<string, Handler>>;

/** Registers the same handler for several programs. */
export function forAll(programs: string, handler: Handler): Handlers {
  return Object.fromEntries(programs.split(' ').map((program) => [program, handler]));
}
