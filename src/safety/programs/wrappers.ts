import { type Field, plain } from '../shell/machine.ts';
import { runVariable } from '../shell/run-variables.ts';
import { CREDENTIAL, hasUnknown, marksOf, UNKNOWN } from '../shell/taint.ts';
import { destructive, unknown } from '../verdict.ts';
import type { Call } from './call.ts';
import { runAside, runCode } from './code.ts';
import { judgeAssignment, judgeUnset } from './environment.ts';
import type { Handler, Handlers } from './handler.ts';
import { WRAPPER_NAMES } from './records/index.ts';
import { foundBy } from './selections.ts';
import { unwrap } from './unwrap.ts';

/** All wrappers that follow their record. */
export const WRAPPERS: Handlers = Object.fromEntries(WRAPPER_NAMES.map((name) => [name, unwrap]));

/** Programs out of npm packages that rows know. */
const PACKAGED =
  /^(rimraf|del-cli|del|trash|fkill|prisma|knex|sequelize|typeorm|shx|npkill|rm-cli|wrangler|vercel|firebase|netlify|serverless|sls|cdk|pm2|lerna)$/;

/** `yarn rimraf dist`: a word that is no subcommand may be a program of the project's packages. */
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

/** Wrappers with a way of their own. */
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
      runAside(machine, line);
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
    // `nix run nixpkgs#coreutils -- rm x`: the attribute names the program, mostly.
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
    return at < 0
      ? UNKNOWN
      : call.machine.runFields(withUnknown(call.args.slice(at + 1), foundBy(call)), { stdin: '' });
  },
  tmux(call) {
    const chained = tmuxCommands(call.args);
    if (chained.length > 1) {
      for (const words of chained) call.machine.runFields([plain('tmux'), ...words], call.io);
      return UNKNOWN;
    }
    // A format runs what stands in `#(…)`.
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
      return runCode(call.machine, keys.join(' '), { stdin: '' });
    }
    if (
      /^(new|new-session|neww|new-window|splitw|split-window|respawn-pane|run|run-shell|if|if-shell|popup|display-popup|pipe-pane)$/.test(
        sub,
      )
    ) {
      const code = rest.map((operand) => operand.text).join(' ');
      if (code !== '') return runCode(call.machine, code, { stdin: '' });
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

/** `env A=1 -u B cmd`: assignments and options of its own, then the command; `-S` takes all of it out of one word. */
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
  let out = '';
  for (const line of lines.length === 0 ? [UNKNOWN + marksOf(stdin)] : lines.slice(0, 8)) {
    out += machine.runFields(
      command.map(({ text, glob }) => ({ text: text.replaceAll(replace, line), glob })),
      { stdin: '' },
    );
  }
  return UNKNOWN + marksOf(out);
}

/** Where the command of xargs begins, and the word that stands for what is read. */
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

/** The words that xargs puts behind its command. */
function itemsOf(own: readonly string[], stdin: string): readonly string[] {
  if (own.some((word) => /^(-a|--arg-file)/.test(word)) || hasUnknown(stdin))
    return [UNKNOWN + marksOf(stdin), ...(takesOne(own) ? [] : [UNKNOWN])];
  const given = (option: RegExp) => own.some((word) => option.test(word));
  const separator = given(/^(-\w*0|--null)$/) ? '\0' : given(/^(-d|--delimiter)/) ? '\n' : /[\s\0]+/;
  return stdin.split(separator).filter((item) => item !== '');
}

/** `tmux ls \\; kill-server`: a semicolon, alone or at the end of a word, ends a command. */
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

/** `xargs -n1`: the command gets one word at a time. */
function takesOne(own: readonly string[]): boolean {
  return own.some(
    (word, at) => /^(-n1|--max-args=1)$/.test(word) || (/^(-n|--max-args)$/.test(word) && own[at + 1] === '1'),
  );
}

/** The command with `{}` as what is found stands for it; where it does not say so, that comes last. */
function withUnknown(fields: readonly Field[], found: string): Field[] {
  const end = fields.findIndex((field) => field.text === ';' || field.text === '+');
  const words = (end < 0 ? fields : fields.slice(0, end)).map(({ text, glob }) => ({
    text: text.replace(/\{[./]*\}/g, found),
    glob,
  }));
  return words.some((field) => field.text.includes(UNKNOWN)) ? words : [...words, plain(found)];
}

function runFind(call: Call): string | undefined {
  const { machine, args } = call;
  let shown = '';
  for (let at = 0; at < args.length; at++) {
    const text = args[at]?.text ?? '';
    if (/^-(exec|execdir|ok|okdir)$/.test(text)) {
      const command = withUnknown(args.slice(at + 1), foundBy(call));
      const found = machine.watch(() => {
        shown += machine.inSubshell(() => {
          // Where the found file lies.
          if (text.endsWith('dir')) machine.scope.cwd = undefined;
          return machine.runFields(command, { stdin: '' });
        });
      });
      machine.note(/^rm\b/.test(found.rule ?? '') ? destructive('find -exec rm') : found);
    }
  }
  return shown.includes(CREDENTIAL) ? UNKNOWN + CREDENTIAL : undefined;
}
