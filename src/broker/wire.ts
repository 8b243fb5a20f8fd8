import type { ChatCompletionCreateParamsBase } from 'openai/resources/chat/completions';
import type { Message, ToolCall, ToolSpec } from '../session/message.ts';
import { parseJson } from '../text/json.ts';
import { asObject } from './json.ts';
import type { Capabilities } from './preset.ts';

type WireMessage = ChatCompletionCreateParamsBase['messages'][number];
type UserContent = Extract<WireMessage, { role: 'user' }>['content'];

/** The `data:` address of each image by file; missing ones are replaced by a remark. */
export type Images = ReadonlyMap<string, string>;
const NO_IMAGES: Images = new Map();

export type RequestOptions = {
  readonly tools?: readonly ToolSpec[];
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly brief?: boolean;
};

/** Returns the request body for this server, without the `stream` fields. */
export function requestBody(
  model: string,
  messages: readonly Message[],
  options: RequestOptions,
  capabilities: Capabilities,
  images: Images = NO_IMAGES,
): Pick<ChatCompletionCreateParamsBase, 'model' | 'messages' | 'tools'> & Record<string, unknown> {
  const withTools = capabilities.tools !== false;
  const tools = withTools ? (options.tools ?? []) : [];
  return {
    model,
    messages: toWire(messages, withTools, images),
    ...(tools.length > 0 && { tools: tools.map(toolSpec) }),
    ...(options.maxTokens !== undefined && { [capabilities.maxTokensField ?? 'max_tokens']: options.maxTokens }),
    ...(options.temperature !== undefined &&
      capabilities.temperature !== false && { temperature: options.temperature }),
    ...(options.brief === true &&
      capabilities.brief !== false &&
      NO_THINKING.find(([family]) => family.test(model))?.[1]),
  };
}

/** Fields that prevent or reduce a model's thinking, by model family. */
const NO_THINKING: readonly (readonly [RegExp, Readonly<Record<string, unknown>>])[] = [
  [/gpt-5/i, { reasoning_effort: 'minimal' }],
  [/gpt-oss|\bo[134]\b/i, { reasoning_effort: 'low' }],
  [/gemini-2\.5-flash/i, { reasoning_effort: 'none' }],
  [/deepseek-?v3\.[1-9]|granite/i, { chat_template_kwargs: { thinking: false } }],
  [/qwen-?3|glm-?4\.[5-9]|smollm-?3|nemotron|hunyuan|ernie/i, { chat_template_kwargs: { enable_thinking: false } }],
];

function toolSpec({ name, description, parameters }: ToolSpec) {
  return { type: 'function' as const, function: { name, description, parameters: { ...parameters } } };
}

/**
 * Converts the conversation to a form that every server accepts: at most one system message, first; then a user
 * message; adjacent user or assistant messages joined; each call answered by exactly one tool message right after it,
 * and no tool message without its call; string content everywhere; arguments always a JSON object; no lone
 * surrogates.
 */
export function toWire(messages: readonly Message[], withTools = true, images: Images = NO_IMAGES): WireMessage[] {
  const legal = pairCalls(withTools ? messages : messages.map(asPlainText));
  const wire: WireMessage[] = [];
  for (const message of legal) append(wire, message, images);
  const first = wire.findIndex((message) => message.role !== 'system');
  // After eviction an answer may come first, which strict templates reject.
  if (wire[first]?.role === 'assistant')
    wire.splice(first, 0, { role: 'user', content: '[aish] (earlier turns left out)' });
  // A server would continue a final assistant message instead of answering.
  if (wire.at(-1)?.role === 'assistant') wire.push({ role: 'user', content: '[aish] go on' });
  return wire;
}

function append(wire: WireMessage[], message: Message, images: Images): void {
  const content = message.content.toWellFormed();
  const last = wire.at(-1);
  switch (message.role) {
    case 'system':
      if (wire.length === 0) wire.push({ role: 'system', content });
      else if (last?.role === 'system') last.content = joined(last.content, content);
      else append(wire, { role: 'user', content }, images);
      return;
    case 'user':
      if (last?.role === 'user') last.content = together(last.content, userContent(message, images));
      else wire.push({ role: 'user', content: userContent(message, images) });
      return;
    case 'assistant': {
      const calls = message.toolCalls.map(wireCall);
      if (last?.role === 'assistant' && !last.tool_calls) {
        last.content = joined(last.content, content);
        if (calls.length > 0) last.tool_calls = calls;
      } else if (content !== '' || calls.length > 0) {
        wire.push({ role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls }) });
      }
      return;
    }
    case 'tool':
      wire.push({ role: 'tool', tool_call_id: message.callId, content });
  }
}

/** A text; with images a list of parts, as servers with image support accept it. */
function userContent({ content, images = [] }: Extract<Message, { role: 'user' }>, known: Images): UserContent {
  const parts = images.flatMap(({ file }) => {
    const url = known.get(file);
    return url === undefined ? [] : [{ type: 'image_url' as const, image_url: { url } }];
  });
  const left = images.filter(({ file }) => !known.has(file)).map(({ name }) => `[aish] ${name} was left out`);
  const text = [content, ...left].join('\n').toWellFormed();
  return parts.length === 0 ? text : [{ type: 'text', text }, ...parts];
}

function together(before: UserContent, after: UserContent): UserContent {
  if (typeof before === 'string' && typeof after === 'string') return joined(before, after);
  return [before, after].flatMap((each) => (typeof each === 'string' ? [{ type: 'text' as const, text: each }] : each));
}

function joined(before: unknown, after: string): string {
  const first = typeof before === 'string' ? before : '';
  return first === '' || after === '' ? first + after : `${first}\n\n${after}`;
}

function wireCall(call: ToolCall) {
  return {
    id: call.id,
    type: 'function' as const,
    function: { name: call.name, arguments: legalArguments(call.arguments) },
  };
}

/** A server's template parses old arguments again, and one invalid text would cause error 500 forever. */
function legalArguments(text: string): string {
  if (text.trim() === '') return '{}';
  const legal = asObject(parseJson(text)) ? text : JSON.stringify({ invalid_arguments: text.slice(0, 2000) });
  return legal.toWellFormed();
}

/** Moves each result right after its call, answers calls without one, and converts orphaned results to text. */
function pairCalls(messages: readonly Message[]): Message[] {
  const legal: Message[] = [];
  const open = new Set<string>();
  const close = (): void => {
    for (const callId of open) {
      legal.push({ role: 'tool', callId, content: '[aish] no result was recorded for this call' });
    }
    open.clear();
  };
  const later: Message[] = [];
  for (const message of messages) {
    if (message.role === 'tool') {
      if (open.delete(message.callId)) legal.push(message);
      else later.push({ role: 'user', content: `[aish] result of an earlier call:\n${message.content}` });
      if (open.size === 0) legal.push(...later.splice(0));
      continue;
    }
    // Messages between a call and its result wait until the calls are answered.
    if (open.size > 0 && answeredLater(messages, message, open)) {
      later.push(message);
      continue;
    }
    close();
    legal.push(...later.splice(0), message);
    if (message.role === 'assistant') for (const call of message.toolCalls) open.add(call.id);
  }
  close();
  return [...legal, ...later];
}

function answeredLater(messages: readonly Message[], from: Message, open: ReadonlySet<string>): boolean {
  if (from.role !== 'user') return false;
  const rest = messages.slice(messages.indexOf(from));
  const next = rest.findIndex((message) => message.role === 'assistant');
  return rest.slice(0, next < 0 ? undefined : next).some((m) => m.role === 'tool' && open.has(m.callId));
}

/** Converts calls and results to text, for models without tool calls. */
function asPlainText(message: Message): Message {
  if (message.role === 'tool') return { role: 'user', content: message.content };
  if (message.role !== 'assistant' || message.toolCalls.length === 0) return message;
  const told = message.toolCalls.map((call) => `(called ${call.name} with ${call.arguments})`).join('\n');
  return { role: 'assistant', content: message.content === '' ? told : `${message.content}\n${told}`, toolCalls: [] };
}
