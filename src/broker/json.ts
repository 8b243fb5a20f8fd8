/** Careful looks into values that came from outside: nothing is trusted to have its documented shape. */

export type Json = Readonly<Record<string, unknown>>;

export function asObject(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The objects in a list; anything else in it is passed over. */
export function objectsIn(value: unknown): readonly Json[] {
  return asArray(value).flatMap((entry): readonly Json[] => {
    const object = asObject(entry);
    return object ? [object] : [];
  });
}

/** A string with something in it. */
export function asText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A count: whole, finite, not negative. */
export function asCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.round(value) : undefined;
}

/** The value of JSON text, or undefined when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
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
