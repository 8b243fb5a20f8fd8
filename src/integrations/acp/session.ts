/** The process of one session of an editor: an engine in its directory, driven by messages (CL-6). */
import type { SessionModeState, StopReason } from '@agentclientprotocol/sdk';
import { EXIT } from '../../cli/exit-codes.ts';
import type { App } from '../../commands/app.ts';
import { submitLine } from '../../commands/submit.ts';
import type { LiveReply } from '../../engine/live.ts';
import { MODES } from '../../session/ids.ts';
import { modeName } from '../../session/mode.ts';
import type { Question } from '../../session/question.ts';
import { messageOf } from '../../text/errors.ts';
import type { FromSession, ToSession } from './messages.ts';
import { answerFrom, permissionFor } from './permission.ts';
import { Updates } from './updates.ts';

/** How often an answer that is being written is told. In ms. */
const STREAM_MS = 100;

const NORRIS = /^\/norris\s+(\S[\s\S]*)$/;

/** Works until the process that speaks with the editor is gone; then whatever is open ends, and nothing is answered. */
export async function serveSession(app: App): Promise<number> {
  const session = new Session(app, (message) => {
    // What still comes while it ends is for nobody.
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
  /** The answer that is followed while it is written. */
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

  /** As the user would by `:mode`, with its reasons for saying no. */
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
    // A permission that is cancelled or not answered is nobody's word.
    const by = outcome.outcome === 'selected' ? {} : { unattended: true as const };
    // An abort at a sub-agent's HALT stands for the whole work.
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

  /** Tells the answer while it is written, a few times a second. */
  #follow(): void {
    const { engine } = this.#app;
    const { phase } = engine.conversation;
    const op = phase.kind === 'replying' ? phase.op : undefined;
    const reply = op === undefined ? undefined : engine.live.replies.get(op);
    if (!reply || op === undefined || reply === this.#followed) return;
    this.#followed = reply;
    let later: NodeJS.Timeout | undefined;
    reply.subscribe(() => {
      if (later !== undefined) return;
      later = setTimeout(() => {
        later = undefined;
        // What has ended meanwhile is told with its entry.
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
