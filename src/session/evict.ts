/**
 * Decides which turns leave a full context (CX-1), old outputs first, then the oldest turns in blocks, and what
 * remains of them. Pure.
 */

import { parseBoundedJson } from '../text/json.ts';
import { clip } from './exec-text.ts';
import type { ImageAttachment, ToolCall } from './message.ts';
import type { Evicted } from './phase.ts';
import type { Turn } from './state.ts';

/** The largest share of the room for turns that one output may take. A cut output says so in its text. */
const OUTPUT_SHARE = 0.3;
/**
 * An eviction frees this much, so that the next one is far off and the server's prompt cache stays valid until then.
 */
const LOW_WATER = 0.5;
/** If shortening outputs alone frees this much, no turn is dropped: a line about each past action is useful. */
const ENOUGH = 0.7;
/** Smaller outputs, in tokens, are not worth replacing by a line. */
const WORTH_SHORTENING = 64;
/** How many characters of the newest texts always stay. */
const MIN_KEPT_CHARS = 120;
/** The tokens of the line that reports evicted turns and the mode. */
const EVICTION_LINE = 130;

export type Kept = { readonly turns: readonly Turn[]; readonly evictedTurns: number; readonly evicted: Evicted };

/** Returns the tokens of a turn: as counted, else a guess that is rarely too low. */
function tokensOf(turn: Turn): number {
  return turn.tokens ?? Math.ceil(sentContent(turn).length / 2) + 8;
}

/** Removes the turn's token count, which is wrong once the sent text changes. */
export function uncounted(turn: Turn): Turn {
  const { tokens: _, ...rest } = turn;
  return rest;
}

/** Returns the tokens of the turns from `from` on. */
export function tokensFrom(turns: readonly Turn[], from: number): number {
  let sum = from > 0 ? lineTokens(turns, from) : 0;
  for (const turn of from > 0 ? turns.slice(from) : turns) sum += tokensOf(turn);
  return sum;
}

/** Returns the tokens of the text that replaces the turns before `from`, whichever question it repeats. */
function lineTokens(turns: readonly Turn[], from: number): number {
  let most = mostTold(turns, from);
  for (const turn of turns.slice(from)) if (isAsked(turn)) most = Math.max(most, repeatTokens(turn));
  return Math.ceil(EVICTION_LINE + most * 1.2);
}

function repeatTokens(turn: Turn): number {
  return tokensOf(turn) * Math.min(1, MAX_TOLD_CHARS / sentContent(turn).length);
}

/** Keyed by the last evicted turn, which no longer changes; recounting creates new objects. */
const told = new WeakMap<Turn, number>();

/**
 * Returns the most tokens that repeating a question before `from` can take. Looks only at turns evicted since the
 * last call.
 */
function mostTold(turns: readonly Turn[], from: number): number {
  const known = (turn: Turn | undefined) => (turn ? told.get(turn) : undefined);
  let at = from;
  while (at > 0 && known(turns[at - 1]) === undefined) at -= 1;
  let most = known(turns[at - 1]) ?? 0;
  for (const turn of turns.slice(at, from)) {
    if (isAsked(turn)) most = Math.max(most, repeatTokens(turn));
    told.set(turn, most);
  }
  return most;
}

/**
 * Makes the turns fit into `limit` tokens. Evicted and shortened turns stay so. A shortened turn loses its count, so
 * that a second pass after counting can correct a low guess. Changes `turns`.
 */
export function evict(turns: Turn[], before: number, limit: number): Kept {
  if (fits(turns, before, limit)) return { turns, evictedTurns: before, evicted: { shortened: 0, dropped: 0 } };
  const eviction = new Eviction(turns, before);
  eviction.capOutputs(limit * OUTPUT_SHARE);
  eviction.shortened = 0;
  if (eviction.used > limit) {
    eviction.reduceOutputs(limit * LOW_WATER);
    if (eviction.used > limit * ENOUGH) eviction.dropOldest(limit * LOW_WATER);
    // Nothing left to cut: of several interrupted answers in a row keep only the last question.
    if (eviction.used > limit && !eviction.squeezeNewest(limit)) eviction.dropOldest(limit * LOW_WATER, eviction.asked);
  }
  const { evictedTurns, shortened } = eviction;
  return { turns: eviction.turns, evictedTurns, evicted: { shortened, dropped: evictedTurns - before } };
}

/** Returns whether everything fits already, which is the usual case. */
function fits(turns: readonly Turn[], before: number, limit: number): boolean {
  let used = before > 0 ? lineTokens(turns, before) : 0;
  for (let at = before; at < turns.length; at += 1) {
    const turn = turns[at];
    const cost = turn ? tokensOf(turn) : 0;
    used += cost;
    if (used > limit || cost > limit * OUTPUT_SHARE) return false;
  }
  return true;
}

class Eviction {
  readonly turns: Turn[];
  evictedTurns: number;
  shortened = 0;
  readonly #before: number;
  /** The costs of turns from `before` on; evicted turns cost nothing. */
  readonly #costs: number[];
  readonly #line: number;

  constructor(turns: Turn[], before: number) {
    this.turns = turns;
    this.evictedTurns = before;
    this.#before = before;
    this.#costs = turns.slice(before).map(tokensOf);
    this.#line = lineTokens(turns, before);
  }

  get used(): number {
    return this.#sum();
  }

  /** Sums the tokens that are left, counting at most `most` for a turn. */
  #sum(most = Number.POSITIVE_INFINITY): number {
    const left = this.#costs.slice(this.evictedTurns - this.#before);
    return left.reduce((sum, cost) => sum + Math.min(cost, most), this.evictedTurns > 0 ? this.#line : 0);
  }

  /** The start of the newest exchange, which always stays. An interrupted answer does not start one. */
  get #newest(): number {
    const answered = this.turns.findLastIndex((turn) => turn.kind === 'assistant' && !turn.partial);
    if (answered >= 0) return Math.max(this.evictedTurns, answered);
    return Math.max(this.evictedTurns, this.asked);
  }

  /** The index of the last question or goal. */
  get asked(): number {
    return this.turns.findLastIndex((turn) => isAsked(turn) || (turn.kind === 'user' && turn.origin === 'goal'));
  }

  capOutputs(most: number): void {
    for (let at = this.#newest; at < this.turns.length; at += 1) {
      const turn = this.turns[at];
      if (turn && isOutput(turn) && turn.keptChars !== 0 && this.#cost(at) > most) this.#clip(at, most);
    }
  }

  /** Reduces outputs to one line each, oldest first. */
  reduceOutputs(goal: number): void {
    const newest = this.#newest;
    for (let at = this.evictedTurns; at < newest && this.used > goal; at += 1) {
      const turn = this.turns[at];
      if (!turn || turn.keptChars === 0 || this.#cost(at) < WORTH_SHORTENING) continue;
      const long = turn.kind === 'assistant' && turn.toolCalls.some((call) => call.arguments.length > MIN_KEPT_CHARS);
      if (isOutput(turn) || long) this.#shorten(at, 0);
    }
  }

  /** Drops the oldest turns, keeping each call with its results. */
  dropOldest(goal: number, newest = this.#newest): void {
    while (this.evictedTurns < newest && this.used > goal) {
      this.evictedTurns += 1;
      while (this.evictedTurns < newest && this.turns[this.evictedTurns]?.kind === 'result') this.evictedTurns += 1;
    }
  }

  /** Cuts the largest texts of the newest exchange to one common size. Returns false if there were none. */
  squeezeNewest(limit: number): boolean {
    const before = this.shortened;
    let low = 0;
    let high = limit;
    while (high - low > 4) {
      const middle = (low + high) / 2;
      if (this.#sum(middle) <= limit) low = middle;
      else high = middle;
    }
    for (let at = this.evictedTurns; at < this.turns.length; at += 1) if (this.#cost(at) > low) this.#clip(at, low);
    return this.shortened > before;
  }

  #cost(at: number): number {
    return this.#costs[at - this.#before] ?? 0;
  }

  #clip(at: number, most: number): void {
    const turn = this.turns[at];
    if (!turn) return;
    // The length that the cost was counted for; an answer that was cut before has only a part of its text.
    const length =
      turn.kind === 'assistant' ? Math.min(turn.text.length, turn.keptChars || Infinity) : sentContent(turn).length;
    // A little less than its share, since the remaining text may have more tokens per character.
    const keptChars = Math.floor((length * most * 0.9) / Math.max(1, this.#cost(at)));
    if (keptChars < MIN_KEPT_CHARS && isOutput(turn)) this.#shorten(at, 0);
    else this.#shorten(at, Math.max(MIN_KEPT_CHARS, keptChars), most);
  }

  #shorten(at: number, keptChars: number, cost?: number): void {
    const turn = this.turns[at];
    if (!turn || (turn.keptChars !== undefined && turn.keptChars <= keptChars)) return;
    const short: Turn = { ...uncounted(turn), keptChars };
    this.turns[at] = short;
    this.#costs[at - this.#before] = cost ?? Math.min(this.#cost(at), tokensOf(short));
    this.shortened += 1;
  }
}

// The part of a shortened turn that is still sent.

/** The maximum length of a shortened call's arguments. First its long strings are removed, then all of it. */
const MAX_ARGUMENTS_CHARS = 1200;
const MAX_VALUE_CHARS = 120;
const MAX_COMMAND_CHARS = 160;
/** How many characters of an evicted question are repeated. */
export const MAX_TOLD_CHARS = 800;

/** Returns the text of a turn for the next request. */
export function sentText(turn: Turn): string {
  const text = turn.kind === 'user' && turn.origin === 'goal' ? `Goal: ${turn.text}` : turn.text;
  if (turn.keptChars === undefined) return text;
  if (turn.keptChars > 0) return clippedOf(turn, text, turn.keptChars);
  return isOutput(turn) ? outputLine(text, turn.file) : text;
}

/** Cached by turn, because each request asks several times and counting lines of a large output is slow. */
const clipped = new WeakMap<Turn, string>();

function clippedOf(turn: Turn, text: string, keptChars: number): string {
  const known = clipped.get(turn) ?? clip(text, keptChars, turn.file);
  clipped.set(turn, known);
  return known;
}

/** Returns the images of a turn that is still sent in full. */
export function sentImages(turn: Turn): readonly ImageAttachment[] {
  return turn.kind === 'user' && turn.keptChars === undefined ? (turn.images ?? []) : [];
}

/** Returns the calls of a turn for the next request. */
export function sentCalls(turn: Turn): readonly ToolCall[] {
  if (turn.kind !== 'assistant') return [];
  return turn.keptChars === undefined ? turn.toolCalls : turn.toolCalls.map(withoutLongValues);
}

/** Returns everything that is sent of a turn, for counting tokens. */
export function sentContent(turn: Turn): string {
  // Approximates the markup that chat templates add around calls and results.
  const calls = sentCalls(turn).map(
    (call) => `<tool_call>{"name": "${call.name}", "arguments": ${call.arguments}}</tool_call>`,
  );
  return [turn.kind === 'result' ? `<tool_response>${sentText(turn)}</tool_response>` : sentText(turn), ...calls].join(
    '\n',
  );
}

/** Whether the turn is output of a command, job or tool, which can be looked up again. */
export function isOutput(turn: Turn): boolean {
  if (turn.kind !== 'user') return turn.kind === 'result';
  return turn.origin === 'exec' || (turn.origin === 'aish' && /^\[aish\] job \d/.test(turn.text));
}

/**
 * Whether the turn is a request of the user or of a sub-agent's parent, which is repeated after eviction. A goal is
 * in the head anyway.
 */
export function isAsked(turn: Turn): boolean {
  if (turn.kind !== 'user') return false;
  return turn.origin === 'user' || (turn.origin === 'aish' && turn.text.startsWith('Task: '));
}

/** Puts `[output left out: 120 lines, full text: path]` between the command and its exit code. */
function outputLine(text: string, file: string | undefined): string {
  const lines = text.split('\n');
  const command = lines.findIndex((line) => line.startsWith('$ '));
  const ended = /^\[exit /.test(lines.at(-1) ?? '') ? lines.at(-1) : undefined;
  const count = Math.max(1, lines.length - (command < 0 ? 0 : command + 1) - (ended === undefined ? 0 : 1));
  const where = file === undefined ? '' : `, full text: ${file}`;
  return [
    ...(command < 0 ? [] : [clip(lines[command] ?? '', MAX_COMMAND_CHARS)]),
    `[output left out: ${count} ${count === 1 ? 'line' : 'lines'}${where}]`,
    ...(ended === undefined ? [] : [ended]),
  ].join('\n');
}

/** Replaces the long strings in a call's arguments; they stay a JSON object. */
function withoutLongValues(call: ToolCall): ToolCall {
  if (call.arguments.length <= MAX_ARGUMENTS_CHARS / 4) return call;
  const whole = `{"left_out":"${call.arguments.length} characters"}`;
  try {
    const short = JSON.stringify(parseBoundedJson(call.arguments), (_key, value: unknown) =>
      typeof value === 'string' && value.length > MAX_VALUE_CHARS ? `[${value.length} characters left out]` : value,
    );
    return { ...call, arguments: short.length <= MAX_ARGUMENTS_CHARS ? short : whole };
  } catch {
    return { ...call, arguments: whole };
  }
}
