/** Reads everything that a program wrote to its terminal, and returns what aish-tui may not write. */

/** Every complete control sequence that the program itself writes. */
const OWN: readonly RegExp[] = [
  // Colours, and links with permitted targets.
  /^\x1b\[[\d;:]*m$/,
  /^\x1b\]8;;(?:(?:(?:https?|file):\/\/|mailto:)[\x21-\x7e]*)?(?:\x1b\\|\x07)$/i,
  // The compositor: right, left, column, place, erasing cells and to the end of the line, rows that move up; never
  // further than the largest screen.
  /^\x1b\[(?:[2-9]|[1-9]\d|1\d\d|200)?[CDGHX]$/,
  /^\x1b\[1X$/,
  /^\x1b\[(?:[1-9]\d?|1\d\d|200);(?:[1-9]\d?|1\d\d|200)[Hr]$/,
  /^\x1b\[K$/,
  // Taking the alternate screen.
  /^\x1b\[2J$/,
  // Modes of the screen: cursor, frames, alternate screen, pastes, focus, mouse.
  /^\x1b\[\?(?:25|2026|1049|2004|1004|1002|1006)[hl]$/,
  // Queries at the start, the query whose reply shows that the terminal has drawn, and keyboard modes.
  /^\x1b\[(?:>q|\?2026\$p|\?2004\$p|\?u|c|>5u|<u|>4;1m|>4m)$/,
  /^\x1b\]1[01];\?\x1b\\$/,
  /^\x1b\]4;0;\?(?:;(?:[1-9]|1[0-5]);\?){15}\x1b\\$/,
  // Modes that another program may have left on are reset.
  /^\x1b\[(?:\?(?:1000|1002|1003|1005|1006|1015|1|6)l|\?7h|r|4l|0 q)$/,
  /^\x1b(?:>|\(B)$/,
  // The bell, and desktop notifications of the program.
  /^\x07$/,
  /^\x1b\]9;aish-tui: (?:a question is waiting for you|a command is waiting for your input|the run has ended)\x07$/,
  /^[\n\r\x0f]$/,
];

/** A control string, a control sequence, an escape sequence, or a single control, format or private character. */
const CONTROL =
  /\x1b[P_^X\]](?:[^\x07\x1b]|\x1b(?!\\))*(?:\x07|\x1b\\|$)|\x1b\[[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]?|\x1b[\x20-\x2f]*[\x30-\x7e]?|[\0-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

/** Returns each kind of foreign output once, readable. `raw`: one character for each byte. */
export function foreign(raw: string): readonly string[] {
  const text = Buffer.from(raw, 'latin1').toString('utf8');
  const found = (text.match(CONTROL) ?? []).filter((each) => !OWN.some((own) => own.test(each)));
  return [...new Set(found)].map((each) => JSON.stringify(each));
}

/** Returns whether a terminal is left as it was found: no alternate screen, mouse, bracketed paste or hidden cursor. */
export function restored(raw: string): boolean {
  const last = (mode: string) => Math.max(raw.lastIndexOf(`\x1b[?${mode}l`), -1) > raw.lastIndexOf(`\x1b[?${mode}h`);
  const cursorShown = raw.lastIndexOf('\x1b[?25h') >= raw.lastIndexOf('\x1b[?25l');
  return last('1049') && last('2004') && cursorShown && (!raw.includes('\x1b[?1002h') || last('1002'));
}
