import { expect, it } from 'vitest';
import { setStage } from './stage.tsx';

it('the status bar warns permanently without a kernel sandbox, and not with one', async () => {
  const without = await setStage();
  await without.see(/fast +no sandbox/);
  const sandboxed = await setStage({ settings: { sandbox: true } });
  await sandboxed.see(/fast/);
  expect(sandboxed.frame()).not.toContain('no sandbox');
});

it('a long hint is cut, but never the mode beside it', async () => {
  const stage = await setStage({ columns: 40 });
  stage.screen.hint('a hint that is much longer than the whole row of this narrow screen');
  await stage.see(/^ -- UNRESTRICTED -- +a hint that is …/m);
});
