/** Opens the screen, and restores the terminal whatever happens. */
import { constants } from 'node:os';
import { render } from 'ink';
import { rebind } from '../src/ui/keymap/rebind.ts';
import { createKeyResolver } from '../src/ui/keymap/resolver.ts';
import { KEY_TABLE } from '../src/ui/keymap/table.ts';
import { THEMES, themeFor } from '../src/ui/render/theme.ts';
import { FirstFrame } from '../src/ui/screen/first-frame.ts';
import { takeToken } from '../src/ui/screen/input.ts';
import { Screen, type ScreenOptions } from '../src/ui/screen/screen.ts';
import { exitSummary } from '../src/ui/screen/welcome.ts';
import { afterInput } from '../src/ui/terminal/schedule.ts';
import { Root } from './App.tsx';

/** The time after a resize, in ms, in which frames may be wrong; afterwards everything is redrawn. */
const SETTLE_MS = 30;
type Program = ScreenOptions['app'];
const MAX_FPS = 120;

/**
 * Runs the full screen until the user leaves, and returns the exit code. Rejects with what broke it, after restoring
 * the terminal.
 * @param begun the terminal, where the first frame has already taken it
 * @param inline final entries go to the terminal's own scrollback
 */
export async function runScreen(app: Program, begun: FirstFrame | undefined, inline = false): Promise<number> {
  const ended = Promise.withResolvers<number>();
  const composed = process.env.INK_SCREEN_READER !== 'true';
  const mouse = app.ui.mouse && !inline;
  const kind = inline ? (await import('../src/ui/render/inline.ts')).InlineCompositor : undefined;
  const first = begun ?? new FirstFrame({ name: '', theme: THEMES.none, mouse, composed, inline: kind });
  const { output, terminal } = first;
  first.onSignal = (signal) => ended.resolve(128 + constants.signals[signal]);
  if (mouse !== first.mouse) terminal.setMouse(mouse);
  // Printed rows can't be painted again, so wait for the colours that the terminal reports.
  if (inline) await first.capabilities;
  const broke = (error: unknown) => ended.reject(error);
  // When the terminal is gone every write fails; SIGHUP then ends the program.
  const ignore = () => {};
  const mute = () => output.mute();
  process.stdout.on('error', ignore);
  // Ink's exit hook kills the process at a signal to which nobody else listens. The session must be closed first.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, ignore);
  process.on('uncaughtException', broke);
  process.on('unhandledRejection', broke);
  process.on('exit', mute);
  const leaveApp = app.onQuit((code) => ended.resolve(code));
  const { screen, close } = open(app, first, broke);
  let code: number;
  try {
    code = await ended.promise;
  } finally {
    leaveApp();
    output.mute();
    close();
    await terminal.leave();
    process.off('uncaughtException', broke);
    process.off('unhandledRejection', broke);
    process.off('exit', mute);
  }
  const { columns, rows } = output;
  process.stdout.write(exitSummary(app, screen.renderContext(columns), inline ? 0 : rows));
  return code;
}

function open(app: Program, first: FirstFrame, broke: (error: unknown) => void) {
  const { output, terminal } = first;
  const { table, errors } = rebind(KEY_TABLE, app.keys);
  const size = () => ({ columns: output.columns, rows: output.rows });
  const screen = new Screen({
    app,
    terminal,
    keys: createKeyResolver(table),
    theme: themeFor(app.ui.theme, process.env, terminal.capabilities.background),
    size: size(),
    schedule: afterInput,
    output,
    redraw: () => redraw(),
    compositor: output.compositor,
  });
  for (const error of errors) screen.warn(error);
  const disconnect = screen.connect();
  // Keys typed so far must be part of the first frame.
  first.connect((token) => takeToken(screen, token));
  const instance = render(<Root screen={screen} />, {
    // Ink uses only those members of the two streams that the doubles have.
    stdout: output as unknown as NodeJS.WriteStream,
    stdin: terminal.ink as unknown as NodeJS.ReadStream,
    exitOnCtrlC: false,
    // In debug mode Ink passes its whole picture for each commit, and writes nothing else.
    debug: output.compositor !== undefined,
    maxFps: MAX_FPS,
    interactive: true,
    patchConsole: false,
  });
  first.clear();
  instance.waitUntilExit().catch(broke);
  const redraw = () => {
    if (screen.inline) {
      screen.inline.begin(true);
      screen.view.repeat(output.columns, output.rows);
    } else if (output.compositor) output.compositor.redraw();
    else {
      // Ink must forget its last frame; what it writes to erase that frame would blank the screen.
      output.dropping(() => instance.clear());
      // The synchronized update ends with the next frame, so the blank screen is never seen.
      output.write('\x1b[?2026h\x1b[?25l\x1b[2J\x1b[H');
    }
    instance.rerender(<Root screen={screen} />);
  };
  void first.capabilities.then(({ background, colours, kitty }) => {
    screen.setTheme(themeFor(app.ui.theme, process.env, background));
    app.setTerminalFacts({ colours, kitty });
  });
  let settling: NodeJS.Timeout | undefined;
  const resized = () => {
    screen.resize(size());
    clearTimeout(settling);
    settling = setTimeout(redraw, SETTLE_MS);
  };
  // Not `resize` of stdout, which reports nothing when the size changed and changed back within one turn, although the
  // terminal has redrawn.
  process.on('SIGWINCH', resized);
  // The screen is blank now, so the first frame must be a whole one.
  const endResume = terminal.onResume(() => {
    output.release();
    screen.inline?.restart();
    screen.resize(size());
    if (!screen.inline) redraw();
  });
  return {
    screen,
    close() {
      clearTimeout(settling);
      process.off('SIGWINCH', resized);
      endResume();
      disconnect();
      instance.unmount();
    },
  };
}
