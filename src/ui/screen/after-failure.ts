/**
 * What is offered behind what has just ended: another spelling of a command that failed as a typing error would, or to ask
 * the model; what a run has changed.
 */
import type { App } from '../../commands/app.ts';
import { tellsChanges } from '../../contracts/undo.ts';
import type { CommandResult } from '../../session/action.ts';
import type { SessionEvent } from '../../session/event.ts';
import { plainText } from '../../text/sanitize.ts';

type Failed = { readonly line: string; readonly exit: number; readonly corrected?: string };

const NOT_FOUND = 127;
/** What programs exit with for wrong usage. Source: sysexits(3), bash, git. */
const USAGE_EXITS = new Set([2, 64, 129]);
const USAGE =
  /^usage:|(?:unrecognized|unknown|invalid|illegal) (?:option|argument|flag|command|subcommand)|try ['`"].* --help|is not a \S+ command/im;

/** Follows the user's commands; knows the last one that failed. */
export class AfterFailure {
  readonly #app: App;
  readonly #hint: (text: string) => void;
  readonly #running = new Map<string, { readonly line: string; readonly private: boolean }>();
  #failed: Failed | undefined;
  #changed = false;

  /** @param hint shows one line until the next key */
  constructor(app: App, hint: (text: string) => void) {
    this.#app = app;
    this.#hint = hint;
  }

  /** For an empty prompt: the last line as it was most likely meant, or the list of what a run changed; empty for none. */
  get line(): string {
    return this.#changed ? ':undo run' : (this.#failed?.corrected ?? '');
  }

  /** What to ask the model about the last command; undefined where that did not fail. */
  get question(): string | undefined {
    if (!this.#failed) return undefined;
    const { line, exit } = this.#failed;
    return `\`${line}\` failed with exit code ${exit}. What is wrong, and what should I run instead?`;
  }

  /** Something was sent: whoever goes on has seen what a run changed, or does not want to. */
  goesOn(): void {
    this.#changed = false;
  }

  follow(event: SessionEvent, askKey: string): void {
    if (event.type === 'shellStarted') {
      this.#running.set(event.op, event);
      this.#failed = undefined;
    }
    if (event.type === 'noticed' && tellsChanges(event.text)) {
      this.#changed = true;
      this.#hint('→ Enter lists what it changed');
    }
    if (event.type !== 'shellEnded') return;
    const begun = this.#running.get(event.op);
    this.#running.delete(event.op);
    const { exit } = event.result;
    // What is private is not the model's to hear of.
    if (!begun || begun.private || exit === null || exit === 0 || event.result.note !== undefined) return;
    const { line } = begun;
    const corrected = exit === NOT_FOUND ? this.#correct(line) : undefined;
    this.#failed = { line, exit, ...(corrected === undefined ? {} : { corrected }) };
    const ask = `${askKey} asks the model`;
    if (corrected !== undefined) this.#hint(`did you mean ${corrected}? → takes it · ${ask}`);
    else if (exit === NOT_FOUND || isUsageError(event.result)) this.#hint(`${ask} what is wrong`);
  }

  /** The line with another first word; undefined where no name is near. */
  #correct(line: string): string | undefined {
    const word = /^\s*([\w.+-]+)/.exec(line)?.[1];
    const near = word === undefined ? undefined : this.#app.words.nearest(word);
    return word === undefined || near === undefined ? undefined : line.trimStart().replace(word, near);
  }
}

function isUsageError({ exit, head, tail }: CommandResult): boolean {
  const said = plainText(`${head}\n${tail}`);
  return USAGE.test(said) || (exit !== null && USAGE_EXITS.has(exit) && /\busage\b/i.test(said));
}
