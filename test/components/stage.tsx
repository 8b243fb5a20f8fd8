/** The screen over a real engine, with a model and a shell that answer as a test sets them. */

import { render as renderByInk, Text } from 'ink';
import { render } from 'ink-testing-library';
import { Profiler } from 'react';
import { onTestFinished } from 'vitest';
import { App as Picture } from '../../components/App.tsx';
import { ScreenContext } from '../../hooks/context.ts';
import { engineSecrets } from '../../src/app/secrets-filter.ts';
import type { App, ScreenPort } from '../../src/commands/app.ts';
import { FleetDesk } from '../../src/commands/fleet-desk.ts';
import { Waits } from '../../src/commands/waits.ts';
import { DEFAULTS } from '../../src/config/config.ts';
import type { Job } from '../../src/contracts/commands.ts';
import type { FleetPort } from '../../src/contracts/fleet.ts';
import type { Gate } from '../../src/contracts/gate.ts';
import type { Route } from '../../src/contracts/lines.ts';
import type { Services } from '../../src/contracts/services.ts';
import type { Trials } from '../../src/contracts/trials.ts';
import { Engine } from '../../src/engine/engine.ts';
import { Forms } from '../../src/engine/forms.ts';
import { ForegroundJob, ShellQueue } from '../../src/engine/shell-queue.ts';
import { SecretsFilter } from '../../src/secrets/index.ts';
import type { Reply } from '../../src/session/message.ts';
import type { Settings } from '../../src/session/state.ts';
import { createKeyResolver } from '../../src/ui/keymap/resolver.ts';
import { KEY_TABLE } from '../../src/ui/keymap/table.ts';
import { ScreenOutput } from '../../src/ui/render/compositor.ts';
import { InlineCompositor } from '../../src/ui/render/inline.ts';
import { THEMES, type Theme } from '../../src/ui/render/theme.ts';
import { takeToken } from '../../src/ui/screen/input.ts';
import { Screen } from '../../src/ui/screen/screen.ts';
import { KeyStream } from '../../src/ui/terminal/key-stream.ts';
import { createTokenizer } from '../../src/ui/terminal/tokenizer.ts';
import { fakeClock } from '../support/clock.ts';
import { deadly, harmless, reply, settings } from '../support/machine.ts';
import { FakeTerminal } from '../support/terminal.ts';
import { FakeCommand } from './fake-command.ts';
import { QUIET_FLEETS, QUIET_INFO, QUIET_PORTS } from './quiet-ports.ts';

const userShell = {
  background: async () => 'not here',
  lineToResume: () => undefined,
  jobs: () => [],
  endJob: () => false,
};

// Without rows on its output, Ink starts `tput` at every commit, which takes four fifths of a test's time.
const first = render(<Text> </Text>);
first.unmount();
Object.defineProperty(Object.getPrototypeOf(first.stdout), 'rows', { value: 24 });

/** The interface of a test: the screen as text, keys to press, and the model, shell and terminal to control. */
export type Stage = Awaited<ReturnType<typeof setStage>>;

export type StageOptions = Partial<Pick<App['presets'], 'problem'>> & {
  readonly setup?: Partial<App['setup']>;
  readonly columns?: number;
  readonly rows?: number;
  readonly gate?: Gate;
  readonly settings?: Partial<Settings>;
  readonly theme?: Theme;
  readonly trials?: Trials;
  readonly fleets?: FleetPort;
  /** Draws by the compositor on a terminal, as the program does; otherwise as Ink's text. */
  readonly composed?: boolean;
  /** Draws on the normal screen and leaves final entries to the scrollback; needs `composed`. */
  readonly inline?: boolean;
  readonly motion?: boolean;
};

export async function setStage(change: StageOptions = {}) {
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
      worksOverPipes: () => false,
      begin: async () => true,
    },
    agent: { run: async () => launch() },
    ...(change.trials ? { trials: change.trials } : {}),
    user: { run: async () => launch() },
    jobs: { adopt: () => 1, release: () => {}, running: () => jobs, kill: () => false },
    tools: {
      specs: [],
      specsWithin: () => ({ specs: [], left: [] }),
      refusal: async () => undefined,
      judge: () => undefined,
      autoApproved: () => false,
      facts: () => undefined,
      onlyReads: () => false,
      run: async () => ({ text: 'done', failed: false }),
    },
    journal: { append: () => Promise.resolve(), hasten() {} },
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
  const { fleets = QUIET_FLEETS } = change;
  const history: string[] = [];
  const agents = new Set<string>();
  let quits = 0;
  let next: App['sessions']['next'];
  let attached: ScreenPort | undefined;
  const app: App = {
    engine,
    notices: [],
    shell: new ShellQueue(engine, () => Promise.resolve({ ...userShell, ...shell })),
    front: new ForegroundJob(engine),
    waits: new Waits(() => engine.changed()),
    classify,
    rememberRoute: () => {},
    shellName: async () => 'bash 5.2',
    viKeys: () => false,
    ownSearch: () => undefined,
    setTerminalFacts: () => {},
    keepOutput: async () => '/tmp/kept',
    saveNew: async (name) => name,
    programs: async () => ({ pager: 'less', editor: 'vi' }),
    saveOutput: async () => '/tmp/saved',
    readOutput: async () => 'the part that was cut: needle',
    words: {
      kindOf: () => 'known',
      isPath: () => false,
      nearest: () => undefined,
      onAnswer: () => () => {},
      abbreviations: () => ({}),
    },
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
      factsOf: () => undefined,
      ended: () => {},
      addAgents: () => {},
      isAgents: (line) => agents.has(line),
    },
    info: () => QUIET_INFO,
    presets: {
      list: () => [
        { name: 'fast', model: 'tiny', baseUrl: 'http://localhost', local: true, demo: false, secrets: 'off' },
      ],
      probe: async () => ({ reachable: true, detail: 'answers' }),
      keep: () => '',
      problem: change.problem ?? (async () => undefined),
      learnedWindow: () => undefined,
      forgetWindows: () => {},
    },
    safety: {
      patterns: () => [],
      check: () => ({ verdict: 'safe', reason: '' }),
      ruleFor: (command) => command,
      judge: () => Promise.resolve(harmless),
    },
    hosts: {
      list: () => [],
      names: async () => [],
      enter: async () => {},
      leave: () => undefined,
      forget: async () => [],
      launcher: async () => '',
      trust: () => {},
    },
    forms,
    network: { list: () => [], setNamed: () => undefined },
    rules: { keep: (rule) => `${rule} kept`, drop: () => undefined },
    mcp: {
      patience: 0,
      enable: () => false,
      servers: () => [],
      start: async () => {},
      restart: async () => {},
      stop: async () => {},
      login: async () => {},
      takeLogin: () => false,
      logout: async () => false,
    },
    changesTold: async () => {},
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
    fleets,
    fleet: new FleetDesk(engine, fleets),
    ...QUIET_PORTS,
    setup: { ...QUIET_PORTS.setup, ...change.setup },
    sessions: {
      ...QUIET_PORTS.sessions,
      again(model) {
        next = { id: 's1', fork: false, cwd: '/', model };
        return undefined;
      },
      get next() {
        return next;
      },
    },
    openAddress: () => false,
    doctor: async () => [],
    ui: {
      mouse: true,
      screen: 'full',
      wheel_lines: 3,
      notify: true,
      motion: change.motion ?? false,
      suggestions: true,
    },
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
  /** The output that bypassed the drawing. */
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
  const display = change.composed ? new FakeTerminal(columns, rows) : undefined;
  const output = display && new ScreenOutput(display, true, change.inline ? InlineCompositor : undefined);
  const screen = new Screen({
    app,
    terminal,
    keys: createKeyResolver(KEY_TABLE),
    theme: change.theme ?? THEMES.none,
    size: { columns, rows },
    schedule: clock.schedule,
    output: {
      hold: () => output?.hold(),
      release: () => output?.release(),
      direct: (data) => written.push(Buffer.from(data).toString()),
    },
    redraw: () => output?.compositor?.redraw(),
    compositor: output?.compositor,
  });
  const disconnect = screen.connect();
  const counts = { commits: 0 };
  const picture = (
    <Profiler
      id="screen"
      onRender={() => {
        counts.commits += 1;
      }}
    >
      <ScreenContext value={screen}>
        <Picture />
      </ScreenContext>
    </Profiler>
  );
  const shown = output ? composed(output, picture) : render(picture);
  const tokens = createTokenizer((token) => takeToken(screen, token), clock.schedule);
  // The library brings an input of its own, so the real stream feeds it the keys for fields.
  const { stdin } = shown;
  ink.setEncoding('utf8');
  ink.on('data', (bytes: string) => stdin.write(bytes));
  const listens = () => stdin.listenerCount('readable') > 0;
  Object.defineProperty(ink, 'isRaw', { get: listens });
  onTestFinished(() => {
    shown.unmount();
    disconnect();
  });
  // Waiting for a flush writes an empty piece, which the library counts as a frame.
  const raw = () => shown.frames.findLast((each) => each !== '') ?? '';
  const frame = () => display?.text() ?? raw().replace(/\x1b\[[\d;]*m/g, '');
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
    /** The terminal that a composed stage draws on. */
    display,
    output,
    /** The number of React's commits so far. */
    counts,
    /** Adds a job that `:jobs` lists. */
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
    /** Returns whether a dialog's field takes keys, which starts a moment after it is drawn. */
    listens,
    until,
    see: (wanted: string | RegExp) =>
      until(() => (typeof wanted === 'string' ? frame().includes(wanted) : wanted.test(frame()))),
    /** Presses keys as a terminal sends them; a lone Esc is distinguished from a sequence by time. */
    press(bytes: string): void {
      tokens.push(Buffer.from(bytes));
      tokens.flush();
    },
    /** Presses a letter at a question, alone for long enough to count. */
    answer(letter: string): void {
      this.press(letter);
      clock.advance(150);
    },
    /** Waits until the terminal has drawn the question. */
    async drawn(): Promise<void> {
      await until(() => fences.length > 0);
      for (const answer of fences.splice(0)) answer();
      await Promise.resolve();
    },
    /** Waits until the terminal has drawn the question and the keyboard was quiet. */
    async arm(): Promise<void> {
      await this.drawn();
      clock.advance(500);
      // Text on the screen counts as seen once its frame was written.
      await until(() => {
        const { questionLayout: layout } = screen;
        return !layout || layout.tooSmall || layout.mustSee === 0 || screen.ui.get().question?.seen !== undefined;
      });
    },
  };
}

/** Renders as `components/main.tsx` does, but with an input like that of the testing library. */
function composed(output: ScreenOutput, picture: React.ReactElement) {
  const { stdin, unmount } = render(<Text> </Text>);
  unmount();
  const instance = renderByInk(picture, {
    stdout: output as unknown as NodeJS.WriteStream,
    stdin: stdin as unknown as NodeJS.ReadStream,
    exitOnCtrlC: false,
    debug: true,
    interactive: true,
    patchConsole: false,
  });
  return { stdin, frames: [] as readonly string[], unmount: () => instance.unmount() };
}

function classify(line: string): Route {
  if (line.startsWith(':')) return { kind: 'meta', forced: true, text: line, why: '' };
  if (line.startsWith('?')) return { kind: 'ai', forced: true, text: line.slice(1), why: '' };
  return { kind: /^(?:ls|sleep|cat|echo)\b/.test(line) ? 'shell' : 'ai', forced: false, text: line, why: '' };
}
