import { type KeptAction, summaryOf, type UndoResult, type UndoTarget } from '../contracts/undo.ts';
import { questionName } from '../session/rewind.ts';
import type { AskedTurn, Branch } from '../session/state.ts';
import { visible } from '../text/sanitize.ts';
import { bytesText } from '../text/spelled.ts';
import type { App } from './app.ts';
import { type Command, CommandError } from './command.ts';

/** How many actions `:undo list` shows. */
const MAX_LISTED = 30;
const USAGE = ':undo [list | N | run] [yes] | forget N | forget all';

/** `:undo` shows what it would restore, `:undo yes` does it (TO-3, EF-3). */
export const undo: Command = {
  name: 'undo',
  usage: USAGE,
  group: 'agent',
  summary: 'undo what the model changed',
  forms: [
    [':undo', 'show what its last action changed'],
    [':undo yes', 'undo it'],
    [':undo list', 'list what can be undone'],
    [':undo 3', 'show number 3 of the list; :undo 3 yes undoes it'],
    [':undo run', 'show the whole last run; :undo run yes undoes it'],
    [':undo forget 3', 'delete what is kept for it; forget all deletes everything'],
  ],
  arguments: (_app, before) =>
    before.length > 0
      ? []
      : [
          { word: 'yes', note: 'undo the last action' },
          { word: 'list', note: 'list what can be undone' },
          { word: 'run', note: 'the last run as a whole' },
          { word: 'forget', note: 'delete what is kept' },
        ],
  async run(app, rest) {
    const words = rest.split(/\s+/).filter((word) => word !== '');
    const [first = ''] = words;
    // The patch tool keeps the old text itself, so undoing a patch needs no store.
    if ((words.length === 0 || (first === 'yes' && words.length === 1)) && (await app.undo.unavailable()) !== undefined)
      return words.length === 0 ? offered(app, await app.patches.preview()) : takeBack(app, () => app.patches.undo());
    if (first === 'list' && words.length === 1) return listOf(await app.undo.list());
    if (first === 'forget' && words.length === 2) return textOf(await app.undo.forget(numberOrAll(words[1] ?? '')));
    const yes = words.at(-1) === 'yes';
    const named = yes ? words.slice(0, -1) : words;
    if (named.length > 1) throw new CommandError(`use ${USAGE}`);
    const target = targetOf(named[0]);
    if (yes) return takeBack(app, () => app.undo.undo(target, lastPreview(app, target)));
    const preview = await app.undo.preview(target);
    seen.set(app, { target, shown: preview.shown });
    return offered(app, preview, named[0]);
  },
};

/** The preview that the user saw last: a yes does not cover later changes. */
const seen = new WeakMap<App, { readonly target: UndoTarget; readonly shown: string | undefined }>();

function lastPreview(app: App, target: UndoTarget): string | undefined {
  const last = seen.get(app);
  seen.delete(app);
  return last?.target === target ? last.shown : undefined;
}

function targetOf(word: string | undefined): UndoTarget {
  if (word === undefined) return 'last';
  if (word === 'run') return 'run';
  if (/^\d{1,9}$/.test(word)) return Number(word);
  throw new CommandError(`use ${USAGE}`);
}

/** Shows what would be restored, and the line that does it, which is also put into an empty prompt. */
function offered({ screen }: App, preview: UndoResult, word?: string): string {
  const text = textOf(preview);
  const next = word === undefined ? ':undo yes' : `:undo ${word} yes`;
  return `${text}\n${screen?.suggest(next) ? `Press Enter (${next})` : `Type ${next}`} to undo this`;
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

/** Undoes, but never during an action of the agent, which would see files change. */
async function takeBack({ engine }: App, work: () => Promise<UndoResult>): Promise<string> {
  if (engine.conversation.phase.kind === 'acting')
    throw new CommandError('the agent is running an action; undo it after that has ended');
  const { ok, text } = await work();
  if (text.startsWith('undone')) void engine.dispatch({ type: 'undone', text });
  if (!ok && !text.startsWith('undone')) throw new CommandError(text);
  return text;
}

/** How many questions `:rewind` lists. */
const MAX_QUESTIONS = 10;
const REWIND = ':rewind [N | back [N]] [yes | keep]';

/** `:rewind`: returns to an earlier question, and undoes what the model has changed since (CX-8). */
export const rewind: Command = {
  name: 'rewind',
  usage: REWIND,
  group: 'talk',
  summary: 'go back to an earlier question and undo what followed',
  forms: [
    [':rewind', 'list the last questions and the branches'],
    [':rewind 3', 'go back before question 3; shows what the model changed since'],
    [':rewind 3 yes', 'go back and undo those changes'],
    [':rewind 3 keep', 'go back and keep the files as they are'],
    [':rewind back', 'return to where you were; yes restores the files too'],
  ],
  arguments({ engine }, before) {
    const { asked = [], branches = [] } = engine.conversation;
    if (before.length > 0) return before.at(-1) === 'back' || before.length === 1 ? ['yes', 'keep'] : [];
    const rows = asked.map((each, at) => ({ word: String(at + 1), note: questionName(each) }));
    return [...(branches.length > 0 ? ['back'] : []), ...rows.slice(-MAX_QUESTIONS)];
  },
  async run(app, rest) {
    const words = rest.split(/\s+/).filter((word) => word !== '');
    const last = words.at(-1);
    const how = last === 'yes' || last === 'keep' ? last : undefined;
    const named = how ? words.slice(0, -1) : words;
    const { asked = [], branches = [], phase } = app.engine.conversation;
    if (named.length === 0 && how === undefined) return questionList(asked, branches);
    if (phase.kind !== 'idle') throw new CommandError('not during a run: press Ctrl-X Ctrl-C to end it first');
    const number = Number(named.at(-1));
    if (named[0] === 'back' && named.length < 3) {
      const branch = named.length === 2 ? branches.find((each) => each.number === number) : branches.at(-1);
      if (!branch) throw new CommandError('no such branch: :rewind lists them');
      return returnTo(app, branch, named.join(' '), how);
    }
    const question = named.length === 1 ? asked[number - 1] : undefined;
    if (!question) throw new CommandError(`no such question: use ${REWIND}`);
    return goBack(app, question, named.join(' '), how);
  },
};

function questionList(asked: readonly AskedTurn[], branches: readonly Branch[]): string {
  const rows = asked.map(
    (each, at) => `${String(at + 1).padStart(4)}  ${clockOf(each.at)}  ${visible(questionName(each))}`,
  );
  const back = branches.map(
    ({ number, question }) => `${String(number).padStart(4)}  ${visible(questionName(question))}`,
  );
  if (rows.length + back.length === 0) return 'you have not asked anything yet';
  return [
    ...rows.slice(-MAX_QUESTIONS),
    ...(rows.length > 0 ? [':rewind N goes back before a question'] : []),
    ...(back.length > 0 ? ['branches:', ...back, ':rewind back N returns to branch N'] : []),
  ].join('\n');
}

function clockOf(at: number): string {
  return new Date(at).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
}

type How = 'yes' | 'keep' | undefined;

/** Shows what the model has changed since the question, or returns to it. */
async function goBack(app: App, { turn, at }: AskedTurn, word: string, how: How): Promise<string | undefined> {
  const lacks = (await app.undo.unavailable()) !== undefined;
  const { sessionId } = app.info();
  const since = (action: KeptAction) => action.session === sessionId && action.at >= at;
  const isOpen = (action: KeptAction) => since(action) && action.kind !== 'undo' && action.state !== 'undone';
  const all = lacks ? [] : await app.undo.list();
  const numbers = all.filter(isOpen).map(({ number }) => number);
  if (how === undefined && numbers.length > 0) return ask(app, numbers, word);
  const known = new Set(all.map(({ number }) => number));
  const text = how === 'yes' && numbers.length > 0 ? await undoActions(app, numbers, word) : undefined;
  const now = lacks ? [] : await app.undo.list();
  const undos = now.filter(({ kind, number }) => kind === 'undo' && !known.has(number)).map(({ number }) => number);
  const changed = lacks || now.some(isOpen);
  void app.engine.dispatch({ type: 'rewound', turn, undos, ...(changed && { changed }) });
  return text;
}

/** Shows which files would be restored, or returns to the branch. */
async function returnTo(app: App, { number, undos }: Branch, word: string, how: How): Promise<string | undefined> {
  const lacks = undos.length > 0 && (await app.undo.unavailable()) !== undefined;
  if (how === undefined && undos.length > 0 && !lacks) {
    const taken = (await app.undo.list()).filter((action) => undos.includes(action.number));
    const rows = taken.map(({ text }) => `  ${visible(text.split('\n')[0] ?? '').slice(0, 60)}`);
    return offer(app, ['Undone when you went back:', ...rows].join('\n'), word, 'returns and restores the files');
  }
  const restores = how === 'yes' && undos.length > 0;
  const text = restores ? await undoActions(app, undos, word) : undefined;
  const changed = undos.length > 0 && !restores;
  void app.engine.dispatch({ type: 'branchTaken', branch: number, ...(changed && { changed }) });
  return text;
}

/** The subject of the last preview for each word. */
const shownFor = new WeakMap<App, { readonly word: string; readonly shown: string | undefined }>();

async function ask(app: App, numbers: readonly number[], word: string): Promise<string> {
  const { ok, text, shown } = await app.undo.preview(numbers);
  if (!ok) return `${text}\n${keepLine(word)}`;
  shownFor.set(app, { word, shown });
  return offer(app, `The model has changed since then:\n${text}`, word, 'goes back and undoes this');
}

/** Returns the lines that do it; the first is also put into an empty prompt. */
function offer(app: App, text: string, word: string, does: string): string {
  const yes = `:rewind ${word} yes`;
  return `${text}\n${app.screen?.suggest(yes) ? `Press Enter (${yes}):` : `${yes}:`} ${does}; ${keepLine(word)}`;
}

function keepLine(word: string): string {
  return `:rewind ${word} keep keeps the files`;
}

/** Undoes actions; throws if nothing was done. The model is not told, because it no longer knows of these actions. */
async function undoActions(app: App, numbers: readonly number[], word: string): Promise<string> {
  const seenLast = shownFor.get(app);
  shownFor.delete(app);
  const { ok, text } = await app.undo.undo(numbers, seenLast?.word === word ? seenLast.shown : undefined);
  if (!ok && !text.startsWith('undone')) throw new CommandError(text);
  return text;
}

function listOf(actions: readonly KeptAction[]): string {
  if (actions.length === 0) return 'there is nothing to undo';
  const rows = actions.slice(0, MAX_LISTED).map((action) => {
    const when = new Date(action.at).toISOString().slice(0, 16).replace('T', ' ');
    const state = action.state === 'ended' ? '' : ` · ${action.state}`;
    const what = visible(action.text.split('\n')[0] ?? '').slice(0, 60);
    return `${String(action.number).padStart(4)}  ${when}  ${what} · ${summaryOf([action])} · ${bytesText(action.bytes)}${state}`;
  });
  const more = actions.length - rows.length;
  return [...rows, ...(more > 0 ? [`… and ${more} older`] : [])].join('\n');
}
