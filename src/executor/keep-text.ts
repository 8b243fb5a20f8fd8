import { mkdirSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { FullText, newOutputPath } from './fulltext.ts';

/** Characters handed on in one turn of the event loop. */
const PIECE = 512 * 1024;

/**
 * Keeps a text as a command's full output is kept: plain, in a private file of `dataDir`. Its path, or undefined where
 * the disk fails.
 */
export async function keepText(dataDir: string, text: string): Promise<string | undefined> {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  } catch {
    return undefined;
  }
  const file = new FullText(newOutputPath(dataDir), () => {});
  for (let at = 0; at < text.length; ) {
    const end = wholeCharacters(text, at + PIECE);
    file.push(Buffer.from(text.slice(at, end)));
    at = end;
    await turn();
  }
  await file.close(true);
  return file.path;
}

/** The nearest place at or after `at` that splits no pair of surrogates. */
function wholeCharacters(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at + 1 : at;
}
