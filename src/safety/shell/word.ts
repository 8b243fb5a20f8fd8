import { type DoubleQuotedChild, parse, type Word, type WordPart } from 'unbash';
import { unknown } from '../verdict.ts';
import { arithmeticText } from './arithmetic.ts';
import { expandBraces, isBeyond } from './braces.ts';
import type { Field, Machine } from './machine.ts';
import { expandParameter, specialParameter } from './parameter.ts';
import { EMPTY, ENDLESS, QUOTE, SPLIT, UNKNOWN } from './taint.ts';

const PLAIN = /^[\w./:=,@%+-]+$/;
/** A pattern, with nothing else that the shell reads. */
const PATTERN = /^[\w./:=,@%+*?[\]-]+$/;
/** Plain characters and quotes in which nothing is expanded. */
const QUOTED = /^[\w./:=,@%+-]*(?:(?:'[^'\uE000-\uE00E]*'|"[^"$`\\\uE000-\uE00E]*")[\w./:=,@%+-]*)+$/;
/** Words of more characters are rare, and no expression need be tried on them. */
const MAX_SIMPLE_CHARS = 1000;
const SPECIAL = /[{}*?[\],~\\\uE004]/g;
const QUOTABLE = /[{}*?[\],~\\]/;
/** `of=~/x`: in what looks like an assignment bash reads a tilde, too. */
const HOME_VALUE = /^([A-Za-z_]\w*=)(~(?:$|[/+])[\s\S]*)$/;
/** Longest text that is kept of one word; beyond it the rest is not known. */
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

/** A word that means the same everywhere, as most do: its parts need not be taken apart. */
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

/** A word as a pattern: quoted characters keep their mark. */
export function expandPattern(machine: Machine, word: Word | undefined): string {
  return word === undefined ? '' : tagWord(machine, word).replaceAll(SPLIT, ' ').replaceAll(EMPTY, '');
}

/** Runs what stands in patterns whose text does not matter. */
export function expandPatterns(machine: Machine, words: readonly Word[]): void {
  for (const word of words) expandPattern(machine, word);
}

/** Text of a here-document or of a string that is expanded as if it stood in double quotes. */
export function expandQuoted(machine: Machine, parts: readonly (WordPart | DoubleQuotedChild)[]): string {
  let out = '';
  for (const part of parts) out += quotedPart(machine, part).replaceAll(SPLIT, ' ');
  return out.slice(0, MAX_WORD_CHARS);
}

/** Expands a string once more, as `${x@P}` and arithmetic do. */
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

/** Splits the value of an unquoted expansion at IFS; braces and tildes in it stay as they are. */
function split(machine: Machine, value: string): string {
  const { dialect } = machine.scope;
  // zsh and fish leave what stands in a variable one word.
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
 * Braces come before parameters in bash: in `{$v,w}x` and `$v{x,y}` the variable is `vx`. Too odd to follow, so it is
 * said to be unknown.
 */
function swallowsNext(part: WordPart, next: WordPart | undefined): boolean {
  if (part.type === 'SimpleExpansion') return next?.type === 'BraceExpansion' && /^\$\w/.test(part.text);
  return (
    part.type === 'BraceExpansion' && next !== undefined && /^[\w{[]/.test(next.text) && /\$\w+[,}]/.test(part.text)
  );
}

/** Literal source text: a backslash quotes the next character. */
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

/** The name of the file that stands for what a command prints or takes. */
function substitutedFile(machine: Machine, part: Extract<WordPart, { type: 'ProcessSubstitution' }>): string {
  const output = part.script ? machine.inSubshell(() => runInner(machine, part)) : UNKNOWN;
  const name = `/dev/fd/${63 - machine.substituted.size}`;
  if (part.operator === '>' && part.script) machine.sinks.set(name, part.script);
  machine.substituted.set(name, part.operator === '<' ? output : '');
  return name;
}

/** A part within double quotes, tagged: `"$@"` may become several words. */
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
    machine.note(unknown('takes in what has no end'));
    return UNKNOWN;
  }
  const text = output.replace(/\n+$/, '');
  return text.length > MAX_WORD_CHARS ? UNKNOWN : text;
}
