import { describe, expect, it } from 'vitest';
import { lineWidth } from '../../../src/text/wrap.ts';
import { BEHIND, channels, depthOf, INK, onGround, THEMES, themeFor, themeOf } from '../../../src/ui/render/theme.ts';

/** The backgrounds that terminals are assumed to have. */
const PAPER = { dark: '14161a', light: 'fcfcfa', high: '000000' };

/** Returns the contrast of two colours, 1 to 21 (WCAG 2.1). */
function contrast(one: string, other: string): number {
  const luminance = (hex: string) => {
    const [red, green, blue] = channels(hex).map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    }) as [number, number, number];
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

describe('text is readable', () => {
  const onTheirOwn: Readonly<Record<string, keyof typeof BEHIND>> = {
    onHalt: 'halt',
    onRestricted: 'restricted',
    onProject: 'project',
    onUnrestricted: 'unrestricted',
    onNorris: 'norris',
    added: 'added',
    removed: 'removed',
  };
  const inks = Object.entries(INK).filter(([name]) => name !== 'line');
  it.each(inks)('in the colour %s', (name, { hex: [dark, light, high] }) => {
    const [behindDark, behindLight, behindHigh] = BEHIND[onTheirOwn[name] ?? 'raise'].hex;
    for (const paper of name in onTheirOwn
      ? [behindDark]
      : [PAPER.dark, behindDark, BEHIND.code.hex[0], BEHIND.selected.hex[0]])
      expect(contrast(dark, paper)).toBeGreaterThanOrEqual(4.5);
    for (const paper of name in onTheirOwn
      ? [behindLight]
      : [PAPER.light, behindLight, BEHIND.code.hex[1], BEHIND.selected.hex[1]])
      expect(contrast(light, paper)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(high, name in onTheirOwn ? behindHigh : PAPER.high)).toBeGreaterThanOrEqual(7);
  });
});

describe('colours', () => {
  it('are as many as the terminal supports', () => {
    expect(depthOf({ COLORTERM: 'truecolor', TERM: 'xterm' })).toBe('truecolor');
    expect(depthOf({ TERM: 'xterm-256color' })).toBe('256');
    expect(depthOf({ TERM: 'linux' })).toBe('16');
    expect(themeOf('dark', '16').error).toBe('31');
    expect(themeOf('light', '256').error).toBe('38;5;124');
    expect(themeOf('high-contrast', 'truecolor').error).toBe('38;2;255;144;144');
  });

  it('follow the user’s setting, then the terminal', () => {
    // A new theme object redraws the screen, so a terminal’s answer that changes nothing must return the same object.
    expect(themeFor(undefined, { TERM: 'xterm' }, undefined)).toBe(themeFor(undefined, { TERM: 'xterm' }, 'dark'));
    expect(themeFor(undefined, { NO_COLOR: '1', TERM: 'xterm-256color' }, 'dark')).toBe(THEMES.none);
    expect(themeFor(undefined, { TERM: 'dumb' }, undefined)).toBe(THEMES.none);
    expect(themeFor('light', { NO_COLOR: '1', TERM: 'xterm-256color' }, 'dark')).toEqual(themeOf('light', '256'));
    expect(themeFor(undefined, { TERM: 'xterm-256color' }, 'light')).toEqual(themeOf('light', '256'));
    const told = (COLORFGBG: string, background?: 'dark') =>
      themeFor(undefined, { TERM: 'xterm-256color', COLORFGBG }, background);
    for (const light of ['0;15', '0;default;15', '0;7']) expect(told(light)).toEqual(themeOf('light', '256'));
    for (const dark of ['15;0', '7;8', '15;default', '', '0;99']) expect(told(dark)).toEqual(themeOf('dark', '256'));
    expect(told('0;15', 'dark')).toEqual(themeOf('dark', '256'));
  });
});

it('a background fills the whole width, behind parts with colours of their own', () => {
  const line = onGround('\x1b[1ma\x1b[0m b', '44', 6);
  expect(line).toBe('\x1b[44m\x1b[1ma\x1b[0m\x1b[44m b   \x1b[0m');
  expect(lineWidth(line)).toBe(6);
  expect(onGround('plain', '', 10)).toBe('plain');
});
