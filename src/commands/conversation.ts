import type { SessionSummary } from '../contracts/store.ts';
import { contextUse, firstInContext } from '../session/context.ts';
import type { Conversation, Preplan, Turn } from '../session/state.ts';
import { type Command, CommandError } from './command.ts';

/** `:history`: the conversation, with turns the model no longer sees, and the preplans, which it never saw (CX-3). */
export const history: Command = {
  name: 'history',
  usage: ':history',
  group: 'talk',
  summary: 'show the conversation, and what is out of context',
  run({ engine }) {
    const { turns, preplans = [] } = engine.conversation;
    const before = (place: number) => preplans.filter(({ after }) => after === place).map(preplanLines);
    const from = firstInContext(engine.conversation);
    const lines = turns.flatMap((turn, place) => [...before(place), line(turn, markOf(turn, place < from))]);
    const all = [...lines, ...before(turns.length)];
    return all.length === 0 ? 'the conversation is empty' : [...all, ...fillLine(engine.conversation)].join('\n');
  },
};

/** `:reset`: a new conversation in the same session (CX-3). */
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

/** `:sessions`: earlier sessions, how to resume one, and which old ones to remove (RE-7). */
export const sessions: Command = {
  name: 'sessions',
  usage: ':sessions [prune [yes]]',
  group: 'talk',
  summary: 'list earlier sessions',
  forms: [
    [':sessions prune', 'what old sessions take on disk'],
    [':sessions prune yes', 'remove them'],
  ],
  arguments: (_app, before) => (before.length === 0 ? ['prune'] : before.length === 1 ? ['yes'] : []),
  stops: (rest) => rest !== 'prune yes',
  async run({ sessions }, rest) {
    if (rest === '') return sessionTable(await sessions.list());
    if (rest !== 'prune' && rest !== 'prune yes') throw new CommandError(`:sessions knows prune, not ${rest}`);
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

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

function sizeOf(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** A line for each session, the newest first, and how to resume one. */
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

/** How a turn stands in the context (CX-1). */
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
