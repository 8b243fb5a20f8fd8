import { describe, expect, it } from 'vitest';
import type { CountedCall } from '../../src/session/cost.ts';
import { setStage } from './stage.tsx';

const call: CountedCall = {
  preset: 'cloud',
  model: 'big',
  category: 'chat',
  promptTokens: 100,
  completionTokens: 10,
  dollars: 0.03,
  local: false,
};

describe('the cost on screen', () => {
  it('is hidden while nothing was spent, then is in the status bar', async () => {
    const stage = await setStage();
    void stage.engine.dispatch({ type: 'callCounted', call: { ...call, dollars: 0, local: true } });
    await stage.see(/-- UNRESTRICTED -- +fast/);
    expect(stage.frame()).not.toContain('$');
    void stage.engine.dispatch({ type: 'callCounted', call });
    await stage.see('$0.03');
  });

  it.each([
    [80, 24],
    [40, 10],
  ])('at its limit asks with two answers and the focus on no, at %d×%d', async (columns, rows) => {
    const stage = await setStage({ columns, rows });
    stage.press('what is here\r');
    await stage.until(() => stage.calls.length === 1);
    const { phase } = stage.engine.conversation;
    if (phase.kind !== 'replying') throw new Error(phase.kind);
    const { op } = phase;
    void stage.engine.dispatch({ type: 'spendReached', op, preset: 'fast', spent: 0.03, limit: 0.01, allowance: 0.01 });
    await stage.see('SPEND MORE?');
    expect(stage.frame()).toMatch(/\$0\.03 of \$0\.01 spent; fast costs/);
    expect(stage.frame()).toMatch(/y\W+approve\W+n\W+deny/);
    await stage.arm();
    stage.press('\r');
    await stage.see('you allowed no more spending');
    expect(stage.engine.conversation.phase.kind).toBe('idle');
  });
});
