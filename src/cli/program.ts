/** Parses the command line. The only module that knows the subcommands (CL-1). */
import { resolve } from 'node:path';
import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import type { GlobalOptions, SessionWish } from '../app/options.ts';
import type { FleetCarrier } from '../contracts/fleet.ts';
import { AGENTS, type Agent } from '../knowledge/programs.ts';
import { MODES } from '../session/ids.ts';
import { visible } from '../text/sanitize.ts';
import type { AttachedFile } from './attachments.ts';
import type { ConfigWish } from './config.ts';
import { EXIT } from './exit-codes.ts';
import type { HaltPolicy } from './headless.ts';
import type { LoginWish } from './mcp-login.ts';
import type { McpWish } from './mcp-servers.ts';
import type { UndoWish } from './undo.ts';
import type { UninstallWish } from './uninstall.ts';

export type Invocation =
  | { readonly kind: 'screen'; readonly global: GlobalOptions; readonly session: SessionWish }
  | {
      readonly kind: 'run';
      readonly global: GlobalOptions;
      readonly goal: string;
      readonly json: boolean;
      readonly onHalt: HaltPolicy;
      /** Hosts that Project may connect to, with or without a port. */
      readonly net: readonly string[];
      readonly leave: readonly string[];
      readonly fleet?: FleetOptions;
      readonly seconds?: number;
      readonly files: readonly AttachedFile[];
    }
  | {
      readonly kind: 'ask';
      readonly global: GlobalOptions;
      readonly question: string;
      readonly json: boolean;
      readonly seconds?: number;
      readonly files: readonly AttachedFile[];
    }
  | {
      readonly kind: 'safetyCheck';
      readonly global: GlobalOptions;
      readonly command: string;
      readonly jsonl: boolean;
      readonly strict: boolean;
    }
  | { readonly kind: 'route'; readonly line: string; readonly jsonl: boolean; readonly known?: string }
  | { readonly kind: 'secretsCheck'; readonly text: string; readonly jsonl: boolean }
  | { readonly kind: 'sessions'; readonly global: GlobalOptions }
  | { readonly kind: 'sandbox'; readonly argv: readonly string[]; readonly mode: 'restricted' | 'project' }
  | { readonly kind: 'try'; readonly global: GlobalOptions; readonly argv: readonly string[]; readonly json: boolean }
  | { readonly kind: 'undo'; readonly global: GlobalOptions; readonly wish: UndoWish }
  | { readonly kind: 'doctor'; readonly global: GlobalOptions; readonly json: boolean }
  | { readonly kind: 'config'; readonly wish: ConfigWish }
  | { readonly kind: 'uninstall'; readonly wish: UninstallWish }
  | { readonly kind: 'acp'; readonly global: GlobalOptions; readonly session: boolean }
  | { readonly kind: 'mcpLogin'; readonly global: GlobalOptions; readonly login: LoginWish }
  | { readonly kind: 'mcpServe'; readonly global: GlobalOptions }
  | { readonly kind: 'mcp'; readonly global: GlobalOptions; readonly wish: McpWish }
  | {
      readonly kind: 'guard';
      readonly what: 'print' | 'doctor' | 'allow';
      readonly agent?: Agent;
      readonly strict: boolean;
    };

type RawOptions = GlobalOptions & SessionWish;

/** Parses the arguments. `--help`, `--version` and usage errors end the program here, with commander's messages. */
export function parseArguments(argv: readonly string[], version: string): Invocation {
  const { program, chosen } = commandLine(version);
  program.parse(argv, { from: 'user' });
  const invocation = chosen();
  if (!invocation) throw new Error('no command was chosen');
  return invocation;
}

/** Returns the whole command line, and a function for the parsed invocation. The man page is generated from it. */
export function commandLine(version: string): { program: Command; chosen: () => Invocation | undefined } {
  let chosen: Invocation | undefined;
  const program = new Command('aish-tui')
    .description('A shell, a conversation with a language model and an autonomous agent on one screen.')
    .version(version)
    // Wrong arguments exit with the usage code; help and version exit with 0.
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? EXIT.ok : EXIT.usage))
    .enablePositionalOptions()
    .option('--config <file>', 'configuration file (default ~/.config/aish/config.jsonc)')
    .option('--model <preset>', 'start with this model preset')
    .addOption(new Option('--mode <mode>', 'start in this mode').choices(MODES))
    .option('--cwd <directory>', 'work there')
    .option('--inline', "draw below your shell and keep the terminal's scrollback")
    .option('--resume [id]', "resume this directory's last session, or the given one")
    .option('--fork', 'with --resume: continue in a copy, even of a session that is open elsewhere')
    .addHelpText('after', AFTER)
    .action(() => {
      const [word] = program.args;
      if (word !== undefined)
        program.error(`error: there is no command ${visible(word)}; --help lists them, and ask takes a question`);
      const { resume, fork } = program.opts<RawOptions>();
      if (fork && resume === undefined)
        program.error('--fork continues a copy of a session: name the session with --resume');
      const session = { ...(resume === undefined ? {} : { resume }), ...(fork ? { fork } : {}) };
      chosen = { kind: 'screen', global: globalOf(program), session };
    });
  const run = program
    .command('run')
    .description('work toward a goal without a screen (Norris), here or on other machines')
    .argument('[goal...]', 'what to do; - reads it from standard input')
    .option('--json', 'one JSON object per line', false)
    .option('--model <preset>', 'the preset')
    .addOption(new Option('--mode <mode>', 'the mode').choices(MODES))
    .option('--cwd <directory>', 'work there')
    .option('--timeout <time>', 'stop after this time: 90, 90s, 10m, 2h', secondsOf)
    .addOption(
      new Option('--on-halt <what>', 'the answer to a HALT; try prints what the command would change and stops')
        .choices(['abort', 'skip', 'try'])
        .default('abort'),
    )
    .option('--net <host>', 'let Project connect to HOST[:PORT]; may be repeated', another, [])
    .option('--leave <receiver>', 'let commands push, publish or send to this host or repository', another, [])
    .option('--max-steps <n>', 'stop after this many steps', countOf)
    .option('--max-dollars <n>', 'stop when this much has been spent', dollarsOf)
    .option('--attach <file>', 'send this text file with the goal; may be repeated', attach, []);
  addFleetOptions(run, secondsOf).action(
    (
      words: string[],
      given: UnattendedOptions &
        FleetOptions & { onHalt: HaltPolicy; net: readonly string[]; leave: readonly string[] },
    ) => {
      const { json, onHalt, net, leave } = given;
      const fleet = fleetOf(given, words);
      if (fleet && 'problem' in fleet) return program.error(`error: ${fleet.problem}`);
      if (words.length === 0 && fleet?.resume === undefined) program.error("error: missing required argument 'goal'");
      const more = fleet ? { fleet } : {};
      chosen = { kind: 'run', ...unattended(program, given), goal: words.join(' '), json, onHalt, net, leave, ...more };
    },
  );
  program
    .command('ask')
    .description('ask one question')
    .argument('<question...>', 'the question; - reads it from standard input')
    .option('--json', 'one JSON object per line', false)
    .option('--model <preset>', 'the preset')
    .addOption(new Option('--mode <mode>', 'the mode').choices(MODES))
    .option('--cwd <directory>', 'work there')
    .option('--timeout <time>', 'stop after this time: 90, 90s, 10m, 2h', secondsOf)
    .option('--max-dollars <n>', 'stop when this much has been spent', dollarsOf)
    .option('--attach <file>', 'send this text file with the question; may be repeated', attach, [])
    .action((words: string[], given: UnattendedOptions) => {
      chosen = { kind: 'ask', ...unattended(program, given), question: words.join(' '), json: given.json };
    });
  program
    .command('safety')
    .description('check commands without running them')
    .command('check')
    .description('check one command, or one JSON object per line')
    .argument('[command]', 'the command', '')
    .option('--jsonl', 'read one {"cmd","cwd"?} or {"tool","args"} per line, write one verdict per line', false)
    .option('--strict', 'count unknown as destructive', false)
    .showHelpAfterError('(the command is one argument: put it in quotes)')
    .action((command: string, { jsonl, strict }: { jsonl: boolean; strict: boolean }) => {
      chosen = { kind: 'safetyCheck', global: globalOf(program), command, jsonl, strict };
    });
  program
    .command('route')
    .description('show how a line would be read: shell, ai or meta')
    .argument('[line]', 'the line', '')
    .option('--jsonl', 'read one {"line"} per line, write one {"kind"} per line', false)
    .option('--known <file>', 'words to treat as installed, one per line')
    .showHelpAfterError('(the line is one argument: put it in quotes)')
    .action((line: string, { jsonl, known }: { jsonl: boolean; known?: string }) => {
      chosen = { kind: 'route', line, jsonl, ...(known === undefined ? {} : { known }) };
    });
  program
    .command('secrets')
    .description('the secrets filter, without sending anything')
    .command('check')
    .description('show what would be hidden in a text, or in one JSON object per line')
    .argument('[text]', 'the text', '')
    .option('--jsonl', 'read one {"text"} per line, write one {"spans":[[start,end,kind]],"scrubbed"} per line', false)
    .action((text: string, { jsonl }: { jsonl: boolean }) => {
      chosen = { kind: 'secretsCheck', text, jsonl };
    });
  program
    .command('sessions')
    .description('list earlier sessions')
    .action(() => {
      chosen = { kind: 'sessions', global: globalOf(program) };
    });
  program
    .command('sandbox')
    .description('run a command in the kernel sandbox, as the model would in Restricted mode')
    .argument('<command...>', 'a shell line as one string, or a command and its arguments after --')
    .addOption(new Option('--mode <mode>', 'as in this mode').choices(['restricted', 'project']).default('restricted'))
    .passThroughOptions()
    .action((words: string[], { mode }: { mode: 'restricted' | 'project' }) => {
      chosen = { kind: 'sandbox', argv: shellLine(words), mode };
    });
  program
    .command('try')
    .description('run a command without consequences and say what it would change')
    .argument('<command...>', 'a shell line as one string, or a command and its arguments after --')
    .option('--json', 'one JSON object on standard output, the output of the command on standard error', false)
    .passThroughOptions()
    .action((words: string[], { json }: { json: boolean }) => {
      chosen = { kind: 'try', global: globalOf(program), argv: shellLine(words), json };
    });
  program
    .command('undo')
    .description('preview an undo; --yes does it')
    .argument('[number|run]', 'an action, or the last run in this directory; default: the last action')
    .option('--list', 'list what can be undone, newest first', false)
    .option('--yes', 'undo it', false)
    .action((word: string | undefined, { list, yes }: { list: boolean; yes: boolean }) => {
      const all = list || word === 'list';
      if (word !== undefined && !/^(?:run|list|\d{1,9})$/.test(word))
        program.error('undo takes the number of an action (--list), or run');
      const what = word === 'run' ? ('run' as const) : Number(word);
      const wish = { list: all, yes, ...(word === undefined || all ? {} : { what }) };
      chosen = { kind: 'undo', global: globalOf(program), wish };
    });
  program
    .command('doctor')
    .description('check what works here: Node, shell, models, kernel sandbox')
    .option('--json', 'as JSON', false)
    .action(({ json }: { json: boolean }) => {
      chosen = { kind: 'doctor', global: globalOf(program), json };
    });
  addConfigCommands(program, (wish) => {
    chosen = { kind: 'config', wish };
  });
  program
    .command('uninstall')
    .description('list the files aish-tui keeps elsewhere; --yes deletes them')
    .option('--yes', 'delete them', false)
    .option('--with-config', 'delete the configuration too', false)
    .action((wish: UninstallWish) => {
      chosen = { kind: 'uninstall', wish };
    });
  program
    .command('acp')
    .description('let an editor drive it: the Agent Client Protocol on standard input and output')
    .addOption(new Option('--session', 'the process of one session').hideHelp())
    .action(({ session = false }: { session?: boolean }) => {
      chosen = { kind: 'acp', global: globalOf(program), session };
    });
  addMcpCommands(program, (invocation) => {
    chosen = invocation;
  });
  program
    .command('guard')
    .description(
      "the gate for other agents' commands: print the hook for one, test what is installed, allow a command once",
    )
    .addArgument(new Argument('[what]', 'doctor or allow').choices(['doctor', 'allow']))
    .addOption(new Option('--for <agent>', 'the agent').choices(AGENTS))
    .option('--strict', 'also deny commands that are not known to be harmless', false)
    .action((what: 'doctor' | 'allow' | undefined, { for: agent, strict }: { for?: Agent; strict: boolean }) => {
      if (what === undefined && agent === undefined)
        program.error(`guard needs --for with one of ${AGENTS.join(', ')}; or doctor, or allow`);
      chosen = { kind: 'guard', what: what ?? 'print', strict, ...(agent === undefined ? {} : { agent }) };
    });
  // Last, because subcommands inherit it: otherwise commander reports a misspelled command as an excess argument.
  program.allowExcessArguments();
  return { program, chosen: () => chosen };
}

function addConfigCommands(program: Command, choose: (wish: ConfigWish) => void): void {
  const config = program
    .command('config')
    .description('where the configuration is, and what of the project waits for your trust');
  const wish = (what: ConfigWish['what'], file = program.opts<RawOptions>().config, json = false): ConfigWish => ({
    what,
    json,
    ...(file === undefined ? {} : { file }),
  });
  config.action(() => choose(wish('where')));
  config
    .command('show')
    .description('list every setting and where its value comes from')
    .option('--json', 'as JSON', false)
    .action(({ json }: { json: boolean }) => choose(wish('show', undefined, json)));
  config
    .command('check')
    .description('all mistakes in the configuration, each with its line')
    .argument('[file]', 'default: the file that would be used, and that of the project')
    .action((file?: string) => choose(wish('check', file)));
  config
    .command('edit')
    .description('edit it in $VISUAL or $EDITOR; only a valid file is saved')
    .action(() => choose(wish('edit')));
  config
    .command('trust')
    .description('trust the .aish.jsonc and the AGENTS.md or CLAUDE.md of this directory, until they change')
    .action(() => choose(wish('trust')));
}

function addMcpCommands(program: Command, choose: (invocation: Invocation) => void): void {
  const mcp = program
    .command('mcp')
    .description('MCP servers whose tools the model may call; or be one for other agents');
  const wish = (given: McpWish) => choose({ kind: 'mcp', global: globalOf(program), wish: given });
  mcp
    .command('list', { isDefault: true })
    .description('the servers of your configuration')
    .action(() => wish({ what: 'list' }));
  mcp
    .command('add')
    .description('add one: mcp add NAME -- COMMAND ARGUMENTS…, or mcp add NAME https://…')
    .argument('<name>', 'its tools are called NAME__tool')
    .argument('<target...>', 'the command that starts it, behind --; or its address')
    .option('--env <name=value>', 'a variable of its environment; may be given several times', pairs('='), {})
    .option('--header <name: value>', 'a header of each request; may be given several times', pairs(':'), {})
    .passThroughOptions()
    .action((name: string, target: string[], { env, header }: { env: Strings; header: Strings }) =>
      wish({ what: 'add', name, target: target[0] === '--' ? target.slice(1) : target, env, headers: header }),
    );
  mcp
    .command('remove')
    .description('take one away')
    .argument('<name>')
    .action((name: string) => wish({ what: 'remove', name }));
  for (const [word, out, what] of [
    ['login', false, 'log in to a server; the login stays on this machine'],
    ['logout', true, 'forget the login to one'],
  ] as const) {
    mcp
      .command(word)
      .description(what)
      .argument('<name>')
      .action((name: string) => choose({ kind: 'mcpLogin', global: globalOf(program), login: { name, out } }));
  }
  mcp
    .command('import')
    .description("copy servers from another client's file, such as ~/.claude.json, .mcp.json or .cursor/mcp.json")
    .argument('<file>')
    .argument('[name...]', 'the servers to copy; without names: list all')
    .action((file: string, chosenNames: string[]) => wish({ what: 'import', file, names: chosenNames }));
  mcp
    .command('serve')
    .description('serve other agents over MCP: check, sandbox and try commands')
    .action(() => choose({ kind: 'mcpServe', global: globalOf(program) }));
}

type Strings = Readonly<Record<string, string>>;

/** Returns a parser that collects `name=value` of a repeatable option. */
function pairs(separator: string): (text: string, before: Strings) => Strings {
  return (text, before) => {
    const at = text.indexOf(separator);
    if (at < 1) throw new InvalidArgumentError(`needs a name, ${separator} and a value`);
    return { ...before, [text.slice(0, at).trim()]: text.slice(at + 1).trimStart() };
  };
}

type UnattendedOptions = Pick<GlobalOptions, 'model' | 'mode' | 'cwd' | 'maxSteps' | 'maxDollars'> & {
  readonly json: boolean;
  readonly timeout?: number;
  readonly attach: readonly AttachedFile[];
};

/** Collects the words of a repeatable option. */
function another(word: string, before: readonly string[]): readonly string[] {
  return [...before, word];
}

/** A file's path is relative to the starting directory, not to `--cwd`. */
function attach(name: string, before: readonly AttachedFile[]): readonly AttachedFile[] {
  return [...before, { name, path: resolve(name) }];
}

/** Merges the options of a subcommand without a person over the global ones. */
function unattended(
  program: Command,
  given: UnattendedOptions,
): { global: GlobalOptions; files: readonly AttachedFile[]; seconds?: number } {
  const { model, mode, cwd, maxSteps, maxDollars, timeout, attach: files } = given;
  const own = Object.entries({ model, mode, cwd: cwd && resolve(cwd), maxSteps, maxDollars });
  const global = { ...globalOf(program), ...Object.fromEntries(own.filter(([, value]) => value !== undefined)) };
  return { global, files, ...(timeout === undefined ? {} : { seconds: timeout }) };
}

/** A single argument that is more than a plain word is a shell command line, as people quote it. */
function shellLine(words: readonly string[]): readonly string[] {
  const [line = ''] = words;
  return words.length > 1 || /^[\w@%+:,./-]+$/.test(line) ? words : ['/bin/bash', '-c', line];
}

function countOf(text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('a whole number from 1');
}

function dollarsOf(text: string): number {
  if (/^\d{1,6}(?:\.\d{1,6})?$/.test(text)) return Number(text);
  throw new InvalidArgumentError('dollars, such as 0.50');
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

function secondsOf(text: string): number {
  const [, digits = '', unit = 's'] = /^(\d{1,6})([smh])?$/.exec(text) ?? [];
  const seconds = Number(digits) * (UNITS[unit] ?? 0);
  if (seconds > 0) return seconds;
  throw new InvalidArgumentError('a time such as 90, 90s, 10m or 2h');
}

function globalOf(program: Command): GlobalOptions {
  const { config, mode, model, cwd, inline } = program.opts<RawOptions>();
  return {
    // Relative to the starting directory, not to `--cwd`.
    ...(config === undefined ? {} : { config: cwd === undefined ? config : resolve(config) }),
    ...(cwd === undefined ? {} : { cwd: resolve(cwd) }),
    ...(mode === undefined ? {} : { mode }),
    ...(model === undefined ? {} : { model }),
    ...(inline === true ? { inline } : {}),
  };
}

const AFTER = `
Lines piped to aish-tui are handled one by one, as if typed; a HALT counts as skip.
Exit codes of run: 0 done or all tasks complete, 2 wrong arguments or configuration, 3 blocked or stalled, 4 aborted at a HALT, 5 steps, dollars or time used up, 6 model failure, 74 output not writable, 130 Ctrl-C, 143 SIGTERM.`;

// Options that make `aish-tui run` work on other machines.

export type FleetOptions = {
  /** The hosts as typed; absent with `resume`. */
  readonly hosts?: string;
  /** Continue the fleet of this session. */
  readonly resume?: string;
  readonly atOnce?: number;
  readonly canary?: string;
  readonly inventory?: string;
  readonly deadlineSeconds?: number;
  readonly via?: FleetCarrier;
};

type Given = Omit<FleetOptions, 'deadlineSeconds'> & { readonly deadline?: number };

/** Adds the options of `run` for a fleet. */
function addFleetOptions(run: Command, seconds: (text: string) => number): Command {
  return run
    .option('--hosts <list>', 'run on these machines: web1,web2,@group,docker:name')
    .option('--at-once <n>', 'with --hosts: how many machines work at the same time (20)', atOnceOf)
    .option('--canary <host>', 'with --hosts: this one goes first; its failure stops the rest')
    .option('--deadline <time>', 'with --hosts: what one host may take (10m)', seconds)
    .option('--inventory <file>', 'with --hosts: the Ansible inventory that knows the groups')
    .addOption(
      new Option('--via <what>', 'with --hosts: equal commands go to many hosts in one call of this').choices([
        'ansible',
      ]),
    )
    .option('--resume <session>', 'go on with the fleet of this session, as it was told at its start');
}

/** Returns undefined for a run on this machine. A mistake is one line. */
function fleetOf(given: Given, words: readonly string[]): FleetOptions | undefined | { readonly problem: string } {
  const { hosts, resume, deadline: deadlineSeconds, atOnce, canary, inventory, via } = given;
  if (resume !== undefined && (hosts !== undefined || words.length > 0))
    return { problem: '--resume continues a fleet: leave out the goal and --hosts' };
  if (hosts === undefined && resume === undefined) {
    const extra = Object.entries({
      '--at-once': atOnce,
      '--canary': canary,
      '--deadline': deadlineSeconds,
      '--inventory': inventory,
      '--via': via,
    });
    const [name] = extra.find(([, value]) => value !== undefined) ?? [];
    return name === undefined ? undefined : { problem: `${name} needs --hosts` };
  }
  const all = { hosts, resume, atOnce, canary, inventory, deadlineSeconds, via };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function atOnceOf(text: string): number {
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('a whole number from 1 to 999');
}
