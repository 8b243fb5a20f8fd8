/** The subcommands. Heavy modules are loaded only where needed. */
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setFlagsFromString } from 'node:v8';
import type { EarlyStart } from '../app/early-start.ts';
import type { GlobalOptions, SessionWish } from '../app/options.ts';
import type { App } from '../commands/app.ts';
import type { FirstFrame } from '../ui/screen/first-frame.ts';
import type { AttachedFile } from './attachments.ts';
import { EXIT } from './exit-codes.ts';
import type { HeadlessOptions } from './headless.ts';
import type { Invocation } from './program.ts';

let unwritten: Error | undefined;
// A reader that stops early (head) is not an error: further output is dropped. A full disk is an error.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') unwritten ??= error;
  });
}

const out = (text: string) => void process.stdout.write(text);
const err = (text: string) => void process.stderr.write(text);

/** Prints a message and returns false if the working directory is unusable. */
async function isPlaced(invocation: Invocation): Promise<boolean> {
  try {
    if (!('global' in invocation && invocation.global.cwd !== undefined) && process.cwd()) return true;
  } catch {}
  return (await import('./place.ts')).goToPlace(invocation, err);
}

/** Runs one invocation and returns its exit code; never success if the output could not be written. */
export async function carryOut(invocation: Invocation, version: string): Promise<number> {
  const code = (await isPlaced(invocation)) ? await dispatch(invocation, version) : EXIT.usage;
  // At this point every pending write has succeeded or failed.
  await new Promise<void>((resolve) => process.stdout.write('', () => resolve()));
  if (!unwritten) return code;
  err(`aish-tui: the output could not be written (${unwritten.message})\n`);
  return code === EXIT.ok ? EXIT.unwritten : code;
}

const isOnTerminal = () => process.stdin.isTTY && process.stdout.isTTY;

type InvocationOf<Kind extends Invocation['kind']> = Extract<Invocation, { kind: Kind }>;

async function runOnce(invocation: InvocationOf<'run'>, version: string): Promise<number> {
  const { json, onHalt, net, leave, seconds, fleet } = invocation;
  const goal = fleet?.resume === undefined ? await textOf(invocation.goal, invocation.files) : '';
  if (goal === undefined) return EXIT.usage;
  if (fleet) {
    const { runFleet } = await import('./fleet.ts');
    const session = fleet.resume === undefined ? {} : { resume: fleet.resume };
    const limit = seconds === undefined ? {} : { seconds };
    const run = (app: App) => runFleet(app, goal, fleet, { json, onHalt, out, err, ...limit });
    return withApp(invocation.global, version, run, { session });
  }
  const { runGoal, serversReady } = await import('./headless.ts');
  const run = async (app: App) => {
    await serversReady(app, err);
    return runGoal(app, goal, { json, onHalt, net, leave, out, err, ...(seconds === undefined ? {} : { seconds }) });
  };
  return withApp(invocation.global, version, run, { alone: true });
}

async function ask(invocation: InvocationOf<'ask'>, version: string): Promise<number> {
  const { json, seconds } = invocation;
  const question = await textOf(invocation.question, invocation.files);
  if (question === undefined) return EXIT.usage;
  const { askQuestion, serversReady } = await import('./headless.ts');
  const run = async (app: App) => {
    await serversReady(app, err);
    const limit = seconds === undefined ? {} : { seconds };
    return askQuestion(app, question, { json, onHalt: 'skip', out, err, ...limit });
  };
  return withApp(invocation.global, version, run, { alone: true });
}

async function dispatch(invocation: Invocation, version: string): Promise<number> {
  switch (invocation.kind) {
    case 'screen':
      return isOnTerminal() ? screens(invocation, version) : piped(invocation, version);
    case 'run':
      return runOnce(invocation, version);
    case 'ask':
      return ask(invocation, version);
    case 'safetyCheck':
      return (await import('./probes.ts')).safetyCheck(invocation, out, err);
    case 'route':
      return (await import('./probes.ts')).route(invocation, out, err);
    case 'secretsCheck':
      return (await import('./probes.ts')).secretsCheck(invocation, out, err);
    case 'sandbox':
      return (await import('./sandbox.ts')).runInSandbox(invocation, err);
    case 'try':
      return (await import('./try.ts')).tryOutside(invocation, invocation.global.config, out, err);
    case 'undo':
      return (await import('./undo.ts')).undoOutside(invocation.wish, invocation.global.config, out, err);
    case 'doctor':
      return doctor(invocation);
    case 'config':
      return (await import('./config.ts')).configCommand(invocation.wish, out, err);
    case 'acp':
      return acp(invocation, version);
    case 'uninstall':
      return (await import('./uninstall.ts')).uninstall(invocation.wish, out, err);
    case 'guard':
      return guard(invocation);
    case 'mcp':
      return (await import('./mcp-servers.ts')).mcpServers(invocation.wish, invocation.global.config, out, err);
    case 'mcpLogin': {
      const { login, global } = invocation;
      return (await import('./mcp-login.ts')).mcpLogin(login, { config: global.config, version }, out, err);
    }
    case 'mcpServe': {
      const { serveMcp } = await import('../integrations/mcp-server/serve.ts');
      boundHeap();
      return serveMcp(invocation.global.config, version);
    }
    case 'sessions':
      return sessions();
  }
}

/**
 * Returns the text of the request with its files; `-` reads standard input to its end. Undefined, after a message, if
 * there is none.
 */
async function textOf(given: string, files: readonly AttachedFile[]): Promise<string | undefined> {
  const { text } = await import('node:stream/consumers');
  const own = (given === '-' ? await text(process.stdin) : given).trim();
  const whole = files.length === 0 ? undefined : await (await import('./attachments.ts')).withAttachments(own, files);
  const problem = own === '' ? 'no goal or question was given' : whole?.ok === false ? whole.problem : undefined;
  if (problem === undefined) return whole?.ok ? whole.text : own;
  const { visible } = await import('../text/sanitize.ts');
  err(`aish-tui: ${visible(problem)}\n`);
  return undefined;
}

async function doctor({ global, json }: Extract<Invocation, { kind: 'doctor' }>): Promise<number> {
  const { examine, examinedLine } = await import('../app/doctor.ts');
  const { escapeJson } = await import('./print.ts');
  const all: unknown[] = [];
  const fine = await examine(global, (examined) => (json ? all.push(examined) : out(`${examinedLine(examined)}\n`)));
  if (json) out(`${escapeJson(JSON.stringify({ ok: fine, checks: all }, null, 2))}\n`);
  return fine ? EXIT.ok : 1;
}

async function guard({ what, agent, strict }: Extract<Invocation, { kind: 'guard' }>): Promise<number> {
  if (what === 'allow') {
    const { Allowances } = await import('../integrations/guard/allowance.ts');
    const { allowOnce } = await import('../integrations/guard/allow.ts');
    const { hideSecrets } = await import('../integrations/guard/hide.ts');
    const { placesOf } = await import('../config/index.ts');
    return allowOnce(new Allowances(placesOf(process.env).state, hideSecrets));
  }
  const { guardDoctor, printSetup } = await import('../integrations/guard/install.ts');
  return what === 'doctor' || agent === undefined ? guardDoctor(agent, out) : printSetup(agent, strict, out, err);
}

async function acp({ global, session }: Extract<Invocation, { kind: 'acp' }>, version: string): Promise<number> {
  if (!session) return (await import('../integrations/acp/serve.ts')).serveAcp(global, version);
  const { serveSession } = await import('../integrations/acp/session.ts');
  return withApp(global, version, serveSession, {
    failing: async (text) => void process.send?.({ kind: 'problem', text }),
  });
}

/** Lists sessions without opening one. */
async function sessions(): Promise<number> {
  const { placesOf } = await import('../config/index.ts');
  const { listSessions } = await import('../store/index.ts');
  const { sessionTable } = await import('../commands/conversation.ts');
  out(`${sessionTable(await listSessions(join(placesOf(process.env).state, 'sessions')))}\n`);
  return EXIT.ok;
}

type OnScreen = Extract<Invocation, { kind: 'screen' }>;

/** Runs one session after the other, as the user switches between them. */
async function screens(invocation: OnScreen, version: string): Promise<number> {
  const { code, next } = await screen(invocation, version);
  if (!next) return code;
  const opened = (await import('./place.ts')).openedNext(invocation, next);
  await isPlaced(opened);
  return screens(opened, version);
}

async function screen({ global, session }: OnScreen, version: string) {
  const { frame: first, shell = false } = (await firstFrame(global)) ?? {};
  // Until the screen handles errors itself, an error must not print its stack over the first frame.
  const broken = Promise.withResolvers<never>();
  const broke = (error: unknown) => broken.reject(error);
  process.on('uncaughtException', broke);
  process.on('unhandledRejection', broke);
  let next: App['sessions']['next'];
  try {
    const early = first && (await loadApp(shell));
    // The only import of an upper layer: the screen is loaded only when needed.
    const loading = import('../../components/load.ts').then(({ loadScreen }) => loadScreen(turn));
    const use = async (app: App) => {
      const plain = app.ui.screen === 'plain' || needsLines(global);
      if (plain) await first?.leave();
      const face = plain ? undefined : await loading;
      await turn();
      process.off('uncaughtException', broke);
      process.off('unhandledRejection', broke);
      const ended = face ? face.runScreen(app, first, global.inline) : (await import('./print.ts')).plainScreen(app);
      // MCP servers start only after the first frame.
      void app.mcp.start(0);
      const code = await ended;
      next = app.sessions.next;
      if (code === EXIT.ok && next === undefined && app.memory.worthSaving())
        await (await import('../commands/conversation.ts')).saveMemory(app.memory, out);
      return code;
    };
    const running = withApp(global, version, use, {
      ...{ session, failing: () => first?.leave(), person: true as const },
      ...(early && { early }),
    });
    return { code: await Promise.race([running, broken.promise]), next };
  } catch (error) {
    await first?.leave();
    throw error;
  }
}

/** Loads the program behind the first frame; `shell`: also starts the user's. */
async function loadApp(shell: boolean): Promise<EarlyStart> {
  boundHeap();
  (await import('../ui/terminal/after-kill.ts')).restoreAfterKill();
  const { startEarly } = await import('../app/early-start.ts');
  return startEarly({ shell, turn, ...sizeNow() });
}

/** Lets pending input be read: the event loop polls before it runs `setImmediate` callbacks. */
async function turn(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));
}

function sizeNow() {
  const { columns = 80, rows = 24 } = process.stdout;
  return { columns, rows };
}

/** Whether only plain lines can be read: the terminal can't move a cursor, or a screen reader has no full screen. */
function needsLines({ inline }: GlobalOptions): boolean {
  const isRead = inline === true && process.env.INK_SCREEN_READER === 'true';
  return isRead || ['', 'dumb'].includes(process.env.TERM ?? '');
}

/**
 * Draws a prompt before the rest of the program is loaded; undefined if a plain start is better. `shell`: the user has
 * configured no other shell than `$SHELL`.
 */
async function firstFrame(global: GlobalOptions): Promise<{ frame: FirstFrame; shell: boolean } | undefined> {
  const { config, model, inline } = global;
  if (process.env.INK_SCREEN_READER === 'true' || inline || needsLines(global)) return undefined;
  const { glanceAtConfig } = await import('../config/glance.ts');
  const glance = glanceAtConfig(config, process.env);
  if (!glance || glance.plain) return undefined;
  const { FirstFrame } = await import('../ui/screen/first-frame.ts');
  const { themeFor } = await import('../ui/render/theme.ts');
  const theme = themeFor(glance.theme, process.env, undefined);
  const name = `[aish:${model ?? glance.preset}]> `;
  return { frame: new FirstFrame({ name, theme, mouse: glance.mouse, composed: true }), shell: !glance.shell };
}

async function piped({ global, session }: Extract<Invocation, { kind: 'screen' }>, version: string): Promise<number> {
  if (process.stdin.isTTY) {
    err('aish-tui: the output is not a terminal; use aish-tui run or aish-tui ask\n');
    return EXIT.usage;
  }
  const { runLines, serversReady } = await import('./headless.ts');
  const options: HeadlessOptions = { json: false, onHalt: 'skip', out, err };
  return withApp(
    global,
    version,
    async (app) => {
      await serversReady(app, err);
      return runLines(app, createInterface({ input: process.stdin }), options);
    },
    { session, alone: true },
  );
}

async function withApp(
  global: GlobalOptions,
  version: string,
  use: (app: App) => Promise<number>,
  {
    session = {},
    failing,
    ...people
  }: {
    session?: SessionWish;
    failing?: (problem: string) => Promise<void> | undefined;
    person?: true;
    alone?: true;
    early?: EarlyStart;
  } = {},
): Promise<number> {
  const { openApp } = await import('../app/assembly.ts');
  boundHeap();
  const opened = await openApp({ global, version, ...sizeNow(), session, turn, ...people });
  if ('problem' in opened) {
    await failing?.(opened.problem);
    err(`aish-tui: ${opened.problem}\n`);
    return EXIT.usage;
  }
  try {
    return await use(opened.app);
  } finally {
    await opened.close();
  }
}

/** By how many percent the heap may grow between two full collections. */
const GROWTH_PERCENT = 30;

/**
 * Keeps V8's young generation at its current size and makes the heap grow in small steps: by default V8 takes many
 * times that in a flood, and keeps growing in long runs. Call it after the first modules are loaded, when the young
 * generation has some 2 MB. Passed as arguments of Node, both settings would slow the start, because they invalidate
 * compiled code, including Node's own.
 * @public its test calls it in a separate process
 */
export function boundHeap(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}
