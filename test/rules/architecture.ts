/**
 * The import rule and other formal rules that a machine can check. Run as a program it checks this project and prints
 * one line for each violation: `node test/rules/architecture.ts`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { importsOf } from './imports.ts';
import { roomOf, whyNot } from './rooms.ts';

const MAX_LINES = 800;
const MAX_COLUMNS = 120;
const MAX_EXPRESSION = 200;
/** The first literal regular expression of a line. */
const EXPRESSION = /^(?:[^'`/]|'[^']*'|`[^`]*`)*?(?<![\w)\]])(\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\[])+\/[a-z]*)/;
/** Undo and apply in C, which a single program will replace. */
const OLD_C = /^src\/effects\/launcher\/(?:restore|apply|equal)/;
const FOLDERS = ['src', 'components', 'hooks', 'test', 'docs'];

/** Source files by their path relative to the project, with `/`. */
export type Sources = ReadonlyMap<string, string>;

/** Returns one line for each violation, `path:line: what is wrong`; none when all is well. */
export function violations(sources: Sources): readonly string[] {
  const found: string[] = [];
  for (const [path, text] of sources) {
    const report = (line: number, what: string) => found.push(`${path}:${line}: ${what}`);
    const room = roomOf(path);
    if (!room) report(1, 'src/ holds cli.ts and the rooms that test/rules/rooms.ts names');
    if (path.startsWith('src/') && path.endsWith('x')) report(1, 'src/ has no JSX: pictures are in components/');
    const lines = text.trimEnd().split('\n');
    if (lines.length > MAX_LINES)
      report(lines.length, `${lines.length} lines; a file is one subject in at most ${MAX_LINES}`);
    lines.forEach((line, at) => {
      if (isTooLong(path, line)) report(at + 1, `${line.length} columns; at most ${MAX_COLUMNS}`);
      if (hasLongExpression(path, line)) report(at + 1, 'a long regular expression; pattern() takes it in lines');
    });

    for (const { specifier, line, lazy } of importsOf(text)) {
      if (!specifier.startsWith('.')) {
        const why = whyNotPackage(path, specifier);
        if (why) report(line, `imports ${specifier}: ${why}`);
        continue;
      }
      const target = posix.join(posix.dirname(path), specifier);
      // The target is a data file, or the manifest.
      if (!sources.has(target) && !/\.tsx?$/.test(target)) continue;
      const to = roomOf(target);
      const why = room && to && whyNot(room, to, lazy);
      if (why) report(line, `imports ${target}: ${why}`);
    }
  }
  return found;
}

/** A literal in TypeScript may be longer, as may data: the formatter handles the code around it. */
function isTooLong(path: string, line: string): boolean {
  if (line.length <= MAX_COLUMNS || /^(?:test|docs)\//.test(path) || OLD_C.test(path)) return false;
  return /^\s*(?:\/\/|\/?\*+ )/.test(line) || (/\.[ch]$/.test(path) && !line.includes('"'));
}

function hasLongExpression(path: string, line: string): boolean {
  if (line.length <= MAX_EXPRESSION || /^(?:test|docs)\//.test(path)) return false;
  return (EXPRESSION.exec(line)?.[1] ?? '').length > MAX_EXPRESSION;
}

function whyNotPackage(path: string, specifier: string): string | undefined {
  const name = specifier.replace(/^node:/, '').split('/')[0] ?? '';
  if (path.startsWith('src/session/')) return 'the session is pure and imports nothing';
  if (path.startsWith('src/') && /^(?:react|ink)(?:-|$)/.test(name)) return 'src/ runs without a screen';
  const builtin = builtinModules.includes(name);
  return builtin && !specifier.startsWith('node:') ? `write node:${specifier}` : undefined;
}

/** Returns the project's own sources: TypeScript, the few lines of plain JavaScript, the launcher's C. */
export function readSources(): Sources {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const paths = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => posix.join(folder, name)),
  );
  return new Map(
    paths
      .filter((path) => /\.(?:tsx?|mjs|c|h)$/.test(path))
      .map((path) => [path, readFileSync(join(root, path), 'utf8')]),
  );
}

if (import.meta.main) {
  const found = violations(readSources());
  for (const line of found) console.error(line);
  process.exitCode = found.length > 0 ? 1 : 0;
}
