/** Counting with a vocabulary of our own, for servers that have no tokenizer to ask. */
import { readFile } from 'node:fs/promises';
import { Turns } from '../../text/turns.ts';
import { packTokens, Vocabulary } from './vocabulary.ts';

/** Where the build has put the tokens; not there when the sources are run as they are. */
declare const AISH_TOKENS: string | undefined;
const SOURCE = '../../../node_modules/gpt-tokenizer/data/o200k_base.tiktoken';

let loading: Promise<Vocabulary | undefined> | undefined;
let settled = false;

async function load(): Promise<Vocabulary | undefined> {
  try {
    const tokens =
      typeof AISH_TOKENS === 'undefined'
        ? packTokens(await readFile(new URL(SOURCE, import.meta.url), 'utf8'))
        : await readFile(new URL(AISH_TOKENS, import.meta.url));
    return await Vocabulary.load(tokens);
  } catch {
    // Then it is guessed.
    return undefined;
  } finally {
    settled = true;
  }
}

/** Whether counting waits for nothing: the vocabulary is there, or it can't be had. */
export function libraryIsLoaded(): boolean {
  return settled;
}

/** Has the vocabulary loaded; nobody has to wait for it. */
export function loadLibrary(): void {
  loading ??= load();
}

/** Tokens of texts in the o200k encoding; undefined where its vocabulary can't be loaded. */
export async function countByLibrary(texts: readonly string[]): Promise<readonly number[] | undefined> {
  loading ??= load();
  const vocabulary = await loading;
  if (!vocabulary) return undefined;
  const counts: number[] = [];
  const turns = new Turns();
  for (const text of texts) counts.push(await vocabulary.count(text, turns));
  return counts;
}
