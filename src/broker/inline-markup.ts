/**
 * Splits streamed text at the tags that some models write into it: `<think>` for reasoning and `<tool_call>` for calls
 * that the server did not recognise. A tag may be cut anywhere between two chunks. A tag inside code (a fence or
 * backticks) is only talked about and stays text.
 */

export type MarkupSink = {
  text(delta: string): void;
  reasoning(delta: string): void;
  /** A closed `<tool_call>` body. False: not a known call; the text is kept as it is. */
  call(body: string): boolean;
  /** What was text so far was reasoning: a lone `</think>` came, its opening tag was part of the prompt. */
  wasReasoning(): void;
};

type Kind = 'think' | 'call';
const OPENING: Readonly<Record<string, { kind: Kind; close: string }>> = {
  '<think>': { kind: 'think', close: '</think>' },
  '<thinking>': { kind: 'think', close: '</thinking>' },
  '<tool_call>': { kind: 'call', close: '</tool_call>' },
};
const LONE_CLOSE = '</think>';
const TEXT_TAGS = [...Object.keys(OPENING), LONE_CLOSE];

type Inside = { tag: string; kind: Kind; close: string; body: string; first: boolean };

export class MarkupSplitter {
  readonly #sink: MarkupSink;
  readonly #code = new CodeTracker();
  #buffer = '';
  #inside: Inside | undefined;
  #blankSoFar = true;
  #thought = false;

  constructor(sink: MarkupSink) {
    this.#sink = sink;
  }

  push(chunk: string): void {
    this.#buffer += chunk;
    for (;;) {
      const tags: readonly string[] = this.#inside ? [this.#inside.close] : TEXT_TAGS;
      const found = earliest(this.#buffer, tags);
      const until = found ? found.at : this.#buffer.length - heldBack(this.#buffer, tags);
      const part = this.#buffer.slice(0, until);
      this.#buffer = this.#buffer.slice(found ? until + found.tag.length : until);
      if (this.#inside) this.#takeInside(this.#inside, part);
      else this.#emitText(part);
      if (!found) return;
      if (this.#inside) this.#close(this.#inside);
      else this.#open(found.tag);
    }
  }

  /** The stream is over. `cut`: by the token limit or a fault, so that an incomplete call is dropped. True: one was dropped. */
  end(cut: boolean): boolean {
    const rest = this.#buffer;
    const inside = this.#inside;
    this.#buffer = '';
    this.#inside = undefined;
    if (!inside) {
      this.#emitText(rest);
      return false;
    }
    this.#takeInside(inside, rest);
    const { tag, kind, body, first } = inside;
    if (kind === 'call' && cut) return true;
    if (kind === 'call' && this.#sink.call(body)) return false;
    // A thought that opened the answer and never closed is a thought; one in mid-answer was only a word.
    if (kind === 'call' || !first) this.#emitText(tag + body);
    return false;
  }

  #emitText(text: string): void {
    // Between a thought and the answer models leave blank lines that belong to neither.
    const shown = this.#thought && this.#blankSoFar ? text.trimStart() : text;
    if (shown === '') return;
    if (shown.trim() !== '') this.#blankSoFar = false;
    this.#code.push(shown);
    this.#sink.text(shown);
  }

  #open(tag: string): void {
    const opening = OPENING[tag];
    if (this.#code.inCode) this.#emitText(tag);
    else if (opening) this.#inside = { tag, ...opening, body: '', first: this.#blankSoFar };
    else if (this.#thought) this.#emitText(tag);
    else {
      this.#thought = true;
      this.#blankSoFar = true;
      this.#code.reset();
      this.#sink.wasReasoning();
    }
  }

  #close({ tag, kind, close, body }: Inside): void {
    this.#inside = undefined;
    if (kind === 'think') this.#thought = true;
    else if (!this.#sink.call(body)) this.#emitText(tag + body + close);
  }

  #takeInside(inside: Inside, part: string): void {
    if (part === '') return;
    inside.body += part;
    if (inside.kind === 'think') this.#sink.reasoning(part);
  }
}

function earliest(text: string, tags: readonly string[]): { at: number; tag: string } | undefined {
  let best: { at: number; tag: string } | undefined;
  for (const tag of tags) {
    const at = text.indexOf(tag);
    if (at >= 0 && (!best || at < best.at)) best = { at, tag };
  }
  return best;
}

/** How many characters at the end may be the beginning of a tag. */
function heldBack(text: string, tags: readonly string[]): number {
  const at = text.lastIndexOf('<');
  if (at < 0) return 0;
  const tail = text.slice(at);
  return tags.some((tag) => tag.startsWith(tail)) ? tail.length : 0;
}

/** Characters at the beginning of a line that tell a fence. */
const FENCE_CHARS = 8;

/** Tracks whether the end of the text so far is inside a code fence or backticks. */
class CodeTracker {
  #fenced = false;
  #lineStart = '';
  #ticks = 0;

  push(text: string): void {
    let from = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      this.#addToLine(text.slice(from, end));
      if (this.#isFence) this.#fenced = !this.#fenced;
      this.#lineStart = '';
      this.#ticks = 0;
      from = end + 1;
    }
    this.#addToLine(text.slice(from));
  }

  #addToLine(part: string): void {
    if (this.#lineStart.length < FENCE_CHARS) this.#lineStart += part.slice(0, FENCE_CHARS - this.#lineStart.length);
    for (let at = part.indexOf('`'); at >= 0; at = part.indexOf('`', at + 1)) this.#ticks += 1;
  }

  get inCode(): boolean {
    return this.#fenced || this.#isFence || this.#ticks % 2 === 1;
  }

  reset(): void {
    this.#fenced = false;
    this.#lineStart = '';
    this.#ticks = 0;
  }

  get #isFence(): boolean {
    return /^\s{0,3}(```|~~~)/.test(this.#lineStart);
  }
}
