/** The way to `find.ts`, which is loaded with the first `@`: a start must not wait for it. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { App } from '../commands/app.ts';
import type { AttachmentsPort } from '../contracts/lines.ts';
import { quotedName } from './attachments/read.ts';

/** A path that a terminal puts in place of a file that is dropped on it. */
const DROPPED = /^(?:'[^'\n]+'|"[^"\n]+"|(?:file:\/\/|~?\/)(?:\\.|[^\s\\])+)$/;
const IMAGE = /\.(?:png|jpe?g|gif|webp)$/i;

/** @param keep where images are kept */
export function lazyAttachments(app: () => App, keep: string): AttachmentsPort {
  const port = async () => (await import('./attachments/find.ts')).attachmentsOf(app(), keep);
  return {
    find: async (question) => (await port()).find(question),
    take: async (question) => (await port()).take(question),
    complete: async (start) => (await port()).complete(start),
    pasted(text) {
      const word = text.trim();
      if (!DROPPED.test(word)) return undefined;
      const bare = word.startsWith('file:')
        ? pathOf(word)
        : word.replace(/^(['"])(.*)\1$/, '$2').replace(/\\(.)/g, '$1');
      return bare !== undefined && IMAGE.test(bare) && existsSync(bare) ? `@${quotedName(bare)}` : undefined;
    },
  };
}

function pathOf(url: string): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    return undefined;
  }
}
