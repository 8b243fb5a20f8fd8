import type { Field } from '../shell/machine.ts';

/** The arguments of one call, sorted into options and operands by what is known of the program. */
export type Options = {
  /** Options as written: `--force`, `-f` (also out of clusters such as `-rf`), `-delete`. */
  readonly flags: ReadonlySet<string>;
  /** Values of options that take one, by option. */
  readonly values: ReadonlyMap<string, readonly string[]>;
  readonly operands: readonly Operand[];
};

export type Operand = {
  readonly text: string;
  readonly glob: boolean;
  /** It follows an option of which nobody knows whether it takes a value, so this may be that value. */
  readonly maybeValue: boolean;
};

/** What sorting needs to know of a program. */
type Known = { readonly values: ReadonlySet<string>; readonly singleDash: boolean };

/** Sorts `args`. Everything after `--` is an operand. */
export function readOptions({ values: taking, singleDash }: Known, args: readonly Field[]): Options {
  const flags = new Set<string>();
  const values = new Map<string, string[]>();
  const operands: Operand[] = [];
  const add = (option: string, value: string) => {
    const list = values.get(option);
    if (list) list.push(value);
    else values.set(option, [value]);
  };
  let afterOption = false;
  for (let i = 0; i < args.length; i++) {
    const { text, glob } = args[i] as Field;
    if (text.charCodeAt(0) !== 45 || text === '-') {
      operands.push({ text, glob, maybeValue: afterOption });
      afterOption = false;
      continue;
    }
    if (text === '--') {
      flags.add('--');
      for (const rest of args.slice(i + 1)) operands.push({ text: rest.text, glob: rest.glob, maybeValue: false });
      break;
    }
    afterOption = false;
    const equals = text.indexOf('=');
    if (text.startsWith('--') || singleDash) {
      const name = equals > 0 ? text.slice(0, equals) : text;
      flags.add(name);
      if (singleDash && name.startsWith('--')) flags.add(name.slice(1));
      if (equals > 0) add(name, text.slice(equals + 1));
      else if (taking.has(name)) add(name, args[++i]?.text ?? '');
      else afterOption = true;
      continue;
    }
    flags.add(text);
    if (taking.has(text)) {
      add(text, args[++i]?.text ?? '');
      continue;
    }
    afterOption = true;
    for (let k = 1; k < text.length; k++) {
      const letter = `-${text[k]}`;
      flags.add(letter);
      if (!taking.has(letter)) continue;
      const rest = text.slice(k + 1);
      add(letter, rest !== '' ? rest : (args[++i]?.text ?? ''));
      afterOption = false;
      break;
    }
  }
  return { flags, values, operands };
}
