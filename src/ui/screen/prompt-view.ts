/** The prompt as lines: its name, the draft, how the line will be routed, and the cursor. */
import type { Route } from '../../contracts/lines.ts';
import { displayText, textWidth } from '../../text/display.ts';
import { stripStyles } from '../../text/style.ts';
import { lineWidth } from '../../text/wrap.ts';
import { type EditorLayout, layoutEditor } from '../editor/layout.ts';
import { expand, isEmpty } from '../editor/state.ts';
import { cut } from '../render/segments.ts';
import { onGround, type Paint, type Role, type Theme } from '../render/theme.ts';
import type { Cell } from '../render/writer.ts';
import type { Store, Ui } from './ui.ts';

/** How the line will be routed (IN-3): with the key that changes it, and short for narrow screens. */
type Verdict = { readonly long: string; readonly short: string; readonly role: Role };

const NAMES = { shell: 'shell', ai: 'ask', meta: 'command' } as const;
const ROLES = { shell: 'success', ai: 'accent', meta: 'marker' } as const;

export type PromptViewOptions = {
  readonly ui: Store<Ui>;
  readonly paint: Paint;
  readonly theme: () => Theme;
  readonly name: () => string;
  /** Returns how the line will be routed; undefined if that is not known yet. */
  readonly route: () => Route | undefined;
  /** Returns the suggested rest of the line; empty for none. */
  readonly suggestion?: () => string;
  /** Returns a function that colours rows of the text. */
  readonly painter?: () => (row: EditorLayout['rows'][number]) => string;
};

type Laid = { readonly layout: EditorLayout; readonly widths: PromptWidths };

/** Follows the screen's state without React: a typed key is drawn on the terminal before any other work for it. */
export class PromptView {
  readonly #options: PromptViewOptions;
  readonly #listeners = new Set<() => void>();
  #seen: Ui;
  #name: string;
  #laid: (Laid & { readonly of: Pick<Ui, 'editor' | 'size'>; readonly name: string }) | undefined;
  #made: readonly string[] | undefined;
  /** Grows when the prompt may look different. */
  version = 0;

  constructor(options: PromptViewOptions) {
    this.#options = options;
    this.#seen = options.ui.get();
    this.#name = options.name();
    options.ui.subscribe(() => this.#look());
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Must be called after each change of the engine. */
  follow(): void {
    const name = this.#options.name();
    if (name === this.#name) return;
    this.#name = name;
    this.refresh();
  }

  /** Must be called when colours have changed. */
  refresh(): void {
    this.version += 1;
    this.#made = undefined;
    for (const listener of [...this.#listeners]) listener();
  }

  #look(): void {
    const was = this.#seen;
    const ui = this.#options.ui.get();
    this.#seen = ui;
    const same =
      ui.editor === was.editor &&
      ui.size === was.size &&
      ui.flip === was.flip &&
      ui.goalNext === was.goalNext &&
      ui.asked === was.asked &&
      ui.vi?.mode === was.vi?.mode;
    if (!same || isAwake(ui) !== isAwake(was)) this.refresh();
  }

  /** The draft as rows on the screen. */
  get laid(): Laid {
    const { editor, size } = this.#options.ui.get();
    const had = this.#laid;
    if (had && had.of.editor === editor && had.of.size === size && had.name === this.#name) return had;
    const widths = promptWidths(this.#name, size.columns);
    const layout = layoutEditor(editor, widths.width, widths.firstWidth);
    this.#laid = { layout, widths, of: { editor, size }, name: this.#name };
    return this.#laid;
  }

  /** The rows of the prompt; a longer text scrolls with the cursor. */
  get rows(): number {
    return layoutOf(this.#options.ui.get().size.rows, this.laid.layout.rows.length).prompt;
  }

  readonly lines = (): readonly string[] => {
    this.#made ??= this.#make();
    return this.#made;
  };

  /** The cursor's cell; undefined while keys go elsewhere. */
  readonly cursor = (): Cell | undefined => {
    if (!isAwake(this.#options.ui.get())) return undefined;
    const { layout, widths } = this.laid;
    const x = layout.cursorColumn + (layout.cursorRow === 0 ? widths.width - widths.firstWidth : 0);
    return { x: Math.min(x, widths.width - 1), y: layout.cursorRow - this.#first() };
  };

  /** The first row that is shown. */
  #first(): number {
    const { layout } = this.laid;
    const { rows } = this;
    return Math.max(0, Math.min(layout.cursorRow - rows + 1, layout.rows.length - rows));
  }

  #make(): readonly string[] {
    const { paint, theme, ui } = this.#options;
    const { layout, widths } = this.laid;
    const awake = isAwake(ui.get());
    const first = this.#first();
    const verdict = this.#verdict();
    const [, host = '', before = '', sign = ''] = /^(@\S+ )?(.*?)(> )?$/.exec(widths.name) ?? [];
    // vi's mode is shown as bash and zsh show it where they are configured to.
    const shown = sign !== '' && ui.get().vi?.mode === 'normal' ? ': ' : sign;
    const drawn = widths.name.includes('\x1b') ? widths.name : undefined;
    const name = awake
      ? (drawn ?? paint('host', host) + paint('user', before) + paint(verdict?.role ?? 'user', shown))
      : paint('dim', stripStyles(widths.name));
    const { painter = () => (row) => row.text, suggestion = () => '' } = this.#options;
    const painted = painter();
    const rest = awake ? displayText(suggestion()) : '';
    const line = (row: EditorLayout['rows'][number], index: number) => {
      const text = awake ? painted(row) : paint('dim', row.text);
      const at = first + index;
      const room = (at ? widths.width : widths.firstWidth) - textWidth(row.text);
      const last = at === layout.rows.length - 1;
      // The cursor is on the first character of the suggestion, and needs a cell after the text.
      const ahead = last ? cut(rest, room - 1, '') : '';
      if (at) return text + paint('dim', ahead);
      const left = room - textWidth(ahead);
      const label = [verdict?.long, verdict?.short].find((each) => each && textWidth(each) + 3 <= left);
      const typed = name + text + paint('dim', ahead);
      return label ? typed + ' '.repeat(left - textWidth(label) - 1) + paint(verdict?.role ?? 'dim', label) : typed;
    };
    const rows = layout.rows.slice(first, first + this.rows);
    return rows.map((row, index) => onGround(line(row, index), theme().raise, widths.width));
  }

  #verdict(): Verdict | undefined {
    const { editor, goalNext, flip, asked, question } = this.#options.ui.get();
    if (isEmpty(editor)) return undefined;
    if (question) return { long: 'your draft, kept for afterwards', short: 'kept', role: 'dim' };
    if (goalNext) return { long: '⚡ goal · Enter starts it, Esc cancels', short: '⚡ goal', role: 'accent' };
    const route = this.#options.route();
    if (!route) return undefined;
    const { kind, forced } = route;
    const short = NAMES[kind];
    if (kind === 'meta' && expand(editor).trim() === ':')
      return { long: 'command · Tab: all of them', short, role: ROLES.meta };
    if (kind === 'meta' || forced) return { long: short, short, role: ROLES[kind] };
    if (route.unsure !== undefined && flip === undefined) return unsureVerdict(kind, asked === expand(editor));
    return { long: `${short} · Alt-S: ${kind === 'shell' ? 'ask' : 'shell'}`, short, role: ROLES[kind] };
  }
}

/** The verdict for a line that could be either: Enter asks once, and a second Enter takes the line as shown. */
function unsureVerdict(kind: 'shell' | 'ai', asked: boolean): Verdict {
  const short = `${NAMES[kind]}?`;
  const [same, other] = kind === 'shell' ? ['run it', 'ask'] : ['ask', 'run it'];
  const long = asked
    ? `Enter: ${same} · Alt-S Enter: ${other}`
    : `${short} · Alt-S: ${kind === 'shell' ? 'ask' : 'shell'}`;
  return { long, short, role: 'text' };
}

/** Returns whether keys go to the prompt. A list of choices belongs to the draft. */
function isAwake({ keyboard, question, panel }: Ui): boolean {
  return keyboard === 'prompt' && !question && (panel.kind === 'none' || panel.kind === 'choices');
}

// Divides the terminal's rows. The parts add up to them exactly: Ink's root must never exceed them.

type Layout = {
  /** Rows above the prompt: transcript, streams and an open dialog. */
  readonly main: number;
  readonly prompt: number;
  readonly status: number;
};

/** The fewest rows that a question shares with the prompt. */
const MIN_SHARED_ROWS = 12;

/** The prompt may grow to a third of the screen; the status bar has one line; the transcript has the rest. */
export function layoutOf(rows: number, promptLines: number, asks = false): Layout {
  if (asks && rows < MIN_SHARED_ROWS) return { main: rows, prompt: 0, status: 0 };
  const status = 1;
  const most = Math.max(1, Math.floor(rows / 3));
  const prompt = Math.min(Math.max(1, promptLines), most);
  return { main: Math.max(1, rows - status - prompt), prompt, status };
}

type PromptWidths = { readonly name: string; readonly width: number; readonly firstWidth: number };

/** Returns the cells that the editor's rows have beside the name, which leaves room to type on a narrow screen. */
function promptWidths(name: string, columns: number): PromptWidths {
  const shown = lineWidth(name) <= columns / 2 ? name : '> ';
  return { name: shown, width: columns, firstWidth: columns - lineWidth(shown) };
}
