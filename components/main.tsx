/** Opens the screen, and gives the terminal back whatever happens. */
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

/** Frames drawn in that time after a resize may be wrong; then everything is drawn anew. In ms. */
const SETTLE_MS = 30;
type Program = ScreenOptions['app'];
const MAX_FPS = 120;

/**
 * Runs the full screen until the user leaves; the exit code. Rejects with what broke it, the terminal restored.
 * @param begun the terminal, where it was taken before the program was there
 */
export async function runScreen(app: Program, begun: FirstFrame | undefined): Promise<number> {
  const ended = Promise.withResolvers<number>();
  const composed = process.env.INK_SCREEN_READER !== 'true';
  const first = begun ?? new FirstFrame({ name: '', theme: THEMES.none, mouse: app.ui.mouse, composed });
  const { output, terminal } = first;
  first.onSignal = (signal) => ended.resolve(128 + constants.signals[signal]);
  if (app.ui.mouse !== first.mouse) terminal.setMouse(app.ui.mouse);
  const broke = (error: unknown) => ended.reject(error);
  // A terminal that is gone fails every write; the hang-up has its own way to end the program.
  const ignore = () => {};
  const mute = () => output.mute();
  process.stdout.on('error', ignore);
  // Ink's exit hook kills the process at a signal that nobody else listens to; here the session is closed first.
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
  process.stdout.write(exitSummary(app, screen.renderContext(columns), rows));
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
  // Before anything is drawn: what was typed so far is part of the first picture.
  first.connect((token) => takeToken(screen, token));
  const instance = render(<Root screen={screen} />, {
    // Ink uses of both only what the doubles have.
    stdout: output as unknown as NodeJS.WriteStream,
    stdin: terminal.ink as unknown as NodeJS.ReadStream,
    exitOnCtrlC: false,
    // Ink hands over its whole picture for each commit, and nothing else.
    debug: output.compositor !== undefined,
    maxFps: MAX_FPS,
    interactive: true,
    patchConsole: false,
  });
  first.clear();
  instance.waitUntilExit().catch(broke);
  const redraw = () => {
    if (output.compositor) output.compositor.redraw();
    else {
      // Ink must forget its last frame; what it writes for that would show a blank screen.
      output.dropping(() => instance.clear());
      // Ends with the synchronized update of the frame that follows: nobody sees the screen in between.
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
  // Not `resize` of stdout: a size that went and came back within one turn is no change to it, but to the terminal it
  // is.
  process.on('SIGWINCH', resized);
  // The screen is blank now, so the first frame must be a whole one.
  const endResume = terminal.onResume(() => {
    output.release();
    screen.resize(size());
    redraw();
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
