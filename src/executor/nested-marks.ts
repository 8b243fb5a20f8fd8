import type { NestedShell } from '../contracts/commands.ts';

/**
 * What a shell that runs within a command tells by its marks: `A` a prompt, `B` what is typed, `C` a command begins,
 * `D;EXIT` it has ended. Source: FinalTerm's OSC 133, as iTerm2, kitty and fish write it.
 */
export class NestedMarks {
  state: NestedShell | undefined;

  /** The content of an OSC 133; whether anything has changed by it. */
  take(content: string): boolean {
    const [kind, first] = content.split(';', 2);
    const { state } = this;
    if (kind === 'C') this.state = { busy: true };
    else if (kind === 'A' || kind === 'B') this.state = { ...state, busy: false };
    else if (kind === 'D' && state?.busy)
      this.state = { busy: false, ...(isExit(first) ? { exit: Number(first) } : {}) };
    return this.state?.busy !== state?.busy || this.state?.exit !== state?.exit;
  }
}

function isExit(text: string | undefined): boolean {
  return text !== undefined && /^\d{1,3}$/.test(text);
}
