import { Box, Text } from 'ink';
import { useEffect, useMemo, useState } from 'react';
import { useScreen } from '../hooks/context.ts';
import { useNorris } from '../hooks/useNorris.ts';
import { useArming, useReportSeenLines } from '../hooks/useOverlay.ts';
import { useSession } from '../hooks/useSession.ts';
import { displayText, textWidth } from '../src/text/display.ts';
import { lineWidth, wrapText } from '../src/text/wrap.ts';
import { fuzzySearch } from '../src/ui/editor/fuzzy.ts';
import { type Pending, showChord } from '../src/ui/keymap/resolver.ts';
import { cut } from '../src/ui/render/segments.ts';
import { onGround, type Paint, padTo, type RenderContext } from '../src/ui/render/theme.ts';
import type { QuestionLayout } from '../src/ui/screen/halt/layout.ts';
import { questionPicture } from '../src/ui/screen/halt/picture.ts';
import type { QuestionWords } from '../src/ui/screen/halt/words.ts';
import { helpLines } from '../src/ui/screen/help.ts';
import { fieldRows, type Overlay as OverlayState, whichColumns } from '../src/ui/screen/overlay.ts';
import { endingLines } from '../src/ui/screen/sessions.ts';
import { NO_PANEL, type Panel, type PanelItem, type QuestionUi } from '../src/ui/screen/ui.ts';
import { Field } from './Field.tsx';
import { Lines, rule } from './Lines.tsx';

/** The panel between the transcript and the prompt. */
export function Overlay({ overlay, columns }: { readonly overlay: OverlayState; readonly columns: number }) {
  if (overlay.kind === 'none') return null;
  if (overlay.kind === 'question') {
    const { words, question, layout } = overlay;
    return <HaltModal key={question.id} words={words} question={question} layout={layout} columns={columns} />;
  }
  if (overlay.kind === 'which') return <WhichKey pending={overlay.pending} columns={columns} rows={overlay.rows} />;
  const { panel, rows, ending } = overlay;
  switch (panel.kind) {
    case 'help':
      return <Help top={panel.top} columns={columns} rows={rows} />;
    case 'goal':
      return <GoalDialog text={panel.text} columns={columns} />;
    case 'confirmAbort':
      return <ConfirmAbort focus={panel.focus} columns={columns} />;
    case 'choices':
      return <Choices panel={panel} columns={columns} rows={rows - ending} ending={ending} closed={overlay.closed} />;
    case 'find':
      return <FindField text={panel.text} note={panel.note} filters={panel.filter !== undefined} columns={columns} />;
    case 'none':
    case 'scroll':
      return null;
  }
}

type Open = Extract<Panel, { kind: 'choices' }>;

/** Returns a text as one line of at most `width` cells. */
function oneLine(text: string, width: number): string {
  const [line = '', ...more] = wrapText(displayText(text.replaceAll('\n', ' ⏎ ')), Math.max(2, width - 1), {
    mode: 'hard',
  });
  return more.length > 0 ? `${line}…` : line;
}

/** A list to choose from, above the prompt: completions, or lines of the history. */
function Choices({
  panel,
  columns,
  rows,
  ending,
  closed,
}: {
  readonly panel: Open;
  readonly columns: number;
  readonly rows: number;
  /** Rows below the list for the end of the selected session. */
  readonly ending: number;
  /** Whether the list ends with a rule that names its keys. */
  readonly closed: boolean;
}) {
  const screen = useScreen();
  const { paint } = screen;
  const { items, index, of, query } = panel;
  const room = rows - (closed ? 2 : 1);
  const first = Math.max(0, Math.min(index - Math.floor(room / 2), items.length - room));
  const title = TITLES[of] ?? ` ${of}: ${query}▏`;
  const note = index < 0 ? ` ${items.length} ` : ` ${items.length === 0 ? 0 : index + 1} of ${items.length} `;
  const visible = items.slice(first, first + room);
  const row = choiceRow(visible, of === 'completion' ? '' : query, screen.renderContext(columns));
  const shown = visible.map((item, at) =>
    row(item, first + at === index, item.group === visible[at - 1]?.group ? '' : (item.group ?? '')),
  );
  const acts = of === 'everything' || of === 'commands' ? 'does' : 'takes';
  const keys = index < 0 ? ' ↓ selects · Esc closes · or type on ' : ` Enter ${acts} it · Esc closes `;
  const list = [
    rule(paint('strong', title), note, columns, 'dim', paint),
    ...(shown.length > 0 ? shown : [paint('dim', ' nothing matches')]),
    ...(closed ? [rule(paint('dim', keys), '', columns, 'dim', paint)] : []),
  ];
  const { text = '', ending: read } = items[index] ?? {};
  if (ending === 0 || !read) return <Lines lines={list} />;
  return (
    <Box flexDirection="column" flexShrink={0}>
      <Lines lines={list} />
      <Ending key={text} read={read} columns={columns} rows={ending} />
    </Box>
  );
}

/** The titles of lists that have no search of their own. */
const TITLES: Partial<Record<Open['of'], string>> = { completion: ' completions ', commands: ' commands ' };
const MARK = 2;
const GROUPED_COLUMNS = 60;

/** Draws rows of a list: kind, name with the matched letters marked, note, and at the right edge the key. */
function choiceRow(items: readonly PanelItem[], query: string, { width: columns, paint, theme }: RenderContext) {
  // A narrow list has no column for the kind.
  const kinds = columns < GROUPED_COLUMNS ? [] : items;
  const group = Math.max(0, ...kinds.map((item) => (item.group === undefined ? 0 : textWidth(item.group) + 2)));
  const named = (item: PanelItem) => oneLine(item.label ?? item.text, columns - MARK - group);
  // The notes have a column of their own, where there is room.
  const noted = items.filter(({ note = '' }) => note !== '');
  const column = Math.min(Math.max(0, ...noted.map((item) => textWidth(named(item)))), Math.floor(columns / 2));
  return (item: PanelItem, chosen: boolean, kind: string): string => {
    const name = named(item);
    const key = item.key === undefined ? '' : ` ${item.key} `;
    const gap = Math.max(2, column - textWidth(name) + 2);
    const space = columns - MARK - group - textWidth(name) - gap - textWidth(key) - 1;
    const note =
      item.note && space > 3 ? ' '.repeat(gap) + paint(chosen ? 'text' : 'dim', oneLine(item.note, space)) : '';
    const left = `${chosen ? paint('user', '❯ ') : '  '}${group === 0 ? '' : paint('dim', kind.padEnd(group))}${marked(name, query, chosen, paint)}${note}`;
    const right = lineWidth(left) + textWidth(key) <= columns ? key : '';
    const line = padTo(left, columns - textWidth(right)) + paint('text', right);
    return chosen ? onGround(line, theme.hit, columns) : line;
  };
}

/** The letters that a search has matched stand out. */
function marked(name: string, query: string, chosen: boolean, paint: Paint): string {
  const [found] = query.trim() === '' ? [] : fuzzySearch([name], query);
  const hits = new Set(found?.positions);
  const role = chosen ? 'strong' : 'text';
  return [...name.matchAll(/./gsu)].map(({ 0: char, index }) => paint(hits.has(index) ? 'user' : role, char)).join('');
}

type Props = {
  readonly read: NonNullable<PanelItem['ending']>;
  readonly columns: number;
  readonly rows: number;
};

/** The end of the selected session, below the list; read from disk when the session is selected. */
function Ending({ read, columns, rows }: Props) {
  const screen = useScreen();
  const { paint } = screen;
  const [moments, setMoments] = useState<Awaited<ReturnType<Props['read']>>>([]);
  useEffect(() => {
    let wanted = true;
    void read().then((found) => wanted && setMoments(found));
    return () => {
      wanted = false;
    };
  }, [read]);
  const lines = endingLines(moments, rows - 1, screen.renderContext(columns));
  const rest = Array.from({ length: Math.max(0, rows - 1 - lines.length) }, () => '');
  return <Lines lines={[rule(paint('dim', ' how it ended '), '', columns, 'rule', paint), ...lines, ...rest]} />;
}

/** Every key and command, from the tables that dispatch them (UI-5). */
function Help({ top, columns, rows }: { readonly top: number; readonly columns: number; readonly rows: number }) {
  const { paint, keys } = useScreen();
  const lines = useMemo(() => helpLines(keys, columns, paint), [paint, keys, columns]);
  const room = Math.max(1, rows - 2);
  const first = Math.max(0, Math.min(top, lines.length - room));
  const shown = lines.slice(first, first + room);
  const note = ` ${first + 1}–${first + shown.length} of ${lines.length} `;
  return (
    <Lines
      lines={[
        rule(paint('strong', ' Help '), note, columns, 'dim', paint),
        ...shown,
        ...Array.from({ length: room - shown.length }, () => ' '),
        rule(' ↑↓ PageUp PageDown · Esc closes ', '', columns, 'dim', paint),
      ]}
    />
  );
}

/** The keys that may follow those pressed so far, in columns read from top to bottom. */
function WhichKey({ pending, columns, rows }: { pending: Pending; columns: number; rows: number }) {
  const { paint } = useScreen();
  const across = whichColumns(columns);
  const width = Math.floor(columns / across);
  const { prefix, follows } = pending;
  const down = Math.ceil(follows.length / across);
  const lines = Array.from({ length: Math.min(down, rows - 1) }, (_, row) =>
    Array.from({ length: across }, (_, column) => {
      const follow = follows[column * down + row];
      if (!follow) return '';
      const key = showChord(follow.chord).padEnd(7);
      const label = cut(follow.label, width - key.length - 2);
      return ` ${paint('strong', key)} ${label}${' '.repeat(Math.max(0, width - 2 - key.length - textWidth(label)))}`;
    }).join(''),
  );
  const title = paint('strong', ` ${showChord(prefix)} – `);
  return <Lines lines={[rule(title, ' Esc cancels ', columns, 'dim', paint), ...lines]} />;
}

type HaltProps = {
  readonly words: QuestionWords;
  readonly question: QuestionUi;
  readonly layout: QuestionLayout;
  readonly columns: number;
};

/**
 * The question that stops everything: what, why, where, and the answers (HA-1). It takes keys only once it is armed.
 */
function HaltModal({ words, question, layout, columns }: HaltProps) {
  const screen = useScreen();
  const { theme } = screen.renderContext(columns);
  useArming(question.id);
  const { top, shown, inset, width } = layout;
  const aside = words.aside !== undefined;
  useReportSeenLines(question.id, columns, aside ? 0 : top, aside ? 0 : top + shown);
  const waiting = useSession((state) => state.questions.length);
  const { upper, body, lower, border } = questionPicture({ words, question, layout, waiting, theme });
  const rows = question.edit === undefined ? 0 : fieldRows(question.edit, width - 2 * inset);
  const side = Array.from({ length: rows }, () => border).join('\n');
  return (
    <Box flexDirection="column" flexShrink={0}>
      <Lines lines={upper} />
      {(question.edit === undefined || question.noting) && <Lines lines={body} />}
      {question.edit !== undefined && (
        <Box width={width} flexShrink={0}>
          <Box width={inset} flexShrink={0}>
            <Text>{side}</Text>
          </Box>
          <Box width={width - 2 * inset} flexShrink={0}>
            <Field
              key={question.form?.at}
              value={question.edit}
              onChange={(edit) => screen.questionDialog.show({ edit })}
              onSubmit={(text) => screen.questionDialog.submitEdit(text)}
            />
          </Box>
          <Box width={inset} flexShrink={0} justifyContent="flex-end">
            <Text>{side}</Text>
          </Box>
        </Box>
      )}
      <Lines lines={lower} />
    </Box>
  );
}

/** Asks for a goal; Enter in the empty field takes the last one (NO-1). */
function GoalDialog({ text, columns }: { readonly text: string; readonly columns: number }) {
  const { ui, paint } = useScreen();
  const { lastGoal, start } = useNorris();
  const submit = (value: string) => {
    const goal = value.trim() || lastGoal || '';
    if (goal === '') return;
    ui.update({ panel: NO_PANEL });
    start(goal);
  };
  const hint = ` Enter starts${lastGoal ? ' (empty: the last goal again)' : ''} · Esc closes `;
  return (
    <Box flexDirection="column" flexShrink={0}>
      <Lines lines={[rule(paint('accent', ' ⚡ Norris: what is the goal? '), '', columns, 'accent', paint)]} />
      <Field
        value={text}
        placeholder={lastGoal ?? 'find all Python files changed last week and count them'}
        onChange={(value) => ui.update({ panel: { kind: 'goal', text: value } })}
        onSubmit={submit}
      />
      <Lines lines={[rule(hint, '', columns, 'accent', paint)]} />
    </Box>
  );
}

type DialogProps = {
  readonly text: string;
  readonly note: string;
  readonly filters: boolean;
  readonly columns: number;
};

/** The search in the transcript, which jumps to the first match while the user types. */
function FindField({ text, note, filters, columns }: DialogProps) {
  const screen = useScreen();
  const { paint } = screen;
  const right = note === '' ? ' Enter keeps it, Esc cancels ' : ` ${note} `;
  return (
    <Box flexDirection="column" flexShrink={0}>
      <Lines
        lines={[rule(paint('strong', filters ? ' only lines with ' : ' search '), right, columns, 'dim', paint)]}
      />
      <Field value={text} onChange={(value) => screen.navigator.find(value)} onSubmit={() => screen.navigator.keep()} />
    </Box>
  );
}

/** Asks before Ctrl-N, which also starts runs, ends one. The focus is on going on. */
function ConfirmAbort({ focus, columns }: { readonly focus: number; readonly columns: number }) {
  const { paint } = useScreen();
  const buttons = [' end it (y) ', ' let it continue (n) '].map((text, index) =>
    index === focus ? paint('button', text) : text,
  );
  return (
    <Lines
      lines={[
        rule(paint('warning', ' End what is running? '), '', columns, 'warning', paint),
        `  ${buttons.join(' ')}`,
        rule(' the conversation stays ', '', columns, 'warning', paint),
      ]}
    />
  );
}
