import type { Field } from '../shell/machine.ts';
import { isEndlessDevice } from '../shell/redirections.ts';
import { ENDLESS, NUMBER } from '../shell/taint.ts';
import { type StaticVerdict, unknown } from '../verdict.ts';
import type { Call } from './call.ts';

/** More than this in one go is as good as no end, in bytes and in lines. */
const MOST_BYTES = 20e9;
const MOST_LINES = 1e8;

/** What is read to its end before anything is printed: without one it fills the memory. */
const COLLECTS = /^(sort|tac|tail|shuf|sponge|column|rev|vim|emacs|mapfile|readarray)$/;
/** Programs that pass their input on, beside those that print files. */
const PASSES =
  /^(tee|pv|gzip|bzip2|xz|zstd|lz4|pigz|openssl|perl|ruby|unbuffer|stdbuf|ts|split|csplit|dd|basenc|fmt|expand|unexpand|iconv)$/;
const COPIES = /^(cp|mv|install|rsync|scp|split|csplit)$/;

/** Does a call print without end? `fed`: what it reads has none. */
export function printsWithoutEnd(call: Call, fed: boolean): boolean {
  if (call.program === 'yes') return true;
  if (call.program === 'seq' || call.program === 'jot') return countsOn(call);
  return fed && !stops(call) && (call.facts.traits.has('prints') || PASSES.test(call.program));
}

/** The verdict on a call that takes a disk, the memory or all processes; undefined: it does not. `fed`: what it reads has no end. */
export function takesAll(call: Call, fed: boolean): StaticVerdict | undefined {
  const { program, args, io } = call;
  if (program === 'xargs')
    return startsAll(call) ? unknown('starts a process for each of many words at once') : undefined;
  if (program === 'fallocate' && bytesOf(call.value('-l', '--length') ?? '0') > MOST_BYTES)
    return unknown('fills the disk');
  if (!fed || stops(call)) return undefined;
  if (COLLECTS.test(program)) return unknown('takes in what has no end');
  const names = args.filter(({ text }) => !text.startsWith('-'));
  if (COPIES.test(program) && names.length > 1) return unknown('writes without end');
  if (program === 'tee' && io.stdin?.includes(ENDLESS) && names.some(({ text }) => text !== '/dev/null'))
    return unknown('writes without end');
  const out = program === 'dd' ? args.find(({ text }) => text.startsWith('of='))?.text.slice(3) : undefined;
  return out !== undefined && out !== '/dev/null' ? unknown('writes without end') : undefined;
}

/** Is a device without end, or what another program prints without end, what it reads? */
export function isFedWithoutEnd({ args, io }: Call): boolean {
  if (io.stdin?.includes(ENDLESS)) return true;
  return args.some(namesEndlessDevice);
}

function namesEndlessDevice({ text }: Field): boolean {
  return isEndlessDevice(text.startsWith('if=') ? text.slice(3) : text);
}

/** Does it stop reading by itself, early enough? */
function stops(call: Call): boolean {
  const { program, args } = call;
  switch (program) {
    case 'head':
      return (
        bytesOf(call.value('-c', '--bytes') ?? '0') <= MOST_BYTES &&
        bytesOf(call.value('-n', '--lines') ?? '0') <= MOST_LINES
      );
    case 'dd': {
      const value = (name: string) => args.find(({ text }) => text.startsWith(`${name}=`))?.text.slice(name.length + 1);
      const count = value('count');
      return count !== undefined && bytesOf(count) * bytesOf(value('bs') ?? value('ibs') ?? '512') <= MOST_BYTES;
    }
    case 'od':
    case 'hexdump':
      return call.has('-N', '-n', '--read-bytes', '--length');
    case 'xxd':
      return call.has('-l', '-len');
    case 'grep':
    case 'rg':
      return call.has('-m', '-q', '--max-count', '--quiet', '-l');
    case 'cmp':
      return true;
    case 'sed':
      return args.some(({ text }) => /(^|[;\d{$])\s*[qQ]/.test(text));
    case 'awk':
    case 'perl':
    case 'ruby':
      return args.some(({ text }) => /\b(exit|last|break)\b/.test(text));
    default:
      return false;
  }
}

const UNITS = 'kmgtpezy';

/** `10G` as a number; what is none has no end. */
function bytesOf(text: string): number {
  const [, digits, unit = ''] = /^\+?(\d+)([a-zA-Z]*)$/.exec(text.trim()) ?? [];
  if (digits === undefined) return text.startsWith('-') || text === '' ? Number.POSITIVE_INFINITY : 0;
  const power = UNITS.indexOf(unit.charAt(0).toLowerCase()) + 1;
  if (unit === '' || power === 0) return Number(digits) * (unit === 'b' ? 512 : 1);
  return Number(digits) * 1024 ** power;
}

function countsOn({ args }: Call): boolean {
  const last = args.filter(({ text }) => /^-?[\d.]|^inf/i.test(text)).at(-1)?.text ?? '';
  return /^-?inf/i.test(last) || Math.abs(Number(last)) > MOST_LINES;
}

/** `xargs -P0`, after what may be any number of words. */
function startsAll({ args, io }: Call): boolean {
  const words = args.map(({ text }) => text);
  const all = words.some(
    (word, at) => /^(-P0|--max-procs=0)$/.test(word) || (/^(-P|--max-procs)$/.test(word) && words[at + 1] === '0'),
  );
  return all && io.stdin?.includes(NUMBER) === true;
}
