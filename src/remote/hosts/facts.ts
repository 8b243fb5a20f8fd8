/** Checks facts reported by a host: only well-formed values of limited size are accepted. */

/** The longest path of any system. */
const MAX_PATH_CHARS = 4096;
const CONTROL = /[\u0000-\u001f\u007f-\u009f\ufffd]/;

/** Returns whether this is an absolute path fit for display: no control characters, no `..`. */
export function isRemotePath(path: string): boolean {
  if (!path.startsWith('/') || path.length >= MAX_PATH_CHARS || CONTROL.test(path)) return false;
  return path === '/' || path.slice(1).split('/').every(isName);
}

/** Returns the reported path without redundant slashes; undefined if `isRemotePath` rejects it. */
export function parsePath(text: string): string | undefined {
  const path = text.replace(/\/+/g, '/').replace(/(?!^)\/$/, '');
  return isRemotePath(path) ? path : undefined;
}

function isName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..';
}

/** Returns the NUL-terminated names in an answer: at most `most`, none longer than a path. */
export function parseNames(text: string, most: number): readonly string[] {
  const names: string[] = [];
  for (
    let from = 0, end = text.indexOf('\0');
    end >= 0 && names.length < most;
    from = end + 1, end = text.indexOf('\0', from)
  )
    if (end > from && end - from < MAX_PATH_CHARS) names.push(text.slice(from, end));
  return names;
}

/**
 * Returns a line of a host's own text.
 * @param most the maximum number of characters
 */
export function parseLine(text: string, most: number): string {
  return text.slice(0, most).replace(new RegExp(CONTROL, 'g'), '�').trim();
}
