/** How the user took lines that could have been a command or a question (IN-9): a shape of line, and what it is. */
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isJsonObject, parseJson } from '../text/json.ts';

type Choices = {
  of(shape: string): 'shell' | 'ai' | undefined;
  add(shape: string, kind: 'shell' | 'ai'): void;
};

/** Opens them at `path`, one JSON row each, 0600; the last one of a shape counts. A file that can't be written costs the keeping, nothing else. */
export function openChoices(path: string): Choices {
  let known: Map<string, 'shell' | 'ai'> | undefined;
  const read = () => {
    known ??= new Map(rowsOf(path));
    return known;
  };
  return {
    of: (shape) => read().get(shape),
    add(shape, kind) {
      if (read().get(shape) === kind) return;
      read().set(shape, kind);
      try {
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
        appendFileSync(path, `${JSON.stringify({ shape, kind })}\n`, { mode: 0o600 });
      } catch {
        // It holds for this session.
      }
    },
  };
}

function rowsOf(path: string): readonly (readonly [string, 'shell' | 'ai'])[] {
  let text = '';
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    // None yet.
  }
  return text.split('\n').flatMap((row) => {
    const value = parseJson(row);
    if (!isJsonObject(value) || typeof value.shape !== 'string') return [];
    return value.kind === 'shell' || value.kind === 'ai' ? [[value.shape, value.kind] as const] : [];
  });
}
