/** A question of ours as the editor's permission request, and its outcome as an answer (SF-10). */
import type { PermissionOption, RequestPermissionOutcome, RequestPermissionRequest } from '@agentclientprotocol/sdk';
import { type Action, describeAction } from '../../session/action.ts';
import { shortDollars } from '../../session/cost.ts';
import type { Answer } from '../../session/event.ts';
import { modeName } from '../../session/mode.ts';
import type { Question } from '../../session/question.ts';
import { visible } from '../../text/sanitize.ts';
import { nameText } from '../../text/spelled.ts';
import { dangersOf, unmarked } from '../../ui/screen/halt/danger.ts';

type Request = Omit<RequestPermissionRequest, 'sessionId'>;

const REVIEWED = {
  later: 'set aside until you say so, since it runs later',
  room: 'there is no room to keep it',
  network: 'connects to the network',
  start: 'starts from files that a model has changed',
} as const;

/** What is offered, and what each means. Only a connection can be allowed for longer; findings are asked about anew. */
const RUN = { optionId: 'proceed', name: 'Run it once', kind: 'allow_once' } as const;
const SKIP = { optionId: 'skip', name: 'Skip it', kind: 'reject_once' } as const;
const STOP = { optionId: 'abort', name: 'Stop the work', kind: 'reject_once' } as const;

const OPTIONS: Readonly<Record<Question['kind'], readonly PermissionOption[]>> = {
  halt: [RUN, SKIP, STOP],
  escalation: [{ ...RUN, name: 'Go on' }, STOP],
  spend: [{ ...RUN, name: 'Spend on' }, STOP],
  mode: [{ ...RUN, name: 'Widen the mode' }, SKIP, STOP],
  form: [SKIP],
  review: [{ ...RUN, name: 'Let it stand' }, SKIP],
  fleet: [{ ...RUN, name: 'Run it on these hosts' }, SKIP, STOP],
};

const CONNECT: readonly PermissionOption[] = [
  { ...RUN, name: 'Connect once' },
  { optionId: 'always', name: 'Connect until the session ends', kind: 'allow_always' },
  { ...SKIP, name: 'Do not connect' },
];

const optionsFor = (question: Question) =>
  question.kind === 'review' && question.about === 'network' ? CONNECT : OPTIONS[question.kind];

/** The exact command stands in `rawInput`, every finding with its impact in the content: titles are cut by editors. */
export function permissionFor(question: Question): Request {
  const lines = sentences(question);
  const toolCall = {
    toolCallId: `question-${question.id}`,
    title: (lines[0] ?? 'a question').slice(0, 200),
    kind: question.kind === 'mode' ? ('switch_mode' as const) : ('execute' as const),
    status: 'pending' as const,
    content: [{ type: 'content' as const, content: { type: 'text' as const, text: lines.join('\n') } }],
    ...(question.kind === 'halt' ? { rawInput: inputOf(question.action) } : {}),
  };
  return { toolCall, options: [...optionsFor(question)] };
}

/** No answer, a cancelled one, or one that was not offered ends the work; it never runs anything. */
export function answerFrom(question: Question, outcome: RequestPermissionOutcome): Answer {
  const chosen = outcome.outcome === 'selected' ? outcome.optionId : undefined;
  const offered = optionsFor(question).some(({ optionId }) => optionId === chosen);
  if (offered && (chosen === 'proceed' || chosen === 'always')) return { kind: chosen };
  return question.kind === 'form' || (offered && chosen === 'skip') ? { kind: 'skip' } : { kind: 'abort' };
}

function inputOf(action: Action): Readonly<Record<string, unknown>> {
  return action.kind === 'command' ? { command: action.command } : { action: describeAction(action) };
}

function sentences(question: Question): readonly string[] {
  const who = question.asker ? [`asked by sub-agent ${question.asker.agent}: ${visible(question.asker.task)}`] : [];
  return [...own(question), ...who];
}

function own(question: Question): readonly string[] {
  switch (question.kind) {
    case 'halt': {
      const { action } = question;
      const text = action.kind === 'command' ? action.command : describeAction(action);
      const dangers = dangersOf(text, question.judgement.findings ?? []);
      return [
        visible(text),
        ...(dangers.length === 0 ? [visible(question.judgement.reason)] : []),
        ...dangers.flatMap(({ verb, part, impact }) => [
          `- ${verb}${part === '' ? '' : `: ${unmarked(part)}`}`,
          ...impact.map((line) => `  ${line}`),
        ]),
        `in ${visible(question.cwd)}, ${modeName(question.mode)}`,
      ];
    }
    case 'escalation':
      return [`${question.skips} actions were skipped in a row: go on?`];
    case 'spend':
      return [
        `the session has cost ${shortDollars(question.spent)} of ${shortDollars(question.limit)}, and calls to ${visible(question.preset)} cost money`,
      ];
    case 'mode':
      return [
        `${modeName(question.wish ?? question.offers[0] ?? 'unrestricted')} mode instead of ${modeName(question.from)}`,
        visible(question.reason),
      ];
    case 'form':
      return [`${visible(question.server)} asks for input, which can't be given here: ${visible(question.message)}`];
    case 'fleet':
      return [
        visible(question.command),
        `on ${question.hosts.map(visible).join(', ')}`,
        ...question.reported.map(visible),
      ];
    case 'review':
      return [
        `${nameText(question.command)}: ${REVIEWED[question.about]}`,
        ...question.items.map((item) => `- ${nameText(item)}`),
      ];
  }
}
