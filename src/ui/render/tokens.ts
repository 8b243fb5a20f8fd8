/** The colours of the screen by what they mean, for each ground and each number of colours. docs/design.md shows them. */

export type Ground = 'dark' | 'light' | 'high-contrast';
/** How many colours the terminal shows. */
export type Depth = 'truecolor' | '256' | '16';

/** One colour: hexadecimal on dark, light and in high contrast; numbers of the 256 and of the 16 colours, dark and light. */
type Colour = {
  readonly hex: readonly [dark: string, light: string, high: string];
  /** Absent: not shown with so few colours. */
  readonly c256?: readonly [dark: number, light: number];
  readonly c16?: readonly [dark: number, light: number, high: number];
};

/** Text. Each is readable on its ground (contrast ≥ 4.5; 7 in high contrast), but for `line`, which is never text. */
export const INK = {
  bright: { hex: ['f4f6fa', '0c1016', 'ffffff'], c256: [255, 233] },
  text: { hex: ['c8cdd7', '2d343e', 'ffffff'], c256: [252, 236] },
  muted: { hex: ['939cac', '5c6573', 'd6d6d6'], c256: [247, 241], c16: [7, 8, 15] },
  line: { hex: ['434a57', 'bcc3cd', 'b0b0b0'], c256: [239, 251], c16: [8, 8, 7] },
  user: { hex: ['63cfe8', '08657b', '5fffff'], c256: [80, 24], c16: [6, 6, 14] },
  agent: { hex: ['e394d4', '992578', 'ff9df6'], c256: [176, 90], c16: [5, 5, 13] },
  ok: { hex: ['74cf8f', '186b3b', '6dff92'], c256: [114, 22], c16: [2, 2, 10] },
  warn: { hex: ['f0bb4e', '855500', 'ffe74a'], c256: [215, 94], c16: [3, 3, 11] },
  danger: { hex: ['ff8080', 'bb1d28', 'ff9090'], c256: [210, 124], c16: [1, 1, 9] },
  host: { hex: ['b9a8ff', '563bbb', 'd0c4ff'], c256: [147, 61], c16: [4, 4, 12] },
  codeWord: { hex: ['a9baf0', '2b4aa5', 'c6d2ff'], c256: [147, 25] },
  codeText: { hex: ['b5d3a9', '2c6130', 'cdf2bf'], c256: [151, 22] },
  codeNumber: { hex: ['dcc597', '7a4f08', 'ffe3a8'], c256: [180, 94] },
  added: { hex: ['a9ebba', '0d4a26', 'a9ebba'], c256: [157, 22], c16: [2, 2, 10] },
  removed: { hex: ['ffbcbc', '7c1119', 'ffbcbc'], c256: [217, 52], c16: [1, 1, 9] },
  onHalt: { hex: ['ffffff', 'ffffff', '000000'], c256: [231, 231], c16: [15, 15, 0] },
  onNorris: { hex: ['f3c9ea', '6b1453', '000000'], c256: [225, 53], c16: [15, 15, 0] },
  onRestricted: { hex: ['b0efc6', '0b4523', '000000'], c256: [157, 22], c16: [0, 0, 0] },
  onProject: { hex: ['c3d8ff', '123a80', '000000'], c256: [189, 18], c16: [15, 15, 0] },
  onUnrestricted: { hex: ['1a1406', '2a1c00', '000000'], c256: [16, 16], c16: [0, 0, 0] },
} as const satisfies Record<string, Colour>;

/** Grounds behind text. The terminal's own is never painted. */
export const BEHIND = {
  raise: { hex: ['22262e', 'e9edf2', '1f1f1f'], c256: [235, 254] },
  code: { hex: ['1a1d23', 'f3f5f7', '101010'], c256: [234, 255] },
  selected: { hex: ['2b3a52', 'd5e3f7', '00407f'], c256: [24, 189], c16: [4, 6, 4] },
  added: { hex: ['15301f', 'dff3e4', '15301f'], c256: [22, 194] },
  removed: { hex: ['3a1a1e', 'fbe2e2', '3a1a1e'], c256: [52, 224] },
  addedWord: { hex: ['25603b', 'b2e3c0', '25603b'], c256: [28, 151] },
  removedWord: { hex: ['7a2c35', 'f3b9bb', '7a2c35'], c256: [88, 217] },
  halt: { hex: ['c92f37', 'bb1d28', 'ff9090'], c256: [124, 124], c16: [1, 1, 9] },
  norris: { hex: ['4a2a46', 'f6dcf1', 'ff9df6'], c256: [53, 225], c16: [5, 5, 13] },
  restricted: { hex: ['1f4a32', 'c9ecd5', '6dff92'], c256: [22, 194], c16: [2, 2, 10] },
  project: { hex: ['213f73', 'd0e0ff', 'a8c8ff'], c256: [18, 189], c16: [4, 4, 12] },
  unrestricted: { hex: ['f0bb4e', 'f2b632', 'ffe74a'], c256: [214, 214], c16: [3, 3, 11] },
  cap: { hex: ['343a46', 'd4dae2', '454545'], c256: [238, 252] },
  haltPanel: { hex: ['211619', 'fdf0ef', '000000'] },
  askPanel: { hex: ['201c14', 'fcf5e2', '000000'] },
} as const satisfies Record<string, Colour>;

export type Ink = keyof typeof INK;
export type Behind = keyof typeof BEHIND;

const AT = { dark: 0, light: 1, 'high-contrast': 2 } as const;

/** SGR parameters of a token's colour, `38;2;…`, `38;5;…` or `36`; nothing where it is the terminal's own. */
export function ink(name: Ink, ground: Ground, depth: Depth): string {
  return parameters(INK[name], ground, depth, 38);
}

/** The same behind the text. */
export function behind(name: Behind, ground: Ground, depth: Depth): string {
  return parameters(BEHIND[name], ground, depth, 48);
}

function parameters({ hex, c256, c16 }: Colour, ground: Ground, depth: Depth, layer: 38 | 48): string {
  const at = AT[ground];
  if (depth === 'truecolor') return `${layer};2;${channels(hex[at]).join(';')}`;
  // High contrast has no numbers among the 256 of its own: those of the dark ground are as near as they come.
  const number = c256?.[at === 1 ? 1 : 0];
  if (depth === '256') return number === undefined ? '' : `${layer};5;${number}`;
  const basic = c16?.[at];
  if (basic === undefined) return '';
  const base = layer === 38 ? 30 : 40;
  return String(basic < 8 ? base + basic : base + 60 + basic - 8);
}

/** Red, green and blue, 0 to 255, of six hexadecimal digits. */
export function channels(hex: string): readonly [number, number, number] {
  const value = Number.parseInt(hex, 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}
