/** What a shell's own history file holds (IN-5). Only read: the shell writes it, by its own rules. */
/** How a file is written: each shell has its own form. */
export type HistoryFormat = 'bash' | 'zsh' | 'fish';

/** A line as the shell kept it; `at` in ms since the epoch, where the file tells it. */
export type KeptLine = { readonly line: string; readonly at?: number };

/** Lines of the agent's that were put into the shell's history, marked so (EX-11). */
const AGENTS = ': aish; ';

/** The lines of a history file, oldest first, without those of the agent and what can't stand in a prompt. */
export function linesOf(data: Buffer, format: HistoryFormat): readonly KeptLine[] {
  const rows = (format === 'zsh' ? withoutMeta(data) : data).toString('utf8').split('\n');
  rows.pop();
  const found = { bash: bashLines, zsh: zshLines, fish: fishLines }[format](rows);
  return found.filter(
    ({ line }) => line.trim() !== '' && !line.startsWith(AGENTS) && !/[\0-\x08\x0b-\x1f\x7f]/.test(line),
  );
}

/** With times, a line is all rows up to the next time; without, each row is one. */
function bashLines(rows: readonly string[]): KeptLine[] {
  const found: { line: string; at?: number }[] = [];
  let at: number | undefined;
  let begun = false;
  for (const row of rows) {
    const time = /^#(\d{9,11})$/.exec(row)?.[1];
    const last = found.at(-1);
    if (time !== undefined) {
      at = Number(time) * 1000;
      begun = false;
    } else if (begun && last) last.line += `\n${row}`;
    else {
      found.push(at === undefined ? { line: row } : { line: row, at });
      begun = at !== undefined;
    }
  }
  return found;
}

/** `: BEGUN:SECONDS;LINE`, or the line alone; a newline within a line stands behind a backslash. */
function zshLines(rows: readonly string[]): KeptLine[] {
  const found: KeptLine[] = [];
  for (let index = 0; index < rows.length; index += 1) {
    let row = rows[index] ?? '';
    while (/(?:^|[^\\])(?:\\\\)*\\$/.test(row) && index + 1 < rows.length) {
      index += 1;
      row = `${row.slice(0, -1)}\n${rows[index] ?? ''}`;
    }
    const [, time, line] = /^: (\d+):\d+;([\s\S]*)$/.exec(row) ?? [];
    found.push(time === undefined ? { line: row } : { line: line ?? '', at: Number(time) * 1000 });
  }
  return found;
}

/** A list in YAML's form: `- cmd: LINE`, `  when: TIME`, and paths, which nobody here asks for. */
function fishLines(rows: readonly string[]): KeptLine[] {
  const found: { line: string; at?: number }[] = [];
  for (const row of rows) {
    const line = /^- cmd: ?(.*)$/.exec(row)?.[1];
    const time = /^\s+when: (\d+)$/.exec(row)?.[1];
    const last = found.at(-1);
    if (line !== undefined) found.push({ line: line.replace(/\\(n|\\)/g, (_, sign) => (sign === 'n' ? '\n' : '\\')) });
    else if (time !== undefined && last) last.at = Number(time) * 1000;
  }
  return found;
}

/** zsh writes some bytes as two: 0x83 and the byte with its sixth bit turned. */
function withoutMeta(data: Buffer): Buffer {
  if (!data.includes(0x83)) return data;
  const plain = Buffer.alloc(data.length);
  let length = 0;
  for (let at = 0; at < data.length; at += 1) {
    const byte = data[at] ?? 0;
    if (byte === 0x83 && at + 1 < data.length) {
      at += 1;
      plain[length] = (data[at] ?? 0) ^ 32;
    } else plain[length] = byte;
    length += 1;
  }
  return plain.subarray(0, length);
}
