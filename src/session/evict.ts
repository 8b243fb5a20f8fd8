/**
 * Who leaves the context when it is full (CX-1): old outputs first, then the oldest turns, in blocks; and what is still
 * sent of them. Pure.
 */

import { parseBoundedJson } from '../text/json.ts';
import { clip } from './exec-text.ts';
import type { ImageAttachment, ToolCall } from './message.ts';
import type { Evicted } from './phase.ts';
import type { Turn } from './state.ts';

/**
 * The most that one output may take of the room for all turns when it comes in; what is cut to that is marked in its
 * text.
 */
const OUTPUT_SHARE = 0.3;
/**
 * What an eviction goes down to, so that the next one is many steps away and a server's prompt cache holds meanwhile.
 */
const LOW_WATER = 0.5;
/** Where outputs alone brought it down to this, no turn goes: what was done is worth knowing, in a line each. */
const ENOUGH = 0.7;
/** Anything smaller, in tokens, is not worth replacing by a line that names it. */
const WORTH_SHORTENING = 64;
/** Characters that stay of the newest texts, however little room there is. */
const MIN_KEPT_CHARS = 120;
/** Tokens of the line that says turns were left out and which mode it is, and of the words around it. */
const EVICTION_LINE = 130;

export type Kept = { readonly turns: readonly Turn[]; readonly evictedTurns: number; readonly evicted: Evicted };

/** Tokens of a turn: as counted, else a guess that is seldom too low. */
function tokensOf(turn: Turn): number {
  return turn.tokens ?? Math.ceil(sentWhole(turn).length / 2) + 8;
}

/** The turn without its count, which is no longer that of what is sent. */
export function uncounted(turn: Turn): Turn {
  const { tokens: _, ...rest } = turn;
  return rest;
}

/** Tokens of the turns from `from` on. */
export function tokensFrom(turns: readonly Turn[], from: number): number {
  let sum = from > 0 ? lineTokens(turns, from) : 0;
  for (const turn of from > 0 ? turns.slice(from) : turns) sum += tokensOf(turn);
  return sum;
}

/** Tokens of what stands for the turns before `from`, whichever of the questions is told again in it. */
function lineTokens(turns: readonly Turn[], from: number): number {
  let most = mostTold(turns, from);
  for (const turn of turns.slice(from)) if (isAsked(turn)) most = Math.max(most, toldTokens(turn));
  return Math.ceil(EVICTION_LINE + most * 1.2);
}

function toldTokens(turn: Turn): number {
  return tokensOf(turn) * Math.min(1, MAX_TOLD_CHARS / sentWhole(turn).length);
}

/** By the last of the turns that left. They don't change any more: when all are counted anew, each is a new object. */
const told = new WeakMap<Turn, number>();

/**
 * The most that a question before `from` takes to tell again. Only those are looked at that left since the last time.
 */
function mostTold(turns: readonly Turn[], from: number): number {
  const known = (turn: Turn | undefined) => (turn ? told.get(turn) : undefined);
  let at = from;
  while (at > 0 && known(turns[at - 1]) === undefined) at -= 1;
  let most = known(turns[at - 1]) ?? 0;
  for (const turn of turns.slice(at, from)) {
    if (isAsked(turn)) most = Math.max(most, toldTokens(turn));
    told.set(turn, most);
  }
  return most;
}

/**
 * Makes the turns fit into `limit` tokens. What has left or was shortened stays so. A turn that is shortened loses its
 * count, so that it is counted again; a second look then takes what was guessed too low. Changes `turns`.
 */
export function evict(turns: Turn[], before: number, limit: number): Kept {
  if (fits(turns, before, limit)) return { turns, evictedTurns: before, evicted: { shortened: 0, dropped: 0 } };
  const eviction = new Eviction(turns, before);
  eviction.capOutputs(limit * OUTPUT_SHARE);
  eviction.shortened = 0;
  if (eviction.used > limit) {
    eviction.reduceOutputs(limit * LOW_WATER);
    if (eviction.used > limit * ENOUGH) eviction.dropOldest(limit * LOW_WATER);
    // Nothing left to cut: of a row of interrupted answers only the last question stays.
    if (eviction.used > limit && !eviction.squeezeNewest(limit)) eviction.dropOldest(limit * LOW_WATER, eviction.asked);
  }
  const { evictedTurns, shortened } = eviction;
  return { turns: eviction.turns, evictedTurns, evicted: { shortened, dropped: evictedTurns - before } };
}

/** Nothing has to go, and no turn takes more than an output may: so it is nearly always. */
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
  /** Of the turns from `before` on: those that have left cost nothing, however many they are. */
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

  /** Tokens of what is left, no turn taking more than `most`. */
  #sum(most = Number.POSITIVE_INFINITY): number {
    const left = this.#costs.slice(this.evictedTurns - this.#before);
    return left.reduce((sum, cost) => sum + Math.min(cost, most), this.evictedTurns > 0 ? this.#line : 0);
  }

  /** Where the newest exchange begins: it always stays. An interrupted answer does not begin one. */
  get #newest(): number {
    const answered = this.turns.findLastIndex((turn) => turn.kind === 'assistant' && !turn.partial);
    if (answered >= 0) return Math.max(this.evictedTurns, answered);
    return Math.max(this.evictedTurns, this.asked);
  }

  /** The last question or goal. */
  get asked(): number {
    return this.turns.findLastIndex((turn) => isAsked(turn) || (turn.kind === 'user' && turn.origin === 'goal'));
  }

  capOutputs(most: number): void {
    for (let at = this.#newest; at < this.turns.length; at += 1) {
      const turn = this.turns[at];
      if (turn && isOutput(turn) && turn.keptChars !== 0 && this.#cost(at) > most) this.#clip(at, most);
    }
  }

  /** Oldest first, each to one line. */
  reduceOutputs(goal: number): void {
    const newest = this.#newest;
    for (let at = this.evictedTurns; at < newest && this.used > goal; at += 1) {
      const turn = this.turns[at];
      if (!turn || turn.keptChars === 0 || this.#cost(at) < WORTH_SHORTENING) continue;
      const long = turn.kind === 'assistant' && turn.toolCalls.some((call) => call.arguments.length > MIN_KEPT_CHARS);
      if (isOutput(turn) || long) this.#shorten(at, 0);
    }
  }

  /** A call never goes without its results, nor they without it. */
  dropOldest(goal: number, newest = this.#newest): void {
    while (this.evictedTurns < newest && this.used > goal) {
      this.evictedTurns += 1;
      while (this.evictedTurns < newest && this.turns[this.evictedTurns]?.kind === 'result') this.evictedTurns += 1;
    }
  }

  /**
   * The newest exchange alone is too large: the largest texts of it are cut to the same size. False: there were none.
   */
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
    // What its cost was counted for: of an answer that has been cut before only that is left.
    const length =
      turn.kind === 'assistant' ? Math.min(turn.text.length, turn.keptChars || Infinity) : sentWhole(turn).length;
    // A little less than its share: what stays may be denser than what goes.
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

// What is still sent of a turn once it has been shortened.

/** Characters of arguments that a shortened turn keeps; each long text in them is left out, then all of them. */
const MAX_ARGUMENTS_CHARS = 1200;
const MAX_VALUE_CHARS = 120;
const MAX_COMMAND_CHARS = 160;
/** Characters repeated of a question whose turn was evicted. */
export const MAX_TOLD_CHARS = 800;

/** The text of a turn as the next request has it. */
export function sentText(turn: Turn): string {
  const text = turn.kind === 'user' && turn.origin === 'goal' ? `Goal: ${turn.text}` : turn.text;
  if (turn.keptChars === undefined) return text;
  if (turn.keptChars > 0) return clippedOf(turn, text, turn.keptChars);
  return isOutput(turn) ? outputLine(text, turn.file) : text;
}

/**
 * By turn, which never changes: each request asks for the same several times, and the lines of a megabyte are counted.
 */
const clipped = new WeakMap<Turn, string>();

function clippedOf(turn: Turn, text: string, keptChars: number): string {
  const known = clipped.get(turn) ?? clip(text, keptChars, turn.file);
  clipped.set(turn, known);
  return known;
}

/** The images of a turn, while it is sent whole. */
export function sentImages(turn: Turn): readonly ImageAttachment[] {
  return turn.kind === 'user' && turn.keptChars === undefined ? (turn.images ?? []) : [];
}

/** The calls of a turn as the next request has them. */
export function sentCalls(turn: Turn): readonly ToolCall[] {
  if (turn.kind !== 'assistant') return [];
  return turn.keptChars === undefined ? turn.toolCalls : turn.toolCalls.map(withoutLongValues);
}

/** All that is sent of a turn, for counting and for its size. */
export function sentWhole(turn: Turn): string {
  // About what chat templates put around calls and results.
  const calls = sentCalls(turn).map(
    (call) => `<tool_call>{"name": "${call.name}", "arguments": ${call.arguments}}</tool_call>`,
  );
  return [turn.kind === 'result' ? `<tool_response>${sentText(turn)}</tool_response>` : sentText(turn), ...calls].join(
    '\n',
  );
}

/** Output of a command, job or tool, which can be looked up again; not the words of the user or a model. */
export function isOutput(turn: Turn): boolean {
  if (turn.kind !== 'user') return turn.kind === 'result';
  return turn.origin === 'exec' || (turn.origin === 'aish' && /^\[aish\] job \d/.test(turn.text));
}

/**
 * The request of the user, or of a sub-agent's parent: repeated when its turn was evicted. A goal is in the head
 * anyway.
 */
export function isAsked(turn: Turn): boolean {
  if (turn.kind !== 'user') return false;
  return turn.origin === 'user' || (turn.origin === 'aish' && turn.text.startsWith('Task: '));
}

/** `[output left out: 120 lines, full text: path]` between the command and how it ended, where the text has those. */
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

/** The same call with its long texts replaced; the arguments stay a JSON object. */
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
