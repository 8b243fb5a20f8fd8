import { join } from 'node:path';
import { FETCHED, FILE_TEXT, hasUnknown, OWN_TEMP, UNKNOWN } from '../shell/taint.ts';
import { destructive, harmless, type StaticVerdict, unknown } from '../verdict.ts';
import type { Call } from './call.ts';
import { forAll, type Handlers } from './handler.ts';
import { writesOutput } from './outputs.ts';
import {
  fileKey,
  isDisk,
  isHarmlessTarget,
  isMadeHere,
  isSystemPath,
  lookAt,
  overwrite,
  remember,
  specialTarget,
} from './paths.ts';

/** Programs that write files named by an argument; judged with the file system looked at. */
export const OVERWRITING: Handlers = {
  tee(call) {
    const append = call.has('-a', '--append');
    for (const { text } of call.operands) {
      const written = append
        ? (specialTarget(text) ?? harmless())
        : overwrite(call.machine, text, 'tee', 'empties an existing file');
      const sink = call.machine.sinks.get(text);
      if (sink) call.machine.inSubshell(() => call.machine.runScript(sink, { stdin: call.io.stdin ?? UNKNOWN }));
      call.machine.note(call.machine.substituted.has(text) ? harmless() : written);
      call.machine.written.set(fileKey(call.machine, text), call.io.stdin ?? UNKNOWN);
    }
    return call.io.stdin ?? UNKNOWN;
  },
  sponge(call) {
    for (const { text } of call.operands) {
      call.machine.note(call.has('-a') ? harmless() : overwrite(call.machine, text, 'sponge', 'overwrites a file'));
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
  ...forAll('cp mv install ln', copyOrMove),
  ...forAll('curl', (call) => {
    if (call.args.some((field) => /\/_(delete_by_query|update_by_query)\b/.test(field.text))) {
      call.machine.note(destructive('HTTP DELETE', 'asks a server to delete'));
    }
    if (
      call.value('-X', '--request')?.toUpperCase() === 'DELETE' ||
      /^(?:HTTP )?DELETE$/i.test(call.value('-X', '--request') ?? '')
    ) {
      call.machine.note(destructive('HTTP DELETE', 'asks a server to delete'));
    }
    if (/\b(DELE|RMD|RNFR)\b/.test(call.value('-Q', '--quote') ?? ''))
      call.machine.note(destructive('HTTP DELETE', 'asks a server to delete'));
    const config = call.value('-K', '--config') === '-' ? (call.io.stdin ?? '') : '';
    const configured = /^\s*-{0,2}(?:output|o)\s*[=:\s]\s*"?([^"\n]+)/m.exec(config)?.[1];
    return download(call, call.value('-o', '--output') ?? configured?.trim());
  }),
  wget(call) {
    if (call.value('--method')?.toUpperCase() === 'DELETE')
      call.machine.note(destructive('HTTP DELETE', 'asks a server to delete'));
    const cluster = call.args.some((field) => /^-\w*O-$/.test(field.text));
    return download(call, cluster ? '-' : (call.value('-O', '--output-document') ?? '(remote name)'));
  },
};

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
    return '';
  }
  call.machine.note(writesOutput(call, target, harmless('downloads a file')));
  call.machine.written.set(fileKey(call.machine, target), FETCHED);
  return '';
}

const BACKUP_NAME =
  /(\.(bak|backup|orig|old|save|copy|sav|prev|dist|\d+|bkp|tmp)$|~$|[-_.](bak|backup|old|copy|orig)\b|backup|^\/tmp\/|^\/var\/tmp\/|\.\d{4}-?\d\d|\.example$)/i;

function copyOrMove(call: Call): string {
  const { machine, program } = call;
  const operands = call.operands.map((operand) => operand.text);
  const into = call.value('-t', '--target-directory');
  const target = into ?? operands.at(-1);
  const sources = into === undefined ? operands.slice(0, -1) : operands;
  if (target === undefined || (program === 'install' && call.has('-d', '--directory'))) {
    machine.note(harmless());
    return '';
  }
  if (sources.length === 0) {
    machine.note(program === 'ln' ? harmless() : unknown('its operands are not known'));
    return '';
  }
  machine.note(judgeTransfer(call, sources, target, into !== undefined || call.operands.at(-1)?.glob === true));
  const source = sources[0] ?? '';
  const name = source.slice(source.lastIndexOf('/') + 1);
  if (program === 'ln') machine.scope.links.add(fileKey(machine, target.replace(/\/$/, '')));
  machine.scope.aliases.set(target, source);
  if (!target.startsWith('/') && !target.startsWith('.')) machine.scope.aliases.set(`./${target}`, source);
  machine.scope.aliases.set(`${target.replace(/\/$/, '')}/${name}`, source);
  return '';
}

function judgeTransfer(call: Call, sources: readonly string[], target: string, directory: boolean): StaticVerdict {
  const { program } = call;
  const verb = program === 'mv' ? 'moves' : program === 'ln' ? 'links' : 'copies';
  if (isDisk(target)) return destructive('write to raw disk');
  if (program === 'mv') {
    if (target === '/dev/null') return destructive('mv over a file', 'throws the file away');
    const notOurs = sources.find(
      (source) => isSystemPath(source) || /^(\/|~|\/home|\/home\/\w+|\/root|\/var|\*|\.|\.git)\/?\*?$/.test(source),
    );
    if (notOurs !== undefined) return destructive('mv of system files', 'moves files that others rely on');
  }
  if (isHarmlessTarget(target)) return harmless();
  if (program === 'ln') {
    if (!call.has('-f', '--force')) return addsLink(target);
    if (sources.includes('/dev/null')) return destructive('ln -f', 'puts nothing in place of the file');
    return judgeTarget(call, sources, target, directory, 'ln -f', unknown('replaces a link or file if there is one'));
  }
  if (sources.includes('/dev/null')) return destructive(`${program} over a file`, 'empties the file');
  if (call.has('--remove-destination')) return destructive(`${program} over a file`, 'removes the destination first');
  if (isSystemPath(target) && !BACKUP_NAME.test(target.replace(/^\/var\//, '')))
    return destructive('write to system file', `${verb} over a file of the system`);
  const last = call.operands.at(-1);
  if (last?.glob && last.text === target && !/\/$/.test(target))
    return destructive(`${program} over a file`, 'overwrites whatever file the pattern names');
  if (call.has('-n', '--no-clobber', '-b', '--backup', '--update=none')) return harmless(`${verb} without overwriting`);
  if (program !== 'mv' && sources.every((source) => source.includes(OWN_TEMP)))
    return judgeTarget(call, sources, target, directory, `${program} over a file`);
  const forced = call.has('-f', '--force') && !call.has('-r', '-R', '-a');
  if (
    !call.machine.files &&
    (program === 'mv' || call.operands.slice(0, -1).some(({ glob }) => glob)) &&
    !BACKUP_NAME.test(target) &&
    (/\/$|^\.{1,2}$/.test(target) || directory)
  )
    return unknown(`${verb} over files of the same name if there are any`);
  const clearlyNew =
    BACKUP_NAME.test(target) || /\/$|^\.{1,2}$/.test(target) || directory || /^(\.|\.\.|~|\$HOME)?\/?$/.test(target);
  const blind =
    clearlyNew && !call.has('-f', '--force')
      ? harmless(`${verb} to a new place`)
      : forced
        ? destructive(`${program} over a file`, 'overwrites an existing file')
        : unknown(`${verb} over a file if there is one`);
  return judgeTarget(call, sources, target, directory, `${program} over a file`, blind);
}

/** A new link loses nothing; where the shell or a tool will find it, it decides what runs. */
function addsLink(target: string): StaticVerdict {
  const special = specialTarget(target);
  return special?.rule === 'write to start file'
    ? unknown('adds a link that the shell or a tool will find')
    : (special ?? harmless());
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
    return specialTarget(target) ?? blind;
  }
  if (lookAt(machine, target) !== 'directory' && !directory) return overwrite(machine, target, rule, reason, blind);
  for (const source of sources) {
    if (hasUnknown(source) || /[*?[]/.test(source))
      return unknown('overwrites files of the same name if there are any');
    const inside = join(target, source.replace(/\/+$/, '').split('/').pop() ?? '');
    const there = lookAt(machine, inside);
    if (there === 'file') return destructive(rule, reason);
    if (there === 'directory') return unknown('copies into a directory that is there, over files of the same name');
  }
  return harmless();
}

/** The verdict on an in-place edit of `paths`: existing files change and no copy is kept. */
export function editsInPlace(call: Call, rule: string, paths: readonly string[]): StaticVerdict {
  const notOurs = paths.filter((path) => !path.includes(OWN_TEMP) && !isMadeHere(call.machine, path));
  if (paths.length > 0 && notOurs.length === 0) return harmless('edits a file of its own');
  return destructive(rule, 'edits files in place');
}
