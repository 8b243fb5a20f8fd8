import { memo } from 'react';
import { useScreen, useUi } from '../hooks/context.ts';
import { useTicker } from '../hooks/useFrames.ts';
import { useStatus, useWaits } from '../hooks/useStatus.ts';

import { displayText, shortPath } from '../src/text/display.ts';
import { showChord } from '../src/ui/keymap/resolver.ts';
import { fitSegments, type Segment } from '../src/ui/render/segments.ts';
import { elapsed } from '../src/ui/screen/entries/frame.ts';
import { Lines } from './Lines.tsx';

/** The most characters of a task in the status bar; the transcript shows all of it. */
const MAX_TASK_CHARS = 32;

/**
 * One line: mode, model, run, jobs, current activity and its time, directory (UI-4). The start of a key sequence
 * replaces it.
 */
export const StatusBar = memo(function StatusBar({ columns }: { readonly columns: number }) {
  const { paint, keyFor } = useScreen();
  const style = { paint, role: 'status' } as const;
  const pending = useUi((ui) => ui.pending);
  const listed = useUi((ui) => ui.which !== undefined && !ui.question);
  const hint = useUi((ui) => ui.hint);
  const status = useStatus();
  const { activity, wait, starting, branch, surroundings, cwd } = status;
  const elsewhere = useWaits() !== undefined;
  const time = useTicker((activity !== undefined && !elsewhere) || wait !== undefined || starting !== undefined);
  const note = useUi(({ panel }) => (panel.kind === 'scroll' ? panel.note : undefined));
  if (note !== undefined && !pending && !hint) {
    return <Lines lines={[fitSegments(readingSegments(keyFor, note), undefined, columns, style)]} />;
  }
  // The open panel of possible keys names them already.
  if (pending && !listed) {
    const text = `${showChord(pending.prefix)} –`;
    return <Lines lines={[fitSegments([{ text, weight: 1 }], undefined, columns, style)]} />;
  }
  const segments = [
    ...hostSegments(status),
    ...modeSegments(status, hint),
    ...runSegments(status, elsewhere, time, keyFor),
    ...countSegments(status),
  ];
  const about = [branch, surroundings].filter(Boolean).join(' · ');
  const place: Segment = { text: shortPath(cwd) + (about ? ` (${about})` : ''), short: shortPath(cwd), weight: 3 };
  return <Lines lines={[fitSegments(segments, place, columns, style)]} />;
});

type Status = ReturnType<typeof useStatus>;

/** The host, when the prompt belongs to another machine than the user's own: this must not be overlooked. */
function hostSegments({ host }: Status): readonly Segment[] {
  return host === undefined ? [] : [{ text: ` @${host} `, weight: 11, role: 'host' }];
}

/** The mode and the model, a key sequence, and what is missing. */
function modeSegments(
  { mode, preset, unsaved, withoutOpinion, withoutUndo, sandboxed }: Status,
  hint: string | undefined,
): readonly Segment[] {
  return [
    { text: ` -- ${mode.toUpperCase()} -- `, short: ` ${SHORT_MODES[mode]} `, weight: 12, role: mode },
    ...(hint ? [{ text: hint, weight: 10, role: 'text' as const, shrinks: true as const }] : []),
    ...(unsaved ? [{ text: 'NOT SAVED', weight: 9, role: 'error' as const }] : []),
    { text: preset, weight: 5, role: 'text' },
    ...(withoutOpinion ? [{ text: 'no second opinion', short: 'no 2nd', weight: 6.5, role: 'text' as const }] : []),
    ...(withoutUndo ? [{ text: 'no undo', weight: 2, role: 'text' as const }] : []),
    ...(sandboxed ? [] : [{ text: 'no sandbox', weight: 2, role: 'text' as const }]),
  ];
}

/** Short names that differ in their first and last letters. */
const SHORT_MODES = { restricted: 'restr', project: 'proj', unrestricted: 'UNRES' } as const;

/** The current activity, and for how long it has lasted. */
function runSegments(
  { run, activity, wait, starting }: Status,
  elsewhere: boolean,
  time: number,
  keyFor: KeyFor,
): readonly Segment[] {
  const what = activity && !elsewhere ? `${activity.what} ${elapsed(time - activity.since)}` : undefined;
  return [
    // Before the first step there is no step to count.
    ...(run && activity?.what !== 'planning' ? norrisSegments(run) : []),
    ...(what === undefined ? [] : [{ text: what, weight: 7, role: 'text' as const }]),
    ...(wait ? [waitSegment(wait, time, keyFor)] : []),
    ...(starting && time - starting.since >= SHOWN_AFTER_MS ? [startingSegment(starting, time)] : []),
  ];
}

/** The counters: context window, cost, waiting lines, sub-agents and jobs. */
function countSegments({ contextPercent, cost, waiting, agents, jobs }: Status): readonly Segment[] {
  const s = (count: number) => (count === 1 ? '' : 's');
  return [
    ...(contextPercent === undefined ? [] : [contextSegment(contextPercent)]),
    ...(cost === undefined ? [] : [{ text: cost, weight: 4 }]),
    ...(waiting > 0 ? [{ text: `${waiting} waiting (Esc takes back)`, short: `${waiting} waiting`, weight: 6 }] : []),
    ...(agents > 0 ? [{ text: `${agents} sub-agent${s(agents)}`, short: `${agents} sub`, weight: 6 }] : []),
    ...(jobs > 0 ? [{ text: `${jobs} job${s(jobs)}`, weight: 4 }] : []),
  ];
}

/** A server that starts within this time is not shown. In ms. */
const SHOWN_AFTER_MS = 1000;

function waitSegment({ what, since, stops }: NonNullable<Status['wait']>, time: number, keyFor: KeyFor): Segment {
  const text = `${what} ${elapsed(time - since)}`;
  return {
    text: stops ? `${text} (${keyFor('prompt', 'interrupt')} stops)` : text,
    short: text,
    weight: 8,
    role: 'text',
  };
}

function startingSegment({ name, since }: NonNullable<Status['starting']>, time: number): Segment {
  const text = `${name} starts ${elapsed(time - since)}`;
  return { text: `${text} (:mcp stop ${name})`, short: text, weight: 3 };
}

const METER_CELLS = 5;

/** How full the model's window is; amber when the next answers will cost earlier turns. */
function contextSegment(percent: number): Segment {
  const full = Math.min(METER_CELLS, Math.round((percent / 100) * METER_CELLS));
  const meter = '▮'.repeat(full) + '▯'.repeat(METER_CELLS - full);
  const role = percent >= 80 ? 'strong' : 'status';
  return { text: `ctx ${meter} ${percent}%`, short: `ctx ${percent}%`, weight: 4, role };
}

type Run = NonNullable<Status['run']>;

/** The step of the budget and, with a plan, the current task (NO-8). */
function norrisSegments({ step: k, maxSteps, task }: Run): Segment[] {
  const step: Segment = { text: `⚡ ${k}/${maxSteps}`, weight: 8, role: 'accent' };
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

type KeyFor = ReturnType<typeof useScreen>['keyFor'];

/** The keys that work while the transcript is scrolled, and the result of the search. */
function readingSegments(keyFor: KeyFor, note: string): Segment[] {
  const keys = [
    ['leaveTranscript', 'back', 8],
    ['search', 'search', 7],
    ['searchNext', 'next', 3],
    ['entryPrevious', 'previous entry', 5],
    ['entryNext', 'next entry', 4],
    ['toggleFold', 'fold', 6],
    ['copyCode', 'copy', 6],
  ] as const;
  return [
    { text: '-- SCROLL --', weight: 9, role: 'strong' },
    ...(note === '' ? [] : [{ text: note, weight: 10, role: 'text' as const }]),
    ...keys.map(([command, label, weight]) => ({ text: `${keyFor('transcript', command)} ${label}`, weight })),
  ];
}
