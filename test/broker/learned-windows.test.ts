import { describe, expect, it } from 'vitest';
import { LearnedWindows } from '../../src/broker/tokens/meter.ts';

describe('a context window learned from an error', () => {
  it('is the number that the server names, even far below the user’s setting', () => {
    const windows = new LearnedWindows(() => 0);
    windows.named('fast', 4096);
    expect(windows.get('fast')).toBe(4096);
    windows.named('fast', 3);
    expect(windows.get('fast')).toBe(1024);
  });

  it('is at least half of the configured one when it is a guess', () => {
    const windows = new LearnedWindows(() => 0);
    windows.guessed('fast', 720, 32_768);
    expect(windows.get('fast')).toBe(16_384);
    windows.guessed('slow', 720, undefined);
    expect(windows.get('slow')).toBe(2048);
  });

  it('only shrinks, and is forgotten on request or after half an hour', () => {
    let now = 0;
    const windows = new LearnedWindows(() => now);
    windows.named('fast', 4096);
    windows.named('fast', 8192);
    expect(windows.get('fast')).toBe(4096);
    windows.forget('fast');
    expect(windows.get('fast')).toBeUndefined();
    windows.named('fast', 4096);
    now += 29 * 60_000;
    expect(windows.get('fast')).toBe(4096);
    now += 2 * 60_000;
    expect(windows.get('fast')).toBeUndefined();
    windows.named('fast', 8192);
    expect(windows.get('fast')).toBe(8192);
  });
});
