/** One screen: the program, the terminal, and the screen's own state. Made once, outside React. */
import type { App, ScreenPort } from '../../commands/app.ts';
import { askedIn } from '../../commands/attachments.ts';
import { returnText, routeOf } from '../../commands/submit.ts';
import type { Route, WordFacts } from '../../contracts/lines.ts';
import type { Engine } from '../../engine/engine.ts';
import { leavesShell } from '../../session/shell.ts';
import { giveBack, isEditorCommand, moveRows, paste, runCommand, typeText } from '../editor/commands.ts';
import { expandAbbreviation } from '../editor/history.ts';
import { rowCells } from '../editor/layout.ts';
import { type Span, type SpanKind, shellSpans } from '../editor/shell-line.ts';
import { createEditor, type EditorState, expand, isEmpty } from '../editor/state.ts';
import { type KeyResolver, type Pending, showChord } from '../keymap/resolver.ts';
import { CONTEXT_LABELS, KEY_CONTEXTS, type KeyCommand, type KeyContext } from '../keymap/table.ts';
import type { Compositor } from '../render/compositor.ts';
import { InlineCompositor } from '../render/inline.ts';
import { type Paint, paintOf, type RenderContext, type Role, THEMES, type Theme } from '../render/theme.ts';
import { type KeyStream, oneLine } from '../terminal/key-stream.ts';
import type { Schedule } from '../terminal/schedule.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { Token } from '../terminal/token.ts';
import { AttachedWatch } from './attachments.ts';
import { engineChanges, ticking } from './frames.ts';
import { ClearWatch, type DirectOutput, FullScreen } from './full-screen.ts';
import { QuestionDialog } from './halt/dialog.ts';
import type { QuestionLayout } from './halt/layout.ts';
import { Keyboard } from './keyboard.ts';
import { createWheel, LinkOpener, MouseSelection } from './mouse.ts';
import { overlayOf } from './overlay.ts';
import { promptName, shellPromptOf } from './prompt-name.ts';
import { layoutOf, PromptView } from './prompt-view.ts';
import { Room } from './rail.ts';
import { AfterFailure, Recall } from './recall.ts';
import { pickLine, pickSession } from './sessions.ts';
import { TranscriptNavigator } from './transcript-navigator.ts';
import { TranscriptView } from './transcript-view.ts';
import { createStore, initialUi, NO_PANEL, type Size, type Store, type Ui } from './ui.ts';

/** The part of the terminal that the screen uses. */
export type ScreenTerminal = Pick<Terminal, 'fence' | 'stop' | 'setMouse' | 'handOver' | 'suspend' | 'ink'>;

export type ScreenOptions = {
  readonly app: App;
  readonly terminal: ScreenTerminal;
  readonly keys: KeyResolver;
  readonly theme: Theme;
  readonly size: Size;
  readonly schedule: Schedule;
  readonly output: DirectOutput;
  /** Redraws everything. */
  readonly redraw: () => void;
  /** Paints what Ink does not; without it everything is text of Ink's. */
  readonly compositor?: Compositor | undefined;
};

const WALKS: ReadonlySet<string> = new Set(['up', 'down', 'historyOlder', 'historyNewer', 'lastArgument']);

/** Returns whether `Screen.edit` handles a command. */
export function edits(command: string): boolean {
  return isEditorCommand(command) || WALKS.has(command);
}

export class Screen {
  readonly app: App;
  readonly terminal: ScreenTerminal;
  readonly keys: KeyResolver;
  /** Stays the same function when the theme changes. */
  readonly paint: Paint = (role, text) => paintOf(this.#theme)(role, text);
  readonly ui: Store<Ui>;
  readonly prompt: PromptView;
  readonly compositor: Compositor | undefined;
  /** Leaves final entries to the terminal's own scrollback; undefined on a screen of our own. */
  readonly inline: InlineCompositor | undefined;
  readonly questionDialog: QuestionDialog;
  readonly keyboard: Keyboard;
  readonly field: FieldInput;
  readonly fullScreen: FullScreen;
  readonly room: Room;
  readonly selection: MouseSelection;
  readonly links: LinkOpener;
  readonly view: TranscriptView;
  readonly navigator: TranscriptNavigator;
  readonly notifier: Notifier;
  readonly wheel: (direction: -1 | 1) => void;
  readonly whichKey: (pending: Pending | undefined) => void;
  readonly recall: Recall;
  readonly failure: AfterFailure;
  readonly redraw: () => void;
  readonly schedule: Schedule;
  /** One timer for everything that shows a time, so that all of it is drawn in one frame a second. */
  readonly seconds = ticking(1000);
  #route: { readonly of: Pick<Ui, 'editor' | 'flip'>; readonly route: Route } | undefined;
  /** The last key asked to leave in spite of jobs. */
  leaveAsked = false;
  /** The last line was an `exit` that was held back because of jobs. */
  exitAsked = false;
  readonly #clearWatch: ClearWatch;
  readonly #attached: AttachedWatch;
  #mouse: boolean;
  #theme: Theme;
  readonly #output: DirectOutput;
  #said = 0;

  constructor({ app, terminal, keys, theme, size, schedule, output, redraw, compositor }: ScreenOptions) {
    this.compositor = compositor;
    this.inline = compositor instanceof InlineCompositor ? compositor : undefined;
    this.app = app;
    this.terminal = terminal;
    this.keys = keys;
    this.#theme = theme;
    this.redraw = redraw;
    this.schedule = schedule;
    this.#output = output;
    this.#mouse = app.ui.mouse;
    this.ui = createStore({ ...initialUi(size), railHidden: this.inline !== undefined });
    // The prompt is the first to get a change, so that a typed key is drawn at once.
    this.prompt = new PromptView({
      ui: this.ui,
      paint: this.paint,
      theme: () => this.#theme,
      name: () => shellPromptOf(app) ?? promptName(app),
      route: () => this.route,
      suggestion: () => this.recall.suggestion,
      painter: () => {
        const { editor } = this.ui.get();
        const coloured = colours(editor, this.route, app.words);
        return (row) => paintRow(editor, row, coloured, this.paint);
      },
    });
    this.room = new Room(app, this.ui, () => this.fullScreen);
    this.questionDialog = new QuestionDialog(
      app.engine,
      this.ui,
      (milliseconds) => terminal.fence(milliseconds),
      schedule,
    );
    this.field = new FieldInput(
      terminal.ink,
      schedule,
      fieldText({ ui: this.ui, questions: this.questionDialog, find: (text) => this.navigator.find(text) }),
    );
    this.fullScreen = new FullScreen({
      app,
      terminal,
      output,
      size: () => [this.ui.get().size.columns, this.ui.get().size.rows],
      onChange: (away) => {
        this.questionDialog.hold(away);
        if (!away) this.room.fitShell();
      },
    });
    this.keyboard = new Keyboard(app, this.ui, schedule);
    this.selection = new MouseSelection({
      linesOf: (key) => this.view.linesAt(key),
      now: () => app.engine.services.now(),
      onChange: () => this.view.refresh(),
    });
    this.links = new LinkOpener({
      open: (address) => app.openAddress(address),
      copy: (address, shown) => this.navigator.copyText(address, shown),
      // Shown in the status bar; a text too long for that goes into the transcript.
      say: (text) => (text.length <= this.ui.get().size.columns / 2 ? this.hint(text) : this.#say('info', text)),
    });
    this.view = new TranscriptView(
      app.engine,
      (width) => this.renderContext(width),
      () => this.keyFor('prompt', 'toggleFold'),
      this.inline !== undefined,
    );
    if (this.inline) this.inline.finished = () => this.view.takeFinished();
    const clear = (key?: string) => (this.inline ? this.clearView(key) : this.view.clear(key));
    this.#clearWatch = new ClearWatch(app, { clear, entryOf: (key) => this.view.entryOf(key) });
    const write = (sequence: string) => output.direct(Buffer.from(sequence));
    this.navigator = new TranscriptNavigator(this.view, this.ui, write, (file) => app.readOutput(file));
    this.notifier = new Notifier({
      engine: app.engine,
      enabled: app.ui.notify,
      write,
      away: () => this.fullScreen.active,
    });
    this.wheel = createWheel(schedule, (direction) => this.view.by(direction * app.ui.wheel_lines));
    this.whichKey = createWhichKey(this.ui, schedule);
    this.failure = new AfterFailure(app, (text) => this.hint(text));
    this.recall = new Recall(app, this.ui, this.failure);
    this.#attached = new AttachedWatch(this);
  }

  /** Stays the same function, so that React does not subscribe again at every render. */
  readonly onUi = (listener: () => void): (() => void) => this.ui.subscribe(listener);
  readonly onEngine = engineChanges(() => this.app.engine, this.onUi);
  readonly onView = (listener: () => void): (() => void) => {
    const ends = [this.onEngine(listener), this.view.subscribe(listener)];
    return () => {
      for (const end of ends) end();
    };
  };

  /** Follows the engine until the returned function is called. */
  connect(): () => void {
    const { engine } = this.app;
    const ends = [
      this.app.attachScreen(
        screenDesk({
          keys: this.keys,
          theme: () => this.#theme,
          setTheme: (theme) => this.setTheme(theme),
          clear: () => this.clearView(),
          copy: (text, name) => this.navigator.copyText(text, name),
          pickSession: (sessions) => pickSession(this, sessions),
          choose: (of, choices) => pickLine(this, of, choices),
          suggest: (line) => suggestLine(this, line),
          selected: () => this.navigator.copied,
          refuse: (line, why) => {
            this.giveBack(line);
            this.hint(why);
          },
        }),
      ),
      engine.subscribe(() => this.#follow()),
      this.app.words.onAnswer(() => this.prompt.refresh()),
      engine.onEvent((event) => {
        const { line } = this.failure;
        this.failure.follow(event, this.keyFor('prompt', 'askAboutFailure'));
        if (this.failure.line !== line) this.prompt.refresh();
      }),
      engine.onGiveBack((text, kind) => this.giveBack(returnText(this.app, text, kind, (line) => this.mayRun(line)))),
      () => this.questionDialog.dispose(),
      () => this.keyboard.dispose(),
      () => this.fullScreen.dispose(),
      () => this.#clearWatch.dispose(),
      () => this.#attached.dispose(),
      () => this.view.dispose(),
    ];
    this.#follow();
    this.room.fitShell();
    return () => {
      for (const end of ends) end();
    };
  }

  #follow(): void {
    this.prompt.follow();
    this.questionDialog.follow();
    this.view.follow();
    this.#clearWatch.follow();
    this.keyboard.follow();
    this.fullScreen.follow();
    this.notifier.follow();
    this.room.follow();
  }

  /** Returns the first key of a command for the user; rebinding changes it. */
  readonly keyFor = (context: KeyContext, command: KeyCommand): string => {
    const binding = this.keys.bindings(context).find((each) => each.command === command);
    return showChord(binding?.chords[0] ?? '');
  };

  /** The layout of the open question, for clicks and scrolling. */
  get questionLayout(): QuestionLayout | undefined {
    const ui = this.ui.get();
    const { columns, rows } = ui.size;
    const { main } = layoutOf(rows, this.prompt.laid.layout.rows.length, ui.question !== undefined);
    const overlay = overlayOf(this.questionDialog.head, ui, columns, main);
    return overlay.kind === 'question' ? overlay.layout : undefined;
  }

  /** Returns how entries are drawn in a number of columns. */
  renderContext(width: number): RenderContext {
    return { width, paint: this.paint, theme: this.#theme };
  }

  /** Takes a new size of the terminal and reports it to the running programs. */
  resize(size: Size): void {
    this.room.resize(size);
  }

  toggleRail(): void {
    if (this.inline || !this.room.toggleRail()) this.hint('nothing stands beside the conversation now');
  }

  /** Clears the view, or the part before an entry; scrolling back shows the lines again. */
  clearView(key?: string): void {
    this.view.clear(key);
    if (this.inline) this.inline.begin(false);
    else this.redraw();
  }

  setTheme(theme: Theme): void {
    if (theme === this.#theme) return;
    this.#theme = theme;
    this.view.repaint();
    this.prompt.refresh();
    this.redraw();
  }

  /** Adds a line of the screen's own to the transcript. */
  warn(text: string): void {
    this.#say('warning', text);
  }

  #say(level: 'info' | 'warning', text: string): void {
    this.#said += 1;
    const entry = { kind: 'notice', level, text } as const;
    this.app.engine.showLocal({ kind: 'show', key: `screen${this.#said}`, entry });
  }

  /** Runs one of the editor's commands. */
  edit(command: string): void {
    const { editor } = this.ui.get();
    const recalled = this.recall.edit(editor, command);
    if (recalled) this.setEditor(recalled);
    else if (isEditorCommand(command)) this.setEditor(runCommand(editor, command));
    else if (command === 'up' || command === 'down') this.#upOrDown(command === 'up' ? -1 : 1);
  }

  type(text: string): void {
    if (text === ' ') this.expandAbbreviation();
    this.setEditor(typeText(this.ui.get().editor, text));
  }

  /** Expands an abbreviation at the end of a command's name. */
  expandAbbreviation(): void {
    const { editor } = this.ui.get();
    const known = this.app.words.abbreviations();
    // Asked last: most often there are no abbreviations.
    if (Object.keys(known).length === 0 || this.route.kind !== 'shell') return;
    const expanded = expandAbbreviation(editor, known);
    if (expanded !== editor) this.setEditor(expanded);
  }

  paste(text: string): void {
    const { editor } = this.ui.get();
    // A file was dropped on the terminal; in a shell command it is an argument.
    const image = isEmpty(editor) || askedIn(this.route) !== undefined ? this.app.attachments.pasted(text) : undefined;
    this.setEditor(image === undefined ? paste(editor, text) : typeText(editor, `${image} `));
  }

  /** How the draft will be routed (IN-3), computed once, so that Enter does what is shown. */
  get route(): Route {
    const { editor, flip } = this.ui.get();
    const { editor: had, flip: flipped } = this.#route?.of ?? {};
    if (!this.#route || had?.text !== editor.text || had.pastes !== editor.pastes || flipped !== flip)
      this.#route = { of: { editor, flip }, route: routeOf(this.app, expand(editor), flip) };
    return this.#route.route;
  }

  /** Replaces the draft, and drops the choices made for the old line. */
  setEditor(editor: EditorState): void {
    const { panel } = this.ui.get();
    if (panel.kind === 'choices' && panel.index < 0) this.ui.update({ panel: NO_PANEL });
    this.ui.update(editor.text === '' ? { editor, flip: undefined, goalNext: false } : { editor, offers: undefined });
  }

  /** Returns waiting lines to the prompt, above the draft. */
  giveBack(text: string): void {
    if (text !== '') this.setEditor(giveBack(this.ui.get().editor, text));
  }

  /** Returns whether a line may go to the shell: one that ends the shell must not leave jobs behind. */
  mayRun(line: string): boolean {
    return !leavesShell(line) || this.mayLeave('exit');
  }

  /**
   * Returns whether no jobs are left, or the user was just warned. At `exit` the shell itself warns of its own jobs.
   */
  mayLeave(by: 'exit' | 'Ctrl-D'): boolean {
    const { app } = this;
    const jobs = app.info().jobs + (by === 'exit' ? 0 : app.shell.jobs().length);
    const fleet = app.fleet.run !== undefined;
    if ((jobs === 0 && !fleet) || (by === 'exit' && this.exitAsked)) return true;
    this.exitAsked = by === 'exit';
    const left = fleet ? 'a fleet is' : jobs === 1 ? 'a job is' : `${jobs} jobs are`;
    const then = fleet ? 'leaves; :fleet resume continues it' : 'ends your jobs and leaves';
    this.hint(`${left} still running: ${by} again ${then}`);
    return false;
  }

  #upOrDown(by: -1 | 1): void {
    const { editor } = this.ui.get();
    const { width, firstWidth } = this.prompt.laid.widths;
    const moved = moveRows(editor, by, width, firstWidth);
    if (moved) this.ui.update({ editor: moved });
    else this.edit(by < 0 ? 'historyOlder' : 'historyNewer');
  }

  hint(hint: string): void {
    this.ui.update({ hint });
  }

  /** Ctrl-Z: nothing is drawn from here until `fg`. */
  async suspend(): Promise<void> {
    this.#output.hold();
    await this.terminal.stop().finally(() => this.#output.release());
  }

  /** Lends the terminal to a child process; questions wait until it ends. */
  async lend<T>(run: () => Promise<T>): Promise<T> {
    this.questionDialog.hold(true);
    this.fullScreen.hold(true);
    this.#output.hold();
    try {
      return await this.terminal.suspend(run);
    } finally {
      this.#output.release();
      this.fullScreen.hold(false);
      this.questionDialog.hold(false);
    }
  }

  toggleMouse(): void {
    if (this.inline) return this.hint('the terminal itself has the mouse with --inline');
    this.#mouse = !this.#mouse;
    this.terminal.setMouse(this.#mouse);
    this.hint(this.#mouse ? 'mouse on' : 'mouse off: the terminal selects text itself');
  }

  /** Ends whatever the conversation is doing, or else a fleet; false when neither does anything. */
  abort(): boolean {
    const { engine, waits, fleet } = this.app;
    if (waits.stop()) return true;
    // An abort means the question on screen.
    if (engine.state.questions[0]?.kind === 'fleet') return fleet.stop();
    if (engine.conversation.phase.kind === 'idle') return fleet.stop();
    void engine.dispatch({ type: 'aborted' });
    return true;
  }

  /** Moves the keyboard to the program in the foreground, or back. */
  takeKeyboard(keyboard: Ui['keyboard']): void {
    if (keyboard === 'program' && !this.keyboard.program) this.hint('no program is running');
    else this.ui.update({ keyboard });
  }
}

// The parts of the screen that `:keys` and `:theme` need.

type Face = {
  readonly keys: KeyResolver;
  theme(): Theme;
  setTheme(theme: Theme): void;
  clear(): void;
  choose: ScreenPort['choose'];
  suggest: ScreenPort['suggest'];
  pickSession: ScreenPort['pickSession'];
  selected(): string;
  refuse(line: string, why: string): void;
  copy(text: string, name: string): string;
};

function screenDesk({ keys, theme, setTheme, ...others }: Face): ScreenPort {
  return {
    keys: () => keyList(keys).join('\n'),
    themes: Object.keys(THEMES),
    theme: () => Object.entries(THEMES).find(([, each]) => each === theme())?.[0] ?? '',
    setTheme(name) {
      if (!Object.hasOwn(THEMES, name)) return false;
      setTheme(THEMES[name as keyof typeof THEMES]);
      return true;
    },
    ...others,
  };
}

/** Puts a line into the prompt if that is empty, and returns whether it did. */
function suggestLine(screen: { readonly ui: Store<Ui>; type(line: string): void }, line: string): boolean {
  const free = isEmpty(screen.ui.get().editor);
  if (free) screen.type(line);
  return free;
}

/** Returns the list of keys, each line with the name of the command in the configuration’s `keys`. */
function keyList(keys: KeyResolver): string[] {
  return KEY_CONTEXTS.flatMap((context) => [
    `${CONTEXT_LABELS[context]}:`,
    ...keys
      .bindings(context)
      .filter((binding) => binding.context === context)
      .map(({ chords, command, label }) => {
        const shown = chords.length === 0 ? 'no key' : chords.map(showChord).join(', ');
        return `  ${shown.padEnd(26)} ${label}  (${context}.${command})`;
      }),
  ]);
}

/** Shows what may follow a begun key sequence, after a moment of hesitation (UI-5). */

/** The delay in ms before a list is shown, so that it does not flash up for quick typists. */
const HESITATION_MS = 300;

/** Returns a function that takes the pending key sequence after each key. */
function createWhichKey(ui: Store<Ui>, schedule: Schedule): (pending: Pending | undefined) => void {
  let cancel = () => {};
  return (pending) => {
    cancel();
    cancel = pending ? schedule(() => ui.update({ which: pending }), HESITATION_MS) : () => {};
    ui.update({ pending, which: undefined });
  };
}

// Keys for the text field of a dialog. Printable keys go to ink-text-input, once it listens, a moment after it is
// drawn. The editing keys are the prompt's, applied here to the field's text; the field is then redrawn with its cursor
// in place.

/** Milliseconds between two checks whether the field listens, and the longest wait. */
const POLL_MS = 5;
const MAX_POLLS = 100;

/** Reads and writes the text of the open field; undefined where none is open. */
type FieldText = { readonly read: () => string | undefined; readonly write: (text: string) => void };

/** The place where a redrawn field begins; `epoch` grows with every redraw. */
type Place = { readonly epoch: number; readonly cursor: number | undefined };

class FieldInput {
  readonly #stream: KeyStream;
  readonly #schedule: Schedule;
  readonly #text: FieldText;
  readonly #listeners = new Set<() => void>();
  #waiting: (Token | string)[] = [];
  #cancel = () => {};
  #editor: EditorState = createEditor();
  #place: Place = { epoch: 0, cursor: undefined };
  /** The epoch of the field that listens. */
  #drawn = 0;

  constructor(stream: KeyStream, schedule: Schedule, text: FieldText) {
    this.#stream = stream;
    this.#schedule = schedule;
    this.#text = text;
  }

  get place(): Place {
    return this.#place;
  }

  /** Returns the cursor's place in the field's text. */
  caret(text: string): number {
    return this.#editor.text === text ? this.#editor.cursor : text.length;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Must be called when a redrawn field listens. */
  drawn(epoch: number): void {
    this.#drawn = epoch;
    this.#look(0);
  }

  /** Takes a printable key, or a paste. */
  feed(token: Token): void {
    this.#take(token);
  }

  /** Carries out one of the editor’s commands. */
  edit(command: string): void {
    this.#take(command);
  }

  /** Drops the field and its pending input. Killed text can be yanked in the next field. */
  drop(): void {
    this.#waiting = [];
    this.#editor = { ...createEditor(), kills: this.#editor.kills };
    this.#place = { epoch: this.#place.epoch, cursor: undefined };
  }

  #take(input: Token | string): void {
    this.#waiting.push(input);
    if (this.#waiting.length === 1) this.#look(0);
  }

  #look(looks: number): void {
    while (this.#waiting.length > 0 && this.#stream.isRaw && this.#drawn === this.#place.epoch) {
      const [input] = this.#waiting;
      // A command applies to the whole text: everything typed before it must have arrived.
      if (typeof input === 'string' && this.#stream.busy) break;
      this.#waiting.shift();
      if (typeof input === 'string') this.#run(input);
      else if (input !== undefined) this.#type(input);
    }
    this.#cancel();
    if (this.#waiting.length === 0) return;
    if (looks < MAX_POLLS) this.#cancel = this.#schedule(() => this.#look(looks + 1), POLL_MS);
    else this.#waiting = [];
  }

  #type(token: Token): void {
    this.#follow();
    if (token.type === 'key' && token.text !== undefined) this.#editor = typeText(this.#editor, token.text);
    else if (token.type === 'paste') this.#editor = typeText(this.#editor, oneLine(token.text));
    this.#stream.feed(token);
  }

  #run(command: string): void {
    this.#follow();
    if (!isEditorCommand(command)) return;
    const before = this.#editor;
    this.#editor = runCommand(before, command);
    const { text, cursor } = this.#editor;
    if (text === before.text && cursor === before.cursor) return;
    if (text !== before.text) this.#text.write(text);
    this.#place = { epoch: this.#place.epoch + 1, cursor };
    for (const listener of this.#listeners) listener();
  }

  /** The field's own text is authoritative; where it differs from ours, the cursor is at its end. */
  #follow(): void {
    const text = this.#text.read() ?? '';
    if (this.#stream.busy || text === this.#editor.text) return;
    this.#editor = { ...createEditor(text), kills: this.#editor.kills };
  }
}

type Parts = {
  readonly ui: Store<Ui>;
  readonly questions: QuestionDialog;
  /** A search is repeated at every change of its text. */
  find(text: string): void;
};

/** Returns access to the text of the open field: a question's command, a goal, a search. */
function fieldText({ ui, questions, find }: Parts): FieldText {
  return {
    read() {
      const { question, panel } = ui.get();
      if (question) return question.edit;
      return panel.kind === 'goal' || panel.kind === 'find' ? panel.text : undefined;
    },
    write(text) {
      const { question, panel } = ui.get();
      if (question) questions.show({ edit: text });
      else if (panel.kind === 'goal') ui.update({ panel: { ...panel, text } });
      else if (panel.kind === 'find') find(text);
    },
  };
}

// Rings the bell and notifies when a question or a command waits for the user, or when a long run has ended.

/** The end of a shorter run or command is not reported. In ms. */
const MIN_RUN_MS = 10_000;

type NotifierOptions = {
  readonly engine: Engine;
  /** Whether `ui.notify` is on. */
  readonly enabled: boolean;
  /** Writes to the terminal without the compositor. */
  readonly write: (sequence: string) => void;
  /** Returns whether a full-screen program draws: nothing may be written between its sequences. */
  readonly away: () => boolean;
};

class Notifier {
  readonly #options: NotifierOptions;
  #question: string | undefined;
  #asking = false;
  #since: number | undefined;
  #command: { readonly op: string; readonly since: number } | undefined;
  /** The terminal's last focus report; some terminals send none. */
  #focused = false;

  constructor(options: NotifierOptions) {
    this.#options = options;
    // A question that is open after a resume needs no notification: the user has just started the program.
    this.#question = options.engine.state.questions[0]?.id;
  }

  focus(focused: boolean): void {
    this.#focused = focused;
  }

  /** Must be called after each change of the engine. */
  follow(): void {
    const { engine } = this.#options;
    const now = engine.services.now();
    const question = engine.state.questions[0]?.id;
    if (question !== this.#question && question !== undefined) this.#ring('aish-tui: a question is waiting for you');
    this.#question = question;
    const asking = asksOf(engine);
    if (asking && !this.#asking) this.#ring('aish-tui: a command is waiting for your input');
    this.#asking = asking;
    this.#followCommand(engine, now);
    const busy = engine.conversation.phase.kind !== 'idle';
    if (busy) this.#since ??= now;
    else if (this.#since !== undefined) {
      if (now - this.#since > MIN_RUN_MS) this.#ring('aish-tui: the run has ended');
      this.#since = undefined;
    }
  }

  /** The user's own command took long: they may look elsewhere by now. */
  #followCommand(engine: Engine, now: number): void {
    const op = engine.state.shell.running?.op;
    if (op === this.#command?.op) return;
    if (this.#command && now - this.#command.since > MIN_RUN_MS) this.#ring('aish-tui: your command has ended');
    this.#command = op === undefined ? undefined : { op, since: now };
  }

  /**
   * Sends BEL for every terminal, and OSC 9 (iTerm2, kitty, WezTerm, Windows Terminal), which others ignore. The text
   * is always ours.
   */
  #ring(words: string): void {
    const { enabled, write, away } = this.#options;
    if (enabled && !this.#focused && !away()) write(`\x07\x1b]9;${words}\x07`);
  }
}

/** Returns whether a command of the model's waits for input, which only the user can give (EX-4). */
function asksOf({ live, state }: Engine): boolean {
  return [...live.commands].some(([op, running]) => op !== state.shell.running?.op && running.asks);
}

// Colours the draft by what its words are (IN-8).

type Coloured = { readonly start: number; readonly end: number; readonly role: Role };
type Row = { readonly text: string; readonly start: number; readonly end: number };

const ROLES: Readonly<Record<Exclude<SpanKind, 'command' | 'word'>, Role>> = {
  keyword: 'keyword',
  flag: 'number',
  string: 'string',
  variable: 'link',
  operator: 'marker',
  comment: 'comment',
};
const COMMANDS = { known: 'success', alias: 'code', unknown: 'error' } as const;

/** Returns the coloured ranges of a line; a question and a line with folded pastes have none. */
export function colours(state: EditorState, route: Route | undefined, words: WordFacts): readonly Coloured[] {
  if (route?.kind !== 'shell' || expand(state) !== state.text) return [];
  const from = Math.max(0, state.text.indexOf(route.text));
  return shellSpans(state.text.slice(from)).flatMap((span) => {
    const role = roleOf(span, state.text.slice(from + span.start, from + span.end), words);
    return role === undefined ? [] : [{ start: from + span.start, end: from + span.end, role }];
  });
}

function roleOf({ kind }: Span, text: string, words: WordFacts): Role | undefined {
  if (kind === 'command') return COMMANDS[words.kindOf(text)];
  if (kind === 'word') return words.isPath(text) ? 'path' : undefined;
  return ROLES[kind];
}

/** Returns a row of the prompt in these colours. */
export function paintRow(state: EditorState, row: Row, coloured: readonly Coloured[], paint: Paint): string {
  if (coloured.length === 0) return row.text;
  let done = '';
  let run = '';
  let role: Role | undefined;
  let next = 0;
  const flush = () => {
    done += role === undefined ? run : paint(role, run);
    run = '';
  };
  for (const { offset, text } of rowCells(state, row)) {
    while (next < coloured.length && (coloured[next]?.end ?? 0) <= offset) next += 1;
    const span = coloured[next];
    const now = span && span.start <= offset ? span.role : undefined;
    if (now !== role) flush();
    role = now;
    run += text;
  }
  flush();
  return done;
}
