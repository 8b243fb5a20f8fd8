/** A file of rows to which several programs append: what is new in it, at the price of one look where nothing is. */
import { appendFileSync, closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';

export class GrowingFile {
  readonly path: string;
  readonly #maxBytes: number;
  #inode = -1;
  #end = 0;

  /** @param maxBytes of a larger file only the end is read */
  constructor(path: string, maxBytes: number) {
    this.path = path;
    this.#maxBytes = maxBytes;
  }

  /** The whole rows that came since the last call; `anew` where it is another file by now. Undefined for none. */
  read(): { readonly anew: boolean; readonly data: Buffer } | undefined {
    let file: number | undefined;
    try {
      const { ino, size } = statSync(this.path);
      if (ino === this.#inode && size === this.#end) return undefined;
      file = openSync(this.path, 'r');
      return this.#readFrom(file);
    } catch {
      return undefined;
    } finally {
      if (file !== undefined) closeSync(file);
    }
  }

  /**
   * Appends a row. Where all was read before and nobody wrote meanwhile, it is not read again; else the result is false
   * and it comes with the next rows. Throws where it can't be written; the file is made with `mode`, its directory is not.
   */
  append(row: string, mode: number): boolean {
    const file = openSync(this.path, 'a', mode);
    try {
      appendFileSync(file, row);
      const { ino, size } = fstatSync(file);
      const alone = ino === this.#inode && size === this.#end + Buffer.byteLength(row);
      if (alone) this.#end = size;
      return alone;
    } finally {
      closeSync(file);
    }
  }

  #readFrom(file: number): { readonly anew: boolean; readonly data: Buffer } | undefined {
    const { ino, size } = fstatSync(file);
    const anew = ino !== this.#inode || size < this.#end;
    const from = anew ? Math.max(0, size - this.#maxBytes) : this.#end;
    const data = Buffer.alloc(size - from);
    const read = readSync(file, data, 0, data.length, from);
    // Half a row is read when it is whole.
    const whole = data.lastIndexOf(0x0a, read - 1) + 1;
    this.#inode = ino;
    this.#end = from + whole;
    return whole === 0 && !anew ? undefined : { anew, data: data.subarray(0, whole) };
  }
}
