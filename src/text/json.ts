/** Reads JSON from outside, whose shape can't be trusted. */

export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns whether a value is a JSON object: neither null nor a list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the items of a list; an empty list for anything else. */
export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The most levels of nesting that are read. No real value is near; walking one of 100,000 would overflow the stack. */
export const MAX_JSON_DEPTH = 200;

/** Throws `SyntaxError` for text that is not JSON, or is nested deeper than `MAX_JSON_DEPTH`. */
export function parseBoundedJson(text: string): unknown {
  // Checked first: parsing a hundred thousand nested lists costs more than everything else that is done with a reply.
  if (tooDeepAt(text) !== undefined) throw new SyntaxError(`nested more than ${MAX_JSON_DEPTH} levels deep`);
  return JSON.parse(text);
}

/** Returns the value of JSON text; undefined for other text, and for one nested deeper than `MAX_JSON_DEPTH`. */
export function parseJson(text: string): unknown {
  try {
    return parseBoundedJson(text);
  } catch {
    return undefined;
  }
}

/**
 * Returns the offset at which JSON text, with or without comments, is nested deeper than `MAX_JSON_DEPTH`. Counts like
 * the most lenient reader: a string ends with its line, and a closing bracket of the wrong kind closes nothing.
 */
export function tooDeepAt(text: string): number | undefined {
  if (!hasManyBrackets(text)) return undefined;
  const open: string[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"') at = endOfString(text, at);
    else if (char === '/') at = endOfComment(text, at);
    else if (char === '[' || char === '{') open.push(char === '[' ? ']' : '}');
    else if (char === open.at(-1)) open.pop();
    if (open.length > MAX_JSON_DEPTH) return at;
  }
  return undefined;
}

/** Returns the offset of the last character of the string that begins at `from`. */
function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"' || char === '\n' || char === '\r') return at;
    if (char === '\\' && (text[at + 1] === '"' || text[at + 1] === '\\')) at += 1;
  }
  return text.length;
}

/** Returns the offset of the last character of a comment; for a slash that begins none, the slash. */
function endOfComment(text: string, from: number): number {
  const block = text[from + 1] === '*';
  if (!block && text[from + 1] !== '/') return from;
  const end = block ? text.indexOf('*/', from + 2) : nextLineEnd(text, from);
  if (end < 0) return text.length;
  return block ? end + 1 : end;
}

function nextLineEnd(text: string, from: number): number {
  const ends = [text.indexOf('\n', from), text.indexOf('\r', from)].filter((end) => end >= 0);
  return ends.length > 0 ? Math.min(...ends) : -1;
}

/** Returns whether a parsed value is nested deeper than `MAX_JSON_DEPTH`. */
export function isTooDeep(value: unknown): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; depth <= MAX_JSON_DEPTH; depth += 1) {
    level = level.flatMap((one) => (isJsonObject(one) ? Object.values(one) : asArray(one)));
    if (level.length === 0) return false;
  }
  return true;
}

/**
 * Nearly every text has so few brackets that its nesting need not be counted; searching for two characters is cheap.
 */
function hasManyBrackets(text: string): boolean {
  let left = MAX_JSON_DEPTH;
  for (const bracket of '[{')
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) if (--left < 0) return true;
  return false;
}

/** Returns the object in JSON text; undefined if the text contains something else. */
export function parseJsonObject(text: string): JsonObject | undefined {
  const value = parseJson(text);
  return isJsonObject(value) ? value : undefined;
}
