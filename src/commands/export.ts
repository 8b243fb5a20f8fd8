/** `:copy` and `:export`. Secrets stay placeholders, because users share such texts. */

import { nameAction } from '../session/action.ts';
import { type Entry, resumedText } from '../session/entry.ts';
import { plainOutput } from '../session/exec-text.ts';
import { clean, plainText, visible } from '../text/sanitize.ts';
import type { App } from './app.ts';
import { type Command, CommandError } from './command.ts';

const FORMATS = ['md', 'json', 'html'] as const;
type Format = (typeof FORMATS)[number];

const WHAT = [
  { word: 'answer', note: 'the last answer' },
  { word: 'output', note: 'the output of the last command' },
  { word: 'command', note: 'the last command' },
  { word: 'all', note: 'everything, as Markdown' },
] as const;

export const copy: Command = {
  name: 'copy',
  group: 'shell',
  usage: ':copy [answer | output | command | all]',
  summary: 'copy the last answer or output to the clipboard',
  arguments: (_app, before) => (before.length === 0 ? WHAT : []),
  run(app, rest) {
    const { screen } = app;
    if (!screen) throw new CommandError('no clipboard here: start aish-tui in a terminal');
    const what = rest === '' ? 'answer' : rest;
    const text = textOf(app, what);
    if (text === undefined || text.trim() === '') throw new CommandError(`no ${what} to copy yet`);
    return screen.copy(text, rest === '' ? 'the last answer' : what);
  },
};

function textOf(app: App, what: string): string | undefined {
  const entries = entriesOf(app);
  const { secrets } = app.engine.services;
  // Text may be pasted on this machine, so it may contain secrets that the screen showed.
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
      throw new CommandError(`use :copy answer, output, command or all, not ${what}`);
  }
}

export const exportTo: Command = {
  name: 'export',
  group: 'shell',
  usage: ':export md|json|html [file]',
  summary: 'save this session as a new file; secrets stay hidden',
  arguments: (_app, before) => (before.length === 0 ? FORMATS : []),
  async run(app, rest) {
    const [, format = '', file = ''] = /^(\S*)\s*(.*)$/.exec(rest) ?? [];
    if (!isFormat(format))
      throw new CommandError('use :export md, :export json or :export html, then a file name if you like');
    const { sessionId } = app.info();
    const entries = entriesOf(app);
    if (entries.length === 0) throw new CommandError('there is nothing to save yet');
    const text = {
      md: () => transcriptMarkdown(entries),
      json: () => `${JSON.stringify({ version: 1, session: sessionId, entries }, undefined, 2)}\n`,
      html: () => transcriptHtml(entries, sessionId),
    }[format]();
    try {
      return `saved: ${await app.saveNew(file === '' ? `aish-${sessionId}.${format}` : file, text)}`;
    } catch (error) {
      throw new CommandError(error instanceof Error ? error.message : String(error));
    }
  },
};

function isFormat(word: string): word is Format {
  return FORMATS.some((format) => format === word);
}

/** Output of `:` commands is not part of the session. */
function entriesOf({ engine }: App): readonly Entry[] {
  return engine.transcript.entries.map(({ entry }) => entry).filter(({ kind }) => kind !== 'meta');
}

// Formats the transcript as Markdown, or as one self-contained HTML page. Pure. Entries can't break out of their
// markup.

/** One entry: its kind, a line about its result, and its text. */
type Part = { readonly kind: 'you' | 'model' | 'command' | 'note'; readonly head: string; readonly body: string };

function partsOf(entries: readonly Entry[]): readonly Part[] {
  return entries.flatMap((entry) => partOf(entry) ?? []);
}

function withText({ attached = [] }: { readonly attached?: readonly string[] }): string {
  return attached.map((name) => `with ${visible(name)}`).join('\n');
}

function partOf(entry: Entry): Part | undefined {
  switch (entry.kind) {
    case 'user':
      return { kind: 'you', head: plainText(entry.text), body: withText(entry) };
    case 'norrisBegan':
      return { kind: 'you', head: `goal: ${plainText(entry.goal)}`, body: withText(entry) };
    case 'assistant':
      return { kind: 'model', head: '', body: plainText(clean(entry.text)) };
    case 'exec':
    case 'tool':
    case 'delegate':
      return actionPart(entry);
    case 'refused':
      return {
        kind: 'note',
        head: `${entry.how}: ${visible(nameAction(entry.action))}`,
        body: plainText(entry.reason),
      };
    case 'plan':
      return {
        kind: 'note',
        head: 'plan',
        body: entry.tasks.map((task, at) => `${at + 1}. ${plainText(task)}`).join('\n'),
      };
    case 'norrisEnded':
      return { kind: 'note', head: `run: ${entry.status.replace('_', ' ')}`, body: plainText(entry.reason ?? '') };
    case 'resumed':
      return { kind: 'note', head: resumedText(entry), body: '' };
    case 'notice':
      return { kind: 'note', head: plainText(clean(entry.text)), body: '' };
    case 'norrisStep':
    case 'thoughts':
    case 'meta':
      return undefined;
  }
}

function actionPart(entry: Extract<Entry, { kind: 'exec' | 'tool' | 'delegate' }>): Part {
  switch (entry.kind) {
    case 'exec': {
      const { result, by, command } = entry;
      const exit = result ? (result.exit === null ? (result.note ?? 'no exit code') : `exit ${result.exit}`) : 'runs';
      const output = result ? plainOutput(result, Number.MAX_SAFE_INTEGER).replace(/\n+$/, '') : '';
      const body = [`$ ${visible(command)}`, ...(output === '' ? [] : [output])].join('\n');
      return { kind: 'command', head: `${by === 'user' ? 'you' : 'the model'} · ${exit}`, body };
    }
    case 'tool': {
      const how = entry.result?.failed ? ' · failed' : '';
      const body = [visible(entry.arguments), plainText(clean(entry.result?.text ?? ''))].join('\n').trimEnd();
      return { kind: 'command', head: `the model · ${entry.name}${how}`, body };
    }
    case 'delegate': {
      const body = plainText(clean(entry.result?.text ?? ''));
      return { kind: 'command', head: `sub-agent · ${plainText(entry.task)}`, body };
    }
  }
}

export function transcriptMarkdown(entries: readonly Entry[]): string {
  const parts = partsOf(entries).map(({ kind, head, body }) => {
    if (kind === 'you')
      return head
        .split('\n')
        .map((line) => `> **${line.replace(/([*_`\\])/g, '\\$1')}**`)
        .join('\n');
    if (kind === 'model') return body.trim();
    if (kind === 'command') return `${oneLine(head)}\n\n${fenced(body)}`;
    return [`*${oneLine(head).replace(/([*_`\\])/g, '\\$1')}*`, body].filter(Boolean).join('\n\n');
  });
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** Returns a fence that the text can't close. */
function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((ticks) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ');
}

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}
pre{font:13px/1.4 ui-monospace,monospace;white-space:pre-wrap;padding:.6rem;border:1px solid #8886;border-radius:4px}
.you{font-weight:bold;border-left:3px solid #08657b;padding-left:.6rem}.note,small{opacity:.75}`;

export function transcriptHtml(entries: readonly Entry[], title: string): string {
  const parts = partsOf(entries).map(({ kind, head, body }) => {
    const text = body === '' ? '' : kind === 'model' ? `<p>${lines(body)}</p>` : `<pre>${escaped(body)}</pre>`;
    const said = head === '' ? '' : kind === 'command' ? `<small>${escaped(head)}</small>` : `<p>${lines(head)}</p>`;
    return `<section class="${kind}">${said}${text}</section>`;
  });
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(title)}</title><style>${STYLE}</style></head><body>
${parts.join('\n')}
</body></html>
`;
}

function lines(text: string): string {
  return escaped(text).replaceAll('\n', '<br>');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
