/** Files that a question comes with: their text stands behind it, each under its name. */
import { readFileSync, statSync } from 'node:fs';

const MAX_BYTES = 256 * 1024;
const MAX_FILES = 20;

export type AttachedFile = { readonly name: string; readonly path: string };

type Attached = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string };

/** The question with the texts of `files`, each under the name that was given for it. */
export function withAttachments(question: string, files: readonly AttachedFile[]): Attached {
  if (files.length > MAX_FILES) return { ok: false, problem: `at most ${MAX_FILES} files can be attached` };
  const parts = [question];
  for (const { name, path } of files) {
    const read = attachment(name, path);
    if (!read.ok) return read;
    parts.push(read.text);
  }
  return { ok: true, text: parts.filter((part) => part !== '').join('\n\n') };
}

/** One file, under `name`; or why not, in a sentence that names it. */
export function attachment(name: string, path: string): Attached {
  const no = (why: string): Attached => ({ ok: false, problem: `${name} can't be attached: ${why}` });
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return no('it is not there');
  // A pipe or a device may never end.
  if (!stat.isFile()) return no('it is not a file');
  if (stat.size > MAX_BYTES) return no(`it is larger than ${MAX_BYTES / 1024} kB`);
  try {
    const bytes = readFileSync(path);
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (text.includes('\0')) return no('it is not text');
    return { ok: true, text: `${name}:\n${fenced(text)}` };
  } catch (error) {
    return no(error instanceof TypeError ? 'it is not text' : 'it can’t be read');
  }
}

/** In a fence that nothing in the text closes. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text.replace(/\n$/, '')}\n${fence}`;
}
