/** Careful looks into values that came from outside: nothing is trusted to have its documented shape. */

import { asArray, isJsonObject, type JsonObject } from '../text/json.ts';

export function asObject(value: unknown): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

/** The objects in a list; anything else in it is passed over. */
export function objectsIn(value: unknown): readonly JsonObject[] {
  return asArray(value).filter(isJsonObject);
}

/** A string with something in it. */
export function asText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A count: whole, finite, not negative. */
export function asCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.round(value) : undefined;
}

/** One line of clean text: no control or invisible direction characters, blanks joined, at most `limit` characters. */
export function oneLine(text: string, limit = 240): string {
  const clean = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return clean.length > limit ? `${clean.slice(0, limit - 1).toWellFormed()}…` : clean;
}
