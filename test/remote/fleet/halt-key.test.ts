import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HaltFacts, TargetFacts } from '../../../src/contracts/fleet.ts';
import { groupHalts, haltKey } from '../../../src/remote/fleet/halt-key.ts';

const target: TargetFacts = {
  label: 'build',
  path: '/srv/build',
  type: 'directory',
  mount: '/',
  git: 'none',
  undoable: false,
  files: 12,
  bytes: 4000,
  more: false,
};

const halt: HaltFacts = {
  host: 'web1',
  kind: 'command',
  command: 'rm -rf build',
  cwd: '/srv',
  mode: 'unrestricted',
  sandbox: false,
  root: false,
  findings: [{ rule: 'rm -r', verb: 'deletes', part: [0, 12] }],
  opinion: 'static: deletes recursively',
  secrets: [],
  targets: [target],
};

const on = (host: string, more: Partial<TargetFacts> = {}): HaltFacts => ({
  ...halt,
  host,
  targets: [{ ...target, ...more }],
});

describe('twenty hosts that halt at the same command', () => {
  it('raise three questions: 18 with a directory, one with a link, one with nothing there', () => {
    const hosts = Array.from({ length: 18 }, (_, n) => on(`web${n}`, { files: 10 + n, bytes: 1000 * (10 + n) }));
    const groups = groupHalts([
      on('odd1', { type: 'link', link: '/mnt/shared' }),
      ...hosts,
      on('odd2', { type: 'missing', files: 0, bytes: 0 }),
    ]);
    expect(groups.map((group) => group.hosts.length)).toEqual([18, 1, 1]);
    const [first, ...others] = groups;
    expect(first?.files).toEqual({ min: 10, median: 18, max: 27 });
    expect(others.map((group) => group.differences)).toEqual([
      ['build: a link to /mnt/shared'],
      ['build: nothing there'],
    ]);
  });

  it('raise one question each when their targets could not be inspected', () => {
    const groups = groupHalts([
      on('a'),
      { ...halt, host: 'b', targets: undefined },
      { ...halt, host: 'c', targets: undefined },
    ]);
    expect(groups.map((group) => group.hosts)).toEqual([['a'], ['b'], ['c']]);
    expect(groups[1]?.apart).toBe('could not be looked at');
  });

  it('are asked about separately if they would lose far more files than the others, or over a gigabyte', () => {
    const groups = groupHalts([
      on('a'),
      on('b'),
      on('c', { files: 121 }),
      on('d', { bytes: 2e9 }),
      on('e', { more: true }),
    ]);
    expect(groups.map((group) => [group.hosts, group.apart])).toEqual([
      [['a', 'b'], undefined],
      [['d'], 'more than 1 GB'],
      [['c'], 'far more than the others'],
      [['e'], 'far more than the others'],
    ]);
  });
});

const text = fc.string({ maxLength: 12, unit: 'binary' });
const targets = fc.record<TargetFacts>({
  label: text,
  path: text,
  type: fc.constantFrom('file', 'directory', 'link', 'other', 'missing'),
  link: text,
  mount: text,
  git: fc.constantFrom('none', 'inside', 'unknown'),
  undoable: fc.boolean(),
  files: fc.nat(),
  bytes: fc.nat(),
  more: fc.boolean(),
});
const halts = fc.record<HaltFacts>({
  host: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
  kind: text,
  command: text,
  cwd: text,
  mode: text,
  sandbox: fc.boolean(),
  root: fc.boolean(),
  findings: fc.array(fc.record({ rule: text, verb: text, part: fc.tuple(fc.nat(9), fc.nat(9)) }), { maxLength: 2 }),
  opinion: text,
  secrets: fc.uniqueArray(text, { maxLength: 2 }),
  targets: fc.option(fc.array(targets, { minLength: 1, maxLength: 2 }), { nil: undefined }),
});

describe('the key of a HALT', () => {
  it('differs for any difference that the user has to know of', () => {
    const named = ['kind', 'command', 'cwd', 'mode', 'sandbox', 'root', 'findings', 'opinion', 'secrets'] as const;
    fc.assert(
      fc.property(halts, halts, fc.constantFrom(...named), (one, other, name) => {
        const changed = { ...one, [name]: other[name] };
        const differs = JSON.stringify(one[name]) !== JSON.stringify(changed[name]);
        // The order of secrets does not matter.
        const known = name !== 'secrets' || [...one.secrets].sort().join('\0') !== [...other.secrets].sort().join('\0');
        fc.pre(differs && known);
        expect(haltKey(changed)).not.toBe(haltKey(one));
      }),
    );
    const ofTarget = ['label', 'path', 'type', 'link', 'mount', 'git', 'undoable'] as const;
    fc.assert(
      fc.property(halts, targets, targets, fc.constantFrom(...ofTarget), (any, one, other, name) => {
        fc.pre(one[name] !== other[name]);
        const before = { ...any, targets: [one] };
        expect(haltKey({ ...before, targets: [{ ...one, [name]: other[name] }] })).not.toBe(haltKey(before));
      }),
    );
  });

  it('is the same on every host and for every size', () => {
    fc.assert(
      fc.property(halts, targets, fc.nat(), fc.nat(), fc.boolean(), (any, one, files, bytes, more) => {
        const before = { ...any, targets: [one] };
        expect(haltKey({ ...before, host: 'other', targets: [{ ...one, files, bytes, more }] })).toBe(haltKey(before));
      }),
    );
  });

  it('never groups uninspected hosts with others, and puts every host in exactly one group', () => {
    fc.assert(
      fc.property(fc.uniqueArray(halts, { selector: ({ host }) => host }), (all) => {
        const groups = groupHalts(all);
        expect(groups.flatMap(({ hosts }) => hosts).sort()).toEqual(all.map(({ host }) => host).sort());
        for (const { hosts, facts } of groups) if (facts.targets === undefined) expect(hosts).toHaveLength(1);
        expect(new Set(groups.map(({ digest }) => digest)).size).toBe(groups.length);
      }),
    );
  });

  it('binds an answer to the report of each host, sizes included', () => {
    const [before] = groupHalts([on('a'), on('b')]);
    const [after] = groupHalts([on('a'), on('b', { bytes: 4001 })]);
    const [more] = groupHalts([on('a'), on('b'), on('c')]);
    expect(new Set([before?.digest, after?.digest, more?.digest]).size).toBe(3);
  });
});
