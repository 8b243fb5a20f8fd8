import { hasUnknown, UNKNOWN } from '../shell/taint.ts';
import { harmless, type StaticVerdict } from '../verdict.ts';
import type { Call } from './call.ts';
import { overwrite } from './paths.ts';

/** Options that name the file a program writes, by program (and subcommand). */
const OUTPUTS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    'git diff': '--output',
    'git log': '--output',
    'git show': '--output',
    'git archive': '-o --output',
    'git bundle': '-o',
    openssl: '-out -keyout',
    gpg: '-o --output',
    gpg2: '-o --output',
    age: '-o --output',
    pandoc: '-o --output',
    dot: '-o',
    tree: '-o',
    strace: '-o',
    ltrace: '-o',
    tcpdump: '-w',
    nmap: '-oN -oX -oG',
    pg_dump: '-f --file',
    pg_dumpall: '-f --file',
    mysqldump: '-r --result-file',
    xmllint: '-o --output',
    xsltproc: '-o --output',
    http: '-o --output',
    xh: '-o --output',
  }).map(([program, options]) => [program, options.split(' ')]),
);

/** Files of which nearly every home or project has one already. */
const COMMON_FILES =
  /(^|\/)(\.[\w-]+|id_(rsa|dsa|ecdsa|ed25519)|README(\.\w+)?|LICENSE|Makefile|Dockerfile|package(-lock)?\.json|tsconfig\.json|Cargo\.(toml|lock)|go\.(mod|sum)|pyproject\.toml|docker-compose\.ya?ml)$/;

/**
 * The verdict on a file that a program writes as its output. Such files are mostly new, so where nothing can be looked
 * at only those count that exist nearly everywhere.
 */
export function writesOutput(call: Call, target: string, why = harmless()): StaticVerdict {
  const rule = 'output over a file';
  const reason = 'overwrites an existing file';
  if (target === '-' || target === '') return harmless();
  return COMMON_FILES.test(target)
    ? overwrite(call.machine, target, rule, reason)
    : overwrite(call.machine, target, rule, reason, why);
}

/** Notes what the output options of a call overwrite. */
export function judgeOutputs(call: Call): void {
  const { args, program } = call;
  const options =
    OUTPUTS.get(program) ?? (program === 'git' ? OUTPUTS.get(`git ${call.operands[0]?.text ?? ''}`) : undefined);
  if (program === 'ssh-keygen') keyFile(call);
  if (!options) return;
  for (const [index, { text }] of args.entries()) {
    for (const option of options) {
      if (!text.startsWith(option)) continue;
      const target =
        text.length === option.length
          ? args[index + 1]?.text
          : text[option.length] === '='
            ? text.slice(option.length + 1)
            : undefined;
      if (target !== undefined && target !== UNKNOWN) call.machine.note(writesOutput(call, target));
    }
  }
}

/** `ssh-keygen` asks before it writes over a key; an answer on its input settles that. */
function keyFile(call: Call): void {
  const words = call.args.map((field) => field.text);
  const target = words[words.indexOf('-f') + 1];
  const changes = words.some((word) => /^-(\w*[lyeFRHLBDiQ]|p)$/.test(word));
  if (!words.includes('-f') || target === undefined || changes) return;
  if (/^\s*y/i.test(call.io.stdin ?? '') || hasUnknown(call.io.stdin ?? ''))
    call.machine.note(overwrite(call.machine, target, 'output over a file', 'overwrites a key'));
  else if (call.machine.files) call.machine.note(writesOutput(call, target));
}
