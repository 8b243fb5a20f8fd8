import { describe, it } from 'vitest';
import { setStage } from './stage.tsx';

async function goal(text: string) {
  const stage = await setStage();
  stage.press('\x0e');
  await stage.see('what is the goal?');
  await stage.until(stage.listens);
  stage.press(text);
  await stage.see(`› ${text}`);
  const holds = (wanted: string) =>
    stage.until(() => {
      // A field starts to listen a moment after it is drawn.
      stage.clock.advance(5);
      const { panel } = stage.screen.ui.get();
      return panel.kind === 'goal' && panel.text === wanted;
    });
  return { ...stage, holds };
}

describe('a field of a dialog', () => {
  it('has the editing keys of the prompt', async () => {
    const stage = await goal('tidy up the house');
    stage.press('\x17');
    await stage.holds('tidy up the ');
    stage.press('\x1b\x7f');
    await stage.holds('tidy up ');
    stage.press('\x19');
    await stage.holds('tidy up the house');
    stage.press('\x01\x1bd');
    await stage.holds(' up the house');
    stage.press('clean');
    await stage.holds('clean up the house');
    stage.press('\x1bf\x1bf\x0b');
    await stage.holds('clean up the');
    stage.press('\x15');
    await stage.holds('');
    stage.press('\x1f\x1f');
    await stage.holds('clean up the house');
  });

  it('moves over and deletes a whole character at a time, whatever its parts', async () => {
    const stage = await goal('a👩‍💻b');
    stage.press('\x1b[D\x7f');
    await stage.holds('ab');
    stage.press('c');
    await stage.holds('acb');
    stage.press('\x01\x1b[3~');
    await stage.holds('cb');
  });

  it('inserts in the middle, with the whole text visible', async () => {
    const stage = await goal('one two');
    stage.press('\x1bb');
    stage.press('big ');
    await stage.holds('one big two');
    await stage.see('› one big two');
  });

  it('forgets its cursor when it is closed', async () => {
    const stage = await goal('one');
    stage.press('\x01\x1b');
    await stage.until(() => !stage.frame().includes('what is the goal?'));
    stage.press('\x0e');
    await stage.see('what is the goal?');
    await stage.until(stage.listens);
    stage.press('ab');
    await stage.holds('ab');
  });
});
