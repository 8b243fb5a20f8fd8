/** The screen over a real engine: a model that says what a test tells it, a shell that does what a test tells it. */
import { render } from 'ink-testing-library';
import { onTestFinished } from 'vitest';
import { App as Picture } from '../../components/App.tsx';
import { ScreenContext } from '../../hooks/context.ts';
import { engineSecrets } from '../../src/app/secrets.ts';
import type { App, ScreenPort } from '../../src/commands/app.ts';
import { DEFAULTS } from '../../src/config/config.ts';
import type { LiveOutput, RunningCommand } from '../../src/contracts/commands.ts';
import type { Gate } from '../../src/contracts/gate.ts';
import type { Job } from '../../src/contracts/jobs.ts';
import type { Route } from '../../src/contracts/lines.ts';
import type { Services } from '../../src/contracts/services.ts';
import { Engine } from '../../src/engine/engine.ts';
import { Forms } from '../../src/engine/forms.ts';
import { ForegroundJob, ShellQueue } from '../../src/engine/shell-queue.ts';
import { createKeyResolver } from '../../src/keymap/resolver.ts';
import { KEY_TABLE } from '../../src/keymap/table.ts';
import { THEMES } from '../../src/render/theme.ts';
import { takeToken } from '../../src/screen/input.ts';
import { Screen } from '../../src/screen/screen.ts';
import { SecretsFilter } from '../../src/secrets/index.ts';
import type { CommandResult } from '../../src/session/action.ts';
import type { Reply } from '../../src/session/message.ts';
import type { Settings } from '../../src/session/state.ts';
import { KeyStream } from '../../src/terminal/key-stream.ts';
import { createTokenizer } from '../../src/terminal/tokenizer.ts';
import { fakeClock } from '../support/clock.ts';
import { deadly, harmless, reply, settings } from '../support/machine.ts';

const userShell = {
  background: async () => 'not here',
  lineToResume: () => undefined,
  jobs: () => [],
  endJob: () => false,
};

/** A command that runs until a test ends it. */
class FakeCommand implements RunningCommand {
  readonly pid = 1;
  readonly written: string[] = [];
  fullScreen = false;
  echoOff = false;
  asks = false;
  asker: string | undefined;
  interrupted = 0;
  size: readonly number[] = [];
  readonly result: Promise<CommandResult>;
  readonly output: LiveOutput & { promptText: string };
  readonly #end = Promise.withResolvers<CommandResult>();
  readonly #listeners = new Set<() => void>();
  #lines: string[] = [];

  constructor() {
    this.result = this.#end.promise;
    const lines = () => this.#lines;
    this.output = {
      version: 0,
      bytes: 0,
      promptText: '',
      lines: (max) => lines().slice(-max),
      subscribe: (listener) => {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
    };
  }

  write(data: string): void {
    this.written.push(data);
  }
  resize(columns: number, rows: number): void {
    this.size = [columns, rows];
  }
  interrupt(): void {
    this.interrupted += 1;
    this.end({ exit: 130 });
  }
  hangUp(): void {
    this.end();
  }
  onModes(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
  rawOutput(): () => void {
    return () => {};
  }
  unread(): Promise<string> {
    return Promise.resolve('');
  }
  print(lines: readonly string[], asks = ''): void {
    this.#lines = [...lines];
    Object.assign(this.output, { version: this.output.version + 1, promptText: asks });
    for (const listener of this.#listeners) listener();
  }
  /** Waits for an answer behind these words. */
  ask(words: string, change: { echoOff?: boolean; asker?: string } = {}): void {
    Object.assign(this, { asks: true, ...change });
    this.print([words], words);
  }
  end(change: Partial<CommandResult> = {}): void {
    const head = this.#lines.join('\n');
    const facts = { exit: 0, cwd: '/home/me', tail: '', omittedLines: 0, bytes: head.length, milliseconds: 5 };
    this.#end.resolve({ ...facts, head, ...change });
  }
}

/** What a test holds: the screen as text, keys to press, and the other side of everything. */
export type Stage = Awaited<ReturnType<typeof setStage>>;

export async function setStage(
  change: { columns?: number; rows?: number; gate?: Gate; settings?: Partial<Settings> } = {},
) {
  const { columns = 80, rows = 24 } = change;
  const clock = fakeClock();
  const commands: FakeCommand[] = [];
  const calls: { say(text: string): void; end(change?: Partial<Reply>): void; readonly signal: AbortSignal }[] = [];
  const jobs: Job[] = [];
  const launch = () => {
    const command = new FakeCommand();
    commands.push(command);
    return command;
  };
  const services: Services = {
    models: {
      measure: async () => undefined,
      chatStream: (_preset, _messages, { onText, signal }) =>
        new Promise((resolve) => {
          let text = '';
          const say = (more: string) => {
            text += more;
            onText(more);
          };
          const end = (last: Partial<Reply> = {}) => resolve({ ...reply(text), ...last });
          signal.addEventListener('abort', () => end({ finish: 'cancelled' }));
          calls.push({ say, end, signal });
        }),
    },
    gate: change.gate ?? {
      judge: async (action) => (action.kind === 'command' && /\brm\b/.test(action.command) ? deadly : harmless),
      onlyReads: () => false,
      begin: async () => async () => {},
    },
    agent: { run: async () => launch() },
    user: { run: async () => launch() },
    jobs: {
      adopt: () => 1,
      release: () => {},
      running: () => jobs,
      kill: () => false,
    },
    tools: {
      specs: [],
      refusal: async () => undefined,
      judge: () => undefined,
      autoApproved: () => false,
      facts: () => undefined,
      onlyReads: () => false,
      run: async () => ({ text: 'done', failed: false }),
    },
    journal: { append: () => Promise.resolve() },
    secrets: engineSecrets(new SecretsFilter(), DEFAULTS),
    systemPrompt: '',
    maxAnswerTokens: 100,
    now: clock.now,
    waitSeconds: 60,
  };
  const engine = new Engine(services, 'main');
  void engine.dispatch({
    type: 'opened',
    cwd: '/home/me',
    mode: 'unrestricted',
    settings: { ...settings, ...change.settings },
  });
  let room: readonly number[] = [];
  const shell = {
    cwd: '/home/me',
    run: launch,
    resize: (...size: readonly number[]) => {
      room = size;
    },
  };
  const forms = new Forms(engine);
  const history: string[] = [];
  const agents = new Set<string>();
  let quits = 0;
  let attached: ScreenPort | undefined;
  const app: App = {
    engine,
    notices: [],
    shell: new ShellQueue(engine, Promise.resolve({ ...userShell, ...shell })),
    front: new ForegroundJob(engine),
    classify,
    incomplete: (line) => line.endsWith('\\'),
    cost: { days: async () => [], priceFile: '/home/me/prices.jsonc' },
    memory: {
      enabled: true,
      list: () => [],
      forget: () => {},
      worthSaving: () => false,
      save: async () => '',
    },
    complete: async (line) => ({
      start: 0,
      items: ['alpha', 'alpine', 'beta'].filter((word) => word.startsWith(line)).map((text) => ({ text })),
    }),
    edit: async (text) => ({ ok: true, text: `${text} edited` }),
    history: {
      entries: () => history,
      add: (line) => history.push(line),
      addAgents: () => {},
      isAgents: (line) => agents.has(line),
    },
    info: () => ({ jobs: 0, sandbox: false, unsaved: false, sessionId: 's1', version: '0', branch: 'main' }),
    presets: {
      list: () => [
        { name: 'fast', model: 'tiny', baseUrl: 'http://localhost', local: true, demo: false, secrets: 'off' },
      ],
      probe: async () => ({ reachable: true, detail: 'answers' }),
      keep: () => '',
      learnedWindow: () => undefined,
      forgetWindows: () => {},
    },
    safety: { patterns: () => [], check: () => ({ verdict: 'safe', reason: '' }) },
    forms,
    mcp: { servers: () => [], start: async () => {}, restart: async () => {} },
    undo: {
      unavailable: async () => undefined,
      list: async () => [],
      preview: async () => ({ ok: false, text: 'nothing to undo' }),
      undo: async () => ({ ok: false, text: 'nothing to undo' }),
      forget: async () => ({ ok: false, text: 'nothing is kept' }),
    },
    patches: {
      preview: async () => ({ ok: false, text: 'no patch to undo' }),
      undo: async () => ({ ok: false, text: 'no patch to undo' }),
    },
    sessions: { list: async () => [], days: 30, old: async () => [], remove: async () => 0 },
    doctor: async () => [],
    ui: { mouse: true, screen: 'full', wheel_lines: 3, notify: true },
    get screen() {
      return attached;
    },
    attachScreen(port) {
      attached = port;
      return () => {
        attached = undefined;
      };
    },
    keys: {},
    onQuit: () => () => {},
    quit: () => {
      quits += 1;
    },
  };
  const fences: (() => void)[] = [];
  /** What went past the drawing. */
  const written: string[] = [];
  const ink = new KeyStream();
  const terminal = {
    ink,
    fence: () => new Promise<boolean>((resolve) => fences.push(() => resolve(true))),
    stop: () => Promise.resolve(),
    setMouse: () => {},
    handOver: () => () => {},
    suspend: <T,>(run: () => Promise<T>) => run(),
  };
  const screen = new Screen({
    app,
    terminal,
    keys: createKeyResolver(KEY_TABLE),
    theme: THEMES.none,
    size: { columns, rows },
    schedule: clock.schedule,
    output: {
      hold: () => {},
      release: () => {},
      direct: (data) => written.push(Buffer.from(data).toString()),
    },
    redraw: () => {},
  });
  const disconnect = screen.connect();
  const shown = render(
    <ScreenContext value={screen}>
      <Picture />
    </ScreenContext>,
  );
  const tokens = createTokenizer((token) => takeToken(screen, token), clock.schedule);
  // The library brings an input of its own: keys for fields go through the real stream into that.
  ink.setEncoding('utf8');
  ink.on('data', (bytes: string) => shown.stdin.write(bytes));
  const listens = () => shown.stdin.listenerCount('readable') > 0;
  Object.defineProperty(ink, 'isRaw', { get: listens });
  onTestFinished(() => {
    shown.unmount();
    disconnect();
  });
  // Waiting for a flush writes an empty piece, which the library takes for a frame.
  const raw = () => shown.frames.findLast((each) => each !== '') ?? '';
  const frame = () => raw().replace(/\x1b\[[\d;]*m/g, '');
  const until = async (holds: () => boolean) => {
    const end = performance.now() + 10_000;
    while (!holds()) {
      if (performance.now() > end) throw new Error(`not seen:\n${frame()}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  return {
    screen,
    engine,
    forms,
    clock,
    commands,
    /** A job that `:jobs` lists. */
    job(owner: Job['owner'], command: string): FakeCommand {
      const running = new FakeCommand();
      jobs.push({ id: jobs.length + 1, command, running, owner, startedAt: clock.now() });
      return running;
    },
    calls,
    history,
    /** Lines of the history that the agent ran. */
    agents,
    written,
    frames: shown.frames,
    frame,
    raw,
    quits: () => quits,
    /** Columns and rows of the shell's terminal. */
    room: () => room,
    /** Whether a dialog's field takes keys: a moment after it is drawn. */
    listens,
    until,
    see: (wanted: string | RegExp) =>
      until(() => (typeof wanted === 'string' ? frame().includes(wanted) : wanted.test(frame()))),
    /** Presses keys as a terminal sends them; a lone Esc is told from a sequence by time. */
    press(bytes: string): void {
      tokens.push(Buffer.from(bytes));
      tokens.flush();
    },
    /** Presses a letter at a question, alone for long enough to count. */
    answer(letter: string): void {
      this.press(letter);
      clock.advance(150);
    },
    /** The terminal has drawn the question, and the keyboard was quiet. */
    async arm(): Promise<void> {
      await until(() => fences.length > 0);
      for (const answer of fences.splice(0)) answer();
      await Promise.resolve();
      clock.advance(500);
      // What stands on the screen counts as seen once its frame was written.
      await until(() => {
        const { questionLayout: layout } = screen;
        return !layout || layout.tooSmall || layout.mustSee === 0 || screen.ui.get().question?.seen !== undefined;
      });
    },
  };
}

function classify(line: string): Route {
  if (line.startsWith(':')) return { kind: 'meta', forced: true, text: line, why: '' };
  if (line.startsWith('?')) return { kind: 'ai', forced: true, text: line.slice(1), why: '' };
  return { kind: /^(?:ls|sleep|cat|echo)\b/.test(line) ? 'shell' : 'ai', forced: false, text: line, why: '' };
}
