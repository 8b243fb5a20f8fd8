/** `aish-tui undo`: undoes changes from outside a session (EF-3). */
import { loadEffects } from '../app/undo.ts';
import { type KeptAction, summaryOf, type UndoTarget } from '../contracts/undo.ts';
import { visible } from '../text/sanitize.ts';
import { bytesText } from '../text/spelled.ts';
import { EXIT } from './exit-codes.ts';
import type { Writer } from './print.ts';

export type UndoWish = { readonly list: boolean; readonly yes: boolean; readonly what?: number | 'run' };

/**
 * Runs `aish-tui undo`, which only shows the changes without `--yes`. Without a number it means the newest action in
 * this directory or below; with `run` that action’s run.
 */
export async function undoOutside(
  wish: UndoWish,
  config: string | undefined,
  out: Writer,
  err: Writer,
): Promise<number> {
  const effects = await loadEffects(config);
  const why = typeof effects === 'string' ? effects : await effects.store.unavailable();
  if (typeof effects === 'string' || why !== undefined) {
    err(`aish-tui: ${why}\n`);
    return EXIT.usage;
  }
  const { store } = effects;
  const actions = await store.list();
  if (wish.list) {
    for (const action of actions) out(`${lineOf(action)}\n`);
    return EXIT.ok;
  }
  const newest = actions.find((action) => isHere(action) && (wish.what !== 'run' || action.run !== undefined));
  const target = typeof wish.what === 'number' ? wish.what : wish.what === 'run' ? runOf(newest) : newest?.number;
  if (target === undefined) {
    err(
      `aish-tui: no ${wish.what === 'run' ? 'run' : 'action'} of this directory is left to take back; --list shows all\n`,
    );
    return EXIT.usage;
  }
  const { ok, text } = wish.yes ? await store.undo(target) : await store.preview(target);
  (ok ? out : err)(`${text}\n`);
  if (ok && !wish.yes) out(`aish-tui undo ${typeof target === 'number' ? target : 'run'} --yes puts it back\n`);
  return ok ? EXIT.ok : 1;
}

function runOf(action: KeptAction | undefined): UndoTarget | undefined {
  return action?.run === undefined ? undefined : { run: action.run };
}

function isHere({ cwd, kind, state }: KeptAction): boolean {
  const here = process.cwd();
  return kind !== 'undo' && state !== 'undone' && (cwd === here || cwd.startsWith(`${here}/`));
}

function lineOf(action: KeptAction): string {
  const text = visible(action.text.split('\n')[0] ?? '');
  return `${action.number}\t${new Date(action.at).toISOString()}\t${action.state}\t${summaryOf([action])} · ${bytesText(action.bytes)}\t${visible(action.cwd)}\t${text}`;
}
