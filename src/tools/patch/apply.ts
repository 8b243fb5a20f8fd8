/** The pure core of `patch`: a text and its patches → the new text, or why not (TO-2). */

import { type Lines, linesOf, toNewlines } from './lines.ts';
import { type Edit, type Found, finder } from './match.ts';
import { MAX_FILE_BYTES, MAX_INPUT_BYTES, type Patch, shapeProblem } from './patches.ts';

export type PatchResult =
  | { readonly ok: true; readonly text: string; readonly notes: readonly string[] }
  | { readonly ok: false; readonly message: string };

const BYTE_ORDER_MARK = '\ufeff';
/** Problems spelled out in one answer; the model mends these first. */
const MAX_PROBLEMS = 5;

/**
 * Applies all patches to the original, or none. Every patch is looked up in the original, not in what others made of
 * it.
 * @param original the file as it is, with its byte order mark and line breaks; undefined when there is none
 * @returns the new text with the original's mark and line breaks, or lines for the model: which patch, why, and what
 *   the file has instead. `notes` name matches that were not exact.
 */
export function applyPatches(original: string | undefined, patches: readonly Patch[]): PatchResult {
  const problem = callProblem(patches);
  if (problem !== undefined) return { ok: false, message: problem };
  const mark = original?.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  const body = (original ?? '').slice(mark.length);
  const lines = linesOf(body);
  const find = finder(lines);
  const problems: string[] = [];
  const edits: Edit[] = [];
  const notes: string[] = [];
  for (const [index, given] of patches.entries()) {
    const wrong = shapeProblem(given, original !== undefined);
    const found: Found = wrong === undefined ? find(withoutMark(given, mark), index) : { problem: wrong };
    if ('problem' in found) problems.push(`${nameOf(patches, index)}: ${found.problem}`);
    // Putting nothing in is no edit: at the end of the file it would still ask for a line of its own.
    else edits.push(...found.edits.filter((edit) => edit.text !== '' || edit.start < edit.end));
    if ('note' in found) notes.push(`${nameOf(patches, index)} ${found.note}`);
    if (problems.length === MAX_PROBLEMS) break;
  }
  if (problems.length > 0) return { ok: false, message: problems.join('\n') };
  edits.sort(byPosition);
  const clash = clashOf(edits, lines, patches);
  if (clash !== undefined) return { ok: false, message: clash };
  const tooLarge = { ok: false, message: `the file would be larger than ${MAX_FILE_BYTES} bytes` } as const;
  // Looked at before it is made: replaceAll can turn a small call into more than memory holds.
  const size = edits.reduce((sum, edit) => sum + edit.text.length - (edit.end - edit.start), body.length);
  if (size > MAX_FILE_BYTES) return tooLarge;
  const text = mark + assemble(body, lines, edits);
  if (Buffer.byteLength(text) > MAX_FILE_BYTES) return tooLarge;
  if (text === original) return { ok: false, message: 'the patches change nothing: the file already reads so' };
  return { ok: true, text, notes };
}

function callProblem(patches: readonly Patch[]): string | undefined {
  if (patches.length === 0) return 'there are no patches';
  const texts = patches.flatMap(({ oldText, newText }) => [oldText ?? '', newText ?? '']);
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (bytes > MAX_INPUT_BYTES)
    return `the patches carry ${bytes} bytes of text; at most ${MAX_INPUT_BYTES} go into one call: split it`;
  const overwrite = patches.findIndex((patch) => patch.operation === 'overwrite');
  if (overwrite === -1 || patches.length === 1) return undefined;
  return `${nameOf(patches, overwrite)}: overlaps every other patch; an overwrite stands alone in its call`;
}

function nameOf(patches: readonly Patch[], index: number): string {
  return `patch ${index + 1} (${patches[index]?.operation ?? ''})`;
}

/** A model that copied the file's mark into its texts does not mean a second one. */
function withoutMark(patch: Patch, mark: string): Patch {
  const strip = (text: string) => (mark !== '' && text.startsWith(mark) ? text.slice(mark.length) : text);
  return {
    ...patch,
    ...(patch.oldText === undefined ? {} : { oldText: strip(patch.oldText) }),
    ...(patch.newText === undefined ? {} : { newText: strip(patch.newText) }),
  };
}

/** What goes in at a place stands before what replaces the text from there on. */
function byPosition(one: Edit, other: Edit): number {
  const insertion = (edit: Edit) => (edit.start === edit.end ? 0 : 1);
  return (
    one.start - other.start || insertion(one) - insertion(other) || one.rank - other.rank || one.patch - other.patch
  );
}

function clashOf(edits: readonly Edit[], lines: Lines, patches: readonly Patch[]): string | undefined {
  let before: Edit | undefined;
  for (const edit of edits) {
    if (before && edit.start < before.end)
      return (
        `${nameOf(patches, edit.patch)}: overlaps ${nameOf(patches, before.patch)} at line ${lines.line(edit.start)}; ` +
        'each applies to the file as it was, so make one patch of them'
      );
    if (!before || edit.end > before.end) before = edit;
  }
  return undefined;
}

function assemble(body: string, lines: Lines, edits: readonly Edit[]): string {
  const out: string[] = [];
  let last = '';
  const put = (text: string) => {
    if (text === '') return;
    out.push(text);
    last = text;
  };
  let from = 0;
  for (const [index, edit] of edits.entries()) {
    put(body.slice(from, lines.original(edit.start)));
    from = lines.original(edit.end);
    const brk = lines.breakAt(edit.start);
    const text = brk === undefined ? edit.text : toNewlines(edit.text).replaceAll('\n', brk);
    const isLast = index === edits.length - 1;
    if (edit.form === 'append' && last !== '' && !last.endsWith('\n')) put(brk ?? '\n');
    put(edit.form === 'append' && isLast ? endLike(text, body, brk ?? '\n') : text);
    const open = edit.form === 'prepend' && text !== '' && !text.endsWith('\n');
    if (open && !(isLast && from === body.length)) put(brk ?? '\n');
  }
  put(body.slice(from));
  return out.join('');
}

/** The end of what is appended: with a line break where the file ended with one, without where it did not. */
function endLike(text: string, body: string, brk: string): string {
  if (body === '' || text === '') return text;
  if (body.endsWith('\n')) return text.endsWith('\n') ? text : text + brk;
  return text.replace(/\r?\n$/, '');
}
