import { useRef } from 'react';
import type { McpPort } from '../src/contracts/tools.ts';
import { contextUse } from '../src/session/context.ts';
import { shortDollars, sumOf } from '../src/session/cost.ts';
import type { Mode } from '../src/session/ids.ts';
import { currentTask } from '../src/session/norris.ts';
import { hostOf } from '../src/session/place.ts';
import type { Conversation } from '../src/session/state.ts';
import type { RailFacts } from '../src/ui/screen/rail.ts';
import { useScreen, useUi } from './context.ts';
import { useAnswering } from './useBroker.ts';
import { useAsking, useExecutor, useShellCwd } from './useExecutor.ts';
import { activityOf, useNorris } from './useNorris.ts';
import { useConversation, useSession } from './useSession.ts';

/** Returns the facts of the status bar (UI-4). */
export function useStatus() {
  const { app } = useScreen();
  const { mode } = useMode();
  const { run } = useNorris();
  const preset = useConversation((conversation) => conversation.preset);
  const dollars = useSession((state) => sumOf(state.costs.rows).dollars);
  return {
    mode,
    preset: run ? run.preset : preset,
    run: run && { step: run.step, maxSteps: run.maxSteps, task: currentTask(run) },
    contextPercent: useConversation(contextPercent),
    cost: dollars > 0 ? shortDollars(dollars) : undefined,
    cwd: useShellCwd(),
    host: hostOf(useShellCwd()),
    branch: useSession(() => app.info().branch),
    surroundings: useSession(() => app.info().surroundings),
    sandboxed: useConversation(({ settings }) => settings.sandbox),
    unsaved: useSession(() => app.info().unsaved),
    withoutOpinion: useSession(() => app.info().withoutOpinion),
    withoutUndo: useSession(() => app.info().withoutUndo),
    jobs: useSession(() => app.info().jobs),
    agents: useSession((state) => Object.keys(state.sessions).length - 1),
    waiting: useUi(() => app.shell.waiting.length),
    activity: useActivity(),
    wait: useSession(() => app.waits.current),
    starting: useStarting(),
  };
}

/** Returns the MCP server that has been starting for the longest time. */
function useStarting(): { readonly name: string; readonly since: number } | undefined {
  const { mcp } = useScreen().app;
  const name = useSession(() => firstStarting(mcp)?.name);
  const since = useSession(() => firstStarting(mcp)?.startingSince);
  return name === undefined || since === undefined ? undefined : { name, since };
}

function firstStarting(mcp: McpPort) {
  const starting = mcp.servers().filter(({ startingSince }) => startingSince !== undefined);
  return starting.sort((a, b) => (a.startingSince ?? 0) - (b.startingSince ?? 0))[0];
}

function contextPercent(conversation: Conversation): number | undefined {
  const use = contextUse(conversation);
  return use && Math.round(use.percent);
}

/**
 * Returns the activity of the model's side if it has a row of its own: not during a question, and not on very small
 * screens.
 */
export function useWaits(): Activity | undefined {
  const activity = useActivity();
  const idle = useConversation(({ phase }) => phase.kind === 'idle');
  const hidden = useUi(({ question, size }) => question !== undefined || size.rows < MIN_ROWS);
  return idle || hidden || activity?.what === 'waits for you' ? undefined : activity;
}

/** Returns the attachments of the question being typed, if there is room to show them. */
export function useAttached() {
  return useUi(({ question, size, attached }) => (question || size.rows < MIN_ROWS ? undefined : attached));
}

/** A smaller screen shows it only in the status bar. */
const MIN_ROWS = 8;

export type Activity = { readonly what: string; readonly since: number };

/** The current activity and its start time in ms; undefined when idle. */
function useActivity(): Activity | undefined {
  const { now } = useScreen().app.engine.services;
  const { models } = useExecutor();
  const asking = useAsking(models);
  const doing = useSession((state) => activityOf(state) ?? (state.shell.running ? 'running' : undefined));
  const answering = useAnswering();
  const what = asking ? 'waits for you' : doing === 'thinking' && answering ? 'answering' : doing;
  const current = useRef<Activity>(undefined);
  if (current.current?.what !== what) current.current = what === undefined ? undefined : { what, since: now() };
  return current.current;
}

/** The contents of the rail. */
export function useRail(): RailFacts {
  const screen = useScreen();
  useSession((state) => state);
  return screen.room.facts;
}

/** The conversation's mode, and whether the kernel sandbox that Restricted needs is there (MO-1). */
function useMode(): { readonly mode: Mode; readonly sandbox: boolean } {
  const mode = useConversation((conversation) => conversation.mode);
  return { mode, sandbox: useScreen().app.info().sandbox };
}
