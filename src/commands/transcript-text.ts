/** The transcript as Markdown, and as one HTML page that needs nothing else. Pure; foreign text can't break out of either. */
import { nameAction } from '../session/action.ts';
import { type Entry, resumedText } from '../session/entry.ts';
import { plainOutput } from '../session/exec-text.ts';
import { clean, plainText, visible } from '../text/sanitize.ts';

/** One entry as what it is, a line that says how it went, and its text. */
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

/** A fence that nothing in the text can close. */
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
