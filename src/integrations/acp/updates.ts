/** Transcript entries as an editor's session updates: each answer, each action once when it begins and once at its end. */
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { plainEntry } from '../../cli/print.ts';
import type { TranscriptItem } from '../../engine/transcript.ts';
import type { Entry } from '../../session/entry.ts';
import { plainOutput } from '../../session/exec-text.ts';
import { withoutMarkers } from '../../session/spoken.ts';
import { clean, plainText, visible } from '../../text/sanitize.ts';

const MAX_OUTPUT_CHARS = 20_000;

type Action = Extract<Entry, { kind: 'exec' | 'tool' | 'delegate' }>;

/** Tells what has come since the last time. */
export class Updates {
  /** How often each entry was told: 1 begun, 2 ended. */
  readonly #told = new Map<string, 1 | 2>();
  /** What of an answer was told while it was being written. */
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
   * Tells what has come of an answer that is being written, in whole lines: half of an escape sequence, or of a secret
   * that is known, could not be told from text.
   * @param text all of it so far, without secrets
   */
  stream(key: string, text: string): void {
    const lines = plainText(clean(withoutMarkers(text.slice(0, text.lastIndexOf('\n') + 1), true)));
    const before = this.#streamed.get(key) ?? '';
    if (this.#told.has(key) || lines.length <= before.length || !lines.startsWith(before)) return;
    this.#streamed.set(key, lines);
    this.#answer(lines.slice(before.length));
  }

  /** What was not told yet; all of it, where it has become another text. */
  #rest(key: string, text: string): string {
    const before = this.#streamed.get(key) ?? '';
    this.#streamed.delete(key);
    return text.startsWith(before) ? text.slice(before.length) : text;
  }

  #answer(text: string): void {
    this.#send({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
  }

  #whole(key: string, entry: Entry): void {
    // The editor shows what its user wrote by itself.
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

  #action(key: string, entry: Action, begun: boolean): void {
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
    const failed = 'exit' in entry.result ? entry.result.exit !== 0 : entry.result.failed;
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

function titleOf(entry: Action): string {
  if (entry.kind === 'exec') return entry.command;
  return entry.kind === 'tool' ? `${entry.name} ${entry.arguments}` : entry.task;
}
