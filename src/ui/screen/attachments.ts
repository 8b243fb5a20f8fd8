/** Looks up the `@` words of a question or a goal while it is typed, and shows them above the prompt (IN-8). */

import type { App } from '../../commands/app.ts';
import { askedIn } from '../../commands/attachments.ts';
import { AT_WORD, type AtWord, type Route } from '../../contracts/lines.ts';
import { visible } from '../../text/sanitize.ts';
import { bytesText } from '../../text/spelled.ts';
import { lineWidth } from '../../text/wrap.ts';
import { expand, isEmpty } from '../editor/state.ts';
import type { RenderContext } from '../render/theme.ts';
import type { Schedule } from '../terminal/schedule.ts';
import type { Store, Ui } from './ui.ts';

/** The pause in typing after which the disk is read. In ms. */
const REST_MS = 120;

/** The state of the program that the lookup follows. */
type Followed = {
  readonly app: App;
  readonly ui: Store<Ui>;
  /** How the router classifies the line. */
  readonly route: Route;
  readonly schedule: Schedule;
};

export class AttachedWatch {
  readonly #screen: Followed;
  readonly #stop: () => void;
  /** The question that was looked up last. */
  #question: string | undefined;
  #cancel = () => {};

  constructor(screen: Followed) {
    this.#screen = screen;
    this.#stop = screen.ui.subscribe(() => this.#look());
  }

  dispose(): void {
    this.#stop();
    this.#cancel();
  }

  #look(): void {
    const { ui, app, schedule } = this.#screen;
    const { editor } = ui.get();
    const question = !isEmpty(editor) && AT_WORD.test(editor.text) ? this.#asked() : undefined;
    if (question === this.#question) return;
    this.#question = question;
    this.#cancel();
    if (question === undefined) return ui.update({ attached: undefined });
    this.#cancel = schedule(() => {
      void app.attachments.find(question).then((attached) => {
        if (this.#question === question) ui.update({ attached: attached.length > 0 ? attached : undefined });
      });
    }, REST_MS);
  }

  #asked(): string | undefined {
    const { ui, route } = this.#screen;
    const { editor, goalNext } = ui.get();
    return goalNext ? expand(editor) : askedIn(route);
  }
}

/** Returns one row: each attachment with its size or what prevents it, and the tokens that all of them take. */
export function attachedLine(attached: readonly AtWord[], { width, paint }: RenderContext): string {
  const sent = attached.filter(({ attachment, problem }) => attachment && problem === undefined);
  const tokens = sent.reduce((sum, each) => sum + (each.tokens ?? 0), 0);
  const right = sent.length === 0 ? '' : paint('dim', `≈ ${tokens.toLocaleString('en')} tokens `);
  const most = width - lineWidth(right) - 3;
  const parts = attached.map((each) => partOf(each, paint));
  let left = '';
  for (const [index, part] of parts.entries()) {
    const next = left === '' ? part : `${left}${paint('dim', ' · ')}${part}`;
    const rest = parts.length - index;
    const more = paint('dim', ` · ${rest} more`);
    if (lineWidth(next) + (rest > 1 ? lineWidth(more) : 0) > most && left !== '') {
      left += more;
      break;
    }
    left = next;
  }
  const gap = Math.max(1, width - 2 - lineWidth(left) - lineWidth(right));
  return `${paint('accent', '+')} ${left}${' '.repeat(gap)}${right}`;
}

function partOf(each: AtWord, paint: RenderContext['paint']): string {
  const word = visible(each.word);
  if (each.missing) return paint('dim', `${word} does not exist: it is sent as plain text`);
  if (each.problem !== undefined) return paint('error', visible(each.problem));
  if (each.doubt !== undefined) return paint('dim', visible(each.doubt));
  const size = bytesText(each.bytes ?? 0);
  return `${paint('text', word)} ${paint('dim', each.attachment?.kind === 'image' ? `image, ${size}` : size)}`;
}
