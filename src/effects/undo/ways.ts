/** Over which links a path leads. */
import { isAbsolute, join } from 'node:path';
import { targetAt } from './seen.ts';

/** As many as the system follows; a path over more of them leads nowhere. */
const MAX_LINKS = 40;
/** Of all places on all ways together. */
const MAX_CHARACTERS = 50_000_000;

/**
 * Tells of a path every place that it leads through: where each link of it lies, and where it ends, whether there is anything
 * or not; over too many links, the last of them that counts. A link to the outside that lies in a project can be turned by
 * whoever writes there. Links are hostile: nothing here is deeper or longer than they are many. What it has seen of the files
 * it does not look at again.
 * @throws where all paths it was asked about are too much together
 */
export function waysThrough(): WaysOf {
  const seen = new Map<string, readonly string[] | undefined>();
  let left = MAX_CHARACTERS;
  /** What stands in a link, the last part first. */
  const targetOf = (path: string) => {
    left -= path.length;
    if (left < 0) throw new Error('its links lead through too much');
    if (!seen.has(path)) seen.set(path, partsOf(targetAt(path)));
    return seen.get(path);
  };
  return (path) => {
    const ways: string[] = [];
    const rest = [...(partsOf(isAbsolute(path) ? path : join(process.cwd(), path)) ?? [])];
    let at = '';
    for (let name = rest.pop(); name !== undefined; name = rest.pop()) {
      if (name === '..') {
        at = at.slice(0, Math.max(0, at.lastIndexOf('/')));
        continue;
      }
      const here = name === '/' ? '' : `${at}/${name}`;
      const target = here === '' ? undefined : targetOf(here);
      if (target === undefined) {
        at = here;
        continue;
      }
      ways.push(here);
      if (ways.length > MAX_LINKS) return ways;
      rest.push(...target);
    }
    return [...ways, at || '/'];
  };
}

export type WaysOf = (path: string) => readonly string[];

/** Without those that lead nowhere else, the last one first; the first of an absolute path is a slash. */
function partsOf(path: string | undefined): readonly string[] | undefined {
  if (path === undefined) return undefined;
  const parts = path.split('/').filter((name) => name !== '' && name !== '.');
  return [...(isAbsolute(path) ? ['/'] : []), ...parts].reverse();
}
