/** The bytes that a terminal sends for keys and the mouse, in xterm's encoding. */

const NAMED: Readonly<Record<string, string>> = {
  enter: '\r',
  tab: '\t',
  'shift-tab': '\x1b[Z',
  escape: '\x1b',
  space: ' ',
  backspace: '\x7f',
  delete: '\x1b[3~',
  up: '\x1b[A',
  down: '\x1b[B',
  right: '\x1b[C',
  left: '\x1b[D',
  'alt-up': '\x1b[1;3A',
  'alt-down': '\x1b[1;3B',
  'alt-right': '\x1b[1;3C',
  pageup: '\x1b[5~',
  pagedown: '\x1b[6~',
  home: '\x1b[H',
  end: '\x1b[F',
  f1: '\x1bOP',
  f2: '\x1bOQ',
};

/** Returns the bytes of a key by name (`enter`, `ctrl-x`, `alt-s`, `f1`); a single character is its own name. */
export function keyBytes(name: string): string {
  const chord = /^(ctrl|alt)-(.)$/.exec(name);
  if (chord?.[1] === 'ctrl') return String.fromCharCode((chord[2] ?? '').charCodeAt(0) & 31);
  if (chord?.[1] === 'alt') return `\x1b${chord[2]}`;
  const bytes = NAMED[name] ?? (name.length === 1 ? name : undefined);
  if (bytes === undefined) throw new Error(`no key is named ${name}`);
  return bytes;
}

const BUTTONS = { click: 0, 'wheel-up': 64, 'wheel-down': 65 } as const;

export type MouseAction = keyof typeof BUTTONS;

/** Returns an SGR mouse report; `column` and `row` count from 0. A click is a press and a release. */
export function mouseBytes(action: MouseAction, column: number, row: number): string {
  const report = (end: string) => `\x1b[<${BUTTONS[action]};${column + 1};${row + 1}${end}`;
  return action === 'click' ? report('M') + report('m') : report('M');
}
