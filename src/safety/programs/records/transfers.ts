import type { Machine } from '../../shell/machine.ts';
import { hasUnknown } from '../../shell/taint.ts';
import { type StaticVerdict, unknown, worse } from '../../verdict.ts';
import { bringsFiles, fillsDirectory, lookAt, specialDirectory, specialTarget } from '../paths.ts';
import { type CallFacts, given, isFed, type Reading } from '../record.ts';

/** The last value given of these options. */
function valueGiven(reading: Reading, ...names: readonly string[]): string | undefined {
  return reading.given.findLast(({ name }) => names.includes(name))?.value;
}

/** The name under which an address is kept; undefined: none can be told. */
function nameIn(address: string): string | undefined {
  return /\/([^/?#]+)(?:[?#].*)?$/.exec(address.replace(/^\w+:\/\//, ''))?.[1];
}

/** `-O`, and wget without it: files named by the address, put into `folder`. */
function judgeNamed(
  { machine }: CallFacts,
  addresses: readonly string[],
  folder: string,
  replaces: boolean,
): StaticVerdict | undefined {
  let worst: StaticVerdict | undefined;
  const note = (found: StaticVerdict | undefined): void => {
    if (found) worst = worst ? worse(worst, found) : found;
  };
  for (const address of addresses) {
    const name = nameIn(address);
    if (name === undefined || hasUnknown(name) || /[{}[\]%]/.test(name)) {
      note(specialDirectory(machine, folder));
      if (name !== undefined) note(unknown('writes a file whose name is not known'));
      continue;
    }
    const target = folder === '.' ? name : `${folder.replace(/\/$/, '')}/${name}`;
    note(specialTarget(machine, target));
    const found = lookAt(machine, target);
    if (replaces && machine.files && found !== 'absent' && found !== 'empty')
      note(unknown('writes over a file if there is one'));
  }
  return worst;
}

export function judgeCurl(call: CallFacts, reading: Reading): StaticVerdict | undefined {
  if (reading.given.some(({ name, value }) => /^(-H|--header)$/.test(name) && value?.startsWith('@')))
    return unknown('sends what a file holds');
  // `-o '#1.txt'` names files by the parts of a pattern in the address.
  if (reading.given.some(({ name, value = '' }) => /^(-o|--output)$/.test(name) && /#\d/.test(value)))
    return unknown('names what it writes after parts of the address');
  const folder = valueGiven(reading, '--output-dir');
  const addresses = [
    ...reading.operands.map(({ text }) => text),
    ...reading.given.flatMap(({ name, value = '' }) => (name === '--url' ? [value] : [])),
  ];
  if (addresses.some((address) => address.startsWith('@'))) return unknown('reads addresses from a file');
  if (given(reading, '-O', '--remote-name', '--remote-name-all'))
    return judgeNamed(call, addresses, folder ?? '.', true);
  if (folder !== undefined) {
    const name = valueGiven(reading, '-o', '--output') ?? '';
    const place = specialDirectory(call.machine, folder, [name]);
    if (place) return place;
    if (call.machine.files && lookAt(call.machine, `${folder}/${name}`) !== 'absent')
      return unknown('writes over a file if there is one');
  }
  const out = valueGiven(reading, '-w', '--write-out') ?? '';
  if (/%output\{|^@/.test(out)) return unknown('curl -w writes or reads a file');
  const method = valueGiven(reading, '-X', '--request') ?? 'GET';
  return /^(GET|HEAD|OPTIONS)$/i.test(method) ? undefined : unknown('sends a request that changes something');
}

export function judgeWget(call: CallFacts, reading: Reading): StaticVerdict | undefined {
  if (given(reading, '--spider')) return undefined;
  const folder = valueGiven(reading, '-P', '--directory-prefix') ?? '.';
  if (given(reading, '-r', '--recursive', '-p', '--page-requisites'))
    return unknown('writes files that the server names');
  if (given(reading, '-O', '--output-document')) return undefined;
  const addresses = reading.operands.map(({ text }) => text);
  return judgeNamed(call, addresses, folder, true);
}

/** An operand of rsync or scp that lies on another machine. */
const REMOTE = /^(rsync:\/\/|(?:[\w.-]+@)?[\w.-]+::?(?!\\))/;

/** Into which places rsync puts what, and whose files leave. */
export function judgeRsync(call: CallFacts, reading: Reading): StaticVerdict | undefined {
  const names = reading.operands.map(({ text }) => text);
  const target = names.at(-1) ?? '';
  const sources = names.slice(0, -1);
  const listed = valueGiven(reading, '--files-from', '--exclude-from', '--include-from', '--password-file') ?? '';
  if (REMOTE.test(listed)) return unknown('reads a list from another machine');
  if (names.some(hasUnknown)) return unknown('copies to or from a place that is not known');
  if (given(reading, '--dry-run', '-n', '--list-only') || sources.length === 0) return undefined;
  if (REMOTE.test(target)) return unknown('copies files to another machine');
  const { machine } = call;
  bringsFiles(machine, target);
  // Names out of a list, or a directory that is there for sure: nobody knows what is written over.
  const blind = !machine.files && (/^(\.{0,2}\/*)+$/.test(target) || given(reading, '--files-from'));
  const there = blind || (machine.files !== undefined && lookAt(machine, target) !== 'absent');
  return [
    target.endsWith('/') ? undefined : specialTarget(machine, target),
    ...sources.flatMap((source) => judgeArrival(machine, source, target)),
    there && !given(reading, '--ignore-existing') ? unknown('writes over what is there') : undefined,
  ].reduce(worseOf, undefined);
}

/** What one source of rsync brings to its target. */
function judgeArrival(machine: Machine, source: string, target: string): readonly (StaticVerdict | undefined)[] {
  const name = source.endsWith('/') ? '' : source.slice(source.search(/[^/:]*$/));
  const replaces = source === '/dev/null' || (!source.includes('/') && /\.\w+$/.test(source) && /\.\w+$/.test(target));
  return [
    name === '' ? specialDirectory(machine, target) : specialDirectory(machine, target, [name]),
    name !== '' && !/\.\w+$/.test(name) ? specialDirectory(machine, `${target}/${name}`) : undefined,
    replaces ? unknown('writes over the file if there is one') : undefined,
  ];
}

export function judgeScp(call: CallFacts, reading: Reading): StaticVerdict | undefined {
  const target = reading.operands.at(-1)?.text ?? '';
  const { machine } = call;
  if (REMOTE.test(target)) return unknown('copies files to another machine');
  if (reading.operands.some(({ text }) => hasUnknown(text)))
    return unknown('copies to or from a place that is not known');
  const names = reading.operands.slice(0, -1).map(({ text }) => text.slice(text.search(/[^/:]*$/)));
  const special = worseOf(specialTarget(machine, target), specialDirectory(machine, target, names));
  if (special) return special;
  if (!machine.files) return /[\w-]\.\w+$/.test(target) ? unknown('writes over a file if there is one') : undefined;
  return /^\.?\/?$|\/$/.test(target) || lookAt(machine, target) !== 'absent'
    ? unknown('writes over a file if there is one')
    : undefined;
}

function worseOf(a: StaticVerdict | undefined, b: StaticVerdict | undefined): StaticVerdict | undefined {
  return a && b ? worse(a, b) : (a ?? b);
}

/** `unzip -d DIR`: asks before it writes over a file, and nobody answers; what it adds has any name. */
export function judgeUnzip(call: CallFacts, reading: Reading): StaticVerdict | undefined {
  if (given(reading, '-l', '-t', '-v', '-p', '-c', '-z', '-Z', '-Z1')) return undefined;
  if (isFed(call)) return unknown('unzip asks before it writes over something, and its input answers');
  const folder = valueGiven(reading, '-d');
  bringsFiles(call.machine, folder ?? '.');
  return folder === undefined ? specialDirectory(call.machine, '.') : fillsDirectory(call.machine, folder, true);
}

/** A header, with a value of its own or none: all that an item may be without making the request one that sends. */
const HEADER = /^[\w-]+(:(?![=@])|;$)/;

/** HTTPie and its like send what stands on their input, and what an item holds or names (`a=b`, `file@path`, `@path`). */
export function judgeItems(call: CallFacts, reading: Reading): StaticVerdict | undefined {
  const [first = '', ...rest] = reading.operands.map(({ text }) => text);
  const hasMethod = rest.length > 0 && /^[a-z]+$/i.test(first);
  const items = hasMethod ? rest.slice(1) : rest;
  const reads = isFed(call) && !given(reading, '-I', '--ignore-stdin');
  const asks = !hasMethod || /^(get|head|options)$/i.test(first);
  return asks && !reads && items.every((item) => HEADER.test(item)) ? undefined : unknown('sends data to a server');
}
