import { pattern } from '../../text/pattern.ts';
import { type Field, plain } from '../shell/machine.ts';
import { runVariable } from '../shell/run-variables.ts';
import { FETCHED, FILE_TEXT, hasUnknown, UNKNOWN } from '../shell/taint.ts';
import { deletesNamed, destructive, harmless, unknown } from '../verdict.ts';
import { type Call, forAll, type Handler, type Handlers } from './call.ts';
import { runCode } from './code.ts';
import { judgeAssignment, judgeUnset } from './environment.ts';
import { type ProgramFacts, type Wrapper, words } from './record.ts';
import { recordOf, WRAPPER_NAMES } from './records/index.ts';

/** All wrappers that are described by their record. */
export const WRAPPERS: Handlers = Object.fromEntries(WRAPPER_NAMES.map((name) => [name, unwrap]));

/** Programs from npm packages that have rules. */
const PACKAGED =
  /^(rimraf|del-cli|del|trash|fkill|prisma|knex|sequelize|typeorm|shx|npkill|rm-cli|wrangler|vercel|firebase|netlify|serverless|sls|cdk|pm2|lerna)$/;

/** Judges `yarn rimraf dist`: a word that is not a subcommand may be a program of the project’s packages. */
function runBinary(call: Call): string | undefined {
  const { machine } = call;
  const found = unwrap(call);
  const at = call.args.findIndex((field) => !field.text.startsWith('-'));
  const word = call.args[at]?.text ?? '';
  if (found !== undefined || !PACKAGED.test(word)) return found;
  const inner = machine.watch(() => machine.runFields(call.args.slice(at), call.io));
  if (inner.verdict === 'destructive') machine.note(inner);
  return undefined;
}

/** Wrappers with special syntax. */
export const SPECIAL_WRAPPERS: Handlers = {
  env: runEnv,
  xargs: runXargs,
  parallel(call) {
    const { machine, io } = call;
    const words = call.args.map((field) => field.text);
    const lists = words.findIndex((word) => /^:::/.test(word));
    const own = lists < 0 ? words : words.slice(0, lists);
    let at = 0;
    while (at < own.length && (own[at] ?? '').startsWith('-')) {
      at +=
        /^(-j|--jobs|-I|--colsep|-S|--sshlogin|-a|--joblog|--results|--delay|--timeout|-N|-n|--workdir|-d|--retries|--load|--tagstring)$/.test(
          own[at] ?? '',
        )
          ? 2
          : 1;
    }
    const items = lists < 0 ? (io.stdin ?? UNKNOWN).split('\n').filter((line) => line !== '') : words.slice(lists + 1);
    const command = own.slice(at).join(' ');
    for (const item of items.slice(0, 8)) {
      const line =
        command === '' ? item : /\{[^ ]*\}/.test(command) ? command.replace(/\{[^ ]*?\}/g, item) : `${command} ${item}`;
      runCode(machine, line);
    }
    return UNKNOWN;
  },
  az(call) {
    const words = call.args.map((field) => field.text);
    const at = words.findIndex((word) => /^--(scripts|exec-command|command-to-execute|cmd|command)$/.test(word));
    if (at < 0) return undefined;
    const end = words.findIndex((word, index) => index > at + 1 && word.startsWith('-'));
    return runCode(call.machine, words.slice(at + 1, end < 0 ? undefined : end).join('\n'), call.io);
  },
  nix(call) {
    const found = unwrap(call);
    const [sub, flake = ''] = call.operands.map((operand) => operand.text);
    const dashes = call.args.findIndex((field) => field.text === '--');
    if (sub !== 'run' || dashes < 0) return found;
    // The attribute usually names the program.
    const program = plain(flake.slice(flake.search(/[#.](?!.*[#.])/) + 1));
    const inner = call.machine.watch(() => call.machine.runFields([program, ...call.args.slice(dashes + 1)], call.io));
    if (inner.verdict === 'destructive') call.machine.note(inner);
    return undefined;
  },
  ...Object.fromEntries(['yarn', 'pnpm'].map((name): [string, Handler] => [name, runBinary])),
  flatpak(call) {
    const program = call.value('--command');
    if (call.operands[0]?.text !== 'run' || program === undefined) return undefined;
    return call.machine.runFields([plain(program), ...call.operands.slice(2)], call.io);
  },
  find: (call) => runFind(call),
  fd(call) {
    const at = call.args.findIndex((field) => /^(-x|-X|--exec|--exec-batch)$/.test(field.text));
    return at < 0 ? UNKNOWN : call.machine.runFields(withUnknown(call.args.slice(at + 1), FOUND), { stdin: '' });
  },
  tmux(call) {
    const chained = tmuxCommands(call.args);
    if (chained.length > 1) {
      for (const words of chained) call.machine.runFields([plain('tmux'), ...words], call.io);
      return UNKNOWN;
    }
    // A tmux format runs the command inside `#(…)`.
    if (call.args.some(({ text }) => text.includes('#('))) call.machine.note(unknown('a format that runs a command'));
    const [, ...rest] = call.operands;
    const sub = call.operands[0]?.text ?? '';
    if (/^kill-(server|session|window|pane)$|^kill/.test(sub)) return undefined;
    if (/^(send-keys|send)$/.test(sub)) {
      const words = call.args.map((field) => field.text);
      const at = words.indexOf(sub);
      const keys = words
        .slice(at + 1)
        .filter(
          (word, index, all) =>
            word !== '-t' && all[index - 1] !== '-t' && !/^(Enter|C-m|C-j|Space|-l|-X|-R)$/.test(word),
        );
      return runCode(call.machine, keys.join(' '));
    }
    if (
      /^(new|new-session|neww|new-window|splitw|split-window|respawn-pane|run|run-shell|if|if-shell|popup|display-popup|pipe-pane)$/.test(
        sub,
      )
    ) {
      const code = rest.map((operand) => operand.text).join(' ');
      if (code !== '') return runCode(call.machine, code);
    }
    return UNKNOWN;
  },
  screen(call) {
    const words = call.args.map((field) => field.text);
    const x = words.indexOf('-X');
    if (x >= 0) {
      if (words.slice(x).some((word) => /^(quit|kill)$/.test(word)))
        call.machine.note(destructive('terminal session', 'ends a terminal session'));
      if (words[x + 1] === 'stuff')
        return runCode(
          call.machine,
          words
            .slice(x + 2)
            .join(' ')
            .replace(/\\n|\\r|\^M/g, '\n'),
          { stdin: '' },
        );
      return UNKNOWN;
    }
    const at = words.findIndex(
      (word, index) => !word.startsWith('-') && !/^-(S|c|t|h|T)$|^-\w*S$/.test(words[index - 1] ?? ''),
    );
    return at >= 0 ? call.machine.runFields(call.args.slice(at), { stdin: '' }) : UNKNOWN;
  },
};

/** Judges `env A=1 -u B cmd`: assignments and options, then the command; `-S` splits one word into the command. */
function runEnv({ machine, args, io }: Call): string {
  for (let at = 0; at < args.length; at++) {
    const text = args[at]?.text ?? '';
    const split = /^(?:-[iv0]*S|--split-string=?)([\s\S]*)$/.exec(text);
    if (split) {
      const code = [split[1] || (args[++at]?.text ?? ''), ...args.slice(at + 1).map((field) => field.text)].join(' ');
      return runCode(machine, code, io);
    }
    const [, name, value = ''] = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(text) ?? [];
    if (name !== undefined) {
      machine.note(judgeAssignment(machine, name, value, true));
      machine.scope.set(name, value);
      runVariable(machine, name, value);
    } else if (/^(-C|--chdir)$/.test(text)) at++;
    else if (/^(-u|--unset)$/.test(text)) machine.note(judgeUnset(args[++at]?.text ?? ''));
    else if (/^(-u|--unset=)/.test(text)) machine.note(judgeUnset(text.replace(/^(-u|--unset=)/, '')));
    else if (text !== '-' && !text.startsWith('-')) return machine.runFields(args.slice(at), io);
  }
  return UNKNOWN;
}

function runXargs({ machine, args, io }: Call): string {
  const { at, replace } = readXargs(args);
  const command = args.slice(at);
  if (command.length === 0) return UNKNOWN;
  const own = args.slice(0, at).map((field) => field.text);
  const stdin = io.stdin ?? UNKNOWN;
  if (replace === undefined) return machine.runFields([...command, ...itemsOf(own, stdin).map(plain)], { stdin: '' });
  const lines = hasUnknown(stdin) ? [] : stdin.split('\n').filter((line) => line !== '');
  for (const line of lines.length === 0 ? [UNKNOWN] : lines.slice(0, 8)) {
    machine.runFields(
      command.map(({ text, glob }) => ({ text: text.replaceAll(replace, line), glob })),
      { stdin: '' },
    );
  }
  return UNKNOWN;
}

/** Returns where the command of xargs begins, and the placeholder for the items read. */
function readXargs(args: readonly Field[]): { readonly at: number; readonly replace: string | undefined } {
  let at = 0;
  let replace: string | undefined;
  for (; at < args.length; at++) {
    const text = args[at]?.text ?? '';
    if (!text.startsWith('-')) break;
    if (text === '-I') replace = args[++at]?.text ?? '{}';
    else if (text.startsWith('-I')) replace = text.slice(2);
    else if (/^(-i|--replace)/.test(text)) replace = text.replace(/^(-i|--replace=?)/, '') || '{}';
    else if (
      /^-[0-9a-zA-Z]*[nPLdasE]$/.test(text) ||
      /^--(max-args|max-procs|max-lines|delimiter|arg-file|max-chars)$/.test(text)
    )
      at++;
  }
  return { at, replace };
}

/** Returns the words that xargs appends to its command. */
function itemsOf(own: readonly string[], stdin: string): readonly string[] {
  if (own.some((word) => /^(-a|--arg-file)/.test(word)) || hasUnknown(stdin))
    return [UNKNOWN, ...(takesOne(own) ? [] : [UNKNOWN])];
  const given = (option: RegExp) => own.some((word) => option.test(word));
  const separator = given(/^(-\w*0|--null)$/) ? '\0' : given(/^(-d|--delimiter)/) ? '\n' : /[\s\0]+/;
  return stdin.split(separator).filter((item) => item !== '');
}

/** Splits `tmux ls \\; kill-server`: a semicolon, alone or at the end of a word, ends a command. */
function tmuxCommands(args: readonly Field[]): readonly Field[][] {
  const out: Field[][] = [[]];
  for (const field of args) {
    const ends = /(?<!\\);$/.test(field.text);
    const text = ends ? field.text.slice(0, -1) : field.text;
    if (text !== '') out.at(-1)?.push({ ...field, text });
    if (ends) out.push([]);
  }
  return out.filter((words) => words.length > 0);
}

/** Returns whether the command gets one word at a time: `xargs -n1`. */
function takesOne(own: readonly string[]): boolean {
  return own.some(
    (word, at) => /^(-n1|--max-args=1)$/.test(word) || (/^(-n|--max-args)$/.test(word) && own[at + 1] === '1'),
  );
}

/** Returns the command with `{}` replaced by the unknown item; without `{}` the item comes last. */
function withUnknown(fields: readonly Field[], found: string): Field[] {
  const end = fields.findIndex((field) => field.text === ';' || field.text === '+');
  const words = (end < 0 ? fields : fields.slice(0, end)).map(({ text, glob }) => ({
    text: text.replace(/\{[./]*\}/g, found),
    glob,
  }));
  return words.some((field) => field.text.includes(UNKNOWN)) ? words : [...words, plain(found)];
}

/** The placeholder for a name that a search finds. */
export const FOUND = `./${UNKNOWN}`;

function runFind(call: Call): undefined {
  const { machine, args } = call;
  for (let at = 0; at < args.length; at++) {
    const text = args[at]?.text ?? '';
    if (/^-(exec|execdir|ok|okdir)$/.test(text)) {
      const command = withUnknown(args.slice(at + 1), FOUND);
      const found = machine.watch(() =>
        machine.inSubshell(() => {
          // The directory of the found file.
          if (text.endsWith('dir')) machine.scope.cwd = undefined;
          return machine.runFields(command, { stdin: '' });
        }),
      );
      machine.note(deletesNamed(found) ? destructive('find -exec rm') : found);
    }
  }
}

/** A wrapper’s record with its words as sets. */
type Compiled = {
  readonly row: Wrapper;
  readonly subs: ReadonlySet<string> | undefined;
  readonly values: ReadonlySet<string>;
  readonly code: ReadonlySet<string>;
  readonly after: ReadonlySet<string>;
  readonly idle: ReadonlySet<string>;
};

/** The result where no command is left to run: the output of the call, or undefined if it was not a wrapper call. */
type Ended = { readonly output: string | undefined };

const NO_WRAPPER: Ended = { output: undefined };

/** Compiled records, made on first use. */
const COMPILED = new Map<ProgramFacts, Compiled>();

function compiled(facts: ProgramFacts, row: Wrapper): Compiled {
  const known = COMPILED.get(facts);
  if (known) return known;
  const made: Compiled = {
    row,
    subs: row.sub === undefined ? undefined : new Set(row.sub.split('|')),
    values: row.values === undefined ? facts.values : new Set(words(row.values)),
    code: new Set(words(row.code)),
    after: new Set(words(row.after)),
    idle: new Set(words(row.idle)),
  };
  COMPILED.set(facts, made);
  return made;
}

/** Judges the command in a wrapper at the place where it will run; undefined if this call has none. */
function unwrap(call: Call): string | undefined {
  const { wraps } = call.facts;
  if (!wraps) return undefined;
  const wrapper = compiled(call.facts, wraps);
  if (!wrapper.row.elsewhere) return unwrapHere(call, wrapper);
  return call.machine.inSubshell(() => {
    call.machine.scope.leaveFor('machine');
    const output = unwrapHere(call, wrapper);
    // A file on that machine comes over the network.
    return /^(ssh|rsh|tsh|sshpass)$/.test(call.program) ? output?.replaceAll(FILE_TEXT, FETCHED) : output;
  });
}

function unwrapHere(call: Call, wrapper: Compiled): string | undefined {
  const { machine, args, io } = call;
  const { row } = wrapper;
  const start = commandStart(call, wrapper);
  if (typeof start !== 'number') return start.output;
  if (row.onlyCode) return undefined;
  const rest = args.slice(start);
  if (rest.length === 0) return row.sub ? undefined : idleWrapper(call);
  if (row.python) return machine.runFields(byPython(call, rest), io);
  if (row.as !== undefined) return machine.runFields([plain(row.as), ...rest], io);
  if (row.joined || (row.joinedAlone && /\s/.test(rest[0]?.text ?? ''))) return runCode(machine, joined(rest), io);
  return machine.runFields(rest, io);
}

/** Returns which words of `uv run x.py` name code instead of a program. */
function byPython({ machine }: Call, words: readonly Field[]): readonly Field[] {
  const first = words[0]?.text ?? '';
  if (/^\w+:\/\//.test(first)) machine.note(unknown('fetches code and runs it', { unresolved: true }));
  return first === '-' || /\.py[wc]?$|:\/\//i.test(first) ? [plain('python'), ...words] : words;
}

/** Returns the index of the command’s first word. */
function commandStart(call: Call, wrapper: Compiled): number | Ended {
  const { args } = call;
  let { subs } = wrapper;
  let skip = wrapper.row.skip ?? 0;
  for (let at = 0; at < args.length; at++) {
    const { text } = args[at] as Field;
    if (text === '--') return subs ? NO_WRAPPER : afterDashes(call, wrapper, at, skip);
    if (text === '-' && wrapper.row.dash) continue;
    if (text.startsWith('-') && text !== '-') {
      const taken = ownOption(call, wrapper, text, at);
      if (typeof taken !== 'number') return taken;
      at += taken;
    } else if (subs) {
      if (!subs.has(text)) return NO_WRAPPER;
      subs = undefined;
    } else if (!assigns(call, wrapper, text) && skip-- <= 0) return at;
  }
  return subs ? NO_WRAPPER : args.length;
}

function afterDashes(call: Call, { row }: Compiled, at: number, skip: number): number | Ended {
  const { machine, args, io } = call;
  if (row.remote !== undefined && args.slice(0, at).some(({ text }) => text === row.remote))
    return { output: runCode(machine, joined(args.slice(at + 1)), io) };
  return at + 1 + (skip > 0 && skip < 99 ? skip : 0);
}

/** Returns how many further words one option of the wrapper takes. */
function ownOption(call: Call, wrapper: Compiled, text: string, at: number): number | Ended {
  const { machine, args, io } = call;
  const { values, code, after, idle } = wrapper;
  const equals = text.indexOf('=');
  const name = equals >= 0 ? text.slice(0, equals) : text;
  const cluster = clusterEnd(text);
  if (code.has(name) || code.has(cluster)) {
    const inline = equals >= 0 && text.startsWith('--') ? text.slice(equals + 1) : undefined;
    return { output: runCode(machine, inline ?? args[at + 1]?.text ?? '', io) };
  }
  if (after.has(name)) return { output: runRest(call, wrapper, args.slice(at + 1)) };
  if (idle.has(name)) return { output: call.program === 'command' ? `/usr/bin/${args.at(-1)?.text ?? ''}\n` : UNKNOWN };
  if (values.has(name)) return name === text ? 1 : 0;
  return !text.startsWith('--') && values.has(cluster) && cluster !== text ? 1 : 0;
}

function runRest({ machine, io }: Call, { row }: Compiled, rest: readonly Field[]): string {
  return row.joined ? runCode(machine, joined(rest), io) : machine.runFields(rest, io);
}

/** Judges assignments before the command: `sudo A=1 cmd`. */
function assigns({ machine }: Call, { row }: Compiled, text: string): boolean {
  const assigned = row.joined ? null : /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(text);
  if (assigned) machine.note(judgeAssignment(machine, assigned[1] ?? '', assigned[2] ?? '', true));
  return assigned !== null;
}

function joined(fields: readonly Field[]): string {
  return fields.map((field) => field.text).join(' ');
}

/** Returns the last letter of a cluster as an option: `-lc` may end in `-c`. */
function clusterEnd(text: string): string {
  return /^-[A-Za-z]{2,}$/.test(text) ? `-${text.at(-1)}` : text;
}

function idleWrapper(call: Call): string {
  const { machine, program, io } = call;
  if (program === 'ssh' && call.args.some((field) => /^-(V|T|Q|G|O)$/.test(field.text)) && io.stdin === undefined)
    return UNKNOWN;
  if (call.facts.wraps?.session) {
    if (io.stdin !== undefined && io.stdin !== '') return runCode(machine, io.stdin);
    machine.note(unknown('starts a session'));
  }
  return UNKNOWN;
}

/** Git settings whose value is a command. */
const RUN_SETTING = pattern(
  String.raw`
    ^(core\.(sshcommand|pager|editor|fsmonitor|hookspath|gitproxy|askpass)|sequence\.editor|diff\.external
    |diff\..+\.(command|textconv)|pager\..+|filter\..+\.(clean|smudge|process)|merge\..+\.driver
    |credential\.helper|gpg\.program|uploadpack\..+|receive\..+)$
  `,
  'i',
);

/** A setting on the command line whose value is a command. */
const SET_BY_OPTION =
  /^(alias\.[\w-]+|core\.(?:sshCommand|pager|editor|fsmonitor|hooksPath)|sequence\.editor|diff\.external|pager\.\w+|credential\.helper|filter\.\w+\.(?:clean|smudge)|merge\.\w+\.driver)=([\s\S]*)$/i;

/** Git options, settings and subcommands that contain a command. */
export const GIT: Handlers = {
  git(call) {
    runSettings(call);
    const [sub = '', second = ''] = call.operands.map((operand) => operand.text);
    const at = call.args.findIndex((field) => field.text === second);
    RUNNING.get(sub)?.(call, second, call.args.slice(at + 1));
    return undefined;
  },
};

/** Judges `git -c alias.x=!cmd x`. */
function runSettings({ machine, options, operands }: Call): void {
  for (const setting of options.values.get('-c') ?? []) {
    const [, name = '', code = ''] = SET_BY_OPTION.exec(setting) ?? [];
    if (name === '') continue;
    if (!name.startsWith('alias.')) runCode(machine, code.replace(/^!/, ''));
    else if (code.startsWith('!'))
      runCode(machine, [code.slice(1), ...operands.slice(1).map(({ text }) => text)].join(' '), { stdin: '' });
    else runCode(machine, `git ${code}`);
  }
}

/** Subcommands that contain a command; `rest`: the words after the one that follows the subcommand. */
const RUNNING = new Map<string, (call: Call, second: string, rest: readonly Field[]) => void>(
  Object.entries({
    config({ machine, operands }: Call, setting: string) {
      const value = operands[2]?.text;
      if (value === undefined) return;
      if (/^alias\./.test(setting) && value.startsWith('!')) {
        machine.note(unknown('defines an alias that runs a command'));
        runCode(machine, value.slice(1));
      }
      if (!RUN_SETTING.test(setting)) return;
      machine.note(unknown('sets a command that git will run'));
      const inner = machine.watch(() => runCode(machine, `${value.replace(/^!/, '')} ${UNKNOWN}`));
      if (inner.verdict === 'destructive') machine.note(inner);
    },
    bisect({ machine }: Call, second: string, rest: readonly Field[]) {
      if (second === 'run') machine.runFields(rest, { stdin: '' });
    },
    submodule({ machine }: Call, second: string, rest: readonly Field[]) {
      const words = rest.map(({ text }) => text).filter((text) => text !== '--recursive' && text !== '--quiet');
      if (second === 'foreach') runCode(machine, words.join(' '));
    },
    rebase(call: Call) {
      const at = call.args.findIndex((field) => /^(-x|--exec)$/.test(field.text));
      const code = call.value('--exec', '-x') ?? (at >= 0 ? call.args[at + 1]?.text : undefined);
      if (code !== undefined) runCode(call.machine, code);
    },
  }),
);

/** Returns the options with a value that may precede the inner command, from the records. */
function valuesOf(program: string, subcommands: readonly string[]): ReadonlySet<string> {
  const record = recordOf(program);
  const levels = [record, ...subcommands.map((name) => record?.subs?.get(name))];
  const options = levels.flatMap((level) => [...(level?.options ?? [])]);
  return new Set(options.flatMap(([name, { value }]) => (value === 'required' ? [name] : [])));
}

const DECIDES =
  /^(PATH|LD_\w+|BASH_ENV|ENV|SHELLOPTS|NODE_OPTIONS|PYTHON(PATH|STARTUP|HOME)|PERL5(OPT|LIB)|RUBY(OPT|LIB)|JAVA_TOOL_OPTIONS|GIT_(?!AUTHOR|COMMITTER)\w+)=/;

/** Containers: a command inside is judged as if it ran outside, since the container’s data may matter as much. */
export const CONTAINERS: Handlers = {
  ...forAll('docker docker-compose', (call) => {
    const values = valuesOf('docker', ['run', 'compose']);
    const at = subcommand(call.args, values, /^(container|compose|sandbox)$/);
    const sub = call.args[at]?.text ?? '';
    if (sub !== 'exec' && sub !== 'run') return undefined;
    return runInside(call, at, values, true);
  }),
  ...forAll('kubectl oc k3s microk8s', (call) => {
    const values = valuesOf('kubectl', ['exec', 'run', 'debug']);
    const at = subcommand(call.args, values, /^kubectl$/);
    const sub = call.args[at]?.text ?? '';
    if (sub !== 'exec' && sub !== 'run' && sub !== 'rsh' && sub !== 'debug') return undefined;
    const dashes = call.args.findIndex((field) => field.text === '--');
    if (dashes >= 0) return inside(call, call.args.slice(dashes + 1));
    return runInside(call, at, values, false);
  }),
};

/** Returns the index of the subcommand, after global options and group words. */
function subcommand(args: readonly Field[], values: ReadonlySet<string>, group: RegExp): number {
  let at = 0;
  for (; at < args.length; at++) {
    const text = args[at]?.text ?? '';
    if (text.startsWith('-')) {
      if (values.has(text)) at++;
    } else if (!group.test(text)) break;
  }
  return at;
}

/**
 * Returns where the inner command begins. `ends`: options end at the first operand, which is the image or container.
 */
function commandAt({ args, machine }: Call, from: number, values: ReadonlySet<string>, ends: boolean): number {
  let named = false;
  let at = from;
  for (; at < args.length && !(named && ends); at++) {
    const text = args[at]?.text ?? '';
    if (text.startsWith('-') && text !== '-') {
      const variable = variableSet(text, args[at + 1]?.text);
      if (DECIDES.test(variable ?? ''))
        machine.note(unknown('sets a variable in the container that decides what runs'));
      if (values.has(text) || (/^-[a-z]{2,}$/.test(text) && values.has(`-${text.at(-1)}`))) at++;
    } else if (named) break;
    else named = true;
  }
  return at;
}

function runInside(call: Call, from: number, values: ReadonlySet<string>, ends: boolean): string {
  const { args, machine } = call;
  const at = commandAt(call, from + 1, values, ends);
  const rest = args.slice(at);
  const entrypoint = entrypointIn(args.slice(from + 1, at));
  if (entrypoint) return inside(call, [{ text: entrypoint, glob: false }, ...rest]);
  if (rest.length > 0) return inside(call, rest);
  if (call.io.stdin !== undefined && call.io.stdin !== '') return inside(call, [{ text: 'sh', glob: false }]);
  machine.note(args[from]?.text === 'exec' ? unknown('starts a session') : harmless('starts a container'));
  return UNKNOWN;
}

/** Parses `-e A=b`, `-eA=b` and `--env=A=b`. */
function variableSet(text: string, next: string | undefined): string | undefined {
  return /^(-\w*e|--env)$/.test(text) ? next : /^(?:-\w*e=?|--env=)(\w+=[\s\S]*)$/.exec(text)?.[1];
}

/** Returns the program that replaces the image’s own; if repeated, the last one. */
function entrypointIn(own: readonly Field[]): string | undefined {
  const at = own.findLastIndex(({ text }) => text === '--entrypoint' || text.startsWith('--entrypoint='));
  return own[at]?.text === '--entrypoint' ? own[at + 1]?.text : own[at]?.text.slice(13);
}

function inside(call: Call, fields: readonly Field[]): string {
  const { machine } = call;
  return machine.inSubshell(() => {
    machine.scope.leaveFor('container');
    return machine.runFields(fields, call.io);
  });
}
