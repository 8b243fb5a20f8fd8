import { describe, expect, it } from 'vitest';
import { setStage } from './stage.tsx';

/** A stage with some notices and one long output of the model, with the keyboard at the transcript. */
async function reading() {
  const stage = await setStage({ rows: 20 });
  for (let line = 0; line < 30; line += 1) stage.screen.warn(`notice ${line}${line % 10 === 7 ? ' with Tea' : ''}.`);
  const head = Array.from({ length: 60 }, (_, line) => `row ${line}`).join('\n');
  const facts = { exit: 0, cwd: '/', tail: '', omittedLines: 0, bytes: head.length, milliseconds: 5 };
  stage.engine.showLocal({
    kind: 'show',
    key: 'long',
    entry: {
      kind: 'exec',
      op: 'o',
      by: 'model',
      command: 'seq 60',
      cwd: '/',
      private: false,
      result: { ...facts, head },
    },
  });
  await stage.see('row 59');
  return stage;
}

/** Counts the rows above the status bar whose first cell is inverted: those of the selected entry. */
function marked(raw: string): number {
  return raw
    .split('\n')
    .slice(0, -1)
    .filter((line) => /^(?:\x1b\[[\d;]*m)*\x1b\[7m/.test(line)).length;
}

describe('reading the transcript', () => {
  it('folds long output of the model automatically, and a key opens and closes it', async () => {
    const stage = await reading();
    expect(stage.frame()).toMatch(/^┆ 46 more · Ctrl-O$/m);
    expect(stage.frame()).toContain('row 59');
    expect(stage.frame()).not.toContain('row 30');
    stage.press('\x0f');
    await stage.until(() => !stage.frame().includes('more · '));
    stage.press('\x0f');
    await stage.see('┆ 46 more · Ctrl-O');
    expect(stage.frame()).toContain('row 59');
  });

  it.each([
    ['31 lines', 31],
    ['3,000 lines', 3000],
  ])('folds a pasted question of %s automatically', async (_, count) => {
    const stage = await setStage({ rows: 20 });
    const text = Array.from({ length: count }, (_line, number) => `pasted ${number}`).join('\n');
    stage.engine.showLocal({ kind: 'show', key: 'q', entry: { kind: 'user', text, queued: false } });
    await stage.see(`pasted ${count - 1}`);
    expect(stage.frame()).toContain('more · Ctrl-O');
    expect(stage.frame()).not.toContain(`pasted ${Math.floor(count / 2)}`);
  });

  it.each([
    ['as it is', 'counts to sixty', 'counts to sixty'],
    ['in one line', 'counts\nto sixty', 'counts to sixty'],
    ['without deceptive characters', 'a\u001b[31mb', 'a⟨U+001B⟩[31mb'],
    ['cut where it is long', 'word '.repeat(40), `${'word '.repeat(11)}word…`],
  ])('shows the model’s own description of a command: %s', async (_, label, shown) => {
    const stage = await setStage();
    const exec = { kind: 'exec', op: 'o', by: 'model', command: 'seq 60', cwd: '/', private: false } as const;
    const result = { exit: 0, cwd: '/', head: 'out', tail: '', omittedLines: 0, bytes: 3, milliseconds: 5 };
    stage.engine.showLocal({ kind: 'show', key: 'l', entry: { ...exec, label, result } });
    await stage.see(shown);
  });

  it('does not fold the output of the user’s own commands', async () => {
    const stage = await setStage();
    stage.press('ls deep\r');
    await stage.until(() => stage.commands.length === 1);
    stage.commands[0]?.print(Array.from({ length: 60 }, (_, line) => `row ${line}`));
    stage.commands[0]?.end();
    await stage.see(/✓[\s\S]*row 59/);
    expect(stage.frame()).not.toContain('more · ');
  });

  it('folds a model’s thinking to one row, which a click or a key opens', async () => {
    const stage = await setStage({ settings: { semantics: 3 } });
    stage.press('?hello\r');
    await stage.until(() => stage.calls.length === 1);
    stage.calls[0]?.end({ text: 'Fine.', reasoning: 'First this.\nThen that.' });
    await stage.see('Fine.');
    expect(stage.frame()).toMatch(/^┆ thoughts, 2 lines$/m);
    expect(stage.frame()).not.toContain('Then that.');
    stage.press('\x1bt');
    await stage.see('-- SCROLL --');
    stage.press('K');
    await stage.until(() => marked(stage.raw()) === 1);
    stage.press('o');
    await stage.see('┊ Then that.');
    stage.press('o');
    await stage.see('┆ thoughts, 2 lines');
  });

  it('goes from entry to entry, marks the selected one, and copies it', async () => {
    const stage = await reading();
    stage.press('\x1bt');
    await stage.see('-- SCROLL --');
    expect(marked(stage.raw())).toBeGreaterThan(3);
    stage.press('K');
    await stage.until(() => marked(stage.raw()) === 1);
    stage.press('y');
    await stage.see('copied "notice 29." (10 characters)');
    expect(stage.written).toContain(`\x1b]52;c;${Buffer.from('notice 29.').toString('base64')}\x07`);
    stage.press('Jy');
    await stage.see(/copied "\$ seq 60"/);
    const [, base64 = ''] = /\x1b\]52;c;(.*)\x07/.exec(stage.written.at(-1) ?? '') ?? [];
    expect(Buffer.from(base64, 'base64').toString()).toMatch(/^\$ seq 60\nrow 0\n[\s\S]*\nrow 59$/);
    stage.press('q');
    await stage.until(() => !stage.frame().includes('SCROLL') && marked(stage.raw()) === 0);
  });

  it('copies the code blocks of an answer one after the other, and one by a click on its header', async () => {
    const stage = await setStage({ composed: true, settings: { semantics: 3 } });
    stage.press('?how\r');
    await stage.until(() => stage.calls.length === 1);
    stage.calls[0]?.end({ text: 'Do:\n\n```sh\nmake all\n```\n\n- or\n\n  ```\n  ninja\n  ```\n' });
    await stage.see('ninja');
    stage.press('\x1bt');
    await stage.see('-- SCROLL --');
    stage.press('y');
    await stage.see('copied "code block 1 of 2" (8 characters)');
    stage.press('y');
    await stage.see('copied "code block 2 of 2" (5 characters)');
    expect(stage.written.at(-1)).toBe(`\x1b]52;c;${Buffer.from('ninja').toString('base64')}\x07`);
    stage.press('c');
    await stage.see(/copied "Do:"/);
    stage.press('q');
    const rows = stage.frame().split('\n');
    const row = rows.findIndex((line) => /─ sh ─+ copy$/.test(line));
    const cell = `${(rows[row]?.indexOf('copy') ?? 0) + 1};${row + 1}`;
    stage.press(`\x1b[<0;${cell}M\x1b[<0;${cell}m`);
    await stage.see('copied "code block 1 of 2" (8 characters)');
  });

  it('searches while typing, counts, and goes to the next and the previous match', async () => {
    const stage = await reading();
    stage.press('\x1bt/');
    await stage.see('search');
    await stage.until(stage.listens);
    stage.press('tea');
    // The nearest match above, where nothing in view matches.
    await stage.see('"tea": 3 of 3');
    expect(stage.frame()).toContain('notice 27 with Tea.');
    expect(stage.raw()).toMatch(/\x1b\[7mTea/);
    stage.press('\r');
    await stage.see(/SCROLL.*"tea": 3 of 3/);
    stage.press('N');
    await stage.see('"tea": 2 of 3');
    expect(stage.frame()).toContain('notice 17 with Tea.');
    stage.press('nn');
    await stage.see('"tea": 1 of 3');
    expect(stage.frame()).toContain('notice 7 with Tea.');
    stage.press('/');
    await stage.see('Esc cancels');
    await stage.until(stage.listens);
    stage.press('nowhere');
    await stage.see('"nowhere": no match');
    stage.press('\x1b');
    await stage.see('-- SCROLL --');
    expect(stage.frame()).not.toContain('nowhere');
  });

  it('finds folded text, and opens it', async () => {
    const stage = await reading();
    stage.press('\x1bt/');
    await stage.until(stage.listens);
    stage.press('row 33');
    await stage.see('"row 33": 1 of 1');
    expect(stage.frame()).toContain('row 33');
  });

  it('reports a match in the part of an output that was cut out', async () => {
    const stage = await setStage({ columns: 160 });
    const cut = (key: string, head: string, omittedLines: number) => {
      const result = {
        exit: 0,
        cwd: '/',
        head,
        tail: 'end',
        omittedLines,
        bytes: 9,
        milliseconds: 5,
        file: '/tmp/full',
      };
      const entry = { kind: 'exec', op: key, by: 'model', command: key, cwd: '/', private: false, result } as const;
      stage.engine.showLocal({ kind: 'show', key, entry });
    };
    cut('make all', 'begin', 500);
    cut('make whole', 'all of it', 0);
    stage.press('\x1bt/');
    await stage.until(stage.listens);
    stage.press('needle');
    await stage.see('"needle": no match · also in the part not shown of make all: /tmp/full');
    stage.press('\r');
    await stage.see(/SCROLL.*also in the part not shown of make all/);
    stage.press('/');
    await stage.until(stage.listens);
    stage.press('begin');
    await stage.see('"begin": 1 of 1');
    expect(stage.frame()).not.toContain('not shown of');
    cut('make again', 'a needle', 500);
    stage.press('\x1b');
    await stage.see('-- SCROLL --');
    stage.press('/');
    await stage.until(stage.listens);
    stage.press('needle');
    await stage.see('also in the part not shown of make all');
  });

  it('copies no more than terminals take, and says so', async () => {
    const stage = await setStage();
    stage.screen.warn('界'.repeat(40_000));
    await stage.see('界界');
    stage.press('\x1bty');
    await stage.see('copied the first 24,666 characters');
    expect(stage.written.at(-1)?.length).toBeLessThan(100_000);
    const [, base64 = ''] = /\x1b\]52;c;(.*)\x07/.exec(stage.written.at(-1) ?? '') ?? [];
    expect(Buffer.from(base64, 'base64').toString()).toBe('界'.repeat(24_666));
  });

  it('draws the row of a finished step once, however many follow', async () => {
    const stage = await setStage({ rows: 20 });
    const { view } = stage.screen;
    const step = (number: number) => {
      const facts = { exit: 0, cwd: '/', head: 'done', tail: '', omittedLines: 0, bytes: 4, milliseconds: 5 };
      const [run, act] = [`number ${number}`, `act ${number}`];
      stage.engine.showLocal({ kind: 'show', key: run, entry: { kind: 'norrisStep', step: number, maxSteps: 50 } });
      stage.engine.showLocal({
        kind: 'show',
        key: act,
        entry: {
          kind: 'exec',
          op: act,
          by: 'model',
          command: `make ${number}`,
          cwd: '/',
          private: false,
          result: facts,
        },
      });
    };
    for (let number = 1; number <= 5; number += 1) step(number);
    await stage.see('make 5');
    const first = view.linesAt('act 3');
    expect(first.join()).toContain('make 3');
    for (let number = 6; number <= 10; number += 1) step(number);
    await stage.see('make 10');
    expect(view.linesAt('act 3')).toBe(first);
  });
});
