/** Where everything of a question stands. The whole action is reachable: what does not fit scrolls (HA-1). */

import { cut } from '../render/segments.ts';
import { textWidth } from '../text/display.ts';
import { wrapText } from '../text/wrap.ts';
import type { Choice, QuestionWords } from './question.ts';

/** A button as it stands on the screen, in cells from the top left. */
type Button = { readonly x: number; readonly y: number; readonly width: number; readonly answer: Choice['answer'] };

export type QuestionLayout = {
  /** Rows it takes, at the bottom of the main part. */
  readonly height: number;
  readonly reasons: readonly string[];
  /** The lines of action and impact, and the window of them that is shown. */
  readonly body: readonly BodyLine[];
  readonly top: number;
  readonly shown: number;
  /** Lines from the first on that must have been on the screen before it may run. */
  readonly mustSee: number;
  /** The columns it is laid out for. */
  readonly columns: number;
  /** Not even one dangerous part fits: nothing can be let run here. */
  readonly tooSmall: boolean;
  readonly buttons: readonly Button[];
};

type BodyLine = {
  readonly kind:
    | 'verb'
    | 'part'
    | 'impact'
    | 'heading'
    | 'action'
    | 'tree'
    | 'added'
    | 'removed'
    | 'hunk'
    | 'claim'
    | 'place'
    | 'gap';
  readonly text: string;
  /** Stands at the right end of the line. */
  readonly right?: string;
};

/** Stands before every line of the command, so that nothing in it can pass for the dialog. */
export const GUTTER = '┆ ';
/** Below so many rows the place scrolls with the rest, and there are no gaps. */
const ROOMY_ROWS = 12;
/** A dangerous part needs so many lines to be shown at all. */
const MIN_SHOWN = 3;
/** Arguments that must be scrolled through; a file's whole content need not be. */
const MAX_TREE_TO_SEE = 100;

/** Rule above, place, rule below; the rows of buttons come on top. */
const FIXED = 3;
const INDENT = 2;
const MAX_REASONS = 3;

/** The text of a button; its letter is the key. */
export function buttonText(label: string, key: string): string {
  return ` ${label} (${key}) `;
}

/** Whether everything that must have been on the screen was there; of a screen too small for it, it never was. */
export function isSeen(
  { mustSee, columns, tooSmall }: QuestionLayout,
  seen: { readonly columns: number; readonly to: number } | undefined,
): boolean {
  return !tooSmall && (mustSee === 0 || (seen?.columns === columns && seen.to >= mustSee));
}

/** Lays a question out in at most `rows` rows that end at row `bottom` of the screen (exclusive). */
export function layoutQuestion(
  words: QuestionWords,
  { columns, rows, bottom, top: wantedTop }: { columns: number; rows: number; bottom: number; top: number },
): QuestionLayout {
  const width = Math.max(1, columns - INDENT);
  const roomy = rows >= ROOMY_ROWS;
  const [body, mustSee] = bodyOf(words, width, roomy);
  const buttons = buttonsOf(words, columns);
  const buttonRows = (buttons.at(-1)?.y ?? 0) + 1;
  const fixed = FIXED + buttonRows - (words.place === '' || !roomy ? 1 : 0);
  const needed = words.reasons.flatMap((reason) => wrapText(reason, width));
  // The action has the better claim to a small screen than the words about it.
  const most = Math.max(1, Math.min(MAX_REASONS, rows - fixed - Math.min(body.length, 3)));
  const reasons = needed.length > most ? [...needed.slice(0, most - 1), cut(`${needed[most - 1]} …`, width)] : needed;
  const shown = Math.max(0, Math.min(body.length, rows - fixed - reasons.length));
  const top = Math.max(0, Math.min(wantedTop, body.length - shown));
  const height = fixed + reasons.length + shown;
  const above = bottom - 1 - buttonRows;
  const tooSmall = shown < Math.min(MIN_SHOWN, mustSee);
  return {
    height,
    reasons,
    body,
    top,
    shown,
    mustSee,
    columns,
    tooSmall,
    buttons: buttons.map((button) => ({ ...button, y: above + button.y })),
  };
}

/** The lines, and how many of them must be seen: the dangerous parts come first. */
function bodyOf(words: QuestionWords, width: number, roomy: boolean): readonly [readonly BodyLine[], number] {
  const wrapped = (kind: BodyLine['kind'], text: string, indent: string): readonly BodyLine[] =>
    text === ''
      ? []
      : wrapText(text, Math.max(1, width - indent.length), { mode: 'hard' }).map((line) => ({
          kind,
          text: indent + line,
        }));
  const dangers = words.dangers.flatMap(({ verb, part, impact, undoable }, index): readonly BodyLine[] => {
    const [first, ...more] = wrapText(`${index + 1}  ${verb}`, width, { indent: '   ' });
    const right = undoable === undefined ? {} : { right: undoable ? 'undoable' : 'not undoable' };
    return [
      { kind: 'verb', text: first ?? '', ...right },
      ...more.map((text): BodyLine => ({ kind: 'verb', text })),
      ...wrapped('part', part, `   ${GUTTER}`),
      ...impact.flatMap((line) =>
        wrapText(line, Math.max(1, width - 3)).map((text): BodyLine => ({ kind: 'impact', text: `   ${text}` })),
      ),
      ...(roomy ? [{ kind: 'gap', text: '' } as const] : []),
    ];
  });
  const heading = words.folds ? 'the command around them · Ctrl-O: all of it' : 'whole command';
  const gutter = words.place === '' ? '' : GUTTER;
  const action = wrapped('action', words.action, gutter);
  const tree = words.tree.flatMap(({ text, indent, role = 'tree' as const }): BodyLine[] =>
    wrapText(text, width - gutter.length, { mode: 'hard', indent }).map(
      (line): BodyLine => ({
        kind: role,
        text: gutter + line,
      }),
    ),
  );
  const claims = words.claims.flatMap((line) => wrapText(line, width, { mode: 'hard', indent: '  ' }));
  const impact = words.impact.flatMap((line) =>
    wrapText(line, width).map((text): BodyLine => ({ kind: 'impact', text })),
  );
  const titled = dangers.length > 0 && action.length > 0 && tree.length === 0;
  const body: readonly BodyLine[] = [
    ...dangers,
    ...(titled ? [{ kind: 'heading', text: heading } as const] : []),
    ...action,
    ...tree,
    ...impact,
    ...claims.map((text): BodyLine => ({ kind: 'claim', text })),
    ...(roomy || words.place === '' ? [] : wrapped('place', words.place, '')),
  ];
  const all = words.allIsDanger ? (titled ? 1 : 0) + action.length + Math.min(tree.length, MAX_TREE_TO_SEE) : 0;
  // Beside the question itself nothing is let run.
  return [body, words.aside ? Number.POSITIVE_INFINITY : dangers.length + all];
}

/** The buttons side by side, in as many rows as it takes; `y` counts from the first of them. */
function buttonsOf(words: QuestionWords, columns: number): readonly Button[] {
  let x = INDENT;
  let y = 0;
  return words.choices.map(({ answer, label, key }) => {
    const width = textWidth(buttonText(label, key));
    if (x > INDENT && x + width > columns) {
      x = INDENT;
      y += 1;
    }
    const button = { x, y, width, answer };
    x += width + 1;
    return button;
  });
}
