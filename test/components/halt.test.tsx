import { describe, expect, it } from 'vitest';
import { bash } from '../support/machine.ts';
import { type Stage, setStage } from './stage.tsx';

/** A Norris run whose model asks for `command`, with its question on screen. */
async function halt(command: string, size: { columns?: number; rows?: number } = {}): Promise<Stage> {
  const stage = await setStage(size);
  stage.press(':norris tidy up\r');
  await stage.until(() => stage.calls.length === 1);
  stage.calls[0]?.say(`CMD: ${command}`);
  stage.calls[0]?.end();
  await stage.until(() => stage.engine.state.questions.length === 1);
  await stage.see(/p\W+proceed|too small/);
  return stage;
}

describe('a HALT', () => {
  it('shows step, reason, the whole action, and where and in which mode it would run', async () => {
    const { frame } = await halt('rm -rf build');
    expect(frame()).toMatch(/HALT\W+step 1 of 4/);
    expect(frame()).toMatch(/^│ {2}1 {2}rm -rf +│$/m);
    expect(frame()).toContain('  ┆ rm -rf build');
    expect(frame()).toContain('in /home/me · unrestricted');
    expect(frame()).toMatch(/s\W+skip.*p\W+proceed.*a\W+abort/);
  });

  it('ignores keys until the terminal has drawn it and the keyboard was quiet', async () => {
    const stage = await halt('rm -rf build');
    stage.press('p');
    await stage.see('ready in a moment');
    await stage.arm();
    await stage.see('all shown');
    expect(stage.commands).toHaveLength(0);
    stage.answer('p');
    await stage.until(() => stage.commands.length === 1);
  });

  it('is not answered by the first letter of a word, but waits for a quiet keyboard again', async () => {
    const stage = await halt('rm -rf build');
    await stage.arm();
    stage.press('p');
    stage.answer('s');
    expect(stage.commands).toHaveLength(0);
    expect(stage.screen.ui.get().question?.armed).toBe(false);
    await stage.arm();
    stage.press('x');
    expect(stage.screen.ui.get().question?.armed).toBe(false);
  });

  it('accepts answers after three seconds even if keys keep coming, and further typing answers nothing', async () => {
    const stage = await halt('rm -rf build');
    const question = () => stage.screen.ui.get().question;
    stage.press('w');
    await stage.drawn();
    for (let key = 0; key < 10; key += 1) {
      stage.clock.advance(400);
      stage.press('p');
    }
    expect(question()).toMatchObject({ armed: true, hurried: true });
    await stage.see('stop typing for half a second');
    const { focus } = question() ?? {};
    stage.press('\t');
    expect(question()?.focus).not.toBe(focus);
    expect(stage.commands).toHaveLength(0);
    stage.clock.advance(500);
    stage.answer('p');
    await stage.until(() => stage.commands.length === 1);
  });

  it('waits for a quiet keyboard again after every key that comes too early', async () => {
    const stage = await halt('rm -rf build');
    await stage.until(() => stage.clock.pending() > 0);
    stage.clock.advance(400);
    stage.press('p');
    stage.clock.advance(400);
    stage.press('p');
    expect(stage.screen.ui.get().question?.armed).toBe(false);
    expect(stage.commands).toHaveLength(0);
  });

  it('has the focus on skip, so that Enter runs nothing', async () => {
    const stage = await halt('rm -rf build');
    await stage.arm();
    stage.press('\r');
    await stage.see('skipped: rm -rf build');
    expect(stage.commands).toHaveLength(0);
  });

  it('is answered by Tab, arrows and Enter', async () => {
    const stage = await halt('rm -rf build');
    await stage.arm();
    stage.press('\t\t\x1b[C\x1b[C\r');
    await stage.see('! aborted');
    expect(stage.commands).toHaveLength(0);
  });

  it('is answered by a click, and only on a button', async () => {
    const stage = await halt('rm -rf build');
    await stage.arm();
    const row = stage
      .frame()
      .split('\n')
      .findIndex((line) => line.includes('proceed'));
    const column = stage.frame().split('\n')[row]?.indexOf('proceed') ?? 0;
    stage.press(`\x1b[<0;1;1M\x1b[<0;1;1m`);
    expect(stage.engine.state.questions).toHaveLength(1);
    stage.press(`\x1b[<0;${column + 1};${row + 1}M`);
    await stage.until(() => stage.commands.length === 1);
  });

  it('lets the user edit the command, and the changed one is judged again', async () => {
    const stage = await halt('rm -rf build');
    await stage.arm();
    stage.answer('e');
    await stage.see('› rm -rf build');
    await stage.until(stage.listens);
    for (const _ of 'build') stage.press('\x7f');
    await stage.see(/› rm -rf\s/);
    stage.press('out');
    await stage.see('› rm -rf out');
    stage.press('\r');
    await stage.see(/┆ rm -rf out[\s\S]*ready in a moment/);
    expect(stage.commands).toHaveLength(0);
    expect(stage.screen.ui.get().question?.armed).toBe(false);
    await stage.arm();
    stage.answer('p');
    await stage.until(() => stage.commands.length === 1);
  });

  it('shows invisible characters, so that no control character disguises a command', async () => {
    const stage = await setStage();
    stage.press(':norris tidy up\r');
    await stage.until(() => stage.calls.length === 1);
    stage.calls[0]?.end({ toolCalls: [bash('c1', 'rm -rf a\u202e b\u200b\u00a0c\x07')], finish: 'tools' });
    await stage.see(/p\W+proceed/);
    const { frame } = stage;
    expect(frame()).toContain('rm -rf a⟨U+202E⟩ b⟨U+200B⟩');
    expect(frame()).toContain('⟨U+00A0⟩');
    expect(frame()).not.toMatch(/[\u202e\u200b\u00a0\x07]/);
  });

  it('scrolls a long action to its end at 40×10, with the buttons always visible', async () => {
    const stage = await halt(`rm -rf ${Array.from({ length: 30 }, (_, n) => `file-${n}`).join(' ')} the-last`, {
      columns: 40,
      rows: 10,
    });
    await stage.arm();
    expect(stage.frame().split('\n')).toHaveLength(10);
    expect(stage.frame()).toContain('↓');
    expect(stage.frame()).not.toContain('the-last');
    stage.press('\x1b[F');
    await stage.see('the-last');
    expect(stage.frame()).toMatch(/s\W+skip.*p\W+proceed.*a/);
  });

  it('sets the text in the prompt aside and restores it', async () => {
    const stage = await setStage();
    stage.press(':norris tidy up\r');
    await stage.until(() => stage.calls.length === 1);
    stage.press('half a though');
    stage.calls[0]?.say('CMD: rm x');
    stage.calls[0]?.end();
    await stage.see('HALT');
    // Further typing goes into the draft: the question does not accept answers yet.
    stage.press('t');
    await stage.see(/> half a thought +your draft, kept/);
    await stage.arm();
    stage.press('a');
    await stage.see('! aborted');
    await stage.see('[aish:fast]> half a thought ');
  });

  it.each([
    ['a', 'the key for abort'],
    ['\x03', 'Ctrl-C'],
    ['\x0e', 'the key that starts and ends a run'],
  ])('ends the run on %j: %s', async (key) => {
    const stage = await setStage();
    stage.press(':norris tidy up\r');
    await stage.until(() => stage.calls.length === 1);
    stage.calls[0]?.say('CMD: rm x');
    stage.calls[0]?.end();
    await stage.see('HALT');
    await stage.arm();
    stage.press(key);
    await stage.see('! aborted');
    expect(stage.commands).toHaveLength(0);
  });

  it('explains its keys in place, runs nothing from there, and returns to the question by any key', async () => {
    const stage = await halt('rm -rf build');
    await stage.arm();
    stage.press('\x1bOP');
    await stage.see(/p +proceed: runs it/);
    expect(stage.screen.ui.get().panel.kind).toBe('none');
    stage.answer('p');
    expect(stage.commands).toHaveLength(0);
    stage.press('\x1b');
    await stage.see(/┆ rm -rf build/);
    stage.press('?');
    await stage.see(/s +skip:/);
    stage.press('?');
    await stage.see(/┆ rm -rf build/);
    stage.answer('p');
    await stage.until(() => stage.commands.length === 1);
  });

  it.each([
    [40, 10],
    [80, 24],
    [120, 40],
    [200, 60],
  ])('is closed on all four sides at %i×%i', async (columns, rows) => {
    const { frame } = await halt('rm -rf build', { columns, rows });
    const lines = frame().split('\n');
    const upper = lines.findIndex((line) => line.startsWith('╭─'));
    const lower = lines.findIndex((line) => line.startsWith('╰─'));
    const width = Math.min(columns, 110);
    expect(lower - upper).toBeGreaterThan(3);
    for (const line of lines.slice(upper, lower + 1)) {
      expect([...line]).toHaveLength(width);
      expect(line).toMatch(/^[╭│├╰].*[╮│┤╯]$/);
    }
    if (rows < 12) expect(lower).toBe(rows - 1);
  });

  it('is aborted by Ctrl-X Ctrl-C even before it accepts answers, since that runs nothing', async () => {
    const stage = await halt('rm -rf build');
    stage.press('\x18\x03');
    await stage.see('! aborted');
    expect(stage.commands).toHaveLength(0);
  });

  it('runs nothing when the screen is closed', async () => {
    const stage = await halt('rm -rf build');
    await stage.arm();
    await stage.engine.close();
    stage.press('p');
    stage.clock.advance(1000);
    expect(stage.commands).toHaveLength(0);
    expect(stage.engine.state.questions).toHaveLength(1);
  });
});

describe('proceed', () => {
  const many = `rm -rf ${Array.from({ length: 60 }, (_, n) => `file-${n}`).join(' ')} the-last`;

  it('works only after every dangerous part has been on the screen', async () => {
    const stage = await halt(many, { columns: 40, rows: 10 });
    await stage.arm();
    await stage.see(/unlocks? p/);
    stage.answer('p');
    stage.press('\x1b[F');
    await stage.see('the-last');
    stage.answer('p');
    expect(stage.commands, 'a jump to the end shows nothing of what lies between').toHaveLength(0);
    stage.press('\x1b[H');
    await stage.see(/1 {2}rm -rf/);
    while (!stage.frame().includes('the-last')) {
      const seen = () => stage.screen.ui.get().question?.seen?.to ?? 0;
      const before = seen();
      stage.press('\x1b[B');
      await stage.until(() => seen() > before);
    }
    await stage.see(/· p proceeds/);
    stage.answer('p');
    await stage.until(() => stage.commands.length === 1);
  });

  it('is unavailable on a screen too small to show what would be lost', async () => {
    const stage = await halt(many, { columns: 40, rows: 5 });
    await stage.arm();
    await stage.see('too small: only s and a');
    expect(stage.frame()).not.toContain('(p)');
    expect(stage.frame()).not.toContain('proceed');
    for (let line = 0; line < 30; line += 1) stage.press('\x1b[B');
    stage.answer('p');
    stage.press('\t\t\t\r');
    expect(stage.commands).toHaveLength(0);
    expect(stage.engine.state.questions).toHaveLength(1);
    stage.answer('a');
    await stage.until(() => stage.engine.state.questions.length === 0);
  });

  it('can be replaced by a note to the model, with the key n', async () => {
    const stage = await halt('rm -rf logs');
    await stage.arm();
    stage.answer('n');
    await stage.see('Enter skips and tells the model this');
    // The command that the note is about stays visible.
    expect(stage.frame()).toContain('┆ rm -rf logs');
    await stage.until(stage.listens);
    stage.press('not today');
    await stage.see('› not today');
    stage.press('\r');
    await stage.see('you said: not today');
    expect(stage.commands).toHaveLength(0);
  });
});

describe('a question other than a HALT', () => {
  it('asks for consent in its own words', async () => {
    const stage = await setStage();
    stage.press('what is here\r');
    await stage.until(() => stage.calls.length === 1);
    stage.calls[0]?.say('CMD: ls');
    stage.calls[0]?.end();
    await stage.see('RUN THIS?');
    expect(stage.frame()).toContain('The model wants to run this.');
    expect(stage.frame()).not.toContain('HALT');
    await stage.arm();
    stage.answer('p');
    await stage.until(() => stage.commands.length === 1);
  });

  it('asks whether to continue after three skips, with only two answers', async () => {
    const stage = await setStage();
    stage.press(':norris tidy up\r');
    await stage.until(() => stage.calls.length === 1);
    stage.calls[0]?.say('CMD: rm a\nCMD: rm b\nCMD: rm c');
    stage.calls[0]?.end();
    for (const name of ['a', 'b', 'c']) {
      await stage.see(`┆ rm ${name} `);
      await stage.see('ready in a moment');
      await stage.arm();
      stage.answer('s');
    }
    await stage.see('3 actions in a row were skipped');
    expect(stage.frame()).not.toMatch(/[[(]s\)? skip/);
    await stage.arm();
    stage.answer('s');
    expect(stage.calls).toHaveLength(1);
    stage.answer('p');
    await stage.until(() => stage.calls.length === 2);
  });
});
