import type { Field, Io, Machine } from '../shell/machine.ts';
import type { Output } from '../shell/output.ts';
import type { StaticVerdict } from '../verdict.ts';
import type { Operand } from './options.ts';

/**
 * The effect of an option or an operand. Each role except the harmless ones has one judge (`proof.ts`): `tune` changes
 * how the program works · `read` names a file that is read · `ask` is sent in a request to another machine · `write`
 * names a file that is replaced · `add` names a new file · `make` names an empty new file or directory · `into` names a
 * directory that is filled · `package` names a package of the program's own registry · `project` names a directory
 * whose files decide what runs · `run` is shell code · `load` names a file that can run code, or sets a program ·
 * `send` sends data away or changes the network target · `delete` removes something · `dry` makes this subcommand only
 * show its effect, `undry` switches that off · `idle` makes it print and end (`--help`).
 */
const ROLES = [
  ...(['tune', 'read', 'ask', 'write', 'add', 'make', 'into', 'package', 'project'] as const),
  ...(['run', 'load', 'send', 'delete', 'dry', 'undry', 'idle'] as const),
];
export type Role = (typeof ROLES)[number];

/**
 * Roles of operands. `command`: the rest of the line is a command; `shell`: the words are joined and run by a shell;
 * `judged`: a handler judges the operand.
 */
export type OperandRole = Role | 'command' | 'shell' | 'judged';

/** The facts about a call that a record’s own judge may use. */
export type CallFacts = {
  readonly program: string;
  readonly facts: ProgramFacts;
  readonly args: readonly Field[];
  readonly io: Io;
  readonly machine: Machine;
  /** The operands, sorted without the record. */
  readonly operands: readonly Operand[];
  /** All words of the call, joined by blanks. */
  readonly line: string;
  /** Returns whether one of these options is given. */
  has(...names: readonly string[]): boolean;
  /** Returns the value of an option; if repeated, of the last one. */
  value(...names: readonly string[]): string | undefined;
};

/** One option as given: its name in the record, and its value. */
export type Given = { readonly name: string; readonly role: Role; readonly value?: string };

/** The words of a call, each with its role in the record. */
export type Reading = {
  /** The record of the program. */
  readonly root: Compiled;
  /** The record of the subcommand that was reached. */
  readonly level: Compiled;
  /** The subcommand words in order. */
  readonly path: readonly string[];
  readonly given: readonly Given[];
  /** How many options precede the first subcommand. */
  readonly before: number;
  readonly operands: readonly Field[];
  /** Describes the part that the record does not know; undefined: everything is known. */
  readonly missing: string | undefined;
  /** Whether there is a subcommand that the record does not know. */
  readonly strayed: boolean;
};

/** Returns the role of the operand at `index`; the record’s last role repeats. */
export function roleOf(level: Compiled, index: number): OperandRole | undefined {
  return level.operands[Math.min(index, level.operands.length - 1)];
}

/** Returns whether a call has text on its standard input: a string, a file, or the output of another program. */
export function isFed({ io }: Pick<CallFacts, 'io'>): boolean {
  return io.stdin !== undefined && io.stdin !== '';
}

/** Returns whether one of these options is given, by the names in the record. */
export function given(reading: Reading, ...names: readonly string[]): boolean {
  return reading.given.some(({ name }) => names.includes(name));
}

/** Returns whether a call only asks for help or the version, with nothing that would take effect first. */
export function isIdle({ given, operands }: Reading): boolean {
  if (operands.length > 0) return false;
  let idle = false;
  for (const { role, value } of given) {
    if (role !== 'idle' && (role !== 'tune' || value !== undefined)) return false;
    idle ||= role === 'idle';
  }
  return idle;
}

/** Returns whether this is a dry run, by the last option about it. */
export function isDryReading(reading: Reading): boolean {
  for (let at = reading.given.length - 1; at >= 0; at--) {
    const { role, value } = reading.given[at] as Given;
    if (role === 'dry') return !/^(none|false|no|0)$/.test(value ?? '');
    if (role === 'undry') return false;
  }
  return false;
}

/** A finding of one program. `asks`: a condition besides the shape; `when`: a condition in code. */
export type RecordFinding = Finding & { readonly asks?: Condition; readonly when?: (call: CallFacts) => boolean };

/** Facts about a program that do not depend on the words of a call. */
export type Trait =
  /** Sends its input to another machine. */
  | 'sends'
  /** Prints the contents of its files. */
  | 'prints'
  /** Reads only a file’s name, size or checksum, never its text. */
  | 'namesOnly'
  /** Prints or compares its own words. */
  | 'keepsWords'
  /** With certain words prints text that is meant for `eval`. */
  | 'printsSetup'
  /** The program runs files of the project. */
  | 'runsProject'
  /** Its words describe its effect, so that a reading verb decides (`aws ec2 describe-instances`). */
  | 'speaks';

/** How a wrapper’s own arguments end and its command begins. */
export type Wrapper = {
  /** The wrapper’s options with a value, if they differ from those of the record. */
  readonly values?: string;
  /** How many of its own operands precede the command (`timeout 5 cmd`). */
  readonly skip?: number;
  /** The subcommand that must come first (`poetry run cmd`); otherwise the tables judge the call. */
  readonly sub?: string;
  /** Options whose value is shell code. */
  readonly code?: string;
  /** The remaining words are joined and run by a shell. */
  readonly joined?: boolean;
  /** Like `joined`, but several words stay separate (`heroku run bash -c 'x y'`). */
  readonly joinedAlone?: boolean;
  /** Options after which all words are the command. */
  readonly after?: string;
  /** With this subcommand the words after `--` run in a remote shell (`gcloud compute ssh vm -- cmd`). */
  readonly remote?: string;
  /** The program whose subcommand the command is (`terragrunt run-all destroy`). */
  readonly as?: string;
  /** The program is a wrapper only with such an option. */
  readonly onlyCode?: boolean;
  /** Options with which nothing is run. */
  readonly idle?: string;
  /** The command runs on another machine. */
  readonly elsewhere?: boolean;
  /** Without a command it starts a shell, which reads commands from its input. */
  readonly session?: boolean;
  /** Python runs the Python file or the input that it gets. */
  readonly python?: true;
  /** A lone dash counts as an option (`su -`). */
  readonly dash?: boolean;
};

/** The kind of data that a program sends. The words of a call add the receiver and the files. */
type SendKind =
  | 'push'
  | 'publish'
  | 'image'
  | 'request'
  | 'items'
  | 'upload'
  | 'bucket'
  | 'stream'
  | 'mail'
  | 'forge'
  | 'packages';

/**
 * When a program sends data. Without `when` its own reader decides; otherwise the operands, as one line, must match.
 */
export type Sends = { readonly as: SendKind; readonly when?: RegExp };

/** Facts about a program as a whole, also without a list of its options. */
export type Facts = {
  /** Options with a value besides those of the roles, for rules, which ignore the subcommand. */
  readonly values?: string;
  /** Long options begin with one dash, and letters are never split. */
  readonly singleDash?: boolean;
  /** Options for a dry run besides those with the role `dry`; by subcommand if only some have one. */
  readonly dryRun?: string | Readonly<Record<string, string>>;
  /** If the record knows every word of a call, its operand with the role `command` begins the command. */
  readonly exact?: boolean;
  /** The program runs a command that its arguments name. */
  readonly wraps?: Wrapper;
  readonly traits?: readonly Trait[];
  /** Options whose value names a file that is not sent: the caller’s own key, or a format. */
  readonly keys?: string;
  /** Its words are sent to another machine: always, or with these subcommands. */
  readonly reaches?: true | string;
  /** The data that it sends, and with which words. */
  readonly leaves?: Sends;
  /** The option whose value is code that it runs. */
  readonly code?: RegExp;
  /** Its output, where that follows from its words and its input. */
  readonly output?: Output;
};

/** The facts about a program as a whole, with its options as sets. */
export type ProgramFacts = {
  readonly values: ReadonlySet<string>;
  readonly singleDash: boolean;
  /** The options for a dry run, by subcommand; `*`: with any. */
  readonly dryRun: ReadonlyMap<string, readonly string[]>;
  readonly exact: boolean;
  readonly wraps: Wrapper | undefined;
  readonly traits: ReadonlySet<Trait>;
  readonly keys: ReadonlySet<string>;
  /** The subcommands with which its words are sent to another machine; `true`: with any. */
  readonly reaches: true | ReadonlySet<string>;
  readonly code: Facts['code'];
  readonly leaves: Facts['leaves'];
  readonly output: Output;
};

/**
 * One program, or one subcommand of it. Options are words by role: `-v` takes no value, `-o=` takes one (attached or
 * as the next word), `--color[=]` takes one only attached, `-exec;` all words up to `;` or `+`, `-#` is any number
 * (`head -5`).
 */
export type Spec = { readonly [role in Role]?: string } & Facts & {
    /** Its options and operands are not listed, so a call is never proven harmless. */
    readonly unread?: boolean;
    /** Facts that apply to some of the row’s programs only. */
    readonly of?: Readonly<Record<string, Facts>>;
    /** Roles of the operands in order; the last one repeats. Absent: it takes no operands. */
    readonly operands?: string;
    /** Subcommands, several names to a row; `''` is the program without a subcommand, `*` is any other. */
    readonly subs?: Readonly<Record<string, Spec>>;
    /** Options of this level may also follow the subcommand. */
    readonly global?: boolean;
    /** The first word may be letters without a dash (`tar xf`, `ps aux`). */
    readonly oldStyle?: boolean;
    /** Options end at the first operand, as in programs that run a command. */
    readonly stopsAtOperand?: boolean;
    /** Files, by name, that tell the program what to run. Writing one taints the program. */
    readonly control?: RegExp;
    /** Why a fully known call is still not proven harmless. */
    readonly open?: string;
    /** Whether the program runs files of the project: a second opinion about it is not cached. */
    readonly runsFiles?: boolean;
    /** Programs that this program starts although no word of the call names them. */
    readonly helpers?: string;
    /** How a deletion in the tree can be reverted, as its manual says. */
    readonly undo?: string;
    /** Options after whose value only operands follow (`python -c CODE …`). */
    readonly last?: string;
    /** A word that begins with `@` names a file with further words. */
    readonly argFiles?: boolean;
    /** Its input can answer its question before an overwrite: with these options, or always (`''`). */
    readonly asks?: string;
    /** Whether the program has no options, so that every word is an operand (`echo`). */
    readonly noOptions?: boolean;
    /** Calls that delete or lose something, each with its reason and examples; the first match counts. */
    readonly findings?: readonly RecordFinding[];
    /** The family of its findings in the documentation. */
    readonly family?: string;
    /** A check in code of conditions that roles can’t express; undefined: no objection. */
    readonly judge?: (call: CallFacts, reading: Reading) => StaticVerdict | undefined;
  };

/** Programs by name, several names to a row. */
export type Records = Readonly<Record<string, Spec>>;

export type OptionSpec = { readonly role: Role; readonly value: 'none' | 'required' | 'attached' | 'until' };

/** The fields of a record that are read on every call, always in one order. */
const ASKED = [
  ...(['singleDash', 'oldStyle', 'stopsAtOperand', 'argFiles', 'noOptions'] as const),
  ...(['control', 'open', 'runsFiles', 'asks', 'judge'] as const),
];
type Asked = { readonly [Key in (typeof ASKED)[number]]: Spec[Key] | undefined };

export type Compiled = Asked & {
  readonly spec: Spec;
  readonly options: ReadonlyMap<string, OptionSpec>;
  readonly subs: ReadonlyMap<string, Compiled> | undefined;
  readonly operands: readonly OperandRole[];
  /** The index of the last operand that is not only read: an unknown number of words before it would shift it. */
  readonly lastActing: number;
  readonly last: ReadonlySet<string>;
  /** Whether it has options that do more than change how it reads and prints. */
  readonly hasActingOptions: boolean;
  /** Whether all its effects are known and none is a loss. */
  readonly isMild: boolean;
  /** Whether it names an option for a dry run. */
  readonly knowsDryRuns: boolean;
  /** The record of the program without a subcommand, with the options before it. */
  readonly bare: Compiled | undefined;
};

const VALUES = [
  ['[=]', 'attached'],
  ['=', 'required'],
  [';', 'until'],
] as const;

/** Compiles a row to lookup tables; `inherited` are the options of the levels above. */
export function compileSpec(spec: Spec, inherited: ReadonlyMap<string, OptionSpec> = new Map()): Compiled {
  const options = new Map(inherited);
  for (const role of ROLES) {
    for (const token of words(spec[role])) {
      const value = VALUES.find(([end]) => token.endsWith(end))?.[1] ?? 'none';
      options.set(token.replace(/\[=\]$|[=;]$/, ''), { role, value });
    }
  }
  if (spec.singleDash && !options.has('-help')) options.set('-help', { role: 'idle', value: 'none' });
  if (!options.has('--help')) options.set('--help', { role: 'idle', value: 'none' });
  if (!options.has('--version')) options.set('--version', { role: 'idle', value: 'none' });
  const passed = spec.global ? options : new Map<string, OptionSpec>();
  const subs = spec.subs
    ? new Map(
        Object.entries(spec.subs).flatMap(([names, sub]) => {
          const compiled = compileSpec(sub, passed);
          return (names === '' ? [''] : words(names)).map((name) => [name, compiled] as const);
        }),
      )
    : undefined;
  const bare = subs?.get('');
  const operands = words(spec.operands) as readonly OperandRole[];
  return {
    spec,
    ...(Object.fromEntries(ASKED.map((key) => [key, spec[key]])) as Asked),
    options,
    subs,
    bare: bare ? { ...bare, options: new Map([...options, ...bare.options]) } : undefined,
    operands,
    lastActing: operands.findLastIndex((role) => /^(write|run|load|send|delete)$/.test(role)),
    last: new Set(words(spec.last)),
    hasActingOptions: [...options.values()].some(({ role }) => !/^(tune|read|dry|idle)$/.test(role)),
    isMild:
      spec.open === undefined &&
      !/\bdelete\b/.test(spec.operands ?? '') &&
      ![...options.values()].some(({ role }) => role === 'delete'),
    knowsDryRuns: [...options.values()].some(({ role }) => role === 'dry'),
  };
}

export function words(text: string | undefined): readonly string[] {
  return (text ?? '').split(/\s+/).filter((word) => word !== '');
}

/** Calls that delete or lose something, with the reason and example lines. */
export type Finding = {
  /** The name shown to the user, and used to disable the row. */
  readonly name: string;
  /** Shapes of calls, any of which matches; see `compileShape`. */
  readonly shapes?: readonly string[];
  readonly reason: string;
  /** Its losses are only changes of files, which undo keeps if they are in the project’s tree. */
  readonly kept?: true;
  /** A deletion or loss of history that always asks if the user made the lost data (SF-10, MO-9). */
  readonly named?: 'files' | 'repository' | 'data';
  /**
   * Whether the kernel blocks it in Project mode, so that it may run: `writes` outside the project on every kernel,
   * `signals` to other processes where commands have namespaces.
   */
  readonly bounded?: 'writes' | 'signals';
};

/** Makes a finding or a rule from its name, its reason and its conditions. */
export function row<Row extends Finding>(name: string, reason: string, more?: Omit<Row, 'name' | 'reason'>): Row {
  return { name, reason, ...more } as Row;
}

/**
 * The conditions on a call, all of which must hold. Missing words count as empty. Arguments are all words of the call;
 * operands are those that are neither options nor their values.
 */
export type Condition = {
  /** The shape of the operands; see `compileShape`. */
  readonly shape?: string;
  readonly first?: RegExp;
  readonly second?: RegExp;
  /** Matches the last operand. */
  readonly last?: RegExp;
  /** Matches any operand; `later`: any except the first. */
  readonly operand?: RegExp;
  readonly later?: RegExp;
  /** Matches all operands in one line, or those from the first number up to the second. */
  readonly words?: RegExp;
  readonly range?: readonly [number, number, RegExp];
  /** Matches any argument; `argument0`: the first. */
  readonly argument?: RegExp;
  readonly argument0?: RegExp;
  /** Matches all arguments in one line; `padded`: preceded by a blank; `call`: preceded by the program. */
  readonly line?: RegExp;
  readonly padded?: RegExp;
  readonly call?: RegExp;
  /** Matches its input; `says`: the arguments, a blank and the input. */
  readonly input?: RegExp;
  readonly says?: RegExp;
  /** Matches the value of one of these options. */
  readonly value?: readonly [string, RegExp];
  /** Whether there are any arguments, operands or input. */
  readonly given?: 'arguments' | 'operands' | 'input';
  /** A verb that removes something is among the first operands, up to this number. */
  readonly destroys?: number;
  /** None of these conditions holds. */
  readonly not?: Condition | readonly Condition[];
  readonly all?: readonly Condition[];
  readonly any?: readonly Condition[];
};
