import { expect, it, vi } from 'vitest';
import { startArming } from '../../../src/ui/screen/halt/dialog.ts';
import { createFences } from '../../../src/ui/terminal/terminal.ts';
import { fakeClock } from '../../support/clock.ts';

function question() {
  const clock = fakeClock();
  const fences = createFences(() => {}, clock.schedule);
  const armed = vi.fn();
  const arming = startArming(fences.ask, clock.schedule, armed);
  const advance = async (milliseconds: number) => {
    clock.advance(milliseconds);
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  };
  return { clock, fences, armed, arming, advance };
}

it('a question accepts answers when its frame is drawn and no key came for half a second', async () => {
  const { fences, armed, advance } = question();
  await advance(499);
  fences.answered();
  await advance(0);
  expect(armed).not.toHaveBeenCalled();
  await advance(1);
  expect(armed).toHaveBeenCalledOnce();
});

it('a question waits again after every key', async () => {
  const { fences, armed, arming, advance } = question();
  fences.answered();
  for (let key = 0; key < 7; key++) {
    await advance(400);
    arming.disturbed();
  }
  expect(armed).not.toHaveBeenCalled();
  await advance(500);
  expect(armed).toHaveBeenLastCalledWith(true);
});

it('a question accepts answers after three seconds even if keys keep coming, and reports when they have stopped', async () => {
  const { fences, armed, arming, advance } = question();
  fences.answered();
  for (let key = 0; key < 20; key++) {
    await advance(400);
    arming.disturbed();
  }
  expect(armed.mock.calls).toEqual([[false]]);
  await advance(500);
  expect(armed.mock.calls).toEqual([[false], [true]]);
});

it('a question accepts answers after its time limit when the terminal answers nothing, and never after it is cancelled', async () => {
  const mute = question();
  await mute.advance(500);
  expect(mute.armed).toHaveBeenCalledOnce();
  const gone = question();
  gone.arming.cancel();
  await gone.advance(5000);
  expect(gone.armed).not.toHaveBeenCalled();
});

it('a late reply of the terminal does not count for a newer question', async () => {
  const clock = fakeClock();
  const fences = createFences(() => {}, clock.schedule);
  const first = fences.ask(100);
  clock.advance(100);
  expect(await first).toBe(false);
  let second: boolean | undefined;
  void fences.ask(100).then((value) => {
    second = value;
  });
  fences.answered();
  await Promise.resolve();
  expect(second).toBeUndefined();
  fences.answered();
  await vi.waitFor(() => expect(second).toBe(true));
});
