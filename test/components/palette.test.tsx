import { describe, expect, it } from 'vitest';
import { type Stage, setStage } from './stage.tsx';

const F2 = '\x1bOQ';

async function open(query = '', size: { columns?: number; rows?: number } = {}): Promise<Stage> {
  const stage = await setStage(size);
  stage.press(F2);
  await stage.see('everything: ▏');
  if (query !== '') stage.press(query);
  await stage.see(`everything: ${query}▏`);
  return stage;
}

const chosen = (stage: Stage) => {
  const { panel } = stage.screen.ui.get();
  return panel.kind === 'choices' ? (panel.items[panel.index]?.text ?? '') : '';
};

describe('the palette', () => {
  it('opens by its key, searches by a few letters, and closes by the same key', async () => {
    const stage = await open('undo');
    expect(chosen(stage)).toMatch(/^:undo/);
    stage.press(F2);
    await stage.until(() => stage.screen.ui.get().panel.kind === 'none');
    expect(stage.screen.ui.get().editor.text).toBe('');
  });

  it('lists matches of names before matches of descriptions', async () => {
    const stage = await open('mod');
    const { panel } = stage.screen.ui.get();
    const found = panel.kind === 'choices' ? panel.items.map(({ text }) => text) : [];
    expect(found.slice(0, 2).toSorted()).toEqual([':mode', ':model']);
    expect(found).toContain(':norris');
  });

  it('lists subcommands that need no more text, but no hidden variant of a listed command', async () => {
    const { screen } = await open('undo');
    const { panel } = screen.ui.get();
    const found = panel.kind === 'choices' ? panel.items.map(({ text }) => text) : [];
    expect(found).toEqual(expect.arrayContaining([':undo list', ':undo run']));
    expect(found.filter((text) => /yes|\d/.test(text))).toEqual([]);
  });

  it('runs a command that needs no more words', async () => {
    const stage = await open('theme light');
    expect(chosen(stage)).toBe(':theme light');
    stage.press('\r');
    await stage.see(/:theme light/);
    expect(stage.screen.ui.get().panel.kind).toBe('none');
  });

  it('puts a command that needs words into the prompt', async () => {
    const stage = await open(':norris');
    expect(chosen(stage)).toMatch(/^:norris/);
    stage.press('\r');
    await stage.see('> :norris');
    expect(stage.calls).toHaveLength(0);
  });

  it('runs the action of a key, and names the key', async () => {
    const stage = await open('scroll, search and copy');
    expect(stage.frame()).toContain('Alt-T');
    stage.press('\r');
    await stage.see('-- SCROLL --');
  });

  it('lists earlier commands, and goes to the chosen one', async () => {
    const stage = await setStage();
    stage.press('ls\r');
    await stage.until(() => stage.commands.length === 1);
    stage.commands[0]?.end();
    await stage.see('✓');
    stage.press(F2);
    await stage.see('everything: ▏');
    stage.press('ran ls');
    await stage.until(() => chosen(stage) === 'ls');
    stage.press('\r');
    await stage.see('-- SCROLL --');
    expect(stage.commands).toHaveLength(1);
  });

  it('does not open behind a question', async () => {
    const stage = await setStage();
    stage.press(':norris tidy up\r');
    await stage.until(() => stage.calls.length === 1);
    stage.calls[0]?.say('CMD: rm x');
    stage.calls[0]?.end();
    await stage.see('HALT');
    await stage.arm();
    stage.press(F2);
    expect(stage.screen.ui.get().panel.kind).toBe('none');
  });

  it('fits 40×10', async () => {
    const stage = await open('mode', { columns: 40, rows: 10 });
    const lines = stage.frame().split('\n');
    expect(lines).toHaveLength(10);
    for (const line of lines) expect([...line].length).toBeLessThanOrEqual(40);
  });
});

describe('/ on an empty prompt', () => {
  const listed = (stage: Stage) => stage.frame().includes('━━ commands ━');

  it('lists the commands; the next letter closes the list and the path runs undisturbed', async () => {
    const stage = await setStage();
    stage.press('/');
    await stage.see(/━━ commands ━[\s\S]*:allow[\s\S]*\[aish:fast\]> \//);
    stage.press('u');
    await stage.until(() => !listed(stage));
    stage.press('sr/bin/ls\r');
    await stage.see('? /usr/bin/ls');
  });

  it('runs the command that an arrow has selected, and leaves nothing typed', async () => {
    const stage = await setStage();
    stage.press('/');
    await stage.see('━━ commands ━');
    stage.press('\x1b[A');
    await stage.see(/❯ :\w+/);
    const chosen = /❯ (:\w+)/.exec(stage.frame())?.[1] ?? '';
    stage.press('\r');
    await stage.until(() => !listed(stage));
    expect(stage.frame()).not.toContain(`> ${chosen}/`);
    expect(stage.frame()).not.toContain('[aish:fast]> /');
  });

  it('stays typed when Esc closes the list, and Enter and Tab work as without the list', async () => {
    const stage = await setStage();
    stage.press('/');
    await stage.see('━━ commands ━');
    stage.press('\x1b');
    stage.clock.advance(1000);
    await stage.until(() => !listed(stage));
    await stage.see('[aish:fast]> /');
    stage.press('\x7f/\r');
    await stage.see(/^\? \/$/m);
    expect(listed(stage)).toBe(false);
  });

  it('is an ordinary character after other text', async () => {
    const stage = await setStage();
    stage.press('ls /');
    await stage.see('[aish:fast]> ls /');
    expect(listed(stage)).toBe(false);
  });
});

it('the list of sessions has columns for directory, branch and turns, and no Markdown markup', async () => {
  const stage = await setStage();
  const session = { startedAt: 0, lastAt: 0, bytes: 10, cwd: '/home/me/shop' };
  stage.screen.app.screen?.pickSession([
    { ...session, id: 'a', title: '## why does `make` **fail**?', branch: 'main', turns: 12 },
    { ...session, id: 'b', title: 'see [the page](https://x.example/y)', cwd: '/home/me', turns: 1 },
  ]);
  await stage.see(/why does make fail\? +\/home\/me\/shop +main +12 turns/);
  await stage.see(/see the page +\/home\/me +1 turn/);
});
