/**
 * The models that the start screen offers where none is configured or the configured one is down (BR-6): Enter tests
 * the selected one and uses it. It takes keys only while the prompt is empty, and goes away with the first letter.
 */
import type { App } from '../../commands/app.ts';
import { connectModel, hostOf } from '../../commands/setup.ts';
import type { SetupOffer } from '../../contracts/models.ts';
import { messageOf } from '../../text/errors.ts';
import { wrapText } from '../../text/wrap.ts';
import { isEmpty } from '../editor/state.ts';
import { cut } from '../render/segments.ts';
import { onGround, padTo, type RenderContext } from '../render/theme.ts';
import type { Offers, Store, Ui } from './ui.ts';

type Face = { readonly app: App; readonly ui: Store<Ui> };

/** The most rows of the list. */
const MAX_ROWS = 6;

/** Looks for models, and opens the list if there are some. Returns a function that closes it. */
export function openOffers({ app, ui }: Face): () => void {
  let wanted = true;
  // A key must not wait for the modules that the search loads.
  const begin = setImmediate(async () => {
    const items = await app.setup.find().catch(() => []);
    if (wanted && items.length > 0 && isEmpty(ui.get().editor)) ui.update({ offers: { items, index: 0 } });
  });
  return () => {
    wanted = false;
    clearImmediate(begin);
    ui.update({ offers: undefined });
  };
}

/** Runs a command of the prompt on the list; returns whether it was one of the list's. */
export function runOnOffers(screen: Face, command: string): boolean {
  const { offers, editor } = screen.ui.get();
  if (!offers || !isEmpty(editor)) return false;
  const { items, index, testing } = offers;
  const move = (by: number) =>
    screen.ui.update({ offers: { items, index: (index + by + items.length) % items.length } });
  if (command === 'takeBack') screen.ui.update({ offers: undefined });
  else if (command !== 'up' && command !== 'down' && command !== 'submit') return false;
  else if (testing) return true;
  else if (command === 'submit') void use(screen, offers);
  else move(command === 'up' ? -1 : 1);
  return true;
}

async function use({ app, ui }: Face, { items, index }: Offers): Promise<void> {
  const offer = items[index];
  if (!offer) return;
  const testing: Offers = { items, index, testing: true };
  ui.update({ offers: testing });
  const problem = await connectModel(app, offer.name).catch(messageOf);
  // The user may have closed the list, or typed.
  if (ui.get().offers !== testing) return;
  ui.update({ offers: problem === undefined ? undefined : { items, index, problem } });
}

/** Returns the rows of the list, at most `width` cells wide. */
export function offerLines(
  { items, index, testing, problem }: Offers,
  width: number,
  context: RenderContext,
): string[] {
  const { paint, theme } = context;
  const [labels, models] = [({ label }: SetupOffer) => label, ({ model }: SetupOffer) => model].map((of) =>
    Math.max(...items.map((item) => of(item).length)),
  ) as [number, number];
  const first = Math.max(0, Math.min(index - MAX_ROWS + 1, items.length - MAX_ROWS));
  const rows = items.slice(first, first + MAX_ROWS).map((offer, at) => {
    const chosen = first + at === index;
    const where = offer.kind === 'server' ? hostOf(offer.address) : `key in ${offer.key}`;
    const quiet = chosen ? 'text' : 'dim';
    const state =
      offer.kind === 'server' ? `${paint('success', '✓')} ${paint(quiet, 'answers')}` : paint(quiet, 'not contacted');
    const words = offer.kind === 'server' ? 9 : 13;
    const label = paint(chosen ? 'strong' : 'text', offer.label.padEnd(labels + 2));
    const text = cut(`${offer.model.padEnd(models + 2)}${where}`, Math.max(1, width - 4 - labels - 2));
    const left = `${chosen ? paint('user', '❯ ') : '  '}${label}${text}`;
    const room = width - 4 - labels - text.length - words;
    const line = room > 0 ? padTo(left, width - words - 1) + state : left;
    return chosen ? onGround(line, theme.hit, width) : line;
  });
  const { label, kind, address } = items[index] ?? { label: '', kind: 'server', address: '' };
  const means =
    kind === 'server' ? 'what you ask stays on this machine' : `what you ask and run goes to ${hostOf(address)}`;
  const said = testing
    ? paint('dim', `testing ${label} …`)
    : problem === undefined
      ? paint('dim', `${label}: ${means}`)
      : `${paint('error', '✗')} ${problem}`;
  const keys = [
    [`${paint('strong', '↑↓ Enter')} ${paint('dim', 'tests it and uses it')}`, 29],
    [`${paint('strong', 'Esc')} ${paint('dim', 'closes')}`, 10],
    [paint('dim', 'or just type'), 12],
  ] as const;
  let used = -3;
  const fit = keys.filter(([, cells]) => {
    used += cells + 3;
    return used <= width;
  });
  return [
    ...wrapText('Found on this machine. Nothing leaves it before you choose.', width),
    ...rows,
    ...wrapText(said, width, { indent: '  ' }),
    fit.map(([text]) => text).join('   '),
  ];
}
