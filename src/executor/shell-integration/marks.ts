import type { NestedShell } from '../../contracts/commands.ts';
import { find, partialMatchLength, wanted } from '../find-bytes.ts';

/** Starts every mark: a private OSC number. Terminals drop unknown OSC sequences, so a foreign mark does nothing. */
const OPENING = wanted('\x1b]7331;');
const BEL = 0x07;
const ESC = 0x1b;
/** A path has at most 4,096 bytes; anything longer is not a mark. */
const MAX_MARK_BYTES = 8192;

export type Mark = { readonly token: string; readonly kind: string; readonly fields: readonly string[] };

/**
 * Finds shell integration marks (`ESC ] 7331 ; token ; kind ; fields… BEL`) in a byte stream (EX-2).
 * Writers remove control characters from the fields, since these would end the mark. A mark counts only if `accept`
 * knows its token; a forged one stays in the output, where cleaning drops it.
 */
export class MarkScanner {
  readonly #accept: (token: string) => boolean;
  readonly #onText: (data: Buffer) => void;
  readonly #onMark: (mark: Mark) => void;
  #held: Buffer | undefined;

  constructor(accept: (token: string) => boolean, onText: (data: Buffer) => void, onMark: (mark: Mark) => void) {
    this.#accept = accept;
    this.#onText = onText;
    this.#onMark = onMark;
  }

  push(chunk: Buffer): void {
    let data = chunk;
    if (this.#held) {
      data = Buffer.concat([this.#held, chunk]);
      this.#held = undefined;
    }
    let from = 0;
    let search = 0;
    for (;;) {
      const at = find(data, OPENING, search);
      if (at < 0) break;
      const body = data.subarray(at + OPENING.bytes.length, at + MAX_MARK_BYTES);
      const length = body.findIndex((byte) => byte === BEL || byte === ESC);
      if (length < 0) {
        if (data.length - at >= MAX_MARK_BYTES) {
          search = at + OPENING.bytes.length;
          continue;
        }
        this.#text(data.subarray(from, at));
        this.#held = Buffer.from(data.subarray(at));
        return;
      }
      const end = at + OPENING.bytes.length + length;
      // Another sequence interrupts it: the beginning may be a forgery before a true mark.
      const mark = body[length] === BEL ? parse(body.toString('utf8', 0, length)) : undefined;
      search = mark ? end + 1 : end;
      if (!mark || !this.#accept(mark.token)) continue;
      this.#text(data.subarray(from, at));
      from = search;
      this.#onMark(mark);
    }
    const keep = data.length - partialMatchLength(data, OPENING, from);
    this.#text(data.subarray(from, keep));
    if (keep < data.length) this.#held = Buffer.from(data.subarray(keep));
  }

  /** Releases text held back as a possible mark: at the end of the stream, or after a silence. */
  flush(): void {
    const held = this.#held;
    this.#held = undefined;
    if (held) this.#onText(held);
  }

  #text(data: Buffer): void {
    if (data.length > 0) this.#onText(data);
  }
}

function parse(body: string): Mark | undefined {
  // The terminal writes every newline as CR LF, also one in a directory's name.
  const [token, kind, ...fields] = body.replaceAll('\r\n', '\n').split(';');
  if (token === undefined || kind === undefined) return undefined;
  return { token, kind, fields };
}

/**
 * Tracks the marks of a shell nested in a command: `A` a prompt, `B` input, `C` a command begins, `D;EXIT` it has
 * ended. These are FinalTerm's marks (OSC 133), as iTerm2, kitty and fish write them.
 */
export class NestedMarks {
  state: NestedShell | undefined;

  /** Takes the content of an OSC 133; returns whether the state has changed. */
  take(content: string): boolean {
    const [kind, first] = content.split(';', 2);
    const { state } = this;
    if (kind === 'C') this.state = { busy: true };
    else if (kind === 'A' || kind === 'B') this.state = { ...state, busy: false };
    else if (kind === 'D' && state?.busy)
      this.state = { busy: false, ...(isExit(first) ? { exit: Number(first) } : {}) };
    return this.state?.busy !== state?.busy || this.state?.exit !== state?.exit;
  }
}

function isExit(text: string | undefined): boolean {
  return text !== undefined && /^\d{1,3}$/.test(text);
}
