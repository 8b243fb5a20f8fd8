import type { OpenAI } from 'openai';
import type { ChatCompletionCreateParams } from 'openai/resources/chat/completions';
import type { Message } from '../session/message.ts';
import { messageOf } from '../text/errors.ts';
import { type Accumulated, ReplyAccumulator } from './accumulator.ts';
import { AnswerReader } from './answer-stream.ts';
import { fetchForLibrary } from './exchange.ts';
import { earlyEnd, type Fault, fault, faultOf, label, type Stop, stopFault } from './faults.ts';
import { imagesOf } from './images.ts';
import { apiKeyOf, type Capabilities, type Preset } from './preset.ts';
import { type RequestOptions, requestBody } from './wire.ts';

/** The maximum characters of one reply, which stops an endless model if no smaller limit is set. */
const MAX_REPLY_CHARS = 1_000_000;
/** The maximum characters of the arguments of all its tool calls. */
const MAX_ARGUMENT_CHARS = 256_000;

/** Timeouts in ms. */
export type Timeouts = {
  /**
   * Until the first byte of the answer: connecting, queueing and reading the prompt, which is slow on small machines.
   */
  readonly firstByte: number;
  /** Between two bytes after that, including keep-alive comments. */
  readonly idle: number;
};

export type AttemptOptions = RequestOptions & {
  readonly stream: boolean;
  readonly signal: AbortSignal;
  onText(delta: string): void;
  onReasoning?(delta: string): void;
  /** The request was sent; the attempt ends in `ms` ms without an answer. */
  onSent?(ms: number): void;
  /** The server has accepted the request and reads the prompt. */
  onOpen?(): void;
};

export type Attempt = {
  readonly got: Accumulated;
  /** A part of the answer has arrived. */
  readonly arrived: boolean;
  readonly cancelled: boolean;
  readonly fault?: Fault;
};

/**
 * Sends one request to one server and reads the complete answer. Never rejects: `fault` is the failure, `got` what
 * had arrived.
 */
export async function attempt(
  preset: Preset,
  capabilities: Capabilities,
  messages: readonly Message[],
  options: AttemptOptions,
  limits: Timeouts,
): Promise<Attempt> {
  const acc = new ReplyAccumulator(new Set(options.tools?.map((tool) => tool.name)), {
    text: (delta) => options.onText(delta),
    reasoning: (delta) => options.onReasoning?.(delta),
  });
  const watch = createWatchdog(options.signal, limits);
  const reader = new AnswerReader(() => watch.alive());
  const ended = (why?: Fault): Attempt => {
    const cut = why !== undefined || options.signal.aborted || acc.finishReason === 'length';
    const base = { got: acc.finish(cut), arrived: acc.arrived, cancelled: options.signal.aborted };
    return why && !base.cancelled ? { ...base, fault: why } : base;
  };

  const stopped = (): Fault | undefined => {
    const stop = watch.stopped();
    return stop && stopFault(stop, preset, limitOf(stop, limits));
  };

  let key: string | undefined;
  try {
    const known = await keyOf(preset, options.signal);
    if (known.fault) return ended(known.fault);
    key = known.key;
    const extras = extrasOf(preset);
    if ('failure' in extras) return ended(extras);
    const client = await clientFor(preset, key);
    const images = capabilities.images === false ? undefined : await imagesOf(messages);
    const own = requestBody(preset.model, messages, options, capabilities, images);
    const body = { ...own, ...preset.fields, ...extras.body };
    const params = withStream(body, options.stream, capabilities);
    watch.begin();
    options.onSent?.(limits.firstByte);
    // Read the bytes here and not in the library: with limits, and without its cost per token.
    const response = await client.chat.completions
      .create(params, { signal: watch.signal, timeout: limits.firstByte + 1000, headers: extras.headers })
      .asResponse();
    options.onOpen?.();
    for await (const chunk of reader.chunks(response)) {
      acc.push(chunk);
      if (acc.textChars > MAX_REPLY_CHARS) watch.stop('text');
      else if (acc.argumentChars > MAX_ARGUMENT_CHARS) watch.stop('arguments');
      if (watch.stopped()) break;
    }
  } catch (error) {
    const why = stopped() ?? faultOf(error, preset, key);
    // Report a broken stream as such, not as an unreachable server.
    if (why.failure.kind === 'unreachable' && acc.arrived)
      return ended(earlyEnd(preset, true, 'the connection was closed'));
    return ended(why);
  } finally {
    watch.close();
  }
  const whole = acc.finishReason !== undefined || (acc.arrived && (reader.done || !options.stream));
  return ended(stopped() ?? (whole ? undefined : earlyEnd(preset, acc.arrived)));
}

function withStream(
  body: ReturnType<typeof requestBody>,
  stream: boolean,
  { streamUsage }: Capabilities,
): ChatCompletionCreateParams {
  if (!stream) return { ...body, stream: false };
  return { ...body, stream: true, ...(streamUsage === false ? {} : { stream_options: { include_usage: true } }) };
}

function limitOf(stop: Stop, limits: Timeouts): number {
  return { 'first-byte': limits.firstByte, idle: limits.idle, text: MAX_REPLY_CHARS, arguments: MAX_ARGUMENT_CHARS }[
    stop
  ];
}

/** The clients of presets, one each, reused while the preset’s key stays the same. */
const clients = new WeakMap<Preset, { readonly key: string | undefined; readonly client: OpenAI }>();

/** Loads the openai package lazily, because a start of the program must not wait for it. */
export const loadClient = () => import('openai');

async function clientFor(preset: Preset, key: string | undefined): Promise<OpenAI> {
  const known = clients.get(preset);
  if (known && known.key === key) return known.client;
  const { OpenAI } = await loadClient();
  const client = new OpenAI({
    baseURL: preset.baseUrl,
    apiKey: key ?? 'none',
    // The user's OpenAI organisation must not be sent to another server.
    organization: null,
    project: null,
    maxRetries: 0,
    logLevel: 'off',
    fetch: fetchForLibrary,
    ...(key === undefined && { defaultHeaders: { Authorization: null } }),
  });
  clients.set(preset, { key, client });
  return client;
}

async function keyOf(preset: Preset, signal: AbortSignal): Promise<{ key: string | undefined; fault?: Fault }> {
  try {
    return { key: await apiKeyOf(preset, signal) };
  } catch (error) {
    const why = messageOf(error);
    return { key: undefined, fault: fault('auth', `no API key for ${preset.name}: ${why}`, 'no', why) };
  }
}

function extrasOf(preset: Preset): ReturnType<NonNullable<Preset['extras']>> | Fault {
  try {
    return preset.extras?.() ?? { headers: {}, body: {} };
  } catch (error) {
    const why = messageOf(error);
    return fault('refused', `nothing was sent to ${label(preset)}: ${why}`, 'no', why);
  }
}

/**
 * A timer that processes pending input before it fires: after a stall (a busy machine, a sleeping laptop) timers
 * would run before data that arrived in time.
 */
function after(milliseconds: number, callback: () => void): NodeJS.Timeout {
  return setTimeout(() => setImmediate(callback), milliseconds);
}

/** Stops a request on the user's request or after a timeout. */
function createWatchdog(user: AbortSignal, limits: Timeouts) {
  const controller = new AbortController();
  let reason: Stop | undefined;
  let last = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const stop = (why: Stop): void => {
    reason ??= why;
    controller.abort();
  };
  const onUser = (): void => controller.abort();
  if (user.aborted) controller.abort();
  else user.addEventListener('abort', onUser, { once: true });

  // A timer per token would be the most expensive part of a fast stream, so the idle timer checks a time stamp.
  const rest = (): number => limits.idle - (performance.now() - last);
  const idleAfter = (milliseconds: number): void => {
    timer = after(milliseconds, () => {
      if (closed) return;
      if (rest() <= 1) stop('idle');
      else idleAfter(rest());
    });
  };
  let answering = false;
  let closed = false;
  return {
    signal: controller.signal,
    stop,
    /** The request is sent now: key lookup and loading the client don't count as the server's time. */
    begin(): void {
      timer = after(limits.firstByte, () => {
        if (!answering && !closed) stop('first-byte');
      });
    },
    stopped: (): Stop | undefined => (user.aborted ? undefined : reason),
    alive(): void {
      last = performance.now();
      if (answering || closed) return;
      answering = true;
      clearTimeout(timer);
      idleAfter(limits.idle);
    },
    close(): void {
      closed = true;
      clearTimeout(timer);
      user.removeEventListener('abort', onUser);
    },
  };
}
