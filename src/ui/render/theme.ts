/** Styles of the screen by role: SGR parameters, such as `1;36`, or nothing. `NO_COLOR` keeps only bold and the like. */
import { lineWidth } from '../../text/wrap.ts';
import { type Behind, behind, type Depth, type Ground, type Ink, ink } from './tokens.ts';

/** What a role is made of: attributes, a colour, a ground behind it. */
type Style = readonly [attributes?: string, colour?: Ink | '', ground?: Behind];

const ROLES = {
  heading: ['1', 'bright'],
  strong: ['1', 'bright'],
  emphasis: ['3'],
  strike: ['9'],
  code: ['', 'codeWord'],
  /** A file that is there. */
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
  /** A hit of the search beside the one in hand, which is turned around. */
  hit: ['', 'bright', 'selected'],
  added: ['', 'added', 'added'],
  removed: ['', 'removed', 'removed'],
  /** What two lines of a diff differ in. */
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
  /** Another machine than the user's own. */
  host: ['1;7', 'host'],
  status: ['', 'muted'],
  /** Grounds alone: typed by the user, code, the panel of a question. */
  raise: ['', '', 'raise'],
  codeGround: ['', '', 'code'],
  haltPanel: ['', '', 'haltPanel'],
  askPanel: ['', '', 'askPanel'],
} as const satisfies Record<string, Style>;

export type Role = keyof typeof ROLES;
export type Theme = Readonly<Record<Role, string>>;

/** Without colours: weight, underline and inversion say it. */
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

/** The theme of a ground with so many colours: always the same object, by which a screen knows that nothing has changed. */
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

/** Text in a style of SGR parameters; a style already in force around it is not restored. */
export function paint(style: string, text: string): string {
  return style === '' || text === '' ? text : `\x1b[${style}m${text}\x1b[0m`;
}

/** A line on a ground that reaches over the whole width; the line itself where there is none. */
export function onGround(line: string, ground: string, width: number): string {
  if (ground === '') return line;
  const open = `\x1b[${ground}m`;
  return `${open}${padTo(line, width).replaceAll('\x1b[0m', `\x1b[0m${open}`)}\x1b[0m`;
}

/** Blanks behind a styled line up to so many cells. */
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

/** What drawing needs to know: the columns it has, and how things are coloured. */
export type RenderContext = { readonly width: number; readonly paint: Paint; readonly theme: Theme };

/**
 * The configured theme; else none where NO_COLOR is set (no-color.org) or the terminal is dumb, else by its background: what
 * it has told, else what `COLORFGBG` says.
 * @param background of the terminal, where it has told
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

/** How many colours the environment promises: COLORTERM, else the name of the terminal. */
export function depthOf({ COLORTERM = '', TERM = '' }: Readonly<Record<string, string | undefined>>): Depth {
  if (/^(?:truecolor|24bit)$/i.test(COLORTERM) || /-direct$/.test(TERM)) return 'truecolor';
  return /256color|kitty|ghostty|alacritty|foot|wezterm/.test(TERM) ? '256' : '16';
}
