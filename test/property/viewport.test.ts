import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHeights, createViewport } from '../../src/ui/render/viewport.ts';
import { cases } from '../support/cases.ts';

/** The simplest possible implementation of the transcript’s view, without regard to speed. */
class Model {
  entries: { key: string; size: number }[] = [];
  width = 80;
  height = 24;
  /** The line at the top, or undefined when following the tail. */
  top: { key: string; line: number } | undefined;

  lines(key: string): string[] {
    const size = this.entries.find((entry) => entry.key === key)?.size ?? 0;
    return Array.from({ length: Math.ceil(size / this.width) }, (_, line) => `${key}/${line}`);
  }

  all(): string[] {
    return this.entries.flatMap((entry) => this.lines(entry.key));
  }

  offset(): number {
    const last = Math.max(0, this.all().length - this.height);
    if (this.top === undefined) return last;
    const at = this.entries.findIndex((entry) => entry.key === this.top?.key);
    const before = this.entries.slice(0, at).flatMap((entry) => this.lines(entry.key)).length;
    const own = this.lines(this.top.key).length;
    return before + Math.max(0, Math.min(this.top.line, own - 1));
  }

  place(offset: number): void {
    const all = this.all();
    const to = Math.max(0, offset);
    const [key = '', line = '0'] = (all[to] ?? '').split('/');
    this.top = to >= all.length - this.height ? undefined : { key, line: Number(line) };
  }

  view() {
    const all = this.all();
    const offset = this.offset();
    const rows = all.slice(offset, offset + this.height);
    return { rows, above: offset, below: all.length - offset - rows.length, followsTail: this.top === undefined };
  }
}

type Real = ReturnType<typeof createViewport>;
type Command = {
  check: (model: Readonly<Model>) => boolean;
  run: (model: Model, real: Real) => void;
  toString: () => string;
};

let current: Model;

function command(name: string, run: (model: Model, real: Real) => void): Command {
  return {
    check: () => true,
    run(model, real) {
      current = model;
      run(model, real);
      while (real.measure(1000));
      const { rows, ...rest } = real.view();
      expect({ rows: rows.map((row) => row.text), ...rest }).toEqual(model.view());
    },
    toString: () => name,
  };
}

const size = fc.integer({ min: 1, max: 400 });
const commands = [
  fc.tuple(fc.nat(12), size).map(([id, cells]) =>
    command(`set ${id} ${cells}`, (model, real) => {
      const had = model.entries.find((entry) => entry.key === `e${id}`);
      if (had === undefined) model.entries.push({ key: `e${id}`, size: cells });
      else had.size = cells;
      real.set(`e${id}`);
    }),
  ),
  fc.nat(12).map((id) =>
    command(`delete ${id}`, (model, real) => {
      const at = model.entries.findIndex((entry) => entry.key === `e${id}`);
      if (at >= 0) {
        if (model.top?.key === `e${id}`) {
          const next = model.entries[at + 1];
          model.top = next === undefined ? undefined : { key: next.key, line: 0 };
        }
        model.entries.splice(at, 1);
      }
      real.delete(`e${id}`);
    }),
  ),
  fc.integer({ min: -60, max: 60 }).map((by) =>
    command(`scroll ${by}`, (model, real) => {
      model.place(model.offset() + by);
      real.scroll(by);
    }),
  ),
  fc.constantFrom(-1 as const, 1 as const).map((by) =>
    command(`page ${by}`, (model, real) => {
      model.place(model.offset() + by * Math.max(1, model.height - 2));
      real.page(by);
    }),
  ),
  fc.constant(
    command('home', (model, real) => {
      model.place(0);
      real.home();
    }),
  ),
  fc.constant(
    command('end', (model, real) => {
      model.top = undefined;
      real.end();
    }),
  ),
  fc.tuple(fc.nat(12), fc.nat(20)).map(([id, line]) =>
    command(`reveal ${id}:${line}`, (model, real) => {
      const lines = model.lines(`e${id}`);
      const target = lines[Math.min(line, lines.length - 1)];
      real.reveal({ key: `e${id}`, line });
      if (target === undefined || model.view().rows.includes(target)) return;
      model.place(model.all().indexOf(target) - Math.floor(model.height / 3));
    }),
  ),
];

describe('the viewport', () => {
  it('shows what a list of all lines would show, after any commands', () => {
    fc.assert(
      fc.property(fc.commands(commands, { maxCommands: 40 }), fc.integer({ min: 1, max: 30 }), (list, height) => {
        const model = new Model();
        model.height = height;
        current = model;
        const real = createViewport((key) => current.lines(key));
        real.resize(80, height);
        fc.modelRun(() => ({ model, real }), list);
      }),
      { numRuns: cases(100) },
    );
  });

  it('keeps the top entry in place over resizes, and has exact heights again once they are measured', () => {
    const sizes = fc.array(size, { minLength: 1, maxLength: 30 });
    const resizes = fc.array(fc.tuple(fc.integer({ min: 5, max: 120 }), fc.integer({ min: 1, max: 30 })), {
      maxLength: 5,
    });
    fc.assert(
      fc.property(sizes, fc.integer({ min: -80, max: 0 }), resizes, (cells, by, shapes) => {
        const model = new Model();
        const real = createViewport((key, width) => {
          model.width = width;
          return model.lines(key);
        });
        for (const [index, count] of cells.entries()) model.entries.push({ key: `e${index}`, size: count });
        real.load(model.entries.map((entry) => entry.key));
        real.scroll(by);
        const before = real.view();
        for (const [columns, rows] of shapes) {
          real.resize(columns, rows);
          model.width = columns;
          model.height = rows;
          const view = real.view();
          if (before.followsTail) expect(view.followsTail).toBe(true);
          else if (!view.followsTail) expect(view.rows[0]?.key).toBe(before.rows[0]?.key);
          while (real.measure(7));
          const all = model.all();
          const exact = real.view();
          expect(exact.above + exact.rows.length + exact.below).toBe(all.length);
          expect(exact.rows.map((row) => row.text)).toEqual(all.slice(exact.above, exact.above + rows));
          if (view.followsTail) break;
        }
      }),
    );
  });

  it('asks only for the lines in view, however long the transcript is', () => {
    const asked: string[] = [];
    const real = createViewport((key) => {
      asked.push(key);
      return [key, key];
    });
    real.load(Array.from({ length: 100_000 }, (_, index) => `e${index}`));
    const steps = [
      () => real.view(),
      () => real.page(-1),
      () => real.home(),
      () => real.scroll(30),
      () => real.set('new'),
      () => real.reveal({ key: 'e500', line: 0 }),
    ];
    for (const step of steps) {
      asked.length = 0;
      step();
      real.view();
      expect(asked.length).toBeLessThan(150);
    }
    asked.length = 0;
    expect(real.followsTail()).toBe(real.view().followsTail);
    asked.length = 0;
    real.followsTail();
    expect(asked).toEqual([]);
  });
});

it('the tree of heights gives the same sums as a plain list', () => {
  const step = fc.tuple(fc.constantFrom('push', 'set', 'remove'), fc.nat(20), fc.nat(9));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const list: number[] = [];
      const heights = createHeights();
      for (const [what, index, value] of steps) {
        if (what === 'push') {
          list.push(value);
          heights.push(value);
        } else if (index < list.length && what === 'set') {
          list[index] = value;
          heights.set(index, value);
        } else if (index < list.length) {
          list.splice(index, 1);
          heights.removeAt(index);
        }
        for (let count = 0; count <= list.length; count++)
          expect(heights.sum(count)).toBe(list.slice(0, count).reduce((a, b) => a + b, 0));
      }
    }),
  );
});
