/** The line under a running command: who has the keyboard, what the program waits for, and which key changes that (EX-4). */
import type { NestedShell } from '../../../contracts/commands.ts';
import type { Paint } from '../../render/theme.ts';

/** Below so many columns the shorter words are used. */
const MIN_WIDE_COLUMNS = 60;

export type SignFacts = {
  readonly asks: boolean;
  readonly echoOff: boolean;
  readonly asker: string | undefined;
  readonly asksAsShell: boolean;
  readonly nested: NestedShell | undefined;
};

export type SignOptions = {
  /** Whether keys go to this program. */
  readonly keyboard: boolean;
  readonly columns: number;
  /** Keys as people read them. */
  readonly keys: { readonly give: string; readonly back: string; readonly background: string };
  /** A job that was brought to the front. */
  readonly job: boolean;
  readonly paint: Paint;
};

/** What is known of the commands of a shell that runs within. */
function nestedText(nested: NestedShell | undefined, narrow: boolean): string {
  if (!nested) return narrow ? ': no blocks' : ', a shell without blocks';
  if (nested.busy) return narrow ? ': at work' : ', where a command runs';
  if (nested.exit === undefined) return narrow ? ', a shell' : ', a shell of its own';
  return `: ${narrow ? '' : 'its last command '}${nested.exit === 0 ? '✓' : `✗ ${nested.exit}`}`;
}

export function keyboardSign(facts: SignFacts, { keyboard, columns, keys, job, paint }: SignOptions): string {
  const { asks, echoOff, asksAsShell, nested, asker = 'the program' } = facts;
  const narrow = columns < MIN_WIDE_COLUMNS;
  if (keyboard) {
    const hidden = narrow ? ` hidden: goes to ${asker} ` : ` typing is hidden: it goes to ${asker} `;
    const open = asksAsShell ? ` keys go to ${asker}${nestedText(nested, narrow)} ` : ' keys go to the program ';
    const who = echoOff ? hidden : open;
    return paint('button', who) + paint('dim', ` ${keys.back} brings ${narrow ? 'them' : 'the keys'} back`);
  }
  if (asks) {
    const what = echoOff ? 'something secret, such as a password' : 'your answer';
    const words = narrow ? `${asker} asks` : `${asker} waits for ${what}`;
    return `${paint('button', ` ${keys.give} answers `)} ${paint('warning', words)}`;
  }
  const rest = job ? `${keys.background} sends it back` : 'Ctrl-C interrupts';
  return paint('dim', `${keys.give} gives it the keyboard · ${rest}`);
}
