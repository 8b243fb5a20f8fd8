import { join } from 'node:path';
import { FETCHED, FILE_TEXT, holdsSecret, OWN_TEMP, UNKNOWN } from '../shell/taint.ts';
import { destructive, harmless, type StaticVerdict, unknown } from '../verdict.ts';
import type { Call } from './call.ts';
import { forAll, type Handlers } from './handler.ts';
import { writesOutput } from './outputs.ts';
import { adds, fileKey, isDisk, isMadeHere, overwrite } from './paths.ts';
import { judgeTransfer } from './transfer.ts';

/** Programs that write files named by an argument; judged with the file system looked at. */
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
        const printed = machine.inSubshell(() => machine.runScript(sink, { stdin: io.stdin ?? UNKNOWN }));
        // It was started before the output was led away.
        machine.shows ||= holdsSecret(printed);
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

/** What comes under the name in its address: the same command may run it next. */
function noteFetched({ machine, operands }: Call, directory: string): void {
  for (const { text } of operands) {
    const name = /([^/?#]+)(?:[?#][\s\S]*)?$/.exec(text)?.[1] ?? '';
    if (text.includes('/') && name !== '') machine.written.set(fileKey(machine, join(directory, name)), FETCHED);
  }
}

/** `-X POST …/admin/shutdown`: what an address is posted to says what it does. */
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

/** The verdict on an in-place edit of `paths`: existing files change and no copy is kept. */
export function editsInPlace(call: Call, rule: string, paths: readonly string[]): StaticVerdict {
  const notOurs = paths.filter((path) => !path.includes(OWN_TEMP) && !isMadeHere(call.machine, path));
  if (paths.length > 0 && notOurs.length === 0) return harmless('edits a file of its own');
  return destructive(rule, 'edits files in place');
}
