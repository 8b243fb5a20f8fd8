/** Careful looks into JSON that came from outside: nothing is trusted to have its documented shape. */

export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is an object of JSON: neither null nor a list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The items of a list; none of anything else. */
export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Levels of nesting that are read. No real value comes near; a walk over one of 100,000 ends the stack. */
export const MAX_JSON_DEPTH = 200;

/** Throws `SyntaxError` for text that is no JSON, or is nested beyond `MAX_JSON_DEPTH`. */
export function parseBoundedJson(text: string): unknown {
  // First: building a hundred thousand lists to throw them away costs more than all else that is done with a reply.
  if (tooDeepAt(text) !== undefined) throw new SyntaxError(`nested more than ${MAX_JSON_DEPTH} levels deep`);
  return JSON.parse(text);
}

/** The value of JSON text; undefined where it is none, or is nested beyond `MAX_JSON_DEPTH`. */
export function parseJson(text: string): unknown {
  try {
    return parseBoundedJson(text);
  } catch {
    return undefined;
  }
}

/**
 * The offset at which a text of JSON, with or without comments, is nested beyond `MAX_JSON_DEPTH`. Counts as the most
 * lenient reader: a string ends with its line, and a closing bracket of the wrong kind closes nothing.
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

/** The offset of the last character of the string that begins at `from`. */
function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"' || char === '\n' || char === '\r') return at;
    if (char === '\\' && (text[at + 1] === '"' || text[at + 1] === '\\')) at += 1;
  }
  return text.length;
}

/** The same of a comment; of a slash that begins none, the slash. */
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

/** Whether a value that somebody else has parsed is nested beyond `MAX_JSON_DEPTH`. */
export function isTooDeep(value: unknown): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; depth <= MAX_JSON_DEPTH; depth += 1) {
    level = level.flatMap((one) => (isJsonObject(one) ? Object.values(one) : asArray(one)));
    if (level.length === 0) return false;
  }
  return true;
}

/** Nearly every text has so few that nothing needs to be told apart; looking for two characters is all it costs. */
function hasManyBrackets(text: string): boolean {
  let left = MAX_JSON_DEPTH;
  for (const bracket of '[{')
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) if (--left < 0) return true;
  return false;
}

/** The object that JSON text holds; undefined where it holds something else. */
export function parseJsonObject(text: string): JsonObject | undefined {
  const value = parseJson(text);
  return isJsonObject(value) ? value : undefined;
}
