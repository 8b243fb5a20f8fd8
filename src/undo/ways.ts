/** Over which links a path leads. */
import { lstatSync, readlinkSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';

/** More than any system follows. */
const MAX_LINKS = 40;

/**
 * Tells of a path every place that it leads through: where each link of it lies, and where it ends, whether there is anything
 * or not. A link to the outside that lies in a project can be turned by whoever writes there. What it has seen of the files
 * it does not look at again.
 */
export function waysThrough(): (path: string) => readonly string[] {
  const seen = new Map<string, Way>();
  const follow = (path: string, links: number): Way => {
    const known = seen.get(path);
    if (known) return known;
    const slash = path.lastIndexOf('/');
    const name = path.slice(slash + 1);
    const above = slash <= 0 ? ROOT : follow(path.slice(0, slash), links);
    const way = onward(above, name, links);
    seen.set(path, way);
    return way;
  };
  const onward = (above: Way, name: string, links: number): Way => {
    if (name === '' || name === '.') return above;
    if (name === '..') return { ...above, end: above.end.slice(0, Math.max(0, above.end.lastIndexOf('/'))) };
    const here = `${above.end}/${name}`;
    const target = links < MAX_LINKS ? targetOf(here) : undefined;
    if (target === undefined) return { ...above, end: here };
    const beyond = follow(isAbsolute(target) ? target : `${above.end}/${target}`, links + 1);
    return { over: [...above.over, here, ...beyond.over], end: beyond.end };
  };
  return (path) => {
    const { over, end } = follow(isAbsolute(path) ? path : join(process.cwd(), path), 0);
    return [...over, end || '/'];
  };
}

/** Links, and the end. */
type Way = { readonly over: readonly string[]; readonly end: string };

const ROOT: Way = { over: [], end: '' };

function targetOf(path: string): string | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    return undefined;
  }
}
