/**
 * Splits streamed text at the tags that some models write into it: `<think>` for reasoning and `<tool_call>` for calls
 * that the server did not recognise. A tag may be cut anywhere between two chunks. A tag inside code (a fence or
 * backticks) is only talked about and stays text.
 */

export type MarkupSink = {
  text(delta: string): void;
  reasoning(delta: string): void;
  /** A closed `<tool_call>` body. False: it is no call we know, the text goes on as it is. */
  call(body: string): boolean;
  /** What was text so far was reasoning: a lone `</think>` came, its opening tag was part of the prompt. */
  wasReasoning(): void;
};

export type MarkupSplitter = {
  push(chunk: string): void;
  /** The stream is over. `cut`: by the token limit or a fault, so that an open call is no call. True: one was dropped. */
  end(cut: boolean): boolean;
};

type Kind = 'think' | 'call';
const OPENING: Readonly<Record<string, { kind: Kind; close: string }>> = {
  '<think>': { kind: 'think', close: '</think>' },
  '<thinking>': { kind: 'think', close: '</thinking>' },
  '<tool_call>': { kind: 'call', close: '</tool_call>' },
};
const LONE_CLOSE = '</think>';
const TEXT_TAGS = [...Object.keys(OPENING), LONE_CLOSE];

export function createMarkupSplitter(sink: MarkupSink): MarkupSplitter {
  let buffer = '';
  let inside: { tag: string; kind: Kind; close: string; body: string; first: boolean } | undefined;
  let blankSoFar = true;
  let thought = false;
  const code = createCodeTracker();

  const emitText = (text: string): void => {
    // Between a thought and the answer models leave blank lines that belong to neither.
    const shown = thought && blankSoFar ? text.trimStart() : text;
    if (shown === '') return;
    if (shown.trim() !== '') blankSoFar = false;
    code.push(shown);
    sink.text(shown);
  };

  const open = (tag: string): void => {
    const opening = OPENING[tag];
    if (code.inCode()) {
      emitText(tag);
    } else if (opening) {
      inside = { tag, ...opening, body: '', first: blankSoFar };
    } else if (thought) {
      emitText(tag);
    } else {
      thought = true;
      blankSoFar = true;
      code.reset();
      sink.wasReasoning();
    }
  };

  const close = (): void => {
    if (!inside) return;
    const { tag, kind, close: closing, body } = inside;
    inside = undefined;
    if (kind === 'think') thought = true;
    else if (!sink.call(body)) emitText(tag + body + closing);
  };

  const takeInside = (part: string): void => {
    if (!inside || part === '') return;
    inside.body += part;
    if (inside.kind === 'think') sink.reasoning(part);
  };

  const drain = (): void => {
    for (;;) {
      const tags: readonly string[] = inside ? [inside.close] : TEXT_TAGS;
      const found = earliest(buffer, tags);
      const until = found ? found.at : buffer.length - heldBack(buffer, tags);
      const part = buffer.slice(0, until);
      buffer = buffer.slice(found ? until + found.tag.length : until);
      if (inside) takeInside(part);
      else emitText(part);
      if (!found) return;
      if (inside) close();
      else open(found.tag);
    }
  };

  return {
    push(chunk) {
      buffer += chunk;
      drain();
    },
    end(cut) {
      const rest = buffer;
      buffer = '';
      if (!inside) {
        emitText(rest);
        return false;
      }
      takeInside(rest);
      const { tag, kind, body, first } = inside;
      inside = undefined;
      if (kind === 'call' && cut) return true;
      if (kind === 'call' && sink.call(body)) return false;
      // A thought that opened the answer and never closed is a thought; one in mid-answer was only a word.
      if (kind === 'call' || !first) emitText(tag + body);
      return false;
    },
  };
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

/** Knows whether the end of the text so far stands in a code fence or between backticks. */
function createCodeTracker() {
  let fenced = false;
  let lineStart = '';
  let ticks = 0;
  const isFence = (): boolean => /^\s{0,3}(```|~~~)/.test(lineStart);
  return {
    push(text: string): void {
      for (const char of text) {
        if (char === '\n') {
          if (isFence()) fenced = !fenced;
          lineStart = '';
          ticks = 0;
        } else {
          if (lineStart.length < 8) lineStart += char;
          if (char === '`') ticks += 1;
        }
      }
    },
    inCode: (): boolean => fenced || isFence() || ticks % 2 === 1,
    reset(): void {
      fenced = false;
      lineStart = '';
      ticks = 0;
    },
  };
}
