/**
 * Whether a command may show what a store of credentials holds: where a reader is elsewhere the user is asked first.
 * Stricter than the gate's own mark (`printsCredential`), which knows names as they are written: patterns, links and
 * directories are looked at here. Not knowing counts as yes.
 */
import { glob, opendir, realpath } from 'node:fs/promises';
import { isAbsolute, join, normalize } from 'node:path';
import { isCredential } from './credential-files.ts';
import { gitShowsStore } from './git-shows.ts';
import type { GitReader } from './impact/git.ts';
import { type JudgeOptions, judgeCommand } from './judge.ts';
import { programName } from './programs/name.ts';
import { factsOf } from './programs/records/index.ts';
import type { Field } from './shell/machine.ts';
import { hasUnknown, UNKNOWN, withoutTaint } from './shell/taint.ts';

/** Entries below directories, and matches of patterns, that are looked at; beyond them the answer is yes. */
const MAX_ENTRIES = 5000;
/** So many letters of a word of options may stand before the name of a file. */
const MAX_LETTERS = 40;
/** Directories above a file that is read, from the first on, that may have been made before. */
const MAX_LEVELS = 100;
/** Others' files: what is published in a package is nobody's secret. */
const OTHERS: ReadonlySet<string> = new Set(['.git', 'node_modules']);
/** Devices that hold nothing. */
const PLAIN_DEVICES = /^\/dev\/(null|zero|u?random|full|tty|std(in|out|err)|fd\/\d+)$/;
/** What a process sees there is not what this program would see. */
const OWN_VIEW = /^\/proc\/(self|thread-self|\d+)\/(?:task\/\d+\/)?(cwd|root|environ|mem|map_files)(\/|$)/;
/** With it `ps` lists the environment of every process of the user. */
const PS_ENVIRONMENT = /^([a-zA-Z]*e[a-zA-Z]*|-[a-zA-Z]*E[a-zA-Z]*)$/;
/** A file of words, which a complaint then repeats. */
const WORDS_FROM = /^-{1,2}files0-from|^(-f|--files-from)$|^--from(tab)?file$|^--(git|info)file/;
/** Options may be cut short, and `grep -d recurse` is two words. */
const RECURSIVE = /^(-[a-zA-Z]*[rR]|--rec|--de|--di)/;
const FOLLOWS = /^(-[a-zA-Z]*[RL]|--de|--follow)/;
/** What is named by one of these is read though it is hidden. */
const UNHIDES = /^(--hidden|--unrestricted|--no-ignore|-[a-zA-Z]*[.ugt]|--i?glob|--type)/;

/** One call's words, and how far below directories it reads. */
type Read = {
  readonly words: readonly Field[];
  readonly below: 'nothing' | 'all' | 'visible';
  readonly here: boolean;
  /** Links to directories are gone through as well. */
  readonly follows: boolean;
};

/** Never rejects. `cwd`: where the command would run; `git` tells what a repository holds; absent: on another machine. */
export async function showsCredentials(
  command: string,
  cwd: string,
  options: JudgeOptions & { readonly git?: GitReader },
): Promise<boolean> {
  const reads: Read[] = [];
  const kept: { readonly names: readonly string[]; readonly read: Read; readonly at: number }[] = [];
  const asked: (readonly string[])[] = [];
  const places = [cwd];
  // With the first ones set, `*` stands for hidden names too; with the other git looks elsewhere.
  let shown = /\bGLOBIGNORE\b|\bdotglob\b|\bGIT_\w+=/.test(command);
  judgeCommand(command, options, {
    call([program, ...args]) {
      const name = programName(program?.text ?? '');
      if (name === 'cd' || name === 'pushd') {
        const to = args.at(-1)?.text ?? options.files?.home ?? UNKNOWN;
        places.push(to === '-' ? UNKNOWN : isAbsolute(to) ? to : join(places.at(-1) ?? cwd, to));
      } else if (name === 'ps') shown ||= args.some(({ text }) => PS_ENVIRONMENT.test(text));
      else if (name === 'git') {
        shown ||= args.some(({ text }) => isCredential(text.slice(text.lastIndexOf(':') + 1)));
        reads.push(readByGit(args));
        asked.push(args.map(({ text }) => text));
      } else if (readsText(name, args)) reads.push(readOf(name, args));
      if (keepsTree(name, args)) kept.push({ names: args.flatMap(madeBy), read: treeOf(name, args), at: reads.length });
    },
    redirect({ operator, target }) {
      if (operator !== '<') return;
      reads.push({
        words: [{ text: target, glob: /[*?[]/.test(target) }],
        below: 'nothing',
        here: false,
        follows: false,
      });
    },
  });
  // An archive or a copy, and what reads it afterwards.
  const last = kept.length > 0 ? lastReads(reads) : undefined;
  const later = kept.filter(({ names, at }) => names.some((name) => (last?.get(name) ?? -1) >= at));
  for (const { read } of later) reads.push(read);
  if (reads.length > 0) shown ||= places.some(hasUnknown);
  for (const each of new Set(places)) {
    const place = isAbsolute(each) ? each : cwd;
    for (const read of reads) shown ||= await touches(read, place).catch(() => true);
    for (const words of asked) shown ||= await gitShowsStore(options.git, place, words).catch(() => true);
  }
  return shown;
}

function readsText(name: string, args: readonly Field[]): boolean {
  const { traits } = factsOf(name);
  return (
    traits.has('prints') ||
    !(traits.has('namesOnly') || traits.has('keepsWords')) ||
    args.some(({ text }) => WORDS_FROM.test(text))
  );
}

/** Does it put what lies below a directory into a file or another directory? */
function keepsTree(name: string, args: readonly Field[]): boolean {
  const said = args.map(({ text }) => text).join(' ');
  if (name === 'git') return args.some(({ text }) => text === 'archive');
  if (/^(cp|rsync)$/.test(name)) return /(^|\s)-(\w*[rRa]|-recursive|-archive)/.test(said);
  return /^(tar|zip|7z|cpio|ar|mksquashfs|bsdtar|rar)$/.test(name);
}

function treeOf(name: string, args: readonly Field[]): Read {
  const words = name === 'git' || name === 'cpio' ? [] : args.filter(({ text }) => !text.startsWith('-'));
  return { words, below: 'all', here: words.length === 0, follows: false };
}

/** What a word may name that comes to be, also behind an option. Where the command is says nothing. */
function madeBy({ text }: Field): readonly string[] {
  const word = text.replace(/^-\w*?=?(?=[./\w])/, '');
  let end = word.length;
  while (word[end - 1] === '/') end -= 1;
  const name = word.slice(0, end);
  return /[^./-]/.test(name) ? [name] : [];
}

/** By the words of reads, and by the directories that these lie in: the number of the last that has it. */
function lastReads(reads: readonly Read[]): ReadonlyMap<string, number> {
  const last = new Map<string, number>();
  for (const [number, { words }] of reads.entries())
    for (const { text } of words) {
      last.set(text, number);
      for (
        let at = text.indexOf('/'), level = 0;
        at >= 0 && level < MAX_LEVELS;
        at = text.indexOf('/', at + 1), level++
      )
        last.set(text.slice(0, at), number);
    }
  return last;
}

function readOf(name: string, args: readonly Field[]): Read {
  const options = args.filter(({ text }) => text.startsWith('-')).map(({ text }) => text);
  const has = (pattern: RegExp) => options.some((text) => pattern.test(text));
  const words = args.flatMap((field) => [...wordsOf(field), ...quotedIn(field)]);
  const walks = /^(rg|ag)$/.test(name);
  // Of two directories it shows the files, however it is called.
  const recursive =
    name === 'diff' ||
    name === 'ack' ||
    (name === 'tar' && printsArchive(args)) ||
    // What it packs stands on its input.
    (name === 'cpio' && has(/^(-[a-zA-Z]*o|--create)/)) ||
    has(RECURSIVE) ||
    (/grep$/.test(name) && has(/^-[a-zA-Z]*d/));
  const below = walks ? (has(UNHIDES) ? 'all' : 'visible') : recursive ? 'all' : 'nothing';
  // With no file among its words it reads the directory it is in; a pattern may be given by an option.
  const operands = args.filter(({ text }) => !text.startsWith('-')).length;
  const here =
    name !== 'diff' && (operands < 2 || (walks && below === 'all') || has(/^(-[a-zA-Z]*[ef]|--regexp|--file)/));
  return { words, below, here, follows: name === 'diff' || has(FOLLOWS) };
}

/** Code names files between its other signs. */
function quotedIn(field: Field): readonly Field[] {
  if (!/[\s'"]/.test(field.text)) return [];
  const parts = field.text.split(/[\s'"`()<>{},;|&=]+/);
  return parts.filter(isCredential).map((text) => ({ ...field, text }));
}

/** An archive that is named nowhere, or `-`, is printed. */
function printsArchive([first, ...rest]: readonly Field[]): boolean {
  const options = [first?.text ?? '', ...rest.map(({ text }) => text)];
  const named = /^-?[a-zA-Z]*f/.test(first?.text ?? '') || options.some((text) => /^(-[a-zA-Z]*f|--file)/.test(text));
  return !named || options.includes('-') || options.some((text) => /^(-[a-zA-Z]*f-|--file=-)$/.test(text));
}

/** Outside a repository, and beyond it, it compares and searches what is there and not what it keeps. */
function readByGit(all: readonly Field[]): Read {
  const at = all.findIndex(({ text }, index) => !text.startsWith('-') && !/^-[Cc]$/.test(all[index - 1]?.text ?? ''));
  const [subcommand, ...args] = all.slice(at);
  const words = args.flatMap(wordsOf);
  const beyond = args.some(({ text }) => /^(--no-in|--un|\/|~)|^\.\.(\/|$)|\/\.\.(\/|$)/.test(text));
  const searches = subcommand?.text === 'grep' && beyond;
  const below = searches || subcommand?.text === 'diff' ? 'all' : 'nothing';
  return { words, below, here: searches, follows: false };
}

/** What an argument may name: `--file=X`, `-fX` and `-vfX` do as well, and which letters stand before it nobody says. */
function wordsOf(field: Field): readonly Field[] {
  const { text } = field;
  const value = text.indexOf('=');
  // `dd if=X`.
  if (!text.startsWith('-')) return value > 0 ? [field, { ...field, text: text.slice(value + 1) }] : [field];
  const named = value < 0 ? [] : [{ ...field, text: text.slice(value + 1) }];
  const letters = text.startsWith('--') ? 0 : Math.min(text.length, MAX_LETTERS);
  return [
    ...named,
    ...Array.from({ length: Math.max(0, letters - 2) }, (_, at) => ({ ...field, text: text.slice(at + 2) })),
  ];
}

async function touches({ words, below, here, follows }: Read, cwd: string): Promise<boolean> {
  if (words.some(({ text }) => hasUnknown(text))) return true;
  const paths: string[] = [];
  for (const { text, glob: pattern } of words) {
    const full = isAbsolute(text) ? withoutTaint(text) : join(cwd, withoutTaint(text));
    paths.push(full);
    if (!pattern) continue;
    for await (const match of glob(full)) if (paths.push(match) > MAX_ENTRIES) return true;
  }
  for (const path of paths) if (await isStore(path)) return true;
  if (below === 'nothing') return false;
  const left = { entries: MAX_ENTRIES, follows, seen: new Set<string>() };
  for (const path of here ? [...paths, cwd] : paths) {
    const real = await realpath(path).catch(() => undefined);
    if (real !== undefined && (await holdsStore(real, below, left))) return true;
  }
  return false;
}

/** A store by its own name or by that behind its links, or a device through which everything can be read. */
async function isStore(path: string): Promise<boolean> {
  if (OWN_VIEW.test(normalize(path))) return true;
  const real = await realpath(path).catch(() => path);
  return isCredential(path) || isCredential(real) || (real.startsWith('/dev/') && !PLAIN_DEVICES.test(real));
}

type Left = { entries: number; readonly follows: boolean; readonly seen: Set<string> };

async function holdsStore(folder: string, below: Read['below'], left: Left): Promise<boolean> {
  if (left.seen.has(folder)) return false;
  left.seen.add(folder);
  const directory = await opendir(folder).catch(() => undefined);
  if (!directory) return false;
  const deeper: string[] = [];
  for await (const entry of directory) {
    left.entries -= 1;
    if (left.entries < 0) return true;
    if ((below === 'visible' && entry.name.startsWith('.')) || OTHERS.has(entry.name)) continue;
    const full = join(folder, entry.name);
    if (entry.isDirectory()) deeper.push(full);
    else if (isCredential(full)) return true;
    else if (entry.isSymbolicLink()) {
      if (await isStore(full)) return true;
      const real = left.follows ? await realpath(full).catch(() => undefined) : undefined;
      if (real !== undefined) deeper.push(real);
    }
  }
  for (const next of deeper) if (await holdsStore(next, below, left)) return true;
  return false;
}
