import { expect, it } from 'vitest';
import { setStage } from './stage.tsx';

it('the status bar keeps saying that no kernel sandbox protects, and nothing where one does', async () => {
  const without = await setStage();
  await without.see(/fast +no sandbox/);
  const sandboxed = await setStage({ settings: { sandbox: true } });
  await sandboxed.see(/fast/);
  expect(sandboxed.frame()).not.toContain('no sandbox');
});
