import { readable, UNKNOWN } from '../shell/taint.ts';
import { harmless, type StaticVerdict, unknown } from '../verdict.ts';
import type { Call } from './call.ts';
import { runCode } from './code.ts';
import { writesOutput } from './outputs.ts';
import { isHarmlessTarget, specialTarget } from './paths.ts';
import type { Role } from './record.ts';

/** The judge of each role: `what` says which option or operand it is, for the reason. */
export function judgeRole(call: Call, role: Role, what: string, value: string): StaticVerdict {
  switch (role) {
    case 'tune':
    case 'read':
    case 'dry':
    case 'undry':
    case 'idle':
      return harmless();
    case 'add':
      return specialTarget(value) ?? harmless();
    case 'write':
      return writes(call, value);
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

/** Names of what programs make: no suffix, archives, pictures, objects, dumps, keys. */
const MADE =
  /(^|\/)(dump|backups?|dist|build|out|output|target|bin|tmp|coverage)\/|(^|\/)[\w-]{2,}$|\.(o|a|so|out|exe|bin|img|tar|tgz|gz|zip|xz|zst|bz2|7z|whl|png|jpe?g|svg|gif|webp|pdf|html?|mp4|mp3|wav|dump|sql|key|pem|crt|csr|pub|gpg|asc|patch|diff|pcap|iso|wasm|class|jar|trace)$/;

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
