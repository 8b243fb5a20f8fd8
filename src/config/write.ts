/** Writing files of the configuration: private, and whole or not at all (RE-3). */
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

/** One change: the value at a place, or undefined to take it away. */
type Change = { readonly place: readonly string[]; readonly value: unknown };
/** Changes that depend on what is there; or one line why there are none. */
type Changes = (there: JsonObject) => readonly Change[] | string;

/**
 * Adds a preset and makes it the active one, in the existing file: comments and order stay (BR-6). Of a preset that is
 * there only the model changes: its key, and what is done about secrets, belong to its address.
 * @returns undefined when done, else one line why not
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
 * Changes values in a configuration file, which need not be there yet: comments and order stay.
 * @returns undefined when done, else one line why not
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
 * Replaces a file in one step, 0600 in a 0700 directory. A symbolic link stays one; what it points at is replaced.
 * @returns undefined when done, else one line why not
 */
export function writePrivate(path: string, text: string): string | undefined {
  let target = path;
  let fresh: string | undefined;
  try {
    makeDirectory(dirname(path));
    target = existing(path);
    fresh = join(dirname(target), `.${process.pid}.${Date.now()}.aish`);
    writeFileSync(fresh, text, { mode: 0o600, flag: 'wx', flush: true });
    // A file that the user made readable for more people on purpose stays so.
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
