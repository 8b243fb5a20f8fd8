/**
 * Prepares the terminal first: its modes, a prompt that can be typed into, and a queue of all keys until the program is
 * loaded. It must import nothing of React, Ink or the engine.
 */

import { constants } from 'node:os';
import { shortPath } from '../../text/display.ts';
import { isEditorCommand, paste, runCommand, typeText } from '../editor/commands.ts';
import { createKeyResolver } from '../keymap/resolver.ts';
import { KEY_TABLE } from '../keymap/table.ts';
import { type CompositorKind, ScreenOutput } from '../render/compositor.ts';
import { fitSegments, type Segment } from '../render/segments.ts';
import { paintOf, type Theme } from '../render/theme.ts';
import type { Capabilities } from '../terminal/capabilities.ts';
import { Terminal } from '../terminal/terminal.ts';
import type { KeyToken, Token } from '../terminal/token.ts';
import type { FatalSignal } from '../terminal/tty.ts';
import { elapsed } from './entries/frame.ts';
import { PromptView } from './prompt-view.ts';
import { createStore, initialUi, type Store, type Ui } from './ui.ts';

/** The time in ms after which a slow start shows how long it has taken. */
const CLOCK_AFTER_MS = 1000;

export type FirstFrameOptions = {
  /** The prompt's name. */
  readonly name: string;
  readonly theme: Theme;
  readonly mouse: boolean;
  /** Whether the compositor paints; otherwise nothing is drawn before Ink draws. */
  readonly composed: boolean;
  /** Draws on the normal screen. Then nothing is drawn before Ink draws. */
  readonly inline?: CompositorKind | undefined;
};

export class FirstFrame {
  readonly output: ScreenOutput;
  readonly terminal: Terminal;
  readonly mouse: boolean;
  /** The terminal's capabilities, from its replies. */
  readonly capabilities: Promise<Readonly<Capabilities>>;
  /**
   * Called at a signal: ends the program with the terminal restored. Code that has more to close replaces this handler.
   */
  onSignal: (signal: FatalSignal) => void = (signal) => process.exit(128 + constants.signals[signal]);
  readonly #ui: Store<Ui>;
  readonly #keys = createKeyResolver(KEY_TABLE);
  readonly #ends: (() => void)[] = [];
  #tokens: Token[] = [];
  #listener: ((token: Token) => void) | undefined;
  /** Whether all keys so far only edited the line: then the next one is shown too. Otherwise it is only stored. */
  #follows = true;

  constructor({ name, theme, mouse, composed, inline }: FirstFrameOptions) {
    const { stdin, stdout } = process;
    this.mouse = mouse;
    this.output = new ScreenOutput(stdout, composed, inline);
    this.terminal = new Terminal({
      stdin,
      stdout,
      alternateScreen: inline === undefined,
      mouse,
      onSignal: (signal) => {
        this.output.mute();
        this.onSignal(signal);
      },
    });
    this.#ui = createStore(initialUi(this.#size()));
    const { compositor } = this.output;
    this.terminal.onToken((token, more) => {
      if (compositor) compositor.more = more;
      this.#take(token);
    });
    this.capabilities = this.terminal.enter();
    if (!inline) this.#draw(name, theme);
  }

  /** Hands all keys so far, and every further one, to the listener in their order. */
  connect(listener: (token: Token) => void): void {
    this.#listener = listener;
    const tokens = this.#tokens;
    this.#tokens = [];
    for (const token of tokens) listener(token);
  }

  /** Removes the prompt, once another one can be drawn. */
  clear(): void {
    for (const end of this.#ends.splice(0)) end();
  }

  /** Gives the terminal back. */
  async leave(): Promise<void> {
    this.output.mute();
    this.clear();
    await this.terminal.leave();
  }

  #size() {
    return { columns: this.output.columns, rows: this.output.rows };
  }

  #draw(name: string, theme: Theme): void {
    const { compositor } = this.output;
    if (!compositor) return;
    const paint = paintOf(theme);
    const prompt = new PromptView({
      ui: this.#ui,
      paint,
      theme: () => theme,
      name: () => name,
      route: () => undefined,
    });
    const { lines, cursor } = prompt;
    const measure = () => ({ y: this.output.rows - 1 - lines().length, height: lines().length });
    const surface = { measure, lines, cursor };
    const place = { text: shortPath(process.cwd()), weight: 1 };
    const bar = {
      measure: () => ({ y: this.output.rows - 1, height: 1 }),
      lines: () => [fitSegments(startingSegments(), place, this.output.columns, { paint, role: 'status' })],
    };
    const clock = setInterval(() => compositor.paint(bar), 1000);
    const resized = () => {
      this.#ui.update({ size: this.#size() });
      compositor.resize(this.output.columns, this.output.rows);
      compositor.redraw();
    };
    process.on('SIGWINCH', resized);
    this.#ends.push(
      compositor.add(surface),
      compositor.add(bar),
      prompt.subscribe(() => compositor.paint(surface)),
      this.terminal.onResume(resized),
      () => process.off('SIGWINCH', resized),
      () => clearInterval(clock),
    );
    compositor.flush();
  }

  #take(token: Token): void {
    if (this.#listener) return this.#listener(token);
    const before = this.#tokens.at(-1);
    this.#tokens.push(token);
    // The modules that are being loaded may hang: Ctrl-C twice ends the program.
    if (interrupts(token) && interrupts(before)) {
      this.terminal.restore();
      return this.onSignal('SIGINT');
    }
    if (token.type === 'paste') this.#edit((editor) => paste(editor, token.text));
    else if (token.type === 'key' && token.event !== 'release') this.#press(token);
  }

  #press(key: KeyToken): void {
    const resolution = this.#keys.resolve(key, 'prompt');
    if (resolution.kind === 'unbound') {
      for (const { text } of resolution.keys) if (text !== undefined) this.#edit((editor) => typeText(editor, text));
    } else if (resolution.kind === 'command' && isEditorCommand(resolution.command)) {
      const { command } = resolution;
      this.#edit((editor) => runCommand(editor, command));
    } else if (resolution.kind !== 'ignored') this.#follows = false;
  }

  #edit(change: (editor: Ui['editor']) => Ui['editor']): void {
    if (this.#follows) this.#ui.update({ editor: change(this.#ui.get().editor) });
  }
}

/** Returns, from the second second on, how long the start has taken and how to end it. */
function startingSegments(): readonly Segment[] {
  const since = performance.now();
  if (since < CLOCK_AFTER_MS) return [{ text: ' starting', weight: 2 }];
  return [
    { text: ` starting ${elapsed(since)}`, weight: 3 },
    { text: 'Ctrl-C twice stops', weight: 2 },
  ];
}

function interrupts(token: Token | undefined): boolean {
  return token?.type === 'key' && token.event !== 'release' && token.ctrl && token.name === 'c';
}
