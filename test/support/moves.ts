/** Random runs of the pure machine: moves of the user and of the world, over the conversation and its sub-agents. */
import fc from 'fast-check';
import type { ToolCall } from '../../src/session/message.ts';
import type { Phase } from '../../src/session/phase.ts';
import { slotOf } from '../../src/session/slots.ts';
import type { State } from '../../src/session/state.ts';
import { cases } from './cases.ts';
import {
  bash,
  deadly,
  delegate,
  harmless,
  judged,
  Machine,
  opsOf,
  printed,
  readOnly,
  reply,
  triedAs,
} from './machine.ts';

const FINISHES = ['whole', 'whole', 'whole', 'whole', 'failed', 'cancelled'] as const;
const WORDS = ['reads', 'reads', 'reads', 'harmless', 'beyond', 'destructive', 'refused'] as const;
const ANSWERS = [
  'proceed',
  'proceed',
  'proceed',
  'always',
  'unrestricted',
  'try',
  'try',
  'apply',
  'skip',
  'abort',
  'edit',
] as const;
const OUTCOMES = ['command', 'tool', 'report'] as const;
const LONE = [
  'ask',
  'norris',
  'abort',
  'resume',
  'reset',
  'shell',
  'stale',
  'tighten',
  'loosen',
  'project',
  'lose',
  'unconfine',
  'tried',
  'applied',
  'continue',
  'spend',
  'count',
] as const;

const TEXTS = [
  '',
  'ok',
  'CMD: ls',
  'CMD: rm -rf x\nCMD&: b',
  'CMD: ls\nCMD: cat a\nCMD: pwd',
  'DELEGATE: look here\nDELEGATE: look there',
  'DELEGATE: a\nDELEGATE: b\nDELEGATE: c\nCMD: b',
  'GOAL: complete',
  'CMD: a\nGOAL: blocked',
  'TASK: a\nTASK: b',
] as const;

const lone = fc.record({ do: fc.constantFrom(...LONE) });
const modelReply = fc.record({
  do: fc.constant('reply' as const),
  text: fc.constantFrom(...TEXTS),
  calls: fc.array(fc.nat(5), { maxLength: 5 }),
  reading: fc.boolean(),
  finish: fc.constantFrom(...FINISHES),
});
const examine = fc.record({
  do: fc.constant('examine' as const),
  says: fc.constantFrom(...WORDS),
  autoApproved: fc.boolean(),
});
const answer = fc.record({ do: fc.constant('answer' as const), kind: fc.constantFrom(...ANSWERS) });
const start = fc.record({ do: fc.constant('start' as const) });
const spawn = fc.record({ do: fc.constant('spawn' as const) });
const end = fc.record({ do: fc.constant('end' as const), how: fc.constantFrom(...OUTCOMES) });

/** Draws one event of each kind; the phase of the session decides which of them is used. */
const next = fc.record({
  do: fc.constant('next' as const),
  reply: modelReply,
  examine,
  answer,
  start,
  spawn,
  end,
  pick: fc.nat(2),
});

type Simple = Valued<
  typeof lone | typeof modelReply | typeof examine | typeof answer | typeof start | typeof spawn | typeof end
>;
type Valued<A> = A extends fc.Arbitrary<infer T> ? T : never;
type Step = Simple | Valued<typeof next>;

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: next },
  { weight: 2, arbitrary: lone },
  { weight: 3, arbitrary: fc.oneof(modelReply, examine, answer, start, spawn, end) },
);

const move = fc.record({ who: fc.nat(9), op: fc.nat(9), step });
type Move = Valued<typeof move>;

/** Moves that are possible in a session's phase; sometimes one that starts something while nothing runs. */
function fitting(
  phase: Phase | undefined,
  opStarted: boolean,
  isDelegate: boolean,
  isApply: boolean,
  given: Valued<typeof next>,
): Simple {
  switch (phase?.kind) {
    case 'planning':
    case 'replying':
      return given.reply;
    case 'judging':
    case 'stopping':
      return given.examine;
    case 'halted':
    case 'escalated':
    case 'planReview':
    case 'awaitingModeApproval':
    case 'awaitingSpend':
      return given.answer;
    case 'trying':
      return { do: 'tried' };
    case 'acting':
    case 'stoppingActions':
      if (!opStarted) return given.start;
      if (isApply) return { do: 'applied' };
      return isDelegate ? given.spawn : given.end;
    default:
      return { do: given.pick === 0 ? 'ask' : 'norris' };
  }
}

let serial = 0;

function callOf(kind: number): ToolCall {
  serial += 1;
  const id = `c${serial}`;
  if (kind === 1) return { id, name: 'patch', arguments: '{}' };
  if (kind === 2) {
    const wish = serial % 3 === 0 ? ',"mode":"project"' : '';
    return { id, name: 'request_mode_upgrade', arguments: `{"reason":"to write"${wish}}` };
  }
  if (kind === 5) return { id, name: 'fs__list', arguments: '{}' };
  if (kind === 3) return delegate(id, `task ${serial}`);
  return bash(id, `echo ${serial}`);
}

/** Sends the events of a move to the session it concerns. */
function play(machine: Machine, { who, op: whichOp, step: given }: Move): void {
  const sessions = Object.keys(machine.state.sessions);
  const session = sessions[who % sessions.length] ?? 'main';
  const phase = machine.state.sessions[session]?.phase;
  const ops = opsOf(machine.state, session);
  const op = ops[whichOp % Math.max(1, ops.length)] ?? 'none';
  serial += 1;
  const found = phase && 'slots' in phase ? slotOf(phase, op) : undefined;
  const step =
    given.do === 'next'
      ? fitting(
          phase,
          found?.slot.started ?? false,
          found?.action.kind === 'delegate',
          found?.slot.trial !== undefined,
          given,
        )
      : given;
  switch (step.do) {
    case 'ask':
      return void machine.send({ type: 'asked', line: `l${serial}`, text: `question ${serial}` }, session);
    case 'norris':
      return void machine.send({ type: 'norrisStarted', goal: 'tidy' }, session);
    case 'continue':
      return void machine.send({ type: 'norrisContinued' }, session);
    case 'spend': {
      const dollars = { spent: 1, limit: 1, allowance: 1 };
      return void machine.send({ type: 'spendReached', op, preset: 'fast', ...dollars }, session);
    }
    case 'count': {
      const tokens = { promptTokens: 10, completionTokens: 1, dollars: 0.01 };
      const call = { preset: 'fast', model: 'm', category: 'norris', local: false, ...tokens } as const;
      return void machine.send({ type: 'callCounted', call });
    }
    case 'abort':
      return void machine.send({ type: 'aborted' }, session);
    case 'resume':
      return void machine.send({ type: 'resumed', settings: machine.conversation.settings }, session);
    case 'reset':
      return void machine.send({ type: 'turnsReset' }, session);
    case 'spawn':
      return void machine.send({ type: 'spawned', parent: session, op }, `agent-${op}`);
    case 'tighten':
      return void machine.send({ type: 'modeChosen', mode: 'restricted' }, session);
    case 'loosen':
      return void machine.send({ type: 'modeChosen', mode: 'unrestricted' }, session);
    case 'project':
      return void machine.send({ type: 'modeChosen', mode: 'project' }, session);
    // At the next start the kernel does not support Project.
    case 'lose':
      return void machine.send({ type: 'resumed', settings: { ...machine.conversation.settings, project: false } });
    // At the next start there is no sandbox.
    case 'unconfine': {
      const without = { sandbox: false, project: false, keepsMode: true } as const;
      return void machine.send({ type: 'resumed', settings: { ...machine.conversation.settings, ...without } });
    }
    case 'stale':
      return void machine.send({ type: 'actionEnded', op: 'op0', outcome: printed('late') }, session);
    case 'shell':
      return void machine.send({ type: 'shellMoved', cwd: `/d${serial}` });
    case 'reply': {
      const calls = step.calls.map(callOf);
      const failure = { failure: { kind: 'cut', message: 'cut' } } as const;
      const whole = step.finish === 'whole' ? {} : { finish: step.finish, ...failure };
      const reading = step.reading ? { reading: true as const } : {};
      return void machine.send({ type: 'replyEnded', op, reply: reply(step.text, calls, whole), ...reading }, session);
    }
    case 'examine': {
      const refused = { kind: 'refused', text: 'no such tool' } as const;
      const beyond = { ...harmless, upgrade: { mode: 'unrestricted', needs: 'the network' } } as const;
      const verdict = { reads: readOnly, harmless, destructive: deadly, beyond };
      const tool = { definition: `d${serial % 2}`, claims: [], changed: false };
      const examination =
        step.says === 'refused'
          ? refused
          : { ...judged(verdict[step.says], step.autoApproved), tool, canTry: true as const };
      return void machine.send({ type: 'examined', op, examination }, session);
    }
    case 'tried': {
      const outcome = printed('tried');
      if (outcome.kind !== 'command') return;
      const trial = triedAs(`t${serial}`, serial % 4 > 0);
      return void machine.send({ type: 'tried', op, trial, result: outcome.result }, session);
    }
    case 'applied':
      return void machine.send({ type: 'applied', op, ok: serial % 3 > 0, text: 'done' }, session);
    case 'start':
      return void machine.send({ type: 'actionStarted', op }, session);
    case 'end': {
      const rest = { text: 'x', failed: false, steps: 1 };
      const outcome = step.how === 'command' ? printed('x', 0, '/e') : { kind: step.how, ...rest };
      return void machine.send({ type: 'actionEnded', op, outcome }, session);
    }
    case 'answer': {
      const { questions } = machine.state;
      const question = questions[whichOp % Math.max(1, questions.length)];
      const answer = step.kind === 'edit' ? ({ kind: 'edit', command: 'ls' } as const) : { kind: step.kind };
      const asked = { type: 'answered', question: question?.id ?? 'none', answer } as const;
      return void machine.send(asked, question?.session ?? session);
    }
  }
}

/** Returns a property over random runs; `look` sees the machine after every move and the state before it. */
export function property(look: (machine: Machine, before: State) => void, numRuns = cases(100)): void {
  runs(numRuns, (machine, moves) => {
    for (const each of moves) {
      const before = machine.state;
      play(machine, each);
      look(machine, before);
    }
  });
}

/** Random runs; `look` sees the final state of each. */
export function propertyOfEnd(look: (machine: Machine) => void, numRuns = cases(200)): void {
  runs(numRuns, (machine, moves) => {
    for (const each of moves) play(machine, each);
    look(machine);
  });
}

function runs(numRuns: number, run: (machine: Machine, moves: readonly Move[]) => void): void {
  fc.assert(
    fc.property(
      fc.array(move, { maxLength: 120, size: 'max' }),
      fc.boolean(),
      fc.boolean(),
      fc.boolean(),
      fc.boolean(),
      (moves, sandbox, free, plans, project) => {
        const planning = plans ? { preplanner: 'cloud', tasksMax: 3 } : {};
        const how = { sandbox, project: sandbox && project, keepsMode: true, confirmCmd: !free, ...planning } as const;
        const machine = new Machine(how, free ? (project ? 'project' : 'restricted') : 'unrestricted');
        run(machine, moves);
      },
    ),
    { numRuns },
  );
}

/** Lets all operations end, as after a cancel; `machine` is changed. */
export function letEnd(machine: Machine): void {
  for (let round = 0; round < 100; round += 1) {
    const open = Object.keys(machine.state.sessions).flatMap((session) =>
      opsOf(machine.state, session).map((op) => ({ session, op })),
    );
    if (open.length === 0) return;
    for (const { session, op } of open) {
      machine.send({ type: 'replyEnded', op, reply: reply('', [], { finish: 'cancelled' }) }, session);
      machine.send({ type: 'examined', op, examination: judged(harmless) }, session);
      machine.send({ type: 'actionEnded', op, outcome: printed('', 130, '/') }, session);
    }
  }
}
