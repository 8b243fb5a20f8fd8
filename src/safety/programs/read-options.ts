import type { Field } from '../shell/machine.ts';
import { hasUnknown, readable } from '../shell/taint.ts';
import type { Compiled, Given, OptionSpec, Reading } from './record.ts';

type State = {
  readonly root: Compiled;
  level: Compiled;
  path: string[];
  given: Given[];
  before: number;
  operands: Field[];
  missing: string | undefined;
  strayed: boolean;
};

/** Parses the words of a call exactly by its record: clusters, prefixes, `=`, `--`, values, subcommands. */
export function readExactly(program: string, record: Compiled, args: readonly Field[]): Reading {
  const state: State = {
    root: record,
    level: record,
    path: [],
    given: [],
    before: 0,
    operands: [],
    missing: undefined,
    strayed: false,
  };
  for (let at = 0; at < args.length; ) at = readWord(program, state, args, at);
  if (state.level.subs && state.operands.length === 0) {
    const { bare } = state.level;
    if (bare) state.level = bare;
    else if (!state.given.some(({ role }) => role === 'idle')) state.missing ??= `${program} without a subcommand`;
  }
  return state;
}

/** Parses the word at `at`, with its value; returns the index of the next word. */
function readWord(program: string, state: State, args: readonly Field[], at: number): number {
  const field = args[at] as Field;
  const { text } = field;
  if (state.root.argFiles && text.startsWith('@') && text.length > 1)
    state.missing ??= `${program} reads more options from a file`;
  if (text === '--') return restAreOperands(state, args, at + 1);
  if (isExactOption(state, text)) {
    const next = at + 1 + readExactOption(program, state, text, args, at);
    return state.level.last.has(state.given.at(-1)?.name ?? '') ? restAreOperands(state, args, next) : next;
  }
  if (state.level.oldStyle && state.operands.length === 0 && at === 0 && /^[A-Za-z]+$/.test(text))
    return at + 1 + readExactLetters(program, state, text, args, at);
  if (state.level.hasActingOptions && text !== '' && mayBeOption(field))
    state.missing ??= `an unknown word may be an option of ${program}`;
  if (descend(program, state, field)) return at + 1;
  if (state.level.stopsAtOperand) return restAreOperands(state, args, at);
  state.operands.push(field);
  return at + 1;
}

/** Takes the words from `at` on as operands; returns the index of the next word. */
function restAreOperands(state: State, args: readonly Field[], at: number): number {
  state.operands.push(...args.slice(at));
  return args.length;
}

/** Returns whether an unknown text or a pattern may become a word that begins with a dash. */
export function mayBeOption({ text, glob, named }: Field): boolean {
  return UNREAD.test(text) || (glob && !named && /^[*?[]/.test(text));
}

const UNREAD = /^[\uE000-\uE002\uE007]/;

function isExactOption(state: State, text: string): boolean {
  if (
    state.level.noOptions ||
    text.length < 2 ||
    (text.charCodeAt(0) !== 45 && !(text.charCodeAt(0) === 43 && state.level.options.has(text)))
  )
    return false;
  return true;
}

/** Handles a word in the position of a subcommand: returns true if it was one, or if one is missing. */
function descend(program: string, state: State, field: Field): boolean {
  const { subs } = state.level;
  if (!subs || state.operands.length > 0) return false;
  // No subcommand has a pattern character in its name.
  const found = field.glob ? undefined : (subs.get(field.text) ?? (hasUnknown(field.text) ? undefined : subs.get('*')));
  if (!found) {
    if (subs.get('')?.operands.length) {
      state.level = subs.get('') as Compiled;
      return false;
    }
    state.strayed = true;
    state.missing ??= `${[program, ...state.path, readable(field.text).slice(0, 40)].join(' ')} is not known`;
    state.operands.push(field);
    return true;
  }
  if (state.path.length === 0) state.before = state.given.length;
  state.path.push(field.text);
  state.level = found;
  return true;
}

/** Parses one option word; returns how many further words it took. */
function readExactOption(program: string, state: State, text: string, args: readonly Field[], at: number): number {
  const { options, singleDash } = state.level;
  const equals = text.indexOf('=');
  const name = equals > 0 ? text.slice(0, equals) : text;
  const long = text.startsWith('--');
  const found = options.get(name);
  const whole = found ? name : long || singleDash ? byPrefix(options, name, singleDash) : undefined;
  const option = found ?? (whole === undefined ? undefined : options.get(whole));
  if (whole !== undefined && option && (long || singleDash || equals < 0))
    return takeOption(program, state, whole, option, args, at);
  if (options.has('-#') && /^-\d+$/.test(text)) return 0;
  if (long || singleDash) return miss(program, state, name);
  return readCluster(program, state, text, args[at + 1]);
}

/** Takes an option whose whole word is known, with its value; returns how many further words it took. */
function takeOption(
  program: string,
  state: State,
  name: string,
  { role, value }: OptionSpec,
  args: readonly Field[],
  at: number,
): number {
  const text = args[at]?.text ?? '';
  const equals = text.indexOf('=');
  const inline = equals > 0 ? text.slice(equals + 1) : undefined;
  if (value === 'none' && inline !== undefined && !/^(true|false)$/.test(inline)) return miss(program, state, name);
  if (value === 'until') {
    state.given.push({ name, role });
    const end = args.findIndex((field, index) => index > at && /^[;+]$/.test(field.text));
    return (end < 0 ? args.length : end) - at;
  }
  if (value === 'required' && inline === undefined) {
    state.given.push({ name, role, value: args[at + 1]?.text ?? '' });
    return 1;
  }
  state.given.push(inline === undefined ? { name, role } : { name, role, value: inline });
  return 0;
}

/** Parses `-xvf archive`: each letter must be known; a letter with a value takes the rest, or the next word. */
function readCluster(program: string, state: State, text: string, next: Field | undefined): number {
  const { options } = state.level;
  for (let k = 1; k < text.length; k++) {
    const name = `-${text[k]}`;
    const option = options.get(name);
    if (!option) {
      if (options.has('-#') && /^\d+$/.test(text.slice(k))) return 0;
      return miss(program, state, k === 1 ? text : name);
    }
    const rest = text.slice(k + 1);
    if (option.value === 'none') {
      state.given.push({ name, role: option.role });
      continue;
    }
    if (rest !== '' || option.value === 'attached') {
      state.given.push(rest === '' ? { name, role: option.role } : { name, role: option.role, value: rest });
      return 0;
    }
    state.given.push({ name, role: option.role, value: next?.text ?? '' });
    return 1;
  }
  return 0;
}

/** Parses `tar xzf a.tgz`: letters without a dash, whose values follow in order. */
function readExactLetters(program: string, state: State, text: string, args: readonly Field[], at: number): number {
  let taken = 0;
  for (const letter of text) {
    const name = `-${letter}`;
    const option = state.level.options.get(name);
    if (!option) return miss(program, state, name);
    const value = option.value === 'required' ? args[at + ++taken]?.text : undefined;
    state.given.push({ name, role: option.role, ...(value === undefined ? {} : { value }) });
  }
  return taken;
}

/** Resolves an abbreviated option as getopt does; if several match, the call is unknown unless all are harmless. */
function byPrefix(options: ReadonlyMap<string, OptionSpec>, name: string, singleDash = false): string | undefined {
  if (singleDash) return name.startsWith('--') && options.has(name.slice(1)) ? name.slice(1) : undefined;
  if (name.length < 4) return undefined;
  let found: string | undefined;
  for (const option of options.keys()) {
    if (!option.startsWith(name)) continue;
    if (found !== undefined) return undefined;
    found = option;
  }
  return found;
}

function miss(program: string, state: State, name: string): number {
  const of = [program, ...state.path].join(' ');
  state.missing ??= `option ${readable(name).slice(0, 40)} of ${of} is not known`;
  return 0;
}
