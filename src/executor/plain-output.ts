/** Output that needs no terminal model: so far it is printable ASCII in lines, each of which stands as it came. */

/** More than this is what a model with its bounds is for. */
const MAX_BYTES = 64 * 1024;
const [LF, CR] = [0x0a, 0x0d];

export class PlainOutput {
  #text = '';
  #lines: readonly string[] | undefined;

  /** Takes what is still plain, whole; false: a model must draw this, and all that came before. */
  take(data: Buffer): boolean {
    if (this.#text.length + data.length > MAX_BYTES || !isPlain(data)) return false;
    this.#text += data.toString('latin1');
    this.#lines = undefined;
    return true;
  }

  /** All lines, without blanks at their ends and without blank ones at the end of all. */
  lines(): readonly string[] {
    if (this.#lines) return this.#lines;
    const lines = this.#text.split('\n').map((line) => line.trimEnd());
    while (lines.at(-1) === '') lines.pop();
    this.#lines = lines;
    return lines;
  }

  /** The same in rows of a screen, at most `max` from the end. */
  rows(columns: number, max: number): readonly string[] {
    return this.lines()
      .slice(-max)
      .flatMap((line) => (line.length <= columns ? [line] : wrap(line, columns)))
      .slice(-max);
  }

  /** What stands in the last row. */
  lastRow(columns: number): string {
    const line = this.#text.slice(this.#text.lastIndexOf('\n') + 1);
    return line.slice(line.length - (line.length % columns || Math.min(line.length, columns)));
  }
}

function isPlain(data: Buffer): boolean {
  for (let at = 0; at < data.length; at += 1) {
    const byte = data[at] ?? 0;
    if (byte > 0x1f ? byte > 0x7e : byte !== LF && (byte !== CR || data[at + 1] !== LF)) return false;
  }
  return true;
}

function wrap(line: string, columns: number): readonly string[] {
  return Array.from({ length: Math.ceil(line.length / columns) }, (_, n) =>
    line.slice(n * columns, (n + 1) * columns).trimEnd(),
  );
}
