/** The name before the prompt's text. */
import type { App } from '../../commands/app.ts';
import { hostOf } from '../../session/place.ts';

/**
 * Returns the prompt's name: the host of the user's lines, then `[aish:fast]> `, or `[aish:fast ⚡]> ` while Norris is
 * active, with the preset in use (BR-3).
 */
export function promptName(app: App): string {
  const { phase, preset } = app.engine.conversation;
  const norris = phase.kind !== 'idle' && phase.run.kind === 'norris' ? phase.run : undefined;
  const name = norris ? norris.preset : preset;
  const demo = app.presets.list().some((each) => each.name === name && each.demo) && name !== 'demo' ? ' demo' : '';
  return `${hostPrefix(app)}[aish:${name}${demo}${norris ? ' ⚡' : ''}]> `;
}

/** Returns the shell's own prompt, with its colours, while the model is idle; undefined where it is switched off. */
export function shellPromptOf(app: App): string | undefined {
  const { shellPrompt } = app.info();
  return shellPrompt.trim() === '' || app.engine.conversation.phase.kind !== 'idle'
    ? undefined
    : `${hostPrefix(app)}${shellPrompt}`;
}

/** Names the host in words, so that it is clear without colours as well. */
function hostPrefix({ engine }: App): string {
  const host = hostOf(engine.shellCwd);
  return host === undefined ? '' : `@${host} `;
}
