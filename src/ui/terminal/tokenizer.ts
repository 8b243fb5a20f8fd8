/** Bytes from a terminal → tokens. The one place where input is understood (DESIGN law 5). */
import { StringDecoder } from 'node:string_decoder';
import { scan, settle } from './scan.ts';
import type { Schedule } from './schedule.ts';
import type { ReplyToken, Token } from './token.ts';

/** How long an ESC may stand alone before it is the Esc key. */
export const ESCAPE_TIMEOUT_MS = 30;
/** How long a begun sequence may pause before its remains are dropped; replies cross slow links in pieces. */
const SEQUENCE_TIMEOUT_MS = 500;
/** How long a paste may pause before it counts as ended without its end mark. */
const PASTE_TIMEOUT_MS = 2000;
/** Characters kept of one paste, and of one string reply. */
const MAX_PASTE_CHARS = 4 << 20;
const MAX_STRING_CHARS = 8192;

const PASTE_END = '\x1b[201~';
/** A reply whose ESC was taken for the Esc key because the rest came late. */
const LATE_REPLY =
  /^(?:\[(?:\?[\d;]+(?:\$y|[cu])|>[\d;]+c|<\d+;\d+;\d+[Mm]|\d+;\d+R)|\]\d+;[^\u0007\u001b]*(?:\u0007|\u001b\\)|P[>!\d][^\u001b]*\u001b\\)/;

export type Tokenizer = {
  /** Takes a chunk as read from the terminal, cut anywhere. */
  push(bytes: Uint8Array): void;
  /** Gives out what is pending, as if its time were over: before another owner gets the terminal, and at the end. */
  flush(): void;
  /** Forgets what is pending. */
  reset(): void;
};

type Mode =
  | { readonly name: 'ground' }
  | { readonly name: 'paste'; text: string; truncated: boolean }
  | { readonly name: 'string'; text: string; readonly introducer: 'osc' | 'other' };

/** `emit` is called for every token in order, from within `push`, `flush` or a timer. Nothing here throws on any input. */
export function createTokenizer(emit: (token: Token) => void, schedule: Schedule): Tokenizer {
  let decoder = new StringDecoder('utf8');
  let pending = '';
  let mode: Mode = { name: 'ground' };
  let cancel: (() => void) | undefined;
  let loneEscape = false;

  function run(): void {
    let wait: number | undefined;
    while (pending !== '' && wait === undefined) {
      if (mode.name === 'paste') wait = runPaste(mode);
      else if (mode.name === 'string') wait = runString(mode);
      else wait = runGround();
    }
    if (wait === undefined && mode.name !== 'ground')
      wait = mode.name === 'paste' ? PASTE_TIMEOUT_MS : SEQUENCE_TIMEOUT_MS;
    cancel?.();
    cancel = wait === undefined ? undefined : schedule(timeout, wait);
  }

  function runGround(): number | undefined {
    let at = 0;
    while (at < pending.length) {
      const found = scan(pending, at);
      if (found.kind === 'incomplete') {
        pending = pending.slice(at);
        return found.wait === 'escape' ? ESCAPE_TIMEOUT_MS : SEQUENCE_TIMEOUT_MS;
      }
      at = found.next;
      if (found.kind === 'tokens') {
        for (const token of found.tokens) emit(token);
      } else {
        mode =
          found.kind === 'paste'
            ? { name: 'paste', text: '', truncated: false }
            : { name: 'string', text: '', introducer: found.introducer };
        break;
      }
    }
    pending = pending.slice(at);
    return undefined;
  }

  function runPaste(paste: Mode & { name: 'paste' }): number | undefined {
    const end = pending.indexOf(PASTE_END);
    // The end mark may be cut: its beginning stays pending.
    const upTo = end >= 0 ? end : pending.length - cutMark(pending);
    const room = MAX_PASTE_CHARS - paste.text.length;
    if (upTo > room) paste.truncated = true;
    paste.text += pending.slice(0, Math.min(upTo, room));
    pending = pending.slice(end >= 0 ? end + PASTE_END.length : upTo);
    if (end < 0) return PASTE_TIMEOUT_MS;
    endPaste(paste);
    return undefined;
  }

  function endPaste(paste: Mode & { name: 'paste' }): void {
    mode = { name: 'ground' };
    emit({ type: 'paste', text: cleanPaste(paste.text), truncated: paste.truncated });
  }

  function runString(string: Mode & { name: 'string' }): number | undefined {
    const end = pending.search(/[\u0000-\u001f\u009c]/);
    const upTo = end < 0 ? pending.length : end;
    string.text += pending.slice(0, Math.min(upTo, MAX_STRING_CHARS - string.text.length));
    pending = pending.slice(upTo);
    if (end < 0) return SEQUENCE_TIMEOUT_MS;
    if (pending === '\x1b') return SEQUENCE_TIMEOUT_MS;
    const bell = pending[0] === '\x07' || pending[0] === '\u009c';
    const ended = bell || pending.startsWith('\x1b\\');
    // Any other control character breaks the string off and is read by itself: a person is never locked out.
    if (ended) pending = pending.slice(bell ? 1 : 2);
    mode = { name: 'ground' };
    if (ended) emit(stringReply(string.introducer, string.text));
    return undefined;
  }

  function timeout(): void {
    cancel = undefined;
    if (mode.name === 'paste') {
      const paste = mode;
      pending = '';
      endPaste(paste);
      return;
    }
    const rest = mode.name === 'ground' ? pending : '';
    mode = { name: 'ground' };
    pending = '';
    loneEscape = rest === '\x1b';
    for (const token of settle(rest)) emit(token);
  }

  return {
    push(bytes) {
      let text = decoder.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      if (text === '') return;
      if (loneEscape) {
        const late = LATE_REPLY.exec(text);
        if (late !== null) {
          emit({ type: 'reply', reply: 'unknown', sequence: late[0] });
          text = text.slice(late[0].length);
        }
        loneEscape = false;
      }
      pending += text;
      run();
    },
    flush() {
      pending += decoder.end();
      run();
      cancel?.();
      if (pending !== '' || mode.name !== 'ground') timeout();
    },
    reset() {
      cancel?.();
      cancel = undefined;
      decoder = new StringDecoder('utf8');
      pending = '';
      mode = { name: 'ground' };
      loneEscape = false;
    },
  };
}

/** How many characters at the end of `text` may be the beginning of the paste's end mark. */
function cutMark(text: string): number {
  for (let length = Math.min(PASTE_END.length - 1, text.length); length > 0; length--) {
    if (PASTE_END.startsWith(text.slice(-length))) return length;
  }
  return 0;
}

/** Line ends as `\n`, and no control characters but tab: a paste is text, whatever the clipboard held. */
function cleanPaste(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufdd0-\ufdef]/g, '')
    .toWellFormed();
}

function stringReply(introducer: 'osc' | 'other', text: string): ReplyToken {
  const osc = introducer === 'osc' ? /^(\d{1,5});(.*)$/s.exec(text) : null;
  if (osc !== null) return { type: 'reply', reply: 'osc', code: Number(osc[1]), data: osc[2] ?? '' };
  if (introducer === 'other' && text.startsWith('>|')) return { type: 'reply', reply: 'version', text: text.slice(2) };
  return { type: 'reply', reply: 'unknown', sequence: `${introducer} ${text.slice(0, 80)}` };
}
