/** `aish-tui undo`: the way back outside the program (EF-3). */
import { changeStore } from '../app/undo.ts';
import { loadConfig } from '../config/index.ts';
import { type KeptAction, summaryOf } from '../contracts/undo.ts';
import { visible } from '../text/sanitize.ts';
import { EXIT } from './exit-codes.ts';
import type { Writer } from './print.ts';

export type UndoWish = { readonly list: boolean; readonly yes: boolean; readonly number?: number };

/** Without `--yes` it only shows. Without a number: the newest action of this directory, or of one below it. */
export async function undoOutside(
  wish: UndoWish,
  config: string | undefined,
  out: Writer,
  err: Writer,
): Promise<number> {
  const loaded = await loadConfig(config, process.env);
  if (!loaded.ok) {
    err(`aish-tui: ${loaded.message}\n`);
    return EXIT.usage;
  }
  const store = changeStore({ config: loaded.config, session: '', hide: (text) => text });
  const why = await store.unavailable();
  if (why !== undefined) {
    err(`aish-tui: ${why}\n`);
    return EXIT.usage;
  }
  const actions = await store.list();
  if (wish.list) {
    for (const action of actions) out(`${lineOf(action)}\n`);
    return EXIT.ok;
  }
  const target = wish.number ?? actions.find((action) => isHere(action))?.number;
  if (target === undefined) {
    err('aish-tui: nothing of this directory is kept; --list shows all\n');
    return EXIT.usage;
  }
  const { ok, text } = wish.yes ? await store.undo(target) : await store.preview(target);
  (ok ? out : err)(`${text}\n`);
  if (ok && !wish.yes) out(`aish-tui undo ${target} --yes puts it back\n`);
  return ok ? EXIT.ok : 1;
}

function isHere({ cwd, kind, state }: KeptAction): boolean {
  const here = process.cwd();
  return kind !== 'undo' && state !== 'undone' && (cwd === here || cwd.startsWith(`${here}/`));
}

function lineOf(action: KeptAction): string {
  const text = visible(action.text.split('\n')[0] ?? '');
  return `${action.number}\t${new Date(action.at).toISOString()}\t${action.state}\t${summaryOf([action])}\t${visible(action.cwd)}\t${text}`;
}
