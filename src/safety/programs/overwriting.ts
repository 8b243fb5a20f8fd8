import { join } from 'node:path';
import { isCredential } from '../../knowledge/credential-files.ts';
import type { Field } from '../shell/machine.ts';
import { FETCHED, FILE_TEXT, hasUnknown, OWN_TEMP, UNKNOWN } from '../shell/taint.ts';
import { destructive, harmless, type StaticVerdict, unknown, worse } from '../verdict.ts';
import { type Call, forAll, type Handlers } from './call.ts';
import { runCode } from './code.ts';
import { writesOutput } from './outputs.ts';
import {
  adds,
  bringsOthers,
  deletesOnlyOwn,
  endsOnlyOwn,
  fileKey,
  isDisk,
  isHarmlessTarget,
  isLink,
  isMadeHere,
  isNewServed,
  isSystemPath,
  lookAt,
  MAY_BE_LINK,
  MAY_WRITE_OVER,
  onOurs,
  overwrite,
  remember,
  specialDirectory,
  specialTarget,
  throughLink,
} from './paths.ts';

const BACKUP_NAME =
  /(\.(bak|backup|orig|old|save|copy|sav|prev|dist|\d+|bkp|tmp)$|~$|[-_.](bak|backup|old|copy|orig)\b|backup|^\/tmp\/|^\/var\/tmp\/|\.\d{4}-?\d\d|\.example$)/i;
/** Matches the name of a backup beside its original, which no tool reads as configuration. */
const BACKUP_BESIDE = /(\.(bak|backup|orig|old|save|sav|prev|dist|\d+|bkp)|~)$/i;

type Transfer = {
  readonly sources: readonly Field[];
  readonly target: string;
  /** Whether the target is a directory by an option or a trailing slash. */
  readonly directory: boolean;
};

/** Returns the operands of `cp`, `mv`, `install` and `ln`; undefined if there are none to judge. */
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

/** Judges copies, moves and links by their targets, and by the files that those overwrite. */
function judgeTransfer(call: Call): string {
  const { machine, program, reading } = call;
  if (program === 'install' && reading?.given.some(({ name }) => name === '-d' || name === '--directory')) {
    for (const { text } of reading.operands) machine.note(specialDirectory(machine, text) ?? harmless());
    return '';
  }
  const transfer = transferOf(call);
  if (!transfer) {
    machine.note(unknown('its source and destination are unknown'));
    return '';
  }
  const { sources, target } = transfer;
  machine.note(worse(judgePlace(call, transfer), judgeLoss(call, transfer)));
  for (const name of ['', ...sources.map(({ text }) => nameOf(text))])
    machine.changed.add(fileKey(machine, join(target, name)));
  if (program === 'mv' && !sources.every(({ text }) => text.includes(OWN_TEMP) || isMadeHere(machine, text)))
    for (const place of transfer.directory || (machine.files && lookAt(machine, target) !== 'directory')
      ? [target]
      : [target, ...sources.map(({ text }) => join(target, nameOf(text)))])
      bringsOthers(machine, place);
  const source = sources[0]?.text ?? '';
  if (makesLink(call, sources))
    for (const name of ['', ...sources.map(({ text }) => nameOf(text))])
      machine.scope.links.add(fileKey(machine, join(target, name).replace(/\/$/, '')));
  machine.scope.setAlias(target, source);
  if (!target.startsWith('/') && !target.startsWith('.')) machine.scope.setAlias(`./${target}`, source);
  machine.scope.setAlias(`${target.replace(/\/$/, '')}/${nameOf(source)}`, source);
  return '';
}

/** Returns whether the new file may be a link: a created one, or one moved or copied as a link. */
function makesLink(call: Call, sources: readonly Field[]): boolean {
  const { machine, program } = call;
  if (program === 'ln' || (program === 'cp' && hasGiven(call, /^(-l|-s|--link|--symbolic-link)$/))) return true;
  if (program !== 'mv' && !hasGiven(call, /^(-[PdarR]|--no-dereference|--archive|--recursive)$/)) return false;
  return sources.some(({ text }) => isLink(machine, text));
}

function nameOf(path: string): string {
  return path.slice(path.replace(/\/+$/, '').lastIndexOf('/') + 1).replace(/\/+$/, '');
}

/** Judges the target directory: whether tools load files from it. */
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
  // The link may point to a directory with any contents.
  if (program === 'ln' && !folder) found.push(specialDirectory(machine, target));
  const odd = /^(ln|mv)$/.test(program) || isRecursive(call) || sources.some(({ text }) => isCredential(text));
  if (odd && isNewServed(machine, target))
    found.push(unknown('adds a link, a folder or a key that a server publishes'));
  for (const source of sources) found.push(...judgeArrival(call, source, place));
  return found.reduce<StaticVerdict>((verdict, each) => {
    // A new link there can decide which program runs, but overwrites nothing.
    const softer = program === 'ln' && each?.rule === 'write to start file';
    return each ? worse(verdict, softer ? unknown('adds a link that the shell or a tool may run') : each) : verdict;
  }, harmless());
}

/** `folder`: the target is a directory · `exact`: it is the new name itself · `mayFill`: files may be put into it. */
type Place = { readonly target: string; readonly folder: boolean; readonly exact: boolean; readonly mayFill: boolean };

/** Judges one source by the name it gets in the target directory. */
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
  // A copied directory brings files with any names.
  if (!whole && !many && (program === 'mv' || isRecursive(call)))
    found.push(specialDirectory(machine, folder && !exact ? join(target, name) : target));
  if (program === 'mv' && specialTarget(machine, text)) found.push(unknown('moves a file that tools obey'));
  return found;
}

function hasGiven({ reading }: Call, option: RegExp): boolean {
  return reading?.given.some(({ name }) => option.test(name)) ?? false;
}

function isRecursive(call: Call): boolean {
  return hasGiven(call, /^(-r|-R|-a|--recursive|--archive)$/);
}

/** Returns whether existing files stay, or a backup of them is made. Of several options the last one counts. */
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
  // A backup of that name from an earlier call would itself be overwritten.
  const copy = fileKey(machine, `${target}${suffix}`);
  if (machine.scope.backups.has(copy)) return false;
  machine.scope.backups.add(copy);
  return !machine.files || lookAt(machine, `${target}${suffix}`) === 'absent';
}

function backupKind(value: string): 'none' | 'simple' | 'numbered' {
  if (/^(t|numbered)$/.test(value)) return 'numbered';
  return /^(|nil|existing|never|simple)$/.test(value) ? 'simple' : 'none';
}

/** Judges whether the existing target is lost. */
function judgeLoss(call: Call, transfer: Transfer): StaticVerdict {
  const { program } = call;
  const { sources, target } = transfer;
  if (isDisk(target)) return destructive('write to raw disk');
  const away = program === 'mv' ? judgeMovedAway(sources, target) : undefined;
  if (away) return away;
  if (isHarmlessTarget(target)) return harmless();
  return program === 'ln' ? judgeLink(call, transfer) : judgeOverwriting(call, transfer);
}

/** Directories in memory, or emptied when the machine starts. */
const EMPTIED = /^\/(dev\/shm|run|tmp|var\/run)(\/|$)/;

/** Judges a move by the loss of the source at its old place. */
function judgeMovedAway(sources: readonly Field[], target: string): StaticVerdict | undefined {
  if (target === '/dev/null') return destructive('mv over a file', 'discards the file');
  const notOurs = sources.some(
    ({ text }) => isSystemPath(text) || /^(\/|~|\/home|\/home\/\w+|\/root|\/var|\*|\.|\.git)\/?\*?$/.test(text),
  );
  if (notOurs) return destructive('mv of system files', 'moves files that the system needs');
  return EMPTIED.test(target) && !sources.every(({ text }) => EMPTIED.test(text) || text.includes(OWN_TEMP))
    ? unknown('moves files to a place that is emptied at the next start')
    : undefined;
}

function judgeLink(call: Call, { sources: fields, target, directory }: Transfer): StaticVerdict {
  const { machine } = call;
  const sources = fields.map(({ text }) => text);
  const copies = hasGiven(call, /^(-b|--backup|-S|--suffix)$/);
  if (!call.has('-f', '--force') && !copies) return harmless();
  if (copies && keepsOld(call, target)) return harmless();
  if (sources.includes('/dev/null')) return destructive('ln -f', 'empties the file');
  const replaced = unknown('replaces a link or file if there is one');
  // With -n or -T the link itself is replaced, wherever it points.
  if (call.has('-n', '-T', '--no-dereference', '--no-target-directory'))
    return machine.files && lookAt(machine, target) === 'absent' ? harmless() : replaced;
  return judgeTarget(call, sources, target, directory, 'ln -f', replaced);
}

/** Judges a copy or move onto a target that may exist. */
function judgeOverwriting(call: Call, { sources: fields, target, directory }: Transfer): StaticVerdict {
  const { program, machine } = call;
  const sources = fields.map(({ text }) => text);
  const rule = `${program} over a file`;
  const verb = program === 'mv' ? 'moves' : 'copies';
  if (sources.includes('/dev/null')) return destructive(rule, 'empties the file');
  if (call.has('--remove-destination')) return destructive(rule, 'removes the destination first');
  if (isSystemPath(target) && !BACKUP_NAME.test(target.replace(/^\/var\//, '')) && !isNewServed(machine, target))
    return destructive('write to system file', `${verb} over a system file`);
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

/** Judges files put into a directory that can’t be read. */
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

/** Judges a target by its name alone, where files can’t be looked up. */
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
    if (throughLink(machine, inside)) return unknown(MAY_BE_LINK);
    if (there === 'unseen') return destructive(rule, MAY_WRITE_OVER);
    if (there === 'directory') return unknown('copies into an existing directory, over files of the same name');
  }
  return harmless();
}

/** Programs that write files named by an argument; existing files are looked up. */
export const OVERWRITING: Handlers = {
  tee(call) {
    const append = call.has('-a', '--append');
    for (const { text } of call.operands) {
      const written = append
        ? adds(call.machine, text)
        : overwrite(call.machine, text, 'tee', 'empties an existing file');
      const sink = call.machine.sinks.get(text);
      if (sink) {
        const { machine, io } = call;
        machine.inSubshell(() => machine.runScript(sink, { stdin: io.stdin ?? UNKNOWN }));
      }
      call.machine.note(call.machine.substituted.has(text) ? harmless() : written);
      call.machine.written.set(fileKey(call.machine, text), call.io.stdin ?? UNKNOWN);
    }
    return call.io.stdin ?? UNKNOWN;
  },
  sponge(call) {
    for (const { text } of call.operands) {
      call.machine.note(
        call.has('-a') ? adds(call.machine, text) : overwrite(call.machine, text, 'sponge', 'overwrites a file'),
      );
    }
    return '';
  },
  dd(call) {
    const words = call.args.map((field) => field.text);
    const target = words.find((word) => word.startsWith('of='))?.slice(3);
    if (target === undefined) return FILE_TEXT;
    if (isDisk(target) || /^\/dev\/(?!null|zero|full|std|tty|shm\/|fd\/)/.test(target))
      call.machine.note(destructive('dd to device'));
    else call.machine.note(overwrite(call.machine, target, 'dd over a file', 'overwrites an existing file'));
    return '';
  },
  sort(call) {
    const target = call.value('-o', '--output');
    if (target !== undefined)
      call.machine.note(overwrite(call.machine, target, 'sort -o', 'overwrites an existing file'));
    else call.machine.note(harmless());
    const program = call.value('--compress-program');
    if (program !== undefined) call.machine.runFields([{ text: program, glob: false }], { stdin: UNKNOWN });
    return target === undefined ? (call.io.stdin ?? UNKNOWN) : '';
  },
  uniq(call) {
    const target = call.operands[1]?.text;
    call.machine.note(
      target === undefined
        ? harmless()
        : overwrite(call.machine, target, 'uniq to a file', 'overwrites an existing file'),
    );
    return UNKNOWN;
  },
  ...forAll('cp mv install ln', judgeTransfer),
  ...forAll('curl', (call) => {
    if (call.args.some((field) => /\/_(delete_by_query|update_by_query)\b/.test(field.text))) {
      call.machine.note(destructive('HTTP DELETE', 'asks a server to delete'));
    }
    if (/^(?:HTTP )?(DELETE|PURGE)$/i.test(call.value('-X', '--request') ?? '') || asksForLoss(call)) {
      call.machine.note(destructive('HTTP DELETE', 'asks a server to delete'));
    }
    if (/\b(DELE|RMD|RNFR)\b/.test(call.value('-Q', '--quote') ?? ''))
      call.machine.note(destructive('HTTP DELETE', 'asks a server to delete'));
    const config = call.value('-K', '--config') === '-' ? (call.io.stdin ?? '') : '';
    const configured = /^\s*-{0,2}(?:output|o)\s*[=:\s]\s*"?([^"\n]+)/m.exec(config)?.[1];
    return download(call, call.value('-o', '--output') ?? configured?.trim());
  }),
  wget(call) {
    if (/^(DELETE|PURGE)$/i.test(call.value('--method') ?? '') || asksForLoss(call))
      call.machine.note(destructive('HTTP DELETE', 'asks a server to delete'));
    const cluster = call.args.some((field) => /^-\w*O-$/.test(field.text));
    return download(call, cluster ? '-' : (call.value('-O', '--output-document') ?? '(remote name)'));
  },
};

/** Notes a download named after its address, which the same command may run next. */
function noteFetched({ machine, operands }: Call, directory: string): void {
  for (const { text } of operands) {
    const name = /([^/?#]+)(?:[?#][\s\S]*)?$/.exec(text)?.[1] ?? '';
    if (text.includes('/') && name !== '') machine.written.set(fileKey(machine, join(directory, name)), FETCHED);
  }
}

/** Returns whether a request asks for a loss by its address: `-X POST …/admin/shutdown`. */
function asksForLoss(call: Call): boolean {
  const method = call.value('-X', '--request', '--method') ?? '';
  return (
    /^(POST|PUT|PATCH)$/i.test(method) &&
    call.operands.some(({ text }) =>
      /[/:.](_?(shutdown|delete|destroy|purge|wipe|terminate|drop|truncate|factory-?reset|flushall|revoke|uninstall)(-\w+)?)\/?(\?|$)/i.test(
        text,
      ),
    )
  );
}

function download(call: Call, target: string | undefined): string {
  if (target === undefined || target === '-' || target === '/dev/stdout') {
    const body = call.has(
      '-d',
      '--data',
      '--data-raw',
      '--data-binary',
      '-T',
      '--upload-file',
      '-F',
      '--form',
      '--json',
      '--post-data',
      '--post-file',
    );
    const method = call.value('-X', '--request', '--method')?.toUpperCase();
    const plain =
      method === undefined ? !body || call.has('-G') : method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
    call.machine.note(plain ? harmless() : unknown('sends data to a server'));
    return FETCHED;
  }
  if (target === '(remote name)') {
    call.machine.note(harmless());
    noteFetched(call, call.value('-P', '--directory-prefix') ?? '');
    return '';
  }
  call.machine.note(writesOutput(call, target, harmless('downloads a file')));
  call.machine.written.set(fileKey(call.machine, target), FETCHED);
  return '';
}

/** Returns the verdict on an in-place edit of `paths`: existing files change and no backup is kept. */
export function editsInPlace(call: Call, rule: string, paths: readonly string[]): StaticVerdict {
  const notOurs = paths.filter((path) => !path.includes(OWN_TEMP) && !isMadeHere(call.machine, path));
  if (paths.length > 0 && notOurs.length === 0) return harmless('edits a file of its own');
  return paths.map((path) => onOurs(call.machine, path)).find(Boolean) ?? destructive(rule, 'edits files in place');
}

/** Scheduled jobs, whose commands are judged now. */
export const SCHEDULED: Handlers = {
  ...forAll('at batch', (call) => {
    if (call.has('-l', '-c', '-V')) return UNKNOWN;
    if (call.has('-d', '-r')) return undefined;
    if (call.io.stdin !== undefined) runCode(call.machine, call.io.stdin);
    else call.machine.note(unknown('schedules commands from its input or a file', { runsFiles: true }));
    return UNKNOWN;
  }),
  crontab(call) {
    const { stdin } = call.io;
    if (call.has('-l')) return UNKNOWN;
    if (call.has('-e')) call.machine.note(unknown('an editor session'));
    for (const line of (stdin ?? '').split('\n')) {
      const code = /^\s*(?:@\w+|(?:\S+\s+){5})(\S[\s\S]*)$/.exec(line)?.[1];
      if (code !== undefined) runCode(call.machine, code);
    }
    return undefined;
  },
};

/** Deletions; deleting files that the session made loses nothing. */
export const DELETING: Handlers = forAll('rm unlink', (call) => {
  if (!deletesOnlyOwn(call)) return undefined;
  call.machine.note(harmless('deletes only what was made in this session'));
  return UNKNOWN;
});

/** Ending processes; ending one that the same command or a job of the session started loses nothing. */
export const ENDING: Handlers = forAll('kill', (call) => {
  if (!endsOnlyOwn(call)) return undefined;
  call.machine.note(harmless('ends only what this session started'));
  return UNKNOWN;
});
