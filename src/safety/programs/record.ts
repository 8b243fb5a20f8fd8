import type { Field, Io, Machine } from '../shell/machine.ts';
import type { Output } from '../shell/output.ts';
import type { StaticVerdict } from '../verdict.ts';
import type { Operand } from './options.ts';

/**
 * What an option or an operand does. Each role but the harmless ones has one judge (`proof.ts`): `tune` changes how,
 * not what · `read` names what is read · `ask` stands in a question to another machine · `write` names a file that is
 * replaced · `add` names what is made new · `make` the same, empty · `into` names a directory that is filled ·
 * `project` names a place whose files say what is run · `run` is shell code · `load` names a file that can run code, or
 * sets a program · `send` gives something away or changes the network target · `delete` removes something · `dry`
 * makes this subcommand only show what it would do, `undry` takes that back · `idle` makes it print and end (`--help`).
 */
const ROLES = [
  ...(['tune', 'read', 'ask', 'write', 'add', 'make', 'into', 'project'] as const),
  ...(['run', 'load', 'send', 'delete', 'dry', 'undry', 'idle'] as const),
];
export type Role = (typeof ROLES)[number];

/**
 * Roles of operands: `command`: the rest is a command; `shell`: joined and given to a shell; `judged`: by a handler.
 */
export type OperandRole = Role | 'command' | 'shell' | 'judged';

/** What a record's own judge may look at. */
export type CallFacts = {
  readonly program: string;
  readonly facts: ProgramFacts;
  readonly args: readonly Field[];
  readonly io: Io;
  readonly machine: Machine;
  /** The operands as sorted without the record. */
  readonly operands: readonly Operand[];
  /** All words as one line. */
  readonly line: string;
  /** Is one of these options given? */
  has(...names: readonly string[]): boolean;
  /** The value of an option, the last one given. */
  value(...names: readonly string[]): string | undefined;
};

/** One option as given: its name in the record, and its value. */
export type Given = { readonly name: string; readonly role: Role; readonly value?: string };

/** The words of a call, each with its place in the record. */
export type Reading = {
  /** The record of the program. */
  readonly root: Compiled;
  /** The record of the subcommand that was reached. */
  readonly level: Compiled;
  /** Subcommand words in order. */
  readonly path: readonly string[];
  readonly given: readonly Given[];
  /** How many options stand before the first subcommand. */
  readonly before: number;
  readonly operands: readonly Field[];
  /** What the record does not know, in words; undefined: nothing. */
  readonly missing: string | undefined;
  /** A subcommand stands there that the record does not know. */
  readonly strayed: boolean;
};

/** The role of the operand at `index`; the last one of the record repeats. */
export function roleOf(level: Compiled, index: number): OperandRole | undefined {
  return level.operands[Math.min(index, level.operands.length - 1)];
}

/** Does something stand on its standard input: text, a file, or what another program prints? */
export function isFed({ io }: Pick<CallFacts, 'io'>): boolean {
  return io.stdin !== undefined && io.stdin !== '';
}

/** Is one of these options given? Names as the record writes them. */
export function given(reading: Reading, ...names: readonly string[]): boolean {
  return reading.given.some(({ name }) => names.includes(name));
}

/** Is it a request for help or the version, with nothing beside it that would act first? */
export function isIdle({ given, operands }: Reading): boolean {
  if (operands.length > 0) return false;
  let idle = false;
  for (const { role, value } of given) {
    if (role !== 'idle' && (role !== 'tune' || value !== undefined)) return false;
    idle ||= role === 'idle';
  }
  return idle;
}

/** Does the last option that says so make this subcommand only show what it would do? */
export function isDryReading(reading: Reading): boolean {
  for (let at = reading.given.length - 1; at >= 0; at--) {
    const { role, value } = reading.given[at] as Given;
    if (role === 'dry') return !/^(none|false|no|0)$/.test(value ?? '');
    if (role === 'undry') return false;
  }
  return false;
}

/** A finding of one program. `asks`: what must hold beside a shape; `when`: what data can't say. */
export type RecordFinding = Finding & {
  readonly asks?: Condition;
  readonly when?: (call: CallFacts) => boolean;
};

/** What else holds of a program, whatever the words of a call. */
export type Trait =
  /** It gives what it is given to another machine. */
  | 'sends'
  /** It prints what the files it is given hold. */
  | 'prints'
  /** It looks at a file's name, size or sum and never at its text, or a key is made for it. */
  | 'namesOnly'
  /** It prints the words it is given, or only compares them. */
  | 'keepsWords'
  /** With certain words it prints what is meant for `eval`. */
  | 'printsSetup'
  /** It runs files of the project. */
  | 'runsProject'
  /** Its words say what it does, so that a reading verb settles it (`aws ec2 describe-instances`). */
  | 'speaks';

/** How a wrapper's own arguments end and the command it runs begins. */
export type Wrapper = {
  /** Its options that take a value, where they are not those of the record. */
  readonly values?: string;
  /** Operands of its own before the command (`timeout 5 cmd`). */
  readonly skip?: number;
  /** A subcommand that must come first (`poetry run cmd`); otherwise the tables judge. */
  readonly sub?: string;
  /** Options whose value is shell code. */
  readonly code?: string;
  /** The remaining words are joined and given to a shell. */
  readonly joined?: boolean;
  /** Like `joined`, but several words stay the words they are (`heroku run bash -c 'x y'`). */
  readonly joinedAlone?: boolean;
  /** Options after which all words are the command. */
  readonly after?: string;
  /** With this subcommand the words after `--` go to a shell elsewhere (`gcloud compute ssh vm -- cmd`). */
  readonly remote?: string;
  /** The command is a subcommand of this program (`terragrunt run-all destroy`). */
  readonly as?: string;
  /** Without such an option it is no wrapper. */
  readonly onlyCode?: boolean;
  /** Options that mean: nothing is run. */
  readonly idle?: string;
  /** The command runs on another machine. */
  readonly elsewhere?: boolean;
  /** Without a command it starts a shell, which reads its input. */
  readonly session?: boolean;
  /** A file of Python that it is given is run by Python, and so is what stands on its input. */
  readonly python?: true;
  /** A lone dash is an option (`su -`). */
  readonly dash?: boolean;
};

/** What a program sends. The words say more: to whom, and which files. */
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

/** Without `when` the words of its reader decide; else its operands in one line do. */
export type Sends = { readonly as: SendKind; readonly when?: RegExp };

/** What is known of a program as a whole, also of one whose options nobody has written down. */
export type Facts = {
  /** Options that take a value beside those of the roles, for rules, which read a call whatever its subcommand. */
  readonly values?: string;
  /** Long options begin with one dash, and letters are never taken apart. */
  readonly singleDash?: boolean;
  /** Options that make a call a dry run where no role says so; by subcommand where only some have one. */
  readonly dryRun?: string | Readonly<Record<string, string>>;
  /** Where the record knows every word of a call, its operand with the role `command` is where the command begins. */
  readonly exact?: boolean;
  /** It runs a command that its arguments name. */
  readonly wraps?: Wrapper;
  readonly traits?: readonly Trait[];
  /** Options whose value is no file that is sent: a key of the caller's own, which proves who asks, or a format. */
  readonly keys?: string;
  /** Its words go to another machine, whatever they mean there: always, or with these subcommands. */
  readonly reaches?: true | string;
  /** What it sends away, and by which words. */
  readonly leaves?: Sends;
  /** The option after which code stands that it runs. */
  readonly code?: RegExp;
  /** What it prints, where that follows from its words and its input. */
  readonly output?: Output;
};

/** What is known of a program as a whole, its options as sets. */
export type ProgramFacts = {
  readonly values: ReadonlySet<string>;
  readonly singleDash: boolean;
  /** Options that make a call a dry run, by subcommand; `*`: by any. */
  readonly dryRun: ReadonlyMap<string, readonly string[]>;
  readonly exact: boolean;
  readonly wraps: Wrapper | undefined;
  readonly traits: ReadonlySet<Trait>;
  readonly keys: ReadonlySet<string>;
  /** Subcommands by which its words go to another machine; `true`: by any. */
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
    /** Nobody has written down its options and operands: a call of it is never known to lose nothing. */
    readonly unread?: boolean;
    /** What holds of some of the row's programs alone. */
    readonly of?: Readonly<Record<string, Facts>>;
    /** Roles of the operands in order; the last one repeats. Absent: it takes none. */
    readonly operands?: string;
    /** Subcommands, several names to a row; `''` is the program without one, `*` any other. */
    readonly subs?: Readonly<Record<string, Spec>>;
    /** Options of this level may also stand after the subcommand. */
    readonly global?: boolean;
    /** The first word may be letters without a dash (`tar xf`, `ps aux`). */
    readonly oldStyle?: boolean;
    /** Options end at the first operand, as they do for what runs a command. */
    readonly stopsAtOperand?: boolean;
    /** Files, by name, that tell the program what to run. Writing one taints the program. */
    readonly control?: RegExp;
    /** Why a call that is known in every part is still not known to be harmless. */
    readonly open?: string;
    /** What it runs are files of the project: a second opinion on it is not kept. */
    readonly runsFiles?: boolean;
    /** Programs that it starts by itself, which no word of the call names. */
    readonly helpers?: string;
    /** What brings back what it takes from the tree, as its manual says. */
    readonly undo?: string;
    /** Options after whose value only operands follow (`python -c CODE …`). */
    readonly last?: string;
    /** A word that begins with `@` names a file that holds more words. */
    readonly argFiles?: boolean;
    /** Its input answers before it writes over something: with these options, or always (`''`). */
    readonly asks?: string;
    /** It has no options: every word is an operand (`echo`). */
    readonly noOptions?: boolean;
    /** Calls that take something away, each with its reason and examples; of several that hold the first counts. */
    readonly findings?: readonly RecordFinding[];
    /** The family of its findings in the documentation. */
    readonly family?: string;
    /** What roles can't say; undefined: nothing against it. */
    readonly judge?: (call: CallFacts, reading: Reading) => StaticVerdict | undefined;
  };

/** Programs by name, several names to a row. */
export type Records = Readonly<Record<string, Spec>>;

export type OptionSpec = { readonly role: Role; readonly value: 'none' | 'required' | 'attached' | 'until' };

/** What of a row is asked for on every call, with all keys in one order. */
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
  /** The last operand that does more than be read: a word before it that becomes several would shift what it names. */
  readonly lastActing: number;
  readonly last: ReadonlySet<string>;
  /** Does it have options that do more than change how it reads and prints? */
  readonly hasActingOptions: boolean;
  /** Is all that it does known, and is nothing of that to take something away? */
  readonly isMild: boolean;
  /** Does it say which option makes this a dry run? */
  readonly knowsDryRuns: boolean;
  /** The row of the program without a subcommand, with the options before it. */
  readonly bare: Compiled | undefined;
};

const VALUES = [
  ['[=]', 'attached'],
  ['=', 'required'],
  [';', 'until'],
] as const;

/** A row as lookup tables; `inherited` are the options of the levels above. */
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

/** Calls that take something away, with the reason and the lines that show it. */
export type Finding = {
  /** Shown to the person and used to switch the row off. */
  readonly name: string;
  /** Shapes of calls, any of which matches; see `compileShape`. */
  readonly shapes?: readonly string[];
  readonly reason: string;
  /** What it takes are changes of files alone, which the store keeps where they lie in the project's tree. */
  readonly kept?: true;
  /** One of the deletions and losses of history that always ask where the user made what is lost (SF-10, MO-9). */
  readonly named?: 'files' | 'repository' | 'data';
  /**
   * In Project mode the kernel blocks it, so it runs and is refused: a write outside the project on every kernel, a
   * signal to other processes where commands have namespaces.
   */
  readonly bounded?: 'writes' | 'signals';
};

/** A finding or a rule: its name, why it matters, and what else is said of it. */
export function row<Row extends Finding>(name: string, reason: string, more?: Omit<Row, 'name' | 'reason'>): Row {
  return { name, reason, ...more } as Row;
}

/**
 * What must hold of a call, all of it. Words that are missing count as empty. The words of a call are its arguments;
 * those that are no options nor their values are its operands.
 */
export type Condition = {
  /** See `compileShape`. */
  readonly shape?: string;
  readonly first?: RegExp;
  readonly second?: RegExp;
  /** The last operand. */
  readonly last?: RegExp;
  /** Some operand; `later`: but the first. */
  readonly operand?: RegExp;
  readonly later?: RegExp;
  /** All operands in one line, or those from the one to before the other. */
  readonly words?: RegExp;
  readonly range?: readonly [number, number, RegExp];
  /** Some argument; `argument0`: the first. */
  readonly argument?: RegExp;
  readonly argument0?: RegExp;
  /** All arguments in one line; `padded`: with a blank before it; `call`: with the program before it. */
  readonly line?: RegExp;
  readonly padded?: RegExp;
  readonly call?: RegExp;
  /** What it is given on its input; `says`: the arguments, a blank and the input. */
  readonly input?: RegExp;
  readonly says?: RegExp;
  /** The value of one of these options. */
  readonly value?: readonly [string, RegExp];
  /** Is anything given there? */
  readonly given?: 'arguments' | 'operands' | 'input';
  /** A verb that removes something stands among so many operands. */
  readonly destroys?: number;
  /** None of these holds. */
  readonly not?: Condition | readonly Condition[];
  readonly all?: readonly Condition[];
  readonly any?: readonly Condition[];
};
