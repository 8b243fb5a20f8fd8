/** The prompt as lines: its name, the text being typed, how the line will be taken, and the cursor. */
import type { Route } from '../contracts/lines.ts';
import { type EditorLayout, layoutEditor } from '../editor/layout.ts';
import { isEmpty } from '../editor/state.ts';
import type { Paint, Role } from '../render/theme.ts';
import type { Cell } from '../render/writer.ts';
import { textWidth } from '../text/display.ts';
import { layoutOf, type PromptWidths, promptWidths } from './layout.ts';
import type { Store } from './store.ts';
import type { Ui } from './ui.ts';

/** How the line will be taken (IN-3): with the key that changes it, and short for narrow screens. */
type Verdict = { readonly long: string; readonly short: string; readonly role: Role };

const NAMES = { shell: 'shell', ai: 'ask', meta: 'command' } as const;
const ROLES = { shell: 'success', ai: 'accent', meta: 'marker' } as const;

export type PromptViewOptions = {
  readonly ui: Store<Ui>;
  readonly paint: Paint;
  readonly name: () => string;
  /** How the line is taken; undefined where nobody knows yet. */
  readonly route: () => Route | undefined;
};

type Laid = { readonly layout: EditorLayout; readonly widths: PromptWidths };

/** It follows the screen's state before React does: a typed key is on the terminal before anything else is done for it. */
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

  /** To be called after each change of the engine. */
  follow(): void {
    const name = this.#options.name();
    if (name === this.#name) return;
    this.#name = name;
    this.refresh();
  }

  /** Colours have changed. */
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
      ui.editor === was.editor && ui.size === was.size && ui.flip === was.flip && ui.goalNext === was.goalNext;
    if (!same || isAwake(ui) !== isAwake(was)) this.refresh();
  }

  /** The text being typed as rows on the screen. */
  get laid(): Laid {
    const { editor, size } = this.#options.ui.get();
    const had = this.#laid;
    if (had && had.of.editor === editor && had.of.size === size && had.name === this.#name) return had;
    const widths = promptWidths(this.#name, size.columns);
    const layout = layoutEditor(editor, widths.width, widths.firstWidth);
    this.#laid = { layout, widths, of: { editor, size }, name: this.#name };
    return this.#laid;
  }

  /** Rows that it takes; a longer text scrolls with the cursor. */
  get rows(): number {
    return layoutOf(this.#options.ui.get().size.rows, this.laid.layout.rows.length).prompt;
  }

  readonly lines = (): readonly string[] => {
    this.#made ??= this.#make();
    return this.#made;
  };

  /** Where the cursor is; undefined while keys go somewhere else. */
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
    const { paint, ui } = this.#options;
    const { layout, widths } = this.laid;
    const awake = isAwake(ui.get());
    const first = this.#first();
    const name = paint(awake ? 'user' : 'dim', widths.name);
    const verdict = this.#verdict();
    return layout.rows.slice(first, first + this.rows).map((row, index) => {
      const text = awake ? row.text : paint('dim', row.text);
      if (first + index > 0) return text;
      const room = widths.firstWidth - textWidth(row.text);
      const label = [verdict?.long, verdict?.short].find((each) => each !== undefined && textWidth(each) + 2 <= room);
      return label === undefined
        ? name + text
        : name + text + ' '.repeat(room - textWidth(label)) + paint(verdict?.role ?? 'dim', label);
    });
  }

  #verdict(): Verdict | undefined {
    const { editor, goalNext } = this.#options.ui.get();
    if (isEmpty(editor)) return undefined;
    if (goalNext) return { long: '⚡ goal · Enter starts it, Esc cancels', short: '⚡ goal', role: 'accent' };
    const route = this.#options.route();
    if (!route) return undefined;
    const { kind, forced } = route;
    const short = NAMES[kind];
    if (kind === 'meta' || forced) return { long: short, short, role: ROLES[kind] };
    return { long: `${short} · Alt-S: ${kind === 'shell' ? 'ask' : 'shell'}`, short, role: ROLES[kind] };
  }
}

/** Whether keys go to the prompt. A list of choices belongs to what is being typed. */
function isAwake({ keyboard, question, panel }: Ui): boolean {
  return keyboard === 'prompt' && !question && (panel.kind === 'none' || panel.kind === 'choices');
}
