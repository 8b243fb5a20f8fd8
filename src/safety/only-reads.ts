/**
 * Decides which commands only read, and so may run side by side. Stricter than the gate’s `safe`, which also allows
 * adding (`mkdir d` beside `touch d/f` is a race) and running a project’s files: a short list, and no for everything
 * else.
 */
import { type JudgeOptions, judgeCommand } from './judge.ts';
import { programName } from './programs/name.ts';
import type { Field, Io, Redirect } from './shell/machine.ts';

/** Programs that only read, with any options except those of `WRITES`. None changes the working directory. */
const READERS: ReadonlySet<string> = new Set(
  `cat tac nl head tail ls dir vdir tree wc cut paste column comm cmp diff rev fold tr grep egrep fgrep zgrep rg ag
   find fd stat file du df free uptime whoami id groups uname arch nproc ps pgrep pidof pwd echo printf true false
   test [ date printenv which type basename dirname realpath readlink seq sleep
   md5sum sha1sum sha256sum sha512sum b2sum cksum sum base64 xxd od hexdump strings nm ldd size jq sort git`.split(
    /\s+/,
  ),
);

/** Subcommands of git that neither write nor refresh the index. */
const GIT_READS =
  /^(log|diff|show|blame|shortlog|describe|rev-parse|rev-list|ls-files|ls-tree|cat-file|merge-base|for-each-ref|grep)$/;

/** Options with which these programs write, set, or run something. */
const WRITES: Readonly<Record<string, RegExp>> = {
  sort: /^(-[a-zA-Z]*o|--output|--compress-program)/,
  tree: /^-[a-zA-Z]*o/,
  xxd: /^-r/,
  date: /^(-s|--set)/,
  find: /^-(exec|ok|delete|fprint|fls)/,
  fd: /^(-[a-zA-Z]*[xX]|--exec)/,
  rg: /^--pre/,
  git: /^(--output|-[a-zA-Z]*o|-c$|--exec-path|--ext-diff|--textconv|-O)/,
  file: /^-[a-zA-Z]*C|^--compile/,
};

/** Programs that write to a further operand, or set a system value from it. */
const ONE_OPERAND: ReadonlySet<string> = new Set(['xxd']);

/** Commands that only read when the kernel forbids writing, since git can’t refresh its index then. */
const ALONE: ReadonlySet<string> = new Set(['cd', 'git status']);

/** Returns whether a command changes no file, directory or process. False in doubt. */
export function onlyReads(command: string, options: JudgeOptions): boolean {
  return reads(command, options, isReader);
}

/**
 * Returns the same for a command that runs alone and may not write. Only with `held` (confined by the kernel), since a
 * repository’s settings can make git run programs.
 */
export function readsAlone(command: string, options: JudgeOptions): true | 'held' | undefined {
  let obeys = false;
  const only = reads(command, options, (fields) => {
    obeys ||= programName(fields[0]?.text ?? '') === 'git';
    return isPartReading(fields);
  });
  return only ? (obeys ? 'held' : true) : undefined;
}

/** Returns whether one call of a command only reads, judged by its words. */
export function isPartReading(fields: readonly Field[]): boolean {
  return isReader(fields) || isAlone(fields);
}

function isAlone([program, first]: readonly Field[]): boolean {
  const name = program?.text ?? '';
  return ALONE.has(name) || ALONE.has(`${name} ${first?.text ?? ''}`);
}

function reads(command: string, options: JudgeOptions, allowed: (fields: readonly Field[]) => boolean): boolean {
  let calls = 0;
  let reading = true;
  const verdict = judgeCommand(command, options, {
    call(fields) {
      calls += 1;
      reading &&= allowed(fields);
    },
    redirect(redirect) {
      reading &&= opensNothing(redirect);
    },
  });
  return calls > 0 && reading && verdict.verdict === 'safe';
}

function isReader([program, ...args]: readonly Field[]): boolean {
  const name = program?.text ?? '';
  if (!READERS.has(name)) return false;
  const writes = WRITES[name];
  if (writes && args.some(({ text }) => writes.test(text))) return false;
  if (ONE_OPERAND.has(name) && args.filter(({ text }) => !text.startsWith('-')).length > 1) return false;
  return name !== 'git' || GIT_READS.test(args[0]?.text ?? '');
}

/** Returns whether a redirection opens no file for writing. */
export function opensNothing({ operator, target }: Redirect): boolean {
  return !operator.includes('>') || target === '/dev/null' || /^(\d+-?|-)$/.test(target);
}

// Decides which commands behave the same over pipes as in a terminal, so that they need no terminal. Their output,
// questions and waits must not depend on it: a short list, and no for everything else. `rm` and `mv` are not in the
// list, since in a terminal they ask before removing write-protected files; nor are `ls`, `git`, `ps` and `jq`, which
// print other text in a terminal.

const words = (text: string): readonly string[] => text.split(/\s+/);

/**
 * The least number of operands with which a program does not read its standard input, for which it would wait in a
 * terminal. Infinity: it always reads it, and must be fed.
 */
const OPERANDS: ReadonlyMap<string, number> = new Map([
  ...words(
    `echo printf true false : test [ cd pwd export unset local declare typeset readonly return shift break continue exit
     set let shopt umask date seq sleep basename dirname realpath readlink mkdir rmdir touch chmod cp ln stat file du df
     uname arch whoami id groups hostname nproc printenv which type find timeout nice`,
  ).map((name) => [name, 0] as const),
  ...words(
    `cat tac nl head tail wc cut rev fold fmt expand unexpand sort uniq od xxd hexdump strings base64 md5sum sha1sum
     sha224sum sha256sum sha384sum sha512sum b2sum cksum sum`,
  ).map((name) => [name, 1] as const),
  ...words('grep egrep fgrep sed awk gawk mawk diff comm cmp join paste').map((name) => [name, 2] as const),
  ...words('tr tee read mapfile readarray').map((name) => [name, Number.POSITIVE_INFINITY] as const),
]);

/** Options with which a program asks, runs an unjudged command, or colours output for a terminal. */
const DIFFERENT: Readonly<Record<string, RegExp>> = {
  cp: /^(-\w*i|--interactive)/,
  ln: /^(-\w*i|--interactive)/,
  find: /^-(ok|exec)/,
  set: /^[-+]\w*[bmH]|^(monitor|notify|histexpand)$/,
  awk: /system|getline|\|/,
  gawk: /system|getline|\|/,
  mawk: /system|getline|\|/,
};
const COLOURS = /^--colou?r(=(auto|tty|if-tty))?$/;

/** Matches files that mean the program’s own descriptors; `/dev/null` is the same for every program. */
const OWN_STREAMS = /\/dev\/(?!null\b)|\/proc\b/;

/** Returns whether a command behaves the same over pipes with empty input. False in doubt. */
export function worksOverPipes(command: string, options: JudgeOptions): boolean {
  if (OWN_STREAMS.test(command)) return false;
  let calls = 0;
  let same = true;
  const { verdict, unresolved } = judgeCommand(command, options, {
    call(fields, io) {
      calls += 1;
      same &&= isSame(fields, io);
    },
    redirect() {},
  });
  return calls > 0 && same && verdict !== 'destructive' && unresolved !== true;
}

function isSame([program, ...args]: readonly Field[], { stdin }: Io): boolean {
  const name = programName(program?.text ?? '');
  const needed = OPERANDS.get(name);
  const different = DIFFERENT[name];
  if (needed === undefined) return false;
  if (args.some(({ text }) => COLOURS.test(text) || different?.test(text))) return false;
  if (stdin !== undefined || needed === 0) return true;
  // A number is usually the value of an option, and `-` means standard input.
  const operands = args.filter(({ text }) => !/^(-.*|\d+)$/.test(text)).length;
  return operands >= needed && !args.some(({ text }) => text === '-');
}
