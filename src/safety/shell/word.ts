import {
  type DoubleQuotedChild,
  type ParameterDefaultOperation,
  type ParameterExpansionPart,
  type ParameterSliceOperation,
  parse,
  type Word,
  type WordPart,
} from 'unbash';
import { unknown } from '../verdict.ts';
import { arithmeticText, evaluateSubscript, evaluateText } from './arithmetic.ts';
import type { Field, Machine } from './machine.ts';
import { isMap, type Value } from './scope.ts';
import { EMPTY, ENDLESS, hasUnknown, NUMBER, OWN_PROCESS, QUOTE, SPLIT, UNKNOWN } from './taint.ts';

const PLAIN = /^[\w./:=,@%+-]+$/;
/** A glob without other characters that are special to the shell. */
const PATTERN = /^[\w./:=,@%+*?[\]-]+$/;
/** Plain characters, and quotes without expansions. */
const QUOTED = /^[\w./:=,@%+-]*(?:(?:'[^'\uE000-\uE00E]*'|"[^"$`\\\uE000-\uE00E]*")[\w./:=,@%+-]*)+$/;
/** Longer words are rare and not matched with regular expressions. */
const MAX_SIMPLE_CHARS = 1000;
const SPECIAL = /[{}*?[\],~\\\uE004]/g;
const QUOTABLE = /[{}*?[\],~\\]/;
/** `of=~/x`: bash expands a tilde also in words that look like an assignment. */
const HOME_VALUE = /^([A-Za-z_]\w*=)(~(?:$|[/+])[\s\S]*)$/;
/** The longest text kept for one word; the rest counts as unknown. */
const MAX_WORD_CHARS = 200_000;

/** Expands words into fields as bash does: braces, tilde, parameters, commands, splitting, quote removal. */
export function expandWords(machine: Machine, words: readonly Word[]): Field[] {
  const out: Field[] = [];
  for (const word of words) expandWord(machine, word, out);
  return out;
}

/** Expands one word, adding its fields to `out`. */
export function expandWord(machine: Machine, word: Word, out: Field[]): void {
  if (PLAIN.test(word.text)) {
    out.push({ text: word.text, glob: false });
    return;
  }
  if (word.text.includes('..') && isBeyond(word.text)) machine.note(unknown('more words than fit into the memory'));
  const simple = simpleField(word.text);
  if (simple) {
    out.push(simple);
    return;
  }
  for (const alternative of expandBraces(tagWord(machine, word))) {
    for (const piece of alternative.split(SPLIT)) {
      if (piece !== '') out.push(finish(machine, piece));
    }
  }
}

/** Expands a plain word, as most are, without splitting it into parts. */
function simpleField(text: string): Field | undefined {
  if (text.length > MAX_SIMPLE_CHARS) return undefined;
  if (QUOTED.test(text)) return { text: withoutQuotes(text), glob: false };
  return PATTERN.test(text) ? { text, glob: /[*?[]/.test(text) } : undefined;
}

function withoutQuotes(text: string): string {
  let out = '';
  for (let at = 0; at < text.length; ) {
    const c = text.charAt(at);
    if (c === "'" || c === '"') {
      const end = text.indexOf(c, at + 1);
      out += text.slice(at + 1, end);
      at = end + 1;
    } else {
      out += c;
      at++;
    }
  }
  return out;
}

/** Expands a word where no splitting happens: assignments, redirection targets, here-strings, `case`. */
export function expandText(machine: Machine, word: Word | undefined): string {
  if (word === undefined) return '';
  if (PLAIN.test(word.text)) return word.text;
  return finish(machine, tagWord(machine, word).replaceAll(SPLIT, ' ')).text;
}

/** Returns a word as a pattern, with quoted characters marked. */
export function expandPattern(machine: Machine, word: Word | undefined): string {
  return word === undefined ? '' : tagWord(machine, word).replaceAll(SPLIT, ' ').replaceAll(EMPTY, '');
}

/** Runs the substitutions in patterns whose text does not matter. */
export function expandPatterns(machine: Machine, words: readonly Word[]): void {
  for (const word of words) expandPattern(machine, word);
}

/** Expands the text of a here-document or of a string like text in double quotes. */
export function expandQuoted(machine: Machine, parts: readonly (WordPart | DoubleQuotedChild)[]): string {
  let out = '';
  for (const part of parts) out += quotedPart(machine, part).replaceAll(SPLIT, ' ');
  return out.slice(0, MAX_WORD_CHARS);
}

/** Expands a string again, as `${x@P}` and arithmetic do. */
export function expandString(machine: Machine, text: string): string {
  if (!/[$`]/.test(text)) return text;
  const script = parse(`cat <<aish_end\n${text}\naish_end\n`);
  const command = script.commands[0]?.command;
  const redirect = command?.type === 'Command' ? command.redirects[0] : undefined;
  if (redirect?.type !== 'HereDoc') return UNKNOWN;
  return expandQuoted(machine, redirect.body.parts ?? []).replace(/\n$/, '') || text;
}

function finish(machine: Machine, tagged: string): Field {
  let text = tagged;
  if (text.charCodeAt(0) === 126) text = tilde(machine, text);
  else if (text.includes('=~'))
    text = text.replace(HOME_VALUE, (_, name: string, rest: string) => name + tilde(machine, rest));
  let glob = false;
  let out = '';
  for (let i = 0; i < text.length; i++) {
    const c = text.charAt(i);
    if (c === QUOTE) out += text.charAt(++i);
    else if (c !== EMPTY) {
      if (c === '*' || c === '?' || c === '[') glob = true;
      out += c;
    }
  }
  return { text: out.length > MAX_WORD_CHARS ? out.slice(0, MAX_WORD_CHARS) + UNKNOWN : out, glob };
}

function tilde(machine: Machine, text: string): string {
  if (text.length === 1 || text[1] === '/') return machine.scope.text('HOME') + text.slice(1);
  if (text.startsWith('~+')) return (machine.scope.cwd ?? '.') + text.slice(2);
  return text;
}

function quote(text: string): string {
  if (text === '') return EMPTY;
  return QUOTABLE.test(text) ? text.replace(SPECIAL, `${QUOTE}$&`) : text;
}

/** Splits the value of an unquoted expansion at IFS; braces and tildes in it stay. */
function split(machine: Machine, value: string): string {
  const { dialect } = machine.scope;
  // zsh and fish don't split the value of a variable.
  if (dialect !== undefined && dialect !== 'posix' && /\s/.test(value)) return UNKNOWN;
  const ifs = machine.scope.text('IFS');
  let out = '';
  for (let i = 0; i < value.length; i++) {
    const c = value.charAt(i);
    if (ifs.includes(c)) out += SPLIT;
    else if (c === '{' || c === '}' || c === ',' || c === '~') out += QUOTE + c;
    else out += c;
  }
  return out;
}

function tagWord(machine: Machine, word: Word): string {
  const parts = word.parts;
  if (!parts) return literal(word.text);
  let out = '';
  for (const [index, part] of parts.entries()) {
    out += swallowsNext(part, parts[index + 1]) ? UNKNOWN : tagPart(machine, part);
    if (out.length > MAX_WORD_CHARS) return out.slice(0, MAX_WORD_CHARS) + UNKNOWN;
  }
  return out;
}

/**
 * Returns whether the next part continues a variable’s name: bash expands braces before parameters, so in `{$v,w}x` and
 * `$v{x,y}` the variable is `vx`. Such words count as unknown.
 */
function swallowsNext(part: WordPart, next: WordPart | undefined): boolean {
  if (part.type === 'SimpleExpansion') return next?.type === 'BraceExpansion' && /^\$\w/.test(part.text);
  return (
    part.type === 'BraceExpansion' && next !== undefined && /^[\w{[]/.test(next.text) && /\$\w+[,}]/.test(part.text)
  );
}

/** Returns literal source text, in which a backslash quotes the next character. */
function literal(text: string): string {
  if (!text.includes('\\')) return text;
  let out = '';
  for (let i = 0; i < text.length; i++) {
    const c = text.charAt(i);
    if (c !== '\\') out += c;
    else if (text[i + 1] === '\n') i++;
    else out += quote(text.charAt(++i));
  }
  return out;
}

function tagPart(machine: Machine, part: WordPart): string {
  switch (part.type) {
    case 'Literal':
    case 'Glob':
    case 'ExtendedGlob':
      return literal(part.text);
    case 'BraceExpansion':
      return part.parts ? `{${part.parts.map((inner) => tagPart(machine, inner)).join('')}}` : literal(part.text);
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return quote(part.value);
    case 'DoubleQuoted':
    case 'LocaleString':
      return part.parts.length === 0 ? EMPTY : part.parts.map((child) => quotedTag(machine, child)).join('');
    case 'SimpleExpansion': {
      const name = part.text.slice(1);
      const values = specialParameter(machine, name) ?? [machine.scope.text(name)];
      return values.map((value) => split(machine, value)).join(SPLIT);
    }
    case 'ParameterExpansion':
      return expandParameter(machine, part)
        .map((value) => split(machine, value))
        .join(SPLIT);
    case 'CommandExpansion':
      return split(machine, commandOutput(machine, part));
    case 'ArithmeticExpansion':
      return arithmeticText(machine, part.expression, part.text);
    case 'ProcessSubstitution':
      return substitutedFile(machine, part);
  }
}

/** Returns the name of the file in a process substitution. */
function substitutedFile(machine: Machine, part: Extract<WordPart, { type: 'ProcessSubstitution' }>): string {
  const output = part.script ? machine.inSubshell(() => runInner(machine, part)) : UNKNOWN;
  const name = `/dev/fd/${63 - machine.substituted.size}`;
  if (part.operator === '>' && part.script) machine.sinks.set(name, part.script);
  machine.substituted.set(name, part.operator === '<' ? output : '');
  return name;
}

/** Returns the value of a part within double quotes, marked where it may become several words, as `"$@"` may. */
function quotedTag(machine: Machine, part: DoubleQuotedChild): string {
  if (part.type === 'SimpleExpansion' && part.text === '$@') {
    return machine.scope.positional.map(quote).join(SPLIT);
  }
  if (part.type === 'ParameterExpansion' && (part.index?.text === '@' || part.parameter === '@')) {
    return expandParameter(machine, part).map(quote).join(SPLIT);
  }
  return quote(quotedPart(machine, part)) || EMPTY;
}

function quotedPart(machine: Machine, part: WordPart | DoubleQuotedChild): string {
  switch (part.type) {
    case 'SimpleExpansion':
      return (specialParameter(machine, part.text.slice(1)) ?? [machine.scope.text(part.text.slice(1))]).join(' ');
    case 'ParameterExpansion':
      return expandParameter(machine, part).join(' ');
    case 'CommandExpansion':
      return commandOutput(machine, part);
    case 'ArithmeticExpansion':
      return arithmeticText(machine, part.expression, part.text);
    case 'Literal':
      return part.value;
    default:
      return part.text;
  }
}

type Substitution = Extract<WordPart, { type: 'CommandExpansion' | 'ProcessSubstitution' }>;

function runInner(machine: Machine, part: Substitution): string {
  const script = part.script;
  if (!script) return UNKNOWN;
  return machine.runScript(script, { stdin: undefined });
}

function commandOutput(machine: Machine, part: Substitution): string {
  const output = machine.inSubshell(() => runInner(machine, part));
  if (output.includes(ENDLESS)) {
    machine.note(unknown('reads endless input'));
    return UNKNOWN;
  }
  const text = output.replace(/\n+$/, '');
  return text.length > MAX_WORD_CHARS ? UNKNOWN : text;
}

const LIMIT = 256;

/** Expands the braces of a tagged word: `a{b,c}` → `ab`, `ac`; `{1..3}`. Returns at most 256 words. */
function expandBraces(text: string): string[] {
  if (!text.includes('{')) return [text];
  let budget = LIMIT;
  const expand = (word: string, depth: number): string[] => {
    if (depth > 16 || budget <= 0) return [word];
    const found = findBraces(word);
    if (!found) return [word];
    const { start, end, parts } = found;
    const head = word.slice(0, start);
    const tails = expand(word.slice(end + 1), depth + 1);
    const out: string[] = [];
    for (const part of parts) {
      for (const middle of expand(part, depth + 1)) {
        for (const tail of tails) {
          if (--budget < 0) return out.length > 0 ? out : [word];
          out.push(head + middle + tail);
        }
      }
    }
    return out;
  };
  return expand(text, 0);
}

/** The most words that an ordinary range would give. */
const MOST_WORDS = 2_000_000;

/** Returns whether the ranges of a word give too many words. */
function isBeyond(word: string): boolean {
  let words = 1;
  for (const [, from = '', to = ''] of word.matchAll(/\{(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.-?\d+)?\}/g)) {
    const value = (text: string) => (/\d/.test(text) ? Number(text) : text.charCodeAt(0));
    words *= Math.abs(value(to) - value(from)) + 1;
  }
  return words > MOST_WORDS;
}

type Found = { start: number; end: number; parts: readonly string[] };

/** Returns the first brace group that expands: one with a comma at its own level, or a range. */
function findBraces(word: string): Found | undefined {
  for (let start = word.indexOf('{'); start >= 0; start = word.indexOf('{', start + 1)) {
    if (word[start - 1] === QUOTE) continue;
    let depth = 0;
    let from = start + 1;
    const parts: string[] = [];
    for (let i = start; i < word.length; i++) {
      const c = word[i];
      if (c === QUOTE) i++;
      else if (c === '{') depth++;
      else if (c === ',' && depth === 1) {
        parts.push(word.slice(from, i));
        from = i + 1;
      } else if (c === '}' && --depth === 0) {
        const body = word.slice(start + 1, i);
        if (parts.length > 0) return { start, end: i, parts: [...parts, word.slice(from, i)] };
        const range = expandRange(body);
        if (range) return { start, end: i, parts: range };
        break;
      }
    }
  }
  return undefined;
}

function expandRange(body: string): readonly string[] | undefined {
  const numbers = /^(-?\d{1,9})\.\.(-?\d{1,9})(?:\.\.(-?\d{1,6}))?$/.exec(body);
  const letters = /^([A-Za-z])\.\.([A-Za-z])(?:\.\.(-?\d{1,6}))?$/.exec(body);
  const found = numbers ?? letters;
  if (!found) return undefined;
  const value = (text: string) => (numbers ? Number(text) : text.charCodeAt(0));
  const from = value(found[1] ?? '');
  const to = value(found[2] ?? '');
  const step = Math.max(1, Math.abs(Number(found[3] ?? 1)));
  const out: string[] = [];
  for (let n = from; from <= to ? n <= to : n >= to; n += from <= to ? step : -step) {
    out.push(numbers ? padded(n, found[1] ?? '', found[2] ?? '') : String.fromCharCode(n));
    if (out.length >= LIMIT) break;
  }
  return out;
}

/** Pads numbers as `{01..10}` does. */
function padded(n: number, from: string, to: string): string {
  const zero = /^-?0\d/;
  if (!zero.test(from) && !zero.test(to)) return String(n);
  const width = Math.max(from.length, to.length);
  return n < 0 ? `-${String(-n).padStart(width - 1, '0')}` : String(n).padStart(width, '0');
}

/** Returns `$@`, `$1`, `$#` … as a list of words; undefined for an ordinary variable. */
function specialParameter(machine: Machine, name: string): readonly string[] | undefined {
  const { positional } = machine.scope;
  if (name === '@' || name === '*') return positional;
  if (/^\d+$/.test(name)) return name === '0' ? [machine.scope.zero] : [positional[Number(name) - 1] ?? ''];
  if (name === '#') return [String(positional.length)];
  if (name === '!') return [OWN_PROCESS];
  if (name === '?' || name === '$' || name === '-') return [name === '?' ? '0' : name === '$' ? NUMBER : UNKNOWN];
  if (name === '_') return [machine.scope.lastArgument];
  return undefined;
}

/** Returns the words of a `${…}`, before splitting. */
function expandParameter(machine: Machine, part: ParameterExpansionPart): readonly string[] {
  const { scope } = machine;
  if (part.prefix === '#') return [lengthOf(machine, part)];
  if (part.operation?.type === 'Names') return scope.names(part.parameter);
  let name = part.parameter;
  if (part.prefix === '!') {
    const target = part.index ? valueAt(machine, name, part.index).join(' ') : scope.text(name);
    if (part.index && /^[@*]$/.test(part.index.text)) return keysOf(scope.get(name));
    const found = /^(\w+)\[([\s\S]*)\]$/.exec(target);
    if (found) evaluateSubscript(machine, found[1] ?? '', found[2] ?? '');
    else if (!/^(\w+|[@*#])?$/.test(target) && scope.get(name) !== undefined)
      machine.note(unknown('reads a variable whose name is not known', { unresolved: true }));
    if (hasUnknown(target) || !/^\w+(\[.*\])?$/.test(target)) return [UNKNOWN];
    if (found) return applyOperation(machine, part, elementOf(scope.get(found[1] ?? ''), found[2] ?? ''));
    name = target;
  }
  const values = part.index && part.prefix !== '!' ? valueAt(machine, name, part.index) : valuesOf(machine, name);
  return applyOperation(machine, part, values, name);
}

function valuesOf(machine: Machine, name: string): readonly string[] {
  return specialParameter(machine, name) ?? [machine.scope.text(name)];
}

function valueAt(machine: Machine, name: string, index: Word): readonly string[] {
  if (index.text === '@' || index.text === '*') return machine.scope.list(name);
  const key = machine.text(index);
  evaluateSubscript(machine, name, key);
  return elementOf(machine.scope.get(name), key);
}

function elementOf(value: Value | undefined, key: string): readonly string[] {
  if (key === '@' || key === '*') return value === undefined ? [UNKNOWN] : [...listOf(value)];
  if (value === undefined) return [UNKNOWN];
  if (isMap(value)) return [value.get(key) ?? UNKNOWN];
  const list = listOf(value);
  if (!/^-?\d+$/.test(key)) return [list.length === 1 ? (list[0] ?? '') : UNKNOWN];
  return [list.at(Number(key)) ?? ''];
}

function listOf(value: Value): readonly string[] {
  if (typeof value === 'string') return [value];
  return isMap(value) ? [...value.values()] : value;
}

function keysOf(value: Value | undefined): readonly string[] {
  if (value === undefined) return [UNKNOWN];
  return isMap(value) ? [...value.keys()] : listOf(value).map((_, index) => String(index));
}

function lengthOf(machine: Machine, part: ParameterExpansionPart): string {
  if (part.index && /^[@*]$/.test(part.index.text)) return String(machine.scope.list(part.parameter).length);
  if (part.parameter === '@' || part.parameter === '*') return String(machine.scope.positional.length);
  const text = (part.index ? valueAt(machine, part.parameter, part.index) : valuesOf(machine, part.parameter)).join('');
  return hasUnknown(text) ? NUMBER : String(text.length);
}

function applyOperation(
  machine: Machine,
  part: ParameterExpansionPart,
  values: readonly string[],
  name = part.parameter,
): readonly string[] {
  const operation = part.operation;
  if (!operation) return values;
  switch (operation.type) {
    case 'Default':
      return withDefault(machine, operation, values, name);
    case 'Slice':
      return slice(machine, values, operation, /^[@*]$/.test(part.index?.text ?? name), part.index === undefined);
    case 'Remove': {
      const pattern = machine.pattern(operation.operand);
      return values.map((value) => (hasUnknown(value) ? value : removeAffix(value, pattern, operation.operator)));
    }
    case 'Replace': {
      const pattern = machine.pattern(operation.pattern);
      const replacement = machine.text(operation.replacement);
      return values.map((value) =>
        value === UNKNOWN ? UNKNOWN : replace(value, pattern, replacement, operation.operator),
      );
    }
    case 'CaseModification':
      return values.map((value) => changeCase(value, operation.operator));
    case 'Transform':
      if (operation.operand.text === 'P' && (values.some(hasUnknown) || !machine.scope.has(name)))
        machine.note(unknown('expands unknown text', { unresolved: true }));
      return values.map((value) => transform(machine, value, operation.operand.text));
    default:
      return [UNKNOWN];
  }
}

/** Expands `${x:-a}` and similar. */
function withDefault(
  machine: Machine,
  operation: ParameterDefaultOperation,
  values: readonly string[],
  name: string,
): readonly string[] {
  const unset = machine.scope.get(name) === undefined;
  const missing = values.every((value) => value === '' || (value === UNKNOWN && unset));
  const alternative = operation.operator.endsWith('+');
  if (alternative) return missing && !values.includes(UNKNOWN) ? [] : [machine.text(operation.operand)];
  const asks = operation.operator.endsWith('?');
  if (!missing && !(asks && unset)) return values;
  const other = machine.text(operation.operand);
  if (operation.operator.endsWith('=')) machine.give(name, other);
  return asks ? [UNKNOWN] : [other];
}

function slice(
  machine: Machine,
  values: readonly string[],
  { offset: offsetWord, length: lengthWord }: ParameterSliceOperation,
  list: boolean,
  numbered: boolean,
): readonly string[] {
  const words = [offsetWord, ...(lengthWord ? [lengthWord] : [])].map((word) => machine.text(word));
  for (const word of words) evaluateText(machine, word);
  const [offset, length] = words.map(numberOf);
  if (offset === undefined || (lengthWord && length === undefined)) return [UNKNOWN];
  const cut = <T extends string | readonly string[]>(value: T, start: number) =>
    value.slice(start, length === undefined ? undefined : length < 0 ? length : start + length) as T;
  if (list) return cut(values, numbered ? Math.max(0, offset - 1) : offset);
  return values.map((value) =>
    hasUnknown(value) ? UNKNOWN : cut(value, offset < 0 ? Math.max(0, value.length + offset) : offset),
  );
}

function numberOf(text: string): number | undefined {
  const simple = text.trim();
  if (/^\(?-?\s*\d{1,9}\)?$/.test(simple)) return Number(simple.replace(/[()\s]/g, ''));
  const sum = /^(\d{1,9})\s*([-+*])\s*(\d{1,9})$/.exec(simple);
  if (!sum) return undefined;
  const [a, b] = [Number(sum[1]), Number(sum[3])];
  return sum[2] === '+' ? a + b : sum[2] === '-' ? a - b : a * b;
}

function removeAffix(value: string, pattern: string, operator: string): string {
  if (value.length > 4000) return UNKNOWN;
  const matches = globToRegExp(pattern);
  const prefix = operator.startsWith('#');
  const longest = operator.length === 2;
  for (let n = 0; n <= value.length; n++) {
    const size = longest ? value.length - n : n;
    const part = prefix ? value.slice(0, size) : value.slice(value.length - size);
    if (matches.test(part)) return prefix ? value.slice(size) : value.slice(0, value.length - size);
  }
  return value;
}

function replace(value: string, pattern: string, replacement: string, operator: string): string {
  if (pattern === '' || value.length > 4000) return pattern === '' ? value : UNKNOWN;
  const body = globToRegExp(pattern).source.slice(1, -1).replaceAll('[\\s\\S]*', '[\\s\\S]*?');
  const source = operator === '/#' ? `^${body}` : operator === '/%' ? `${body}$` : body;
  return value.replace(new RegExp(source, operator === '//' ? 'g' : ''), () => replacement);
}

function changeCase(value: string, operator: string): string {
  const change = (text: string) => (operator.startsWith('^') ? text.toUpperCase() : text.toLowerCase());
  return operator.length === 2 ? change(value) : change(value.slice(0, 1)) + value.slice(1);
}

function transform(machine: Machine, value: string, operator: string): string {
  switch (operator) {
    case 'P':
      return machine.expandString(value);
    case 'E':
      return value.replace(/\\x([0-9a-fA-F]{1,2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    case 'U':
      return value.toUpperCase();
    case 'L':
      return value.toLowerCase();
    case 'u':
      return changeCase(value, '^');
    default:
      return value;
  }
}

/**
 * Returns a shell pattern as an anchored regular expression. Stars are merged and counted, so that a hostile pattern
 * can't make the matcher backtrack for long; one with too many stars matches everything.
 */
export function globToRegExp(pattern: string): RegExp {
  let out = '';
  let stars = 0;
  for (let i = 0; i < pattern.length; i++) {
    const c = pattern.charAt(i);
    if (c === QUOTE || c === '\\') {
      i++;
      out += literally(pattern.charAt(i));
    } else if (c === '*') {
      if (pattern[i - 1] !== '*') {
        out += '[\\s\\S]*';
        stars++;
      }
    } else if (c === '?') out += '[\\s\\S]';
    else if (c === '[') {
      const end = pattern.indexOf(']', i + 2);
      if (end < 0) out += '\\[';
      else {
        const body = pattern.slice(i + 1, end).replaceAll(QUOTE, '');
        const negated = body.startsWith('!') || body.startsWith('^');
        out += bracket(negated ? body.slice(1) : body, negated);
        i = end;
      }
    } else out += literally(c);
  }
  if (stars > 6 || out.length > 2000) return /^/;
  return new RegExp(`^${out}$`);
}

function bracket(body: string, negated: boolean): string {
  const safe = body.replace(/[\\\]^]/g, '\\$&');
  try {
    const source = `[${negated ? '^' : ''}${safe}]`;
    new RegExp(source);
    return source;
  } catch {
    return '[\\s\\S]';
  }
}

function literally(c: string): string {
  return /[\\^$.*+?()[\]{}|/]/.test(c) ? `\\${c}` : c;
}

/** Programs that create files whose names come from an archive, a repository, or another machine. */
const BRINGS_NAMES: ReadonlySet<string> = new Set(
  'tar bsdtar gtar unzip 7z 7za 7zr unrar unar cpio pax rsync scp sftp wget aria2c csplit patch git hg svn'.split(' '),
);
/** First words with which those programs create no such files. */
const LEAVES_NAMES =
  /^(git|hg|svn) (status|log|diff|show|branch|ls-files|rev-parse|describe|blame|grep|remote|config|fetch|add|commit|push|cat|info|list)$/;

/** Records that a call may have created a name that begins with a dash. */
export function noteDashes({ scope }: Machine, fields: readonly Field[]): void {
  const program = fields[0]?.text ?? '';
  const name = program.slice(program.lastIndexOf('/') + 1);
  if (BRINGS_NAMES.has(name) && !LEAVES_NAMES.test(`${name} ${fields[1]?.text ?? ''}`)) scope.dashed.add(name);
  if (!fields.some(mayMakeDashed)) return;
  const words = fields.slice(1).map(({ text }) => text);
  const operands = words.includes('--') ? words.slice(words.indexOf('--') + 1) : [];
  const made = operands.find((word) => word.startsWith('-')) ?? words.find((word) => /(^|[^:])\/-/.test(word));
  if (made !== undefined) scope.dashed.add(made);
}

function mayMakeDashed({ text }: Field): boolean {
  return text === '--' || text.includes('/-');
}

/** Returns whether no name in the working directory begins with a dash, so that a glob can’t become an option. */
export function noNameIsOption(machine: Machine): boolean {
  const { cwd, dashed } = machine.scope;
  if (dashed.size > 0) return false;
  const around = cwd === undefined ? undefined : machine.reading?.look(cwd);
  if (around?.kind !== 'directory') return false;
  return ![...around.names, ...machine.written.keys(), ...machine.scope.made].some((path) => /(^|\/)-/.test(path));
}
