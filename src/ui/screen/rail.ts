/**
 * The rail at the right of a wide screen (plan, sub-agents, jobs, changed files), and the columns that it leaves to
 * the rest.
 */

import type { App } from '../../commands/app.ts';
import type { Job } from '../../contracts/commands.ts';
import { type ChangedFile, fateOf, nameIn } from '../../contracts/undo.ts';
import { sizeForModel } from '../../engine/live.ts';
import { MAX_DELEGATE_STEPS, type SubAgent, subAgents, waitingTasks } from '../../session/delegate.ts';
import { directoryAt } from '../../session/place.ts';
import type { Tasks } from '../../session/run.ts';
import { plainText, visible, visibleWithTabs } from '../../text/sanitize.ts';
import { stripStyles } from '../../text/style.ts';
import { lineWidth, wrapText } from '../../text/wrap.ts';
import { padTo, type RenderContext } from '../render/theme.ts';
import { doing } from './entries/delegate.ts';
import { outputSize } from './entries/exec.ts';
import { elapsed } from './entries/frame.ts';
import type { FullScreen } from './full-screen.ts';
import type { Size, Store, Ui } from './ui.ts';

/**
 * The least columns of a screen with a rail for running work, and of one with a rail for a plan or changed files alone.
 */
const MIN_COLUMNS = 120;
const WIDE_COLUMNS = 150;
const NARROW = 36;
const WIDE = 46;
/** The most files that are named. */
const MAX_CHANGED = 8;
/** The line at the left of the side panel and the blank after it. */
const EDGE = 2;

export type RailFacts = {
  readonly tasks?: Tasks | undefined;
  readonly agents: readonly SubAgent[];
  /** Tasks that wait for a sub-agent to end. */
  readonly waiting: number;
  readonly jobs: readonly Job[];
  /** Files that the current run has changed, and the directory that their names are relative to. */
  readonly changed: readonly ChangedFile[];
  readonly cwd: string;
};

/** Returns the cells of the rail, including its edge; 0 where there is no room or nothing to show. */
export function railWidth(columns: number, { tasks, agents, jobs, changed }: RailFacts): number {
  if (columns < MIN_COLUMNS) return 0;
  const busy = agents.length > 0 || jobs.length > 0;
  const more = tasks !== undefined || changed.length > 0;
  if (!busy && !(more && columns >= WIDE_COLUMNS)) return 0;
  return columns >= WIDE_COLUMNS ? WIDE : NARROW;
}

/**
 * Returns the rail's rows; empty sections are left out.
 * @param show returns a text as the user sees it
 */
export function railLines(
  facts: RailFacts,
  now: number,
  context: RenderContext,
  show: (text: string) => string,
): readonly string[] {
  const inner = { ...context, width: context.width - EDGE - 1 };
  const sections = [
    planRows(facts, inner, show),
    agentRows(facts, now, inner, show),
    jobRows(facts, now, inner, show),
    changedRows(facts, inner),
  ];
  const rows = sections
    .filter((section) => section.length > 0)
    .flatMap((section, at) => [...(at > 0 ? [''] : []), ...section]);
  return rows.map((row) => `${context.paint('rule', '│')} ${row}`);
}

/** Returns a row with a left and a right part; the left part is cut where there is no room. */
function row(left: string, right: string, { width }: RenderContext): string {
  const room = Math.max(1, width - (right === '' ? 0 : lineWidth(right) + 1));
  const [first = ''] = wrapText(left, Math.max(1, room - 1), { mode: 'hard' });
  const shown = lineWidth(left) <= room ? left : `${first}…`;
  return right === '' ? shown : padTo(shown, width - lineWidth(right)) + right;
}

function planRows({ tasks }: RailFacts, context: RenderContext, show: (text: string) => string): readonly string[] {
  if (!tasks) return [];
  const { paint } = context;
  const { list, current } = tasks;
  const k = Math.min(current + 1, list.length);
  return [
    row(paint('strong', 'plan'), paint('dim', `${k} of ${list.length}`), context),
    ...list.map((task, at) => {
      const text = plainText(show(task)).replace(/\s+/g, ' ');
      if (at < current) return row(`${paint('success', '✓')} ${paint('dim', text)}`, '', context);
      if (at === current) return row(`${paint('accent', '▸')} ${paint('strong', text)}`, '', context);
      return row(`${paint('dim', '○')} ${text}`, '', context);
    }),
  ];
}

function agentRows(
  { agents, waiting }: RailFacts,
  now: number,
  context: RenderContext,
  show: (text: string) => string,
): readonly string[] {
  if (agents.length === 0) return [];
  const { paint } = context;
  const counted = `${agents.length} at work${waiting > 0 ? `, ${waiting} to come` : ''}`;
  return [
    row(paint('strong', 'sub-agents'), paint('dim', counted), context),
    ...agents.flatMap(({ conversation, run }) => {
      const asks = conversation.phase.kind === 'halted';
      const what = visible(show(doing(conversation.phase))).replace(/\s+/g, ' ');
      const task = visible(show(run.task)).replace(/\s+/g, ' ');
      return [
        row(
          `${asks ? paint('warning', '!') : paint('accent', '▸')} ${paint('strong', `${run.agent} ${task}`)}`,
          paint('dim', elapsed(now - run.startedAt)),
          context,
        ),
        row(
          `  ${paint(asks ? 'warning' : 'dim', what)}`,
          paint('dim', `step ${run.step}/${MAX_DELEGATE_STEPS}`),
          context,
        ),
      ];
    }),
  ];
}

function jobRows(
  { jobs }: RailFacts,
  now: number,
  context: RenderContext,
  show: (text: string) => string,
): readonly string[] {
  if (jobs.length === 0) return [];
  const { paint } = context;
  return [
    row(paint('strong', 'jobs'), paint('dim', `${jobs.length} running`), context),
    ...jobs.flatMap(({ id, command, owner, startedAt, running: process }) => {
      const [last = ''] = process.output.lines(1).slice(-1);
      const said = plainText(stripStyles(last)).trim();
      return [
        row(
          `${paint(owner === 'user' ? 'user' : 'accent', '▸')} [${id}] ${nameOf(show(command))}`,
          paint('dim', elapsed(now - startedAt)),
          context,
        ),
        ...(said === '' ? [] : [row(`  ${paint('dim', said)}`, '', context)]),
      ];
    }),
  ];
}

function changedRows({ changed, cwd }: RailFacts, context: RenderContext): readonly string[] {
  if (changed.length === 0) return [];
  const { paint } = context;
  const shown = changed.slice(0, MAX_CHANGED);
  return [
    row(paint('strong', 'changed so far'), paint('dim', ':undo run'), context),
    ...shown.map((file) => row(nameIn(file.path, cwd), paint('dim', fateOf(file, cwd)), context)),
    ...(changed.length > shown.length ? [paint('dim', `${changed.length - shown.length} more`)] : []),
  ];
}

function nameOf(command: string): string {
  return visibleWithTabs(command).replace(/\s*\n\s*/g, ' ⏎ ');
}

// Divides the columns. The side panel appears and disappears with running work, and every running program is told its
// size.

export class Room {
  readonly #app: App;
  readonly #ui: Store<Ui>;
  readonly #fullScreen: () => FullScreen;

  constructor(app: App, ui: Store<Ui>, fullScreen: () => FullScreen) {
    this.#app = app;
    this.#ui = ui;
    this.#fullScreen = fullScreen;
    app.engine.live.size = outputSize(ui.get().size);
  }

  /** The running work that the side panel shows. */
  get facts(): RailFacts {
    const { engine } = this.#app;
    const { phase } = engine.conversation;
    const tasks = phase.kind !== 'idle' && phase.run.kind === 'norris' ? phase.run.tasks : undefined;
    const jobs = engine.services.jobs.running();
    const { changed } = this.#app.info();
    const cwd = directoryAt(engine.shellCwd);
    return { tasks, agents: subAgents(engine.state), waiting: waitingTasks(engine.state), jobs, changed, cwd };
  }

  /** Takes a new size of the terminal and reports it to the running programs. */
  resize(size: Size): void {
    this.#ui.update({ size });
    this.#lay();
    this.#fitAll();
  }

  /** Must be called after each change of the engine. */
  follow(): void {
    if (this.#lay()) this.#fitAll();
  }

  /** Hides the rail, or shows it again; false where it has nothing to show. */
  toggleRail(): boolean {
    this.#ui.update({ railHidden: this.#ui.get().railHidden !== true });
    const changed = this.#lay();
    if (changed) this.#fitAll();
    return changed;
  }

  /** Gives the user’s shell the size of its pane, or of the whole screen while its program uses the whole screen. */
  fitShell(): void {
    const { columns, rows } = this.#fullScreen().active ? this.#ui.get().size : this.#app.engine.live.size;
    this.#app.shell.resize(columns, rows);
  }

  /** Returns whether the rail has appeared or disappeared, which changes every width. */
  #lay(): boolean {
    const { size, rail: was, railHidden } = this.#ui.get();
    const rail = railHidden ? 0 : railWidth(size.columns, this.facts);
    if (rail !== was) this.#ui.update({ rail });
    return rail !== was;
  }

  #fitAll(): void {
    const { engine, shell } = this.#app;
    const { size, rail } = this.#ui.get();
    engine.live.size = outputSize({ ...size, columns: size.columns - rail });
    this.fitShell();
    const commands = [...engine.live.commands.values()].filter((running) => running !== shell.running);
    const models = commands.map((running) => ({ running, owner: 'model' }));
    for (const { running, owner } of [...models, ...engine.services.jobs.running()]) {
      const room = owner === 'user' ? engine.live.size : sizeForModel(engine.live.size);
      const { columns, rows } = this.#fullScreen().has(running) ? size : room;
      running.resize(columns, rows);
    }
  }
}
