/**
 * What a host tells is data of its own making: only what has the form of a fact, and the size of one, is taken for it.
 */

/** The longest path that a system takes. */
const MAX_PATH_CHARS = 4096;
const CONTROL = /[\u0000-\u001f\u007f-\u009f\ufffd]/;

/** An absolute path that may be shown and spoken of: no control characters, no way back up. */
export function isPathThere(path: string): boolean {
  if (!path.startsWith('/') || path.length >= MAX_PATH_CHARS || CONTROL.test(path)) return false;
  return path === '/' || path.slice(1).split('/').every(isName);
}

/** The path that is told, without slashes that mean nothing; undefined where it is none that `isPathThere`. */
export function pathTold(text: string): string | undefined {
  const path = text.replace(/\/+/g, '/').replace(/(?!^)\/$/, '');
  return isPathThere(path) ? path : undefined;
}

function isName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..';
}

/** The names in an answer, each ended by NUL: at most `most`, none longer than a path. */
export function namesTold(text: string, most: number): readonly string[] {
  const names: string[] = [];
  for (
    let from = 0, end = text.indexOf('\0');
    end >= 0 && names.length < most;
    from = end + 1, end = text.indexOf('\0', from)
  )
    if (end > from && end - from < MAX_PATH_CHARS) names.push(text.slice(from, end));
  return names;
}

/** A line of a host's own words. @param most characters */
export function lineTold(text: string, most: number): string {
  return text.slice(0, most).replace(new RegExp(CONTROL, 'g'), '�').trim();
}
