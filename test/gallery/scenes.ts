/** Every state that the gallery shows, in order. */
import type { Scene } from './scene.ts';
import { AROUND } from './scenes/around.ts';
import { CHAT } from './scenes/chat.ts';
import { FIRST } from './scenes/first.ts';
import { NORRIS } from './scenes/norris.ts';
import { PROMPT } from './scenes/prompt.ts';
import { QUESTIONS } from './scenes/questions.ts';
import { SHELL } from './scenes/shell.ts';
import { START } from './scenes/start.ts';

export const CHAPTERS: Readonly<Record<string, readonly Scene[]>> = {
  Start: START,
  'The first ten minutes': FIRST,
  'The prompt': PROMPT,
  'The shell': SHELL,
  'The conversation': CHAT,
  Questions: QUESTIONS,
  'Autonomous runs': NORRIS,
  'Getting around': AROUND,
};

export const SCENES: readonly Scene[] = Object.values(CHAPTERS).flat();
