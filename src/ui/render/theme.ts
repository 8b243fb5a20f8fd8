/**
 * Styles of the screen by role: SGR parameters, such as `1;36`, or nothing. `NO_COLOR` keeps only bold and the like.
 */
import { lineWidth } from '../../text/wrap.ts';

/** The screen's colours by meaning, for each background and number of colours. docs/design.md shows them. */

type Ground = 'dark' | 'light' | 'high-contrast';
/** The number of colours that the terminal shows. */
type Depth = 'truecolor' | '256' | '16';

/**
 * One colour: hexadecimal for dark, light and high contrast themes, and its numbers among 256 and 16 colours, for dark
 * and light.
 */
type Colour = {
  readonly hex: readonly [dark: string, light: string, high: string];
  /** Absent: not shown in 256 colours. */
  readonly c256?: readonly [dark: number, light: number];
  readonly c16?: readonly [dark: number, light: number, high: number];
};

/**
 * Colours of text. Each is readable on its background (contrast ≥ 4.5; 7 in high contrast) except `line`, which is
 * never text.
 */
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

/** Background colours of parts of the screen. The terminal’s own background is never painted. */
export const BEHIND = {
  raise: { hex: ['22262e', 'e9edf2', '1f1f1f'], c256: [235, 254] },
  code: { hex: ['1a1d23', 'f3f5f7', '101010'], c256: [234, 255] },
  selected: { hex: ['26344a', 'd5e3f7', '00407f'], c256: [24, 189], c16: [4, 6, 4] },
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

type Ink = keyof typeof INK;
type Behind = keyof typeof BEHIND;

const AT = { dark: 0, light: 1, 'high-contrast': 2 } as const;

/**
 * Returns the SGR parameters of a colour: `38;2;…`, `38;5;…` or `36`; empty where the terminal's own colour is used.
 */
function ink(name: Ink, ground: Ground, depth: Depth): string {
  return parameters(INK[name], ground, depth, 38);
}

/** Returns the SGR parameters of a background colour. */
function behind(name: Behind, ground: Ground, depth: Depth): string {
  return parameters(BEHIND[name], ground, depth, 48);
}

function parameters({ hex, c256, c16 }: Colour, ground: Ground, depth: Depth, layer: 38 | 48): string {
  const at = AT[ground];
  if (depth === 'truecolor') return `${layer};2;${channels(hex[at]).join(';')}`;
  // High contrast has no numbers of its own among the 256 colours: those for dark are the nearest.
  const number = c256?.[at === 1 ? 1 : 0];
  if (depth === '256') return number === undefined ? '' : `${layer};5;${number}`;
  const basic = c16?.[at];
  if (basic === undefined) return '';
  const base = layer === 38 ? 30 : 40;
  return String(basic < 8 ? base + basic : base + 60 + basic - 8);
}

/** Returns red, green and blue, 0 to 255, of six hexadecimal digits. */
export function channels(hex: string): readonly [number, number, number] {
  const value = Number.parseInt(hex, 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

/** A role's style: attributes, a colour, a background. */
type Style = readonly [attributes?: string, colour?: Ink | '', ground?: Behind];

const ROLES = {
  heading: ['1', 'bright'],
  strong: ['1', 'bright'],
  emphasis: ['3'],
  strike: ['9'],
  code: ['', 'codeWord'],
  /** The path of an existing file. */
  path: ['4'],
  link: ['4', 'user'],
  quote: ['3', 'muted'],
  rule: ['', 'line'],
  marker: ['', 'agent'],
  dim: ['', 'muted'],
  text: ['', 'text'],
  user: ['1', 'user'],
  assistant: [],
  accent: ['', 'agent'],
  success: ['', 'ok'],
  warning: ['', 'warn'],
  error: ['', 'danger'],
  halt: ['1', 'onHalt', 'halt'],
  verb: ['1', 'danger'],
  ask: ['1', 'onUnrestricted', 'unrestricted'],
  danger: ['1;4', 'danger'],
  button: ['7'],
  cap: ['1', 'bright', 'cap'],
  match: ['', 'onUnrestricted', 'unrestricted'],
  /** A match of the search other than the current one, which is inverted. */
  hit: ['', 'bright', 'selected'],
  added: ['', 'added', 'added'],
  removed: ['', 'removed', 'removed'],
  /** The differing words of two lines of a diff. */
  addedWord: ['1', 'added', 'addedWord'],
  removedWord: ['1', 'removed', 'removedWord'],
  hunk: ['', 'user'],
  keyword: ['', 'codeWord'],
  string: ['', 'codeText'],
  number: ['', 'codeNumber'],
  comment: ['3', 'muted'],
  function: ['', 'bright'],
  norris: ['1', 'onNorris', 'norris'],
  restricted: ['1', 'onRestricted', 'restricted'],
  project: ['1', 'onProject', 'project'],
  unrestricted: ['1', 'onUnrestricted', 'unrestricted'],
  /** The name of a host. */
  host: ['1;7', 'host'],
  status: ['', 'muted'],
  /** Backgrounds alone: the user's lines, code, the panel of a question. */
  raise: ['', '', 'raise'],
  codeGround: ['', '', 'code'],
  haltPanel: ['', '', 'haltPanel'],
  askPanel: ['', '', 'askPanel'],
} as const satisfies Record<string, Style>;

export type Role = keyof typeof ROLES;
export type Theme = Readonly<Record<Role, string>>;

/** Without colours, weight, underline and inversion carry the meaning. */
const NONE: Theme = {
  ...plain(),
  heading: '1',
  strong: '1',
  emphasis: '3',
  strike: '9',
  link: '4',
  path: '4',
  quote: '3',
  user: '1',
  warning: '1',
  error: '1',
  halt: '1;7',
  verb: '4',
  ask: '1;7',
  danger: '1;4',
  addedWord: '1;4',
  removedWord: '1;4',
  button: '7',
  cap: '1',
  match: '7',
  hit: '4',
  norris: '7',
  host: '1;7',
  restricted: '7',
  project: '7',
  unrestricted: '1;7',
};

const themes = new Map<string, Theme>();

/**
 * Returns the theme for a background and a number of colours. It is always the same object, so that a screen sees that
 * nothing has changed.
 */
export function themeOf(ground: Ground, depth: Depth): Theme {
  const name = `${ground} ${depth}`;
  const known = themes.get(name) ?? makeTheme(ground, depth);
  themes.set(name, known);
  return known;
}

function makeTheme(ground: Ground, depth: Depth): Theme {
  const made = { ...plain() };
  for (const [role, [attributes = '', colour = '', behind_]] of Object.entries(ROLES) as [Role, Style][]) {
    const parts = [
      attributes,
      colour === '' ? '' : ink(colour, ground, depth),
      behind_ === undefined ? '' : behind(behind_, ground, depth),
    ];
    made[role] = parts.filter(Boolean).join(';');
  }
  return made;
}

export const THEMES = {
  dark: themeOf('dark', 'truecolor'),
  light: themeOf('light', 'truecolor'),
  'high-contrast': themeOf('high-contrast', 'truecolor'),
  none: NONE,
} as const satisfies Record<string, Theme>;

/** Returns text in a style of SGR parameters. A style in force around it is not restored. */
export function paint(style: string, text: string): string {
  return style === '' || text === '' ? text : `\x1b[${style}m${text}\x1b[0m`;
}

/** Returns a line on a background over the whole width; the line itself where there is no background. */
export function onGround(line: string, ground: string, width: number): string {
  return ground ? paint(ground, padTo(line, width).replaceAll('\x1b[0m', `\x1b[0m\x1b[${ground}m`)) : line;
}

/** Appends blanks to a styled line up to `width` cells. */
export function padTo(line: string, width: number): string {
  return line + ' '.repeat(Math.max(0, width - lineWidth(line)));
}

function plain(): Record<Role, string> {
  return Object.fromEntries(Object.keys(ROLES).map((role) => [role, ''])) as Record<Role, string>;
}

/** The theme as one function: a text in a role's style. */
export type Paint = (role: Role, text: string) => string;

export function paintOf(theme: Theme): Paint {
  return (role, text) => paint(theme[role], text);
}

/** The values that drawing needs: the number of columns, and the theme. */
export type RenderContext = { readonly width: number; readonly paint: Paint; readonly theme: Theme };

/**
 * Returns the configured theme; else none where NO_COLOR is set (no-color.org) or the terminal is dumb; else the theme
 * for the background that the terminal or `COLORFGBG` reports.
 * @param background of the terminal, if it reported one
 */
export function themeFor(
  configured: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
  background: 'dark' | 'light' | undefined,
): Theme {
  const colourless = env.NO_COLOR || env.TERM === 'dumb';
  // The last number of COLORFGBG is the background, one of the first 16 colours.
  const told = background ?? (/;(7|9|1.)$/.test(`${env.COLORFGBG}`) ? 'light' : 'dark');
  const ground = configured ?? (colourless ? 'none' : told);
  return ground === 'none' ? NONE : themeOf(ground as Ground, depthOf(env));
}

/** Returns how many colours the environment promises, by COLORTERM, else by the terminal's name. */
export function depthOf({ COLORTERM = '', TERM = '' }: Readonly<Record<string, string | undefined>>): Depth {
  if (/^(?:truecolor|24bit)$/i.test(COLORTERM) || /-direct$/.test(TERM)) return 'truecolor';
  return /256color|kitty|ghostty|alacritty|foot|wezterm/.test(TERM) ? '256' : '16';
}
