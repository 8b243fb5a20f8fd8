/**
 * Whether a command may show what a store of credentials holds: where a reader is elsewhere the user is asked first.
 * Stricter than the gate's own mark (`printsCredential`), which knows names as they are written: patterns, links and
 * directories are looked at here. Not knowing counts as yes.
 */
import { glob, opendir, realpath } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { isCredential } from './credential-files.ts';
import { type JudgeOptions, judgeCommand } from './judge.ts';
import { programName } from './programs/name.ts';
import { factsOf } from './programs/records/index.ts';
import type { Field } from './shell/machine.ts';
import { hasUnknown, withoutTaint } from './shell/taint.ts';

/** Entries below directories, and matches of patterns, that are looked at; beyond them the answer is yes. */
const MAX_ENTRIES = 5000;
/** Others' files: what is published in a package is nobody's secret. */
const OTHERS: ReadonlySet<string> = new Set(['.git', 'node_modules']);
/** Devices that hold nothing. */
const PLAIN_DEVICES = /^\/dev\/(null|zero|u?random|full|tty|std(in|out|err)|fd\/\d+)$/;
/** With it `ps` lists the environment of every process of the user. */
const PS_ENVIRONMENT = /^([a-zA-Z]*e[a-zA-Z]*|-[a-zA-Z]*E[a-zA-Z]*)$/;
/** A file of words, which a complaint then repeats. */
const WORDS_FROM = /^-{1,2}files0-from|^(-f|--files-from)$/;

/** One call's words, and how far below directories it reads. */
type Read = { readonly words: readonly Field[]; readonly below: 'nothing' | 'all' | 'visible'; readonly here: boolean };

/** Never rejects. `cwd`: where the command would run. */
export async function showsCredentials(command: string, cwd: string, options: JudgeOptions): Promise<boolean> {
  const reads: Read[] = [];
  const places = [cwd];
  let shown = false;
  judgeCommand(command, options, {
    call([program, ...args]) {
      const name = programName(program?.text ?? '');
      if (name === 'cd') places.push(join(places.at(-1) ?? cwd, args.at(-1)?.text ?? options.files?.home ?? ''));
      else if (name === 'ps') shown ||= args.some(({ text }) => PS_ENVIRONMENT.test(text));
      else if (name === 'git') shown ||= args.some(({ text }) => isCredential(text.slice(text.indexOf(':') + 1)));
      else if (readsText(name, args)) reads.push(readOf(name, args));
    },
    redirect({ operator, target }) {
      if (operator !== '<') return;
      reads.push({ words: [{ text: target, glob: /[*?[]/.test(target) }], below: 'nothing', here: false });
    },
  });
  if (reads.length > 0) shown ||= places.some(hasUnknown);
  for (const read of reads)
    for (const place of new Set(places))
      shown ||= await touches(read, isAbsolute(place) ? place : cwd).catch(() => true);
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

function readOf(name: string, args: readonly Field[]): Read {
  const options = args.filter(({ text }) => text.startsWith('-')).map(({ text }) => text);
  const has = (pattern: RegExp) => options.some((text) => pattern.test(text));
  const words = args.flatMap((field) => {
    if (!field.text.startsWith('-')) return [field];
    const value = field.text.indexOf('=');
    return value < 0 ? [] : [{ ...field, text: field.text.slice(value + 1) }];
  });
  const walks = /^(rg|ag)$/.test(name);
  const hidden = has(/^(--hidden|--unrestricted|--no-ignore|-[a-zA-Z]*[.uU])/);
  const recursive = has(/^(-[a-zA-Z]*[rR]|--recursive|--dereference-recursive|--directories)/);
  const below = walks ? (hidden ? 'all' : 'visible') : recursive ? 'all' : 'nothing';
  // With no file among its words it reads the directory it is in; a pattern may be given by an option.
  return { words, below, here: words.length < 2 || has(/^(-[a-zA-Z]*[ef]|--regexp|--file)/) };
}

async function touches({ words, below, here }: Read, cwd: string): Promise<boolean> {
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
  const left = { entries: MAX_ENTRIES };
  for (const path of here ? [...paths, cwd] : paths) {
    const real = await realpath(path).catch(() => undefined);
    if (real !== undefined && (await holdsStore(real, below, left))) return true;
  }
  return false;
}

/** A store by its own name or by that behind its links, or a device through which everything can be read. */
async function isStore(path: string): Promise<boolean> {
  const real = await realpath(path).catch(() => path);
  return isCredential(path) || isCredential(real) || (real.startsWith('/dev/') && !PLAIN_DEVICES.test(real));
}

async function holdsStore(folder: string, below: Read['below'], left: { entries: number }): Promise<boolean> {
  const directory = await opendir(folder).catch(() => undefined);
  if (!directory) return false;
  const deeper: string[] = [];
  for await (const entry of directory) {
    left.entries -= 1;
    if (left.entries < 0) return true;
    if ((below === 'visible' && entry.name.startsWith('.')) || OTHERS.has(entry.name)) continue;
    const full = join(folder, entry.name);
    if (entry.isDirectory()) deeper.push(full);
    else if (isCredential(full) || (entry.isSymbolicLink() && (await isStore(full)))) return true;
  }
  for (const next of deeper) if (await holdsStore(next, below, left)) return true;
  return false;
}
