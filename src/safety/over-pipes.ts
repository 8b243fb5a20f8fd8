/**
 * Which commands do the same over pipes as in a terminal, so that none is made for them. What they print, where they ask
 * and what they wait for must not depend on it: a short list, everything else is no. `rm` and `mv` are not on it, since in
 * a terminal they ask before they take what is write-protected; `ls`, `git`, `ps` and `jq` print other text there.
 */
import { type JudgeOptions, judgeCommand } from './judge.ts';
import { programName } from './programs/name.ts';
import type { Field, Io } from './shell/machine.ts';

const words = (text: string): readonly string[] => text.split(/\s+/);

/**
 * How many operands keep a program from reading its standard input: in a terminal it would wait for the user there. Never
 * with Infinity: it must be fed.
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
