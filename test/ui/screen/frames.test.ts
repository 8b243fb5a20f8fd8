import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { EventBody } from '../../../src/session/event.ts';
import { engineChanges } from '../../../src/ui/screen/frames.ts';
import { deadly, harmless, Machine } from '../../support/machine.ts';

/** Returns a value with subscribers. */
function source() {
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  const tell = () => {
    for (const listener of listeners) listener();
  };
  return { listeners, subscribe, tell };
}

/** Returns an engine whose changes are drawn; it counts the drawings and records the phase of the last one. */
function drawn() {
  const machine = new Machine();
  const [engine, user] = [source(), source()];
  const subscribe = engineChanges(() => ({ state: machine.state, subscribe: engine.subscribe }), user.subscribe);
  const seen = { times: 0, phase: '' };
  const stop = subscribe(() => {
    seen.times += 1;
    seen.phase = machine.phase.kind;
  });
  const does = (change: () => void) => {
    change();
    engine.tell();
  };
  return { machine, engine, user, seen, stop, does, send: (body: EventBody) => does(() => void machine.send(body)) };
}

/** Runs everything due in this turn of the event loop, and no timer. */
const turn = () => vi.advanceTimersByTime(0);
const frame = () => vi.advanceTimersByTime(40);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('changes of the engine', () => {
  it('are drawn once a turn, and nothing is drawn while nothing changes', () => {
    const { seen, engine } = drawn();
    engine.tell();
    engine.tell();
    expect(seen.times).toBe(0);
    turn();
    expect(seen.times).toBe(1);
    frame();
    expect(seen.times).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('in a step of the model are drawn in one frame, which no request waits for', () => {
    const { machine, seen, send, does } = drawn();
    send({ type: 'norrisStarted', goal: 'tidy up' });
    turn();
    expect(seen).toEqual({ times: 1, phase: 'replying' });
    for (const step of [1, 2, 3]) {
      for (const change of [
        () => machine.says('', { id: `c${step}`, name: 'bash', arguments: '{"command":"ls"}' }),
        () => machine.judges(harmless),
        () => machine.runs('a file'),
      ]) {
        does(change);
        turn();
      }
      expect(machine.phase.kind).toBe('replying');
    }
    expect(seen.times).toBe(1);
    frame();
    expect(seen.times).toBe(2);
  });

  it('that ask the user are drawn at once, with everything before', () => {
    const { machine, seen, send, does } = drawn();
    send({ type: 'norrisStarted', goal: 'tidy up' });
    turn();
    does(() => machine.says('', { id: 'c1', name: 'bash', arguments: '{"command":"rm -r x"}' }));
    turn();
    expect(seen.times).toBe(1);
    does(() => machine.judges(deadly));
    turn();
    expect(seen).toEqual({ times: 2, phase: 'halted' });
    frame();
    expect(seen.times).toBe(2);
  });

  it('are drawn at once after an action of the user, and at the end of the work', () => {
    const { machine, user, seen, send, does } = drawn();
    send({ type: 'norrisStarted', goal: 'tidy up' });
    turn();
    user.tell();
    send({ type: 'modeChosen', mode: 'restricted' });
    turn();
    expect(seen.times).toBe(2);
    send({ type: 'shellMoved', cwd: '/srv' });
    user.tell();
    turn();
    expect(seen.times).toBe(3);
    does(() => machine.says('GOAL: complete'));
    turn();
    expect(seen).toEqual({ times: 4, phase: 'idle' });
  });

  it('are not drawn after the screen unsubscribed', () => {
    const { engine, user, seen, send, stop } = drawn();
    send({ type: 'norrisStarted', goal: 'tidy up' });
    turn();
    send({ type: 'shellMoved', cwd: '/srv' });
    stop();
    frame();
    expect(seen.times).toBe(1);
    expect([engine.listeners.size, user.listeners.size, vi.getTimerCount()]).toEqual([0, 0, 0]);
  });
});
