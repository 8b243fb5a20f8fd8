import { plainText } from '../text/sanitize.ts';
import type { CommandResult } from './action.ts';

/** The maximum length of a command's output in the context, in characters (EX-7). */
export const MAX_OUTPUT_CHARS = 8000;
const HEAD_SHARE = 0.4;
const SHARE_OF_WINDOW = 0.1;
const CHARS_PER_TOKEN = 4;

/** Returns up to `limit` characters from the start, preferably up to a line end. */
function firstPart(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return text.slice(0, text.lastIndexOf('\n', limit - 1) + 1 || wholeCharacters(text, limit));
}

/** Returns up to `limit` characters from the end, preferably from a line start. */
function lastPart(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const floor = text.length - limit;
  const lineStart = text.indexOf('\n', floor - 1) + 1;
  return text.slice(lineStart > 0 && lineStart < text.length ? lineStart : wholeCharacters(text, floor));
}

/** Returns the nearest index at or after `at` that does not split a surrogate pair. */
function wholeCharacters(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at + 1 : at;
}

/** Counts lines of `text` between two positions; a partial line counts as one. */
function linesBetween(text: string, from: number, to: number): number {
  if (from >= to) return 0;
  let lines = 0;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) lines += 1;
  return Math.max(lines, 1);
}

function joined(head: string, omittedLines: number, file: string | undefined, tail: string): string {
  const lines = `${omittedLines} ${omittedLines === 1 ? 'line' : 'lines'} omitted`;
  const mark = file === undefined ? `[${lines}]` : `[${lines}, full text: ${file}]`;
  return `${head}${head === '' || head.endsWith('\n') ? '' : '\n'}${mark}\n${tail}`;
}

/**
 * Cuts `text` to about `limit` characters (head 40 %, tail 60 %, at line ends) around a line that reports the size of
 * the omitted part.
 */
export function clip(text: string, limit: number, file?: string): string {
  if (text.length <= limit) return text;
  const headLimit = Math.floor(limit * HEAD_SHARE);
  const head = firstPart(text, headLimit);
  const tail = lastPart(text, limit - headLimit);
  return joined(head, linesBetween(text, head.length, text.length - tail.length), file, tail);
}

/** Returns a command's output as plain text within `limit` characters (EX-7). */
export function plainOutput(result: CommandResult, limit: number = MAX_OUTPUT_CHARS): string {
  const wholeHead = plainText(result.head);
  if (result.omittedLines === 0) return clip(wholeHead, limit, result.file);
  const wholeTail = plainText(result.tail);
  const headLimit = Math.floor(limit * HEAD_SHARE);
  const head = firstPart(wholeHead, headLimit);
  const tail = lastPart(wholeTail, limit - headLimit);
  const lost =
    linesBetween(wholeHead, head.length, wholeHead.length) +
    result.omittedLines +
    linesBetween(wholeTail, 0, wholeTail.length - tail.length);
  return joined(head, lost, result.file, tail);
}

/** Returns the file of the full output in a form to spread into a turn. */
export function fileOf({ file }: CommandResult): { readonly file?: string } {
  return file === undefined ? {} : { file };
}

/** Returns the maximum characters of one output for a window of this many tokens: about a tenth (EX-7). */
export function outputLimit(window: number | undefined): number {
  if (window === undefined) return MAX_OUTPUT_CHARS;
  return Math.min(MAX_OUTPUT_CHARS, Math.floor(window * SHARE_OF_WINDOW * CHARS_PER_TOKEN));
}

/**
 * Formats a finished command for the model: output, exit code, and the directory after it (EX-7).
 * @param command the first line, if the model's call did not contain it
 * @param known the directory that the model assumes; a different one is named
 */
export function formatForModel(result: CommandResult, command?: string, limit?: number, known?: string): string {
  const output = plainOutput(result, limit).replace(/\n+$/, '');
  const exit = result.exit === null ? 'exit unknown' : `exit ${result.exit}`;
  const note = result.note === undefined ? '' : `, ${plainText(result.note)}`;
  const end = `[${exit}${note}${result.cwd === known ? '' : `, cwd ${plainText(result.cwd)}`}]`;
  const heading = command === undefined ? '' : `$ ${plainText(command)}\n`;
  return `${heading}${output === '' ? '(no output)' : output}\n${end}`;
}
