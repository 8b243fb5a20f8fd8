/**
 * Whether one of the globs covers `name`; `*` stands for any characters. Takes time in proportion to both lengths,
 * whatever a model wrote as the name of a tool.
 */
export function matchesGlob(name: string, globs: readonly string[]): boolean {
  return globs.some((glob) => matches(name, glob));
}

function matches(name: string, glob: string): boolean {
  const [first = '', ...rest] = glob.split('*');
  if (!name.startsWith(first)) return false;
  const last = rest.pop();
  if (last === undefined) return name.length === first.length;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
