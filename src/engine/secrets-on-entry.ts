/** Converts secrets to handles and back at the border of the state machine (SE-3). */

import type { Secrets } from '../contracts/secrets.ts';
import type { Services } from '../contracts/services.ts';
import type { EventType, SessionEvent } from '../session/event.ts';
import type { ToolSpec } from '../session/message.ts';
import type { Conversation } from '../session/state.ts';

/** The origin of a text, in words for `:secrets`. */
const WHERE: Readonly<Partial<Record<EventType, string>>> = {
  asked: 'your question',
  norrisStarted: 'your goal',
  answered: 'a command you edited',
  shellStarted: 'your command',
  shellEnded: 'the output of your command',
  replyEnded: 'an answer of the model',
  examined: 'the judgement of the gate',
  actionEnded: 'the output of an action of the model',
  jobEnded: 'the output of a job',
  tried: 'the output of a trial',
  applied: 'a trial that was applied',
  undone: 'an action that was taken back',
  summarized: 'a summary of the conversation',
  noticed: 'a message from the program',
};

/** Events with an action's text: a secret in it is part of that text, with its escapes. */
const ACTIONS: ReadonlySet<EventType> = new Set(['replyEnded', 'answered']);

/** Events with only aish-tui's own words: skipping them keeps the first one from delaying the start. */
const OWN: ReadonlySet<EventType> = new Set([
  'opened',
  'resumed',
  'spawned',
  'shellMoved',
  'modeChosen',
  'presetChosen',
  'aborted',
  'actionStarted',
  'turnsReset',
  'rewound',
  'branchTaken',
  'compactAsked',
  'discarded',
]);

/** A directory with such a name is searched for secrets as well. */
const REMARKABLE = /[=:@]|[^/]{20}/;

/**
 * Returns the event with secrets hidden, for the state machine and the journal. The credential files of a directory
 * count once somebody works in that directory.
 */
export function withoutSecrets(secrets: Secrets, event: SessionEvent): SessionEvent {
  const cwd = directoryOf(event);
  if (cwd !== undefined) secrets.entered(cwd);
  if (OWN.has(event.type) && !REMARKABLE.test(cwd ?? '')) return event;
  const hidden = secrets.hide(event, WHERE[event.type], ACTIONS.has(event.type) ? 'action' : 'data');
  if (hidden.type !== 'jobEnded') return hidden;
  // A job may also print secrets that it was given.
  const job = { kind: 'command', command: hidden.command, job: true } as const;
  const { result } = secrets.hideEchoed(job, { kind: 'command', result: hidden.result });
  return { ...hidden, result };
}

function directoryOf(event: SessionEvent): string | undefined {
  switch (event.type) {
    case 'opened':
    case 'shellMoved':
      return event.cwd;
    case 'shellEnded':
    case 'tried':
    case 'jobEnded':
      return event.result.cwd;
    case 'actionEnded':
      return 'result' in event.outcome ? event.outcome.result.cwd : undefined;
    default:
      return undefined;
  }
}

/** Cached by original, so that the same object is sent each time. */
const hidden = new WeakMap<ToolSpec, ToolSpec>();

/** Tools that a sub-agent does not have: delegating, and requesting another mode. */
const FOR_PARENTS = new Set(['delegate', 'request_mode_upgrade']);

/**
 * Returns the tools described to a conversation, as many as its window has room for, without secrets in servers'
 * descriptions (SE-1). A sub-agent has two fewer; otherwise all conversations get the same (MO-2).
 */
export function toolsOf(
  { tools, secrets }: Pick<Services, 'tools' | 'secrets'>,
  { parent, budget }: Conversation,
): { readonly specs: readonly ToolSpec[]; readonly left: readonly string[] } {
  // A token is about four characters, so this many characters take a quarter of the window.
  const described = tools.specsWithin(budget?.window ?? Number.POSITIVE_INFINITY);
  const specs = described.specs.map((spec) => {
    const known = hidden.get(spec) ?? secrets.hide(spec, 'the description of a tool');
    hidden.set(spec, known);
    return known;
  });
  return { specs: parent ? specs.filter(({ name }) => !FOR_PARENTS.has(name)) : specs, left: described.left };
}
