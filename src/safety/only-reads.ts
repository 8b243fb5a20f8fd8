/**
 * Which commands only read, and so may run beside others. Stricter than the gate's `safe`, which also covers what
 * adds (`mkdir d` beside `touch d/f` is a race) and what runs a project's files: a short list, everything else is no.
 */
import { type JudgeOptions, judgeCommand } from './judge.ts';
import { programName } from './programs/name.ts';
import type { Field, Io, Redirect } from './shell/machine.ts';

/** Readers of files and facts, whatever their options but those of `WRITES`. None moves the working directory. */
const READERS: ReadonlySet<string> = new Set(
  `cat tac nl head tail ls dir vdir tree wc cut paste column comm cmp diff rev fold tr grep egrep fgrep zgrep rg ag
   find fd stat file du df free uptime whoami id groups uname arch nproc ps pgrep pidof pwd echo printf true false
   test [ date printenv which type basename dirname realpath readlink seq sleep
   md5sum sha1sum sha256sum sha512sum b2sum cksum sum base64 xxd od hexdump strings nm ldd size jq sort git`.split(
    /\s+/,
  ),
);

/** Subcommands of git that neither write nor refresh. */
const GIT_READS =
  /^(log|diff|show|blame|shortlog|describe|rev-parse|rev-list|ls-files|ls-tree|cat-file|merge-base|for-each-ref|grep)$/;

/** Options with which a reader writes, sets, or runs something. */
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

/** Programs whose last operand would be written to, or which take the system's value from it. */
const ONE_OPERAND: ReadonlySet<string> = new Set(['xxd']);

/** What only reads where the kernel lets nothing be written: git can't refresh its index then. */
const ALONE: ReadonlySet<string> = new Set(['cd', 'git status']);

/** Whether a command changes no file, directory or process. False where that is not plain. */
export function onlyReads(command: string, options: JudgeOptions): boolean {
  return reads(command, options, isReader);
}

/**
 * The same of a command that runs alone where the kernel lets it write nothing. `held`: nowhere else, since a
 * repository's own settings can make git run something.
 */
export function readsAlone(command: string, options: JudgeOptions): true | 'held' | undefined {
  let obeys = false;
  const only = reads(command, options, (fields) => {
    obeys ||= programName(fields[0]?.text ?? '') === 'git';
    return isPartReading(fields);
  });
  return only ? (obeys ? 'held' : true) : undefined;
}

/** Whether one call of a command only reads, by its words. */
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

/** Whether a redirection opens no file to write to. */
export function opensNothing({ operator, target }: Redirect): boolean {
  return !operator.includes('>') || target === '/dev/null' || /^(\d+-?|-)$/.test(target);
}

// Which commands do the same over pipes as in a terminal, so that none is made for them. What they print, where they
// ask and what they wait for must not depend on it: a short list, everything else is no. `rm` and `mv` are not on it,
// since in a terminal they ask before they take what is write-protected; `ls`, `git`, `ps` and `jq` print other text
// there.

const words = (text: string): readonly string[] => text.split(/\s+/);

/**
 * How many operands keep a program from reading its standard input: in a terminal it would wait for the user there.
 * Never with Infinity: it must be fed.
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

/** Words with which a program asks, runs something that is not looked at, or colours for a terminal. */
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

/** Files that are whatever the program has open; `/dev/null` is the same everywhere. */
const OWN_STREAMS = /\/dev\/(?!null\b)|\/proc\b/;

/** Whether a command behaves the same over pipes, its input empty. False where that is not plain. */
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
  // Numbers stand behind options mostly, and `-` is the standard input.
  const operands = args.filter(({ text }) => !/^(-.*|\d+)$/.test(text)).length;
  return operands >= needed && !args.some(({ text }) => text === '-');
}
