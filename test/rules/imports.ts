/**
 * Finds what a source file imports. Scanning its text is enough: the formatter keeps statements at the start of a line.
 */

export type Import = { readonly specifier: string; readonly line: number; readonly lazy: boolean };

/** `import … from 'x'`, `export … from 'x'`, `import 'x'`, also with `type` and over several lines. */
const STATEMENT = /^(?:import|export)\b(?:[^'"`;=()]*?\bfrom)?\s*(['"])([^'"\n]+)\1/gm;

/** `import('x')`, as a call or inside a type. */
const CALL = /\bimport\(\s*(['"])([^'"\n]+)\1/g;

/** Returns all imports of `text`, types too, since a type binds two files as a value does. */
export function importsOf(text: string): readonly Import[] {
  const found = (pattern: RegExp, lazy: boolean) =>
    [...text.matchAll(pattern)].map((match) => ({
      specifier: match[2] ?? '',
      line: text.slice(0, match.index).split('\n').length,
      lazy,
    }));
  return [...found(STATEMENT, false), ...found(CALL, true)];
}
