import { open } from 'node:fs/promises';

const CHUNK_BYTES = 1024 * 1024;
const STAR = 0x2a;

/**
 * Writes stars over every occurrence of some texts in a file, in place: nothing of them stays on the disk. Never
 * rejects; false where it could not be done.
 */
export async function overwriteInFile(path: string, texts: readonly string[]): Promise<boolean> {
  const wanted = texts.map((text) => Buffer.from(text)).filter(({ length }) => length > 0);
  if (wanted.length === 0) return true;
  const overlap = Math.max(...wanted.map(({ length }) => length)) - 1;
  try {
    await using file = await open(path, 'r+');
    const chunk = Buffer.alloc(CHUNK_BYTES + overlap);
    for (let from = 0; ; from += CHUNK_BYTES) {
      const { bytesRead } = await file.read(chunk, 0, chunk.length, from);
      const data = chunk.subarray(0, bytesRead);
      if (starred(data, wanted)) await file.write(data, 0, bytesRead, from);
      if (bytesRead < chunk.length) return true;
    }
  } catch {
    return false;
  }
}

/** Whether anything was found, and is stars now. */
function starred(data: Buffer, wanted: readonly Buffer[]): boolean {
  let found = false;
  for (const text of wanted) {
    for (let at = data.indexOf(text); at >= 0; at = data.indexOf(text, at + text.length)) {
      data.fill(STAR, at, at + text.length);
      found = true;
    }
  }
  return found;
}
