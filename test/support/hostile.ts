/** Text that attacks a terminal, for every input of the program. It is never run, only printed. */

/** A count, row or mode that the program itself never writes: wherever it appears, it came from a hostile text. */
const MARK = 777;

/** One attack of each kind. If a kind has a number, it is 777. */
export const HOSTILE: readonly string[] = [
  `\x1b]0;title${MARK}\x07`,
  `\x1b]2;title${MARK}\x1b\\`,
  `\x1b]52;c;aGk=\x07`,
  `\x1b]52;c;?\x1b\\`,
  `\x1b]4;1;rgb:7/7/7\x07`,
  `\x1b]11;#777777\x07`,
  `\x1b]9;notify${MARK}\x07`,
  `\x1b]777;notify;a;b\x07`,
  `\x1b]1337;File=inline=1:aGk=\x07`,
  `\x1b]8;;javascript:alert(1)\x1b\\link\x1b]8;;\x1b\\`,
  `\x1b]8;;https://a.b/\x1b[${MARK}A\x1b\\link\x1b]8;;\x1b\\`,
  `\x1b]8;;file:///etc/passwd\u202e\x07link\x1b]8;;\x07`,
  `\x1b]unended${MARK}`,
  `\x1bP$qm\x1b\\`,
  `\x1bP+q544e\x1b\\`,
  '\x1bPq#0;2;0;0;0#0~~@@vv\x1b\\',
  '\x1b_Gf=32,s=1,v=1;AAAAAA==\x1b\\',
  '\x1b^private\x1b\\',
  '\x1bXstart\x1b\\',
  `\x1b[${MARK};${MARK}H`,
  `\x1b[${MARK}A`,
  `\x1b[${MARK}d`,
  '\x1b[3J',
  `\x1b[${MARK}S\x1b[${MARK}T\x1b[${MARK}L`,
  '\x1b[7;17r',
  '\x1b[6n',
  '\x1b[5n',
  '\x1b[0c\x1b[>0c\x1b[=0c',
  '\x1b[?1000h\x1b[?1003h\x1b[?9h',
  '\x1b[?47h\x1b[?47l',
  '\x1b[?6h\x1b[?7l\x1b[?5h',
  '\x1b[21t\x1b[8;777;777t\x1b[11t',
  '\x1b[5i\x1b[4i',
  '\x1b[!p\x1b["p',
  '\x1b[>4;2m\x1b[>1u\x1b[=5u',
  '\x1bc',
  '\x1b7\x1b8\x1bD\x1bM\x1bE\x1b#8',
  '\x1b(0\x1b)0\x0e',
  `\u009b${MARK}A\u009d0;title\u009c\u0090q\u009c`,
  '\u202eevil\u202c\u2066\u200b\ufeff\u{e0041}',
  '\x07\b\b\b\x7f\x05\x0b\x0c',
  'over\rwritten',
  '\x1b',
  '\x1b[',
  '\x1b[38;5;',
];

/** Returns numbers from 0 to 1 that a seed decides, so that a failure can be repeated. Marsaglia's xorshift. */
export function random(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** Parts of the above, cut and mixed with words. */
export function hostileText(next: () => number, length: number): string {
  let text = '';
  while (text.length < length) {
    const piece = HOSTILE[Math.floor(next() * HOSTILE.length)] ?? '';
    const cut = next() < 0.2 ? Math.floor(next() * piece.length) : piece.length;
    text += `${next() < 0.5 ? 'word ' : ''}${piece.slice(0, cut)}${next() < 0.1 ? '\n' : ''}`;
  }
  return text;
}

/** Bytes of any kind, mixed with some of the above. */
export function hostileBytes(next: () => number, length: number): Buffer {
  const parts: Buffer[] = [];
  for (let done = 0; done < length; ) {
    const part =
      next() < 0.3
        ? Buffer.from(hostileText(next, 60), next() < 0.5 ? 'utf8' : 'latin1')
        : Buffer.from(Array.from({ length: 200 }, () => Math.floor(next() * 256)));
    parts.push(part);
    done += part.length;
  }
  return Buffer.concat(parts);
}
