/** Before a call goes out: count the conversation, make it fit into the preset's window (CX-1, CX-2). */

import type { Measured } from '../contracts/models.ts';
import type { Services } from '../contracts/services.ts';
import { firstInContext, headOf, summaryText } from '../session/context.ts';
import type { Effect } from '../session/effect.ts';
import { isOutput, sentImages, sentWhole, tokensFrom } from '../session/evict.ts';
import { IMAGE_TOKENS, type ToolSpec } from '../session/message.ts';

import type { Conversation, StoredBudget } from '../session/state.ts';
import type { EffectContext } from './effect-context.ts';
import { toolsOf } from './secrets-on-entry.ts';
import { summariser } from './summary.ts';

type Call = Extract<Effect, { kind: 'callModel' }>;

/** How a call may go out: the longest answer, and what was counted. Or why it can't. */
export type Fit =
  | { readonly answer: number; readonly counted?: { counter: string; tokens: number; corrected: number } }
  | { readonly tooSmall: string };

/** Shortened texts are counted again; each round only makes the request smaller. */
const MAX_ROUNDS = 6;
/** The answer's share of a small window. */
const ANSWER_SHARE = 1 / 4;
/** Asked for where there is room, however small the window is. */
const MIN_ANSWER_TOKENS = 2048;
/** Tokens for what is added at the end of a request beside the turns. */
const TAIL_TOKENS = 96;
/** With less for the turns than this no conversation is possible. */
const MIN_LIMIT_TOKENS = 200;
/** Where the window is not known yet. */
const CAUTIOUS_ANSWER_TOKENS = 1024;
/** Characters worth a file of their own. */
const MIN_CHARS_TO_KEEP = 400;

const NO_TOOLS = { specs: [], left: [] };

/** Counts, reports to the machine (which decides what to evict), and counts shortened texts again, until it fits. */
export async function fitContext(
  context: EffectContext,
  call: Call,
  signal: AbortSignal,
  onNotice: (line: string) => void,
): Promise<Fit> {
  const { models, maxAnswerTokens, tokenBudget } = context.services;
  const { op, session, preset } = call;
  const files = new Map<number, string>();
  const madeRoom = summariser(context, { ...call, signal }, onNotice);
  for (let round = 0; ; round += 1) {
    const conversation = context.state.sessions[session];
    if (!conversation) return { answer: CAUTIOUS_ANSWER_TOKENS };
    const tools = takesTools(context.services, preset);
    const { specs } = tools ? toolsOf(context.services, conversation) : NO_TOOLS;
    const from = firstInContext(conversation);
    const texts = conversation.turns.slice(from).map(sentWhole);
    const measured = await models.measure(preset, {
      head: headText(conversation, systemFor(context.services, conversation, tools), specs),
      texts,
      signal,
      onNotice,
    });
    if (!measured || signal.aborted) return { answer: Math.min(maxAnswerTokens, CAUTIOUS_ANSWER_TOKENS) };
    const most = Math.min(maxAnswerTokens, measured.maxAnswer ?? maxAnswerTokens);
    const budget = budgetOf(preset, measured, most, tokenBudget);
    if (budget.limit < MIN_LIMIT_TOKENS) return { tooSmall: tooSmall(budget, specs.length) };
    const tokens = changed(conversation, from, measured);
    if (await madeRoom(conversation, { budget, tokens })) continue;
    void context.dispatch(
      { type: 'measured', op, budget, tokens, ...(files.size > 0 && { files: [...files] }) },
      session,
    );
    files.clear();
    const now = context.state.sessions[session];
    if (!now) return { answer: budget.answer };
    await keepTexts(context, now, files);
    const open = now.turns.slice(firstInContext(now)).some((turn) => turn.tokens === undefined);
    const described = tools ? toolsOf(context.services, now) : NO_TOOLS;
    const fewer = described.specs.length !== specs.length;
    if ((open || fewer || files.size > 0) && round < MAX_ROUNDS) continue;
    const left = leftTools(described.left);
    if (left !== context.live.leftTools && left !== '') onNotice(left);
    context.live.leftTools = left;
    const sent = tokensFrom(now.turns, firstInContext(now));
    if (sent > budget.limit) return { tooSmall: tooSmall(budget, specs.length) };
    const counted = budget.head + sent;
    const free = budget.window - Math.ceil(counted * budget.factor * (1 + measured.margin)) - TAIL_TOKENS;
    return {
      answer: answerFor(budget.answer, free, most, call.longer === true),
      counted: { counter: budget.counter, tokens: counted, corrected: Math.ceil(counted * budget.factor) },
    };
  }
}

/** A small window has room for more than its quarter while the conversation is short: thinking takes it. */
function answerFor(quarter: number, free: number, most: number, longer: boolean): number {
  const wanted = Math.max(quarter, MIN_ANSWER_TOKENS) * (longer ? 2 : 1);
  return Math.max(quarter, Math.min(wanted, free, longer ? wanted : most));
}

/** The constant system prompt of a conversation, for a model that calls tools or not. */
export function systemFor({ systemPrompt, protocol }: Services, { parent }: Conversation, tools: boolean): string {
  return systemPrompt + (protocol?.({ tools, agent: parent !== undefined }) ?? '');
}

export function takesTools({ models }: Services, preset: string): boolean {
  return models.takesTools?.(preset) ?? true;
}

/** The system message and the tools, as near to what a chat template makes of them as can be told from here. */
function headText(conversation: Conversation, system: string, specs: readonly ToolSpec[]): string {
  const tools = specs.map((tool) => JSON.stringify({ type: 'function', function: tool }));
  return [headOf(conversation, system), ...tools, summaryText(conversation)].join('\n');
}

function budgetOf(preset: string, measured: Measured, maxAnswer: number, tokenBudget: number | undefined) {
  const { window, source, counter, head, factor, margin } = measured;
  const answer = Math.max(1, Math.min(maxAnswer, Math.floor(window * ANSWER_SHARE)));
  const room = Math.min(tokenBudget ?? Number.POSITIVE_INFINITY, window - answer);
  const limit = Math.floor(room / (factor * (1 + margin))) - head - TAIL_TOKENS;
  return { preset, window, source, counter, room, head, limit, answer, factor };
}

function changed({ turns }: Conversation, from: number, { tokens }: Measured): (readonly [number, number])[] {
  return tokens.flatMap((text, index) => {
    const turn = turns[from + index];
    const count = text + (turn ? sentImages(turn).length * IMAGE_TOKENS : 0);
    return turn?.tokens === count ? [] : [[from + index, count] as const];
  });
}

/** Outputs that left the context whole are kept in files, so that the one line in their place can name them. */
async function keepTexts({ services }: EffectContext, { turns }: Conversation, files: Map<number, string>) {
  if (!services.saveEvictedText) return;
  for (const [at, turn] of turns.entries()) {
    const worth =
      isOutput(turn) && turn.keptChars !== undefined && turn.file === undefined && turn.tokens === undefined;
    if (!worth || turn.text.length < MIN_CHARS_TO_KEEP) continue;
    const file = await services.saveEvictedText(turn.text);
    if (file !== undefined) files.set(at, file);
  }
}

/** Names of tools in one line at most. */
const MAX_NAMES = 12;

function leftTools(names: readonly string[]): string {
  if (names.length === 0) return '';
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  const count = `${names.length} MCP tools are not described to the model, for want of room`;
  return `${count}: ${names.slice(0, MAX_NAMES).join(', ')}${more}; :mcp enable NAME describes one`;
}

function tooSmall({ preset, window, head, room, answer }: StoredBudget, tools: number): string {
  const takes = `the system prompt with ${tools} tools takes ${head}`;
  // The user's own limit, where it is below what the window leaves.
  if (room < window - answer)
    return `token_budget (${room} tokens) is too small: ${takes}; raise it or use fewer tools`;
  return `the window of ${preset} is too small: of its ${window} tokens ${room} are left for the request, and ${takes}; use a larger window or fewer tools`;
}
