import type { Engine } from '../../engine/engine.ts';
import type { Entry } from '../../session/entry.ts';

/**
 * An entry with the true texts where the session has handles: the user's own screen hides nothing from the user (SE-3).
 * What a `:` command says stays, or `:secrets` would show values.
 */
export function revealEntry(engine: Engine, entry: Entry): Entry {
  return entry.kind === 'meta' ? entry : engine.services.secrets.reveal(entry);
}
