/** The user's own prices: a file beside the configuration, read before the built-in table. */
import { readFileSync } from 'node:fs';
import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import { MAX_JSON_DEPTH, tooDeepAt } from '../text/json.ts';
import type { PriceRow } from './price-table.ts';

export type PriceFile = {
  readonly rows: readonly PriceRow[];
  /** What is wrong with it, in one line; then `rows` is empty: half a price list would mislead. */
  readonly problem?: string;
};

const NUMBERS = ['input', 'output', 'cached'] as const;
const WORDS = ['model', 'host', 'date', 'source'] as const;

/** Reads the list of prices at `path`. A missing file is an empty one. */
export function readPriceFile(path: string): PriceFile {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return missing ? { rows: [] } : { rows: [], problem: `${path} can't be read (${String(error)})` };
  }
  if (tooDeepAt(text) !== undefined)
    return {
      rows: [],
      problem: `${path}: nested more than ${MAX_JSON_DEPTH} levels deep; none of its prices are used`,
    };
  const errors: ParseError[] = [];
  const list: unknown = parse(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error) {
    const line = text.slice(0, error.offset).split('\n').length;
    return { rows: [], problem: `${path}:${line}: ${printParseErrorCode(error.error)}; none of its prices are used` };
  }
  if (!Array.isArray(list)) return { rows: [], problem: `${path}: must be a list of prices: [{ "model": … }]` };
  const wrong = list.map(mistakeIn).findIndex((mistake) => mistake !== undefined);
  if (wrong < 0) return { rows: list };
  return { rows: [], problem: `${path}: price ${wrong + 1} ${mistakeIn(list[wrong])}; none of its prices are used` };
}

function mistakeIn(row: unknown): string | undefined {
  if (typeof row !== 'object' || row === null) return 'is not an object';
  const given = new Map<string, unknown>(Object.entries(row));
  const unknown = [...given.keys()].find((key) => ![...NUMBERS, ...WORDS].some((known) => known === key));
  if (unknown !== undefined) return `has an unknown key: ${unknown}`;
  for (const key of ['model', 'input', 'output']) if (!given.has(key)) return `is missing ${key}`;
  for (const key of NUMBERS) {
    const value = given.get(key) ?? 0;
    if (typeof value !== 'number' || !Number.isFinite(value) || value < 0)
      return `needs dollars per million tokens as ${key}`;
  }
  for (const key of WORDS) if (typeof (given.get(key) ?? '') !== 'string') return `needs a string as ${key}`;
  return undefined;
}
