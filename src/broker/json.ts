/** Reads values from outside without trusting their documented structure. */

import { asArray, isJsonObject, type JsonObject } from '../text/json.ts';

export function asObject(value: unknown): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

/** Returns the objects in a list and skips everything else. */
export function objectsIn(value: unknown): readonly JsonObject[] {
  return asArray(value).filter(isJsonObject);
}

/** Returns a non-empty string, else undefined. */
export function asText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns a whole, finite, non-negative number, else undefined. */
export function asCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.round(value) : undefined;
}

/**
 * Returns one line of clean text: no control or invisible direction characters, blanks joined, at most `limit`
 * characters.
 */
export function oneLine(text: string, limit = 240): string {
  const clean = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return clean.length > limit ? `${clean.slice(0, limit - 1).toWellFormed()}…` : clean;
}
