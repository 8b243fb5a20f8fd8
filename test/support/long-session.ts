/** The events of a long run, as the program writes them: six a step, and token counts of the requests. */
import { firstInContext } from '../../src/session/context.ts';
import type { SessionEvent } from '../../src/session/event.ts';
import { sentContent } from '../../src/session/evict.ts';
import type { Settings, StoredBudget } from '../../src/session/state.ts';
import { formatRecord } from '../../src/store/read.ts';
import { bash, harmless, judged, Machine, printed, reply } from './machine.ts';

const BUDGET: StoredBudget = {
  preset: 'fast',
  window: 16_384,
  source: 'server',
  counter: 'test',
  room: 14_336,
  head: 1500,
  limit: 12_000,
  answer: 2048,
  factor: 1,
};
/** The number of lines that each command prints. */
const LINES = 12;

/** Returns an unfinished run of this many steps, with its state. */
export function longRun(steps: number, settings: Partial<Settings> = {}): Machine {
  const machine = new Machine({ maxNorrisSteps: steps + 1, ...settings });
  // Earlier states are not needed; keeping them would copy all earlier turns for each event.
  machine.owned = new Map();
  machine.send({ type: 'norrisStarted', goal: 'look at everything' });
  for (let n = 1; n <= steps; n += 1) {
    countTurns(machine);
    const ended = reply(`I look at part ${n}.`, [bash(`call-${n}`, `cat part-${n}`)]);
    machine.send({ type: 'callCounted', call: { ...CALL, promptTokens: 9000 + n } });
    machine.send({ type: 'replyEnded', op: machine.op, reply: ended });
    machine.send({ type: 'examined', op: machine.op, examination: judged(harmless) });
    const output = Array.from({ length: LINES }, (_, line) => `line ${line} of part ${n}, in \x1b[32mcolour\x1b[m`);
    const { op } = machine;
    machine.send({ type: 'actionStarted', op });
    machine.send({ type: 'actionEnded', op, outcome: printed(output.join('\n')) });
  }
  return machine;
}

const CALL = {
  preset: 'fast',
  model: 'scripted',
  category: 'norris',
  completionTokens: 20,
  local: true,
} as const;

/** Counts the next request until everything fits, as before each call. */
function countTurns(machine: Machine): void {
  for (let open = true; open; ) {
    const { turns } = machine.conversation;
    const tokens = turns.flatMap((turn, at) =>
      at >= firstInContext(machine.conversation) && turn.tokens === undefined
        ? [[at, Math.ceil(sentContent(turn).length / 4)] as const]
        : [],
    );
    machine.send({ type: 'measured', op: machine.op, budget: BUDGET, tokens });
    const from = firstInContext(machine.conversation);
    open = machine.conversation.turns.slice(from).some((turn) => turn.tokens === undefined);
  }
}

/** Returns the text of a journal with these events. */
export function journalOf(events: readonly SessionEvent[]): string {
  return events.map((event, seq) => formatRecord(event, seq)).join('');
}
