/** Colours of the screen by role: SGR parameters, such as `1;36`, or nothing. `NO_COLOR` keeps only bold and the like. */

export type Theme = Readonly<Record<Role, string>>;

const DARK = {
  heading: '1;36',
  strong: '1',
  emphasis: '3',
  strike: '9',
  code: '33',
  link: '4;34',
  quote: '2;3',
  rule: '2',
  marker: '36',
  dim: '2',
  user: '1;32',
  assistant: '',
  accent: '35',
  success: '32',
  warning: '33',
  error: '31',
  halt: '1;97;41',
  danger: '1;4;31',
  button: '7',
  match: '30;43',
  added: '32',
  removed: '31',
  hunk: '36',
  keyword: '35',
  string: '32',
  number: '33',
  comment: '2;3',
  function: '34',
  restricted: '1;30;42',
  unrestricted: '1;30;43',
  status: '2',
} as const;

export type Role = keyof typeof DARK;

const LIGHT: Theme = {
  ...DARK,
  heading: '1;34',
  code: '38;5;130',
  user: '1;38;5;28',
  success: '38;5;28',
  warning: '38;5;130',
  string: '38;5;28',
  number: '38;5;130',
  added: '38;5;28',
  marker: '34',
  hunk: '34',
  halt: '1;38;5;231;41',
};

/** Nothing dim, nothing that only a hue tells apart. */
const HIGH_CONTRAST: Theme = {
  ...DARK,
  heading: '1;4',
  code: '1;93',
  link: '4;96',
  quote: '3',
  rule: '',
  marker: '1;96',
  dim: '',
  user: '1;92',
  accent: '1;95',
  success: '1;92',
  warning: '1;93',
  error: '1;91',
  danger: '1;4;91',
  added: '1;92',
  removed: '1;91',
  hunk: '1;96',
  keyword: '1;95',
  string: '92',
  number: '93',
  comment: '3',
  function: '1;94',
  status: '',
};

const NONE: Theme = {
  ...plain(DARK),
  heading: '1',
  strong: '1',
  emphasis: '3',
  strike: '9',
  link: '4',
  quote: '3',
  user: '1',
  warning: '1',
  error: '1',
  halt: '1;7',
  danger: '1;4',
  button: '7',
  match: '7',
  restricted: '7',
  unrestricted: '1;7',
};

export const THEMES = {
  dark: DARK,
  light: LIGHT,
  'high-contrast': HIGH_CONTRAST,
  none: NONE,
} as const satisfies Record<string, Theme>;

/** Text in a style of SGR parameters; a style already in force around it is not restored. */
export function paint(style: string, text: string): string {
  return style === '' || text === '' ? text : `\x1b[${style}m${text}\x1b[0m`;
}

function plain(theme: Theme): Theme {
  const roles = { ...theme };
  for (const role of Object.keys(roles) as Role[]) roles[role as keyof typeof roles] = '';
  return roles;
}

/** The theme as one function: a text in a role's style. */
export type Paint = (role: Role, text: string) => string;

export function paintOf(theme: Theme): Paint {
  return (role, text) => paint(theme[role], text);
}

/** What drawing needs to know: the columns it has, and how things are coloured. */
export type RenderContext = { readonly width: number; readonly paint: Paint; readonly theme: Theme };

/** The configured theme; else none where NO_COLOR is set (no-color.org), else by the terminal's background. */
export function themeFor(
  configured: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
  background: 'dark' | 'light' | undefined,
): Theme {
  if (configured !== undefined && Object.hasOwn(THEMES, configured)) return THEMES[configured as keyof typeof THEMES];
  if (env.NO_COLOR) return THEMES.none;
  return THEMES[background ?? 'dark'];
}
