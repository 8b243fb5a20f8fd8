/** A patch written as text behind `PATCH: path`, for models that call no tools: as a diff or as blocks (TO-2). */

type Patch = { readonly operation: 'replace' | 'overwrite'; readonly oldText?: string; readonly newText: string };

const FENCE = /^[ \t]*(`{3,}|~{3,})/;
const SEARCH = /^<{5,9} ?SEARCH\b/;
const MIDDLE = /^={5,9}$/;
const REPLACE = /^>{5,9} ?REPLACE\b/;

/** Reads the lines behind `PATCH:`: one fence with a unified diff or blocks in it, or blocks without a fence. */
export class PatchLines {
  readonly #body: string[] = [];
  #fence: string | undefined;
  #state: 'before' | 'fence' | 'block' | 'between' | 'ended' = 'before';

  /** Whether the line belongs to the patch. Behind its end none does. */
  read(line: string): boolean {
    const mark = FENCE.exec(line)?.[1];
    switch (this.#state) {
      case 'before':
      case 'between':
        if (SEARCH.test(line)) this.#state = 'block';
        else if (this.#state === 'before' && mark !== undefined) this.#state = 'fence';
        else if (line.trim() !== '') this.#state = this.#state === 'before' ? 'before' : 'ended';
        if (this.#state === 'fence') this.#fence = mark;
        if (this.#state === 'block') this.#body.push(line);
        return this.#state === 'block' || this.#state === 'fence' || line.trim() === '';
      case 'fence':
        if (mark !== undefined && this.#fence !== undefined && mark.startsWith(this.#fence)) this.#state = 'ended';
        else this.#body.push(line);
        return true;
      case 'block':
        this.#body.push(line);
        if (REPLACE.test(line)) this.#state = 'between';
        return true;
      case 'ended':
        return false;
    }
  }

  /** Whether its end has not come yet. */
  get open(): boolean {
    return this.#state === 'fence' || this.#state === 'block';
  }

  /** What `patch` is called with; undefined where the text is no whole patch. */
  argumentsFor(path: string): string | undefined {
    if (this.open) return undefined;
    const patches = this.#body.some((line) => line.startsWith('@@')) ? fromDiff(this.#body) : fromBlocks(this.#body);
    return patches && patches.length > 0 ? JSON.stringify({ path, patches }) : undefined;
  }
}

function fromBlocks(lines: readonly string[]): readonly Patch[] | undefined {
  const patches: Patch[] = [];
  let before: string[] | undefined;
  let after: string[] | undefined;
  for (const line of lines) {
    if (before === undefined) {
      if (SEARCH.test(line)) before = [];
      else if (line.trim() !== '') return undefined;
    } else if (after === undefined && MIDDLE.test(line)) after = [];
    else if (after && REPLACE.test(line)) {
      patches.push(patchOf(before, after));
      before = undefined;
      after = undefined;
    } else (after ?? before).push(line);
  }
  return before === undefined ? patches : undefined;
}

/** Each hunk by its lines; its numbers are not needed, and models count badly. */
function fromDiff(lines: readonly string[]): readonly Patch[] | undefined {
  const patches: Patch[] = [];
  let hunk: { before: string[]; after: string[] } | undefined;
  for (const line of lines) {
    if (line.startsWith('@@')) {
      if (hunk) patches.push(patchOf(hunk.before, hunk.after));
      hunk = { before: [], after: [] };
    } else if (hunk && !line.startsWith('\\')) {
      if (!/^(?:[ +-]|$)/.test(line)) return undefined;
      if (!line.startsWith('+')) hunk.before.push(line.slice(1));
      if (!line.startsWith('-')) hunk.after.push(line.slice(1));
    }
  }
  return hunk && [...patches, patchOf(hunk.before, hunk.after)];
}

/** With nothing to look for the text is the whole file. Lines that go leave no empty one behind. */
function patchOf(before: readonly string[], after: readonly string[]): Patch {
  if (before.length === 0) return { operation: 'overwrite', newText: after.map((line) => `${line}\n`).join('') };
  const end = after.length === 0 ? '\n' : '';
  return { operation: 'replace', oldText: before.join('\n') + end, newText: after.join('\n') };
}
