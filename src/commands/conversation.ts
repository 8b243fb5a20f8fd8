import type { Preplan, Turn } from '../session/state.ts';
import type { Command } from './command.ts';

/** `:history`: the turns that the model sees, and between them the preplans, which it does not see (CX-3). */
export const history: Command = {
  name: 'history',
  usage: ':history',
  summary: 'show the conversation as the model has it',
  run({ engine }) {
    const { turns, preplans = [] } = engine.conversation;
    const before = (place: number) => preplans.filter(({ after }) => after === place).map(preplanLines);
    const lines = turns.flatMap((turn, place) => [...before(place), line(turn)]);
    return [...lines, ...before(turns.length)].join('\n') || 'the conversation is empty';
  },
};

/** `:reset`: a new conversation in the same session (CX-3). */
export const reset: Command = {
  name: 'reset',
  usage: ':reset',
  summary: 'forget the conversation (not the files, not the mode)',
  run({ engine }) {
    void engine.dispatch({ type: 'turnsReset' });
    return undefined;
  },
};

/** `:sessions`: earlier sessions and how to go on with one. */
export const sessions: Command = {
  name: 'sessions',
  usage: ':sessions',
  summary: 'list earlier sessions',
  async run(aish) {
    const rows = (await aish.sessions()).map(
      (row) =>
        `${row.id}  ${new Date(row.startedAt).toISOString().slice(0, 16).replace('T', ' ')}  ${row.cwd}  ${row.title}`,
    );
    return rows.length === 0 ? 'no earlier sessions' : `${rows.join('\n')}\naish-tui --resume <id> goes on with one`;
  },
};

function preplanLines({ preset, goal, text, outcome }: Preplan): string {
  const reply = text.trim() === '' ? '' : `\npreplan reply (out of context): ${text.trim()}`;
  return `preplan call to ${preset} (out of context): ${goal}${reply}\npreplan outcome (out of context): ${outcome}`;
}

function line(turn: Turn): string {
  switch (turn.kind) {
    case 'user':
      return `${turn.origin === 'user' ? 'you' : turn.origin}: ${turn.text}`;
    case 'assistant':
      return [`model: ${turn.text}`, ...turn.toolCalls.map((call) => `  calls ${call.name} ${call.arguments}`)].join(
        '\n',
      );
    case 'result':
      return `result: ${turn.text}`;
  }
}
