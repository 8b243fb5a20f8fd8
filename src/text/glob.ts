/** Whether one of the globs covers the whole of `name`: `*` any characters, `?` one, `[a-z]` and `[!a-z]` one of a set. */
export function matchesGlob(name: string, globs: readonly string[]): boolean {
  return globs.some((glob) => matches(name, glob.match(/\[[!^]?\]?[^\]]*\]|./gsu) ?? []));
}

/**
 * Only the last star is ever tried again, so it takes time in proportion to both lengths multiplied at most, whatever a
 * model wrote as the name of a tool.
 */
function matches(name: string, parts: readonly string[]): boolean {
  const characters = [...name];
  let part = 0;
  let at = 0;
  let star = -1;
  let from = 0;
  while (at < characters.length) {
    if (parts[part] === '*') {
      star = part;
      from = at;
      part += 1;
    } else if (part < parts.length && fits(characters[at] ?? '', parts[part] ?? '')) {
      part += 1;
      at += 1;
    } else if (star >= 0) {
      part = star + 1;
      from += 1;
      at = from;
    } else return false;
  }
  return parts.slice(part).every((left) => left === '*');
}

function fits(character: string, part: string): boolean {
  if (part === '?' || part === character) return true;
  if (part.length < 3 || !part.startsWith('[')) return false;
  const negated = /^\[[!^]/.test(part);
  const ranges = part.slice(negated ? 2 : 1, -1).match(/.-.|./gsu) ?? [];
  const inside = ranges.some((range) => {
    const [first = '', , last = first] = range;
    return first <= character && character <= last;
  });
  return inside !== negated;
}
