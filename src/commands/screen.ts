/** Commands for the screen (UI-5): `:keys`, `:clear` and `:theme`. */
import { nearest } from '../text/matching.ts';
import type { App, ScreenPort } from './app.ts';
import { type Command, CommandError } from './command.ts';

function screenOf({ screen }: App): ScreenPort {
  if (!screen) throw new CommandError('this needs a screen: start aish-tui in a terminal');
  return screen;
}

/** `:keys`: all keys, or those whose line contains a word. */
export const keys: Command = {
  name: 'keys',
  usage: ':keys [word]',
  group: 'screen',
  summary: 'list every key',
  forms: [[':keys fold', 'list the keys about a word']],
  run(app, rest) {
    const all = screenOf(app).keys();
    if (rest === '') return all;
    const word = rest.toLowerCase();
    const found = all.split('\n').filter((line) => line.startsWith(' ') && line.toLowerCase().includes(word));
    if (found.length === 0) throw new CommandError(`no key matches "${rest}"; :keys lists them all`);
    return found.join('\n');
  },
};

/** `:clear`: clears the view like `clear`; the conversation stays (`:reset` ends it). */
export const clear: Command = {
  name: 'clear',
  usage: ':clear',
  group: 'screen',
  summary: 'clear the view; scrolling back shows what was there',
  run(app) {
    screenOf(app).clear();
    return undefined;
  },
};

/** `:theme`: lists themes, or sets one for this session. */
export const theme: Command = {
  name: 'theme',
  usage: ':theme [name]',
  group: 'screen',
  summary: 'show or change the colours',
  arguments: ({ screen }) => (screen?.themes ?? []).map((word) => ({ word })),
  run(app, rest) {
    const screen = screenOf(app);
    const list = screen.themes.map((name) => `${name === screen.theme() ? '*' : ' '} ${name}`).join('\n');
    if (rest === '') return list;
    if (!screen.setTheme(rest)) {
      const guess = nearest(rest, screen.themes);
      throw new CommandError(
        `no theme is called ${rest}${guess ? `; did you mean ${guess}?` : `: ${screen.themes.join(', ')}`}`,
      );
    }
    return `${rest} for this session; "ui": { "theme": "${rest}" } in the configuration makes it permanent`;
  },
};
