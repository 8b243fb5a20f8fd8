import { expect, it } from 'vitest';
import { setStage } from './stage.tsx';

it('the status bar warns permanently without a kernel sandbox, and not with one', async () => {
  const without = await setStage();
  await without.see(/fast +no sandbox/);
  const sandboxed = await setStage({ settings: { sandbox: true } });
  await sandboxed.see(/fast/);
  expect(sandboxed.frame()).not.toContain('no sandbox');
});
