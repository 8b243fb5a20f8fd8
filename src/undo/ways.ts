/** Over which links a path leads. */
import { lstatSync, readlinkSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';

/** As many as the system follows; a path over more of them leads nowhere. */
const MAX_LINKS = 40;

/**
 * Tells of a path every place that it leads through: where each link of it lies, and where it ends, whether there is anything
 * or not; over too many links, the last of them that counts. A link to the outside that lies in a project can be turned by
 * whoever writes there. Links are hostile: nothing here is deeper or longer than they are many. What it has seen of the files
 * it does not look at again.
 */
export function waysThrough(): (path: string) => readonly string[] {
  const seen = new Map<string, string | undefined>();
  const targetAt = (path: string) => {
    if (!seen.has(path)) seen.set(path, targetOf(path));
    return seen.get(path);
  };
  return (path) => {
    const ways: string[] = [];
    const rest = (isAbsolute(path) ? path : join(process.cwd(), path)).split('/').reverse();
    let at = '';
    for (let name = rest.pop(); name !== undefined; name = rest.pop()) {
      if (name === '' || name === '.') continue;
      if (name === '..') {
        at = at.slice(0, Math.max(0, at.lastIndexOf('/')));
        continue;
      }
      const here = `${at}/${name}`;
      const target = targetAt(here);
      if (target === undefined) {
        at = here;
        continue;
      }
      ways.push(here);
      if (ways.length > MAX_LINKS) return ways;
      if (isAbsolute(target)) at = '';
      rest.push(...target.split('/').reverse());
    }
    return [...ways, at || '/'];
  };
}

function targetOf(path: string): string | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    return undefined;
  }
}
