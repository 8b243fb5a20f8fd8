import { clean } from '../text/sanitize.ts';
import { find, type Wanted, wanted } from './find-bytes.ts';
import { type Mark, MarkScanner } from './shell-integration/marks.ts';

/** Milliseconds after which a prompt without marks is drawn completely, once the shell waits. */
const SETTLE_MS = 4;
/** How often to look again while a subshell that reported a prompt is still in the foreground. */
const SUBSHELL_LOOKS = 12;
/** How often to look again while typed-ahead input or our own key sequence runs, before its mark arrives. */
const TYPED_LOOKS = 20;
/** bash's exit code for a line with a syntax error. */
const UNREADABLE = 2;
/** A prompt’s exit code: after a syntax error bash redraws the old prompt, which has the previous line’s code. */
const exitTold = (unread: boolean, exit: number) => (unread ? UNREADABLE : exit);
/** In shells that mark a submitted line, a prompt before that mark is a redraw. */
const redraws = (old: boolean, phase: string, before: boolean) =>
  (old && phase !== 'command') || (phase === 'sent' && before);
/** How much of the editor's echo to keep, for the error message about a line with a syntax error. */
const MAX_ECHO_BYTES = 8192;

const NOTHING: Buffer = Buffer.alloc(0);

export type PromptEvents = {
  /** Output while no line runs: of background jobs, startup files. */
  readonly onIdle: (data: Buffer) => void;
  readonly onOutput: (data: Buffer) => void;
  /** The line has left the editor. */
  readonly onStart: () => void;
  readonly onEnd: (exit: number, cwd: string | undefined) => void;
  /** The shell waits for a line; `prompt` is its prompt as drawn. */
  readonly onReady: (prompt?: Buffer) => void;
  /** The shell itself may have opened its editor without a mark; `decided` follows. */
  readonly onDoubt: () => void;
  /** The shell waits for the rest of a line. */
  readonly onRest: () => void;
  /** The answer to one of our key sequences. */
  readonly onAnswer: (mark: Mark) => void;
};

export type PromptStreamOptions = {
  readonly token: string;
  readonly echoOver?: string | undefined;
  readonly promptBegins?: string | undefined;
  /** Whether the shell is in the foreground and waits for input; undefined if not visible yet. */
  readonly waits: () => boolean | undefined;
  /** Keys were sent that no program may have read. */
  readonly typedAhead: () => boolean;
  /** Our key sequences await an answer: their commands may be in the foreground for a moment. */
  readonly asked: () => boolean;
};

/** A prompt that has begun: the line's result, and the output since. */
type Pending = {
  readonly exit: number;
  readonly cwd: string | undefined;
  readonly held: Buffer[];
  /** The serial number before this prompt. */
  readonly serial: number;
  /** The length of `held` when the prompt was drawn; the rest comes from the editor. */
  drawn?: number;
};

/**
 * Parses a shell's terminal output: separates command output from prompts and from the editor's echo.
 * A mark alone ends nothing: the serial number must be new (in shells that count), and the shell must wait in the
 * foreground. So a program that learns the token and prints marks can neither end a line nor set its exit code.
 */
export class PromptStream {
  /** Receives everything drawn at the prompt while it is set. */
  lent?: ((data: Buffer) => void) | undefined;
  readonly #options: PromptStreamOptions;
  readonly #events: PromptEvents;
  readonly #scanner: MarkScanner;
  readonly #token: Buffer;
  readonly #prompt: Wanted | undefined;
  #phase: 'starting' | 'ready' | 'sent' | 'command' = 'starting';
  /** A prompt that is being drawn or redrawn. */
  #pending: Pending | undefined;
  #drawing = false;
  /** The shell draws a right prompt or repeats a line with a syntax error; neither is output. */
  #aside = false;
  #fresh = false;
  #stuck = false;
  #serial = 0;
  #cwd: string | undefined;
  #flags = '';
  #echo: Buffer = NOTHING;
  /** The last row of the prompt, as drawn. */
  #lastRow = '';
  /** The editor runs the line that was sent. */
  #executes = false;
  /** Text that may begin a prompt. It counts as output once another program owns the terminal. */
  #doubtful: Buffer = NOTHING;
  readonly #doubting: ShellWait;
  readonly #waiting: ShellWait;
  /** Text at the prompt that may turn out to be a redrawn prompt. */
  #redraw = '';
  /** An editor has enabled bracketed paste and not disabled it yet. */
  #editing = false;
  /** Line ends and mode changes directly after the echo belong to the editor. */
  #leaving = false;
  #started = true;
  /** Whether a command has begun. */
  #ran = false;

  constructor(options: PromptStreamOptions, events: PromptEvents) {
    this.#options = options;
    this.#events = events;
    this.#token = Buffer.from(options.token);
    this.#prompt = options.promptBegins === undefined ? undefined : wanted(options.promptBegins);
    this.#waiting = new ShellWait(options.waits, () => this.#refuse());
    this.#doubting = new ShellWait(options.waits, () => this.#release());
    this.#scanner = new MarkScanner(
      (token) => token === options.token,
      (data) => this.#text(this.#withoutToken(data)),
      (mark) => this.#mark(mark),
    );
  }

  get phase(): 'starting' | 'ready' | 'sent' | 'command' {
    return this.#phase;
  }

  /** bash has redrawn its old prompt: its parser would append the next line to the last one. */
  get stuck(): boolean {
    return this.#stuck;
  }

  /** The shell traces its commands to a place where ours can't be hidden. */
  get traces(): boolean {
    return this.#flags.includes('x') && this.#flags.includes('t');
  }

  /** A prompt is being drawn, or may be. */
  get settling(): boolean {
    return this.#pending !== undefined;
  }

  /** The running program has a line editor open. */
  get editing(): boolean {
    return this.#editing;
  }

  push(data: Buffer): void {
    this.#editing = takesPastes(data) ?? this.#editing;
    this.#waiting.came(data.length);
    this.#doubting.came(data.length);
    this.#scanner.push(data);
  }

  /** A line is about to be sent to the editor. */
  sent(): void {
    this.#idle();
    this.#phase = 'sent';
    this.#aside = false;
    this.#executes = false;
    this.#ran = false;
    this.#echo = NOTHING;
  }

  /** The sent line will not run; the editor is unchanged. */
  notRun(): void {
    this.#pending = { exit: UNREADABLE, cwd: this.#cwd, held: [], serial: this.#serial };
    this.#ready();
  }

  /** The shell is at a prompt whose mark was missed or rejected. */
  promptUnseen(told: string, exit: number): void {
    const serial = told === '-' ? this.#serial : Number(told);
    const old = told !== '-' && !(serial > this.#serial);
    if (old || this.#pending || (this.#phase !== 'command' && this.#phase !== 'sent')) return;
    this.#pending = { exit, cwd: undefined, held: [this.#settleDoubt()], serial: this.#serial };
    this.#serial = serial;
    // A subshell may answer the key.
    this.#waiting.verify(() => this.#ready(), SUBSHELL_LOOKS);
  }

  /** Reports that the doubtful text is a prompt without marks; the next prompt will have them. */
  promptUnmarked(): void {
    this.#settleDoubt();
    this.#drawing = true;
  }

  /** Doubtful text counts as output. */
  decided(): void {
    this.#release();
  }

  flush(): void {
    this.#scanner.flush();
    this.#release();
    this.#waiting.stop();
  }

  #mark(mark: Mark): void {
    const { kind, fields } = mark;
    switch (kind) {
      case 'E':
        if (this.#phase === 'sent') this.#begin();
        return;
      case 'F':
        this.#executes = this.#phase === 'sent';
        return;
      case 'C':
        return this.#begins();
      case 'D':
        return this.#promptBegins(fields);
      case 'T':
        this.#promptBegins(fields);
        // The prompt may contain no mark, and its text comes before the shell waits.
        if (this.#pending) this.#waiting.verify(() => setTimeout(() => this.#ready(), SETTLE_MS), SUBSHELL_LOOKS);
        return;
      case 'X':
        this.#refused();
        return;
      case 'K':
        this.#cwd = fields.join(';');
        // The following output draws the prompt.
        if (this.#phase !== 'sent') this.#drawing = true;
        return;
      case 'P':
      case '<':
      case '>':
        return this.#repaints(kind);
      case 'R':
        return this.#promptEnds();
      case '2':
        this.#settleDoubt();
        if (this.#phase === 'command' || this.#phase === 'sent') this.#waiting.verify(this.#events.onRest);
        return;
      default:
        this.#events.onAnswer(mark);
    }
  }

  #promptEnds(): void {
    this.#drawing = false;
    if (this.#fresh) {
      this.#fresh = false;
      this.#events.onReady();
    }
    if (!this.#pending) return;
    // Later output comes from the editor, for lines that were typed ahead.
    this.#pending.drawn ??= this.#pending.held.length;
    this.#waiting.verify(() => this.#ready(), this.#patience());
  }

  /**
   * Handles a redrawn part. `P`: the prompt. `<` and `>` surround the right prompt, which comes after the prompt’s last
   * mark, or a line with a syntax error that fish draws again.
   */
  #repaints(kind: 'P' | '<' | '>'): void {
    if (kind === '>') this.#aside = false;
    else if (kind === '<') this.#aside = this.#pending !== undefined || this.#phase !== 'command';
    else if (this.#pending) delete this.#pending.drawn;
    else if (this.#phase === 'ready') this.#drawing = true;
  }

  /** Typed-ahead input or our key sequence may already run. */
  #patience(): number {
    return this.#options.typedAhead() || this.#options.asked() ? TYPED_LOOKS : 0;
  }

  #begins(): void {
    if (this.#pending) this.#refuse();
    this.#idle();
    if (this.#phase === 'sent') this.#begin();
    this.#drawing = false;
    this.#leaving = false;
    this.#ran = true;
    this.#start();
    // The user submitted this line with a key of their own: the next prompt ends it.
    if (this.#phase === 'ready') this.#phase = 'command';
  }

  #begin(): void {
    this.#phase = 'command';
    this.#leaving = true;
    this.#started = false;
  }

  /** Marks the start of the command: keys now go to it, or answer the shell’s own question. */
  #start(): void {
    if (this.#started) return;
    this.#started = true;
    this.#events.onStart();
  }

  /** The shell reports a syntax error after the echo of the line. */
  #refused(): void {
    if (this.#phase !== 'sent') return;
    const said = this.#echo.toString('latin1').lastIndexOf('fish: ');
    this.#begin();
    if (said >= 0) this.#output(this.#echo.subarray(said));
  }

  #promptBegins([exit, serial, flags = '', ...cwd]: readonly string[]): void {
    // A pending prompt is not trusted yet.
    const believed = this.#pending?.serial ?? this.#serial;
    const count = serial === '-' ? this.#serial : Number(serial);
    const old = serial !== '-' && !(count > believed);
    const again = redraws(old, this.#phase, this.#options.echoOver === undefined && !this.#executes);
    if (again || this.#phase === 'ready') return this.#drawsAgain(old ? undefined : count, !again && serial !== '-');
    this.#stuck = old;
    this.#flags = flags;
    this.#drawing = false;
    this.#settleDoubt();
    const ended = { serial: believed, exit: exitTold(old && !this.#ran, Number(exit)), held: [] };
    // A program may have printed the pending mark; the shell's own comes last. A redrawn prompt reports the same
    // values.
    if (this.#pending && (count !== this.#serial || ended.exit !== this.#pending.exit)) this.#refuse();
    const { serial: last, exit: code, held } = this.#pending ?? ended;
    if (!old) this.#serial = count;
    this.#pending = { serial: last, exit: code, cwd: cwd.length === 0 ? this.#cwd : cwd.join(';'), held };
  }

  /**
   * A prompt after which nothing ran.
   * @param counts whether an empty line was submitted, if the prompt is new
   */
  #drawsAgain(serial: number | undefined, counts: boolean): void {
    this.#drawing = true;
    this.#serial = serial ?? this.#serial;
    this.#stuck = false;
    this.#fresh = counts && serial !== undefined;
  }

  #ready(): void {
    const pending = this.#pending;
    if (!pending) return;
    this.#waiting.stop();
    this.#pending = undefined;
    const ran = this.#phase === 'command' || this.#phase === 'sent';
    // An empty line or a comment runs nothing.
    if (this.#phase === 'sent') this.#started = false;
    this.#start();
    this.#phase = 'ready';
    this.#leaving = false;
    const { held, drawn = held.length } = pending;
    const prompt = Buffer.concat(held.slice(0, drawn));
    this.#lastRow = rowOf(prompt.toString('latin1'));
    if (ran) this.#events.onEnd(pending.exit, pending.cwd);
    this.#events.onReady(prompt);
    for (const data of held.slice(drawn)) this.#edited(data);
  }

  #refuse(): void {
    if (!this.#pending) return;
    this.#waiting.stop();
    const { held, serial } = this.#pending;
    this.#pending = undefined;
    this.#serial = serial;
    this.#stuck = false;
    for (const data of held) this.#events.onOutput(data);
  }

  #text(data: Buffer): void {
    if (data.length === 0 || this.#drawing || this.#aside) return;
    if (this.#pending) {
      this.#pending.held.push(data);
      return;
    }
    switch (this.#phase) {
      case 'starting':
        return this.#events.onIdle(data);
      case 'ready':
        return this.#edited(data);
      case 'sent': {
        const { echoOver } = this.#options;
        if (echoOver === undefined) {
          this.#echo = Buffer.concat([this.#echo, data]).subarray(-MAX_ECHO_BYTES);
          return;
        }
        const seen = Buffer.concat([this.#echo, data]);
        const at = seen.lastIndexOf(echoOver);
        this.#echo = seen.subarray(-echoOver.length);
        if (at < 0) return;
        this.#begin();
        return this.#output(seen.subarray(at + echoOver.length));
      }
      default:
        this.#output(data);
    }
  }

  /** Output after the prompt. After our key sequence the editor redraws the last row, possibly in pieces. */
  #edited(data: Buffer): void {
    if (this.lent) return this.lent(data);
    this.#redraw += data.toString('latin1');
    if (!mayBeRedraw(this.#redraw, this.#lastRow)) this.#idle();
  }

  /** Text that looked like a redrawn prompt is output in between. */
  #idle(): void {
    const drawn = withoutRedraw(this.#redraw);
    this.#redraw = '';
    const row = this.#lastRow;
    const text = row !== '' && drawn.endsWith(row) ? drawn.slice(0, -row.length) : drawn;
    if (text !== '') this.#events.onIdle(Buffer.from(text, 'latin1'));
  }

  #output(data: Buffer): void {
    let text = data;
    if (this.#leaving) {
      const from =
        /^(?:\r|\n|\x1b\[\?\d+[hl]|\x1b[=>]|\x1b\[[\d;]*m|\x1b\[[JK])*/.exec(data.toString('latin1'))?.[0].length ?? 0;
      text = data.subarray(from);
      if (text.length === 0) return;
      this.#leaving = false;
    }
    this.#start();
    if (this.#prompt === undefined) return this.#events.onOutput(text);
    text = this.#doubtful.length === 0 ? text : Buffer.concat([this.#doubtful, text]);
    const at = find(text, this.#prompt) < 0 ? -1 : text.lastIndexOf(this.#prompt.bytes);
    // The editor has closed again, so it did not belong to a prompt.
    if (at < 0 || takesPastes(text) === false) {
      this.#settleDoubt();
      return this.#events.onOutput(text);
    }
    if (at > 0) this.#events.onOutput(text.subarray(0, at));
    const begins = this.#doubtful.length === 0;
    this.#doubtful = text.subarray(at);
    if (begins) this.#doubting.verify(this.#events.onDoubt);
  }

  /** Ends the doubt, and returns the doubtful text. */
  #settleDoubt(): Buffer {
    this.#doubting.stop();
    const data = this.#doubtful;
    this.#doubtful = NOTHING;
    return data;
  }

  #release(): void {
    const data = this.#settleDoubt();
    if (data.length > 0) this.#events.onOutput(data);
  }

  /** Removes the token, so that it never appears on screen, in files or in messages. */
  #withoutToken(data: Buffer): Buffer {
    if (!data.includes(this.#token)) return data;
    return Buffer.from(data.toString('latin1').replaceAll(this.#options.token, '***'), 'latin1');
  }
}

/** Delays between two checks whether the shell waits, in ms: at once, then less and less often. */
const LOOK_DELAYS_MS = [0, 1, 1, 2, 2, 5, 5, 10, 20] as const;
/** The bytes to read at most: more than a terminal can hold unread. */
const TERMINAL_BYTES = 128 * 1024;

/** Finds out whether the shell waits in the foreground, after reading everything written before. */
class ShellWait {
  readonly #waits: () => boolean | undefined;
  readonly #refuse: () => void;
  #look: NodeJS.Timeout | undefined;
  #quiet: NodeJS.Immediate | undefined;
  #looks = 0;
  /** The number of bytes received. */
  #came = 0;

  /**
   * @param waits undefined if not visible yet
   * @param refuse called if the shell does not wait
   */
  constructor(waits: () => boolean | undefined, refuse: () => void) {
    this.#waits = waits;
    this.#refuse = refuse;
  }

  /** Counts bytes received from the terminal. */
  came(bytes: number): void {
    this.#came += bytes;
  }

  /** Calls `accept` once the shell waits; refuses if another program is in the foreground after `patience` checks. */
  verify(accept: () => void, patience = 0): void {
    this.stop();
    this.#looks = 0;
    const look = () => {
      const waits = this.#waits();
      if (waits) return this.#whenRead(accept);
      if (waits === false && this.#looks >= patience) return this.#refuse();
      this.#looks += 1;
      this.#look = setTimeout(look, LOOK_DELAYS_MS[Math.min(this.#looks, LOOK_DELAYS_MS.length - 1)]);
    };
    look();
  }

  /** Cancels all callbacks. */
  stop(): void {
    clearTimeout(this.#look);
    clearImmediate(this.#quiet);
  }

  /**
   * Calls back once everything written so far is read. Forged marks may still be unread, with the shell's own report
   * after them.
   */
  #whenRead(accept: () => void): void {
    const most = this.#came + TERMINAL_BYTES;
    const turn = (came: number) => {
      // Two turns of the event loop poll the terminal in between.
      this.#quiet = setImmediate(() => {
        this.#quiet = setImmediate(() => (this.#came === came || this.#came > most ? accept() : turn(this.#came)));
      });
    };
    turn(this.#came);
  }
}

/** Sequences an editor writes around a redrawn prompt. */
const REDRAWN = /\r\x1b\[K\r?|\x1b\[\?2004[hl]|^\r+$/g;

/** Removes the sequences of a redrawn prompt. */
function withoutRedraw(drawn: string): string {
  return drawn.replace(REDRAWN, '');
}

/** Whether text after a prompt may begin the same row again. */
function mayBeRedraw(drawn: string, row: string): boolean {
  if (withoutRedraw(drawn) === '' || /(?:\r|\x1b(?:\[\??\d*)?)$/.test(drawn)) return true;
  for (let from = Math.max(0, drawn.length - row.length + 1); from < drawn.length; from += 1)
    if (row.startsWith(drawn.slice(from))) return true;
  return false;
}

/** The last row of a prompt, as drawn. */
function rowOf(prompt: string): string {
  const drawn = withoutRedraw(prompt);
  return drawn.slice(drawn.lastIndexOf('\n') + 1);
}

/** Returns the last visible row of a prompt: text with colours only. */
export function promptRow(drawn: Buffer): string {
  const rows = clean(drawn.toString('utf8').replace(/\r\n?/g, '\n')).split('\n');
  return rows.at(-1)?.replace(/\t/g, ' ') ?? '';
}

const PASTES = wanted('\x1b[?2004');

/** Whether a line editor has enabled bracketed paste (true) or disabled it (false); undefined if neither. */
function takesPastes(data: Buffer): boolean | undefined {
  // A search for bytes is much faster than a regular expression, and floods contain none.
  if (find(data, PASTES) < 0) return undefined;
  const [on, off] = [data.lastIndexOf('\x1b[?2004h'), data.lastIndexOf('\x1b[?2004l')];
  return on === off ? undefined : on > off;
}
