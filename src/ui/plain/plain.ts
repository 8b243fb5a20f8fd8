/**
 * The program without drawing, for screen readers and terminals that can't draw (UI-5, `ui.screen: "plain"`). Finished
 * entries are written as lines, and Node's readline edits one line. A typed line answers an open question, else goes to
 * the running program, else is submitted as at the prompt.
 */
import { createInterface, type Interface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { App } from '../../commands/app.ts';
import { returnText, submitLine } from '../../commands/submit.ts';
import type { Wait } from '../../commands/waits.ts';
import type { RunningCommand } from '../../contracts/commands.ts';
import type { FleetRow } from '../../contracts/fleet.ts';
import type { Answer } from '../../session/event.ts';
import type { Question } from '../../session/question.ts';
import { plainText } from '../../text/sanitize.ts';
import { diffRows, type TreeLine, trialRows } from '../screen/halt/changes.ts';
import type { Choice } from '../screen/halt/choices.ts';
import { type Danger, unmarked } from '../screen/halt/danger.ts';
import { GUTTER, wholePlace } from '../screen/halt/layout.ts';
import { wordsOf } from '../screen/halt/words.ts';

import { promptName } from '../screen/prompt-name.ts';

/** The time after a question, in ms, in which a typed line does not count as its answer. */
const ARM_MS = 500;
/** The longest that a completion may take. In ms. */
const COMPLETE_TIMEOUT_MS = 2000;

export type PlainParts = {
  readonly app: App;
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  /** Returns a function that writes the entries that have become final since its last call. */
  readonly printer: (write: (text: string) => void) => () => void;
};

/** Runs until the user leaves, and returns the exit code. */
export function runPlain(parts: PlainParts): Promise<number> {
  return new Plain(parts).ended;
}

class Plain {
  readonly ended: Promise<number>;
  readonly #app: App;
  readonly #input: NodeJS.ReadStream;
  readonly #output: NodeJS.WriteStream;
  readonly #print: () => void;
  readonly #lines: Interface;
  readonly #ends: (() => void)[] = [];
  #question: { readonly id: string; readonly since: number } | undefined;
  #running: RunningCommand | undefined;
  #stopWatching = () => {};
  #asked: string | undefined;
  #wait: Wait | undefined;
  /** Hosts of the fleet whose end was already reported. */
  readonly #fleetTold = new Set<string>();
  /** Whether the cursor is in the prompt's line. */
  #prompted = false;
  /** Lines of the user's that are still being handled. */
  #pending = 0;
  /** The line that was being typed when a question came. */
  #draft = '';
  /** Lines returned from the queue: each is put into the editor when that is free, for Enter to run. */
  readonly #back: string[] = [];
  #takeBack: (() => void) | undefined;
  #closed = false;

  constructor({ app, input, output, printer }: PlainParts) {
    this.#app = app;
    this.#input = input;
    this.#output = output;
    this.#print = printer((text) => this.#say(text.replace(/\n$/, '')));
    this.#lines = createInterface({
      input,
      // A password is not echoed, and nothing is written while a full-screen program draws.
      output: new Writable({
        write: (chunk: Uint8Array, _encoding, done) => {
          if (!this.#running?.echoOff && !this.#takeBack) output.write(chunk);
          done();
        },
      }),
      terminal: true,
      history: [...app.history.entries()].reverse().slice(0, 1000),
      completer: (line: string) => this.#complete(line),
    });
    const { promise, resolve } = Promise.withResolvers<number>();
    this.ended = promise;
    this.#lines.on('line', (line) => this.#take(line));
    this.#lines.on('SIGINT', () => this.#interrupt());
    this.#lines.on('close', () => {
      this.#close();
      resolve(code);
    });
    let code = 0;
    const leave = () => this.#lines.close();
    for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.once(signal, leave);
    this.#ends.push(
      app.onQuit((left) => {
        code = left;
        leave();
      }),
      app.engine.subscribe(() => this.#follow()),
      app.engine.onGiveBack((text, kind) => this.#giveBack(plainText(returnText(app, text, kind)))),
      () => process.off('SIGTERM', leave).off('SIGHUP', leave),
    );
    this.#say('aish-tui, plain screen. Type a command, or ask in plain words; :help lists more, Ctrl-D quits.');
    if (app.setup.found !== undefined) this.#say(app.setup.found);
    this.#follow();
  }

  #close(): void {
    this.#closed = true;
    this.#stopWatching();
    this.#takeBack?.();
    for (const end of this.#ends.splice(0)) end();
  }

  /** Writes lines above the line that is being edited. */
  #say(text: string): void {
    if (this.#takeBack) return;
    // A terminal that can't erase gets a line of its own.
    const clear = process.env.TERM === 'dumb' ? '\n' : '\r\x1b[K';
    this.#output.write(`${this.#prompted ? clear : ''}${text}\n`);
    this.#prompted = false;
    this.#prompt();
  }

  /** Writes the prompt once it is the user's turn: one for each exchange, however much is written meanwhile. */
  #prompt(): void {
    const { shell, engine } = this.#app;
    const busy = this.#pending > 0 || shell.busy || engine.conversation.phase.kind !== 'idle';
    // `:quit` closes the program while its own line is still being handled.
    if (this.#closed || (busy && !this.#question && !this.#running?.asks)) return;
    this.#prompted = true;
    this.#lines.setPrompt(this.#question ? 'answer> ' : this.#running ? 'input> ' : promptName(this.#app));
    this.#lines.prompt(true);
  }

  #follow(): void {
    this.#print();
    this.#followQuestion();
    this.#followProgram();
    this.#followWait();
    this.#followFleet();
    this.#offerBack();
    if (!this.#prompted) this.#prompt();
  }

  /** Reports once that the program waits: a screen reader should not read a line every second. */
  #followWait(): void {
    const { current } = this.#app.waits;
    if (current === this.#wait) return;
    this.#wait = current;
    if (current) this.#say(`${current.what} is still running${current.stops ? '; Ctrl-C stops it' : ''}`);
  }

  /** Reports the end of each host once. */
  #followFleet(): void {
    const rows = this.#app.fleet.run?.rows() ?? [];
    if (rows.length === 0) this.#fleetTold.clear();
    const sentences = fleetSentences(rows, this.#fleetTold);
    for (const row of rows) if (row.ended) this.#fleetTold.add(row.host);
    if (sentences.length > 0) this.#say(sentences.join('\n'));
  }

  #followQuestion(): void {
    const { engine } = this.#app;
    const [head] = engine.state.questions;
    if (head?.id === this.#question?.id) return;
    if (head && !this.#question) this.#draft = this.#clear();
    this.#question = head && { id: head.id, since: engine.services.now() };
    if (!head) this.#lines.write(this.#draft);
    if (head) this.#say(questionLines(engine.actions.revealQuestion(head)).join('\n'));
    else this.#prompt();
  }

  #followProgram(): void {
    const { running } = this.#app.shell;
    if (running === this.#running) return;
    this.#stopWatching();
    this.#takeBack?.();
    this.#running = running;
    this.#asked = undefined;
    const look = () => running && this.#look(running);
    const ends = running ? [running.onModes(look), running.output.subscribe(look)] : [];
    this.#stopWatching = () => {
      for (const end of ends) end();
    };
    look();
    this.#prompt();
  }

  #look(running: RunningCommand): void {
    if (running.fullScreen) this.#handOver(running);
    else this.#takeBack?.();
    const { promptText } = running.output;
    if (!running.asks || promptText === this.#asked) return;
    this.#asked = promptText;
    this.#say(askingLine(promptText, running.asker, running.echoOff));
  }

  /** Gives the terminal to a full-screen program until that ends. */
  #handOver(running: RunningCommand): void {
    if (this.#takeBack) return;
    const { columns = 80, rows = 24 } = this.#output;
    const send = (data: Buffer) => running.write(data.toString('utf8'));
    // Readline reads input even when paused, so its listeners are removed.
    const readers = this.#input.listeners('data') as ((data: Buffer) => void)[];
    for (const reader of readers) this.#input.off('data', reader);
    this.#input.on('data', send);
    let stop = () => {};
    this.#takeBack = () => {
      this.#takeBack = undefined;
      stop();
      this.#input.off('data', send);
      for (const reader of readers) this.#input.on('data', reader);
      this.#prompt();
    };
    running.resize(columns, rows);
    stop = running.rawOutput((data) => this.#output.write(data));
  }

  #take(line: string): void {
    const { engine, shell } = this.#app;
    if (this.#takeBack) return;
    this.#prompted = false;
    const [head] = engine.state.questions;
    if (head && this.#question) {
      const answer = answerOf(head, line);
      const early = engine.services.now() - this.#question.since < ARM_MS;
      if (answer === undefined) this.#say(questionLines(head).at(-1) ?? '');
      else if (early) this.#say('That came too early to be an answer; here is the question again.');
      else void engine.dispatch({ type: 'answered', question: head.id, answer }, head.session);
      return;
    }
    if (shell.running) {
      shell.running.write(`${line}\r`);
      this.#asked = undefined;
      return;
    }
    if (line.trim() !== '') void this.#submit(line);
    this.#prompt();
  }

  async #submit(line: string): Promise<void> {
    this.#pending += 1;
    await submitLine(this.#app, line);
    this.#pending -= 1;
    this.#follow();
  }

  #giveBack(text: string): void {
    if (text === '') return;
    this.#say(`Not sent: ${text}`);
    this.#back.push(...text.split('\n').filter((line) => line.trim() !== ''));
    this.#offerBack();
  }

  /** Waits until the editor is empty: a line being typed is not replaced. */
  #offerBack(): void {
    if (this.#question || this.#running || this.#app.shell.busy || this.#takeBack || this.#lines.line !== '') return;
    const line = this.#back.shift();
    if (line !== undefined) this.#lines.write(line);
  }

  /** Ctrl-C clears the line first, then stops the user's own command, then the run. */
  #interrupt(): void {
    const { shell, engine, waits, fleet } = this.#app;
    if (this.#lines.line !== '') this.#clear();
    else if (shell.running) shell.running.interrupt();
    else if (waits.stop()) return;
    else if (engine.conversation.phase.kind !== 'idle') void engine.dispatch({ type: 'aborted' });
    else if (fleet.stop()) return;
    else this.#say('Ctrl-D leaves');
  }

  /** Removes the line that is being edited, and returns it. */
  #clear(): string {
    const { line } = this.#lines;
    this.#lines.write(null, { ctrl: true, name: 'e' });
    this.#lines.write(null, { ctrl: true, name: 'u' });
    return line;
  }

  async #complete(line: string): Promise<[string[], string]> {
    const found = this.#app.complete(line, line.length, AbortSignal.timeout(COMPLETE_TIMEOUT_MS));
    const { start, items } = await found.catch(() => ({ start: line.length, items: [] }));
    const only = items.length === 1;
    return [items.map(({ text, open }) => (only && !open ? `${text} ` : text)), line.slice(start)];
  }
}

// Questions and running programs in plain sentences, for the mode that only writes lines.

/** An answer that needs no text field. */
type PlainChoice = Choice & { readonly answer: Exclude<Choice['answer'], 'note' | 'edit'> };

function isPlain(choice: Choice): choice is PlainChoice {
  return choice.answer !== 'note' && choice.answer !== 'edit';
}

/** Returns the answers that are possible without fields; a form needs the full screen. */
function choicesOf(question: Question): readonly PlainChoice[] {
  const choices = wordsOf(question).choices.filter(isPlain);
  return question.kind === 'form' ? choices.filter(({ answer }) => answer !== 'proceed') : choices;
}

/**
 * Returns the lines of the whole question: a line for each fact, the dangerous parts numbered, the answers last. Every
 * line of a command has a mark.
 */
export function questionLines(question: Question): readonly string[] {
  const words = wordsOf(question, { whole: true });
  const { chip, title, reasons, notes, dangers, action, tree, claims, impact } = words;
  const place = wholePlace(words.place);
  const answers = choicesOf(question).map(({ key, label }) => `${key} ${label}`);
  const command = unmarked(action).split('\n');
  return [
    `Question: ${[chip, title].filter(Boolean).join(' · ')}`,
    ...dangers.map((danger, index) => `${index + 1}. ${sentenceOf(danger)}`),
    ...reasons,
    ...notes,
    ...(action === '' ? [] : command.map((line, index) => `${index === 0 ? 'Command: ' : GUTTER}${line}`)),
    ...treeLines(question, tree, place),
    ...claims,
    ...impact.map((line) => `At stake: ${line}`),
    ...(place === '' ? [] : [place]),
    `Answer with a letter: ${answers.join(', ')}.${question.kind === 'fleet' && question.hosts.length > 1 ? ' To be asked about some of the hosts alone, name them: only a,b' : ''}`,
  ];
}

/** Returns the arguments; the changes of a trial as numbered sentences, with its diff behind a mark. */
function treeLines(question: Question, tree: readonly TreeLine[], place: string): readonly string[] {
  const trial = question.kind === 'halt' ? question.trial : undefined;
  if (!trial) return tree.map(({ text }) => (place === '' ? text : GUTTER + unmarked(text)));
  const rows = question.kind === 'halt' ? trialRows(trial, question.cwd) : [];
  return [
    ...rows.map(({ text }, index) => `${index + 1}. ${unmarked(text).replace(/^([a-z ]+?) {2,}/, '$1 ')}.`),
    ...diffRows(trial, true).map(({ text }) => GUTTER + unmarked(text)),
  ];
}

function sentenceOf({ verb, part, impact, undoable }: Danger): string {
  const words = unmarked(part).replaceAll('\n', '⟨U+000A⟩');
  const undo = undoable === undefined ? '' : undoable ? ' Undoable.' : ' Not undoable.';
  return `${verb.charAt(0).toUpperCase()}${verb.slice(1)}${words === '' ? '' : `: \`${words}\``}.${impact.map((line) => ` ${line}.`).join('')}${undo}`;
}

/** Returns the answer that a typed line means: a choice's letter, whose case counts, or its word. */
function answerOf(question: Question, line: string): Answer | undefined {
  const text = line.trim();
  const some = question.kind === 'fleet' && question.hosts.length > 1 ? SOME.exec(text)?.[1] : undefined;
  if (some !== undefined) return { kind: 'edit', command: some };
  const found = choicesOf(question).find(
    ({ key, label }) => key === text || label.toLowerCase() === text.toLowerCase(),
  );
  return found && { kind: found.answer };
}

/** Selects some hosts of a question, which are then asked about separately. */
const SOME = /^only\s+(\S.*)$/i;

/** Returns a sentence for each host that has ended since the last call. */
function fleetSentences(rows: readonly FleetRow[], told: ReadonlySet<string>): readonly string[] {
  const ended = rows.filter((row) => row.ended);
  const fresh = ended.filter(({ host }) => !told.has(host));
  return fresh.map(({ host, status, reason }, at) => {
    const count = `${ended.length - fresh.length + at + 1} of ${rows.length} have ended`;
    return `${host}: ${status}${reason === '' ? '' : `, ${plainText(reason)}`} (${count}).`;
  });
}

/** Returns the line that shows the prompt of a waiting program. */
function askingLine(prompt: string, asker: string | undefined, hidden: boolean): string {
  const what = plainText(prompt).trim();
  const who = asker === undefined ? 'The program' : asker;
  return `${who} waits for input${what === '' ? '' : `: ${what}`}${hidden ? ' (what you type is not shown)' : ''}`;
}
