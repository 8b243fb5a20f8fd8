/** `:last`: the last command's output, to read, edit, save, or ask about. */
import type { Entry } from '../session/entry.ts';
import { plainOutput } from '../session/exec-text.ts';
import type { App } from './app.ts';
import { type Command, CommandError } from './command.ts';

type Exec = Extract<Entry, { kind: 'exec' }>;

/** Quotes a text as one word for every supported shell. */
function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "'\\''")}'`;
}

/** Lines that only showed an output and printed nothing of their own. */
const shown = new WeakMap<App, Set<string>>();

function lastOf(app: App): Exec & { readonly result: NonNullable<Exec['result']> } {
  const { entries } = app.engine.transcript;
  for (let index = entries.length - 1; index >= 0; index -= 1) {
    const entry = entries[index]?.entry;
    const ours = entry?.kind === 'exec' && shown.get(app)?.has(entry.command);
    if (entry?.kind === 'exec' && entry.result && !ours) return { ...entry, result: entry.result };
  }
  throw new CommandError('no command has ended yet');
}

/** Returns the last command's output as far as available; undefined if none has ended. */
export function lastOutput(app: App) {
  try {
    const { command, result, private: hidden } = lastOf(app);
    const { reveal } = app.engine.services.secrets;
    return {
      command: reveal(command),
      text: reveal(plainOutput(result, Number.MAX_SAFE_INTEGER)),
      private: hidden,
      file: result.file,
    };
  } catch {
    return undefined;
  }
}

export const last: Command = {
  name: 'last',
  usage: ':last [edit | ask QUESTION | save]',
  group: 'shell',
  summary: 'show, edit, save or ask about the last output',
  forms: [
    [':last', 'show it in the pager'],
    [':last edit', 'open it in your editor'],
    [':last ask why', 'send it to the model with a question'],
    [':last save', 'save it as a file in your directory'],
  ],
  arguments: (_app, before) =>
    before.length === 0
      ? [
          { word: 'edit', note: 'open it in your editor' },
          { word: 'ask', note: 'send it to the model' },
          { word: 'save', note: 'save it as a file' },
        ]
      : [],
  async run(app, rest) {
    const { command, result, private: hidden } = lastOf(app);
    const [, what = '', more = ''] = /^(\S*)\s*([\s\S]*)$/.exec(rest) ?? [];
    const reveal = (text: string) => app.engine.services.secrets.reveal(text);
    const text = reveal(plainOutput(result, Number.MAX_SAFE_INTEGER));
    switch (what) {
      case 'save':
        return `saved in ${await app.saveOutput(reveal(command), text.replace(/\n+$/, ''), result.file)}`;
      case 'ask': {
        if (more === '') throw new CommandError('add a question: :last ask QUESTION');
        if (hidden) throw new CommandError('that output is private (!!): the model must not see it');
        await app.engine.dispatch({
          type: 'asked',
          line: app.engine.newLineId(),
          text: `${more}\n\n(About the output of \`${command}\`.)`,
        });
        return undefined;
      }
      case '':
      case 'edit': {
        const path = result.file ?? (await app.keepOutput(text));
        const programs = await app.programs();
        const program = what === 'edit' ? programs.editor : programs.pager;
        // The line is ours, so keep it out of the history; the model need not see a file again.
        const line = `${program} ${quoted(path)}`;
        shown.set(app, new Set([...(shown.get(app) ?? []), line]));
        void app.shell.submit(line, { private: true, keep: false });
        return undefined;
      }
      default:
        throw new CommandError(`unknown :last ${what}: use :last, :last edit, :last ask QUESTION or :last save`);
    }
  },
};
