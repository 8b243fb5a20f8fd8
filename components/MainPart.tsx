import { Box } from 'ink';
import { memo, useCallback, useMemo, useRef } from 'react';
import { useReveal, useScreen, useTall, useUi } from '../hooks/context.ts';
import { useBroker, useOffers, useServerProblem } from '../hooks/useBroker.ts';
import {
  type Foreground,
  useExecutor,
  useFleet,
  useModes,
  useProgress,
  useShellCwd,
  useShellName,
  useWaitingLines,
} from '../hooks/useExecutor.ts';
import { useFrames, useTicker } from '../hooks/useFrames.ts';
import { useAgents, useRunFacts, useRunsName } from '../hooks/useNorris.ts';
import { useConversation, useGrownSince, usePreset, useSession, useTranscript } from '../hooks/useSession.ts';
import { type Activity, useAttached, useWaits } from '../hooks/useStatus.ts';
import { useScrolledAway, useViewport } from '../hooks/useViewport.ts';
import { shortPath } from '../src/text/display.ts';
import { lineWidth, wrapText } from '../src/text/wrap.ts';
import { markCells, markMatches, markStart } from '../src/ui/render/search.ts';
import { attachedLine } from '../src/ui/screen/attachments.ts';
import { agentLine } from '../src/ui/screen/entries/delegate.ts';
import { BAR_WIDTH, execHeading, keyboardSign } from '../src/ui/screen/entries/exec.ts';
import { createStreamLines } from '../src/ui/screen/entries/prose.ts';
import { linesOf, ticking } from '../src/ui/screen/frames.ts';
import { fleetRows, runHeaderLines, waitingLine } from '../src/ui/screen/progress.ts';
import { welcomeLines } from '../src/ui/screen/welcome.ts';
import { Lines, Surface } from './Lines.tsx';

type Props = { readonly columns: number; readonly rows: number };

/** The least rows with room for a blank row below the header and above the waiting row, and above a pane. */
const AIRY_ROWS = 12;
const AIRY_PANE = 5;

/** Returns the lines of a pane of at most this many rows, below a blank row where there is room for one. */
const aired = (lines: readonly string[], rows: number): readonly string[] =>
  rows >= AIRY_PANE && lines.length < rows ? [' ', ...lines] : lines;

/**
 * The transcript, followed by the answer and the command that are in progress. These are hidden while the user scrolls.
 */
const MainPart = memo(function MainPart({ columns, rows }: Props) {
  const screen = useScreen();
  const tall = useTall();
  const reply = useBroker();
  const { user, models, job } = useExecutor();
  const agents = useAgents();
  const keyboard = useUi((ui) => ui.keyboard === 'program' && ui.panel.kind === 'none' && !ui.question);
  const progress = useProgress();
  const fleet = useFleet();
  const away = useScrolledAway();
  // The rail shows them already.
  const beside = useUi((ui) => ui.rail > 0);
  const busy = agents.running.length > 0;
  // The user may ask something while a program fills its pane: the pane then must not hide the answer.
  const said = useGrownSince(user?.op);
  const streams = [reply, user, job, ...models, busy && !beside, progress !== '', fleet, said].filter(Boolean).length;
  const waits = useWaits();
  const attached = useAttached();
  // The waiting row has a blank row above it where there is room; the blank row below it belongs to the prompt.
  const air = rows >= AIRY_ROWS ? 1 : 0;
  const room = Math.max(0, rows - (waits ? 1 + air : 0) - (attached ? 1 : 0) - 1);
  const share = streams > 1 ? Math.max(1, Math.floor(room / streams)) : room;
  return (
    <Box flexDirection="column" justifyContent="flex-end" {...tall(rows)} overflowY="hidden">
      <TranscriptPane columns={columns} rows={room} />
      {!away && (
        <>
          {reply && <StreamingPane reply={reply} columns={columns} rows={share} />}
          {models.map((model) => (
            <ExecPane
              key={model.op}
              command={model}
              columns={columns}
              rows={share}
              keyboard={keyboard && !user && !job && model === models.at(-1)}
            />
          ))}
          {progress !== '' && <ProgressPane progress={progress} columns={columns} rows={share} />}
          {busy && !beside && <AgentsPane agents={agents} columns={columns} rows={share} />}
          {fleet && <FleetPane fleet={fleet} columns={columns} rows={share} />}
          {user && <ExecPane command={user} columns={columns} rows={share} keyboard={keyboard && !job} />}
          {job && <ExecPane command={job} columns={columns} rows={share} keyboard={keyboard} />}
        </>
      )}
      {waits && <Box height={air} flexShrink={0} />}
      {waits && <WaitingRow activity={waits} columns={columns} />}
      <Box height={1} flexShrink={0} />
      {attached && <Lines lines={[attachedLine(attached, screen.renderContext(columns))]} />}
    </Box>
  );
});

type UpperProps = { readonly columns: number; readonly rows: number };

/** Everything above the overlay. The header of a run stays above the run's entries. */
export function Upper({ columns, rows }: UpperProps) {
  const screen = useScreen();
  const facts = useRunFacts();
  const beside = useUi((ui) => ui.rail > 0);
  const shown = facts && (beside ? { ...facts, planElsewhere: true as const } : facts);
  const header = shown ? runHeaderLines(shown, rows, screen.renderContext(columns)) : [];
  const lines = header.length > 0 && rows >= AIRY_ROWS ? [...header, ' '] : header;
  return (
    <>
      {lines.length > 0 && <Lines lines={lines} />}
      <MainPart columns={columns} rows={rows - lines.length} />
    </>
  );
}

/** Milliseconds between two turns of the sign, and between two updates of the time. */
const TURN_MS = 250;
const STILL_MS = 1000;

/**
 * The current activity of the model's side, just above the prompt. Painted without React, so that a turn of the sign
 * needs no commit.
 */
function WaitingRow({ activity, columns }: { readonly activity: Activity; readonly columns: number }) {
  const screen = useScreen();
  const { motion } = screen.app.ui;
  const { now } = screen.app.engine.services;
  const reply = useBroker();
  const runs = useRunsName();
  const typing = useUi(({ editor }) => editor.text !== '');
  const busy = screen.app.shell.busy;
  const key = typing || busy ? screen.keyFor('global', 'abort') : screen.keyFor('prompt', 'interrupt');
  // A retry drops the text of the attempt before, so its rate is counted from zero.
  const began = useRef<{ readonly text: unknown; readonly at: number }>(undefined);
  const source = useMemo(() => ticking(motion ? TURN_MS : STILL_MS), [motion]);
  const lines = useCallback(() => {
    const text = reply?.text;
    if (text && text.length > 0 && began.current?.text !== text) began.current = { text, at: now() };
    const { what, since } = activity;
    const answeringSince = began.current?.text === text ? began.current?.at : undefined;
    const turn = motion ? source.version : undefined;
    const waiting = { what, since, now: now(), reply, answeringSince, runs, key, turn };
    return [waitingLine(waiting, screen.renderContext(columns))];
  }, [activity, reply, runs, key, motion, source, now, screen, columns]);
  return <Surface lines={lines} source={source} />;
}

type ExecProps = {
  readonly command: Foreground;
  readonly columns: number;
  /** The most rows that the pane may use. */
  readonly rows: number;
  /** Whether keys go to this program. */
  readonly keyboard: boolean;
};

/** The command in the foreground: the end of its output as it arrives, and a sign that says whether keys go to it. */
function ExecPane({ command, columns, rows, keyboard }: ExecProps) {
  const screen = useScreen();
  const { paint } = screen;
  const { output } = command.running;
  const frames = useFrames(output);
  useModes(command.running);
  const heading = execHeading(command, screen.renderContext(columns));
  const queued = useWaitingLines();
  const waiting = command.by === 'user' && command.job === undefined && queued !== '' ? queued.split('\n') : [];
  // A program that has the whole terminal would make the live rows as high as the window.
  const away = screen.inline && command.by === 'user' && command.running.fullScreen;
  const room = away ? 0 : Math.max(1, rows - heading.length - 1 - waiting.length);
  const bar = paint('marker', '│ ');
  const sign = keyboardSign(command.running, {
    keyboard,
    columns,
    keys: {
      give: screen.keyFor('prompt', 'focusProgram'),
      back: screen.keyFor('program', 'focusPrompt'),
      background: screen.keyFor('prompt', 'background'),
    },
    job: command.job !== undefined,
    paint,
  });
  const lines = linesOf(frames, () => {
    const all = [
      ...heading,
      ...(room === 0 ? [] : output.lines(room).slice(-room)).map((line) => bar + line),
      paint('marker', '╰ ') + sign,
      ...waiting.map((line) => paint('dim', `  then: ${line}`)),
    ];
    // A program that fills the pane needs all of its rows.
    return aired(all, rows);
  });
  // The cursor stays where the program left it, above the sign.
  const cursor = () => ({
    x: Math.min(columns - 1, BAR_WIDTH + lineWidth(output.promptText)),
    y: lines().length - waiting.length - 2,
  });
  return <Surface lines={lines} source={frames} cursor={keyboard ? cursor : undefined} />;
}

type ProgressProps = {
  readonly agents: ReturnType<typeof useAgents>;
  readonly columns: number;
  /** The most rows that the pane may use. */
  readonly rows: number;
};

/** Draws one line for each sub-agent at work, without the text that it writes. */
function AgentsPane({ agents: { running, waiting }, columns, rows }: ProgressProps) {
  const screen = useScreen();
  const { paint } = screen;
  const now = useTicker(true);
  const reveal = useReveal();
  const context = screen.renderContext(columns);
  const shown = running.slice(0, rows);
  const left = waiting + running.length - shown.length;
  const more = left > 0 && shown.length < rows ? [paint('dim', `  ${left} more to come`)] : [];
  return <Lines lines={aired([...shown.map((agent) => agentLine(agent, now, context, reveal)), ...more], rows)} />;
}

type ProgressPaneProps = {
  /** The progress of tools, one line for each. */
  readonly progress: string;
  readonly columns: number;
  /** The most rows that the pane may use. */
  readonly rows: number;
};

/** The progress that running tools report. */
function ProgressPane({ progress, columns, rows }: ProgressPaneProps) {
  const { paint } = useScreen();
  const lines = progress.split('\n').flatMap((line) => wrapText(line, columns - 2).slice(0, 1));
  const shown = lines.slice(-rows).map((line) => paint('marker', '⋯ ') + paint('dim', line));
  return <Lines lines={aired(shown, rows)} />;
}

type FleetPaneProps = {
  readonly fleet: NonNullable<ReturnType<typeof useFleet>>;
  readonly columns: number;
  /** The most rows that the pane may use. */
  readonly rows: number;
};

/** The hosts of a fleet that are at work, one row each. */
function FleetPane({ fleet, columns, rows }: FleetPaneProps) {
  const screen = useScreen();
  useTicker(true);
  const reveal = useReveal();
  const told = { goal: reveal(fleet.goal), rows: fleet.rows(), key: screen.keyFor('global', 'abort') };
  return <Lines lines={aired(fleetRows(told, rows, screen.renderContext(columns)), rows)} />;
}

type StreamingProps = {
  readonly reply: NonNullable<ReturnType<typeof useBroker>>;
  readonly columns: number;
  readonly rows: number;
};

/** The answer in progress. Tokens are drawn at frame rate, and redraw nothing else. */
function StreamingPane({ reply, columns, rows }: StreamingProps) {
  const screen = useScreen();
  const stream = useRef<ReturnType<typeof createStreamLines>>(undefined);
  const frames = useFrames(reply);
  const { theme } = screen.renderContext(columns);
  const lines = useMemo(() => {
    stream.current ??= createStreamLines();
    const draw = stream.current;
    return linesOf(frames, () => draw(reply, { width: columns, paint: screen.paint, theme }).slice(-rows));
  }, [frames, reply, columns, rows, screen, theme]);
  return <Surface lines={lines} source={frames} />;
}

type TranscriptProps = { readonly columns: number; readonly rows: number };

/**
 * The visible lines of the transcript (law 4). The pane draws as many lines as the whole part has rows, and the panes
 * below push it up, so that their growth redraws nothing here.
 */
function TranscriptPane({ columns, rows }: TranscriptProps) {
  const screen = useScreen();
  const { paint, navigator, selection } = screen;
  const { theme } = screen.renderContext(columns);
  const view = useViewport(columns, rows);
  const welcome = useWelcome(columns);
  const place = useCallback((at: { y: number; height: number }) => selection.placed(at), [selection]);
  selection.shows(view.rows);
  const lines = view.rows.map(({ key, line, text }) => {
    const inHand = navigator.match?.key === key && navigator.match.line === line;
    const hits = navigator.query === '' ? text : markMatches(text, navigator.query, inHand ? '1;7' : theme.hit);
    const cells = selection.cellsOf(key, line);
    const found = cells ? markCells(hits, ...cells) : hits;
    return key === navigator.selected && text !== ' ' ? markStart(found) : found;
  });
  const more = paint('dim', `── ↓ ${view.below.toLocaleString('en')} more below · Ctrl-End `);
  // The start screen is in the middle of the free rows.
  const middle = welcome.length > 0 && !screen.inline;
  const free = middle ? Math.max(0, Math.floor((rows - welcome.length - lines.length) / 2)) : 0;
  const begin = [...welcome, ...Array.from({ length: free }, () => ' '), ...lines];
  const shown = view.followsTail || view.below === 0 ? begin : [...lines.slice(0, Math.max(0, rows - 1)), more];
  return <Lines lines={shown.slice(-rows)} shrinks onPlace={place} />;
}

/** The start screen, above the prompt; empty once there is a transcript. */
function useWelcome(columns: number): readonly string[] {
  const screen = useScreen();
  const { app } = screen;
  const { entries } = useTranscript();
  const preset = usePreset();
  const mode = useConversation((conversation) => conversation.mode);
  const branch = useSession(() => app.info().branch);
  const cwd = useShellCwd();
  const gone = entries.some(({ entry }) => entry.kind !== 'notice');
  const problem = useServerProblem(preset.name, !gone);
  const shell = useShellName(!gone);
  const offers = useOffers(!gone && (app.setup.found !== undefined || Boolean(problem)));
  if (gone) return [];
  const { version } = app.info();
  const place = `${shortPath(cwd)}${branch === undefined ? '' : `, git ${branch}`}`;
  const model = {
    name: preset.name,
    id: preset.model,
    demo: preset.demo === true,
    answers: problem === '',
    problem: problem || undefined,
  };
  return welcomeLines({ version, shell, place, model, mode, offers }, screen.renderContext(columns));
}
