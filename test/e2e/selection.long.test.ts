/** Selecting with the mouse (UI-2): within one entry, copied on release, with a message. */
import { describe, expect, it } from 'vitest';
import { scratch } from '../support/program.ts';
import { openRig, type Rig, startRig } from '../support/rig.ts';
import { say, startScriptedServer } from '../support/scripted-server.ts';

/** Returns the text last sent to the terminal's clipboard. */
function clipboard(rig: Rig): string {
  const sent = [...rig.raw.matchAll(/\x1b\]52;c;([A-Za-z0-9+/=]*)/g)].at(-1)?.[1] ?? '';
  return Buffer.from(sent, 'base64').toString();
}

/** Returns where a text is on the screen, in cells from 1 as a mouse reports them. */
function placeOf(rig: Rig, text: string): { readonly x: number; readonly y: number } {
  const y = rig.screen().findLastIndex((row) => row.includes(text));
  return { x: (rig.screen()[y] ?? '').indexOf(text) + 1, y: y + 1 };
}

const press = (x: number, y: number) => `\x1b[<0;${x};${y}M`;
const drag = (x: number, y: number) => `\x1b[<32;${x};${y}M`;
const release = (x: number, y: number) => `\x1b[<0;${x};${y}m`;

/** Prints two lines by a command, and waits until the screen is at rest. */
async function printed(rig: Rig): Promise<void> {
  await rig.waitFor(/\[aish:/);
  rig.type("printf 'alpha beta/gamma.txt\\ndelta\\n'; seq 3\r");
  await rig.waitFor(/printf .*✓[\s\S]*delta[\s\S]*3/);
}

describe('the mouse', () => {
  it('inverts the dragged text, and copies it on release', async () => {
    using place = scratch();
    await using rig = startRig(place);
    await printed(rig);
    const from = placeOf(rig, 'beta/gamma');
    const to = placeOf(rig, 'delta');
    rig.type(press(from.x, from.y) + drag(to.x + 2, to.y));
    await rig.waitFor(
      (r) => r.runs()[from.y - 1]?.some(({ text, style }) => style.inverse && text.startsWith('beta/')) === true,
    );
    expect(clipboard(rig)).toBe('');
    rig.type(release(to.x + 2, to.y));
    await rig.waitFor(/copied "beta\/gamma.txt" \(18 characters\)/);
    expect(clipboard(rig)).toBe('beta/gamma.txt\ndel');
  });

  it('selects only within the entry in which the drag began, also upwards', async () => {
    using place = scratch();
    await using rig = startRig(place);
    await printed(rig);
    const from = placeOf(rig, 'delta');
    rig.type(press(from.x + 4, from.y) + drag(from.x, from.y - 5) + release(from.x, from.y - 5));
    await rig.waitFor(() => clipboard(rig) !== '');
    expect(clipboard(rig)).toMatch(/printf[\s\S]*alpha beta\/gamma\.txt\ndelta$/);
  });

  it('selects a word by two clicks and a line by three', async () => {
    using place = scratch();
    await using rig = startRig(place);
    await printed(rig);
    const { x, y } = placeOf(rig, 'gamma.txt');
    const click = press(x + 1, y) + release(x + 1, y);
    rig.type(click + click);
    await rig.waitFor(() => clipboard(rig) === 'beta/gamma.txt');
    rig.type(click);
    await rig.waitFor(() => clipboard(rig) === 'alpha beta/gamma.txt');
  });
});

it('a click opens or copies an address, shows a hidden one in full first, and ignores other schemes', async () => {
  const text = 'See [the manual](https://docs.example/a?b=1), https://plain.example/x and [that](file:///etc/passwd).';
  await using server = await startScriptedServer([say(text)]);
  await using rig = await openRig(scratch(server.baseUrl), '[aish:fast]>', { columns: 110 });
  rig.type('?where is it written\r');
  // The end of the answer moves the text.
  await rig.waitFor(/See the manual.*passwd\)\.\s*\n\[aish:fast\]> [\s\S]*ctx [▮▯]+ \d+%/);
  const click = (words: string) => {
    const { x, y } = placeOf(rig, words);
    rig.type(press(x + 1, y) + release(x + 1, y));
  };
  click('the manual');
  await rig.waitFor('another click opens https://docs.example/a?b=1');
  expect(clipboard(rig)).toBe('');
  click('https://plain.example/x');
  await rig.waitFor(/copied, there is no browser here: https:\/\/plain\.example\/x/);
  expect(clipboard(rig)).toBe('https://plain.example/x');
  // Far enough from the previous click, which would otherwise make a double click.
  click('the manual');
  await rig.waitFor('another click opens https://docs.example/a?b=1');
});
