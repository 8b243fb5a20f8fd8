/** Makes docs/aish-tui.1 from the command line itself. `node docs/generate/man.ts` writes it; a test compares. */
import { writeFileSync } from 'node:fs';
import type { Command, Help } from 'commander';
import { commandLine } from '../../src/cli/program.ts';

const TARGET = new URL('../aish-tui.1', import.meta.url);

const EXIT_CODES: readonly (readonly [string, string])[] = [
  ['0', 'done, or all tasks complete; of ask: answered'],
  ['2', 'wrong arguments or configuration'],
  ['3', 'blocked or stalled'],
  ['4', 'aborted at a HALT'],
  ['5', 'steps, dollars or time used up'],
  ['6', 'the model failed'],
  ['74', 'the output or the session could not be written'],
  ['130, 143', 'SIGINT, SIGTERM'],
];

const FILES: readonly (readonly [string, string])[] = [
  ['~/.config/aish/config.jsonc', 'the configuration; AISH_CONFIG names another file'],
  ['.aish.jsonc', 'of a project: at once it can only tighten, the rest counts once it is trusted'],
  ['~/.local/state/aish', 'sessions, history, what undo needs, logins, log'],
];

/** The whole page, in the macros of man(7). */
export function manPage(): string {
  const { program } = commandLine('');
  const help = program.createHelp();
  return [
    '.\\" Made by docs/generate/man.ts.',
    '.TH AISH\\-TUI 1',
    '.SH NAME',
    'aish\\-tui \\- a shell, a conversation with a language model and an autonomous agent on one screen',
    '.SH SYNOPSIS',
    '.B aish\\-tui',
    '[options] [command]',
    '.SH DESCRIPTION',
    text(
      'Type a command and it runs in your own shell; ask a question and the model answers; give it a goal and it works toward it. What a model wants to run is judged first: what deletes, overwrites or can’t be undone stops and is shown. Lines piped to it are handled one by one, as if typed.',
    ),
    '.SH OPTIONS',
    ...options(help, program),
    '.SH COMMANDS',
    ...commandsOf(help, program, ''),
    '.SH EXIT STATUS',
    'Of run and ask:',
    ...rows(EXIT_CODES),
    '.SH FILES',
    ...rows(FILES),
    '.SH SEE ALSO',
    text('The pages in the folder docs of the package; in the program, :help and F1.'),
    '',
  ].join('\n');
}

function commandsOf(help: Help, parent: Command, before: string): readonly string[] {
  return help.visibleCommands(parent).flatMap((command) => {
    if (command.name() === 'help') return [];
    const name = `${before}${command.name()}`;
    const usage = help.visibleArguments(command).map((one) => (one.required ? `<${one.name()}>` : `[${one.name()}]`));
    return [
      `.SS ${text([name, ...usage].join(' '))}`,
      text(`${help.commandDescription(command)}.`),
      ...options(help, command),
      ...commandsOf(help, command, `${name} `),
    ];
  });
}

function options(help: Help, command: Command): readonly string[] {
  const all = help.visibleOptions(command).filter(({ long }) => long !== '--help');
  return rows(all.map((option) => [help.optionTerm(option), help.optionDescription(option)]));
}

function rows(all: readonly (readonly [string, string])[]): readonly string[] {
  return all.flatMap(([term, what]) => ['.TP', `.B ${text(term)}`, text(what)]);
}

/** As one line of text: nothing of it is taken for a request or an escape. */
function text(plain: string): string {
  const escaped = plain.replaceAll('\\', '\\e').replaceAll('-', '\\-').replace(/’/g, "'").replaceAll('…', '...');
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped;
}

if (import.meta.main) writeFileSync(TARGET, manPage());
