/** A model's reply → its actions and its sentinel (AC-1), and what of it is said to people. */
import { parseJsonObject } from '../text/json.ts';
import { ShellLines, type Unfinished } from '../text/shell.ts';
import type { Action, CommandAction, DelegateAction } from './action.ts';
import type { Reply, ToolCall } from './message.ts';
import type { Sentinel } from './phase.ts';
import type { Run } from './run.ts';

const MARKER = /^[ \t]*(CMD|CMD&|DELEGATE|PATCH|MODE):[ \t]*(\S.*)$/;
/** Others are words of an answer. */
const WISH = /^(project|unrestricted)\b[\s:.,–—-]*(.*)$/i;
const FENCE = /^[ \t]*(`{3,}|~{3,})/;
const GOAL = /^GOAL:[ \t]*(complete|blocked)\b[ \t.:;,–—-]*(.*)$/i;

/** A marker that is no line of its own: in a list, a quotation or bold. */
const MISFORMED = /^[ \t]*(?:(?:[-+*>]|\d+[.)])[ \t]+|[*_`]{1,3})+(?:CMD&?|DELEGATE|PATCH):/;
/** A call of a tool in words that nothing here reads. */
const WRITTEN_CALL = /^[ \t]*(?:<tool_call>|<function[=_]|\[TOOL_CALLS\]|<\|python_tag\|>|<invoke\b)/;

export type ParsedReply = {
  readonly actions: readonly Action[];
  readonly sentinel?: Sentinel;
  /** It asks for something in a form that is not read. */
  readonly misformed?: true;
};

/** A line of a reply, and what it belongs to. */
type Line = { readonly fenced: boolean; readonly text: string; readonly action: MarkerAction | undefined };
/** What a marker asks for, with all of its lines; `shell` reads those of a command. */
type MarkerAction = {
  readonly marker: string;
  readonly lines: string[];
  readonly shell: ShellLines;
  readonly patch?: PatchLines;
};

/** Reads what a whole reply asks for. The last action of a reply that the token limit cut may be half of one. */
export function readReply({ text, toolCalls, finish, truncated, wholeCommands }: Reply): ParsedReply {
  return parseReply(text, toolCalls, finish !== 'length' && truncated !== true, wholeCommands === true);
}

/**
 * Reads tool calls first, then the markers as they stand in the text.
 * @param complete false: the token limit cut the text, and its last action is not to be run
 * @param whole false: each marker takes one line, as in older journals
 */
export function parseReply(text: string, toolCalls: readonly ToolCall[], complete: boolean, whole = true): ParsedReply {
  const all = readLines(text, whole);
  const lines = (complete ? all : all.slice(0, -1)).map((line) => (whole ? withoutEmphasis(line) : line));
  const asked = [...new Set((whole ? all : lines).flatMap(({ action }) => action ?? []))];
  const last = complete || !whole ? undefined : asked.at(-1);
  const actions = [...toolCalls.map(fromToolCall), ...asked.map((each) => fromMarker(each, each === last))];
  const sentinel = findSentinel(lines);
  const misformed = whole && lines.some(({ fenced, text: line }) => isMisformed(line, fenced));
  return { actions, ...(sentinel ? { sentinel } : {}), ...(misformed ? { misformed } : {}) };
}

function isMisformed(line: string, fenced: boolean): boolean {
  return !fenced && (MISFORMED.test(line) || WRITTEN_CALL.test(line));
}

type Uselessness = 'misformed' | 'thought' | 'empty' | 'cut' | 'idle';

/** Why a reply without an action or sentinel is of no use; undefined where it is an answer. */
export function uselessness(run: Run, reply: Reply, misformed: boolean): Uselessness | undefined {
  const { text, reasoning, finish, truncated } = reply;
  if (text.trim() === '') return reasoning.trim() === '' ? 'empty' : 'thought';
  if (misformed) return 'misformed';
  if (finish === 'length' || truncated) return 'cut';
  return run.kind === 'norris' && !run.reporting && run.tasks === undefined ? 'idle' : undefined;
}

const FORM = 'call a tool, or begin a line with CMD: and the command, nothing before it';

/** What the user and the model are told of it. */
export const USELESS: Readonly<Record<Uselessness, readonly [shown: string, told: string]>> = {
  misformed: ['the answer asks for something in a form that is not read', `Nothing ran. To act, ${FORM}.`],
  thought: ['the answer was spent in thinking', 'Your answer was all thinking. Think less, and answer.'],
  empty: ['the answer was empty', 'Your answer was empty. Answer, or act.'],
  cut: ['the answer was cut at the token limit', 'Your answer was cut off here. Answer again, in fewer words.'],
  idle: [
    'the answer names no action and no GOAL: line',
    `Nothing ran. To act, ${FORM}. When the goal is reached, write GOAL: complete; if it can't be, GOAL: blocked and why.`,
  ],
};

/** The places of the lines that ask for an action or say how the goal stands, rather than being prose. */
function markerLines(text: string): ReadonlySet<number> {
  const lines = readLines(text, true);
  return new Set(lines.flatMap((line, at) => (line.action || isSentinel(withoutEmphasis(line)) ? [at] : [])));
}

/**
 * Every line with the action that it is a part of: a command goes on while its shell syntax is open. A here-document
 * goes on to its delimiter, whatever its lines look like. Anything else ends before the next marker and where the fence
 * around it ends; an open quote outside a fence also before a blank line.
 */
function readLines(text: string, whole: boolean): readonly Line[] {
  let fence: string | undefined;
  let action: MarkerAction | undefined;
  return text.split('\n').map((line) => {
    const fenced = fence !== undefined;
    const open = action?.shell.unfinished;
    const mark = FENCE.exec(line)?.[1];
    const isFence = mark !== undefined && (fence === undefined ? open === undefined : mark.startsWith(fence));
    if (action && goesOn(action, line, fence)) return { fenced, text: line, action };
    const [, marker, rest = ''] = markerOf(line, whole);
    const ends = marker !== undefined || isFence || (!fenced && endsOutside(line, open));
    if (action && open !== undefined && (open === 'here-document' || !ends)) {
      action.shell.read(line);
      action.lines.push(line);
      return { fenced, text: line, action };
    }
    if (isFence) fence = fenced ? undefined : mark;
    action = marker === undefined ? undefined : startAction(marker, rest, whole);
    return { fenced: fenced || isFence, text: line, action };
  });
}

/** In older journals `PATCH:` and `MODE:` are words. */
function markerOf(line: string, whole: boolean): readonly (string | undefined)[] {
  const found = MARKER.exec(line) ?? [];
  const [, marker, rest = ''] = found;
  if (marker === 'MODE') return whole && WISH.test(rest) ? found : [];
  return marker === 'PATCH' && !whole ? [] : found;
}

/** Whether the line belongs to the patch that the lines before it began. The end of a fence around it does not. */
function goesOn({ patch }: MarkerAction, line: string, fence: string | undefined): boolean {
  return patch !== undefined && !isClosing(line, fence) && patch.read(line);
}

function isClosing(line: string, fence: string | undefined): boolean {
  return fence !== undefined && FENCE.exec(line)?.[1]?.startsWith(fence) === true;
}

/** Whether a line ends an open command that no fence surrounds. */
function endsOutside(line: string, open: Unfinished | undefined): boolean {
  const words = line.trim();
  return GOAL.test(words) || (open === 'quote' && words === '');
}

function startAction(marker: string, rest: string, whole: boolean): MarkerAction {
  const trimmed = rest.trimEnd();
  // A blank behind a backslash is a part of the command.
  const first = trimmed.endsWith('\\') ? rest : trimmed;
  const shell = new ShellLines();
  if (whole && marker.startsWith('CMD')) shell.read(first);
  return { marker, lines: [first], shell, ...(marker === 'PATCH' ? { patch: new PatchLines() } : {}) };
}

function fromMarker({ marker, lines, shell, patch }: MarkerAction, cut: boolean): Action {
  const text = lines.join('\n');
  if (marker === 'MODE') return modeWish(text, cut);
  if (patch) {
    const whole = patch.argumentsFor(text);
    const unfinished = cut ? 'cut' : whole === undefined ? 'patch' : undefined;
    const given = whole ?? JSON.stringify({ path: text, patches: [] });
    return { kind: 'tool', name: 'patch', arguments: given, ...(unfinished && { unfinished }) };
  }
  if (marker === 'DELEGATE') return { kind: 'delegate', task: text, ...(cut && { unfinished: 'cut' }) };
  const unfinished = cut ? 'cut' : shell.unfinished;
  return { kind: 'command', command: text, job: marker === 'CMD&', ...(unfinished && { unfinished }) };
}

function modeWish(text: string, cut: boolean): Action {
  const [, mode = '', reason = ''] = WISH.exec(text) ?? [];
  const given = { reason: reason.trim() || 'the model gives no reason', mode: mode.toLowerCase() };
  const name = 'request_mode_upgrade';
  return { kind: 'tool', name, arguments: JSON.stringify(given), ...(cut && { unfinished: 'cut' }) };
}

/** `**GOAL: complete**` and the like, as models write what matters. */
function withoutEmphasis(line: Line): Line {
  const found = /^[*_`#> \t]+(GOAL:.*?)[*_`]*[ \t]*$/i.exec(line.text);
  return found?.[1] === undefined || line.fenced ? line : { ...line, text: found[1] };
}

function isSentinel({ fenced, text, action }: Line): boolean {
  return !fenced && !action && GOAL.test(text.trim());
}

/** Sentinels count outside fences only; complete beats blocked. */
function findSentinel(lines: readonly Line[]): Sentinel | undefined {
  let blocked: Sentinel | undefined;
  for (const [index, line] of lines.entries()) {
    const goal = isSentinel(line) && GOAL.exec(line.text.trim());
    if (!goal) continue;
    if (goal[1]?.toLowerCase() === 'complete') return { kind: 'complete' };
    blocked ??= { kind: 'blocked', reason: goal[2]?.trim() || lines[index + 1]?.text.trim() || 'no reason given' };
  }
  return blocked;
}

/**
 * `bash` and `delegate` with well-formed arguments are as their lines; anything else stays a tool call for its schema
 * to judge.
 */
function fromToolCall(call: ToolCall): Action {
  const action = call.name === 'bash' ? bashCommand(call) : call.name === 'delegate' ? delegation(call) : undefined;
  return action ?? { kind: 'tool', name: call.name, arguments: call.arguments, callId: call.id };
}

function delegation(call: ToolCall): DelegateAction | undefined {
  const { task, ...rest } = parseJsonObject(call.arguments) ?? {};
  if (typeof task !== 'string' || task.trim() === '' || Object.keys(rest).length > 0) return undefined;
  return { kind: 'delegate', task: task.trim(), callId: call.id };
}

function bashCommand(call: ToolCall): CommandAction | undefined {
  const args = parseJsonObject(call.arguments);
  if (!args) return undefined;
  const { command, wait_seconds: wait, label, ...rest } = args;
  if (typeof command !== 'string' || command.trim() === '' || Object.keys(rest).length > 0) return undefined;
  if (wait !== undefined && (typeof wait !== 'number' || !(wait >= 0))) return undefined;
  if (label !== undefined && typeof label !== 'string') return undefined;
  return {
    kind: 'command',
    command,
    job: false,
    callId: call.id,
    ...(wait === undefined ? {} : { waitSeconds: wait }),
    ...(label === undefined ? {} : { label }),
  };
}

const SHOWN_FENCE = /^ {0,3}(?:```|~~~)/;
/** How lines begin that may become a marker with the next token. */
const BEGINNINGS = [
  'CMD:',
  'CMD&:',
  'DELEGATE:',
  'PATCH:',
  'MODE: project',
  'MODE: unrestricted',
  'GOAL: complete',
  'GOAL: blocked',
] as const;

/**
 * A model's text without its markers (AC-1): each stands in the transcript as an action of its own, and in `:history`
 * as it was written. The prefix of a growing text gives the prefix of the result, but for its last line.
 */
export function withoutMarkers(text: string, growing = false): string {
  const lines = text.split('\n');
  const asked = markerLines(text);
  const kept: string[] = [];
  let fenced = false;
  /** A fence's first lines, until something in it is no marker: one that only asks for actions says nothing else. */
  let held: string[] = [];
  let asks = false;
  for (const [index, line] of lines.entries()) {
    const words = line.trim();
    if (asked.has(index)) asks = fenced;
    else if (SHOWN_FENCE.test(line)) {
      fenced = !fenced;
      if (fenced) held = [line];
      else if (held.length === 0) kept.push(line);
      else if (!asks) kept.push(...held, line);
      if (!fenced) held = [];
      asks = false;
    } else if (growing && index === lines.length - 1 && words !== '' && isBeginning(words)) continue;
    else if (held.length > 0 && words === '') held.push(line);
    else {
      kept.push(...held, line);
      held = [];
    }
  }
  if (!growing && !asks) kept.push(...held);
  return kept.length === lines.length ? text : kept.join('\n');
}

function isBeginning(words: string): boolean {
  return BEGINNINGS.some((marker) => marker.startsWith(words));
}

/** A patch written as text behind `PATCH: path`, for models that call no tools: as a diff or as blocks (TO-2). */

type Patch = { readonly operation: 'replace' | 'overwrite'; readonly oldText?: string; readonly newText: string };

const PATCH_FENCE = /^[ \t]*(`{3,}|~{3,})/;
const SEARCH = /^<{5,9} ?SEARCH\b/;
const MIDDLE = /^={5,9}$/;
const REPLACE = /^>{5,9} ?REPLACE\b/;

/** Reads the lines behind `PATCH:`: one fence with a unified diff or blocks in it, or blocks without a fence. */
class PatchLines {
  readonly #body: string[] = [];
  #fence: string | undefined;
  #state: 'before' | 'fence' | 'block' | 'between' | 'ended' = 'before';

  /** Whether the line belongs to the patch. Behind its end none does. */
  read(line: string): boolean {
    const mark = PATCH_FENCE.exec(line)?.[1];
    switch (this.#state) {
      case 'before':
      case 'between':
        if (SEARCH.test(line)) this.#state = 'block';
        else if (this.#state === 'before' && mark !== undefined) this.#state = 'fence';
        else if (line.trim() !== '') this.#state = this.#state === 'before' ? 'before' : 'ended';
        if (this.#state === 'fence') this.#fence = mark;
        if (this.#state === 'block') this.#body.push(line);
        return this.#state === 'block' || this.#state === 'fence' || line.trim() === '';
      case 'fence':
        if (mark !== undefined && this.#fence !== undefined && mark.startsWith(this.#fence)) this.#state = 'ended';
        else this.#body.push(line);
        return true;
      case 'block':
        this.#body.push(line);
        if (REPLACE.test(line)) this.#state = 'between';
        return true;
      case 'ended':
        return false;
    }
  }

  /** Whether its end has not come yet. */
  get open(): boolean {
    return this.#state === 'fence' || this.#state === 'block';
  }

  /** What `patch` is called with; undefined where the text is no whole patch. */
  argumentsFor(path: string): string | undefined {
    if (this.open) return undefined;
    const patches = this.#body.some((line) => line.startsWith('@@')) ? fromDiff(this.#body) : fromBlocks(this.#body);
    return patches && patches.length > 0 ? JSON.stringify({ path, patches }) : undefined;
  }
}

function fromBlocks(lines: readonly string[]): readonly Patch[] | undefined {
  const patches: Patch[] = [];
  let before: string[] | undefined;
  let after: string[] | undefined;
  for (const line of lines) {
    if (before === undefined) {
      if (SEARCH.test(line)) before = [];
      else if (line.trim() !== '') return undefined;
    } else if (after === undefined && MIDDLE.test(line)) after = [];
    else if (after && REPLACE.test(line)) {
      patches.push(patchOf(before, after));
      before = undefined;
      after = undefined;
    } else (after ?? before).push(line);
  }
  return before === undefined ? patches : undefined;
}

/** Each hunk by its lines; its numbers are not needed, and models count badly. */
function fromDiff(lines: readonly string[]): readonly Patch[] | undefined {
  const patches: Patch[] = [];
  let hunk: { before: string[]; after: string[] } | undefined;
  for (const line of lines) {
    if (line.startsWith('@@')) {
      if (hunk) patches.push(patchOf(hunk.before, hunk.after));
      hunk = { before: [], after: [] };
    } else if (hunk && !line.startsWith('\\')) {
      if (!/^(?:[ +-]|$)/.test(line)) return undefined;
      if (!line.startsWith('+')) hunk.before.push(line.slice(1));
      if (!line.startsWith('-')) hunk.after.push(line.slice(1));
    }
  }
  return hunk && [...patches, patchOf(hunk.before, hunk.after)];
}

/** With nothing to look for the text is the whole file. Lines that go leave no empty one behind. */
function patchOf(before: readonly string[], after: readonly string[]): Patch {
  if (before.length === 0) return { operation: 'overwrite', newText: after.map((line) => `${line}\n`).join('') };
  const end = after.length === 0 ? '\n' : '';
  return { operation: 'replace', oldText: before.join('\n') + end, newText: after.join('\n') };
}
