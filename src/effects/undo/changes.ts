/** What a trial would change, as the launcher lists it. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { TrialChange } from '../../contracts/trials.ts';
import { visible } from '../../text/sanitize.ts';
import { textOfBytes } from './exact-names.ts';
import { Fields } from './fields.ts';
import type { TrialPlace } from './trial-disk.ts';

const KINDS: ReadonlyMap<string, TrialChange['kind']> = new Map([
  ['A', 'created'],
  ['D', 'deleted'],
  ['M', 'changed'],
  ['P', 'mode'],
]);
const TYPES: ReadonlyMap<string, TrialChange['type']> = new Map([
  ['f', 'file'],
  ['d', 'directory'],
  ['l', 'link'],
  ['o', 'other'],
]);

const MARKED = 'carries marks of an overlay (user.overlay.…, trusted.overlay.…), which a trial can’t show';

export type Listed = {
  readonly changes: readonly TrialChange[];
  readonly deletedBytes: number;
  readonly writtenBytes: number;
  readonly digest: string;
  /** Paths outside the trees that it was refused to write. */
  readonly outside: readonly string[];
  /** Where the new content of a path of the list stands. */
  readonly upperOf: (path: string) => string;
};

const REFUSED = 'refused ';
const UNREADABLE = 'the list of changes can’t be read';
const MOST_MODE = 0o7777;

/** What the trial itself noted that it can't show. */
function untold(notes: readonly string[]): string | undefined {
  for (const note of notes) {
    const [word = '', path = ''] = note.split(/ (.*)/s);
    if (word === 'shared') return `${visible(path)} has other names, which a real run may change with it`;
    if (word === 'deep') return `${visible(path.slice(-40))} lies deeper than a path can name`;
    if (word === 'foreign')
      return `${visible(path)} gets an access list that names others, which a trial of an ordinary user can’t set`;
    if (word === 'moved') return `it moves the directory ${visible(path)} by its name alone, which a trial can’t`;
  }
  return undefined;
}

/**
 * The launcher's list, as it printed it; or why it can't be told. What it names must lie in the trees, whoever says so.
 * @param notes what it noted besides
 */
export function readChanges(
  output: Buffer,
  notes: readonly string[],
  { directory, trees }: Pick<TrialPlace, 'directory' | 'trees'>,
): Listed | string {
  const why = untold(notes);
  if (why !== undefined) return why;
  const fields = new Fields(textOfBytes(output));
  const changes: TrialChange[] = [];
  while (fields.more) {
    const [facts, path] = [fields.next(), fields.next()];
    if (facts === undefined || path === undefined) return UNREADABLE;
    if (/^X [fdlo] /.test(facts)) return `${visible(path)} ${MARKED}`;
    const change = readChange(facts, path, trees);
    if (!change) return UNREADABLE;
    changes.push(change);
  }
  changes.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  const sum = (...kinds: readonly string[]) =>
    changes.reduce((bytes, change) => bytes + (kinds.includes(change.kind) ? change.bytes : 0), 0);
  return {
    changes,
    deletedBytes: sum('deleted'),
    writtenBytes: sum('created', 'changed'),
    outside: [...new Set(notes)].filter((note) => note.startsWith(REFUSED)).map((note) => note.slice(REFUSED.length)),
    digest: createHash('sha256').update(output).digest('hex'),
    upperOf: (path) => {
      const number = trees.findIndex((tree) => relationOf(tree, path) !== 'apart');
      return join(directory, 'trial', `upper${number}`, path.slice((trees[number] ?? '').length));
    },
  };
}

/** Undefined for what is no line of such a list. */
function readChange(facts: string, path: string, trees: readonly string[]): TrialChange | undefined {
  const [kind = '', type = '', mode, bytes, , flags] = facts.split(' ');
  const [known, thing, bits, size] = [KINDS.get(kind), TYPES.get(type), Number(mode), Number(bytes)];
  const whole = [bits, size].every((number) => Number.isSafeInteger(number) && number >= 0) && bits <= MOST_MODE;
  const names = path.slice(1).split('/');
  // A tree's own root can't be made or go.
  const inside = trees.some((tree) => relationOf(tree, path) === 'above' || (tree === path && kind === 'P'));
  if (!known || !thing || !whole || !inside || names.some((name) => name === '' || name === '.' || name === '..'))
    return undefined;
  return { path, kind: known, type: thing, mode: bits, bytes: size, shared: flags === 's' };
}

/** How the directory `a` lies to `b`, both absolute and without links. */
export function relationOf(a: string, b: string): 'same' | 'above' | 'below' | 'apart' {
  const below = (path: string, top: string) => path.startsWith(top === '/' ? '/' : `${top}/`);
  return a === b ? 'same' : below(b, a) ? 'above' : below(a, b) ? 'below' : 'apart';
}
