/** Words as they may stand in a command line. */
import type { Quote } from './command-at.ts';

/** What a shell would not take as it is in a bare word. `~` and `=` matter only where they stand first. */
const SPECIAL = /[\s\\'"$`&|;<>()*?[\]{}!#^]/g;

/** Writes a text so that the shell reads it back, as it goes on within `quote`. A newline can't be escaped: such a text is in `$'…'`. */
export function quoteWord(text: string, quote: Quote): string {
  if (quote === "'") return text.replaceAll("'", "'\\''");
  if (quote === '"') return text.replace(/["$`\\!]/g, (character) => (character === '!' ? '"\\!"' : `\\${character}`));
  if (text.includes('\n')) return `$'${text.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n')}'`;
  return text.replace(SPECIAL, '\\$&').replace(/^[~=]/, '\\$&');
}

/** The same for a path that began with `~`, which must stay bare to mean the home directory. */
export function quotePath(path: string, quote: Quote): string {
  const home = quote === '' ? (/^~[\w.-]*(?=\/|$)/.exec(path)?.[0] ?? '') : '';
  return home + (path === home ? '' : quoteWord(path.slice(home.length), quote));
}
