import { describe, expect, it } from 'vitest';
import { setStage } from './stage.tsx';

describe('a command of the user', () => {
  it('streams, then becomes a frame with exit code, duration and directory', async () => {
    const stage = await setStage();
    stage.press('ls deep\r');
    await stage.until(() => stage.commands.length === 1);
    stage.commands[0]?.print(['one', 'two']);
    await stage.see('│ two');
    expect(stage.frame()).toContain('❯ ls deep');
    stage.commands[0]?.end({ exit: 2, cwd: '/elsewhere', milliseconds: 3400 });
    await stage.see(/✗ 2 · 3\.4 s[\s\S]*now in \/elsewhere/);
  });

  it('has a terminal as large as its pane, whatever the size was before', async () => {
    const stage = await setStage();
    await stage.until(() => stage.room().join() === '78,19');
    stage.screen.resize({ columns: 60, rows: 20 });
    await stage.until(() => stage.room().join() === '58,15');
  });

  it('gets the keyboard when it reads input, with a message, and one key takes it back', async () => {
    const stage = await setStage();
    stage.press('cat\r');
    await stage.until(() => stage.commands.length === 1);
    stage.commands[0]?.print(['name?'], 'name? ');
    await stage.see('keys go to the program');
    stage.press('bob\r\x1b[A');
    expect(stage.commands[0]?.written.join('')).toBe('bob\r\x1b[A');
    stage.press('\x1d');
    await stage.see('gives it the keyboard');
    stage.press('next');
    await stage.see('[aish:fast]> next');
    expect(stage.commands[0]?.written.join('')).toBe('bob\r\x1b[A');
  });

  it('gets the keyboard after a moment without asking, but not while the user types', async () => {
    const stage = await setStage();
    stage.press('sleep 9\r');
    await stage.until(() => stage.engine.state.shell.running !== undefined);
    stage.clock.advance(200);
    await stage.see('keys go to the program');
    stage.commands[0]?.end();
    await stage.see('✓');
    stage.press('sleep 9\r');
    await stage.until(() => stage.commands.length === 2);
    stage.press('x');
    stage.clock.advance(200);
    await stage.see('gives it the keyboard');
  });

  it('leaves room for messages while it runs, however much it prints', async () => {
    const stage = await setStage();
    stage.press('sleep 9\r');
    await stage.until(() => stage.commands.length === 1);
    stage.commands[0]?.print(Array.from({ length: 60 }, (_, n) => `printed ${n}`));
    await stage.see('printed 45');
    stage.clock.advance(200);
    await stage.see('keys go to the program');
    stage.press('\x1d');
    await stage.see('gives it the keyboard');
    stage.press('?what is it\r');
    await stage.until(() => stage.calls.length === 1);
    stage.calls[0]?.say('Forty-two.');
    stage.calls[0]?.end();
    await stage.see(/what is it[\s\S]*Forty-two\.[\s\S]*printed 59/);
  });

  it('is interrupted by Ctrl-C on an empty line', async () => {
    const stage = await setStage();
    stage.press('sleep 9\r');
    await stage.until(() => stage.engine.state.shell.running !== undefined);
    stage.press('\x03');
    await stage.see('✗ 130');
  });

  it('reports how many lines are not shown, and the file with the full text', async () => {
    const stage = await setStage();
    stage.press('cat big\r');
    await stage.until(() => stage.commands.length === 1);
    stage.commands[0]?.end({ head: 'first', tail: 'last', omittedLines: 1234, bytes: 56_000, file: '/tmp/full.txt' });
    await stage.see('⋯ 1,234 lines not shown, 56 kB in all');
    expect(stage.frame()).toContain('full text: /tmp/full.txt');
  });
});

describe('a reply', () => {
  it('is drawn as Markdown while it streams, and stays so when it has ended', async () => {
    const stage = await setStage();
    stage.press('tell me\r');
    await stage.until(() => stage.calls.length === 1);
    stage.calls[0]?.say('It is **very** simple:\n\n- one\n- tw');
    await stage.see('• tw');
    expect(stage.frame()).toContain('It is very simple');
    stage.calls[0]?.say('o');
    stage.calls[0]?.end();
    await stage.until(() => stage.engine.conversation.phase.kind === 'idle');
    await stage.see('• two');
  });

  it('hides its marker lines that request an action, such as CMD:', async () => {
    const stage = await setStage();
    stage.press('find them\r');
    await stage.until(() => stage.calls.length === 1);
    stage.calls[0]?.say("I look for both.\nCMD: find . -name '*.a' -o -name '*.b'");
    await stage.see('● I look for both.\n');
    expect(stage.frame()).not.toContain('CMD');
  });

  it('can’t move the cursor or hide text, whatever it contains', async () => {
    const stage = await setStage();
    stage.press('go on\r');
    await stage.until(() => stage.calls.length === 1);
    stage.calls[0]?.say('a\x1b[2Jb\x1b]0;title\x07c\rd\u202ee');
    await stage.see('abcd');
    expect(stage.raw()).not.toMatch(/\x1b\[2J|\x1b\]0|\u202e/);
  });

  it('redraws only the streaming pane for a token, not the transcript', async () => {
    const stage = await setStage();
    stage.press('tell me\r');
    await stage.until(() => stage.calls.length === 1);
    stage.calls[0]?.say('first');
    await stage.see('first');
    const before = stage.screen.view.version;
    stage.calls[0]?.say(' second');
    await stage.see('first second');
    expect(stage.screen.view.version).toBe(before);
  });
});

describe('the transcript', () => {
  async function long(rows = 12) {
    const stage = await setStage({ rows });
    for (let line = 0; line < 50; line += 1) stage.screen.warn(`notice ${line}.`);
    await stage.see('notice 49.');
    return stage;
  }

  it('scrolls by key and wheel, shows how much is below, and returns to the end', async () => {
    const stage = await long();
    stage.press('\x1b[5~');
    await stage.see(/↓ \d+ more below/);
    expect(stage.frame()).not.toContain('notice 49.');
    stage.press('\x1b[<64;1;1M');
    stage.press('\x1b[1;5F');
    await stage.see('notice 49.');
    expect(stage.frame()).not.toContain('more below');
  });

  it('stays where it is while new lines come, until the user is back at the end', async () => {
    const stage = await long();
    stage.press('\x1b[5~');
    await stage.see('more below');
    const before = stage.frame().split('\n').slice(0, 9).join('\n');
    stage.screen.warn('news');
    await stage.until(() => stage.engine.transcript.entries.length === 51);
    expect(stage.frame().split('\n').slice(0, 9).join('\n')).toBe(before);
  });

  it('mounts only what is visible', async () => {
    const stage = await setStage({ rows: 24 });
    for (let line = 0; line < 5000; line += 1) stage.screen.warn(`notice ${line}.`);
    await stage.see('notice 4999.');
    expect(stage.frame().split('\n')).toHaveLength(24);
  });

  it('draws nothing when nothing has changed', async () => {
    const stage = await long();
    const before = stage.frames.length;
    stage.clock.advance(5000);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(stage.frames.length).toBe(before);
  });
});

describe('the status bar', () => {
  it('shows mode, model, run and directory, and fits every width', async () => {
    const wide = await setStage({ columns: 100 });
    wide.press(':norris tidy up\r');
    await wide.see(/-- UNRESTRICTED --\s+fast\s+no sandbox\s+⚡ 1\/4\s+.*\/home\/me \(main\)/);
    // The current activity has a row of its own, with the key that stops it.
    await wide.see(/^⠋ connecting to fast · 0 s +Ctrl-C stops $|^. connecting to fast · 0 s +Ctrl-C stops *$/m);
    await wide.see(/^\[NORRIS\] tidy up +0 s *$/m);
    const narrow = await setStage({ columns: 40, rows: 10 });
    const last = narrow.frame().split('\n').at(-1) ?? '';
    expect(last).toContain('-- UNRESTRICTED --');
    expect(last.length).toBeLessThanOrEqual(40);
    // A hint replaces that text, and is cut so that the mode stays.
    narrow.screen.hint('some twenty letters');
    await narrow.see(/^ -- UNRESTRICTED -- {3}some twenty let…/m);
  });

  it('explains the current mode when the user chooses it again', async () => {
    const stage = await setStage();
    stage.press(':mode unrestricted\r');
    await stage.see('already unrestricted: the model can write');
  });
});
