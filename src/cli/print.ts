/** Prints transcript entries as plain lines or JSON lines, for a program without a screen. */
import type { App } from '../commands/app.ts';
import { isBeside, type TranscriptItem } from '../engine/transcript.ts';
import { nameAction } from '../session/action.ts';
import { receiptText, shortDollars } from '../session/cost.ts';
import { type Entry, resumedText } from '../session/entry.ts';
import { plainOutput } from '../session/exec-text.ts';
import { withoutMarkers } from '../session/reply.ts';
import { clean, plainText, visible } from '../text/sanitize.ts';
import { allowedText, refusalFacts } from '../ui/screen/entries/frame.ts';
import { count } from '../ui/screen/entries/norris.ts';

export type Writer = (text: string) => void;

type Reveal = <T>(value: T) => T;

type Manner = {
  readonly out: Writer;
  readonly err?: Writer;
  readonly json: boolean;
  /** Print a command at its start, not only at its end. */
  readonly announce?: boolean;
};

/** Prints each entry once it is final, in order. */
export class EntryPrinter {
  readonly #write: Writer;
  /** Writes messages that don’t belong to the answer, such as a failure to save the session. */
  readonly #beside: Writer;
  readonly #json: boolean;
  readonly #reveal: Reveal;
  readonly #announce: boolean;
  #next: number;
  /** The entry whose heading is already printed. */
  #announced: number | undefined;

  /**
   * @param from how many entries were printed before
   * @param reveal shows true texts for handles: plain lines are the user's own screen. JSON is for programs that
   * store it, and keeps the handles.
   */
  constructor({ out, err = out, json, announce = false }: Manner, from: number, reveal: Reveal) {
    this.#next = from;
    this.#write = out;
    this.#beside = err;
    this.#json = json;
    this.#reveal = reveal;
    this.#announce = announce && !json;
  }

  /** Prints everything that has become final since the last call. */
  print(entries: readonly TranscriptItem[]): void {
    for (let shown = entries[this.#next]; shown && isFinal(shown.entry); shown = entries[this.#next]) {
      const { entry } = shown;
      const text =
        entry.kind === 'thoughts'
          ? ''
          : this.#json
            ? escapeJson(JSON.stringify(entry))
            : plainText(clean(this.#plain(this.#shown(entry))));
      if (text !== '') this.#writerOf(shown)(`${text}\n`);
      this.#next += 1;
    }
    const runs = entries[this.#next];
    if (!this.#announce || runs?.entry.kind !== 'exec' || this.#announced === this.#next) return;
    this.#announced = this.#next;
    this.#writerOf(runs)(`${plainText(clean(execHeading(this.#reveal(runs.entry))))}\n`);
  }

  #writerOf(item: TranscriptItem): (text: string) => void {
    return this.#json || !isBeside(item) ? this.#write : this.#beside;
  }

  #plain(entry: Entry): string {
    return entry.kind === 'exec' && this.#announced === this.#next ? execEnd(entry) : plainEntry(entry);
  }

  /** The output of a `:` command is not revealed: `:secrets` shows no values. */
  #shown(entry: Entry): Entry {
    return entry.kind === 'meta' ? entry : this.#reveal(entry);
  }
}

/** JSON escapes C0 itself; C1 and direction controls can deceive a terminal as well. */
export function escapeJson(json: string): string {
  return json.replace(
    /[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function isFinal(entry: Entry): boolean {
  if (entry.kind === 'exec' || entry.kind === 'tool' || entry.kind === 'delegate') return entry.result !== undefined;
  return entry.kind !== 'user' || !entry.queued;
}

/** Formats an entry as plain lines. */
export function plainEntry(entry: Entry): string {
  switch (entry.kind) {
    case 'user':
      return [`> ${entry.text}`, ...(entry.attached ?? []).map((name) => `  with ${name}`)].join('\n');
    case 'assistant':
      return assistantText(entry);
    case 'thoughts':
      return entry.text;
    case 'exec':
      return `${execHeading(entry)}\n${execEnd(entry)}`;
    case 'tool':
      return `${entry.name} ${visible(entry.arguments)}${approval(entry.approvedAt)}${resultText(entry)}`;
    case 'delegate':
      return `[sub-agent] ${visible(entry.task)}${approval(entry.approvedAt)}${resultText(entry)}`;
    case 'refused': {
      const { reason, at, note } = entry;
      const about = refusalFacts({ reason, at, note });
      return `[aish] ${entry.how}: ${visible(nameAction(entry.action))}${about && ` (${about})`}`;
    }
    case 'norrisBegan':
      return `[norris] goal: ${entry.goal} (${entry.preset}, at most ${entry.maxSteps} steps)`;
    case 'plan':
      return [
        `[aish] ${entry.how === 'anew' ? 're' : 'pre'}planned ${entry.tasks.length} tasks via ${entry.preset}`,
        ...entry.tasks.map((task, index) => `  ${index + 1}. ${task}`),
      ].join('\n');
    case 'norrisStep':
      return stepLine(entry);
    case 'norrisEnded':
      return endedLine(entry);
    case 'resumed':
      return `[aish] ${resumedText(entry)}`;
    case 'notice':
      return entry.text;
    case 'meta':
      return entry.text;
  }
}

function assistantText({ text, preset }: Extract<Entry, { kind: 'assistant' }>): string {
  const said = withoutMarkers(text).trim() === '' ? '' : withoutMarkers(text).trimEnd();
  // The script must never pass for a model (BR-6).
  return `${said !== '' && preset === 'demo' ? '[demo] ' : ''}${said}`;
}

type Exec = Extract<Entry, { kind: 'exec' }>;

function execHeading({ command, approvedAt }: Exec): string {
  return `$ ${visible(command)}${approval(approvedAt)}`;
}

/** Formats a command's output and exit code. */
function execEnd({ result }: Exec): string {
  const exit = result?.exit === null ? undefined : `exit ${result?.exit}`;
  const end = [exit, result?.note].filter((part) => part !== undefined).join(', ') || 'exit unknown';
  const output = result ? plainOutput(result).trimEnd() : '';
  return [...(output === '' ? [] : [output]), `[${end}]`].join('\n');
}

function stepLine({ step, maxSteps, task }: Extract<Entry, { kind: 'norrisStep' }>): string {
  return `[norris] step ${step}/${maxSteps}${task ? ` [task ${task.k}/${task.n}: ${task.text}]` : ''}`;
}

function resultText({ result }: Extract<Entry, { kind: 'tool' | 'delegate' }>): string {
  return `\n${result?.text ?? ''}`.trimEnd();
}

function approval(approvedAt: number | undefined): string {
  return approvedAt === undefined ? '' : `  [${allowedText({ approvedAt })}]`;
}

function endedLine(entry: Extract<Entry, { kind: 'norrisEnded' }>): string {
  const { status, reason, steps, commands, skips, milliseconds, cost, receipt } = entry;
  const why = reason === undefined ? '' : `: ${reason}`;
  const seconds = (milliseconds / 1000).toFixed(1);
  const price = cost && cost.dollars > 0 ? `, ${shortDollars(cost.dollars)}` : '';
  const counts = [count(steps, 'step'), count(commands, 'command'), count(skips, 'skip')].join(', ');
  const line = `[norris] ${status}${why} (${counts}, ${seconds} s${price})`;
  return receipt ? `${line}\n[aish] cost: ${receiptText(receipt)}` : line;
}

// The plain screen, which uses this printer.

/** How many entries of a resumed session are printed again. */
const REPEATED_ENTRIES = 20;

/** Runs until the user leaves; returns the exit code. */
export async function plainScreen(app: App): Promise<number> {
  // Node's line editor moves the cursor unless TERM is `dumb`.
  process.env.TERM ||= 'dumb';
  const { runPlain } = await import('../ui/plain/plain.ts');
  const { engine } = app;
  return runPlain({
    app,
    input: process.stdin,
    output: process.stdout,
    printer(write) {
      const from = Math.max(0, engine.transcript.entries.length - REPEATED_ENTRIES);
      const printer = new EntryPrinter({ out: write, json: false }, from, engine.services.secrets.reveal);
      return () => printer.print(engine.transcript.entries);
    },
  });
}
