/** `@` words in a line: `@src/a.py`, `@"my notes.txt"`, `@my\\ notes.txt`. Pure. */

export type Word = {
  /** As it stands in the line. */
  readonly word: string;
  /** What it names, without quotes. */
  readonly name: string;
};

const WORDS = /(?<=^|\s)@(?:"([^"\n]+)"|((?:\\.|[^\s\\@"])(?:\\.|[^\s\\])*))/g;

/** The `@` words of a question, each once. */
export function wordsOf(question: string): readonly Word[] {
  const found = new Map<string, Word>();
  for (const [word, quoted, bare = ''] of question.matchAll(WORDS)) {
    const name = quoted ?? bare.replace(/\\(.)/g, '$1');
    if (!found.has(name)) found.set(name, { word, name });
  }
  return [...found.values()];
}

/** A name as it stands behind an `@`. */
export function quotedName(name: string): string {
  return name.replace(/[\s\\"@]/g, '\\$&');
}

/** The name without the marks with which a sentence goes on behind it: `@a.py?` */
export function withoutMarks(name: string): string {
  return name.replace(/[.,;:?!)\]}'"]+$/, '');
}
