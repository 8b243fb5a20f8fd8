import { basename } from 'node:path';
import type { Watcher } from '../../../src/safety/judge.ts';
import { programName } from '../../../src/safety/programs/name.ts';
import { readExactly } from '../../../src/safety/programs/read-options.ts';
import { words } from '../../../src/safety/programs/record.ts';
import { recordOf } from '../../../src/safety/programs/records/index.ts';
import type { Field, Redirect } from '../../../src/safety/shell/machine.ts';

/** The programs and effects that the gate found in a line. */
export class Seen implements Watcher {
  /** The names of files that the line openly appends to. */
  readonly appended = new Set<string>();
  /** The names of files whose mode the line openly changes. */
  readonly modes = new Set<string>();
  /** Whether the manual of one of the line’s programs says how to revert its effect. */
  undo = false;
  #programs = new Set<string>();

  call(fields: readonly Field[]): void {
    const [first = '', ...rest] = fields.map(({ text }) => text);
    this.#programs.add(basename(first));
    if (first === 'tee' && rest.some((word) => /^-\w*a|^--append$/.test(word)))
      for (const word of rest) this.appended.add(basename(word));
    if (first === 'chmod') for (const word of rest) this.modes.add(basename(word));
    const program = programName(first);
    const record = recordOf(program);
    if (!record) return;
    const { level } = readExactly(program, record, fields.slice(1));
    if (level.spec.undo !== undefined) this.undo = true;
  }

  redirect({ operator, target }: Redirect): void {
    if (operator.includes('>>')) this.appended.add(basename(target));
  }

  /** Returns the started programs that neither the line nor a record of its programs names. */
  unnamed(started: readonly string[]): readonly string[] {
    const known = new Set<string>();
    const add = (name: string): void => {
      if (known.has(name)) return;
      known.add(name);
      const spec = recordOf(programName(name))?.spec;
      for (const helper of words(spec?.helpers)) add(helper);
    };
    for (const program of this.#programs) add(program);
    return started.filter((name) => !known.has(name));
  }
}
