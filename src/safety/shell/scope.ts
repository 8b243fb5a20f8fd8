import type { Function as FunctionNode } from 'unbash';
import type { Dialect } from './dialect.ts';
import { NUMBER, UNKNOWN } from './taint.ts';

export type Value = string | readonly string[] | ReadonlyMap<string, string>;

/** Variables that every shell sets, and whose value or first character tricks like `${PATH:0:1}` use. */
const USUAL: ReadonlyMap<string, string> = new Map([
  ['IFS', ' \t\n'],
  ['PATH', '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'],
  ['SHELL', '/bin/bash'],
  ['BASH', '/bin/bash'],
  ['HOME', '/home/user'],
  ['OSTYPE', 'linux-gnu'],
  ['PS4', '+ '],
  ...'RANDOM SRANDOM SECONDS LINENO EPOCHSECONDS BASHPID PPID UID EUID COLUMNS LINES OPTIND SHLVL HISTCMD BASH_SUBSHELL PIPESTATUS'
    .split(' ')
    .map((name): [string, string] => [name, NUMBER]),
]);

/** A type guard, since `instanceof Map` loses the types of keys and values. */
export function isMap(value: Value): value is ReadonlyMap<string, string> {
  return value instanceof Map;
}

function isNumber(value: Value): boolean {
  return typeof value === 'string' && /^-?[\d\uE00B]+$/.test(value);
}

/** The tables that a subshell inherits. Shells share them until one writes to them. */
type Tables = {
  readonly vars: Map<string, Value>;
  readonly functions: Map<string, FunctionNode>;
  readonly aliases: Map<string, string>;
  readonly alternatives: Map<string, readonly string[]>;
  readonly references: Map<string, string>;
  readonly integers: Set<string>;
  readonly named: Set<string>;
};

const newTables = (): Tables => ({
  vars: new Map(),
  functions: new Map(),
  aliases: new Map(),
  alternatives: new Map(),
  references: new Map(),
  integers: new Set(),
  named: new Set(),
});

/** A shell's directory: `cwd` and `near` of its scope. */
export type Place = { readonly cwd: string | undefined; readonly near: string | undefined };

/** The state of one shell: variables, functions, aliases, arguments and directory. */
export class Scope {
  private tables: Tables;
  /** Whether another shell shares these tables. */
  private shared: boolean;
  /** Paths that this command made itself: truncating or deleting them loses no data. */
  readonly made: Set<string>;
  /** Words by which this command may have created a name that begins with a dash: a glob may then become an option. */
  readonly dashed: Set<string>;
  /** Directories that this command has fetched, relative to its start: their files are not the project's own. */
  readonly foreign: Set<string>;
  /** Backups of existing files that this command made: a further backup of the same name replaces one. */
  readonly backups: Set<string>;
  /** Where this command moved files that it did not make: they are not its own. */
  readonly brought: Set<string>;
  /** Links that this command made; their targets are not resolved. */
  readonly links: Set<string>;
  positional: readonly string[];
  /** The absolute directory; undefined when unknown. */
  cwd: string | undefined;
  /** The directory as written, relative to the start (`''`): known even where files may not be looked up. */
  near: string | undefined = '';
  /**
   * Set where commands run on another machine or in a container, about whose files this machine’s files say nothing.
   */
  elsewhere: 'machine' | 'container' | undefined;
  /** The shell that reads this code, if it is not bash. */
  dialect: Dialect | undefined;
  lastArgument = '';
  /** The directory where the shell is if its last `cd` failed, or did not run. */
  mayStay: Place | undefined;
  /** Whether the shell ends when a command fails (`set -e`). */
  stops = false;
  /** Whether every variable is exported from now on (`set -a`). */
  exporting = false;

  constructor(cwd: string | undefined, from?: Scope) {
    const outer: Partial<Scope> = from ?? {};
    const { exporting = false, stops = false, lastArgument = '', positional = [], near = '', elsewhere } = outer;
    const { made = new Set(), dashed = new Set(), links = new Set(), foreign = new Set(), backups = new Set() } = outer;
    const { brought = new Set() } = outer;
    this.tables = from?.tables ?? newTables();
    this.shared = from !== undefined;
    this.exporting = exporting;
    this.stops = stops;
    this.made = made;
    this.dashed = dashed;
    this.links = links;
    this.brought = brought;
    this.backups = backups;
    this.foreign = foreign;
    this.positional = positional;
    this.lastArgument = lastArgument;
    this.cwd = cwd;
    this.near = from ? from.near : near;
    this.elsewhere = elsewhere;
    this.dialect = outer.dialect;
  }

  get place(): Place {
    return { cwd: this.cwd, near: this.near };
  }

  /** Changes the directory of a copied shell in which the files that it makes are its own. */
  standAt(place: Place): void {
    Object.assign(this, place, { made: new Set(this.made) });
  }

  /** Returns a copy, for a subshell. */
  copy(): Scope {
    this.shared = true;
    return new Scope(this.cwd, this);
  }

  /** Returns the tables for writing, copied first if another shell shares them. */
  private get own(): Tables {
    if (!this.shared) return this.tables;
    const { vars, functions, aliases, alternatives, references, integers, named } = this.tables;
    this.tables = {
      vars: new Map(vars),
      functions: new Map(functions),
      aliases: new Map(aliases),
      alternatives: new Map(alternatives),
      references: new Map(references),
      integers: new Set(integers),
      named: new Set(named),
    };
    this.shared = false;
    return this.tables;
  }

  private get vars(): ReadonlyMap<string, Value> {
    return this.tables.vars;
  }

  get functions(): ReadonlyMap<string, FunctionNode> {
    return this.tables.functions;
  }

  get aliases(): ReadonlyMap<string, string> {
    return this.tables.aliases;
  }

  /** The values that a variable had on different branches. */
  get alternatives(): ReadonlyMap<string, readonly string[]> {
    return this.tables.alternatives;
  }

  /** Names that refer to other names (`declare -n`). */
  get references(): ReadonlyMap<string, string> {
    return this.tables.references;
  }

  /** Names whose values are evaluated as arithmetic (`declare -i`). */
  get integers(): ReadonlySet<string> {
    return this.tables.integers;
  }

  /** Associative arrays (`declare -A`). */
  get named(): ReadonlySet<string> {
    return this.tables.named;
  }

  define(name: string, body: FunctionNode): void {
    this.own.functions.set(name, body);
  }

  setAlias(name: string, text: string): void {
    this.own.aliases.set(name, text);
  }

  dropAlias(name: string): void {
    if (this.aliases.has(name)) this.own.aliases.delete(name);
  }

  /** Makes `name` refer to `target`. */
  refer(name: string, target: string): void {
    this.own.references.set(name, target);
  }

  /** Makes a name refer to itself again; returns whether it referred to another. */
  dropReference(name: string): boolean {
    return this.references.has(name) && this.own.references.delete(name);
  }

  countByNumbers(name: string): void {
    if (!this.integers.has(name)) this.own.integers.add(name);
  }

  goByNames(array: string): void {
    if (!this.named.has(array)) this.own.named.add(array);
  }

  /** Marks the directory of later commands as unknown. */
  leaveFor(place: 'machine' | 'container'): void {
    this.cwd = undefined;
    this.near = '';
    this.elsewhere = place;
  }

  set(name: string, value: Value): void {
    const target = this.references.get(name) ?? name;
    if (this.vars.size < 2000 || this.vars.has(target)) this.own.vars.set(target, value);
  }

  unset(name: string): void {
    const { vars, functions } = this.own;
    vars.set(name, '');
    functions.delete(name);
  }

  /** Returns the value of `$0`. */
  get zero(): string {
    const value = this.vars.get('0');
    return typeof value === 'string' ? value : 'bash';
  }

  get(name: string): Value | undefined {
    const target = this.references.get(name) ?? name;
    return this.vars.get(target) ?? USUAL.get(target);
  }

  /** Returns whether this command itself set the variable. */
  has(name: string): boolean {
    return this.vars.has(this.references.get(name) ?? name);
  }

  /** Returns the variable as one text; a placeholder if the value is unknown. */
  text(name: string): string {
    const value = this.get(name);
    if (value === undefined) return UNKNOWN;
    if (typeof value === 'string') return value;
    if (isMap(value)) return value.get('0') ?? UNKNOWN;
    return value[0] ?? '';
  }

  /** Returns all elements of an array (or the one value of a scalar). */
  list(name: string): readonly string[] {
    const value = this.get(name);
    if (value === undefined || typeof value === 'string') return [this.text(name)];
    return isMap(value) ? [...value.values()] : [...value];
  }

  /** Returns the names of variables with this prefix; those of the environment are unknown (`${!pre*}`). */
  names(prefix: string): readonly string[] {
    return [...[...this.vars.keys()].filter((name) => name.startsWith(prefix)), UNKNOWN];
  }

  /** After a branch that may not have run: marks values that differ as unknown. */
  forgetDifferences(before: Scope): void {
    if (this.tables !== before.tables) this.forgetValues(before.vars);
    if (this.cwd !== before.cwd) this.cwd = undefined;
    if (this.near !== before.near) this.near = undefined;
  }

  private forgetValues(before: ReadonlyMap<string, Value>): void {
    for (const [name, value] of this.vars) {
      const old = before.get(name);
      if (old === undefined || old === value) continue;
      const { vars, alternatives } = this.own;
      if (isNumber(old) && isNumber(value)) {
        vars.set(name, NUMBER);
        continue;
      }
      const all = [...(alternatives.get(name) ?? []), old, value].filter((item) => typeof item === 'string');
      alternatives.set(name, [...new Set(all)].filter((item) => item !== UNKNOWN).slice(0, 6));
      vars.set(name, UNKNOWN);
    }
  }
}
