import type { ToolCall, Usage } from '../session/message.ts';
import { asArray, type JsonObject } from '../text/json.ts';
import { createMarkupSplitter } from './inline-markup.ts';
import { asCount, asObject, asText } from './json.ts';
import { parseInlineCall } from './raw-call.ts';
import { createToolCallAssembler } from './tool-call-assembler.ts';

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

export type Accumulator = {
  /** One chunk of a stream, or a whole body. Throws `ServerError` for one that reports an error. */
  push(chunk: unknown): void;
  /** True once anything of an answer came, so that trying again would say it twice. */
  arrived(): boolean;
  finishReason(): string | undefined;
  /** Characters of text and reasoning so far. */
  textChars(): number;
  /** Characters of the arguments of tool calls so far. */
  argumentChars(): number;
  finish(cut: boolean): Accumulated;
};

/** Builds one reply out of chunks of whatever shape; `tools` are the names a call written as text may have. */
export function createAccumulator(
  tools: ReadonlySet<string>,
  emit: { text(delta: string): void; reasoning(delta: string): void },
): Accumulator {
  let text = '';
  let reasoning = '';
  let usage: Usage | undefined;
  let finishReason: string | undefined;
  let arrived = false;
  let textChars = 0;
  let argumentChars = 0;
  const calls = createToolCallAssembler();

  const addReasoning = (delta: string): void => {
    reasoning += delta;
    emit.reasoning(delta);
  };
  const splitter = createMarkupSplitter({
    text(delta) {
      text += delta;
      emit.text(delta);
    },
    reasoning: addReasoning,
    call(body) {
      const raw = parseInlineCall(body);
      if (!raw || !tools.has(raw.name)) return false;
      calls.add(raw.name, raw.arguments);
      return true;
    },
    wasReasoning() {
      reasoning += text;
      text = '';
    },
  });

  const takeMessage = (message: JsonObject): void => {
    const thought = asText(message.reasoning_content) ?? asText(message.reasoning);
    const parts = contentParts(message.content);
    const spoken = parts.text + (asText(message.refusal) ?? '');
    const entries = asArray(message.tool_calls);
    if (thought || parts.reasoning || spoken || entries.length > 0) arrived = true;
    textChars += (thought?.length ?? 0) + parts.reasoning.length + spoken.length;
    if (thought ?? parts.reasoning) addReasoning(thought ?? parts.reasoning);
    if (spoken) splitter.push(spoken);
    for (const entry of entries) {
      const given = asObject(asObject(entry)?.function)?.arguments;
      argumentChars += typeof given === 'string' ? given.length : 0;
      calls.push(entry);
    }
  };

  return {
    push(chunk) {
      const whole = asObject(chunk);
      if (!whole) throw new SyntaxError('not a JSON object');
      if (whole.error) throw new ServerError(whole.error);
      usage = readUsage(whole.usage, whole.timings) ?? usage;
      const choice = asObject(asArray(whole.choices)[0]);
      if (!choice) return;
      const message = asObject(choice.delta) ?? asObject(choice.message);
      if (message) takeMessage(message);
      finishReason = asText(choice.finish_reason) ?? finishReason;
      if (choice.error || choice.finish_reason === 'error') {
        throw new ServerError(choice.error ?? 'the model stopped with an error');
      }
    },
    arrived: () => arrived,
    finishReason: () => finishReason,
    textChars: () => textChars,
    argumentChars: () => argumentChars,
    finish(cut) {
      const openCallDropped = splitter.end(cut);
      const { calls: toolCalls, dropped } = calls.finish(cut);
      return {
        text: text.toWellFormed(),
        reasoning: reasoning.toWellFormed(),
        toolCalls,
        dropped: openCallDropped ? [...dropped, 'tool call'] : dropped,
        ...(usage && { usage }),
        ...(finishReason !== undefined && { finishReason }),
      };
    },
  };
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
