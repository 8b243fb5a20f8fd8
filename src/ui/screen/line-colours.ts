/** The line being typed, coloured by what its words are (IN-8). */
import type { Route, WordFacts } from '../../contracts/lines.ts';
import { rowCells } from '../editor/layout.ts';
import { type Span, type SpanKind, shellSpans } from '../editor/shell-line.ts';
import { type EditorState, expand } from '../editor/state.ts';
import type { Paint, Role } from '../render/theme.ts';

type Coloured = { readonly start: number; readonly end: number; readonly role: Role };
type Row = { readonly text: string; readonly start: number; readonly end: number };

const ROLES: Readonly<Record<Exclude<SpanKind, 'command' | 'word'>, Role>> = {
  keyword: 'keyword',
  flag: 'number',
  string: 'string',
  variable: 'link',
  operator: 'marker',
  comment: 'comment',
};
const COMMANDS = { known: 'success', alias: 'code', unknown: 'error' } as const;

/** What of a line has a colour; nothing of a question, and nothing of a line with folded pastes. */
export function colours(state: EditorState, route: Route | undefined, words: WordFacts): readonly Coloured[] {
  if (route?.kind !== 'shell' || expand(state) !== state.text) return [];
  const from = Math.max(0, state.text.indexOf(route.text));
  return shellSpans(state.text.slice(from)).flatMap((span) => {
    const role = roleOf(span, state.text.slice(from + span.start, from + span.end), words);
    return role === undefined ? [] : [{ start: from + span.start, end: from + span.end, role }];
  });
}

function roleOf({ kind }: Span, text: string, words: WordFacts): Role | undefined {
  if (kind === 'command') return COMMANDS[words.kindOf(text)];
  if (kind === 'word') return words.isPath(text) ? 'path' : undefined;
  return ROLES[kind];
}

/** A row of the prompt in those colours. */
export function paintRow(state: EditorState, row: Row, coloured: readonly Coloured[], paint: Paint): string {
  if (coloured.length === 0) return row.text;
  let done = '';
  let run = '';
  let role: Role | undefined;
  let next = 0;
  const flush = () => {
    done += role === undefined ? run : paint(role, run);
    run = '';
  };
  for (const { offset, text } of rowCells(state, row)) {
    while (next < coloured.length && (coloured[next]?.end ?? 0) <= offset) next += 1;
    const span = coloured[next];
    const now = span && span.start <= offset ? span.role : undefined;
    if (now !== role) flush();
    role = now;
    run += text;
  }
  flush();
  return done;
}
