/** What a program ends with NUL, field by field: whoever stops at the first that can't be has not cut up all of a long text. */
export class Fields {
  readonly #text: string;
  #from = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** There is more, whole fields or a rest. */
  get more(): boolean {
    return this.#from < this.#text.length;
  }

  /** Undefined where none is ended any more. */
  next(): string | undefined {
    const end = this.#text.indexOf('\0', this.#from);
    if (end < 0) return undefined;
    const field = this.#text.slice(this.#from, end);
    this.#from = end + 1;
    return field;
  }
}
