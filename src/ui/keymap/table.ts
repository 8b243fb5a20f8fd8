/**
 * The key table: which keys run which command in which context. Help, palette and documentation are generated from it
 * (UI-5), and `keys` of the configuration changes it. A binding is `[command, keys, description]`; blanks separate the
 * keys of a sequence, alternatives are items of the list, and help shows the first one.
 */

/**
 * The contexts in which keys are read. Bindings of `global` apply in every context except `program`, after those of the
 * context.
 */
export const KEY_CONTEXTS = ['global', 'prompt', 'menu', 'field', 'transcript', 'halt', 'dialog', 'program'] as const;
export type KeyContext = (typeof KEY_CONTEXTS)[number];

/** The names of the contexts in `:help`. */
export const CONTEXT_LABELS: Readonly<Record<KeyContext, string>> = {
  global: 'Everywhere',
  prompt: 'In the prompt',
  menu: 'In a list of choices (completion, history search)',
  field: 'In a field of a dialog',
  transcript: 'While scrolling',
  halt: 'At a HALT',
  dialog: 'In a dialog',
  program: 'While a program has the keyboard',
};

type Row = readonly [command: string, keys: readonly string[], label: string];

const GLOBAL = [
  ['abort', ['ctrl-x ctrl-c'], 'abort the run, wherever you are'],
  ['help', ['f1', 'ctrl-x h'], 'list the keys and commands'],
  ['palette', ['f2', 'ctrl-x ctrl-p'], 'everything there is, found by a few letters'],
  ['redraw', ['ctrl-l'], 'redraw the screen'],
  ['suspend', ['ctrl-z'], 'suspend the program; fg brings it back'],
  ['tightenMode', ['alt-m'], 'switch to Restricted mode'],
  ['toggleMouse', ['ctrl-x m'], 'mouse on or off (off: the terminal selects text)'],
  ['quit', ['ctrl-x ctrl-q'], 'leave'],
  ['scrollPageUp', ['pageup'], 'scroll the transcript up a page'],
  ['scrollPageDown', ['pagedown'], 'scroll the transcript down a page'],
  ['scrollLineUp', ['shift-up', 'ctrl-up'], 'scroll the transcript up a line'],
  ['scrollLineDown', ['shift-down', 'ctrl-down'], 'scroll the transcript down a line'],
  ['scrollHome', ['ctrl-home'], 'go to the beginning of the transcript'],
  ['scrollEnd', ['ctrl-end'], 'go to the end of the transcript'],
] as const satisfies readonly Row[];

/** Bindings that the prompt and the fields of dialogs share. */
const EDITING = [
  ['left', ['left', 'ctrl-b'], 'character left'],
  ['right', ['right', 'ctrl-f'], 'character right'],
  ['wordLeft', ['alt-b', 'ctrl-left', 'alt-left'], 'word left'],
  ['wordRight', ['alt-f', 'ctrl-right', 'alt-right'], 'word right'],
  ['lineStart', ['ctrl-a', 'home'], 'start of the line'],
  ['lineEnd', ['ctrl-e', 'end'], 'end of the line'],
  ['deleteBack', ['backspace', 'ctrl-h', 'shift-backspace'], 'delete backward'],
  ['killLineEnd', ['ctrl-k'], 'kill to the end of the line'],
  ['killLineStart', ['ctrl-u'], 'kill to the start of the line'],
  ['killWordBack', ['alt-backspace', 'ctrl-backspace'], 'kill the word before'],
  ['killWordForward', ['alt-d', 'ctrl-delete', 'alt-delete'], 'kill the word after'],
  ['killBlankWordBack', ['ctrl-w'], 'kill back to a blank, or the region'],
  ['yank', ['ctrl-y'], 'yank what was killed last'],
  ['yankPop', ['alt-y'], 'yank what was killed before that'],
  ['undo', ['ctrl-_', 'ctrl-/', 'ctrl-x u', 'ctrl-x ctrl-u'], 'undo'],
  ['redo', ['alt-_', 'alt-/', 'ctrl-x r'], 'redo'],
  ['transpose', ['ctrl-t'], 'swap two characters'],
  ['capitalizeWord', ['alt-c'], 'capitalise the word'],
  ['upcaseWord', ['alt-u'], 'upper-case the word'],
  ['downcaseWord', ['alt-l'], 'lower-case the word'],
] as const satisfies readonly Row[];

const PROMPT = [
  ['submit', ['enter'], 'send the line'],
  ['newline', ['alt-enter', 'shift-enter', 'ctrl-j', 'burst-enter'], 'new line'],
  ['flipVerdict', ['alt-s', 'shift-tab'], 'flip how the line is taken (shell or question)'],
  ['complete', ['tab'], 'complete'],
  ['toggleRail', ['ctrl-x a'], 'hide or show what runs beside the conversation'],
  ['norris', ['ctrl-n'], 'Norris: make the line the goal; while it runs, end it'],
  ['interrupt', ['ctrl-c'], 'interrupt, or clear the line'],
  ['takeBack', ['escape'], 'stop the answer, or take back the queued line'],
  ['deleteForwardOrLeave', ['ctrl-d'], 'delete forward; on an empty line, leave'],
  ['searchHistory', ['ctrl-r'], 'search the history'],
  ['externalEditor', ['ctrl-x ctrl-e'], 'edit the line in $EDITOR'],
  ['focusProgram', ['ctrl-]'], 'give the keyboard to the running program'],
  ['background', ['ctrl-x ctrl-z'], 'send the running command to the background'],
  ['focusTranscript', ['alt-t', 'ctrl-x ctrl-t'], 'scroll, search and copy in the transcript'],
  ['norrisPlan', ['ctrl-x n'], 'look at the plan before the first step; go on behind the last'],
  ['toggleFold', ['ctrl-o'], 'unfold or fold the last long output'],
  ['clearView', ['ctrl-l'], 'clear the view; what was there stands above it'],
  ['focusCommand', ['alt-up'], 'go to the last command in the transcript'],
  ['up', ['up'], 'line up, or older history'],
  ['down', ['down'], 'line down, or newer history'],
  ['historyOlder', ['ctrl-p', 'alt-p'], 'older history'],
  ['historyNewer', ['alt-n'], 'newer history'],
  ['lastArgument', ['alt-.'], 'insert the last word of the previous line; again: of the line before that'],
  ['askAboutFailure', ['alt-a'], 'ask the model about the command that failed'],
  ['textStart', ['alt-<'], 'start of the text'],
  ['textEnd', ['alt->'], 'end of the text'],
  ['deleteForward', ['delete'], 'delete forward'],
  ['setMark', ['ctrl-space'], 'begin a region'],
  ['copyRegion', ['alt-w'], 'copy the region'],
  ['cancel', ['ctrl-g'], 'drop the region or the message'],
  ...EDITING,
] as const satisfies readonly Row[];

const MENU = [
  ['next', ['down', 'tab', 'ctrl-n'], 'next choice'],
  ['previous', ['up', 'shift-tab', 'ctrl-p', 'ctrl-r'], 'previous choice; in a search, older'],
  ['pageNext', ['pagedown'], 'next page'],
  ['pagePrevious', ['pageup'], 'previous page'],
  ['choose', ['enter'], 'accept it'],
  ['edit', ['right', 'ctrl-e'], 'put it in the prompt, without sending'],
  ['deleteBack', ['backspace', 'ctrl-h'], 'delete backward'],
  ['clear', ['ctrl-u'], 'clear what was typed'],
  ['cancel', ['escape', 'ctrl-g', 'ctrl-c'], 'close'],
] as const satisfies readonly Row[];

const FIELD = [
  ['next', ['tab'], 'next field of a form'],
  ['previous', ['shift-tab'], 'previous field'],
  ['cancel', ['escape', 'ctrl-g', 'ctrl-c'], 'close'],
  ['deleteForward', ['delete', 'ctrl-d'], 'delete forward'],
  ...EDITING,
] as const satisfies readonly Row[];

const TRANSCRIPT = [
  ['leaveTranscript', ['escape', 'q', 'i', 'ctrl-g', 'ctrl-c'], 'back to the prompt'],
  ['scrollLineUp', ['k', 'up', 'shift-up'], 'line up'],
  ['scrollLineDown', ['j', 'down', 'enter', 'shift-down'], 'line down'],
  ['scrollHalfUp', ['u', 'ctrl-u'], 'half a page up'],
  ['scrollHalfDown', ['d', 'ctrl-d'], 'half a page down'],
  ['scrollPageUp', ['pageup', 'b', 'ctrl-b'], 'page up'],
  ['scrollPageDown', ['pagedown', 'space', 'ctrl-f'], 'page down'],
  ['scrollHome', ['g', 'home', '<'], 'beginning'],
  ['scrollEnd', ['G', 'end', '>'], 'go to the end and follow new output'],
  ['entryPrevious', ['K', '{', 'shift-tab'], 'previous entry'],
  ['entryNext', ['J', '}', 'tab'], 'next entry'],
  ['toggleFold', ['o', 'ctrl-o'], 'unfold or fold the entry'],
  ['copyEntry', ['c'], 'copy the entry'],
  ['copyCode', ['y'], 'copy the next code block of an answer, or an entry without code'],
  ['copyCommand', ['C'], 'copy the command alone'],
  ['copyOutput', ['Y'], 'copy its output alone'],
  ['commandPrevious', ['[', 'alt-up'], 'previous command'],
  ['commandNext', [']', 'alt-down'], 'next command'],
  ['rerun', ['r'], 'run your command again'],
  ['rewind', ['R'], 'go back to the question (:rewind)'],
  ['editCommand', ['e'], 'put the command in the prompt'],
  ['filterOutput', ['&'], 'show only the lines of the output that match'],
  ['saveOutput', ['s'], 'save the output in a file of your directory'],
  ['bookmark', ['m'], 'mark the entry, or unmark it'],
  ['bookmarkNext', ["'"], 'next marked entry'],
  ['search', ['/'], 'search'],
  ['searchNext', ['n'], 'next match'],
  ['searchPrevious', ['N'], 'previous match'],
] as const satisfies readonly Row[];

const HALT = [
  ['proceed', ['p'], 'run it'],
  ['always', ['P'], 'run it, and don’t ask again this session for its kind (a program and subcommand, a tool)'],
  ['tryIt', ['t'], 'try it where nothing of it stays, and see what it would change'],
  ['applyTrial', ['T'], 'after a trial: do exactly what it has shown'],
  ['showDiff', ['d'], 'after a trial: the whole diff, or the list'],
  ['skip', ['s'], 'don’t run it, tell the model'],
  ['skipWithNote', ['n'], 'don’t run it, with a note to the model; of a mode or more spending: no'],
  ['abortRun', ['a', 'ctrl-c', 'ctrl-n'], 'don’t run it, end the run'],
  ['editAction', ['e'], 'edit it; it is judged again'],
  ['toggleWhole', ['ctrl-o'], 'the whole of a long command, or excerpts'],
  ['toProject', ['y'], 'Project mode instead; of more spending: yes'],
  ['upgrade', ['u'], 'Unrestricted mode instead'],
  ['help', ['?', 'f1'], 'what each key does here'],
  ['cancel', ['escape', 'ctrl-g'], 'close the help or the diff'],
  ['next', ['tab', 'right'], 'next button'],
  ['previous', ['shift-tab', 'left'], 'previous button'],
  ['choose', ['enter'], 'press the button'],
  ['scrollLineUp', ['up', 'k'], 'scroll the action up'],
  ['scrollLineDown', ['down', 'j'], 'scroll the action down'],
  ['scrollPageUp', ['pageup'], 'scroll the action up a page'],
  ['scrollPageDown', ['pagedown', 'space'], 'scroll the action down a page'],
  ['scrollHome', ['home', 'g'], 'beginning of the action'],
  ['scrollEnd', ['end', 'G'], 'end of the action'],
] as const satisfies readonly Row[];

const DIALOG = [
  ['approve', ['y'], 'yes'],
  ['deny', ['n', 'escape', 'ctrl-g', 'ctrl-c'], 'no, or close'],
  ['next', ['tab', 'right'], 'next button'],
  ['previous', ['shift-tab', 'left'], 'previous button'],
  ['choose', ['enter'], 'press the button'],
  ['scrollLineUp', ['up', 'k'], 'line up'],
  ['scrollLineDown', ['down', 'j'], 'line down'],
  ['scrollPageUp', ['pageup', 'b'], 'page up'],
  ['scrollPageDown', ['pagedown', 'space'], 'page down'],
  ['scrollHome', ['home', 'g'], 'beginning'],
  ['scrollEnd', ['end', 'G'], 'end'],
] as const satisfies readonly Row[];

const PROGRAM = [
  ['focusPrompt', ['ctrl-]'], 'back to the prompt; the program keeps running'],
  ['background', ['ctrl-x ctrl-z'], 'send it to the background'],
  ['abort', ['ctrl-x ctrl-c'], 'abort the run'],
] as const satisfies readonly Row[];

const ROWS = {
  global: GLOBAL,
  prompt: PROMPT,
  menu: MENU,
  field: FIELD,
  transcript: TRANSCRIPT,
  halt: HALT,
  dialog: DIALOG,
  program: PROGRAM,
};

/** Every command that a key can run. */
export type KeyCommand = (typeof ROWS)[KeyContext][number][0];

export type Binding = {
  readonly context: KeyContext;
  readonly command: KeyCommand;
  /** Canonical chords; one blank separates the keys of a sequence. Empty when the user unbound the command. */
  readonly chords: readonly string[];
  readonly label: string;
};

/** The table as shipped. */
export const KEY_TABLE: readonly Binding[] = KEY_CONTEXTS.flatMap((context) =>
  ROWS[context].map(([command, keys, label]): Binding => ({ context, command, chords: keys.map(canonical), label })),
);

/** The table has `G` for people to read; the resolver compares canonical names. */
function canonical(chord: string): string {
  return chord.length === 1 && chord !== chord.toLowerCase() ? `shift-${chord.toLowerCase()}` : chord;
}
