/** What a tool answered → text for the model and the screen (MC-4). */

import { clip, MAX_OUTPUT_CHARS, plainOutput } from '../../session/exec-text.ts';
import { asArray, isJsonObject, type JsonObject } from '../../text/json.ts';
import { plainText } from '../../text/sanitize.ts';

export type KeepText = (text: string) => Promise<string | undefined>;

/** Parts that are looked at, and characters at each end of a large text that are cleaned. */
const MAX_PARTS = 1000;
const EDGE_CHARS = 64 * 1024;
const MAX_NAME_CHARS = 300;

/**
 * Text parts as they are; images, sounds and resources by name, type and size; the structured answer where there is
 * nothing else. Cut like a command's output, the whole of it kept by `keep` (a private file's path, or undefined).
 */
export async function readResult(raw: JsonObject, keep: KeepText): Promise<{ text: string; failed: boolean }> {
  const parts = asArray(raw.content);
  const texts = parts.slice(0, MAX_PARTS).map(partText);
  if (parts.length > MAX_PARTS) texts.push(`[${parts.length - MAX_PARTS} more parts]`);
  if (texts.length === 0 && raw.structuredContent !== undefined) texts.push(JSON.stringify(raw.structuredContent));
  const whole = texts.join('\n');
  const failed = raw.isError === true;
  if (whole.trim() === '') return { text: failed ? 'it failed without a message' : '(no content)', failed };
  const file = whole.length > MAX_OUTPUT_CHARS ? await keep(whole) : undefined;
  return { text: bounded(whole, file), failed };
}

/** Head and tail within the limit. Of a very large text only the ends are looked at: time must not grow with it. */
function bounded(text: string, file: string | undefined): string {
  if (text.length <= 4 * EDGE_CHARS) return clip(plainText(text), MAX_OUTPUT_CHARS, file);
  return plainOutput({
    exit: 0,
    cwd: '',
    head: text.slice(0, EDGE_CHARS),
    tail: text.slice(-EDGE_CHARS),
    omittedLines: newlines(text, EDGE_CHARS, text.length - EDGE_CHARS),
    bytes: text.length,
    milliseconds: 0,
    ...(file === undefined ? {} : { file }),
  });
}

function newlines(text: string, from: number, to: number): number {
  let lines = 1;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

function partText(part: unknown): string {
  if (!isJsonObject(part)) return '[not a content part]';
  switch (part.type) {
    case 'text':
      return typeof part.text === 'string' ? part.text : '';
    case 'image':
    case 'audio':
      return `[${part.type}: ${word(part.mimeType)}, ${size(decoded(part.data))}]`;
    case 'resource':
      return resource(isJsonObject(part.resource) ? part.resource : {});
    case 'resource_link':
      return `[resource: ${word(part.uri)}, ${word(part.mimeType)}${typeof part.size === 'number' ? `, ${size(part.size)}` : ''}]`;
    default:
      return `[unknown kind of content: ${word(part.type)}]`;
  }
}

function resource({ uri, mimeType, text, blob }: JsonObject): string {
  const bytes = typeof text === 'string' ? Buffer.byteLength(text) : decoded(blob);
  return `[resource: ${word(uri)}, ${word(mimeType)}, ${size(bytes)}]`;
}

/** Bytes behind base64. */
function decoded(data: unknown): number {
  return typeof data === 'string' ? Buffer.byteLength(data, 'base64') : 0;
}

function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function word(value: unknown): string {
  if (typeof value !== 'string' || value === '') return 'type unknown';
  return plainText(value).replaceAll('\n', ' ').slice(0, MAX_NAME_CHARS);
}
