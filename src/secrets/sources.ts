/**
 * Secrets known on this machine: in the environment and in credential files (SE-2). Read once, with limits, without
 * following links.
 */
import { closeSync, constants, fstatSync, opendirSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { type Format, isEnvironmentFile, READABLE_AT_HOME } from '../knowledge/credential-files.ts';
import { detect } from './detect.ts';
import { gradeOf } from './key-name.ts';
import { isOrdinary } from './shape.ts';
import { isPlaceholder } from './vault.ts';

export type Source = { readonly text: string; readonly shape: Format };

/** How many bytes of one file are read. */
const MAX_FILE_BYTES = 256 * 1024;
/** How many entries of a directory are searched for `.env` files, and how many files are read. */
const MAX_ENTRIES = 4000;
const MAX_FILES = 24;
/** The length of the shortest known value. */
const MIN_VALUE_CHARS = 8;

/** The credential files that exist in a home directory. */
export function* homeSources(home: string): Iterable<Source> {
  for (const [path, shape] of READABLE_AT_HOME) {
    const text = read(join(home, path));
    if (text !== undefined) yield { text, shape };
  }
}

/** The `.env*` files of a directory. */
export function* folderSources(folder: string): Iterable<Source> {
  for (const name of envFiles(folder)) {
    const text = read(join(folder, name));
    if (text !== undefined) yield { text, shape: 'pairs' };
  }
}

/** The environment as lines. `also` lists variables that are secret whatever their names. */
export function* environmentSources(
  env: Readonly<Record<string, string | undefined>>,
  also: readonly string[] = [],
): Iterable<Source> {
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || value.length < MIN_VALUE_CHARS || value.length > MAX_FILE_BYTES) continue;
    // The shell's current and previous directory are not passwords, whatever the directories' names.
    if (/^(?:OLD)?PWD$/.test(name) && value.startsWith('/')) continue;
    if (also.includes(name)) yield { text: value, shape: 'token' };
    else
      yield { text: value.includes('\n') ? value : `${name}=${value}`, shape: value.includes('\n') ? 'text' : 'pairs' };
  }
}

function envFiles(folder: string): string[] {
  const names: string[] = [];
  try {
    const entries = opendirSync(folder);
    try {
      for (let left = MAX_ENTRIES; left > 0 && names.length < MAX_FILES; left -= 1) {
        const entry = entries.readSync();
        if (!entry) break;
        if (isEnvironmentFile(entry.name)) names.push(entry.name);
      }
    } finally {
      entries.closeSync();
    }
  } catch {
    // A command can't show anything in an unreadable directory either.
  }
  return names;
}

/** Returns the beginning of a plain file's text. Skips a pipe, by which password managers replace such a file. */
function read(path: string): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    if (!fstatSync(file).isFile()) return undefined;
    const buffer = Buffer.alloc(Math.min(fstatSync(file).size, MAX_FILE_BYTES));
    return buffer.toString('utf8', 0, readSync(file, buffer, 0, buffer.length, 0));
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

type Secret = { readonly value: string; readonly kind: string };

/** Returns the values of a source that are worth searching for everywhere. */
export function* secretsOf(text: string, shape: Format): Iterable<Secret> {
  if (shape === 'token') {
    const value = text.trim();
    if (!/\s/.test(value) && value.length >= MIN_VALUE_CHARS) yield { value, kind: 'TOKEN' };
    return;
  }
  for (const { start, end, kind } of detect(text)) {
    const value = text.slice(start, end);
    if (kind === 'PRIVATE_KEY') yield* keyLines(value);
    else if (value.length >= MIN_VALUE_CHARS) yield { value, kind };
    if (kind === 'CREDENTIAL' || kind === 'BASIC_AUTH') yield* decoded(value);
  }
  if (shape === 'pairs') yield* pairs(text);
  if (shape === 'netrc') yield* matches(text, /\bpassword[ \t\r\n]{1,20}(\S{8,400})/g);
  if (shape === 'pgpass')
    yield* matches(text, /^[^#\n](?:[^:\n\\]|\\.){0,200}(?::(?:[^:\n\\]|\\.){0,200}){3}:([^\n]{8,400})$/gm);
}

/** Yields each line of a private key separately, since a part of a key is a secret too. */
function* keyLines(block: string): Iterable<Secret> {
  yield { value: block, kind: 'PRIVATE_KEY' };
  for (const line of block.split(/\\n|\r?\n/)) {
    if (/^[A-Za-z0-9+/=]{40,100}$/.test(line.trim())) yield { value: line.trim(), kind: 'PRIVATE_KEY' };
  }
}

/** In a settings file the name is enough; the value need not look like a secret. */
function* pairs(text: string): Iterable<Secret> {
  for (const match of text.matchAll(
    /^[ \t]{0,8}(?:export[ \t]+)?([\w.:/-]{2,100})[ \t]{0,4}=[ \t]{0,4}("[^"\n]{8,2000}"|'[^'\n]{8,2000}'|[^\s"'][^\n]{7,2000})$/gm,
  )) {
    const grade = gradeOf(match[1] ?? '');
    const raw = (match[2] ?? '').trim();
    const value = /^["']/.test(raw) ? raw.slice(1, -1) : raw;
    if (grade && !isPlaceholder(value) && !isOrdinary(value) && !/\s/.test(value)) yield { value, kind: grade.kind };
  }
}

function* matches(text: string, pattern: RegExp): Iterable<Secret> {
  for (const match of text.matchAll(pattern)) if (match[1] !== undefined) yield { value: match[1], kind: 'PASSWORD' };
}

/** Yields the password inside the Base64 of `user:password`. */
function* decoded(value: string): Iterable<Secret> {
  const said = Buffer.from(value, 'base64').toString('utf8');
  const password = /^[\x20-\x7e]{1,200}:([\x20-\x7e]{8,400})$/.exec(said)?.[1];
  if (password !== undefined) yield { value: password, kind: 'PASSWORD' };
}
