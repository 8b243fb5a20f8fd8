import type { Field } from '../shell/machine.ts';

/** The arguments of one call, sorted into options and operands by the program's record. */
export type Options = {
  /** Options as written: `--force`, `-f` (also out of clusters such as `-rf`), `-delete`. */
  readonly flags: ReadonlySet<string>;
  /** Options that may abbreviate a longer one, as getopt allows: `--forc`. */
  readonly beginnings: readonly string[];
  /** Values of options that take one, by option. */
  readonly values: ReadonlyMap<string, readonly string[]>;
  readonly operands: readonly Operand[];
};

export type Operand = Field & {
  /** Whether the word follows an option with an optional value, and so may be that value. */
  readonly maybeValue?: boolean;
};

/** The facts about a program that sorting its words needs. */
type Known = { readonly values: ReadonlySet<string>; readonly singleDash: boolean };

/** Sorts `args`. Everything after `--` is an operand. */
export function readOptions(known: Known, args: readonly Field[]): Options {
  if (!args.some(isOption)) return args.length === 0 ? NONE : { ...NONE, operands: args };
  const flags = new Set<string>();
  const values = new Map<string, string[]>();
  const operands: Operand[] = [];
  const add = (option: string, value: string) => {
    const list = values.get(option);
    if (list) list.push(value);
    else values.set(option, [value]);
  };
  let afterOption = false;
  let hasLong = false;
  for (let i = 0; i < args.length; i++) {
    const field = args[i] as Field;
    const { text } = field;
    if (!isOption(field)) {
      operands.push(afterOption ? { text, glob: field.glob, maybeValue: true } : field);
      afterOption = false;
      continue;
    }
    if (text === '--') {
      flags.add('--');
      // A program with long options behind one dash also accepts options after `--`: `find -- src -delete`.
      if (known.singleDash) continue;
      for (let k = i + 1; k < args.length; k++) operands.push(args[k] as Field);
      break;
    }
    hasLong ||= text.startsWith('--');
    const { option, value } = readOption(known, text, flags);
    afterOption = value === undefined;
    if (value === NEXT) add(option, args[++i]?.text ?? '');
    else if (value !== undefined) add(option, value);
  }
  const beginnings = hasLong ? [...flags].filter((flag) => flag.length > 4 && flag.startsWith('--')) : NONE.beginnings;
  return { flags, beginnings, values, operands };
}

const NO_FLAGS: ReadonlySet<string> = new Set();
const NO_VALUES: ReadonlyMap<string, readonly string[]> = new Map();
const NONE: Options = { flags: NO_FLAGS, beginnings: [], values: NO_VALUES, operands: [] };

function isOption({ text }: Field): boolean {
  return text.charCodeAt(0) === DASH && text.length > 1;
}

const DASH = 45;

/** Means that the value is the next word. */
const NEXT = Symbol();

type Option = { readonly option: string; readonly value: string | typeof NEXT | undefined };

/** Parses one option word: adds its options to `flags`, and returns its value, or undefined if it has none. */
function readOption({ values, singleDash }: Known, text: string, flags: Set<string>): Option {
  if (!text.startsWith('--') && !singleDash) return readLetters(values, text, flags);
  const equals = text.indexOf('=');
  const option = equals > 0 ? text.slice(0, equals) : text;
  flags.add(option);
  if (singleDash && option.startsWith('--')) flags.add(option.slice(1));
  if (equals > 0) return { option, value: text.slice(equals + 1) };
  return { option, value: values.has(option) ? NEXT : undefined };
}

/** Parses `-xvf`: the first letter with a value takes the rest of the word, or the next word. */
function readLetters(values: ReadonlySet<string>, text: string, flags: Set<string>): Option {
  flags.add(text);
  if (values.has(text)) return { option: text, value: NEXT };
  for (let k = 1; k < text.length; k++) {
    const option = `-${text[k]}`;
    flags.add(option);
    if (values.has(option)) return { option, value: text.slice(k + 1) || NEXT };
  }
  return { option: text, value: undefined };
}
