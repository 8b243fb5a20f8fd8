/** The arguments of a tool call as a person reads them: one value a line, nothing invisible, nothing that looks like another. */
import { parseJsonObject } from '../../../text/json.ts';
import { visible } from '../../../text/sanitize.ts';

export type TreeLine = {
  readonly text: string;
  /** Stands before what does not fit on the first line, so that a long value can't pass for the next one. */
  readonly indent: string;
  /** Of a line of a diff: what it does; or the help for a key. */
  readonly role?: 'added' | 'removed' | 'hunk' | 'help';
  /** Of the help: the key. */
  readonly key?: string;
};

const MAX_LINES = 2000;
const MAX_DEPTH = 12;
/** Names that need no quotes to be told from what is around them. */
const PLAIN_NAME = /^[\w$.-]+$/;

/**
 * One line for each value, as `name: value`, lists with `-`. A text is in quotes with its control characters spelled
 * out; one of several lines stands below its name behind bars. What is left out at the end is named.
 */
export function argumentTree(json: string): readonly TreeLine[] {
  const value = parseJsonObject(json || '{}');
  if (value === undefined) return [line('', visible(json))];
  const lines: TreeLine[] = [];
  const left = fields(value, '', 0, lines);
  if (left > 0) lines.push(line('', `… ${left} more values are not shown; ${json.length} characters in all`));
  return lines;
}

/** How many values found no room. */
function fields(of: object, pad: string, depth: number, lines: TreeLine[]): number {
  let left = 0;
  for (const [name, value] of Object.entries(of)) {
    const label = Array.isArray(of) ? '- ' : `${PLAIN_NAME.test(name) ? name : quoted(name)}: `;
    if (lines.length >= MAX_LINES) left += 1;
    else left += put(label, value, pad, depth, lines);
  }
  return left;
}

function put(label: string, value: unknown, pad: string, depth: number, lines: TreeLine[]): number {
  if (typeof value === 'string' && value.includes('\n')) {
    lines.push(line(pad, label.trimEnd()));
    const texts = value.split('\n');
    for (const text of texts.slice(0, MAX_LINES - lines.length)) lines.push(line(pad, `  │ ${visible(text)}`));
    return lines.length >= MAX_LINES ? 1 : 0;
  }
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0 || depth >= MAX_DEPTH) {
    lines.push(line(pad, label + (typeof value === 'string' ? quoted(value) : visible(JSON.stringify(value)))));
    return 0;
  }
  lines.push(line(pad, label.trimEnd()));
  return fields(value, `${pad}  `, depth + 1, lines);
}

function quoted(text: string): string {
  return visible(JSON.stringify(text));
}

function line(pad: string, text: string): TreeLine {
  return { text: pad + text, indent: `${pad}  ┊ ` };
}
