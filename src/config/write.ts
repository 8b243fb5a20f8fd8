/** Writes configuration files: private, and atomically (RE-3). */
import { chmodSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { applyEdits, modify, type ParseError, parse } from 'jsonc-parser';
import { makeDirectory } from '../text/files.ts';
import { isJsonObject, type JsonObject, tooDeepAt } from '../text/json.ts';
import type { ModelConfig } from './config.ts';

const FORMAT = { insertSpaces: true, tabSize: 2, eol: '\n' };

const FRESH = `// Configuration of aish-tui. docs/config.md describes every key.
{}
`;

/** One change: the value at a place; undefined removes the value. */
type Change = { readonly place: readonly string[]; readonly value: unknown };
/** Changes that depend on the current content; or a one-line reason why there are none. */
type Changes = (there: JsonObject) => readonly Change[] | string;

/**
 * Adds a preset to the existing file and makes it the active one; comments and order stay (BR-6). Of an existing
 * preset only the model changes, because its key and secrets policy belong to its address.
 * @returns undefined on success, else a one-line reason
 */
export function writeModelChoice(path: string, name: string, model: ModelConfig): string | undefined {
  return changeConfig(path, ({ models }) => {
    const own = isJsonObject(models) && isJsonObject(models[name]) ? models[name] : undefined;
    if (own && own.base_url !== model.base_url) return `${path}: ${name} is another address there; nothing was saved`;
    const preset = own
      ? { place: ['models', name, 'model'], value: model.model }
      : { place: ['models', name], value: model };
    return [preset, { place: ['model'], value: name }];
  });
}

/**
 * Changes values in a configuration file, which may not exist yet; comments and order stay.
 * @returns undefined on success, else a one-line reason
 */
export function changeConfig(path: string, wanted: readonly Change[] | Changes): string | undefined {
  let text = FRESH;
  try {
    text = readFileSync(path, 'utf8') || FRESH;
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') return `${path}: can't be read (${codeOf(error)}); nothing was saved`;
  }
  const errors: ParseError[] = [];
  const value: unknown = tooDeepAt(text) === undefined ? parse(text, errors, { allowTrailingComma: true }) : undefined;
  if (errors.length > 0 || !isJsonObject(value))
    return `${path}: is not a valid configuration; fix it first, nothing was saved`;
  const changes = typeof wanted === 'function' ? wanted(value) : wanted;
  if (typeof changes === 'string') return changes;
  for (const change of changes)
    text = applyEdits(text, modify(text, [...change.place], change.value, { formattingOptions: FORMAT }));
  return writePrivate(path, text);
}

/**
 * Replaces a file atomically, with mode 0600 in a 0700 directory. A symlink stays; its target is replaced.
 * @returns undefined on success, else a one-line reason
 */
export function writePrivate(path: string, text: string): string | undefined {
  let target = path;
  let fresh: string | undefined;
  try {
    makeDirectory(dirname(path));
    target = existing(path);
    fresh = join(dirname(target), `.${process.pid}.${Date.now()}.aish`);
    writeFileSync(fresh, text, { mode: 0o600, flag: 'wx', flush: true });
    // Keep wider read permissions that the user set on purpose.
    chmodSync(fresh, modeOf(target));
    renameSync(fresh, target);
    return undefined;
  } catch (error) {
    if (fresh !== undefined) rmSync(fresh, { force: true });
    return `${path}: can't be written (${codeOf(error)})`;
  }
}

function existing(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function modeOf(path: string): number {
  return (statSync(path, { throwIfNoEntry: false })?.mode ?? 0o600) & 0o777;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
}
