import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** The first bytes of a file as text, however large it is. Throws where it can't be read. */
export function readBeginning(path: string, maxBytes: number): string {
  return readPart(path, maxBytes, () => 0);
}

/** The same of its last bytes. */
export function readEnd(path: string, maxBytes: number): string {
  return readPart(path, maxBytes, (size) => Math.max(0, size - maxBytes));
}

function readPart(path: string, maxBytes: number, from: (size: number) => number): string {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(maxBytes);
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, maxBytes, from(fstatSync(file).size)));
  } finally {
    closeSync(file);
  }
}
