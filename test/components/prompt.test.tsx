import { describe, expect, it } from 'vitest';
import { setStage } from './stage.tsx';

describe('the prompt', () => {
  it('shows at the start the directory, what can be typed, and which model answers', async () => {
    const { frame } = await setStage();
    expect(frame()).toContain('/home/me');
    expect(frame()).toMatch(/❯ git status +runs in your shell\n +\? why did that fail +asks the model/);
    expect(frame()).toMatch(/destructive commands ask\s+first/);
    expect(frame()).toContain('fast (tiny)');
    expect(frame()).toContain('[aish:fast]>');
  });

  it('shows where a line will go, and one key sends it the other way', async () => {
    const { press, see, commands, until } = await setStage();
    press('ls -la');
    await see(/ls -la\s+shell · Alt-S: ask/);
    press('\x1bs');
    await see(/ls -la\s+ask · Alt-S: shell/);
    press('\x1bs');
    await see(/ls -la\s+shell/);
    press('\r');
    await until(() => commands.length === 1);
  });

  it('shows after a colon how to list the commands', async () => {
    const { press, see } = await setStage();
    press(':');
    await see(/: +command · Tab: all of them/);
    press('c');
    await see(/:c\S* +command$/m);
  });

  it('keeps the screen exactly as high as the terminal while the text grows', async () => {
    const stage = await setStage({ columns: 40, rows: 10 });
    for (let line = 0; line < 12; line += 1) stage.press(`line ${line}\x1b\r`);
    await stage.see('line 11');
    expect(stage.frame().split('\n')).toHaveLength(10);
    expect(stage.frame()).not.toContain('line 2');
  });

  it('makes the line a goal with Ctrl-N, and asks for one when the line is empty', async () => {
    const stage = await setStage();
    stage.press('tidy up\x0e');
    await stage.see('⚡ goal');
    stage.press('\r');
    await stage.see(/step 1 of 4|1\/4/);
    expect(stage.engine.conversation.lastGoal).toBe('tidy up');
    await stage.until(() => stage.calls.length === 1);
    stage.calls[0]?.say('GOAL: complete');
    stage.calls[0]?.end();
    await stage.see('✓ done');
    stage.press('\x0e');
    await stage.see('what is the goal?');
    await stage.until(stage.listens);
    stage.press('\r');
    await stage.until(() => stage.engine.conversation.phase.kind === 'replying');
    expect(stage.frame().match(/fast · at most/g)).toHaveLength(2);
    await stage.until(() => stage.calls.length === 2);
    stage.calls[1]?.say('GOAL: complete');
    stage.calls[1]?.end();
    await stage.until(() => stage.engine.conversation.phase.kind === 'idle');
    // The last goal is a hint in the empty field, not text to which typing is appended.
    stage.press('\x0e');
    await stage.see('what is the goal?');
    await stage.until(stage.listens);
    stage.press('count files\r');
    await stage.until(() => stage.engine.conversation.lastGoal === 'count files');
  });

  it('asks before Ctrl-N ends a run, with the focus on continuing', async () => {
    const stage = await setStage();
    stage.press(':norris tidy up\r');
    await stage.see(/step 1 of 4|1\/4/);
    stage.press('\x0e');
    await stage.see('End what is running?');
    stage.press('\r');
    expect(stage.engine.conversation.phase.kind).toBe('replying');
    stage.press('\x0e');
    await stage.see('End what is running?');
    stage.press('y');
    await stage.see('! aborted');
  });

  it('shows a queued line as queued, and Esc takes it back', async () => {
    const stage = await setStage();
    stage.press('why is the sky blue\r');
    await stage.until(() => stage.calls.length === 1);
    stage.press('and the sea\r');
    await stage.see('joins at the next step');
    stage.press('\x1b');
    await stage.see('[aish:fast]> and the sea');
    expect(stage.frame()).not.toContain('joins at the next step');
  });

  it('keeps the ? of a question that reads like a command when the user takes it back', async () => {
    const stage = await setStage();
    stage.press('why is the sky blue\r');
    await stage.until(() => stage.calls.length === 1);
    stage.press('?ls -la\r');
    await stage.see('joins at the next step');
    stage.press('\x1b');
    await stage.see('[aish:fast]> ?ls -la');
  });

  it('clears the line with Ctrl-C, then says how to leave; Ctrl-D leaves', async () => {
    const stage = await setStage();
    stage.press('something\x03');
    await stage.until(() => !stage.frame().includes('something'));
    stage.press('\x03');
    await stage.see('Ctrl-D leaves');
    stage.press('\x04');
    expect(stage.quits()).toBe(1);
  });

  it('steps through the history and searches it', async () => {
    const stage = await setStage();
    stage.press('echo one\r');
    stage.press('echo two\r');
    stage.press('\x1b[A');
    await stage.see('[aish:fast]> echo two');
    stage.press('\x1b[A');
    await stage.see('[aish:fast]> echo one');
    stage.press('\x15\x12');
    await stage.see('history:');
    stage.press('two');
    await stage.see('1 of 1');
    stage.press('\r');
    await stage.see('[aish:fast]> echo two');
  });

  it('completes the common part, then lists the choices', async () => {
    const stage = await setStage();
    stage.press('al\t');
    await stage.see('completions');
    await stage.see('[aish:fast]> alp');
    stage.press('\x1b[B\r');
    await stage.see('[aish:fast]> alpine');
  });

  it('shows a started key sequence, and after a moment the keys that may follow, each only once', async () => {
    const stage = await setStage();
    stage.press('\x18');
    await stage.see('Ctrl-X –');
    stage.clock.advance(300);
    await stage.see(/Ctrl-C +abort the run/);
    expect(stage.frame().match(/Ctrl-X –/g)).toHaveLength(1);
    expect(stage.frame().match(/abort the run/g)).toHaveLength(1);
    stage.press('\x07');
    await stage.until(() => !stage.frame().includes('Ctrl-X –'));
  });

  it('lists every active key by where it works', async () => {
    const stage = await setStage({ rows: 80 });
    stage.press('\x1bOP');
    await stage.see('Everywhere');
    expect(stage.frame()).toContain('Ctrl-X Ctrl-C');
    expect(stage.frame()).toContain(':norris');
    stage.press('\x1b');
    await stage.until(() => !stage.frame().includes('Everywhere'));
  });
});
