/** Keys that apply everywhere but in a program. */

import type { KeyCommand } from '../../keymap/table.ts';
import type { KeyToken } from '../../terminal/token.ts';
import type { Screen } from '../screen.ts';
import { NO_PANEL } from '../ui.ts';

/** Opens every key and command over the transcript; the same key closes it. */
export function openHelp(screen: Screen): void {
  const open = screen.ui.get().panel.kind === 'help';
  screen.ui.update({ panel: open ? NO_PANEL : { kind: 'help', top: 0 } });
}

export const globalHandlers: Handlers = {
  abort(screen) {
    if (!screen.abort()) screen.hint('nothing is running');
  },
  help: openHelp,
  redraw: (screen) => screen.redraw(),
  suspend: (screen) => void screen.suspend(),
  tightenMode(screen) {
    if (screen.app.info().sandbox) void screen.app.engine.dispatch({ type: 'modeChosen', mode: 'restricted' });
    else screen.hint('Restricted mode needs a kernel sandbox, which is not available');
  },
  toggleMouse: (screen) => screen.toggleMouse(),
  quit: (screen) => screen.app.quit(),
  scrollPageUp: (screen) => screen.view.page(-1),
  scrollPageDown: (screen) => screen.view.page(1),
  scrollLineUp: (screen) => screen.view.by(-1),
  scrollLineDown: (screen) => screen.view.by(1),
  scrollHome: (screen) => screen.view.home(),
  scrollEnd: (screen) => screen.view.end(),
};

/** The commands of one context by name. Names that are missing here are looked up among the global ones. */
export type Handlers = Partial<Readonly<Record<KeyCommand, (screen: Screen, key: KeyToken) => void>>>;
