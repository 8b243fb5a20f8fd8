/** A click on a link (UI-2): http and https alone, and never unseen where it leads. */
import { browsable, type Link, shownLink } from '../links.ts';
import type { Screen } from '../screen.ts';

/** The address behind words that was shown last: another click opens it. */
const seen = new WeakMap<Screen, string>();
let said = 0;

/** Opens an address that stands there as it is; one behind words is shown first. Without a browser it is copied. */
export function follow(screen: Screen, { address, plain }: Link): void {
  const shown = shownLink(address);
  const target = browsable(address);
  if (target === undefined) return say(screen, `not opened: ${shown}`);
  if (!plain && seen.get(screen) !== address) {
    seen.set(screen, address);
    return say(screen, `another click opens ${shown}`);
  }
  seen.delete(screen);
  if (screen.app.openAddress(target)) return say(screen, `opened ${shown}`);
  screen.navigator.copyText(target, shown);
  say(screen, `copied, there is no browser here: ${shown}`);
}

/** In the bar; what is too long for that, whole, in the transcript. */
function say(screen: Screen, text: string): void {
  if (text.length <= screen.ui.get().size.columns / 2) return screen.hint(text);
  said += 1;
  const entry = { kind: 'notice', level: 'info', text } as const;
  screen.app.engine.showLocal({ kind: 'show', key: `link${said}`, entry });
}
