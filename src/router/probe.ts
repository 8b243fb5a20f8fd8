/** `aish-tui route`: one JSON line in, one out (CL-2). */
import { classify, isShellWord, type Words } from './classify.ts';

/** Words of the shell itself, plus those that any of the given sources knows (an installed list, a PATH index). */
export function knownWords(...sources: readonly { has(word: string): boolean }[]): Words {
  return { knows: (word) => isShellWord(word) || sources.some((source) => source.has(word)) };
}

/**
 * `{"line"}` → `{"kind"}`. Input that is not such an object gives `{"error"}`, so that answers stay in step with lines.
 * Never throws.
 */
export function routeLine(json: string, words: Words = knownWords()): string {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return JSON.stringify({ error: 'not JSON; a line looks like {"line":"ls -la"}' });
  }
  const line = typeof value === 'object' && value !== null && 'line' in value ? value.line : undefined;
  if (typeof line !== 'string') return JSON.stringify({ error: 'no "line"; a line looks like {"line":"ls -la"}' });
  return JSON.stringify({ kind: classify(line, words).kind });
}
