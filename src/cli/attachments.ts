/** Files that a question comes with: their text stands behind it, each under its name. */
import { readText } from '../app/attachments/read.ts';
import { type Attachment, withAttached } from '../session/message.ts';

const MAX_FILES = 20;

export type AttachedFile = { readonly name: string; readonly path: string };

type Attached = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string };

/** The question with the texts of `files`, each under the name that was given for it. */
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
