/** Texts that were evicted from the model's context, saved beside the session's full outputs, readable by the user alone. */
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** @param folder of the session's full outputs; the files go with it. The same text is saved once. */
export function saveEvictedText(folder: string) {
  return async (text: string): Promise<string | undefined> => {
    const path = join(folder, `evicted-${createHash('sha256').update(text).digest('hex').slice(0, 12)}.txt`);
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(path, text, { mode: 0o600, flag: 'wx' });
    } catch (error) {
      // A full disk costs the copy, not the conversation.
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) return undefined;
    }
    return path;
  };
}
