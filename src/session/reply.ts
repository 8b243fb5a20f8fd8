/** Parses a model's reply into actions and a sentinel (AC-1), and extracts its text for people. */
import { parseJsonObject } from '../text/json.ts';
import { ShellLines, type Unfinished } from '../text/shell.ts';
import type { Action, CommandAction, DelegateAction } from './action.ts';
import type { Reply, ToolCall } from './message.ts';
import type { Sentinel } from './phase.ts';
import type { Run } from './run.ts';

const MARKER = /^[ \t]*(CMD|CMD&|DELEGATE|PATCH|MODE):[ \t]*(\S.*)$/;
/** The mode in a `MODE:` line; any other word makes the line prose. */
const WISH = /^(project|unrestricted)\b[\s:.,–—-]*(.*)$/i;
const FENCE = /^[ \t]*(`{3,}|~{3,})/;
const GOAL = /^GOAL:[ \t]*(complete|blocked)\b[ \t.:;,–—-]*(.*)$/i;

/** A marker that does not start its line: inside a list, a quotation or bold text. */
const MISFORMED = /^[ \t]*(?:(?:[-+*>]|\d+[.)])[ \t]+|[*_`]{1,3})+(?:CMD&?|DELEGATE|PATCH):/;
/** A tool call written as text in a form that this parser does not support. */
const WRITTEN_CALL = /^[ \t]*(?:<tool_call>|<function[=_]|\[TOOL_CALLS\]|<\|python_tag\|>|<invoke\b)/;

export type ParsedReply = {
  readonly actions: readonly Action[];
  readonly sentinel?: Sentinel;
  /** The reply asks for an action in an unsupported form. */
  readonly misformed?: true;
};

/** A line of a reply, with its action if it belongs to one. */
type Line = { readonly fenced: boolean; readonly text: string; readonly action: MarkerAction | undefined };
/** An action that a marker starts, with all its lines; `shell` tracks a command's open syntax. */
type MarkerAction = {
  readonly marker: string;
  readonly lines: string[];
  readonly shell: ShellLines;
  readonly patch?: PatchLines;
};

/** Parses a complete reply. If the token limit cut it, its last action may be incomplete. */
export function readReply({ text, toolCalls, finish, truncated, wholeCommands }: Reply): ParsedReply {
  return parseReply(text, toolCalls, finish !== 'length' && truncated !== true, wholeCommands === true);
}

/**
 * Parses tool calls first, then the markers in order.
 * @param complete false: the token limit cut the text, so its last action is marked and never run
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

/** Returns why a reply without action or sentinel is useless; undefined if it is an answer. */
export function uselessness(run: Run, reply: Reply, misformed: boolean): Uselessness | undefined {
  const { text, reasoning, finish, truncated } = reply;
  if (text.trim() === '') return reasoning.trim() === '' ? 'empty' : 'thought';
  if (misformed) return 'misformed';
  if (finish === 'length' || truncated) return 'cut';
  return run.kind === 'norris' && !run.reporting && run.tasks === undefined ? 'idle' : undefined;
}

const FORM = 'call a tool, or begin a line with CMD: and the command, nothing before it';

/** The messages about it, to the user and to the model. */
export const USELESS: Readonly<Record<Uselessness, readonly [shown: string, told: string]>> = {
  misformed: ['the model asked for an action in a form that aish-tui can’t read', `Nothing ran. To act, ${FORM}.`],
  thought: ['the answer was spent in thinking', 'Your answer was all thinking. Think less, and answer.'],
  empty: ['the answer was empty', 'Your answer was empty. Answer, or act.'],
  cut: ['the answer was cut at the token limit', 'Your answer was cut off here. Answer again, in fewer words.'],
  idle: [
    'the answer names no action and no GOAL: line',
    `Nothing ran. To act, ${FORM}. When the goal is reached, write GOAL: complete; if it can't be, GOAL: blocked and why.`,
  ],
};

/** Returns the indexes of lines that are markers or belong to one, rather than prose. */
function markerLines(text: string): ReadonlySet<number> {
  const lines = readLines(text, true);
  return new Set(lines.flatMap((line, at) => (line.action || isSentinel(withoutEmphasis(line)) ? [at] : [])));
}

/**
 * Assigns each line to its action. A command continues while its shell syntax is open; a here-document continues to
 * its delimiter, whatever its lines contain. Anything else ends before the next marker and at the end of its fence.
 * Outside a fence, an open quote also ends at a blank line.
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

/** In older journals `PATCH:` and `MODE:` are prose. */
function markerOf(line: string, whole: boolean): readonly (string | undefined)[] {
  const found = MARKER.exec(line) ?? [];
  const [, marker, rest = ''] = found;
  if (marker === 'MODE') return whole && WISH.test(rest) ? found : [];
  return marker === 'PATCH' && !whole ? [] : found;
}

/** Returns whether the line continues the patch. The closing line of a surrounding fence does not. */
function goesOn({ patch }: MarkerAction, line: string, fence: string | undefined): boolean {
  return patch !== undefined && !isClosing(line, fence) && patch.read(line);
}

function isClosing(line: string, fence: string | undefined): boolean {
  return fence !== undefined && FENCE.exec(line)?.[1]?.startsWith(fence) === true;
}

/** Returns whether a line ends an open command outside a fence. */
function endsOutside(line: string, open: Unfinished | undefined): boolean {
  const words = line.trim();
  return GOAL.test(words) || (open === 'quote' && words === '');
}

function startAction(marker: string, rest: string, whole: boolean): MarkerAction {
  const trimmed = rest.trimEnd();
  // A blank after a backslash is part of the command.
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

/** Removes emphasis as in `**GOAL: complete**`, which models often write. */
function withoutEmphasis(line: Line): Line {
  const found = /^[*_`#> \t]+(GOAL:.*?)[*_`]*[ \t]*$/i.exec(line.text);
  return found?.[1] === undefined || line.fenced ? line : { ...line, text: found[1] };
}

function isSentinel({ fenced, text, action }: Line): boolean {
  return !fenced && !action && GOAL.test(text.trim());
}

/** Finds the sentinel. Only lines outside fences count; complete beats blocked. */
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
 * Converts well-formed `bash` and `delegate` calls to the actions of the line markers. Other calls stay tool calls,
 * checked against their schema.
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
/** Beginnings of lines that the next token may turn into a marker. */
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
 * Returns a model's text without its markers (AC-1), which the transcript shows as actions. For a growing text, each
 * result is a prefix of the next, except for its last line.
 */
export function withoutMarkers(text: string, growing = false): string {
  const lines = text.split('\n');
  const asked = markerLines(text);
  const kept: string[] = [];
  let fenced = false;
  /** Hold back a fence's first lines until one is not a marker: a fence with only markers is dropped. */
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

/** A patch as text after `PATCH: path`, for models without tool calls: a diff or search/replace blocks (TO-2). */

type Patch = { readonly operation: 'replace' | 'overwrite'; readonly oldText?: string; readonly newText: string };

const PATCH_FENCE = /^[ \t]*(`{3,}|~{3,})/;
const SEARCH = /^<{5,9} ?SEARCH\b/;
const MIDDLE = /^={5,9}$/;
const REPLACE = /^>{5,9} ?REPLACE\b/;

/** Parses the lines after `PATCH:`: one fence with a unified diff or blocks, or blocks without a fence. */
class PatchLines {
  readonly #body: string[] = [];
  #fence: string | undefined;
  #state: 'before' | 'fence' | 'block' | 'between' | 'ended' = 'before';

  /** Returns whether the line belongs to the patch. After its end no line does. */
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

  /** Whether the patch's end is still missing. */
  get open(): boolean {
    return this.#state === 'fence' || this.#state === 'block';
  }

  /** Returns the arguments for `patch`; undefined if the patch is incomplete. */
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

/** Reads hunks by their lines. The line numbers are ignored, because models count badly. */
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

/** Without lines to find, the text is the whole file. A deletion leaves no empty line. */
function patchOf(before: readonly string[], after: readonly string[]): Patch {
  if (before.length === 0) return { operation: 'overwrite', newText: after.map((line) => `${line}\n`).join('') };
  const end = after.length === 0 ? '\n' : '';
  return { operation: 'replace', oldText: before.join('\n') + end, newText: after.join('\n') };
}
