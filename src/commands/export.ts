/** `:copy` and `:export`: what was said and run, for elsewhere. Secrets stay placeholders: such texts are passed on. */
import type { Entry } from '../session/entry.ts';
import { plainOutput } from '../session/exec-text.ts';
import { plainText } from '../text/sanitize.ts';
import type { App } from './app.ts';
import { type Command, CommandError } from './command.ts';
import { transcriptHtml, transcriptMarkdown } from './transcript-text.ts';

const FORMATS = ['md', 'json', 'html'] as const;
type Format = (typeof FORMATS)[number];

const WHAT = [
  { word: 'answer', note: 'the last answer' },
  { word: 'output', note: 'what the last command printed' },
  { word: 'command', note: 'the last command' },
  { word: 'all', note: 'everything, as Markdown' },
] as const;

export const copy: Command = {
  name: 'copy',
  group: 'shell',
  usage: ':copy [answer | output | command | all]',
  summary: "put the last answer or output into the terminal's clipboard",
  arguments: (_app, before) => (before.length === 0 ? WHAT : []),
  run(app, rest) {
    const { screen } = app;
    if (!screen) throw new CommandError('there is no clipboard here; start aish-tui in a terminal');
    const what = rest === '' ? 'answer' : rest;
    const text = textOf(app, what);
    if (text === undefined || text.trim() === '') throw new CommandError(`there is no ${what} to copy yet`);
    return screen.copy(text, rest === '' ? 'the last answer' : what);
  },
};

function textOf(app: App, what: string): string | undefined {
  const entries = entriesOf(app);
  const { secrets } = app.engine.services;
  // What is pasted on this machine is what was on the screen.
  const last = <K extends Entry['kind']>(kind: K) =>
    secrets.reveal(entries.findLast((entry): entry is Extract<Entry, { kind: K }> => entry.kind === kind));
  switch (what) {
    case 'answer':
      return plainText(last('assistant')?.text ?? '');
    case 'command':
      return last('exec')?.command;
    case 'output': {
      const result = last('exec')?.result;
      return result && plainOutput(result, Number.MAX_SAFE_INTEGER).replace(/\n+$/, '');
    }
    case 'all':
      return transcriptMarkdown(entries);
    default:
      throw new CommandError(`:copy knows answer, output, command and all, not ${what}`);
  }
}

export const exportTo: Command = {
  name: 'export',
  group: 'shell',
  usage: ':export md|json|html [file]',
  summary: 'write this session into a new file; secrets stay placeholders',
  arguments: (_app, before) => (before.length === 0 ? FORMATS : []),
  async run(app, rest) {
    const [, format = '', file = ''] = /^(\S*)\s*(.*)$/.exec(rest) ?? [];
    if (!isFormat(format)) throw new CommandError(':export md, :export json or :export html, and a file if you like');
    const { sessionId } = app.info();
    const entries = entriesOf(app);
    if (entries.length === 0) throw new CommandError('there is nothing to write yet');
    const text = {
      md: () => transcriptMarkdown(entries),
      json: () => `${JSON.stringify({ version: 1, session: sessionId, entries }, undefined, 2)}\n`,
      html: () => transcriptHtml(entries, sessionId),
    }[format]();
    try {
      return `written: ${await app.saveNew(file === '' ? `aish-${sessionId}.${format}` : file, text)}`;
    } catch (error) {
      throw new CommandError(error instanceof Error ? error.message : String(error));
    }
  },
};

function isFormat(word: string): word is Format {
  return FORMATS.some((format) => format === word);
}

/** What `:` commands said is not part of the session. */
function entriesOf({ engine }: App): readonly Entry[] {
  return engine.transcript.entries.map(({ entry }) => entry).filter(({ kind }) => kind !== 'meta');
}
