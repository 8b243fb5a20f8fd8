/** How far a command reaches, as far as its words tell: beyond the project's tree, the machine, its own processes (MO-9). */
import { homedir } from 'node:os';
import { join, normalize } from 'node:path';
import { parse } from 'unbash';
import type { FileRead } from '../../contracts/gate.ts';
import { realFiles } from '../files.ts';
import { depthOf, MAX_COMMAND_CHARS, MAX_DEPTH } from '../limits.ts';
import { dispatch } from '../programs/dispatch.ts';
import { programName } from '../programs/name.ts';
import { isHarmlessTarget } from '../programs/paths.ts';
import { judgeRedirect } from '../programs/redirects.ts';
import { type FileContent, Reading } from '../reading.ts';
import { ShellInterpreter } from '../shell/interpreter.ts';
import { escapeMarks, hasUnknown, OWN_PROCESS, withoutTaint } from '../shell/taint.ts';
import type { Part, StaticVerdict } from '../verdict.ts';
import { addsFiles, isLeftOut, isTextTool, needsMore, runsCode } from './tables.ts';

export type Place = { readonly cwd: string; readonly tree: string };

/** One program call or redirection of a command. */
export type Step = {
  readonly part: Part;
  readonly program: string;
  /** What the gate thinks of it alone. */
  readonly verdict: StaticVerdict['verdict'];
  /** It can't do its work inside: the network, a socket, others' rights, or processes. */
  readonly beyond: boolean;
  /** A path outside the tree, of those that it may write to. */
  readonly outside: string | undefined;
  /** A private temporary directory's path that it names. */
  readonly temporary: boolean;
  /** It names a file of keys or passwords, of which the store keeps no copy. */
  readonly credential: boolean;
  /** Some word of it that may name what is written is not known. */
  readonly unknown: boolean;
  /** It runs code whose text was looked through here. */
  readonly code: boolean;
  /** It makes a link to a place outside, through which others may write. */
  readonly linksOut: boolean;
  /** That code goes where its text does not show. */
  readonly opaque: boolean;
};

/** Something is left running in the background. */
const SERVES = /[^&>|]&(\s|$)/;
const ENDS = /^(kill|pkill|killall|skill|xkill|fuser)$/;
/** Whose first operand is a program of their own: text, no path. */
const SCRIPTED = /^(sed|awk|perl|grep|jq|yq|tr)$/;
/** Whose last operand alone is written to. */
const TO_THE_LAST = /^(cp|install|ln)$/;
/** Options of those that say where to instead. */
const TARGET_DIRECTORY = /^(?:-t|--target-directory=?)(.*)$/;
const ARCHIVES = /^(tar|unzip|7z|cpio)$/;
const TEMPORARY = /^\/(tmp|var\/tmp|dev\/shm)(\/|$)/;
const READABLE_DEVICE = /^\/(dev\/(null|zero|full|std(in|out|err)|tty|fd|u?random)|proc\/self)(\/|$)/;
/** Words in code by which it talks to others, and the addresses that it may talk to in here. */
const TALKS =
  /\b(socket|requests|urllib\w*|httpx|aiohttp|fetch|axios|ftplib|smtplib|paramiko|http\.client|net\.connect|boto3|psycopg2|pymongo)\b|https?:\/\//;
const TALKS_HERE = /\b(localhost|127\.0\.0\.1|0\.0\.0\.0)\b/;
const FAR =
  /https?:\/\/(?!localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])|\b(boto3|smtplib|ftplib|paramiko|psycopg2|pymongo)\b/;
/** A word that is an address as a whole, for a program that opens what it is given; and programs that only print or search it. */
const ADDRESS = /^(--?[\w-]+=)?(?!file:|data:)[a-z][a-z0-9+.-]*:\/\/[^/]/;
/** By which the shell itself opens a connection. */
const CONNECTION = /^\/dev\/(tcp|udp)\//;
const PRINTS = /^(echo|printf|grep|git|test|\[|sed|awk|jq|yq)$/;
/** Code that has a shell fetch something. */
const CALLS_OUT = /\b(curl|wget|nc|ncat|ssh|scp)\s+[\w-]/;
/** By which it ends processes. */
const ENDS_IN_CODE = /\b(os\.kill|killpg|psutil|[Pp]rocess\.kill|posix_kill)\b|(?<![.\w$@%])kill\s*['"\d({}$@-]/;
/** By which it goes where its text does not show: the home, the environment, programs of their own. */
const OPAQUE =
  /\b(expanduser|Path\.home|homedir|environ|getenv|process\.env|subprocess|os\.system|popen|Popen|spawn\w*|execSync|exec[lv]p?e?|fork|child_process|ctypes|syscall|system|qx|IO\.popen|ENV)\b/;
/** What runs a program in these. */
const BACKTICKS = /^(perl|ruby|php)$/;
const SHELL_FILE = /^#![^\n]*\b(ba|da|z|k)?sh\b/;
const LITERAL = /["'`]((?:~|\.\.|\/)[^"'`\n]{0,300})["'`]|(?:^|[\s=:(,])((?:~|\.\.)?\/[^\s"'`|;&<>(){}]{1,300})/g;

class ReachShell extends ShellInterpreter {
  notes: StaticVerdict['verdict'][] = [];

  /** A verdict does not end the walk. */
  override note(verdict: StaticVerdict): void {
    this.notes.push(verdict.verdict);
  }

  get place(): Part {
    return this.part;
  }
}

/** What is known of files beside the command. */
export type Known = {
  /** Files that this session's actions made. */
  readonly own: ReadonlySet<string>;
  /** What the files hold that the command runs, as far as they were read. */
  readonly contents: ReadonlyMap<string, FileContent>;
};

export type Walk = {
  readonly steps: readonly Step[] /** Files that should be read as well. */;
  readonly wanted: ReadonlySet<string>;
};

/** Every call and redirection of a command; undefined where it can't be walked. Runs nothing. */
export function walk(command: string, { cwd, tree }: Place, { own, contents }: Known): Walk | undefined {
  if (command.length > MAX_COMMAND_CHARS || depthOf(command) > MAX_DEPTH) return undefined;
  const steps: Step[] = [];
  const reading = new Reading(contents);
  const shell = new ReachShell(
    {
      call(machine, fields, io, redirects) {
        // What the calls within it were found to be is theirs.
        const outer = shell.notes;
        shell.notes = [];
        const read = reading.reads.length;
        const part = shell.place;
        const here = machine.scope.cwd ?? cwd;
        const output = dispatch(machine, fields, io, redirects, new Set());
        const verdict = worst(shell.notes);
        shell.notes = outer;
        const loud = verdict !== 'safe';
        const [word = '', ...args] = fields.map(({ text }) => text);
        const program = programName(withoutTaint(word));
        const texts = textsOf(reading.reads.slice(read), contents);
        const code = [...(runsCode(program) ? [...args, io.stdin ?? ''] : []), ...texts];
        const has = (pattern: RegExp) => code.some((text) => pattern.test(text));
        const named = pathsIn(program, args, here);
        const away = loud || addsFiles(program) ? named.find((path) => isOutside(path, tree)) : undefined;
        const outside = away ?? (loud ? outsideIn(code, here, tree) : undefined);
        steps.push({
          part,
          program,
          verdict,
          beyond:
            needsMore(program, args.map(withoutTaint), SERVES.test(command)) ||
            (!isTextTool(program) && talks(code)) ||
            (loud && (has(CALLS_OUT) || has(ENDS_IN_CODE) || reachesOut(program, args))),
          outside,
          temporary: named.some((path) => TEMPORARY.test(path) && !isWithin(path, tree)),
          credential: named.some(isLeftOut),
          unknown: hasUnknown(word) || writtenWords(program, args).some(hasUnknown),
          code: texts.length > 0,
          linksOut: program === 'ln' && linksOut(args, here, tree),
          opaque: has(OPAQUE) || (BACKTICKS.test(program) && has(/`/)),
        });
        return output;
      },
      redirect(machine, redirect) {
        const connects = CONNECTION.test(redirect.target) && !TALKS_HERE.test(redirect.target);
        if ((!redirect.operator.includes('>') && !connects) || /^(\d+-?|-)$/.test(redirect.target)) return;
        const { verdict } = judgeRedirect(machine, redirect);
        const path = normalized(withoutTaint(redirect.target), machine.scope.cwd ?? cwd);
        const known = !hasUnknown(redirect.target);
        steps.push({
          part: redirect.part ?? shell.place,
          program: '',
          verdict: connects && verdict === 'safe' ? 'unknown' : verdict,
          beyond: connects,
          outside: known && isOutside(path, tree) ? path : undefined,
          temporary: known && TEMPORARY.test(path) && !isWithin(path, tree),
          credential: known && isLeftOut(path),
          unknown: !known,
          code: false,
          linksOut: false,
          opaque: false,
        });
      },
      assignment() {},
      definition() {},
    },
    { cwd, files: realFiles(), reading, own, source: command },
    new Set(),
  );
  shell.scope.set('HOME', homedir());
  try {
    const script = parse(escapeMarks(command));
    shell.runScript(script, { stdin: undefined });
    return script.errors?.length || shell.done ? undefined : { steps, wanted: reading.wanted };
  } catch {
    return undefined;
  }
}

/** Does it end processes of others, or open an address that is one of its words? */
function reachesOut(program: string, args: readonly string[]): boolean {
  const opens = !PRINTS.test(program) && args.some((word) => ADDRESS.test(word) && !TALKS_HERE.test(word));
  return opens || endsOthers(program, args);
}

function linksOut(args: readonly string[], here: string, tree: string): boolean {
  return args.some((word) => !word.startsWith('-') && isOutside(normalized(word, here), tree));
}

/** Whether a path lies where Project mode lets nothing be written, and is no harmless device. */
export function isOutside(path: string, tree: string): boolean {
  return !isWithin(path, tree) && !TEMPORARY.test(path) && !READABLE_DEVICE.test(path) && !isHarmlessTarget(path);
}

export function isWithin(path: string, tree: string): boolean {
  return path === tree || path.startsWith(tree === '/' ? tree : `${tree}/`);
}

function endsOthers(program: string, args: readonly string[]): boolean {
  if (!ENDS.test(program)) return false;
  const ids = args.filter((word) => !word.startsWith('-'));
  return program !== 'kill' || ids.length === 0 || ids.some((word) => word !== OWN_PROCESS && !/^%/.test(word));
}

function talks(code: readonly string[]): boolean {
  return code.some((text) => FAR.test(text) || (TALKS.test(text) && !TALKS_HERE.test(text)));
}

function worst(notes: readonly StaticVerdict['verdict'][]): StaticVerdict['verdict'] {
  return notes.includes('destructive') ? 'destructive' : notes.includes('unknown') ? 'unknown' : 'safe';
}

/** The files among them that hold code of another language than the shell's, whose calls are walked one by one. */
function textsOf(reads: readonly FileRead[], contents: ReadonlyMap<string, FileContent>): readonly string[] {
  return reads.flatMap(({ path }) => {
    const content = contents.get(path);
    return content?.kind === 'text'
      ? [SHELL_FILE.test(content.text) || /\.(sh|bash)$/.test(path) ? '' : content.text]
      : [];
  });
}

/** The words that may name what is written to: all, but where the program reads some of them for sure. */
function writtenWords(program: string, args: readonly string[]): readonly string[] {
  const operands = args.filter((word) => !word.startsWith('-'));
  if (SCRIPTED.test(program)) return args.filter((word) => word !== operands[0]);
  if (program === 'dd') return operands.filter((word) => word.startsWith('of='));
  if (TO_THE_LAST.test(program)) {
    const directories = args.flatMap((word, at) => {
      const given = TARGET_DIRECTORY.exec(word);
      return given ? [given[1] === '' ? (args[at + 1] ?? '') : (given[1] ?? '')] : [];
    });
    return [...operands.slice(-1), ...directories];
  }
  const unpacks = ARCHIVES.test(program) && !/^-?\w*[cruA]|^--(create|append|update|delete)/.test(args[0] ?? '');
  if (unpacks) return args.filter((_, at) => /^(-C|-d|--directory|-o)$/.test(args[at - 1] ?? ''));
  return args;
}

function pathsIn(program: string, args: readonly string[], cwd: string): readonly string[] {
  return writtenWords(program, args).flatMap((word) => {
    const text = withoutTaint(word);
    const value = /^--?[\w-]+=(.+)$/.exec(text)?.[1] ?? /^\w+=(\/.+)$/.exec(text)?.[1] ?? text;
    return /^-\w*$/.test(value) || value === '' || /\s/.test(value) ? [] : [normalized(value, cwd)];
  });
}

/** A path that lies outside, of those that stand in texts. */
export function outsideIn(code: readonly string[], cwd: string, tree: string): string | undefined {
  for (const text of code) {
    for (const [, quoted, bare] of text.matchAll(LITERAL)) {
      const path = normalized(quoted ?? bare ?? '', cwd);
      if (path !== '/' && isOutside(path, tree)) return path;
    }
  }
  return undefined;
}

function normalized(path: string, cwd: string): string {
  if (path === '~' || path.startsWith('~/')) return join(homedir(), path.slice(1));
  if (path.startsWith('~')) return path;
  const full = path.startsWith('/') ? normalize(path) : join(cwd, path);
  return full.length > 1 && full.endsWith('/') ? full.slice(0, -1) : full;
}
