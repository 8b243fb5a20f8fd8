/** The keyboard’s owner: how the pane shows it, and which program gets keys typed before that was known (EX-4). */
import { describe, expect, it } from 'vitest';
import { setStage } from './stage.tsx';

type Stage = Awaited<ReturnType<typeof setStage>>;

async function running(stage: Stage, line = 'sleep 5') {
  stage.press(`${line}\r`);
  await stage.until(() => stage.commands.length === 1);
  const [command] = stage.commands;
  if (!command) throw new Error('nothing runs');
  await stage.until(() => stage.screen.app.shell.running === command);
  return command;
}

describe('a program that asks', () => {
  it('for a password shows a lock, and where the keys go', async () => {
    const stage = await setStage();
    const command = await running(stage);
    command.ask('Password: ', { echoOff: true, asker: 'sudo' });
    await stage.see('typing is hidden: it goes to sudo');
    stage.press('hunter2\r');
    expect(command.written.join('')).toBe('hunter2\r');
    command.end();
    await stage.see('✓');
    expect(stage.frames.join('\n')).not.toContain('hunter2');
    expect(stage.history.join('\n')).not.toContain('hunter2');
  });

  it('gets keys and pasted blocks in the encoding it requested', async () => {
    const stage = await setStage();
    const command = await running(stage);
    command.keyboard = { disambiguates: true, applicationCursor: true, bracketsPastes: true };
    command.ask('>>> ');
    await stage.until(() => stage.screen.ui.get().keyboard === 'program');
    stage.press('\x1b[A\x1b[13;5u\x1b[200~a\nb\x1b[201~');
    expect(command.written.join('')).toBe('\x1bOA\x1b[13;5u\x1b[200~a\rb\x1b[201~');
  });

  it.each([
    [80, 'bash waits for your answer'],
    [40, 'bash asks'],
  ])('shows the key to answer, in %i columns, while the keyboard is elsewhere', async (columns, words) => {
    const stage = await setStage({ columns });
    const command = await running(stage);
    stage.clock.advance(200);
    stage.press('\x1d');
    command.ask('Go on? ', { asker: 'bash' });
    await stage.see(words);
    await stage.see('Ctrl-] answers');
    stage.press('\x1dy\r');
    expect(command.written.join('')).toBe('y\r');
  });

  it('gets the keyboard as soon as the prompt is empty', async () => {
    const stage = await setStage();
    const command = await running(stage);
    stage.press('draft');
    stage.press('\x01');
    command.ask('Password: ', { echoOff: true, asker: 'sudo' });
    await stage.see('sudo waits for something secret');
    expect(stage.screen.ui.get()).toMatchObject({ keyboard: 'prompt', editor: { text: 'draft' } });
    stage.press('\x0b');
    await stage.see('typing is hidden: it goes to sudo');
  });
});

describe('text typed directly after a shell line', () => {
  it('goes to the program if it asks: a password typed ahead is in no prompt, history or question', async () => {
    const stage = await setStage();
    const command = await running(stage);
    stage.press('hunter2\r');
    stage.clock.advance(200);
    expect(command.written).toEqual([]);
    command.ask('Password: ', { echoOff: true, asker: 'sudo' });
    expect(command.written.join('')).toBe('hunter2\r');
    command.end();
    await stage.see('✓');
    expect(stage.frames.join('\n')).not.toContain('hunter2');
    expect(stage.history).toEqual(['sleep 5']);
    expect(stage.calls).toEqual([]);
  });

  it('goes to the prompt if the command has ended by then', async () => {
    const stage = await setStage();
    const command = await running(stage, 'echo quick');
    stage.press('next');
    expect(stage.screen.ui.get().editor.text).toBe('');
    command.end();
    await stage.until(() => stage.screen.ui.get().editor.text === 'next');
    expect(command.written).toEqual([]);
  });

  it('goes to the program after a moment if it is a whole line, also when it is pasted', async () => {
    const stage = await setStage();
    const command = await running(stage);
    stage.press('one');
    stage.press('\x1b[200~ two\x1b[201~');
    stage.press('\r');
    stage.clock.advance(200);
    stage.clock.advance(500);
    expect(command.written.join('')).toBe('one two\r');
  });

  it('goes to the program after a moment, since the program may be slow to draw its question', async () => {
    const stage = await setStage();
    const command = await running(stage);
    stage.press('be');
    stage.clock.advance(200);
    expect(command.written).toEqual([]);
    stage.clock.advance(500);
    expect(command.written.join('')).toBe('be');
    expect(stage.screen.ui.get()).toMatchObject({ keyboard: 'program', editor: { text: '' } });
  });

  it('is dropped by Ctrl-C, which interrupts', async () => {
    const stage = await setStage();
    const command = await running(stage);
    stage.press('abc');
    stage.press('\x03');
    expect(command.interrupted).toBe(1);
    expect(command.written).toEqual([]);
    expect(stage.screen.ui.get().editor.text).toBe('');
  });

  it('goes to the prompt once a key other than a letter comes', async () => {
    const stage = await setStage();
    await running(stage);
    stage.press('ab');
    stage.press('\x01');
    expect(stage.screen.ui.get().editor).toMatchObject({ text: 'ab', cursor: 0 });
  });
});

describe('a job', () => {
  it('of the user comes to the foreground with the keyboard, and goes back by a key', async () => {
    const stage = await setStage();
    const job = stage.job('user', 'server');
    stage.press(':fg 1\r');
    await stage.see('keys go to the program');
    stage.press('x');
    expect(job.written.join('')).toBe('x');
    stage.press('\x18\x1a');
    await stage.until(() => !stage.frame().includes('keys go to the program'));
    expect(stage.screen.app.front.job).toBeUndefined();
    expect(stage.screen.ui.get().keyboard).toBe('prompt');
  });

  it('of the model is shown while the keys stay at the prompt until they are given to it', async () => {
    const stage = await setStage();
    const job = stage.job('model', 'npm test');
    job.print(['all is well']);
    stage.press(':fg\r');
    await stage.see('all is well');
    await stage.see('Ctrl-X Ctrl-Z sends it back');
    stage.press('?x');
    expect(job.written).toEqual([]);
    stage.press('\x1dy');
    expect(job.written.join('')).toBe('y');
    job.end();
    await stage.until(() => !stage.frame().includes('all is well'));
  });

  it('leaves the foreground for the user’s next command', async () => {
    const stage = await setStage();
    stage.job('model', 'npm test');
    stage.press(':fg 1\r');
    await stage.see('sends it back');
    await running(stage);
    await stage.until(() => stage.screen.app.front.job === undefined);
  });

  it('that does not exist or is unavailable leads to a message', async () => {
    const stage = await setStage();
    stage.press(':fg 7\r');
    await stage.see('no job 7');
    stage.press(':bg\r');
    await stage.see('no command of yours is running');
    stage.press('\x18\x1a');
    await stage.see(/-- .* no command of yours is running/);
    stage.press(':adopt\r');
    await stage.see('your shell is already there');
  });
});
