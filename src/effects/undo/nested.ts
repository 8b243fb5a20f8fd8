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

/** Among many things with paths, those that a path has to do with. */
type Around<Thing> = {
  /** The topmost thing that stands at the path, or above it. */
  over(path: string): Thing | undefined;
  /** Some thing that lies below the path. */
  below(path: string): Thing | undefined;
};

/** Each question takes the logarithm of their number. */
export function around<Thing>(things: readonly Thing[], pathOf: (thing: Thing) => string): Around<Thing> {
  const tops = topmost(things, pathOf).map((thing) => ({ thing, key: keyOf(pathOf(thing)) }));
  /** How many of them come before the key, or are it. */
  const upTo = (key: string) => {
    let [low, high] = [0, tops.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((tops[middle]?.key ?? '') <= key) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {
    over(path) {
      const key = keyOf(path);
      const top = tops[upTo(key) - 1];
      return top !== undefined && isWithin(key, top.key) ? top.thing : undefined;
    },
    below(path) {
      const key = keyOf(path);
      const next = tops[upTo(key)];
      return next?.key.startsWith(`${key}\0`) ? next.thing : undefined;
    },
  };
}

/** Tells of a path whether it is one of these, or lies below one. */
export function within(paths: readonly string[]): (path: string) => boolean {
  const { over } = around(paths, (path) => path);
  return (path) => over(path) !== undefined;
}
