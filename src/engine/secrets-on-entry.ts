/** Where secrets turn into handles, and handles into secrets, around the machine (SE-3). */

import type { Secrets } from '../contracts/secrets.ts';
import type { Services } from '../contracts/services.ts';
import type { EventType, SessionEvent } from '../session/event.ts';
import type { ToolSpec } from '../session/message.ts';
import type { Conversation } from '../session/state.ts';

/** Where a text came from, in words for `:secrets`. */
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

/** Events that bring the text of an action: a secret in it is a piece of that text, with what it escapes or expands. */
const ACTIONS: ReadonlySet<EventType> = new Set(['replyEnded', 'answered']);

/** Events that hold nothing but the program's own words: the first of them must not cost a start its time. */
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

/** A directory with such a name is searched for secrets anyway. */
const REMARKABLE = /[=:@]|[^/]{20}/;

/**
 * The event as the machine and the journal may have it. Credential files of a directory count once somebody is there.
 */
export function withoutSecrets(secrets: Secrets, event: SessionEvent): SessionEvent {
  const cwd = directoryOf(event);
  if (cwd !== undefined) secrets.entered(cwd);
  if (OWN.has(event.type) && !REMARKABLE.test(cwd ?? '')) return event;
  const hidden = secrets.hide(event, WHERE[event.type], ACTIONS.has(event.type) ? 'action' : 'data');
  if (hidden.type !== 'jobEnded') return hidden;
  // What a job was given it may print as well.
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

/** By description as it came, so that the same one is sent each time. */
const hidden = new WeakMap<ToolSpec, ToolSpec>();

/** What a sub-agent can't do: delegate, and ask for another mode. */
const FOR_PARENTS = new Set(['delegate', 'request_mode_upgrade']);

/**
 * The tools that a conversation is told of, as many as its window has room for, without the secrets that a server may
 * have put into its descriptions (SE-1). A sub-agent has two fewer; otherwise they are the same for all (MO-2).
 */
export function toolsOf(
  { tools, secrets }: Pick<Services, 'tools' | 'secrets'>,
  { parent, budget }: Conversation,
): { readonly specs: readonly ToolSpec[]; readonly left: readonly string[] } {
  // A token is about four characters: as many characters as the window has tokens are a quarter of it.
  const described = tools.specsWithin(budget?.window ?? Number.POSITIVE_INFINITY);
  const specs = described.specs.map((spec) => {
    const known = hidden.get(spec) ?? secrets.hide(spec, 'the description of a tool');
    hidden.set(spec, known);
    return known;
  });
  return { specs: parent ? specs.filter(({ name }) => !FOR_PARENTS.has(name)) : specs, left: described.left };
}
