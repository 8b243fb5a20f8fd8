import { randomUUID } from 'node:crypto';
import type { ToolCall, Usage } from '../session/message.ts';
import { asArray, type JsonObject, parseJson } from '../text/json.ts';
import { asCount, asObject, asText } from './json.ts';

/** An error that a server reports inside a 200 answer. */
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
  /** How many calls exceeded the limit for one reply. */
  readonly tooMany: number;
  readonly usage?: Usage;
  readonly finishReason?: string;
};

/** Builds one reply from chunks of any supported form. */
export class ReplyAccumulator {
  readonly #emit: { text(delta: string): void; reasoning(delta: string): void };
  readonly #tools: ReadonlySet<string>;
  readonly #calls = new ToolCallAssembler();
  readonly #splitter: MarkupSplitter;
  #text = '';
  #reasoning = '';
  #usage: Usage | undefined;
  /** The finish reason reported by the server. */
  finishReason: string | undefined;
  /** A part of the answer has arrived, so a retry would repeat it. */
  arrived = false;
  /** Characters of text and reasoning so far. */
  textChars = 0;
  /** Characters of the arguments of tool calls so far. */
  argumentChars = 0;

  /** @param tools the tool names that are accepted in calls written as text */
  constructor(tools: ReadonlySet<string>, emit: { text(delta: string): void; reasoning(delta: string): void }) {
    this.#emit = emit;
    this.#tools = tools;
    this.#splitter = new MarkupSplitter({
      text: (delta) => {
        this.#text += delta;
        emit.text(delta);
      },
      reasoning: (delta) => this.#addReasoning(delta),
      call: (body) => this.#takeCalls(body),
      wasReasoning: () => {
        this.#reasoning += this.#text;
        this.#text = '';
      },
    });
  }

  /** Adds one chunk of a stream, or a whole body. Throws `ServerError` if it reports an error. */
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
    if (this.#calls.isEmpty && !cut && this.#takeCalls(bareObject(this.#text) ?? '')) this.#text = '';
    const { calls, dropped, tooMany } = this.#calls.finish(cut);
    return {
      text: this.#text.toWellFormed(),
      reasoning: this.#reasoning.toWellFormed(),
      toolCalls: calls.map((call) => ({ ...call, ...knownCall(call, this.#tools) })),
      dropped: openCallDropped ? [...dropped, 'tool call'] : dropped,
      tooMany,
      ...(this.#usage && { usage: this.#usage }),
      ...(this.finishReason !== undefined && { finishReason: this.finishReason }),
    };
  }

  /** Returns false if the text names no known call. */
  #takeCalls(body: string): boolean {
    const calls = parseInlineCalls(body).map((call) => knownCall(call, this.#tools));
    if (calls.length === 0 || calls.some(({ name }) => !this.#tools.has(name))) return false;
    for (const call of calls) this.#calls.add(call);
    return true;
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

/**
 * llama.cpp reports cached tokens in `timings.cache_n`, DeepSeek in `prompt_cache_hit_tokens`, others in the details.
 * A prompt always has tokens, so zeros mean that the server does not count.
 */
function readUsage(value: unknown, timings: unknown): Usage | undefined {
  const usage = asObject(value);
  const promptTokens = asCount(usage?.prompt_tokens);
  if (!usage || !promptTokens) return undefined;
  const cached =
    asCount(asObject(usage.prompt_tokens_details)?.cached_tokens) ??
    asCount(usage.prompt_cache_hit_tokens) ??
    asCount(asObject(timings)?.cache_n);
  const cost = usage.cost;
  return {
    promptTokens,
    completionTokens: asCount(usage.completion_tokens) ?? 0,
    ...(cached !== undefined && { cachedTokens: cached }),
    ...(typeof cost === 'number' && Number.isFinite(cost) && cost >= 0 && { dollars: cost }),
  };
}

type Slot = { index: number | undefined; id: string; name: string; text: string };

/** The most calls accepted in one reply: more are a runaway, not a plan. */
const MAX_CALLS = 64;
/** How many calls are counted; calls beyond MAX_CALLS are counted without their arguments. */
const MAX_COUNTED = 4096;

/**
 * Assembles tool calls from fragments: by index, else by id. A new id on a used index starts a new call (Ollama
 * numbers all of them 0). With neither, the fragment continues the last call, unless that is complete and the
 * fragment has a name.
 */
class ToolCallAssembler {
  readonly #slots: Slot[] = [];

  /** Adds one entry of `delta.tool_calls` or `message.tool_calls`. */
  push(entry: unknown): void {
    const call = asObject(entry);
    if (!call || this.#slots.length >= MAX_COUNTED) return;
    const fn = asObject(call.function) ?? {};
    const index = Number.isInteger(call.index) ? (call.index as number) : undefined;
    const id = asText(call.id) ?? '';
    const name = asText(fn.name) ?? '';
    const object = asObject(fn.arguments);
    const piece = typeof fn.arguments === 'string' ? fn.arguments : '';
    const slot = this.#slotFor(index, id, name, object !== undefined || piece.trimStart().startsWith('{'));
    if (this.#slots.length > MAX_CALLS && this.#slots.indexOf(slot) >= MAX_CALLS) return;
    if (slot.id === '') slot.id = id;
    if (slot.name === '') slot.name = name;
    if (object) slot.text = JSON.stringify(object);
    else slot.text += piece;
  }

  get isEmpty(): boolean {
    return this.#slots.length === 0;
  }

  /** Adds a complete call found in the text. */
  add({ name, arguments: text }: InlineCall): void {
    this.#slots.push({ index: undefined, id: '', name, text });
  }

  /**
   * Returns the calls, each with a unique id and JSON text as arguments. `cut`: the reply was interrupted, so calls
   * with incomplete arguments are dropped and named.
   */
  finish(cut: boolean): Pick<Accumulated, 'dropped' | 'tooMany'> & { readonly calls: readonly ToolCall[] } {
    const taken = new Set<string>();
    const calls: ToolCall[] = [];
    const dropped: string[] = [];
    for (const slot of this.#slots.slice(0, MAX_CALLS)) {
      const text = unwrapped(slot.text);
      if (slot.name === '' || (cut && !isWhole(text))) {
        dropped.push(slot.name || 'a call without a name');
        continue;
      }
      const id = slot.id !== '' && !taken.has(slot.id) ? slot.id : `call_${randomUUID().slice(0, 13)}`;
      taken.add(id);
      calls.push({ id, name: slot.name, arguments: text.trim() === '' ? '{}' : text });
    }
    return { calls, dropped, tooMany: Math.max(0, this.#slots.length - MAX_CALLS) };
  }

  #slotFor(index: number | undefined, id: string, name: string, opens: boolean): Slot {
    const known =
      index !== undefined
        ? this.#slots.findLast((slot) => slot.index === index)
        : id !== ''
          ? this.#slots.findLast((slot) => slot.id === id)
          : this.#slots.at(-1);
    if (!known) return this.#begin(index, id);
    if (id !== '' && known.id !== '' && known.id !== id) return this.#begin(index, id);
    if (id === '' && name !== '' && opens && isWhole(known.text)) return this.#begin(index, id);
    return known;
  }

  #begin(index: number | undefined, id: string): Slot {
    const slot = { index, id, name: '', text: '' };
    this.#slots.push(slot);
    return slot;
  }
}

function isWhole(text: string): boolean {
  return asObject(parseJson(text)) !== undefined;
}

/** Decodes arguments that some servers encode twice, as JSON text of JSON text. */
function unwrapped(text: string): string {
  if (!text.trimStart().startsWith('"')) return text;
  const inner = parseJson(text);
  return typeof inner === 'string' && isWhole(inner) ? inner : text;
}

/** A tool call that a model wrote as text because the server did not recognise it. */
type InlineCall = { readonly name: string; readonly arguments: string };

/** Names by which models know the shell tool from other programs. */
const SHELLS =
  /^(?:(?:run|exec|execute)(?:_?(?:command|cmd|shell|bash|shell_command|terminal_cmd))?|shell|sh|cmd|terminal|bash_tool|local_shell|container\.exec)$/i;
const COMMANDS = ['cmd', 'script', 'code', 'commands', 'shell_command', 'input'] as const;

/** Converts a call of the shell under another name or with another parameter to a call of `bash`. */
function knownCall<C extends InlineCall>(call: C, tools: ReadonlySet<string>): C {
  const shell = call.name === 'bash' || (!tools.has(call.name) && SHELLS.test(call.name));
  if (!shell || !tools.has('bash')) return call;
  const given = asObject(parseJson(call.arguments));
  const key = given && given.command === undefined ? COMMANDS.find((each) => given[each] !== undefined) : undefined;
  if (!given || key === undefined) return { ...call, name: 'bash' };
  const { [key]: command, ...rest } = given;
  return { ...call, name: 'bash', arguments: JSON.stringify({ command, ...rest }) };
}

/** Returns the JSON object that is the whole reply, with or without a fence. */
function bareObject(text: string): string | undefined {
  const inner = /^```(?:json)?\n([\s\S]*)\n```$/.exec(text.trim())?.[1] ?? text;
  return inner.trim().startsWith('{') ? inner : undefined;
}

/** Parses a list of calls (Mistral's `[TOOL_CALLS]`), `NAME[ARGS]{…}`, or one call. */
function parseInlineCalls(body: string): readonly InlineCall[] {
  const whole = parseJson(body.trim());
  if (Array.isArray(whole)) {
    const calls = whole.map((each) => parseInlineCall(JSON.stringify(each)));
    return calls.every((call) => call !== undefined) ? calls : [];
  }
  const named = /^\s*([\w.-]+)\s*(?:\[ARGS\])?\s*(\{[\s\S]*\})\s*$/.exec(body);
  if (named?.[1] && named[2]) return isWhole(named[2]) ? [{ name: named[1], arguments: named[2] }] : [];
  const call = parseInlineCall(body);
  return call ? [call] : [];
}

/**
 * Parses the inside of `<tool_call>…</tool_call>`: either JSON with `name` and `arguments` (Hermes, Qwen), or
 * `<function=NAME><parameter=KEY>VALUE</parameter></function>` (Qwen Coder). Undefined for anything else.
 */
function parseInlineCall(body: string): InlineCall | undefined {
  const whole = asObject(parseJson(body.trim()));
  if (whole) {
    const name = asText(whole.name);
    const given = whole.arguments ?? whole.parameters ?? {};
    const parsed = asObject(typeof given === 'string' ? parseJson(given) : given);
    return name && parsed ? { name, arguments: JSON.stringify(parsed) } : undefined;
  }
  const named = /^\s*<function=([\w.-]+)>([\s\S]*)<\/function>\s*$/.exec(body);
  if (!named?.[1]) return undefined;
  const values: Record<string, string> = {};
  for (const [, key, value] of (named[2] ?? '').matchAll(/<parameter=([\w.-]+)>\n?([\s\S]*?)\n?<\/parameter>/g)) {
    if (key && key !== '__proto__') values[key] = value ?? '';
  }
  return { name: named[1], arguments: JSON.stringify(values) };
}

/**
 * Splits streamed text at tags that some models write: `<think>` for reasoning, `<tool_call>` for calls the server
 * did not recognise. A tag may be split between two chunks. A tag inside code (a fence or backticks) is ordinary
 * text.
 */

type MarkupSink = {
  text(delta: string): void;
  reasoning(delta: string): void;
  /** The body of a closed `<tool_call>`. Returns false for an unknown call, which stays text. */
  call(body: string): boolean;
  /** The text so far was reasoning: a lone `</think>` arrived, because the opening tag was part of the prompt. */
  wasReasoning(): void;
};

type Kind = 'think' | 'call' | 'frame';
/** A closing tag that never occurs: the calls continue to the end of the reply. */
const NO_CLOSE = '\0';
const OPENING: Readonly<Record<string, { kind: Kind; close: string }>> = {
  '<think>': { kind: 'think', close: '</think>' },
  '<thinking>': { kind: 'think', close: '</thinking>' },
  '<reasoning>': { kind: 'think', close: '</reasoning>' },
  '<seed:think>': { kind: 'think', close: '</seed:think>' },
  '[THINK]': { kind: 'think', close: '[/THINK]' },
  '<|channel|>analysis<|message|>': { kind: 'think', close: '<|end|>' },
  // Tokens around an answer of gpt-oss, if its server does not parse them.
  '<|start|>assistant': { kind: 'frame', close: '' },
  '<|channel|>final<|message|>': { kind: 'frame', close: '' },
  '<|return|>': { kind: 'frame', close: '' },
  '<tool_call>': { kind: 'call', close: '</tool_call>' },
  '<function=': { kind: 'call', close: '</function>' },
  '[TOOL_CALLS]': { kind: 'call', close: NO_CLOSE },
};
const LONE_CLOSE = '</think>';
const TEXT_TAGS = [...Object.keys(OPENING), LONE_CLOSE];

type Inside = { tag: string; kind: Kind; close: string; body: string; first: boolean };

export class MarkupSplitter {
  readonly #sink: MarkupSink;
  readonly #code = new CodeTracker();
  #buffer = '';
  #inside: Inside | undefined;
  #blankSoFar = true;
  #thought = false;

  constructor(sink: MarkupSink) {
    this.#sink = sink;
  }

  push(chunk: string): void {
    this.#buffer += chunk;
    for (;;) {
      const tags: readonly string[] = this.#inside ? [this.#inside.close] : TEXT_TAGS;
      const found = earliest(this.#buffer, tags);
      const until = found ? found.at : this.#buffer.length - heldBack(this.#buffer, tags);
      const part = this.#buffer.slice(0, until);
      this.#buffer = this.#buffer.slice(found ? until + found.tag.length : until);
      if (this.#inside) this.#takeInside(this.#inside, part);
      else this.#emitText(part);
      if (!found) return;
      if (this.#inside) this.#close(this.#inside);
      else this.#open(found.tag);
    }
  }

  /**
   * The stream has ended. `cut`: by the token limit or a fault, so an incomplete call is dropped. Returns whether one
   * was.
   */
  end(cut: boolean): boolean {
    const rest = this.#buffer;
    const inside = this.#inside;
    this.#buffer = '';
    this.#inside = undefined;
    if (!inside) {
      this.#emitText(rest);
      return false;
    }
    this.#takeInside(inside, rest);
    const { tag, kind, body, first } = inside;
    if (kind === 'call' && cut) return true;
    if (kind === 'call' && this.#sink.call(callText(tag, body, ''))) return false;
    // An unclosed thought at the start of the answer is a thought; in the middle it is only text.
    if (kind === 'call' || !first) this.#emitText(tag + body);
    return false;
  }

  #emitText(text: string): void {
    // Models leave blank lines between a thought and the answer.
    const shown = this.#thought && this.#blankSoFar ? text.trimStart() : text;
    if (shown === '') return;
    if (shown.trim() !== '') this.#blankSoFar = false;
    this.#code.push(shown);
    this.#sink.text(shown);
  }

  #open(tag: string): void {
    const opening = OPENING[tag];
    if (this.#code.inCode) this.#emitText(tag);
    else if (opening?.kind === 'frame') this.#thought = true;
    else if (opening) this.#inside = { tag, ...opening, body: '', first: this.#blankSoFar };
    else if (this.#thought) this.#emitText(tag);
    else {
      this.#thought = true;
      this.#blankSoFar = true;
      this.#code.reset();
      this.#sink.wasReasoning();
    }
  }

  #close({ tag, kind, close, body }: Inside): void {
    this.#inside = undefined;
    if (kind === 'think') this.#thought = true;
    else if (!this.#sink.call(callText(tag, body, close))) this.#emitText(tag + body + close);
  }

  #takeInside(inside: Inside, part: string): void {
    if (part === '') return;
    inside.body += part;
    if (inside.kind === 'think') this.#sink.reasoning(part);
  }
}

/** Returns the text to parse as a call: without its brackets, unless these contain the name. */
function callText(tag: string, body: string, close: string): string {
  return tag === '<function=' ? tag + body + close : body;
}

function earliest(text: string, tags: readonly string[]): { at: number; tag: string } | undefined {
  let best: { at: number; tag: string } | undefined;
  for (const tag of tags) {
    const at = text.indexOf(tag);
    if (at >= 0 && (!best || at < best.at)) best = { at, tag };
  }
  return best;
}

/** Returns how many characters at the end may begin a tag. */
function heldBack(text: string, tags: readonly string[]): number {
  const most = Math.min(text.length, Math.max(...tags.map((tag) => tag.length)) - 1);
  for (let length = most; length > 0; length -= 1) {
    const tail = text.slice(-length);
    if (/^[<[]/.test(tail) && tags.some((tag) => tag.startsWith(tail))) return length;
  }
  return 0;
}

/** How many characters at the beginning of a line identify a fence. */
const FENCE_CHARS = 8;

/** Tracks whether the end of the text so far is inside a code fence or backticks. */
class CodeTracker {
  #fenced = false;
  #lineStart = '';
  #ticks = 0;

  push(text: string): void {
    let from = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      this.#addToLine(text.slice(from, end));
      if (this.#isFence) this.#fenced = !this.#fenced;
      this.#lineStart = '';
      this.#ticks = 0;
      from = end + 1;
    }
    this.#addToLine(text.slice(from));
  }

  #addToLine(part: string): void {
    if (this.#lineStart.length < FENCE_CHARS) this.#lineStart += part.slice(0, FENCE_CHARS - this.#lineStart.length);
    for (let at = part.indexOf('`'); at >= 0; at = part.indexOf('`', at + 1)) this.#ticks += 1;
  }

  get inCode(): boolean {
    return this.#fenced || this.#isFence || this.#ticks % 2 === 1;
  }

  reset(): void {
    this.#fenced = false;
    this.#lineStart = '';
    this.#ticks = 0;
  }

  get #isFence(): boolean {
    return /^\s{0,3}(```|~~~)/.test(this.#lineStart);
  }
}
