import type { MemoryPort, SessionSummary, SessionsPort } from '../contracts/store.ts';
import { contextUse, firstInContext } from '../session/context.ts';
import type { Conversation, Preplan, Turn } from '../session/state.ts';
import { messageOf } from '../text/errors.ts';
import { visible } from '../text/sanitize.ts';
import { type Command, CommandError } from './command.ts';

/**
 * `:history`: the conversation, including turns the model no longer gets, and the preplans, which it never got
 * (CX-3).
 */
export const history: Command = {
  name: 'history',
  usage: ':history',
  group: 'talk',
  summary: 'show the conversation, and which parts are out of context',
  run({ engine }) {
    const { turns, preplans = [], summary } = engine.conversation;
    const before = (place: number) => [
      ...preplans.filter(({ after }) => after === place).map(preplanLines),
      ...(summary?.upTo === place ? [`summary of the above (written by the model): ${summary.text}`] : []),
    ];
    const from = firstInContext(engine.conversation);
    const lines = turns.flatMap((turn, place) => [...before(place), line(turn, markOf(turn, place < from))]);
    const all = [...lines, ...before(turns.length)];
    return all.length === 0 ? 'the conversation is empty' : [...all, ...fillLine(engine.conversation)].join('\n');
  },
};

/** `:reset`: starts a new conversation in the same session (CX-3). */
export const reset: Command = {
  name: 'reset',
  usage: ':reset',
  group: 'talk',
  summary: 'start a new conversation; costs and mode stay',
  run({ engine }) {
    void engine.dispatch({ type: 'turnsReset' });
    return undefined;
  },
};

/** `:compact`: replaces the conversation so far by a summary (CX-8). */
export const compact: Command = {
  name: 'compact',
  usage: ':compact',
  group: 'talk',
  summary: 'have the model summarise the conversation so far',
  run({ engine }) {
    void engine.dispatch({ type: 'compactAsked' });
    return undefined;
  },
};

/** `:sessions`: lists earlier sessions, how to resume one, and which old ones to remove (RE-7). */
export const sessions: Command = {
  name: 'sessions',
  usage: ':sessions [ID [fork] | prune [yes]]',
  group: 'talk',
  summary: 'find and resume earlier sessions',
  forms: [
    [':sessions', 'list them; type to search, Enter resumes'],
    [':sessions ID', 'switch to that session'],
    [':sessions ID fork', 'switch to a copy of it'],
    [':sessions prune', 'show the disk space of old sessions'],
    [':sessions prune yes', 'delete them'],
  ],
  async arguments({ sessions }, [what, ...more]) {
    if (what === 'prune') return more.length === 0 ? ['yes'] : [];
    if (what !== undefined) return more.length === 0 ? ['fork'] : [];
    const rows = (await sessions.list()).map(({ id, title }) => ({ word: id, note: visible(title) }));
    return ['prune', ...rows];
  },
  stops: (rest) => rest !== 'prune yes',
  async run({ sessions, screen }, rest) {
    const list = rest.startsWith('prune') ? [] : await sessions.list();
    if (rest === '') {
      if (!screen || list.length === 0) return sessionTable(list);
      screen.pickSession(list);
      return undefined;
    }
    if (rest !== 'prune' && rest !== 'prune yes') return resume(sessions, list, rest);
    const old = await sessions.old();
    if (old.length === 0) return `no session is older than ${sessions.days} days (disk.days)`;
    const bytes = old.reduce((sum, one) => sum + one.bytes, 0);
    if (rest === 'prune yes') return `removed: ${await sessions.remove(old)} of ${old.length}, ${sizeOf(bytes)}`;
    const rows = old.map((one) => `${one.id}  last used ${dayOf(one.lastAt)}  ${sizeOf(one.bytes)}`);
    return [
      ...rows,
      `${old.length === 1 ? '1 session with its journal' : `${old.length} sessions with their journals`}, ${sizeOf(bytes)}, not used for ${sessions.days} days (disk.days)`,
      ':sessions prune yes removes them for good',
    ].join('\n');
  },
};

function resume(port: SessionsPort, list: readonly SessionSummary[], rest: string): undefined {
  const [id, how, ...more] = rest.split(/\s+/);
  const found = list.find((each) => each.id === id);
  if (!found || more.length > 0 || (how !== undefined && how !== 'fork'))
    throw new CommandError(`no session ${rest}; :sessions lists them`);
  if (found.open && how === undefined)
    throw new CommandError(`session ${id} is open elsewhere; :sessions ${id} fork continues a copy`);
  const why = port.resume(found, how === 'fork');
  if (why !== undefined) throw new CommandError(why);
  return undefined;
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

function sizeOf(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** Lists the sessions, newest first, and how to resume one. */
export function sessionTable(sessions: readonly SessionSummary[]): string {
  const rows = sessions.map(
    (row) =>
      `${row.id}  ${new Date(row.startedAt).toISOString().slice(0, 16).replace('T', ' ')}  ${row.cwd}  ${row.title}`,
  );
  return rows.length === 0 ? 'no earlier sessions' : `${rows.join('\n')}\naish-tui --resume <id> resumes one`;
}

function preplanLines({ preset, goal, text, outcome }: Preplan): string {
  const reply = text.trim() === '' ? '' : `\npreplan reply (out of context): ${text.trim()}`;
  return `preplan call to ${preset} (out of context): ${goal}${reply}\npreplan outcome (out of context): ${outcome}`;
}

/** Marks a turn that is shortened or evicted (CX-1). */
function markOf({ keptChars }: Turn, gone: boolean): string {
  if (gone) return ' (out of context)';
  if (keptChars === undefined) return '';
  return keptChars === 0 ? ' (left out of the context)' : ' (shortened in the context)';
}

function fillLine(conversation: Conversation): readonly string[] {
  const use = contextUse(conversation);
  return use ? [`context: ${use.tokens} of ${use.budget} tokens (${use.percent.toFixed(1)}%)`] : [];
}

function line(turn: Turn, mark: string): string {
  switch (turn.kind) {
    case 'user':
      return `${turn.origin === 'user' ? 'you' : turn.origin}${mark}: ${turn.text}`;
    case 'assistant':
      return [
        `model${mark}: ${turn.text}`,
        ...turn.toolCalls.map((call) => `  calls ${call.name} ${call.arguments}`),
      ].join('\n');
    case 'result':
      return `result${mark}: ${turn.text}`;
  }
}

/** A local model may have to read everything first, and the user is waiting. */
const SAVE_TIMEOUT_MS = 60_000;

/** `:memory`: shows and edits the notes on earlier sessions (CX-5). */
export const memory: Command = {
  name: 'memory',
  usage: ':memory [save | forget <number>]',
  group: 'talk',
  summary: 'list the notes on earlier sessions',
  forms: [
    [':memory save', 'write a note on this session'],
    [':memory forget 3', 'delete note 3'],
  ],
  arguments({ memory }, [verb, ...more]) {
    if (verb === undefined) return ['save', 'forget'];
    if (verb !== 'forget' || more.length > 0) return [];
    return memory.list().map(({ text }, index) => ({ word: String(index + 1), note: text }));
  },
  async run({ memory }, rest) {
    const [verb = '', number = ''] = rest.split(/\s+/);
    if (verb === 'save') return memory.save(AbortSignal.timeout(SAVE_TIMEOUT_MS));
    const rows = memory.list();
    if (verb === 'forget') {
      const row = rows[Number(number) - 1];
      if (!row) throw new CommandError(`no note ${number || '(which?)'}; :memory lists them`);
      memory.forget(row.session);
      return `forgotten: ${row.text}`;
    }
    if (verb !== '') throw new CommandError(`:memory takes save or forget <number>, not ${verb}`);
    const off = memory.enabled ? [] : ['(memory.enabled is off: no notes are saved or used)'];
    const lines = rows.map(
      ({ at, cwd, text }, index) => `${index + 1}  ${new Date(at).toISOString().slice(0, 10)}  ${cwd}  ${text}`,
    );
    return [...off, ...(lines.length > 0 ? lines : ['there are no notes'])].join('\n');
  },
};

/** How long leaving waits for the summary, in ms. */
const SAVE_MEMORY_TIMEOUT_MS = 10_000;

/** Saves the summary at a session's end (CX-5). The screen is closed; Ctrl-C skips it. */
export async function saveMemory(memory: MemoryPort, out: (text: string) => void): Promise<void> {
  const hurry = new AbortController();
  const stop = () => hurry.abort();
  process.once('SIGINT', stop);
  out('saving a summary of this session (Ctrl-C skips) … ');
  try {
    out(`${await memory.save(AbortSignal.any([hurry.signal, AbortSignal.timeout(SAVE_MEMORY_TIMEOUT_MS)]))}\n`);
  } catch (error) {
    out(`not saved: ${messageOf(error)}\n`);
  } finally {
    process.off('SIGINT', stop);
  }
}
