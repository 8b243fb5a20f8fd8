/** Reads the files, directories and images attached to a question, within size limits. */
import { constants } from 'node:fs';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { basename, dirname, extname, join, relative } from 'node:path';
import type { Attachment, TextAttachment } from '../../session/message.ts';
import { makeDirectory } from '../../text/files.ts';
import { bytesText } from '../../text/spelled.ts';

const MAX_TEXT_BYTES = 256_000;
/** The usual limit of model servers; no screenshot needs more. */
const MAX_IMAGE_BYTES = 5_000_000;
/** How many names of a directory are listed, and how deep. */
const MAX_NAMES = 400;
const MAX_DEPTH = 4;
/** Directories written by programs, not people. */
const OTHERS: ReadonlySet<string> = new Set(['.git', 'node_modules', '__pycache__', '.venv']);

export type Read<T> = { readonly ok: true; readonly attached: T } | { readonly ok: false; readonly problem: string };

/** Image types that models accept, recognized by their first bytes. */
const IMAGES: readonly (readonly [type: string, extensions: readonly string[], start: RegExp])[] = [
  ['image/png', ['.png'], /^\x89PNG\r\n\x1a\n/],
  ['image/jpeg', ['.jpg', '.jpeg'], /^\xff\xd8\xff/],
  ['image/gif', ['.gif'], /^GIF8[79]a/],
  ['image/webp', ['.webp'], /^RIFF[\s\S]{4}WEBP/],
];

/** Returns whether a file of this name is sent as an image. */
export function isImageName(path: string): boolean {
  const extension = extname(path).toLowerCase();
  return IMAGES.some(([, extensions]) => extensions.includes(extension));
}

/** Reads a text file; on failure the reason is a sentence that contains `name`. */
export async function readText(name: string, path: string): Promise<Read<TextAttachment>> {
  return withFile(name, path, MAX_TEXT_BYTES, async (file, size) => {
    const text = textOf(await bytesOf(file, size));
    return text === undefined ? no(name, 'it is not text') : { ok: true, attached: { kind: 'text', name, text } };
  });
}

/** Reads an image, recognized by its name and its first bytes. */
export async function readImage(name: string, path: string): Promise<Read<Attachment>> {
  return withFile(name, path, MAX_IMAGE_BYTES, async (file, size) => {
    const start = (await bytesOf(file, Math.min(size, 16))).toString('latin1');
    const type = IMAGES.find(([, , pattern]) => pattern.test(start))?.[0];
    if (type === undefined) return no(name, 'it is not an image that models take (png, jpeg, gif, webp)');
    return { ok: true, attached: { kind: 'image', name, file: path, type, bytes: size } };
  });
}

/** Lists the names below a directory, breadth first, without directories that programs wrote. */
export async function readDirectory(name: string, path: string): Promise<Read<TextAttachment>> {
  const names: string[] = [];
  let more = false;
  const walk = async (folder: string, depth: number): Promise<void> => {
    const entries = await readdir(folder, { withFileTypes: true });
    for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
      if (names.length >= MAX_NAMES) more = true;
      if (more) return;
      const below = entry.isDirectory() && !OTHERS.has(entry.name);
      names.push(relative(path, join(folder, entry.name)) + (entry.isDirectory() ? '/' : ''));
      if (below && depth < MAX_DEPTH) await walk(join(folder, entry.name), depth + 1).catch(() => undefined);
    }
  };
  try {
    await walk(path, 1);
  } catch {
    return no(name, 'it can’t be read');
  }
  const text = [...names, ...(more ? [`… more than ${MAX_NAMES} names`] : [])].join('\n');
  return { ok: true, attached: { kind: 'text', name, text: text === '' ? '(empty)' : text } };
}

/**
 * Copies an image to a file of the session with mode 0600. Returns false if the image has changed since it was read.
 */
export async function copyImage(from: string, to: string, bytes: number): Promise<boolean> {
  const read = await withFile(basename(from), from, MAX_IMAGE_BYTES, async (file, size) => ({
    ok: true,
    attached: await bytesOf(file, size),
  }));
  if (!read.ok || read.attached.length !== bytes) return false;
  makeDirectory(dirname(to));
  const copy = await open(to, 'wx', 0o600);
  await copy.writeFile(read.attached).finally(() => copy.close());
  return true;
}

async function withFile<T>(
  name: string,
  path: string,
  most: number,
  read: (file: FileHandle, size: number) => Promise<Read<T>>,
): Promise<Read<T>> {
  let file: FileHandle | undefined;
  try {
    // O_NONBLOCK: opening a pipe would otherwise wait for a writer.
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = await file.stat();
    if (!stat.isFile()) return no(name, 'it is not a file');
    if (stat.size > most) return no(name, `it is larger than ${bytesText(most)}`);
    return await read(file, stat.size);
  } catch (error) {
    const gone = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return no(name, gone ? 'it is not there' : 'it can’t be read');
  } finally {
    await file?.close();
  }
}

async function bytesOf(file: FileHandle, size: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, 0);
  return buffer.subarray(0, bytesRead);
}

function textOf(bytes: Buffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

function no(name: string, why: string): { readonly ok: false; readonly problem: string } {
  return { ok: false, problem: `${name} can't be attached: ${why}` };
}

/** `@` words in a line: `@src/a.py`, `@"my notes.txt"`, `@my\\ notes.txt`. Pure. */

export type Word = {
  /** The word as typed. */
  readonly word: string;
  /** The name without quotes and backslashes. */
  readonly name: string;
};

const WORDS = /(?<=^|\s)@(?:"([^"\n]+)"|((?:\\.|[^\s\\@"])(?:\\.|[^\s\\])*))/g;

/** Returns the distinct `@` words of a question. */
export function wordsOf(question: string): readonly Word[] {
  const found = new Map<string, Word>();
  for (const [word, quoted, bare = ''] of question.matchAll(WORDS)) {
    const name = quoted ?? bare.replace(/\\(.)/g, '$1');
    if (!found.has(name)) found.set(name, { word, name });
  }
  return [...found.values()];
}

/** Quotes a name for use after `@`. */
export function quotedName(name: string): string {
  return name.replace(/[\s\\"@]/g, '\\$&');
}

/** Removes punctuation of the sentence after a name: `@a.py?` */
export function withoutMarks(name: string): string {
  return name.replace(/[.,;:?!)\]}'"]+$/, '');
}
