import { THEMES, type Theme } from './theme.ts';

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
