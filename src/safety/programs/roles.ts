import { isCredential } from '../credential-files.ts';
import { readable, STORE, UNKNOWN } from '../shell/taint.ts';
import { harmless, type StaticVerdict, unknown, worse } from '../verdict.ts';
import { judgeQuestion } from './asking.ts';
import type { Call } from './call.ts';
import { runCode } from './code.ts';
import { writesOutput } from './outputs.ts';
import {
  adds,
  fillsDirectory,
  isHarmlessTarget,
  isOwnProject,
  makes,
  specialDirectory,
  specialTarget,
} from './paths.ts';
import type { Role } from './record.ts';

/** The judge of each role: `what` says which option or operand it is, for the reason. */
export function judgeRole(call: Call, role: Role, what: string, value: string): StaticVerdict {
  switch (role) {
    case 'tune':
    case 'dry':
    case 'undry':
    case 'idle':
      return harmless();
    case 'read':
      return reads(call, what, value);
    case 'ask':
      return judgeQuestion(call.program, what, value);
    case 'add':
      return worse(adds(call.machine, value), specialDirectory(call.machine, value) ?? harmless());
    case 'make':
      return makesEmpty(call, value);
    case 'into':
      return fillsDirectory(call.machine, value);
    case 'write':
      return writes(call, value);
    case 'project':
      if (isCredential(value)) return unknown(`${call.program} reads a credential`);
      return isOwnProject(call.machine, value)
        ? harmless()
        : unknown(`${what} runs what another place says`, { runsFiles: true });
    case 'run':
      return runs(call, what, value);
    case 'load':
      return unknown(`${what} can run code`, { runsFiles: true });
    case 'send':
      return unknown(`${what} sends something away or changes who is asked`);
    case 'delete':
      return unknown(`${what} takes something away`);
  }
}

/** Files of names, or of a program: what is not there, or is none, stands in the complaint. */
const LISTED = /option (\S*files0?-from|-T of tar|(-f|--from-file|--rawfile|--slurpfile) of jq)/;

/** What prints a credential is told by its output; what else takes one in may keep or send it. */
function reads(call: Call, what: string, path: string): StaticVerdict {
  const given = path === '-' ? (call.io.stdin ?? '') : '';
  const isStore = isCredential(path);
  if (given === '' && !isStore) return harmless();
  const repeats = LISTED.test(what);
  const listed = repeats && (given.includes(STORE) || given.split(/[\0\n]/).some(isCredential));
  if (listed) return unknown('shows a credential to the model');
  if (!isStore) return harmless();
  // Names that are not there stand in the complaint.
  if (repeats) return unknown('shows a credential to the model');
  const { traits } = call.facts;
  return traits.has('prints') || traits.has('namesOnly') ? harmless() : unknown(`${call.program} reads a credential`);
}

/** Names of what programs make: no suffix, archives, pictures, objects, dumps, keys. */
const MADE =
  /(^|\/)(dump|backups?|dist|build|out|output|target|bin|tmp|coverage)\/|(^|\/)[\w-]{2,}$|\.(o|a|so|out|exe|bin|img|tar|tgz|gz|zip|xz|zst|bz2|7z|whl|png|jpe?g|svg|gif|webp|pdf|html?|mp4|mp3|wav|dump|sql|key|pem|crt|csr|pub|gpg|asc|patch|diff|pcap|iso|wasm|class|jar|trace|bundle)$/;
/** What is made empty tells nobody anything, but what is put there next may. */
function makesEmpty({ machine }: Call, path: string): StaticVerdict {
  const place = worse(specialTarget(machine, path) ?? harmless(), specialDirectory(machine, path) ?? harmless());
  if (place.rule === 'write to start file' || place.rule === 'write to credentials')
    return unknown('makes a place that the shell or a tool will look into');
  return place.verdict === 'unknown' && !machine.scope.elsewhere ? harmless() : worse(place, makes(machine, path));
}

/** A file that is written: without a directory to look in nobody knows whether it is there already. */
function writes(call: Call, path: string): StaticVerdict {
  const seen = writesOutput(call, path);
  const blind = !call.machine.files && seen.verdict === 'safe' && !isHarmlessTarget(path) && !MADE.test(path);
  return blind ? unknown('writes a file that may be there already') : seen;
}

/** A command in an option is walked for losses; what else it does on files nobody names stays unknown. */
function runs(call: Call, what: string, code: string): StaticVerdict {
  const { machine } = call;
  const inner = machine.watch(() => runCode(machine, `${code} ${UNKNOWN}`, { stdin: UNKNOWN }));
  return inner.verdict === 'destructive' ? inner : unknown(`${what} runs ${readable(code).slice(0, 40)}`);
}
