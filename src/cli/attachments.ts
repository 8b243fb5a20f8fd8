/** Appends the text of attached files to a question, each under its name. */
import { readText } from '../app/attachments/read.ts';
import { type Attachment, withAttached } from '../session/message.ts';

const MAX_FILES = 20;

export type AttachedFile = { readonly name: string; readonly path: string };

type Attached = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string };

/** Returns the question followed by the texts of `files`, each under its given name. */
export async function withAttachments(question: string, files: readonly AttachedFile[]): Promise<Attached> {
  if (files.length > MAX_FILES) return { ok: false, problem: `at most ${MAX_FILES} files can be attached` };
  const parts: Attachment[] = [];
  for (const { name, path } of files) {
    const read = await readText(name, path);
    if (!read.ok) return read;
    parts.push(read.attached);
  }
  return { ok: true, text: withAttached(question, parts) };
}
