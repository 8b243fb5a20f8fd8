import { join } from 'node:path';
import { parseJsonObject } from '../../text/json.ts';
import { UNKNOWN } from '../shell/taint.ts';
import { harmless } from '../verdict.ts';
import type { Call } from './call.ts';
import { runCode } from './code.ts';
import type { Handler } from './handler.ts';
import { recipesOf } from './makefile.ts';

/** Programs of the system whose names a dependency of the project could have taken. */
const SYSTEM_NAME =
  /^(\[|awk|bash|cat|cp|cut|date|echo|env|find|git|grep|head|ls|make|mkdir|mv|node|npm|npx|printf|python3?|rm|sed|sh|sleep|sort|tail|tar|test|touch|true|wc|xargs)$/;

/** Runners whose recipes stand in a file of the project: what would run is read and judged. */
export const PROJECT: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ['npm', runPackageScript],
  ['pnpm', runPackageScript],
  ['yarn', runPackageScript],
  ['make', runMake],
]);

/** The text of a file in the working directory; null: it is not there; undefined: not known. */
function textOf(call: Call, name: string): string | null | undefined {
  const { reading, scope, written } = call.machine;
  if (!reading || scope.cwd === undefined) return undefined;
  const path = join(scope.cwd, name);
  const made = written.get(path);
  if (made !== undefined) return made;
  if (reading.targets.has(path) || scope.made.has(path)) return undefined;
  const content = reading.look(path);
  return content?.kind === 'text' ? content.text : content?.kind === 'absent' ? null : undefined;
}

/** `npm test`, `npm run x`: the script with those before and after it, as package.json has them. */
function runPackageScript(call: Call): string | undefined {
  const words = call.args.map((field) => field.text).filter((word) => !/^(-s|--silent|--if-present)$/.test(word));
  const [sub = '', ...rest] = words;
  if (/^(npm|pnpm)$/.test(call.program) && words.length === 1 && /^(run|run-script)$/.test(sub)) return lists(call);
  const script = /^(run|run-script|rum)$/.test(sub) ? rest.shift() : scriptBehind(call.program, sub);
  if (script === undefined || script.startsWith('-') || (rest.length > 0 && rest[0] !== '--')) return undefined;
  const manifest = textOf(call, 'package.json');
  const scripts = typeof manifest === 'string' ? scriptsIn(manifest) : undefined;
  const plain = isPlainProject(call);
  if (scripts?.get(script) === undefined || !plain) return undefined;
  const extra = rest.slice(1).map(quoted).join(' ');
  for (const part of [`pre${script}`, script, `post${script}`]) {
    const text = scripts.get(part);
    if (text !== undefined) runText(call, part === script ? `${text} ${extra}` : text);
  }
  return UNKNOWN;
}

/** The script that a subcommand runs; yarn and pnpm take the name of a script for one of their own. */
function scriptBehind(program: string, sub: string): string | undefined {
  if (/^(t|tst)$/.test(sub)) return 'test';
  return /^(test|start|stop|restart)$/.test(sub) || (program !== 'npm' && SCRIPT_NAME.test(sub)) ? sub : undefined;
}

/** No settings of the project that may name another shell, and no dependency that took the name of a system program. */
function isPlainProject(call: Call): boolean {
  const settings = ['.npmrc', '.yarnrc', '.yarnrc.yml', '.pnpmfile.cjs'].map((file) => textOf(call, file));
  const { scope, reading } = call.machine;
  const bin = scope.cwd === undefined ? undefined : reading?.look(join(scope.cwd, 'node_modules', '.bin'));
  const shadowed =
    bin?.kind === 'directory' ? [...bin.names].some((found) => SYSTEM_NAME.test(found)) : bin?.kind !== 'absent';
  return !shadowed && settings.every((text) => text === null);
}

/** Without a name the scripts are listed. */
function lists({ machine }: Call): string {
  machine.note(harmless('only lists the scripts of the project'));
  if (machine.reading) machine.reading.accounted++;
  return UNKNOWN;
}

/** Usual names of scripts, none of them a subcommand. */
const SCRIPT_NAME = /^(build|dev|lint|typecheck|format|check|preview|serve|watch|coverage|e2e)(:[\w:-]+)?$/;

function scriptsIn(manifest: string): ReadonlyMap<string, string> | undefined {
  const scripts = parseJsonObject(manifest)?.scripts;
  if (typeof scripts !== 'object' || scripts === null) return undefined;
  const entries = Object.entries(scripts).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return new Map(entries);
}

/** `make`, `make target`: the recipes that would run, where the whole makefile can be read. */
function runMake(call: Call): string | undefined {
  const given = call.args.map((field) => field.text);
  const words = given.filter((word) => !SHOWS_ONLY.test(word));
  const targets = words.filter(
    (word) => !/^(-[skBj]+\d*|--silent|--keep-going|--always-make|--no-print-directory)$/.test(word),
  );
  if (targets.some((word) => !/^[A-Za-z_][\w.-]*$/.test(word))) return undefined;
  const texts = ['GNUmakefile', 'makefile', 'Makefile'].map((name) => textOf(call, name));
  if (texts.includes(undefined)) return undefined;
  const text = texts.find((found) => typeof found === 'string');
  const recipes = typeof text === 'string' ? recipesOf(text, targets) : undefined;
  if (!recipes) return undefined;
  if (words.length < given.length) {
    // `make -n` runs the lines that begin with a plus all the same.
    if (/^\t[@\-\s]*\+/m.test(text ?? '')) return undefined;
    call.machine.note(harmless('only shows what it would run'));
    if (call.machine.reading) call.machine.reading.accounted++;
    return UNKNOWN;
  }
  for (const line of recipes) runText(call, line);
  return UNKNOWN;
}

const SHOWS_ONLY = /^(-n|--dry-run|--just-print|--recon)$/;

function runText(call: Call, text: string): void {
  const { machine } = call;
  const { reading } = machine;
  machine.inSubshell(() => runCode(machine, text, { stdin: call.io.stdin ?? '' }));
  if (reading) reading.accounted++;
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
