/** The process of one editor session: an engine in its directory, controlled by messages (CL-1). */
import type {
  PermissionOption,
  RequestPermissionOutcome,
  RequestPermissionRequest,
  SessionModeState,
  SessionUpdate,
  StopReason,
} from '@agentclientprotocol/sdk';
import { EXIT } from '../../cli/exit-codes.ts';
import { plainEntry } from '../../cli/print.ts';
import type { App } from '../../commands/app.ts';
import { submitLine } from '../../commands/submit.ts';
import type { LiveReply } from '../../engine/live.ts';
import type { TranscriptItem } from '../../engine/transcript.ts';
import { type Action, describeAction } from '../../session/action.ts';
import { spendText } from '../../session/cost.ts';
import type { Entry } from '../../session/entry.ts';
import type { Answer } from '../../session/event.ts';
import { plainOutput } from '../../session/exec-text.ts';
import { MODES } from '../../session/ids.ts';
import { modeName } from '../../session/mode.ts';
import type { Question } from '../../session/question.ts';
import { withoutMarkers } from '../../session/reply.ts';
import { messageOf } from '../../text/errors.ts';
import { clean, plainText, visible } from '../../text/sanitize.ts';
import { nameText } from '../../text/spelled.ts';
import { dangersOf, unmarked } from '../../ui/screen/halt/danger.ts';
import type { FromSession, ToSession } from './messages.ts';

/** How often a growing answer is sent, in ms. */
const STREAM_MS = 100;

const NORRIS = /^\/norris\s+(\S[\s\S]*)$/;

/** Works until the editor's process ends; then everything is ended, and no question is answered. */
export async function serveSession(app: App): Promise<number> {
  const session = new Session(app, (message) => {
    // Nobody receives messages that arrive while it ends.
    if (process.connected) process.send?.(message);
  });
  const gone = Promise.withResolvers<void>();
  process.on('disconnect', () => gone.resolve());
  process.on('message', (message: ToSession) => void session.take(message));
  session.begin();
  await gone.promise;
  await app.engine.dispatch({ type: 'aborted', unattended: true }).catch(() => {});
  return EXIT.ok;
}

class Session {
  readonly #app: App;
  readonly #send: (message: FromSession) => void;
  readonly #updates: Updates;
  readonly #asked = new Map<string, number>();
  readonly #open = new Map<number, Question>();
  #questions = 0;
  #prompt: { readonly id: number; cancelled: boolean } | undefined;
  #started = false;
  /** The growing answer that is being sent. */
  #followed: LiveReply | undefined;

  constructor(app: App, send: (message: FromSession) => void) {
    this.#app = app;
    this.#send = send;
    this.#updates = new Updates((update) => send({ kind: 'update', update }));
    app.engine.subscribe(() => this.#look());
  }

  begin(): void {
    this.#send({ kind: 'ready', modes: this.#modes() });
    for (const text of this.#app.notices) this.#say(text);
    const availableCommands = [
      { name: 'norris', description: 'work toward a goal step by step', input: { hint: 'the goal' } },
    ];
    this.#send({ kind: 'update', update: { sessionUpdate: 'available_commands_update', availableCommands } });
  }

  async take(message: ToSession): Promise<void> {
    switch (message.kind) {
      case 'prompt':
        return this.#work(message.prompt, message.text);
      case 'cancel':
        return this.#cancel();
      case 'mode':
        return this.#changeMode(message.change, message.mode);
      case 'answer':
        return this.#answer(message.question, message.outcome);
    }
  }

  async #work(id: number, text: string): Promise<void> {
    const { engine } = this.#app;
    this.#prompt = { id, cancelled: false };
    this.#started = false;
    const goal = NORRIS.exec(text)?.[1];
    try {
      await engine.dispatch(
        goal === undefined
          ? { type: 'asked', line: engine.newLineId(), text }
          : { type: 'norrisStarted', goal: goal.trim() },
      );
    } catch (error) {
      this.#say(messageOf(error));
    }
    this.#started = true;
    this.#look();
  }

  async #cancel(): Promise<void> {
    if (this.#prompt) this.#prompt.cancelled = true;
    this.#open.clear();
    await this.#app.engine.dispatch({ type: 'aborted' });
    this.#look();
  }

  /** Changes the mode like `:mode`, with the same reasons for a refusal. */
  async #changeMode(change: number, mode: string): Promise<void> {
    if (MODES.some((name) => name === mode)) await submitLine(this.#app, `:mode ${mode}`);
    const { mode: now } = this.#app.engine.conversation;
    const text = now === mode ? undefined : `the mode is still ${modeName(now)}`;
    this.#send({ kind: 'changed', change, ...(text === undefined ? {} : { text }) });
  }

  #answer(number: number, outcome: Parameters<typeof answerFrom>[1]): void {
    const question = this.#open.get(number);
    this.#open.delete(number);
    if (!question) return;
    const answer = answerFrom(question, outcome);
    const { engine } = this.#app;
    // A cancelled or unanswered permission is not an answer of the user.
    const by = outcome.outcome === 'selected' ? {} : { unattended: true as const };
    // An abort at a sub-agent's HALT ends all work.
    if (answer.kind === 'abort') void engine.dispatch({ type: 'aborted', ...by });
    else void engine.dispatch({ type: 'answered', question: question.id, answer, ...by }, question.session);
  }

  #look(): void {
    const { engine } = this.#app;
    this.#follow();
    this.#updates.look(engine.transcript.entries);
    for (const question of engine.state.questions) this.#ask(engine.actions.revealQuestion(question));
    const busy = engine.conversation.phase.kind !== 'idle' || engine.state.questions.length > 0;
    if (!this.#prompt || !this.#started || busy) return;
    const { id, cancelled } = this.#prompt;
    this.#prompt = undefined;
    this.#send({ kind: 'ended', prompt: id, reason: cancelled ? 'cancelled' : this.#reason() });
  }

  /** Sends the growing answer, a few times a second. */
  #follow(): void {
    const { engine } = this.#app;
    const { phase } = engine.conversation;
    const op = phase.kind === 'replying' ? phase.op : undefined;
    const reply = op === undefined ? undefined : engine.live.replies.get(op);
    if (!reply || op === undefined || reply === this.#followed) return;
    this.#followed = reply;
    let later: NodeJS.Timeout | undefined;
    reply.subscribe(() => {
      if (reply.pause) this.#updates.dropped(op);
      if (later !== undefined) return;
      later = setTimeout(() => {
        later = undefined;
        // An answer that has ended is sent with its entry.
        if (engine.live.replies.get(op) === reply)
          this.#updates.stream(op, engine.services.secrets.hide(String(reply.text)));
      }, STREAM_MS);
    });
  }

  #ask(question: Question): void {
    if (this.#asked.has(question.id)) return;
    this.#questions += 1;
    this.#asked.set(question.id, this.#questions);
    this.#open.set(this.#questions, question);
    this.#send({ kind: 'ask', question: this.#questions, request: permissionFor(question) });
  }

  #reason(): StopReason {
    const last = this.#app.engine.transcript.entries.at(-1)?.entry;
    return last?.kind === 'norrisEnded' && last.status === 'budget_exhausted' ? 'max_turn_requests' : 'end_turn';
  }

  #modes(): SessionModeState {
    return {
      currentModeId: this.#app.engine.conversation.mode,
      availableModes: MODES.map((id) => ({ id, name: modeName(id) })),
    };
  }

  #say(text: string): void {
    const content = { type: 'text' as const, text: `${text}\n` };
    this.#send({ kind: 'update', update: { sessionUpdate: 'agent_thought_chunk', content } });
  }
}

// Converts transcript entries to an editor's session updates: each answer, and each action at its start and its end.

const MAX_OUTPUT_CHARS = 20_000;

type ShownAction = Extract<Entry, { kind: 'exec' | 'tool' | 'delegate' }>;

/** Sends the updates of a session that are new since the last call. */
class Updates {
  /** How often each entry was sent: 1 at its start, 2 at its end. */
  readonly #told = new Map<string, 1 | 2>();
  /** How much of an answer was sent while it was being written. */
  readonly #streamed = new Map<string, string>();
  readonly #send: (update: SessionUpdate) => void;

  constructor(send: (update: SessionUpdate) => void) {
    this.#send = send;
  }

  look(entries: readonly TranscriptItem[]): void {
    for (const { key, entry } of entries) {
      const told = this.#told.get(key);
      if (told === 2) continue;
      const isAction = entry.kind === 'exec' || entry.kind === 'tool' || entry.kind === 'delegate';
      if (isAction) this.#action(key, entry, told === 1);
      else this.#whole(key, entry);
    }
  }

  /**
   * Sends new complete lines of a growing answer: a partial escape sequence or secret could not be recognised.
   * @param text all of it so far, without secrets
   */
  stream(key: string, text: string): void {
    const lines = plainText(clean(withoutMarkers(text.slice(0, text.lastIndexOf('\n') + 1), true)));
    const before = this.#streamed.get(key) ?? '';
    if (this.#told.has(key) || lines.length <= before.length || !lines.startsWith(before)) return;
    this.#streamed.set(key, lines);
    this.#answer(lines.slice(before.length));
  }

  /**
   * An attempt was dropped, and the model is asked again: adds a line that says so if the editor already shows a
   * part.
   */
  dropped(key: string): void {
    if (this.#streamed.delete(key)) this.#answer('\n[aish] The answer broke off here. It begins again below.\n\n');
  }

  /** Returns the part that was not sent yet; everything if the text has changed. */
  #rest(key: string, text: string): string {
    const before = this.#streamed.get(key) ?? '';
    this.#streamed.delete(key);
    return text.startsWith(before) ? text.slice(before.length) : text;
  }

  #answer(text: string): void {
    this.#send({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
  }

  #whole(key: string, entry: Entry): void {
    // The editor shows its user's own text itself.
    if (entry.kind === 'user' && entry.queued) return;
    this.#told.set(key, 2);
    if (entry.kind === 'user' || entry.kind === 'norrisBegan') return;
    if (entry.kind === 'plan') {
      const entries = entry.tasks.map((text) => ({
        content: visible(text),
        priority: 'medium' as const,
        status: 'pending' as const,
      }));
      this.#send({ sessionUpdate: 'plan', entries });
      return;
    }
    if (entry.kind === 'assistant') {
      const rest = this.#rest(key, `${plainText(clean(withoutMarkers(entry.text)))}\n`);
      if (rest.trim() !== '') this.#answer(rest);
      return;
    }
    const text = plainEntry(entry);
    if (text.trim() === '') return;
    this.#send({
      sessionUpdate: 'agent_thought_chunk',
      content: { type: 'text', text: `${plainText(clean(text))}\n` },
    });
  }

  #action(key: string, entry: ShownAction, begun: boolean): void {
    const toolCallId = entry.op;
    if (!begun) {
      this.#told.set(key, 1);
      this.#send({
        sessionUpdate: 'tool_call',
        toolCallId,
        title: visible(titleOf(entry)).slice(0, 200),
        kind: entry.kind === 'exec' ? 'execute' : 'other',
        status: 'in_progress',
        rawInput: entry.kind === 'exec' ? { command: entry.command, cwd: entry.cwd } : { text: titleOf(entry) },
      });
    }
    if (!entry.result) return;
    this.#told.set(key, 2);
    const runsOn = entry.kind === 'exec' && entry.job !== undefined;
    const failed = 'exit' in entry.result ? entry.result.exit !== 0 && !runsOn : entry.result.failed;
    const output = 'exit' in entry.result ? plainOutput(entry.result) : entry.result.text;
    this.#send({
      sessionUpdate: 'tool_call_update',
      toolCallId,
      status: failed ? 'failed' : 'completed',
      content: [
        { type: 'content', content: { type: 'text', text: plainText(clean(output)).slice(-MAX_OUTPUT_CHARS) } },
      ],
    });
  }
}

function titleOf(entry: ShownAction): string {
  if (entry.kind === 'exec') return entry.command;
  return entry.kind === 'tool' ? `${entry.name} ${entry.arguments}` : entry.task;
}

// Converts a question to the editor's permission request, and the outcome to an answer (SF-10).

type Request = Omit<RequestPermissionRequest, 'sessionId'>;

const REVIEWED = {
  later: 'set aside until you say so, since it runs later',
  room: 'there is no room to keep it',
  network: 'connects to the network',
  start: 'starts from files that a model has changed',
} as const;

const AGAIN = {
  undone: 'it gave up waiting: a yes takes back what its command has changed and runs it again',
  partly: 'it gave up waiting, and the first part has already run: a yes runs all of it again',
} as const;

/**
 * The options and their meaning. Only a connection and the light sandbox can be allowed for longer; each finding asks
 * again.
 */
const RUN = { optionId: 'proceed', name: 'Run it once', kind: 'allow_once' } as const;
const SKIP = { optionId: 'skip', name: 'Skip it', kind: 'reject_once' } as const;
const STOP = { optionId: 'abort', name: 'Stop the work', kind: 'reject_once' } as const;

const OPTIONS: Readonly<Record<Question['kind'], readonly PermissionOption[]>> = {
  halt: [RUN, SKIP, STOP],
  plan: [{ ...RUN, name: 'Begin' }, STOP],
  escalation: [{ ...RUN, name: 'Go on' }, STOP],
  spend: [{ ...RUN, name: 'Spend on' }, STOP],
  mode: [{ ...RUN, name: 'Widen the mode' }, SKIP, STOP],
  form: [SKIP],
  review: [{ ...RUN, name: 'Let it stand' }, SKIP],
  fleet: [{ ...RUN, name: 'Run it on these hosts' }, SKIP, STOP],
};

const connectOptions = (holds: string): readonly PermissionOption[] => [
  { ...RUN, name: 'Connect once' },
  { optionId: 'always', name: `Connect until the ${holds} ends`, kind: 'allow_always' },
  { ...SKIP, name: 'Do not connect' },
];

const OUTSIDE: readonly PermissionOption[] = [
  { ...RUN, name: 'Run it outside the light sandbox' },
  { optionId: 'always', name: 'Run all outside it until the session ends', kind: 'allow_always' },
  SKIP,
  STOP,
];

function optionsFor(question: Question): readonly PermissionOption[] {
  if (question.kind === 'mode' && question.outside) return OUTSIDE;
  const isNetwork = question.kind === 'review' && question.about === 'network';
  return isNetwork ? connectOptions(question.holds ?? 'session') : OPTIONS[question.kind];
}

/**
 * The exact command is in `rawInput`, every finding with its impact in the content, because editors truncate titles.
 */
function permissionFor(question: Question): Request {
  const lines = sentences(question);
  const toolCall = {
    toolCallId: `question-${question.id}`,
    title: (lines[0] ?? 'a question').slice(0, 200),
    kind: question.kind === 'mode' && !question.outside ? ('switch_mode' as const) : ('execute' as const),
    status: 'pending' as const,
    content: [{ type: 'content' as const, content: { type: 'text' as const, text: lines.join('\n') } }],
    ...(question.kind === 'halt' ? { rawInput: inputOf(question.action) } : {}),
  };
  return { toolCall, options: [...optionsFor(question)] };
}

/**
 * Converts the editor’s answer: no answer, a cancelled one, or an unknown option ends the work and never runs anything.
 */
function answerFrom(question: Question, outcome: RequestPermissionOutcome): Answer {
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
    case 'plan':
      return ['Begin with this plan?', ...question.tasks.map((task, at) => `${at + 1}. ${visible(task)}`)];
    case 'spend':
      return [visible(spendText(question))];
    case 'mode':
      if (question.outside)
        return [question.action ? visible(describeAction(question.action)) : '', visible(question.reason)];
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
        ...(question.again ? [AGAIN[question.again]] : []),
        ...question.items.map((item) => `- ${nameText(item)}`),
      ];
  }
}
