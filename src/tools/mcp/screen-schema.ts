/** Looks at what a server has sent as JSON before anything walks it in full. */

export type SchemaLimits = { readonly depth: number; readonly nodes: number; readonly characters: number };

/**
 * Why a JSON value should not be handled as a schema, in a few words; undefined when it may be. Takes bounded time and
 * stack whatever the value is.
 */
export function schemaProblem(schema: unknown, { depth, nodes, characters }: SchemaLimits): string | undefined {
  let count = 0;
  let size = 0;
  const stack: { readonly value: unknown; readonly level: number }[] = [{ value: schema, level: 0 }];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { value, level } = next;
    if (typeof value === 'string') size += value.length;
    if (typeof value !== 'object' || value === null) continue;
    if (level >= depth) return `it is nested deeper than ${depth} levels`;
    for (const [key, inner] of Object.entries(value)) {
      count += 1;
      size += key.length;
      if (count > nodes || size > characters) return 'it is too large';
      if (/^\$(?:ref|dynamicRef|recursiveRef)$/.test(key) && typeof inner === 'string' && !inner.startsWith('#'))
        return 'it refers to another document';
      stack.push({ value: inner, level: level + 1 });
    }
  }
  return undefined;
}
