import { wrapText } from '../text/wrap.ts';
import type { Look } from './look.ts';

/** A model's Markdown as lines. */
export function markdownLines(text: string, { width }: Look): string[] {
  return wrapText(text, width);
}
