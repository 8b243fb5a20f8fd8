import { memo } from 'react';
import { useScreen, useUi } from '../hooks/context.ts';
import { useActivity } from '../hooks/useActivity.ts';
import { useMode } from '../hooks/useMode.ts';
import { useNorris } from '../hooks/useNorris.ts';
import { useConversation, useSession } from '../hooks/useSession.ts';
import { useTicker } from '../hooks/useTicker.ts';
import { showChord } from '../src/keymap/chord.ts';
import { fitSegments, type Segment } from '../src/render/segments.ts';
import { elapsed, shortPath } from '../src/screen/entries/frame.ts';
import { contextUse } from '../src/session/context.ts';
import { shortDollars, sumOf } from '../src/session/cost.ts';
import { currentTask } from '../src/session/plan.ts';
import type { NorrisRun } from '../src/session/run.ts';
import type { Conversation } from '../src/session/state.ts';
import { displayText } from '../src/text/display.ts';
import { Lines } from './Lines.tsx';

/** Characters of a task in this line; the transcript has all of it. */
const MAX_TASK_CHARS = 32;

/** One line: mode, model, run, jobs, what is happening and for how long, where (UI-4). A begun key sequence takes its place. */
export const StatusBar = memo(function StatusBar({ columns }: { readonly columns: number }) {
  const { aish, paint, keyFor } = useScreen();
  const pending = useUi((ui) => ui.pending);
  const hint = useUi((ui) => ui.hint);
  const { mode } = useMode();
  const { run } = useNorris();
  const preset = useConversation((conversation) => conversation.preset);
  const context = useConversation(contextPercent);
  const dollars = useSession((state) => sumOf(state.costs.rows).dollars);
  const cwd = useSession(() => aish.engine.shellCwd);
  const activity = useActivity();
  const time = useTicker(activity !== undefined, aish.engine.services.now);
  const jobs = useSession(() => aish.info().jobs);
  const agents = useSession((state) => Object.keys(state.sessions).length - 1);
  const branch = useSession(() => aish.info().branch);
  const waiting = useUi(() => aish.shell.waiting.length);
  const note = useUi(({ panel }) => (panel.kind === 'scroll' ? panel.note : undefined));
  if (note !== undefined && !pending && !hint) {
    return <Lines lines={[paint('status', fitSegments(readingSegments(keyFor, note), undefined, columns))]} />;
  }
  if (pending) {
    const follows = pending.follows.map(({ chord, label }) => `${showChord(chord)} ${label}`).join(' · ');
    return <Lines lines={[paint('status', pad(`${showChord(pending.prefix)} –  ${follows}`, columns))]} />;
  }
  const segments: Segment[] = [
    { text: mode === 'restricted' ? '-- RESTRICTED --' : '-- UNRESTRICTED --', short: mode.slice(0, 5), weight: 9 },
    ...(hint ? [{ text: hint, weight: 10 }] : []),
    { text: run ? run.preset : preset, weight: 5 },
    // Before the first step there is none to count.
    ...(run && activity?.what !== 'planning' ? norrisSegments(run) : []),
    ...(activity ? [{ text: `${activity.what} ${elapsed(time - activity.since)}`, weight: 7 }] : []),
    ...(context === undefined ? [] : [{ text: `ctx ${context}%`, weight: 4 }]),
    ...(dollars > 0 ? [{ text: shortDollars(dollars), weight: 4 }] : []),
    ...(waiting > 0 ? [{ text: `${waiting} waiting (Esc takes back)`, short: `${waiting} waiting`, weight: 6 }] : []),
    ...(agents > 0
      ? [{ text: `${agents} sub-agent${agents === 1 ? '' : 's'}`, short: `${agents} sub`, weight: 6 }]
      : []),
    ...(jobs > 0 ? [{ text: `${jobs} job${jobs === 1 ? '' : 's'}`, weight: 4 }] : []),
  ];
  const place: Segment = { text: shortPath(cwd) + (branch ? ` (${branch})` : ''), short: shortPath(cwd), weight: 3 };
  return <Lines lines={[paint('status', fitSegments(segments, place, columns))]} />;
});

/** The step of the budget and, with a plan, the task in hand (NO-8). */
function norrisSegments(run: NorrisRun): Segment[] {
  const step: Segment = { text: `⚡ ${run.step}/${run.maxSteps}`, weight: 8 };
  const task = currentTask(run);
  if (!task) return [step];
  const counter = `task ${task.k}/${task.n}`;
  const words = [...displayText(task.text)];
  const text =
    words.length > MAX_TASK_CHARS
      ? `${words
          .slice(0, MAX_TASK_CHARS - 1)
          .join('')
          .trimEnd()}…`
      : words.join('');
  return [step, { text: `[${counter}: ${text}]`, short: `[${counter}]`, weight: 3.5 }];
}

function contextPercent(conversation: Conversation): number | undefined {
  const use = contextUse(conversation);
  return use && Math.round(use.percent);
}

type KeyFor = ReturnType<typeof useScreen>['keyFor'];

/** What the keys do while they move the transcript, and what came of the search. */
function readingSegments(keyFor: KeyFor, note: string): Segment[] {
  const keys = [
    ['leaveTranscript', 'back', 8],
    ['search', 'search', 7],
    ['searchNext', 'next', 3],
    ['entryPrevious', 'entry before', 5],
    ['entryNext', 'entry after', 4],
    ['toggleFold', 'fold', 6],
    ['copyEntry', 'copy', 6],
  ] as const;
  return [
    { text: '-- SCROLL --', weight: 9 },
    ...(note === '' ? [] : [{ text: note, weight: 10 }]),
    ...keys.map(([command, label, weight]) => ({ text: `${keyFor('transcript', command)} ${label}`, weight })),
  ];
}

function pad(text: string, columns: number): string {
  return fitSegments([{ text, weight: 1 }], undefined, columns);
}
