/**
 * Shells whose syntax differs from bash, the language of this interpreter. Code for another shell is trusted only where
 * both parse it alike. For zsh, fish and ksh that is a small language of plain words, quotes, pipes and redirections;
 * for a plain `sh` it excludes the few forms that mean something else in sh. Any other line is never proven harmless.
 */

import { pattern } from '../../text/pattern.ts';

export type Dialect = 'zsh' | 'fish' | 'ksh' | 'posix';

const DIALECTS: Readonly<Record<string, Dialect>> = {
  zsh: 'zsh',
  fish: 'fish',
  ksh: 'ksh',
  mksh: 'ksh',
  sh: 'posix',
  dash: 'posix',
  ash: 'posix',
};

/** Returns which shell’s syntax a program uses; undefined: that of bash, or unknown. */
export function dialectOf(program: string): Dialect | undefined {
  return DIALECTS[program];
}

/** Returns whether this shell reads the text as bash does, judged by its form. */
export function readsAlike(code: string, dialect: Dialect): boolean {
  if (dialect === 'posix')
    return !(ONLY_BASH.test(withoutQuotes(code)) || (code.includes('<<') && ONLY_BASH.test(code)));
  return readPlain(code, 0, dialect, '') === code.length;
}

/** Bash syntax that a plain `sh` parses as commands, redirections or text of another length. */
const ONLY_BASH = /\$['"]|(?<!\$)\(\(|(^|[\s;&|({])(\[\[\s|function\s|select\s|coproc\s)|[<>]\(|\bfor\s*\(\(/;

const QUOTED = /(?<![^\s;&|()])#[^\n]*|\\[\s\S]|(\$?)('[^']*'|"(?:\\[\s\S]|[^"\\])*")/g;

/** Returns the code without quoted text and comments; a dollar before a quote stays. */
function withoutQuotes(code: string): string {
  return code.replace(QUOTED, (_, dollar?: string) => (dollar ? `$'` : '_'));
}

/** A word character, or one without a special meaning in any shell; placeholders of this interpreter count as words. */
const PLAIN = /[\w\s./:,@%+\-\]\u0080-\uffff]/;

/** Returned when parsing can’t continue: greater than any length. */
const OTHERWISE = Number.POSITIVE_INFINITY;

/** Parses code from `at` up to `end`, or all of it; returns where it stopped. */
function readPlain(code: string, start: number, dialect: Dialect, end: ')' | ''): number {
  let at = start;
  while (at < code.length) {
    const c = code.charAt(at);
    if (c === end) return at;
    if (PLAIN.test(c)) at++;
    else if (c === "'") at = readSingle(code, at, dialect);
    else if (c === '"') at = readDouble(code, at + 1, dialect);
    else if (c === '$') at = readDollar(code, at, dialect);
    else at += signLength(code, at, dialect);
  }
  return end === '' && at === code.length ? at : OTHERWISE;
}

/** Parses single quotes; in fish a backslash escapes inside them. */
function readSingle(code: string, at: number, dialect: Dialect): number {
  const close = code.indexOf("'", at + 1);
  return close < 0 || (dialect === 'fish' && code.slice(at, close).includes('\\')) ? OTHERWISE : close + 1;
}

function readDouble(code: string, start: number, dialect: Dialect): number {
  let at = start;
  while (at < code.length) {
    const c = code.charAt(at);
    if (c === '"') return at + 1;
    if (c === '`' || (c === '\\' && code[at + 1] === '`')) return OTHERWISE;
    if (c === '$' && /[^"\s/.,;]/.test(code[at + 1] ?? '"')) at = readDollar(code, at, dialect);
    else at += c === '\\' ? 2 : 1;
  }
  return OTHERWISE;
}

const NAME = /\$[A-Za-z_]\w*/y;
const BRACED = /\$\{[A-Za-z_]\w*(?::?-[\w./-]*)?\}/y;
const SPECIAL = /\$(?:[@*?!$]|\d(?!\d)|#(?=[\s"]|$))/y;
/** Syntax for a part or a modification of a variable: `$x[1]`, `$x:h`. */
const MODIFIED = /\[|:[^/\s"$~]/y;

function readDollar(code: string, at: number, dialect: Dialect): number {
  if (code[at + 1] === '(') {
    if (/[(<]/.test(code[at + 2] ?? '(') && !(code[at + 2] === '<' && dialect !== 'fish')) return OTHERWISE;
    return readPlain(code, at + 2, dialect, ')') + 1;
  }
  for (const form of dialect === 'fish' ? [NAME] : [NAME, BRACED, SPECIAL]) {
    form.lastIndex = at;
    if (!form.test(code)) continue;
    MODIFIED.lastIndex = form.lastIndex;
    return MODIFIED.test(code) ? OTHERWISE : form.lastIndex;
  }
  return OTHERWISE;
}

/** Special characters with the same meaning in every shell, if followed as given; others are missing. */
const SIGNS: Readonly<Record<string, RegExp>> = {
  // In fish an escaped letter means another character.
  '\\': /\\[^\w]/y,
  // A glob that is not followed by a bracket.
  '*': /\*(?![*(])/y,
  '?': /\?(?!\()/y,
  '[': /(?<!\S)\[\[?(?!\[)/y,
  '{': /\{\}/y,
  '~': /(?<=\sHEAD)~|(?<!\S)~(?=[/\s]|$)/y,
  '=': /(?<=[\w+])=|(?<!\S)==?(?=\s)/y,
  '#': /(?<=\w)#/y,
  '^': /(?<=\w)\^/y,
  '<': /<(?=\s*[A-Za-z_./~$"'])/y,
  '>': />>?(?=\s*[\w./~$"'-])|>&(?=(?:\d+|-)(?:[\s;|&)]|$))/y,
  '&': /&&|&(?=>|\s|$)/y,
  '|': /\|\||\|(?=[\s\w/"'])/y,
  ';': /;(?=[\s\w/"']|$)/y,
  '!': /(?<=\s)!=(?=\s)/y,
};

/** The special characters that fish has in common with bash. */
const OF_FISH: Readonly<Record<string, RegExp>> = { ...SIGNS, '[': /(?<!\S)\[(?=\s)/y, '^': /(?!)/y };

function signLength(code: string, at: number, dialect: Dialect): number {
  const sign = (dialect === 'fish' ? OF_FISH : SIGNS)[code.charAt(at)];
  if (!sign) return OTHERWISE;
  sign.lastIndex = at;
  return sign.test(code) ? sign.lastIndex - at : OTHERWISE;
}

/** Commands whose meaning in bash is known but differs in these shells. */
const OTHER_COMMANDS: Readonly<Record<Dialect, RegExp>> = {
  zsh: /^(hash|enable|disable|read|bind|complete|compgen|compopt|mapfile|readarray|shopt|fc|history|help|caller)$/,
  ksh: /^(hash|enable|read|bind|complete|compgen|compopt|mapfile|readarray|shopt|fc|history|pushd|popd|dirs|help|caller|source)$/,
  fish: pattern(String.raw`
    ^(set|read|source|\.|alias|unalias|export|declare|typeset|local|readonly|let|unset|hash|enable|bind|complete
    |compgen|compopt|history|trap|mapfile|readarray|shopt|fc|getopts|eval|help|caller|time|wait|dirs|umask
    |ulimit|shift)$
  `),
  posix:
    /^(pushd|popd|dirs|declare|typeset|source|let|shopt|mapfile|readarray|enable|bind|complete|compgen|compopt|history)$/,
};

/** Commands whose options change the kind of a variable. */
const DECLARES = /^(declare|typeset|local|export|readonly)$/;
const PRINTS = /^-[nrlNR]*$/;

/** Returns whether this call means something else in this shell than in bash. */
export function meansOther(dialect: Dialect, name: string, words: readonly string[]): boolean {
  if (OTHER_COMMANDS[dialect].test(name)) return true;
  if (name === 'print') return !optionsOf(words).every((word) => PRINTS.test(word));
  if (dialect === 'posix' || dialect === 'fish') return false;
  if (name === 'set')
    return !/^( -[eux]+| -e?u?x?o (pipefail|errexit|nounset))*$/.test(words.map((word) => ` ${word}`).join(''));
  if (name === 'cd' || name === 'pushd') return words.length > 1;
  return DECLARES.test(name) && words.some((word) => /^[-+]/.test(word) && !/^-[xrgia]+$/.test(word));
}

/** Returns the words up to the first that is not an option. */
function optionsOf(words: readonly string[]): readonly string[] {
  const end = words.findIndex((word) => word === '--' || !/^-./.test(word));
  return end < 0 ? words : words.slice(0, end);
}

/** Variables by which zsh and ksh define, find or run something, besides those common to all shells. */
const ZSH_OWN = pattern(String.raw`
    ^((c?d?f?man|mail|module_)?path|cdpath|fpath|fignore|psvar|watch|argv|status|pipestatus|prompt
    |(dis_)?(functions|aliases|builtins|reswords|patchars)(_source)?|[gs]aliases|commands|nameddirs|userdirs
    |parameters|modules|dirstack|history(words)?|job(texts|dirs|states)|options|funcstack|sysparams|mapfile
    |keymaps|widgets|histchars|\w+_functions|NULLCMD|READNULLCMD|STTY|TMPPREFIX|MODULE_PATH|POSTEDIT|R?PS\d)$
  `);

/** Returns whether this variable's value decides what runs in that shell. */
export function decidesThere(dialect: Dialect, name: string): boolean {
  if (dialect === 'zsh') return ZSH_OWN.test(name);
  if (dialect === 'fish') return /^(fish_\w+|argv|status|history|umask)$/.test(name);
  return dialect === 'ksh' && /^(\.|HISTEDIT|VISUAL|\w*\.)/.test(name);
}
