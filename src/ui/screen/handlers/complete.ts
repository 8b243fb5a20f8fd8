/** Tab (IN-6): the one completion, or what all have in common, or the list. Typing continues while they are being found. */
import type { Completion, Completions } from '../../../contracts/lines.ts';
import { setText } from '../../editor/commands.ts';
import type { Screen } from '../screen.ts';

/** How long a completion may take before a hint explains the wait. */
const HINT_DELAY_MS = 200;

const NOTHING: Completions = { start: 0, items: [] };

export async function complete(screen: Screen): Promise<void> {
  const { editor } = screen.ui.get();
  // Another key makes another editor: what was asked for is given up.
  const asked = new AbortController();
  const stop = screen.ui.subscribe(() => {
    if (screen.ui.get().editor !== editor) asked.abort();
  });
  const waiting = screen.schedule(() => screen.hint('completing…'), HINT_DELAY_MS);
  // Whatever goes wrong while looking, there is nothing to offer.
  const found = await screen.app.complete(editor.text, editor.cursor, asked.signal).catch(() => NOTHING);
  stop();
  waiting();
  const { editor: now, panel, question } = screen.ui.get();
  if (now !== editor || panel.kind !== 'none' || question) return;
  screen.ui.update({ hint: undefined });
  const { start, items } = found;
  const [only] = items;
  if (only === undefined) return screen.hint('nothing to complete');
  if (items.length === 1) return putCompletion(screen, start, only);
  const typed = editor.text.slice(start, editor.cursor);
  const common = commonStart(items.map((item) => item.text));
  if (common.length > typed.length) replaceBack(screen, start, common);
  screen.ui.update({ panel: { kind: 'choices', of: 'completion', query: '', items, index: 0, start } });
}

/** Puts a completion in place of the text from `start` on, with a blank behind it where the word is whole. */
export function putCompletion(screen: Screen, start: number, { text, open }: Completion): void {
  const { editor } = screen.ui.get();
  const behind = editor.text.slice(editor.cursor);
  const quote = open ? '' : openQuote(editor.text.slice(0, start));
  replaceBack(screen, start, text + quote + (open || /^\s/.test(behind) ? '' : ' '));
}

/** The quote right before the word, if it was opened there. */
function openQuote(before: string): string {
  return /(?:^|[\s=:])(["'])$/.exec(before)?.[1] ?? '';
}

function replaceBack(screen: Screen, start: number, text: string): void {
  const { editor } = screen.ui.get();
  const whole = editor.text.slice(0, start) + text + editor.text.slice(editor.cursor);
  screen.setEditor(setText(editor, whole, start + text.length));
}

/** What all texts begin with, in whole characters. */
function commonStart(texts: readonly string[]): string {
  let common = texts[0] ?? '';
  for (const text of texts) while (!text.startsWith(common)) common = common.slice(0, -1);
  // Half a surrogate pair, or a backslash without what it escapes, is no beginning.
  return common.toWellFormed() === common ? common.replace(/(^|[^\\])((?:\\\\)*)\\$/, '$1$2') : common.slice(0, -1);
}
