import { type KeptAction, summaryOf, type UndoResult, type UndoTarget } from '../contracts/undo.ts';
import { visible } from '../text/sanitize.ts';
import { bytesText } from '../text/spelled.ts';
import type { App } from './app.ts';
import { type Command, CommandError } from './command.ts';

/** Actions that `:undo list` shows. */
const MAX_LISTED = 30;
const USAGE = ':undo [list | N | run] [yes] | forget N | forget all';

/** `:undo` shows what it would put back, `:undo yes` does it (TO-3, EF-3). */
export const undo: Command = {
  name: 'undo',
  usage: USAGE,
  group: 'agent',
  summary: 'take back what the model changed',
  forms: [
    [':undo', 'show what its last action changed'],
    [':undo yes', 'put that back'],
    [':undo list', 'what can be taken back'],
    [':undo 3', 'one of the list; :undo 3 yes does it'],
    [':undo run', 'the whole last run; :undo run yes does it'],
    [':undo forget 3', 'drop what was kept of it; all for everything'],
  ],
  arguments: (_app, before) =>
    before.length > 0
      ? []
      : [
          { word: 'yes', note: 'take back the last action' },
          { word: 'list', note: 'all that is kept' },
          { word: 'run', note: 'the last run as a whole' },
          { word: 'forget', note: 'give up what is kept' },
        ],
  async run(app, rest) {
    const words = rest.split(/\s+/).filter((word) => word !== '');
    const [first = ''] = words;
    // Of a patch the tool itself has the old text: that needs no store.
    if ((words.length === 0 || (first === 'yes' && words.length === 1)) && (await app.undo.unavailable()) !== undefined)
      return words.length === 0 ? offered(app, await app.patches.preview()) : takeBack(app, () => app.patches.undo());
    if (first === 'list' && words.length === 1) return listOf(await app.undo.list());
    if (first === 'forget' && words.length === 2) return textOf(await app.undo.forget(numberOrAll(words[1] ?? '')));
    const yes = words.at(-1) === 'yes';
    const named = yes ? words.slice(0, -1) : words;
    if (named.length > 1) throw new CommandError(`say ${USAGE}`);
    const target = targetOf(named[0]);
    if (yes) return takeBack(app, () => app.undo.undo(target, seenOf(app, target)));
    const preview = await app.undo.preview(target);
    seen.set(app, { target, shown: preview.shown });
    return offered(app, preview, named[0]);
  },
};

/** What the user was shown last: a yes to it is none to what came after it. */
const seen = new WeakMap<App, { readonly target: UndoTarget; readonly shown: string | undefined }>();

function seenOf(app: App, target: UndoTarget): string | undefined {
  const last = seen.get(app);
  seen.delete(app);
  return last?.target === target ? last.shown : undefined;
}

function targetOf(word: string | undefined): UndoTarget {
  if (word === undefined) return 'last';
  if (word === 'run') return 'run';
  if (/^\d{1,9}$/.test(word)) return Number(word);
  throw new CommandError(`say ${USAGE}`);
}

/** What would be put back, and the line that does it: in the prompt, where nothing else is being typed there. */
function offered({ screen }: App, preview: UndoResult, word?: string): string {
  const text = textOf(preview);
  const next = word === undefined ? ':undo yes' : `:undo ${word} yes`;
  return `${text}\n${screen?.suggest(next) ? `Enter (${next})` : next} puts it back`;
}

function numberOrAll(word: string): number | 'all' {
  if (word === 'all') return 'all';
  if (/^\d{1,9}$/.test(word)) return Number(word);
  throw new CommandError(':undo forget takes the number of an action, or all');
}

function textOf({ ok, text }: UndoResult): string {
  if (!ok) throw new CommandError(text);
  return text;
}

/** Never beside an action of the agent: it would see files change under its hands. */
async function takeBack({ engine }: App, work: () => Promise<UndoResult>): Promise<string> {
  if (engine.conversation.phase.kind === 'acting')
    throw new CommandError('an action of the agent is running; undo when it has ended');
  const { ok, text } = await work();
  if (text.startsWith('undone')) void engine.dispatch({ type: 'undone', text });
  if (!ok && !text.startsWith('undone')) throw new CommandError(text);
  return text;
}

function listOf(actions: readonly KeptAction[]): string {
  if (actions.length === 0) return 'nothing is kept';
  const rows = actions.slice(0, MAX_LISTED).map((action) => {
    const when = new Date(action.at).toISOString().slice(0, 16).replace('T', ' ');
    const state = action.state === 'ended' ? '' : ` · ${action.state}`;
    const what = visible(action.text.split('\n')[0] ?? '').slice(0, 60);
    return `${String(action.number).padStart(4)}  ${when}  ${what} · ${summaryOf([action])} · ${bytesText(action.bytes)}${state}`;
  });
  const more = actions.length - rows.length;
  return [...rows, ...(more > 0 ? [`… and ${more} older`] : [])].join('\n');
}
