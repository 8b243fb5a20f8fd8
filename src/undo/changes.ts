/** What a trial would change, as the launcher lists it. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { TrialChange } from '../contracts/trials.ts';
import { visible } from '../text/sanitize.ts';
import { notesOf } from './record.ts';

const MAX_OUTPUT_BYTES = 512 * 1024 * 1024;
const KINDS: Readonly<Record<string, TrialChange['kind']>> = { A: 'created', D: 'deleted', M: 'changed', P: 'mode' };
const TYPES: Readonly<Record<string, TrialChange['type']>> = { f: 'file', d: 'directory', l: 'link', o: 'other' };

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

/** Why not, where it can't be told. */
export function listChanges(launcher: string, store: string, trees: readonly string[]): Promise<Listed | string> {
  const args = ['--changes', store, ...trees.flatMap((tree) => ['--tree', tree])];
  return new Promise((resolve) => {
    execFile(launcher, args, { encoding: 'buffer', maxBuffer: MAX_OUTPUT_BYTES, env: {} }, (error, stdout, stderr) => {
      if (error) resolve(stderr.toString().trim() || error.message);
      else resolve(read(stdout, store, trees));
    });
  });
}

/** What the trial itself noted that it can't show. */
function untold(notes: readonly string[]): string | undefined {
  for (const note of notes) {
    const [word = '', path = ''] = note.split(/ (.*)/s);
    if (word === 'shared') return `${visible(path)} has other names, which a real run may change with it`;
    if (word === 'moved') return `it moves the directory ${visible(path)} by its name alone, which a trial can’t`;
  }
  return undefined;
}

function read(output: Buffer, store: string, trees: readonly string[]): Listed | string {
  const notes = notesOf(store);
  const why = untold(notes);
  if (why !== undefined) return why;
  const fields = output.toString().split('\0');
  const changes: TrialChange[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [kind = '', type = '', mode, bytes, , flags] = (fields[at] ?? '').split(' ');
    const path = fields[at + 1] ?? '';
    const [known, thing] = [KINDS[kind], TYPES[type]];
    if (!known || !thing) return 'the list of changes can’t be read';
    changes.push({ path, kind: known, type: thing, mode: Number(mode), bytes: Number(bytes), shared: flags === 's' });
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
      return join(store, 'trial', `upper${number}`, path.slice((trees[number] ?? '').length));
    },
  };
}

/** How the directory `a` lies to `b`, both absolute and without links. */
export function relationOf(a: string, b: string): 'same' | 'above' | 'below' | 'apart' {
  const below = (path: string, top: string) => path.startsWith(top === '/' ? '/' : `${top}/`);
  return a === b ? 'same' : below(b, a) ? 'above' : below(a, b) ? 'below' : 'apart';
}
