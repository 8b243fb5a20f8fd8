import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type FleetEffect,
  type FleetEvent,
  type FleetOptions,
  type FleetState,
  hasEnded,
  mayAsk,
  NO_FLEET,
  reduceFleet,
} from '../../../src/remote/fleet/controller.ts';

type Body = FleetEvent extends infer Event ? (Event extends { at: number } ? Omit<Event, 'at'> : never) : never;

const options: FleetOptions = { goal: 'update', hosts: ['a', 'b', 'c', 'd'], atOnce: 10, deadlineMs: 60_000 };

/** A fleet driven by the test; each event comes a millisecond after the one before. */
class Fleet {
  state: FleetState = NO_FLEET;
  now = 0;
  readonly events: FleetEvent[] = [];
  readonly effects: FleetEffect[] = [];

  constructor(more: Partial<FleetOptions> = {}) {
    this.send({ type: 'fleetOpened', ...options, ...more });
  }

  send(body: Body, after = 1): readonly FleetEffect[] {
    this.now += after;
    const event = { at: this.now, ...body } as FleetEvent;
    this.events.push(event);
    const [state, effects] = reduceFleet(this.state, event);
    this.state = state;
    this.effects.push(...effects);
    return effects;
  }

  halt(...hosts: string[]): void {
    for (const host of hosts) this.send({ type: 'hostHalted', host, question: `q-${host}` });
  }

  end(host: string, status: 'done' | 'blocked' = 'done') {
    return this.send({ type: 'hostEnded', host, status, reason: '' });
  }

  status(host: string): string {
    const phase = this.state.byName[host]?.phase;
    return phase?.kind === 'ended' ? phase.status : (phase?.kind ?? 'nobody');
  }
}

const names = (effects: readonly FleetEffect[], kind: FleetEffect['kind']) =>
  effects.filter((effect) => effect.kind === kind).map(({ host }) => host);

describe('a fleet', () => {
  it('has at most the given number of hosts at work, not counting those that wait for the user', () => {
    const fleet = new Fleet({ atOnce: 2 });
    expect(names(fleet.effects, 'start')).toEqual(['a', 'b']);
    expect(names(fleet.send({ type: 'hostHalted', host: 'a', question: 'q' }), 'start')).toEqual(['c']);
    expect(names(fleet.end('b'), 'start')).toEqual(['d']);
  });

  it('asks when no host is at work any more, or after ten seconds if one hangs', () => {
    const fleet = new Fleet();
    fleet.halt('a', 'b', 'c');
    expect(mayAsk(fleet.state, fleet.now + 9_000)).toBe(false);
    expect(mayAsk(fleet.state, fleet.now + 10_000)).toBe(true);
    fleet.halt('d');
    expect(mayAsk(fleet.state, fleet.now)).toBe(true);
  });

  it('starts only the canary host after a yes to all, and the other hosts when it has finished', () => {
    const fleet = new Fleet();
    fleet.halt('a', 'b', 'c', 'd');
    expect(fleet.send({ type: 'groupAnswered', hosts: ['b', 'c', 'd'], answer: 'proceed' })).toEqual([
      { kind: 'answer', host: 'b', question: 'q-b', answer: 'proceed' },
    ]);
    expect(['a', 'c'].map((host) => fleet.status(host))).toEqual(['halted', 'held']);
    expect(names(fleet.end('b'), 'answer')).toEqual(['c', 'd']);
  });

  it('stops after the canary’s failure: no further yes is sent', () => {
    const fleet = new Fleet({ canary: 'c' });
    fleet.halt('a', 'b', 'c', 'd');
    expect(
      names(fleet.send({ type: 'groupAnswered', hosts: ['a', 'b', 'c', 'd'], answer: 'proceed' }), 'answer'),
    ).toEqual(['c']);
    expect(names(fleet.end('c', 'blocked'), 'stop')).toEqual(['a', 'b', 'd']);
    expect(options.hosts.map((host) => fleet.status(host))).toEqual(['stopped', 'stopped', 'blocked', 'stopped']);
    expect(names(fleet.effects, 'answer')).toEqual(['c']);
    expect(hasEnded(fleet.state)).toBe(true);
  });

  it('marks a hanging host as unanswered after the deadline, which does not run while the user is asked', () => {
    const fleet = new Fleet();
    fleet.halt('a');
    fleet.send({ type: 'ticked' }, 59_000);
    expect(fleet.status('b')).toBe('running');
    expect(names(fleet.send({ type: 'ticked' }, 1_000), 'stop')).toEqual(['b', 'c', 'd']);
    expect(fleet.status('a')).toBe('halted');
    fleet.send({ type: 'groupAnswered', hosts: ['a'], answer: 'proceed' });
    expect(fleet.status('a')).toBe('running');
  });

  it('does not run again on finished hosts after a restart, and ignores earlier approvals', () => {
    const fleet = new Fleet();
    fleet.halt('b', 'c');
    fleet.end('a');
    fleet.send({ type: 'groupAnswered', hosts: ['b', 'c'], answer: 'proceed' });
    const effects = fleet.send({ type: 'fleetResumed' });
    expect(effects).toEqual([
      { kind: 'start', host: 'b' },
      { kind: 'start', host: 'c' },
      { kind: 'start', host: 'd' },
    ]);
  });
});

const host = fc.constantFrom(...options.hosts);
const hosts = fc.uniqueArray(host, { minLength: 1 });
const body = fc.oneof<fc.Arbitrary<Body>[]>(
  fc.record({ type: fc.constant('hostHalted' as const), host, question: fc.string() }),
  fc.record({ type: fc.constant('haltGone' as const), host }),
  fc.record({
    type: fc.constant('groupAnswered' as const),
    hosts,
    answer: fc.constantFrom('proceed' as const, 'skip' as const),
  }),
  fc.record({
    type: fc.constant('hostEnded' as const),
    host,
    status: fc.constantFrom('done' as const, 'failed' as const, 'lost' as const),
    reason: fc.constant(''),
  }),
  fc.record({ type: fc.constantFrom('ticked' as const, 'fleetResumed' as const) }),
);
const steps = fc.array(fc.tuple(body, fc.nat(30_000)), { maxLength: 60 });

describe('a fleet under any events in any order', () => {
  it('sends a yes only for a question answered with yes, once, and never before the canary passed', () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 4 }), fc.option(host, { nil: undefined }), (all, atOnce, canary) => {
        const fleet = new Fleet({ atOnce, ...(canary === undefined ? {} : { canary }) });
        const open = new Map<string, string>();
        for (const [each, after] of all) {
          const before = fleet.state;
          if (each.type === 'fleetResumed') open.clear();
          if (each.type === 'haltGone') open.delete(each.host);
          if (each.type === 'groupAnswered' && each.answer === 'proceed') {
            for (const name of each.hosts) {
              const phase = before.byName[name]?.phase;
              if (phase?.kind === 'halted') open.set(name, phase.question);
            }
          }
          for (const effect of fleet.send(each, after)) {
            const ended = before.byName[effect.host]?.phase.kind === 'ended';
            expect(ended).toBe(false);
            if (effect.kind !== 'answer' || effect.answer !== 'proceed') continue;
            expect(open.get(effect.host)).toBe(effect.question);
            open.delete(effect.host);
            expect(fleet.state.canaryPassed || effect.host === fleet.state.canary).toBe(true);
          }
          const working = options.hosts.filter((name) => fleet.state.byName[name]?.phase.kind === 'running');
          const asked = each.type === 'haltGone' || (each.type === 'groupAnswered' && each.answer !== 'proceed');
          if (!asked && before.hosts.filter((n) => before.byName[n]?.phase.kind === 'running').length <= atOnce)
            expect(working.length).toBeLessThanOrEqual(atOnce);
        }
      }),
    );
  });

  it('reaches the same state from the same events', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const fleet = new Fleet();
        for (const [each, after] of all) fleet.send(each, after);
        const again = fleet.events.reduce((state, event) => reduceFleet(state, event)[0], NO_FLEET);
        expect(again).toEqual(fleet.state);
      }),
    );
  });
});
