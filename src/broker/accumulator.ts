import type { ToolCall, Usage } from '../session/message.ts';
import { asArray, type JsonObject } from '../text/json.ts';
import { MarkupSplitter } from './inline-markup.ts';
import { asCount, asObject, asText } from './json.ts';
import { parseInlineCall, ToolCallAssembler } from './tool-call-assembler.ts';

/** An `error` that a server put into a body or an event of a 200 answer. */
class ServerError extends Error {
  readonly payload: unknown;
  constructor(payload: unknown) {
    super('the server reported an error in its answer');
    this.payload = payload;
  }
}

export type Accumulated = {
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly ToolCall[];
  /** Names of calls that were cut off. */
  readonly dropped: readonly string[];
  readonly usage?: Usage;
  readonly finishReason?: string;
};

/** Builds one reply out of chunks of whatever shape. */
export class ReplyAccumulator {
  readonly #emit: { text(delta: string): void; reasoning(delta: string): void };
  readonly #calls = new ToolCallAssembler();
  readonly #splitter: MarkupSplitter;
  #text = '';
  #reasoning = '';
  #usage: Usage | undefined;
  /** What the server said the reply ended with. */
  finishReason: string | undefined;
  /** Anything of an answer came, so that trying again would say it twice. */
  arrived = false;
  /** Characters of text and reasoning so far. */
  textChars = 0;
  /** Characters of the arguments of tool calls so far. */
  argumentChars = 0;

  /** @param tools the names that a call written as text may have */
  constructor(tools: ReadonlySet<string>, emit: { text(delta: string): void; reasoning(delta: string): void }) {
    this.#emit = emit;
    this.#splitter = new MarkupSplitter({
      text: (delta) => {
        this.#text += delta;
        emit.text(delta);
      },
      reasoning: (delta) => this.#addReasoning(delta),
      call: (body) => {
        const call = parseInlineCall(body);
        if (!call || !tools.has(call.name)) return false;
        this.#calls.add(call);
        return true;
      },
      wasReasoning: () => {
        this.#reasoning += this.#text;
        this.#text = '';
      },
    });
  }

  /** One chunk of a stream, or a whole body. Throws `ServerError` for one that reports an error. */
  push(chunk: unknown): void {
    const whole = asObject(chunk);
    if (!whole) throw new SyntaxError('not a JSON object');
    if (whole.error) throw new ServerError(whole.error);
    this.#usage = readUsage(whole.usage, whole.timings) ?? this.#usage;
    const choice = asObject(asArray(whole.choices)[0]);
    if (!choice) return;
    const message = asObject(choice.delta) ?? asObject(choice.message);
    if (message) this.#takeMessage(message);
    this.finishReason = asText(choice.finish_reason) ?? this.finishReason;
    if (choice.error || choice.finish_reason === 'error') {
      throw new ServerError(choice.error ?? 'the model stopped with an error');
    }
  }

  finish(cut: boolean): Accumulated {
    const openCallDropped = this.#splitter.end(cut);
    const { calls: toolCalls, dropped } = this.#calls.finish(cut);
    return {
      text: this.#text.toWellFormed(),
      reasoning: this.#reasoning.toWellFormed(),
      toolCalls,
      dropped: openCallDropped ? [...dropped, 'tool call'] : dropped,
      ...(this.#usage && { usage: this.#usage }),
      ...(this.finishReason !== undefined && { finishReason: this.finishReason }),
    };
  }

  #takeMessage(message: JsonObject): void {
    const parts = contentParts(message.content);
    const thought = asText(message.reasoning_content) ?? asText(message.reasoning) ?? parts.reasoning;
    const spoken = parts.text + (asText(message.refusal) ?? '');
    const entries = asArray(message.tool_calls);
    if (thought || parts.reasoning || spoken || entries.length > 0) this.arrived = true;
    this.textChars += thought.length + spoken.length;
    if (thought) this.#addReasoning(thought);
    if (spoken) this.#splitter.push(spoken);
    for (const entry of entries) {
      const given = asObject(asObject(entry)?.function)?.arguments;
      this.argumentChars += typeof given === 'string' ? given.length : 0;
      this.#calls.push(entry);
    }
  }

  #addReasoning(delta: string): void {
    this.#reasoning += delta;
    this.#emit.reasoning(delta);
  }
}

/** Content is text, or a list of parts of text and thinking (Mistral). */
function contentParts(content: unknown): { text: string; reasoning: string } {
  if (typeof content === 'string') return { text: content, reasoning: '' };
  let text = '';
  let reasoning = '';
  for (const entry of asArray(content)) {
    const part = asObject(entry);
    text += asText(part?.text) ?? '';
    for (const thought of asArray(part?.thinking)) reasoning += asText(asObject(thought)?.text) ?? '';
  }
  return { text, reasoning };
}

/** llama.cpp tells what its cache spared in `timings.cache_n`, others in the usage itself. */
function readUsage(value: unknown, timings: unknown): Usage | undefined {
  const usage = asObject(value);
  const promptTokens = asCount(usage?.prompt_tokens);
  if (!usage || promptTokens === undefined) return undefined;
  const cached = asCount(asObject(usage.prompt_tokens_details)?.cached_tokens) ?? asCount(asObject(timings)?.cache_n);
  const cost = usage.cost;
  return {
    promptTokens,
    completionTokens: asCount(usage.completion_tokens) ?? 0,
    ...(cached !== undefined && { cachedTokens: cached }),
    ...(typeof cost === 'number' && Number.isFinite(cost) && cost >= 0 && { dollars: cost }),
  };
}
