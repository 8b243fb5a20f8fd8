/**
 * Carries out effects through services, which answer with events. Every operation started here ends with its own
 * event.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Basis, JudgeContext, Judged } from '../contracts/gate.ts';
import type { Measured } from '../contracts/models.ts';
import type { Services } from '../contracts/services.ts';
import type { Action, Examination, Judgement } from '../session/action.ts';
import { composeMessages, firstInContext, headOf, summaryText, surroundingsBlock } from '../session/context.ts';
import type { Effect } from '../session/effect.ts';
import { isOutput, sentContent, sentImages, tokensFrom } from '../session/evict.ts';
import type { Mode, OpId, SessionId } from '../session/ids.ts';
import { type CallFailure, IMAGE_TOKENS, type Reply, type ToolSpec } from '../session/message.ts';
import { NO_TREE } from '../session/mode.ts';
import { hostOf } from '../session/place.ts';
import { readReply } from '../session/reply.ts';
import type { Conversation, StoredBudget } from '../session/state.ts';
import { wouldAsk } from '../session/steps.ts';

import { messageOf } from '../text/errors.ts';
import { clean, isSuspect, plainText } from '../text/sanitize.ts';
import { eachInTurns } from '../text/turns.ts';
import { discardTrial, perform, tryAction } from './act.ts';
import type { EffectContext } from './effect-context.ts';
import { LiveReply } from './live.ts';
import type { ReadyAction } from './resolved-action.ts';
import { toolsOf } from './secrets-on-entry.ts';
import { summarise, summariser } from './summary.ts';

/** The message for the model when a command did not run. */
const NOT_RUN = `not run: ${NO_TREE}. Use request_mode_upgrade to request write access.`;

/** Longer replies take a while to process. */
const LONG_REPLY_CHARS = 64 * 1024;
/** Longer texts in a reply do too. */
const LONG_TEXT_CHARS = 32 * 1024;

type Of<K extends Effect['kind']> = Extract<Effect, { kind: K }>;

/** Starts what the effect requests. The screen handles `show`, `hide`, `giveBack` and `ask`. */
export function carryOut(context: EffectContext, effect: Effect): void {
  switch (effect.kind) {
    case 'callModel':
      return start(context, effect.op, (signal) => callModel(context, effect, signal));
    case 'compact':
      return start(context, effect.op, (signal) => compact(context, effect, signal));
    case 'preplan':
      return start(context, effect.op, (signal) => preplan(context, effect, signal));
    case 'examine':
      return start(context, effect.op, (signal) => examine(context, effect, signal));
    case 'act':
      return start(context, effect.op, (signal) => perform(context, effect, signal));
    case 'try':
      return start(context, effect.op, (signal) => tryAction(context, effect, signal));
    case 'discardTrial':
      return void discardTrial(context, effect);
    case 'cancel':
      context.controllers.get(effect.op)?.abort();
      return;
    case 'show':
    case 'hide':
    case 'giveBack':
    case 'ask':
      return;
  }
}

function start(context: EffectContext, op: OpId, work: (signal: AbortSignal) => Promise<void>): void {
  const controller = new AbortController();
  context.controllers.set(op, controller);
  void work(controller.signal).finally(() => context.controllers.delete(op));
}

async function callModel(context: EffectContext, effect: Of<'callModel'>, signal: AbortSignal): Promise<void> {
  const { op, session, preset, category } = effect;
  const conversation = context.state.sessions[session];
  if (!conversation) return;
  const { models, now, spending } = context.services;
  const live = new LiveReply(preset, now());
  context.live.replies.set(op, live);
  context.changed();
  const said = new Set<string>();
  const onNotice = (line: string): void => {
    if (said.has(line)) return;
    said.add(line);
    void context.dispatch({ type: 'noticed', level: 'info', text: `[aish] ${line}` }, session);
  };
  let reply: Reply;
  try {
    const fit = await fitContext(context, effect, signal, onNotice);
    const messages = messagesFor(context, effect, takesTools(context.services, preset));
    const stop =
      'tooSmall' in fit
        ? undefined
        : spending?.stopFor(preset, { messages, maxTokens: fit.answer, ...(fit.counted && { counted: fit.counted }) });
    if (stop) {
      context.live.replies.delete(op);
      return void context.dispatch({ type: 'spendReached', op, preset, ...stop }, session);
    }
    reply =
      'tooSmall' in fit
        ? failedReply(preset, '', { kind: 'refused', message: fit.tooSmall })
        : await models.chatStream(preset, messages, {
            withoutTools: () => messagesFor(context, effect, false),
            tools: toolsOf(context.services, context.state.sessions[session] ?? conversation).specs,
            signal,
            category,
            maxTokens: fit.answer,
            ...(fit.counted && { counted: fit.counted }),
            onText: (delta) => live.addText(delta),
            onReasoning: (delta) => live.addReasoning(delta),
            onSent: (ms) => live.sent(now(), ms),
            onOpen: () => live.open(),
            onPause: (why, ms) => live.wait(why, now() + ms),
            onAgain: () => live.again(),
            onNotice,
          });
  } catch (error) {
    reply = brokenReply(preset, String(live.text), error);
  }
  reply = await cleaned(context, reply);
  context.live.replies.delete(op);
  replied(context, effect, reply, context.services.secrets.reveal(conversation.cwd));
}

/** Replaces all turns by a summary; makes no other request. */
async function compact(context: EffectContext, effect: Of<'compact'>, signal: AbortSignal): Promise<void> {
  const { op, session, preset } = effect;
  const { models, now } = context.services;
  const conversation = context.state.sessions[session];
  if (!conversation) return;
  context.live.replies.set(op, new LiveReply(preset, now()));
  context.changed();
  const { turns, evictedTurns = 0 } = conversation;
  const window = conversation.budget?.window ?? models.window?.(preset);
  const of = { op, session, preset, signal, ...(window !== undefined && { window }) };
  const problem = await summarise(context, of, { from: evictedTurns, upTo: turns.length });
  context.live.replies.delete(op);
  const said = { text: '', reasoning: '', toolCalls: [], preset, finish: 'stop', notices: [] } as const;
  const reply = problem === undefined ? said : failedReply(preset, '', { kind: 'refused', message: problem });
  void context.dispatch({ type: 'replyEnded', op, reply }, session);
}

function messagesFor({ services, state }: EffectContext, { session }: Of<'callModel'>, tools: boolean) {
  const conversation = state.sessions[session];
  return conversation ? composeMessages(conversation, systemFor(services, conversation, tools)) : [];
}

/**
 * Returns a reply with clean text. A long one is processed in several turns of the event loop, so that key presses
 * don't wait.
 */
async function cleaned({ services: { secrets } }: EffectContext, reply: Reply): Promise<Reply> {
  const given = reply.toolCalls.map((call) => call.arguments);
  if (charsOf([reply.text, reply.reasoning, ...given]) <= LONG_REPLY_CHARS)
    return { ...reply, text: plainText(clean(reply.text)) };
  const text = await plainInTurns(reply.text);
  const long = [reply.reasoning, text, ...given].filter((each) => each.length > LONG_TEXT_CHARS);
  for (const each of long) await secrets.lookThrough(each);
  // Continue in a new turn of the event loop.
  await nextTurn();
  return { ...reply, text };
}

async function plainInTurns(text: string): Promise<string> {
  let suspect = false;
  await eachInTurns([text], (piece) => {
    suspect ||= isSuspect(piece);
  });
  if (!suspect) return text;
  await nextTurn();
  const styled = clean(text);
  await nextTurn();
  return plainText(styled);
}

function charsOf(texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + length, 0);
}

/** Reports a clean reply to the state machine once; `cwd` is the directory of its actions. */
function replied(
  context: EffectContext,
  { op, session }: { op: OpId; session: SessionId },
  ended: Reply,
  cwd?: string,
): void {
  const reply = { ...ended, wholeCommands: true } as const;
  const { actions } = readReply(reply);
  const reads = (action: Action) => cwd !== undefined && onlyReads(context.services, action, cwd);
  const reading = actions.length > 1 && actions.every(reads);
  void context.dispatch({ type: 'replyEnded', op, reply, ...(reading && { reading }) }, session);
}

/** Not streamed: a plan is used only when complete. */
async function preplan(context: EffectContext, effect: Of<'preplan'>, signal: AbortSignal): Promise<void> {
  const { preset, goal, tasksMax, session, category, more, taskModels } = effect;
  const { preplanner, listing } = context.services;
  try {
    if (!preplanner) throw new Error('there is no preplanner here');
    const conversation = context.state.sessions[session];
    const about = conversation ? surroundingsBlock(conversation).trim() : '';
    const files = about === '' ? undefined : await listing?.(context.services.secrets.reveal(conversation?.cwd ?? ''));
    const first = about === '' ? [goal] : [about, ...(files ? [`Files there:\n${files}`] : []), `Goal: ${goal}`];
    const parts = [
      ...first,
      ...(taskModels ? [taskModelsText(taskModels)] : []),
      ...(more === undefined ? [] : [more]),
    ];
    const reply = await preplanner.plan(preset, parts.join('\n\n'), tasksMax, signal, category);
    replied(context, effect, await cleaned(context, reply));
  } catch (error) {
    replied(context, effect, brokenReply(preset, '', error));
  }
}

function taskModelsText(names: readonly string[]): string {
  return `A task that is hard may name the model that does it: TASK: @${names[0]} and the task. Names: ${names.join(', ')}. Without a name the usual model does it.`;
}

function brokenReply(preset: string, text: string, error: unknown): Reply {
  return failedReply(preset, text, { kind: 'protocol', message: `the call to ${preset} broke: ${messageOf(error)}` });
}

function failedReply(preset: string, text: string, failure: CallFailure): Reply {
  return { text, reasoning: '', toolCalls: [], preset, finish: 'failed', failure, notices: [] };
}

/**
 * Checks the schema, then asks the gate (AC-5). A failed check counts as destructive. An answer that leads to a
 * question waits until the reply is on disk, so that a resume shows what the screen showed, even after a power
 * failure. An answer that leads to an action does not wait: its start is written before the launch, with everything
 * before it.
 */
async function examine(context: EffectContext, effect: Of<'examine'>, signal: AbortSignal): Promise<void> {
  const { op, session } = effect;
  const saved = context.saved();
  const action = context.actions.of(effect.action);
  const { takesBack } = effect;
  const stays = takesBack === undefined ? undefined : await context.services.agent.takeBack?.(takesBack);
  const refusal =
    stays !== undefined
      ? `[aish] not run again: what its first part changed could not be taken back (${stays})`
      : action.kind === 'unknown' && action.text;
  const { examination, basis }: Examined =
    refusal || action.kind === 'unknown'
      ? { examination: { kind: 'refused', text: refusal || '' } }
      : await lookAt(context, effect, action, signal);
  if (wouldAsk(context.state, session, op, examination)) await saved;
  context.permits.grant(effect, examination, action, basis);
  void context.dispatch({ type: 'examined', op, examination }, session);
}

/** The result of examining an action: the part for the state machine, and the part that stays outside it. */
type Examined = { readonly examination: Examination; readonly basis?: Basis };

function joined(unsafe: string, { destructive, reason }: Judgement): string {
  return destructive ? `${unsafe}; ${reason}` : unsafe;
}

async function lookAt(
  context: EffectContext,
  effect: Of<'examine'>,
  { told, judged, unsafe }: ReadyAction,
  signal: AbortSignal,
): Promise<Examined> {
  const { goal } = effect;
  const { tools, secrets, jobs, projectTree } = context.services;
  try {
    const cwd = secrets.reveal(effect.cwd);
    const refusal = await tools.refusal(judged);
    if (refusal !== undefined) return { examination: { kind: 'refused', text: refusal } };
    const refused = onlyHere(context.services, judged, cwd, effect.mode);
    if (refused) return { examination: refused };
    const tree = effect.mode === 'project' ? await projectTree?.(cwd) : undefined;
    if (effect.mode === 'project' && judged.kind === 'command' && tree === undefined)
      return { examination: { kind: 'refused', text: NOT_RUN } };
    // Facts of the time when the judgement started.
    const tool = tools.facts(told);
    const busy = jobs.running().length > 0;
    const held = effect.mode !== 'unrestricted';
    const within = { cwd, goal, signal, told, busy, held, ...(tree === undefined ? {} : { project: { tree } }) };
    const said = await wordOn(context.services, judged, within);
    if (said.refused !== undefined) return { examination: { kind: 'refused', text: said.refused } };
    const { basis, ...word } = effect.mode === 'project' && judged.kind === 'tool' ? inProject(said) : said;
    const judgement = unsafe === undefined ? word : { ...word, destructive: true, reason: joined(unsafe, word) };
    const preview = await tools.preview?.(judged, cwd);
    const facts = factsBeside(judgement, effect.mode, onlyReads(context.services, judged, cwd));
    const examination: Examination = {
      kind: 'judged',
      judgement: facts,
      autoApproved: tools.autoApproved(told),
      ...(tool ? { tool } : {}),
      ...(preview ? { diff: preview.diff } : {}),
      ...(await trialOf(context.services, judged, effect, cwd)),
    };
    if (!basis) return { examination };
    return { examination, basis: preview ? { ...basis, reads: [...basis.reads, ...preview.reads] } : basis };
  } catch (error) {
    const reason = `it could not be checked: ${messageOf(error)}`;
    const judgement: Judgement = { destructive: true, reason, source: 'default' };
    return { examination: { kind: 'judged', judgement, autoApproved: false } };
  }
}

/** Returns the judgement on an action: by the built-in tool and the files it writes, else by the gate. */
async function wordOn({ gate, tools }: Services, action: Action, within: JudgeContext): Promise<Judged> {
  const own = tools.judge(action, within.cwd);
  return own ? ((await gate.judgeWrites?.(own, action, within)) ?? own) : gate.judge(action, within);
}

/** Built-in tools that work only on this machine are refused on a host, never run here instead. */
function onlyHere({ lacks }: Services, action: Action, place: string, mode: Mode): Examination | undefined {
  const host = hostOf(place);
  if (host === undefined) return undefined;
  if (action.kind === 'tool' && action.name === 'patch')
    return { kind: 'refused', text: `[aish] not run: patch writes files of the user's machine, and this is ${host}` };
  if (action.kind !== 'command' || mode === 'unrestricted') return undefined;
  const needs = lacks ? lacks(place, mode) : `there is no sandbox on ${host}`;
  if (needs === undefined) return undefined;
  const judgement: Judgement = {
    destructive: false,
    reason: needs,
    source: 'static',
    upgrade: { mode: 'unrestricted', needs },
  };
  return { kind: 'judged', judgement, autoApproved: false };
}

/** In Project a built-in call with a recorded change needs no question, like a command (AC-6). */
function inProject(judged: Judged): Judged {
  if (!judged.kept || !judged.destructive) return judged;
  return { ...judged, destructive: false, recoverable: true };
}

/** Adds facts to the judgement: whether it changes nothing; in Restricted nothing is recorded. */
function factsBeside({ kept, ...judgement }: Judgement, mode: Mode, reads: boolean): Judgement {
  const keeps = kept && mode !== 'restricted' ? { kept } : {};
  return { ...judgement, ...keeps, ...(reads && !judgement.destructive ? { readOnly: true } : {}) };
}

/**
 * Whether a command that needs a decision can be tried; in Restricted a trial shows nothing. On a host the reason is
 * given if not.
 */
async function trialOf({ trials }: Services, action: Action, { mode }: Of<'examine'>, cwd: string) {
  if (action.kind !== 'command' || action.job || mode === 'restricted' || !trials) return {};
  const why = await trials.unavailable(cwd);
  if (why === undefined) return { canTry: true } as const;
  return hostOf(cwd) === undefined ? {} : { noTry: why };
}

/** Whether aish-tui itself knows that it changes nothing, so that it may run in parallel. Asks no model. */
function onlyReads({ gate, tools }: Pick<Services, 'gate' | 'tools'>, action: Action, cwd: string): boolean {
  if (action.kind === 'command') return !action.job && gate.onlyReads(action.command, cwd);
  return action.kind === 'tool' && tools.onlyReads(action);
}

// Before a call is sent: counts the conversation and makes it fit into the preset's window (CX-1, CX-2).

type Call = Extract<Effect, { kind: 'callModel' }>;

/** The limits of a call: the maximum answer and our token count. Or why it can't be sent. */
type Fit =
  | { readonly answer: number; readonly counted?: { counter: string; tokens: number; corrected: number } }
  | { readonly tooSmall: string };

/** Shortened texts are counted again; each round only makes the request smaller. */
const MAX_ROUNDS = 6;
/** The answer's share of a small window. */
const ANSWER_SHARE = 1 / 4;
/** Requested if there is room, however small the window is. */
const MIN_ANSWER_TOKENS = 2048;
/** Tokens of what is added at a request's end besides the turns. */
const TAIL_TOKENS = 96;
/** The fewest tokens for the turns with which a conversation is possible. */
const MIN_LIMIT_TOKENS = 200;
/** The answer's length while the window is unknown. */
const CAUTIOUS_ANSWER_TOKENS = 1024;
/** Texts of this length are saved to files. */
const MIN_CHARS_TO_KEEP = 400;

const NO_TOOLS = { specs: [], left: [] };

/**
 * Counts, reports to the state machine (which decides what to evict), and counts shortened texts again, until the
 * request fits.
 */
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
    const texts = conversation.turns.slice(from).map(sentContent);
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

/** While the conversation is short, a small window has room for more than its quarter, which thinking needs. */
function answerFor(quarter: number, free: number, most: number, longer: boolean): number {
  const wanted = Math.max(quarter, MIN_ANSWER_TOKENS) * (longer ? 2 : 1);
  return Math.max(quarter, Math.min(wanted, free, longer ? wanted : most));
}

/** Returns a conversation's constant system prompt, for a model with or without tool calls. */
function systemFor({ systemPrompt, protocol }: Services, { parent }: Conversation, tools: boolean): string {
  return systemPrompt + (protocol?.({ tools, agent: parent !== undefined }) ?? '');
}

function takesTools({ models }: Services, preset: string): boolean {
  return models.takesTools?.(preset) ?? true;
}

/** Returns the system message and the tools, approximately as a chat template formats them. */
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

/** Saves fully evicted outputs to files, so that the line in their place can name them. */
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

/** How many names of tools are listed in one line. */
const MAX_NAMES = 12;

function leftTools(names: readonly string[]): string {
  if (names.length === 0) return '';
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  const count = `${names.length} MCP tools are not described to the model, for want of room`;
  return `${count}: ${names.slice(0, MAX_NAMES).join(', ')}${more}; :mcp enable NAME describes one`;
}

function tooSmall({ preset, window, head, room, answer }: StoredBudget, tools: number): string {
  const takes = `the system prompt with ${tools} tools takes ${head}`;
  // The user's own limit, if smaller than the window's.
  if (room < window - answer)
    return `token_budget (${room} tokens) is too small: ${takes}; raise it or use fewer tools`;
  return `the window of ${preset} is too small: of its ${window} tokens ${room} are left for the request, and ${takes}; use a larger window or fewer tools`;
}
