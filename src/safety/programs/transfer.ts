import { join } from 'node:path';
import { isCredential } from '../credential-files.ts';
import type { Field } from '../shell/machine.ts';
import { hasUnknown, OWN_TEMP } from '../shell/taint.ts';
import { destructive, harmless, type StaticVerdict, unknown, worse } from '../verdict.ts';
import type { Call } from './call.ts';
import {
  fileKey,
  isDisk,
  isHarmlessTarget,
  isSystemPath,
  lookAt,
  MAY_WRITE_OVER,
  overwrite,
  remember,
  specialDirectory,
  specialTarget,
} from './paths.ts';

const BACKUP_NAME =
  /(\.(bak|backup|orig|old|save|copy|sav|prev|dist|\d+|bkp|tmp)$|~$|[-_.](bak|backup|old|copy|orig)\b|backup|^\/tmp\/|^\/var\/tmp\/|\.\d{4}-?\d\d|\.example$)/i;
/** A name that nothing obeys beside the file it was copied from. */
const BACKUP_BESIDE = /(\.(bak|backup|orig|old|save|sav|prev|dist|\d+|bkp)|~)$/i;

type Transfer = {
  readonly sources: readonly Field[];
  readonly target: string;
  /** The target is a directory by what is said of it, whatever is there. */
  readonly directory: boolean;
};

/** The operands of `cp`, `mv`, `install` and `ln`; undefined: there are none to judge. */
function transferOf(call: Call): Transfer | undefined {
  const operands: readonly Field[] = call.reading?.operands ?? call.operands;
  const into = call.reading?.given.findLast(({ name }) => name === '-t' || name === '--target-directory')?.value;
  if (into !== undefined) return { sources: operands, target: into, directory: true };
  const last = operands.at(-1);
  if (!last) return undefined;
  if (operands.length === 1)
    return call.program === 'ln' ? { sources: operands, target: '.', directory: true } : undefined;
  return { sources: operands.slice(0, -1), target: last.text, directory: last.glob || operands.length > 2 };
}

/** Copies, moves and links: what they put where, and what was there. */
export function judgeTransfer(call: Call): string {
  const { machine, program, reading } = call;
  if (program === 'install' && reading?.given.some(({ name }) => name === '-d' || name === '--directory')) {
    for (const { text } of reading.operands) machine.note(specialDirectory(machine, text) ?? harmless());
    return '';
  }
  const transfer = transferOf(call);
  if (!transfer) {
    machine.note(unknown('its operands are not known'));
    return '';
  }
  const { sources, target } = transfer;
  machine.note(worse(judgePlace(call, transfer), judgeLoss(call, transfer)));
  for (const name of ['', ...sources.map(({ text }) => nameOf(text))])
    machine.changed.add(fileKey(machine, join(target, name)));
  const source = sources[0]?.text ?? '';
  if (program === 'ln') machine.scope.links.add(fileKey(machine, target.replace(/\/$/, '')));
  machine.scope.setAlias(target, source);
  if (!target.startsWith('/') && !target.startsWith('.')) machine.scope.setAlias(`./${target}`, source);
  machine.scope.setAlias(`${target.replace(/\/$/, '')}/${nameOf(source)}`, source);
  return '';
}

function nameOf(path: string): string {
  return path.slice(path.replace(/\/+$/, '').lastIndexOf('/') + 1).replace(/\/+$/, '');
}

/** Where the files go: whether what obeys files looks there. */
function judgePlace(call: Call, { sources, target, directory }: Transfer): StaticVerdict {
  const { machine, program } = call;
  if (isHarmlessTarget(target)) return harmless();
  if (isSystemPath(target) && BACKUP_BESIDE.test(target)) return harmless();
  const there = machine.files ? lookAt(machine, target) : undefined;
  const folder = directory || there === 'directory' || /(^|\/)\.{0,2}$/.test(target);
  const exact = hasGiven(call, /^(-T|--no-target-directory)$/);
  const place: Place = { target, folder, exact, mayFill: !exact && (folder || there === undefined) };
  const found: (StaticVerdict | undefined)[] = [];
  if (!folder || exact) found.push(specialTarget(machine, target));
  // A link may stand for a directory of any content.
  if (program === 'ln' && !folder) found.push(specialDirectory(machine, target));
  for (const source of sources) found.push(...judgeArrival(call, source, place));
  return found.reduce<StaticVerdict>((verdict, each) => {
    // A link there decides what runs; nothing that was there is lost by it.
    const softer = program === 'ln' && each?.rule === 'write to start file';
    return each ? worse(verdict, softer ? unknown('adds a link that the shell or a tool will find') : each) : verdict;
  }, harmless());
}

/** `folder`: the target is a directory · `exact`: it is taken as a name · `mayFill`: files may come to stand in it. */
type Place = {
  readonly target: string;
  readonly folder: boolean;
  readonly exact: boolean;
  readonly mayFill: boolean;
};

/** What one source brings to the place. */
function judgeArrival(
  call: Call,
  { text, glob }: Field,
  { target, folder, exact, mayFill }: Place,
): readonly (StaticVerdict | undefined)[] {
  const { machine, program } = call;
  const name = glob || hasUnknown(text) ? '*' : nameOf(text);
  const many = name === '' || /^\.{1,2}$|[*?[]/.test(name);
  const whole = program === 'ln' || (machine.files !== undefined && lookAt(machine, text) !== 'directory');
  const found: (StaticVerdict | undefined)[] = [];
  if (mayFill) found.push(many ? specialDirectory(machine, target) : specialDirectory(machine, target, [name]));
  // A directory brings files of any name with it.
  if (!whole && !many && (program === 'mv' || isRecursive(call)))
    found.push(specialDirectory(machine, folder && !exact ? join(target, name) : target));
  if (program === 'mv' && specialTarget(machine, text)) found.push(unknown('moves away a file that tools obey'));
  return found;
}

function hasGiven({ reading }: Call, option: RegExp): boolean {
  return reading?.given.some(({ name }) => option.test(name)) ?? false;
}

function isRecursive(call: Call): boolean {
  return hasGiven(call, /^(-r|-R|-a|--recursive|--archive)$/);
}

/** Does it leave what is there, or keep a copy of it? Of several options the last one decides. */
function keepsOld({ reading, machine }: Call, target: string): boolean {
  let skips = false;
  let backup: 'none' | 'simple' | 'numbered' = 'none';
  let suffix = '~';
  for (const { name, value = '' } of reading?.given ?? []) {
    if (/^(-n|--no-clobber)$/.test(name)) skips = true;
    else if (/^(-f|-i|--force|--interactive|--remove-destination|-u)$/.test(name)) skips = false;
    else if (name === '--update') skips = /^none/.test(value);
    else if (name === '-b') backup = 'simple';
    else if (name === '--backup') backup = backupKind(value);
    else if (/^(-S|--suffix)$/.test(name)) suffix = value;
  }
  if (skips || backup === 'numbered') return true;
  if (backup === 'none' || suffix === '' || suffix.includes('/') || hasUnknown(suffix)) return false;
  // A copy of that name from an earlier time, or from an earlier call of this line, would be the loss.
  const copy = fileKey(machine, `${target}${suffix}`);
  if (machine.scope.backups.has(copy)) return false;
  machine.scope.backups.add(copy);
  return !machine.files || lookAt(machine, `${target}${suffix}`) === 'absent';
}

function backupKind(value: string): 'none' | 'simple' | 'numbered' {
  if (/^(t|numbered)$/.test(value)) return 'numbered';
  return /^(|nil|existing|never|simple)$/.test(value) ? 'simple' : 'none';
}

/** What was there: whether it is lost. */
function judgeLoss(call: Call, transfer: Transfer): StaticVerdict {
  const { program } = call;
  const { sources, target } = transfer;
  if (isDisk(target)) return destructive('write to raw disk');
  const away = program === 'mv' ? judgeMovedAway(sources, target) : undefined;
  if (away) return away;
  if (isHarmlessTarget(target)) return harmless();
  return program === 'ln' ? judgeLink(call, transfer) : judgeOverwriting(call, transfer);
}

/** Held in memory, or emptied when the machine starts. */
const EMPTIED = /^\/(dev\/shm|run|tmp|var\/run)(\/|$)/;

/** What others miss once it was moved. */
function judgeMovedAway(sources: readonly Field[], target: string): StaticVerdict | undefined {
  if (target === '/dev/null') return destructive('mv over a file', 'throws the file away');
  const notOurs = sources.some(
    ({ text }) => isSystemPath(text) || /^(\/|~|\/home|\/home\/\w+|\/root|\/var|\*|\.|\.git)\/?\*?$/.test(text),
  );
  if (notOurs) return destructive('mv of system files', 'moves files that others rely on');
  return EMPTIED.test(target) && !sources.every(({ text }) => EMPTIED.test(text) || text.includes(OWN_TEMP))
    ? unknown('moves files to where they are gone with the next start')
    : undefined;
}

function judgeLink(call: Call, { sources: fields, target, directory }: Transfer): StaticVerdict {
  const { machine } = call;
  const sources = fields.map(({ text }) => text);
  const copies = hasGiven(call, /^(-b|--backup|-S|--suffix)$/);
  if (sources.some(isCredential)) return unknown('gives a credential another name');
  if (!call.has('-f', '--force') && !copies) return harmless();
  if (copies && keepsOld(call, target)) return harmless();
  if (sources.includes('/dev/null')) return destructive('ln -f', 'puts nothing in place of the file');
  const replaced = unknown('replaces a link or file if there is one');
  // With -n or -T it is the link itself that goes, wherever it leads.
  if (call.has('-n', '-T', '--no-dereference', '--no-target-directory'))
    return machine.files && lookAt(machine, target) === 'absent' ? harmless() : replaced;
  return judgeTarget(call, sources, target, directory, 'ln -f', replaced);
}

/** A copy or a move over what may be there. */
function judgeOverwriting(call: Call, { sources: fields, target, directory }: Transfer): StaticVerdict {
  const { program } = call;
  const sources = fields.map(({ text }) => text);
  const rule = `${program} over a file`;
  const verb = program === 'mv' ? 'moves' : 'copies';
  if (sources.includes('/dev/null')) return destructive(rule, 'empties the file');
  if (call.has('--remove-destination')) return destructive(rule, 'removes the destination first');
  if (isSystemPath(target) && !BACKUP_NAME.test(target.replace(/^\/var\//, '')))
    return destructive('write to system file', `${verb} over a file of the system`);
  const last = call.operands.at(-1);
  if (last?.glob && last.text === target && !target.endsWith('/'))
    return destructive(rule, 'overwrites whatever file the pattern names');
  if (keepsOld(call, target)) return harmless(`${verb} without overwriting`);
  if (program !== 'mv' && sources.every((source) => source.includes(OWN_TEMP)))
    return judgeTarget(call, sources, target, directory, rule);
  const several = program === 'mv' || fields.some(({ text, glob }) => glob || /\/\.$/.test(text));
  return (
    judgeUnseen(call, verb, target, directory, several) ??
    judgeTarget(call, sources, target, directory, rule, judgeByName(call, verb, target, directory))
  );
}

/** Files into a directory that nobody can look into. */
function judgeUnseen(
  { machine }: Call,
  verb: string,
  target: string,
  directory: boolean,
  several: boolean,
): StaticVerdict | undefined {
  const into = /\/$|^\.{1,2}$/.test(target) || directory;
  return !machine.files && several && !BACKUP_NAME.test(target) && into
    ? unknown(`${verb} over files of the same name if there are any`)
    : undefined;
}

/** What the target's name tells where nobody can look. */
function judgeByName(call: Call, verb: string, target: string, directory: boolean): StaticVerdict {
  const clearlyNew =
    BACKUP_NAME.test(target) || /\/$|^\.{1,2}$/.test(target) || directory || /^(\.|\.\.|~|\$HOME)?\/?$/.test(target);
  const forced = call.has('-f', '--force');
  if (clearlyNew && !forced) return harmless(`${verb} to a new place`);
  return forced && !call.has('-r', '-R', '-a')
    ? destructive(`${call.program} over a file`, 'overwrites an existing file')
    : unknown(`${verb} over a file if there is one`);
}

function judgeTarget(
  call: Call,
  sources: readonly string[],
  target: string,
  directory: boolean,
  rule: string,
  blind: StaticVerdict = unknown('overwrites a file if there is one'),
): StaticVerdict {
  const { machine } = call;
  const reason = 'overwrites an existing file';
  if (!machine.files) {
    remember(machine, target);
    return specialTarget(machine, target) ?? blind;
  }
  if (lookAt(machine, target) !== 'directory' && !directory) return overwrite(machine, target, rule, reason, blind);
  for (const source of sources) {
    if (hasUnknown(source) || /[*?[]/.test(source))
      return unknown('overwrites files of the same name if there are any');
    const inside = join(target, source.replace(/\/+$/, '').split('/').pop() ?? '');
    const there = lookAt(machine, inside);
    if (there === 'file') return destructive(rule, reason);
    if (there === 'unseen') return destructive(rule, MAY_WRITE_OVER);
    if (there === 'directory') return unknown('copies into a directory that is there, over files of the same name');
  }
  return harmless();
}
