import { setTimeout as delay } from 'node:timers/promises';
import type { Broker, ChatOptions, PresetInfo, StreamOptions } from '../contracts/models.ts';
import type { CallFailure, Category, Message, Reply } from '../session/message.ts';
import { messageOf } from '../text/errors.ts';
import { pattern } from '../text/pattern.ts';
import type { Accumulated } from './accumulator.ts';
import { attemptDemo } from './demo.ts';
import { type Fault, fault, label } from './faults.ts';
import { hasImages } from './images.ts';
import { type Capabilities, isLocal, loadingLine, type Preset, secretsPolicy, shownAddress } from './preset.ts';
import { Prober } from './probe.ts';
import { nextPause, RETRY, type RetryPolicy } from './retry.ts';
import { checkCounts } from './tokens/check.ts';
import { Meter } from './tokens/meter.ts';
import { type Attempt, attempt, type Timeouts } from './transport.ts';

/** The messages prepared for one preset, or why they may not be sent to it (SE-1). */
type Prepared =
  | { readonly messages: readonly Message[] }
  /** `final`: don't try another preset. */
  | { readonly refused: string; readonly final?: true };

export type BrokerOptions = {
  readonly presets: readonly Preset[];
  /**
   * Milliseconds until the first byte if the preset sets no limit; default 600,000, because small machines read long
   * prompts slowly.
   */
  readonly firstByteTimeoutMs?: number;
  /** Milliseconds of silence within an answer, default 120,000. */
  readonly idleTimeoutMs?: number;
  readonly retry?: Partial<RetryPolicy>;
  /**
   * The secrets filter, called for each preset. Without it the messages must already be prepared for the preset of
   * the call, and a fallback with a stricter policy is not used (BR-4).
   */
  readonly prepare?: (preset: string, messages: readonly Message[], call: ChatOptions) => Prepared | Promise<Prepared>;
  /** The time in ms, for facts that expire. */
  readonly now?: () => number;
  /** A number in [0, 1). */
  readonly random?: () => number;
  /** Waits this many ms; ends early, without an error, when the signal fires. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
};

/** Calls that are not retried: somebody waits, and there is a safe way without an answer. */
const ASKED_ONCE: ReadonlySet<Category> = new Set(['safety', 'summary']);

/** Creates the broker for the configured presets. */
export function createBroker(options: BrokerOptions): Broker {
  const presets = new Map(options.presets.map((preset) => [preset.name, preset]));
  const infos = new Map<Preset, PresetInfo>();
  const infoOf = (preset: Preset): PresetInfo => {
    const info = infos.get(preset) ?? presetInfo(preset);
    infos.set(preset, info);
    return info;
  };
  const limits: Timeouts = { firstByte: options.firstByteTimeoutMs ?? 600_000, idle: options.idleTimeoutMs ?? 120_000 };
  const retry: RetryPolicy = { ...RETRY, ...options.retry };
  const random = options.random ?? Math.random;
  const sleep = options.sleep ?? pause;
  const learned = new Map<string, Capabilities>();
  /** Addresses that have answered in this session. */
  const answered = new Set<string>();
  const prober = new Prober();
  const probe = async (preset: Preset, signal: AbortSignal) => {
    const found = await prober.probe(preset, signal);
    if (found.reachable) answered.add(preset.baseUrl);
    return found;
  };
  const meter = new Meter({
    window: (preset) => prober.window(preset),
    probe,
    sleep,
    loading: retry.loadingMs,
    now: options.now ?? (() => performance.now()),
  });

  const once = (
    preset: Preset,
    messages: readonly Message[],
    call: StreamOptions,
    stream: boolean,
  ): Promise<Attempt> => {
    if (preset.demo) return attemptDemo(messages, { ...call, stream }, sleep);
    const capabilities = { ...learned.get(preset.name), ...preset.capabilities };
    const { firstByteMs: firstByte = limits.firstByte, maxAnswerTokens, temperature = call.temperature } = preset;
    const maxTokens = Math.min(call.maxTokens ?? Infinity, maxAnswerTokens ?? Infinity);
    const own = {
      ...(Number.isFinite(maxTokens) && { maxTokens }),
      ...(temperature !== undefined && { temperature: call.temperature ?? temperature }),
    };
    return attempt(preset, capabilities, messages, { ...call, ...own, stream }, { ...limits, firstByte });
  };

  const prepared = async (preset: Preset, messages: readonly Message[], call: ChatOptions): Promise<Prepared> =>
    options.prepare ? options.prepare(preset.name, messages, call) : { messages };

  const toldOfNoTools = async (preset: Preset, call: StreamOptions): Promise<readonly Message[] | undefined> => {
    const fit = call.withoutTools && (await prepared(preset, call.withoutTools(), call));
    return fit && 'messages' in fit ? fit.messages : undefined;
  };

  /** Calls one preset, with retries. */
  const onPreset = async (
    preset: Preset,
    messages: readonly Message[],
    call: StreamOptions,
    stream: boolean,
    fallback: boolean,
  ): Promise<{ readonly result: Attempt; readonly dropped: readonly Attempt[]; readonly sent: readonly Message[] }> => {
    const dropped: Attempt[] = [];
    let sent = messages;
    let waited = 0;
    for (let failed = 1; ; ) {
      const result = await once(preset, sent, call, stream);
      const why = result.fault;
      if (!why || why.status !== undefined || result.arrived) answered.add(preset.baseUrl);
      if (!why || result.cancelled) return { result, dropped, sent };
      const able = { ...learned.get(preset.name), ...preset.capabilities };
      const lesson = result.arrived
        ? undefined
        : detectCapability(why, hasImages(messages) ? able : { ...able, images: true });
      if (lesson) {
        learned.set(preset.name, { ...learned.get(preset.name), ...lesson });
        // Don't answer without the image: the model would make something up.
        if (lesson.images === false) return { result: { ...result, fault: noImages(preset) }, dropped, sent };
        if (lesson.tools === false) sent = (await toldOfNoTools(preset, call)) ?? sent;
        continue;
      }
      const known = answered.has(preset.baseUrl);
      const single = ASKED_ONCE.has(call.category);
      const ms = nextPause(retry, why, { failed, waited, known, fallback, single }, random);
      if (ms === undefined) return { result: { ...result, fault: gaveUp(why, failed) }, dropped, sent };
      if (failed === 1) call.onNotice?.(waitingLine(preset, why, ms));
      call.onPause?.(troubleOf(preset, why), ms);
      await sleep(ms, call.signal);
      waited += ms;
      failed += 1;
      if (call.signal.aborted) return { result: { ...result, cancelled: true }, dropped, sent };
      if (result.arrived) dropped.push(result);
      call.onAgain?.();
    }
  };

  /** Calls one preset; the reply's `fallback` lists presets to try next. */
  const ask = async (
    preset: Preset,
    messages: readonly Message[],
    call: StreamOptions,
    stream: boolean,
    { next, barred }: Route,
  ): Promise<Reply> => {
    const others = next.map(({ name }) => name);
    if (call.signal.aborted) return emptyReply(preset.name, 'cancelled');
    const fit = await prepared(preset, messages, call);
    if ('refused' in fit) {
      const reply = emptyReply(preset.name, 'failed', { kind: 'refused', message: fit.refused });
      return fit.final ? reply : { ...reply, fallback: others };
    }
    const { result, dropped, sent } = await onPreset(preset, fit.messages, call, stream, next.length > 0);
    // The final request differs from the counted one.
    const counted = sent === fit.messages ? call : {};
    const last = checkCounts(meter, preset, counted, sent, result, replyOf(preset, result));
    const reply = dropped.length === 0 ? last : { ...last, attempts: dropped.map((each) => replyOf(preset, each)) };
    if (!mayFallBack(result)) return reply;
    const notices = barred.length > 0 ? [...reply.notices, barredLine(preset, barred)] : reply.notices;
    return { ...reply, notices, fallback: others };
  };

  const unknown = (name: string): Reply => {
    const known = [...presets.keys()].join(', ') || 'none';
    const message = `there is no preset called ${name}; known: ${known}`;
    return emptyReply(name, 'failed', { kind: 'unknown-preset', message });
  };

  const routeOf = (preset: Preset): Route => fallbacksOf(preset, presets, options.prepare !== undefined);

  const chatStream = async (name: string, messages: readonly Message[], call: StreamOptions): Promise<Reply> => {
    const preset = presets.get(name);
    return preset ? ask(preset, messages, call, true, routeOf(preset)) : unknown(name);
  };

  /** Includes fallbacks: for the caller this is one call. */
  const chat = async (name: string, messages: readonly Message[], options: ChatOptions): Promise<Reply> => {
    const first = presets.get(name);
    if (!first) return unknown(name);
    const call = { ...options, onText() {} };
    const attempts: Reply[] = [];
    const said: string[] = [];
    let { next, barred } = routeOf(first);
    for (let preset = first; ; ) {
      const { fallback, attempts: dropped = [], ...reply } = await ask(preset, messages, call, false, { next, barred });
      attempts.push(...dropped);
      const [other, ...rest] = fallback ? next : [];
      if (!other) {
        const notices = [...said, ...reply.notices];
        return { ...reply, notices, ...(attempts.length > 0 && { attempts }) };
      }
      attempts.push(reply);
      const line = `${reply.failure?.message ?? `${preset.name} failed`}; using ${label(other)} instead`;
      said.push(...reply.notices, line);
      call.onNotice?.(line);
      preset = other;
      next = rest;
      barred = [];
    }
  };

  const safely = async (name: string, call: () => Promise<Reply>): Promise<Reply> => {
    try {
      return await call();
    } catch (error) {
      const said = messageOf(error);
      return emptyReply(
        name,
        'failed',
        fault('protocol', `the call failed with an internal error: ${said}`, 'no', said).failure,
      );
    }
  };

  return {
    chatStream: (name, messages, call) => safely(name, () => chatStream(name, messages, call)),
    chat: (name, messages, call) => safely(name, () => chat(name, messages, call)),
    presets: () =>
      [...presets.values()].map((preset) => {
        const { images } = { ...learned.get(preset.name), ...preset.capabilities };
        return { ...infoOf(preset), ...(images === undefined ? {} : { images }) };
      }),
    takesTools: (name) => ({ ...learned.get(name), ...presets.get(name)?.capabilities }).tools !== false,
    async probe(name, signal) {
      const preset = presets.get(name);
      return preset ? probe(preset, signal) : { reachable: false, detail: `there is no preset called ${name}` };
    },
    window(name) {
      const preset = presets.get(name);
      return preset && meter.window(preset);
    },
    learnedWindow(name) {
      const preset = presets.get(name);
      return preset && meter.learned(preset);
    },
    forgetWindows: () => meter.forget(),
    async measure(name, request) {
      const preset = presets.get(name);
      return preset && meter.measure(preset, request);
    },
  };
}

/** Returns the facts about a preset that other parts of the program may use. */
export function presetInfo(preset: Preset): PresetInfo {
  const { name, model } = preset;
  const baseUrl = preset.demo ? '' : shownAddress(preset.baseUrl);
  return { name, model, baseUrl, local: isLocal(preset), demo: preset.demo === true, secrets: secretsPolicy(preset) };
}

function noImages({ name }: Preset): Fault {
  const said = `${name} takes no images: choose a model that does (:model), or ask without them`;
  return fault('refused', said, 'no', said);
}

function gaveUp(why: Fault, failed: number): Fault {
  if (why.retryAfter !== undefined) {
    const message = `${why.failure.message}; it asks to wait ${Math.ceil(why.retryAfter / 1000)} s`;
    return { ...why, failure: { ...why.failure, message } };
  }
  return failed < 2
    ? why
    : { ...why, failure: { ...why.failure, message: `${why.failure.message}; tried ${failed} times` } };
}

function waitingLine(preset: Preset, why: Fault, ms: number): string {
  if (why.retry === 'loading') return loadingLine(preset);
  return `${troubleOf(preset, why)}; trying again in ${Math.max(0.1, Math.round(ms / 100) / 10)} s`;
}

const TROUBLES: Readonly<Partial<Record<CallFailure['kind'], string>>> = {
  unreachable: "can't be reached",
  loading: 'is still loading its model',
  busy: 'is busy',
  cut: 'broke off its answer',
};

function troubleOf({ name }: Preset, { failure, status }: Fault): string {
  return `${name} ${TROUBLES[failure.kind] ?? 'failed'}${status === undefined ? '' : ` (${status})`}`;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}

/**
 * Converts the result of an attempt to a reply, with a notice for everything the user might otherwise wonder about.
 */
function replyOf(preset: Preset, { got, cancelled, fault }: Attempt): Reply {
  const finish = cancelled ? 'cancelled' : fault ? 'failed' : finishOf(got);
  return {
    text: got.text,
    reasoning: got.reasoning,
    toolCalls: got.toolCalls,
    ...(got.tooMany > 0 && { tooMany: got.tooMany }),
    ...(got.usage && { usage: got.usage }),
    preset: preset.name,
    finish,
    ...(got.finishReason === 'length' && { truncated: true }),
    ...(fault && !cancelled && { failure: fault.failure }),
    notices: finish === 'cancelled' ? [] : remarks(preset, got, finish),
  };
}

/** Returns a reply that failed or was cancelled before anything was sent. */
function emptyReply(preset: string, finish: 'cancelled' | 'failed', failure?: CallFailure): Reply {
  return { text: '', reasoning: '', toolCalls: [], preset, finish, ...(failure && { failure }), notices: [] };
}

/** A reply with calls is a tool turn, whatever finish reason the server gives. */
function finishOf(got: Accumulated): 'stop' | 'tools' | 'length' {
  if (got.toolCalls.length > 0) return 'tools';
  return got.finishReason === 'length' ? 'length' : 'stop';
}

function remarks(preset: Preset, got: Accumulated, finish: Reply['finish']): string[] {
  const lines: string[] = [];
  const spoken = got.text.trim() !== '';
  const limited = got.finishReason === 'length';
  for (const name of got.dropped)
    lines.push(`${preset.name}: a call of ${name} was cut off and dropped; nothing of it ran`);
  if (got.tooMany > 0) {
    const asked = got.toolCalls.length + got.tooMany;
    lines.push(`${preset.name} made ${asked} calls in one answer: the last ${got.tooMany} are not run`);
  }
  if (finish !== 'failed' && !spoken && got.toolCalls.length === 0 && got.dropped.length === 0) {
    if (got.reasoning.trim() === '') lines.push(`${preset.name} gave an empty answer`);
    else if (limited) lines.push(`${preset.name} spent its whole token limit in thinking; there is no answer`);
    else lines.push(`${preset.name} only thought and gave no answer`);
  } else if (limited && spoken) {
    lines.push(`${preset.name}: the answer was cut at the token limit`);
  }
  if (got.finishReason === 'tool_calls' && got.toolCalls.length === 0 && got.dropped.length === 0) {
    lines.push(`${preset.name} announced a tool call but made none`);
  }
  if (got.finishReason === 'content_filter') lines.push(`${preset.name}: the server's content filter cut the answer`);
  if (/<tool_call>/.test(got.text)) lines.push(`${preset.name} wrote a tool call as plain text; it was ignored`);
  return lines;
}

type Lesson = { readonly words: RegExp; readonly unless: keyof Capabilities; readonly learned: Capabilities };

/** Refusals of servers and what each shows about them. The first match wins. */
const LESSONS: readonly Lesson[] = [
  {
    words: /max_tokens.*max_completion_tokens|'max_tokens' is not supported/is,
    unless: 'maxTokensField',
    learned: { maxTokensField: 'max_completion_tokens' },
  },
  {
    words:
      /max_completion_tokens.*(unknown|unsupported|unrecognized|not permitted|extra)|(unknown|unsupported|unrecognized|extra).*max_completion_tokens/is,
    unless: 'maxTokensField',
    learned: { maxTokensField: 'max_tokens' },
  },
  { words: /chat_template_kwargs|enable_thinking|reasoning_effort/i, unless: 'brief', learned: { brief: false } },
  { words: /temperature/i, unless: 'temperature', learned: { temperature: false } },
  { words: /stream_options|include_usage/i, unless: 'streamUsage', learned: { streamUsage: false } },
  {
    words: /does not support tools|tools? (is|are) not supported|requires --jinja|tool.?choice.*not supported/i,
    unless: 'tools',
    learned: { tools: false },
  },
  {
    words: pattern(
      String.raw`
        image\x20input\x20is\x20not\x20supported|(does\x20not|doesn['\u2019]t|not)\x20support\w*\x20(image|vision
        |multi-?modal)|(image_url|images?|vision)\b[^.]{0,60}(not|un)[\x20-]?supported|(unknown|invalid
        |unsupported)\b[^.]{0,40}image_url|not\x20a\x20multi-?modal\x20model
      `,
      'i',
    ),
    unless: 'images',
    learned: { images: false },
  },
];

/** Returns the new facts that a refusal shows; undefined if it is about something else. */
function detectCapability(fault: Fault, known: Capabilities): Capabilities | undefined {
  if (fault.status === undefined || fault.status < 400 || fault.failure.kind === 'auth') return undefined;
  if (fault.failure.kind !== 'refused' && fault.failure.kind !== 'server') return undefined;
  return LESSONS.find(({ words, unless }) => known[unless] === undefined && words.test(fault.said))?.learned;
}

// Decides which presets one call may use, and when the next one should be tried (BR-4).

/** The presets in order, each at most once, and those that may not be used. */
type Route = { readonly next: readonly Preset[]; readonly barred: readonly string[] };

/** Failures before an answer, and in the middle of one, after which another preset may succeed. */
const BEFORE = new Set(['unreachable', 'loading', 'busy', 'server', 'timeout']);
const AMID = new Set(['cut', 'timeout', 'server', 'protocol']);

const STRICTNESS = { off: 0, scrub: 1, block: 2 } as const;

/**
 * A remote fallback may not have a weaker policy, so that it gets no clear text that the first server did not.
 * @param filtered messages are prepared for each preset; otherwise a preset with a stricter policy may not be used
 */
export function fallbacksOf(first: Preset, presets: ReadonlyMap<string, Preset>, filtered: boolean): Route {
  const next: Preset[] = [];
  const barred: string[] = [];
  for (const name of first.fallback ?? []) {
    const preset = presets.get(name);
    if (!preset || preset === first || next.includes(preset)) continue;
    const stricter = STRICTNESS[secretsPolicy(preset)] - STRICTNESS[secretsPolicy(first)];
    if ((stricter > 0 && !filtered) || (stricter < 0 && !isLocal(preset))) barred.push(name);
    else next.push(preset);
  }
  return { next, barred };
}

/** Whether another preset may succeed. */
function mayFallBack({ fault, arrived, cancelled }: Attempt): boolean {
  if (!fault || cancelled || fault.final) return false;
  return (arrived ? AMID : BEFORE).has(fault.failure.kind);
}

/** Explains why a possible fallback was not used. */
function barredLine(from: Preset, barred: readonly string[]): string {
  return `${barred.join(', ')} was not used as a fallback: its policy for secrets is not that of ${from.name}`;
}
