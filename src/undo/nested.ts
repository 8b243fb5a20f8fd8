/** Paths that lie below each other. Lists of them may be long, and a hostile command or host writes them: nothing here takes the square of it. */

/** In the order of these, all that lies below a path comes right behind it: no path holds a NUL. */
const keyOf = (path: string) => path.replaceAll('/', '\0');

const isWithin = (key: string, top: string) => key === top || key.startsWith(`${top}\0`);

/** Each once, the first of those with its path, and none that lies below another. */
export function topmost<Thing>(things: readonly Thing[], pathOf: (thing: Thing) => string): readonly Thing[] {
  const keyed = things.map((thing) => ({ thing, key: keyOf(pathOf(thing)) }));
  keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  let top: string | undefined;
  return keyed.flatMap(({ thing, key }) => {
    if (top !== undefined && isWithin(key, top)) return [];
    top = key;
    return [thing];
  });
}

/** Tells of a path whether it is one of these, or lies below one. */
export function within(paths: readonly string[]): (path: string) => boolean {
  const tops = topmost(paths, (path) => path).map(keyOf);
  return (path) => {
    const key = keyOf(path);
    let [low, high] = [0, tops.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((tops[middle] ?? '') <= key) low = middle + 1;
      else high = middle;
    }
    const top = tops[low - 1];
    return top !== undefined && isWithin(key, top);
  };
}
