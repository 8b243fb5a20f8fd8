/** The images of a conversation, read when a request is sent: a session stores only their files' paths. */
import { readFile } from 'node:fs/promises';
import type { Message } from '../session/message.ts';
import type { Images } from './wire.ts';

/** The maximum bytes of all images in one request; beyond that the oldest are left out. */
const MAX_BYTES = 20_000_000;

/** Reads the images, newest first, as long as they fit. Unreadable ones are missing. */
export async function imagesOf(messages: readonly Message[]): Promise<Images> {
  const urls = new Map<string, string>();
  let room = MAX_BYTES;
  const all = messages.flatMap((message) => (message.role === 'user' ? (message.images ?? []) : []));
  for (const { file, type, bytes } of all.toReversed()) {
    if (urls.has(file) || bytes > room) continue;
    const read = await readFile(file).catch(() => undefined);
    if (!read || read.length !== bytes) continue;
    urls.set(file, `data:${type};base64,${read.toString('base64')}`);
    room -= bytes;
  }
  return urls;
}

/** Whether a request has images at all. */
export function hasImages(messages: readonly Message[]): boolean {
  return messages.some((message) => message.role === 'user' && (message.images?.length ?? 0) > 0);
}
