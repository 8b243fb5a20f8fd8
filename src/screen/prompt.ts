/** The prompt's name and the room beside it. */
import type { App } from '../commands/app.ts';
import { textWidth } from '../text/width.ts';

/** `[aish:fast]> `, or `[aish:fast ⚡]> ` while Norris is active, with the preset that is at work (BR-3). */
export function promptName(app: App): string {
  const { phase, preset } = app.engine.conversation;
  const norris = phase.kind !== 'idle' && phase.run.kind === 'norris' ? phase.run : undefined;
  const name = norris ? norris.preset : preset;
  const demo = app.presets.list().some((each) => each.name === name && each.demo) && name !== 'demo' ? ' demo' : '';
  return `[aish:${name}${demo}${norris ? ' ⚡' : ''}]> `;
}

export type PromptWidths = { readonly name: string; readonly width: number; readonly firstWidth: number };

/** How many cells the editor's rows have beside that name. On a narrow screen it must leave room to type in. */
export function promptWidths(name: string, columns: number): PromptWidths {
  const shown = textWidth(name) <= columns / 2 ? name : '> ';
  return { name: shown, width: columns, firstWidth: columns - textWidth(shown) };
}
