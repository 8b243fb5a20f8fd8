import { classify } from './classify.ts';

/** One line of `aish-tui route --jsonl` (CL-2): `{"line","id"?}` in, `{"id"?,"kind"}` out. Never throws; what is no such line is `ai`. */
export function routeLine(json: string, knows: (word: string) => boolean): string {
  try {
    const input: unknown = JSON.parse(json);
    if (typeof input !== 'object' || input === null || !('line' in input)) return JSON.stringify({ kind: 'ai' });
    const { kind } = classify(String(input.line), { knows });
    return JSON.stringify('id' in input ? { id: input.id, kind } : { kind });
  } catch {
    return JSON.stringify({ kind: 'ai' });
  }
}
