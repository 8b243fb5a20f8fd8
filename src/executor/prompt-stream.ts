import { clean } from '../text/sanitize.ts';
import { find, type Wanted, wanted } from './find-bytes.ts';
import { type Mark, MarkScanner } from './shell-integration/marks.ts';

/** A prompt without marks has been drawn by then, once the shell waits. Ms. */
const SETTLE_MS = 4;
/** How often a subshell that told of a prompt may still be in front. */
const SUBSHELL_LOOKS = 12;
/** And how often what was typed ahead, or asked by a key of ours, may be in front before its mark has come. */
const TYPED_LOOKS = 20;
/** The exit code of a line that can't be read, as bash tells it. */
const UNREADABLE = 2;
/** bash draws the old prompt again behind a line that it can't read: its exit code is the line's before. */
const exitTold = (unread: boolean, exit: number) => (unread ? UNREADABLE : exit);
/** Where lines leave the editor with a mark, a prompt before that is one that is drawn again. */
const redraws = (old: boolean, phase: string, before: boolean) =>
  (old && phase !== 'command') || (phase === 'sent' && before);
/** Kept of what the editor draws of a line, for what it says of one that it can't read. */
const MAX_ECHO_BYTES = 8192;

const NOTHING: Buffer = Buffer.alloc(0);

export type PromptEvents = {
  /** Output while no line runs: of background jobs, startup files. */
  readonly onIdle: (data: Buffer) => void;
  readonly onOutput: (data: Buffer) => void;
  /** The line that was sent has left the editor. */
  readonly onStart: () => void;
  readonly onEnd: (exit: number, cwd: string | undefined) => void;
  /** It waits for a line; its prompt, as drawn. */
  readonly onReady: (prompt?: Buffer) => void;
  /** The shell itself may have opened its editor, and shows no mark: `decided` follows. */
  readonly onDoubt: () => void;
  /** It waits for the rest of a line. */
  readonly onRest: () => void;
  /** What a key of ours asked for. */
  readonly onAnswer: (mark: Mark) => void;
};

export type PromptStreamOptions = {
  readonly token: string;
  readonly echoOver?: string | undefined;
  readonly promptBegins?: string | undefined;
  /** Whether the shell is in front and waits for input; undefined where that is not to be seen yet. */
  readonly waits: () => boolean | undefined;
  /** Keys were sent that no program may have read. */
  readonly typedAhead: () => boolean;
  /** Keys of ours were sent that have not been answered: what they run may be in front of the shell for a moment. */
  readonly asked: () => boolean;
};

/** A prompt that has begun: what the line ended with, and what was drawn since. */
type Pending = {
  readonly exit: number;
  readonly cwd: string | undefined;
  readonly held: Buffer[];
  /** The serial before it. */
  readonly serial: number;
  /** How much of `held` had come when it was drawn: what follows is the editor's. */
  drawn?: number;
};

/**
 * Reads what a shell writes to its terminal: tells the output of commands from prompts and from the echo of the editor.
 * A mark alone ends nothing: a new serial, where the shell counts, and a shell that waits in front of its terminal do.
 * So whoever learns the token and prints marks can neither end a line nor give it an exit code.
 */
export class PromptStream {
  /** Takes what is drawn at the prompt meanwhile, as it is. */
  lent?: ((data: Buffer) => void) | undefined;
  readonly #options: PromptStreamOptions;
  readonly #events: PromptEvents;
  readonly #scanner: MarkScanner;
  readonly #token: Buffer;
  readonly #prompt: Wanted | undefined;
  #phase: 'starting' | 'ready' | 'sent' | 'command' = 'starting';
  /** A prompt is being drawn, or redrawn. */
  #pending: Pending | undefined;
  #drawing = false;
  /** The shell draws a right prompt, or repeats a line that it could not read: neither is output. */
  #aside = false;
  #fresh = false;
  #stuck = false;
  #serial = 0;
  #cwd: string | undefined;
  #flags = '';
  #echo: Buffer = NOTHING;
  /** Of the prompt, as drawn. */
  #lastRow = '';
  /** The editor executes what was sent. */
  #executes = false;
  /** Text that may be the beginning of a prompt: it is output once another program is seen to have the terminal. */
  #doubtful: Buffer = NOTHING;
  readonly #doubting: ShellWait;
  readonly #waiting: ShellWait;
  /** What the editor draws at its prompt, as far as it may go on as a prompt that is drawn again. */
  #redraw = '';
  /** An editor has said that it takes pastes, and not that it leaves. */
  #editing = false;
  /** What comes right behind the echo is the editor's: ends of lines and modes. */
  #leaving = false;
  #started = true;
  /** A command began. */
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

  /** bash has drawn its old prompt again: its parser would take the next line for a part of the last one. */
  get stuck(): boolean {
    return this.#stuck;
  }

  /** The shell traces what it runs, to where nothing of ours can be hidden from. */
  get traces(): boolean {
    return this.#flags.includes('x') && this.#flags.includes('t');
  }

  /** A prompt is drawn, or it is not known yet whether it is one. */
  get settling(): boolean {
    return this.#pending !== undefined;
  }

  /** What runs has a line editor open. */
  get editing(): boolean {
    return this.#editing;
  }

  push(data: Buffer): void {
    this.#editing = takesPastes(data) ?? this.#editing;
    this.#waiting.came(data.length);
    this.#doubting.came(data.length);
    this.#scanner.push(data);
  }

  /** A line is about to be written to the editor. */
  sent(): void {
    this.#idle();
    this.#phase = 'sent';
    this.#aside = false;
    this.#executes = false;
    this.#ran = false;
    this.#echo = NOTHING;
  }

  /** What was sent will not run, and the editor is as before. */
  notRun(): void {
    this.#pending = { exit: UNREADABLE, cwd: this.#cwd, held: [], serial: this.#serial };
    this.#ready();
  }

  /** It is at a prompt that was written to where it is not seen, or was not believed. */
  promptUnseen(told: string, exit: number): void {
    const serial = told === '-' ? this.#serial : Number(told);
    const old = told !== '-' && !(serial > this.#serial);
    if (old || this.#pending || (this.#phase !== 'command' && this.#phase !== 'sent')) return;
    this.#pending = { exit, cwd: undefined, held: [this.#settleDoubt()], serial: this.#serial };
    this.#serial = serial;
    // What answers the key may be a subshell.
    this.#waiting.verify(() => this.#ready(), SUBSHELL_LOOKS);
  }

  /** What was doubted is a prompt that has lost its marks; the one that follows has them. */
  promptUnmarked(): void {
    this.#settleDoubt();
    this.#drawing = true;
  }

  /** What is still doubted is output. */
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
        // Its prompt may hold no mark, and what it draws comes before it waits.
        if (this.#pending) this.#waiting.verify(() => setTimeout(() => this.#ready(), SETTLE_MS), SUBSHELL_LOOKS);
        return;
      case 'X':
        this.#refused();
        return;
      case 'K':
        this.#cwd = fields.join(';');
        // What follows draws the prompt.
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
    // What is drawn behind that is the editor's, for lines that were typed ahead.
    this.#pending.drawn ??= this.#pending.held.length;
    this.#waiting.verify(() => this.#ready(), this.#patience());
  }

  /**
   * `P`: a prompt is drawn once more, without a new one. `<` and `>` are around the right prompt, which is drawn behind
   * the last mark of the prompt itself, or around a line that fish could not read and draws again.
   */
  #repaints(kind: 'P' | '<' | '>'): void {
    if (kind === '>') this.#aside = false;
    else if (kind === '<') this.#aside = this.#pending !== undefined || this.#phase !== 'command';
    else if (this.#pending) delete this.#pending.drawn;
    else if (this.#phase === 'ready') this.#drawing = true;
  }

  /** What was typed ahead, or asked, may run already. */
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
    // A line that the editor took by itself, by a key of the user's own: its end is the next prompt.
    if (this.#phase === 'ready') this.#phase = 'command';
  }

  #begin(): void {
    this.#phase = 'command';
    this.#leaving = true;
    this.#started = false;
  }

  /** From here on keys are the command's, or answer the shell's own question. */
  #start(): void {
    if (this.#started) return;
    this.#started = true;
    this.#events.onStart();
  }

  /** The shell can't read the line, and says why behind its echo. */
  #refused(): void {
    if (this.#phase !== 'sent') return;
    const said = this.#echo.toString('latin1').lastIndexOf('fish: ');
    this.#begin();
    if (said >= 0) this.#output(this.#echo.subarray(said));
  }

  #promptBegins([exit, serial, flags = '', ...cwd]: readonly string[]): void {
    // What a pending one says is not believed yet.
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
    // A program may have printed the pending one, and the shell's own comes last. One that is drawn again says the
    // same.
    if (this.#pending && (count !== this.#serial || ended.exit !== this.#pending.exit)) this.#refuse();
    const { serial: last, exit: code, held } = this.#pending ?? ended;
    if (!old) this.#serial = count;
    this.#pending = { serial: last, exit: code, cwd: cwd.length === 0 ? this.#cwd : cwd.join(';'), held };
  }

  /** A prompt behind which nothing ran. @param counts an empty line was accepted, where it is a new one */
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
    // Nothing ran: an empty line, a comment.
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

  /** Behind the prompt. The editor draws its last row again, behind a key of ours; it may come in pieces. */
  #edited(data: Buffer): void {
    if (this.lent) return this.lent(data);
    this.#redraw += data.toString('latin1');
    if (!begunAgain(this.#redraw, this.#lastRow)) this.#idle();
  }

  /** What may have gone on as a prompt is what came between. */
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
    // An editor that is closed again was none of the prompt's.
    if (at < 0 || takesPastes(text) === false) {
      this.#settleDoubt();
      return this.#events.onOutput(text);
    }
    if (at > 0) this.#events.onOutput(text.subarray(0, at));
    const begins = this.#doubtful.length === 0;
    this.#doubtful = text.subarray(at);
    if (begins) this.#doubting.verify(this.#events.onDoubt);
  }

  /** Takes what was doubted. */
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

  /** Nobody beside the shell and us learns it from what is shown, kept or sent. */
  #withoutToken(data: Buffer): Buffer {
    if (!data.includes(this.#token)) return data;
    return Buffer.from(data.toString('latin1').replaceAll(this.#options.token, '***'), 'latin1');
  }
}

/** Between two looks whether the shell waits, in ms: at once, then ever less often. */
const LOOK_DELAYS_MS = [0, 1, 1, 2, 2, 5, 5, 10, 20] as const;
/** More than a terminal holds of what was written and not read yet, in bytes. */
const TERMINAL_BYTES = 128 * 1024;

/** Finds out whether the shell is in front of its terminal and waits, with all read that was written before. */
class ShellWait {
  readonly #waits: () => boolean | undefined;
  readonly #refuse: () => void;
  #look: NodeJS.Timeout | undefined;
  #quiet: NodeJS.Immediate | undefined;
  #looks = 0;
  /** All that came, in bytes. */
  #came = 0;

  /**
   * @param waits undefined where it is not to be seen yet
   * @param refuse called where it does not wait
   */
  constructor(waits: () => boolean | undefined, refuse: () => void) {
    this.#waits = waits;
    this.#refuse = refuse;
  }

  /** So many bytes came from the terminal. */
  came(bytes: number): void {
    this.#came += bytes;
  }

  /** Calls back once the shell waits; refuses where something else is in front, after `patience` looks. */
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

  /** Nobody is called back any more. */
  stop(): void {
    clearTimeout(this.#look);
    clearImmediate(this.#quiet);
  }

  /**
   * Calls back once all that was written by now is read. This program may be late: the shell may wait behind a line
   * whose output, marks that somebody forged among it, is still to be read, and behind it what the shell itself says.
   */
  #whenRead(accept: () => void): void {
    const most = this.#came + TERMINAL_BYTES;
    const turn = (came: number) => {
      // Two of them have a look at the terminal between them.
      this.#quiet = setImmediate(() => {
        this.#quiet = setImmediate(() => (this.#came === came || this.#came > most ? accept() : turn(this.#came)));
      });
    };
    turn(this.#came);
  }
}

/** What an editor writes around a prompt that it draws again. */
const REDRAWN = /\r\x1b\[K\r?|\x1b\[\?2004[hl]|^\r+$/g;

/** What is left of it without what draws a prompt again. */
function withoutRedraw(drawn: string): string {
  return drawn.replace(REDRAWN, '');
}

/** Whether what was drawn behind a prompt may be the beginning of the same row again, after what came between. */
function begunAgain(drawn: string, row: string): boolean {
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

/** The last row of a prompt as people see it: its text with colours, and nothing else. */
export function promptRow(drawn: Buffer): string {
  const rows = clean(drawn.toString('utf8').replace(/\r\n?/g, '\n')).split('\n');
  return rows.at(-1)?.replace(/\t/g, ' ') ?? '';
}

const PASTES = wanted('\x1b[?2004');

/**
 * Whether a line editor has said that it takes pastes (then it is open), or no more; undefined where it says nothing.
 */
function takesPastes(data: Buffer): boolean | undefined {
  // Forwards and as bytes it is searched for much faster, and a flood holds none.
  if (find(data, PASTES) < 0) return undefined;
  const [on, off] = [data.lastIndexOf('\x1b[?2004h'), data.lastIndexOf('\x1b[?2004l')];
  return on === off ? undefined : on > off;
}
