/** Decides which questions of several hosts are the same question. */
import type { HaltFacts, HaltGroup, Spread, TargetFacts } from '../../contracts/fleet.ts';
import { sha256 } from '../../text/digest.ts';

/** Increase it when the compared facts change. */
const VERSION = 1;
/** A host with this multiple of its group's median is asked about separately. */
const OUTLIER_TIMES = 10;
const MUCH_BYTES = 1_000_000_000;

/**
 * Returns equal keys for two hosts exactly if an answer for one also answers the other. Counts, sizes and times are
 * excluded, because they always differ. A path that could not be examined equals nothing, not even another host's
 * failure.
 */
export function haltKey(facts: HaltFacts): string {
  const { kind, command, cwd, mode, sandbox, root, findings, opinion, secrets, targets } = facts;
  const seen = targets?.map(({ label, path, type, link, mount, git, undoable }) => {
    return [label, path, type, link ?? null, mount, git, undoable];
  });
  const rules = findings.map(({ rule, part }) => [rule, ...part]);
  const same = [VERSION, kind, command, cwd, mode, sandbox, root, rules, opinion, [...secrets].sort()];
  return sha256(JSON.stringify([...same, seen ?? ['not looked at', facts.host]]));
}

/** Groups the questions of several hosts, the largest group first. Every host is in exactly one group. */
export function groupHalts(all: readonly HaltFacts[]): readonly HaltGroup[] {
  const byKey = Map.groupBy(all, haltKey);
  const groups = [...byKey.values()].flatMap(withoutOutliers).sort((a, b) => b.hosts.length - a.hosts.length);
  return groups.map((group) => ({ ...group, differences: groups[0] ? differencesOf(group, groups[0]) : [] }));
}

type Group = Omit<HaltGroup, 'differences'>;

function withoutOutliers(same: readonly HaltFacts[]): readonly Group[] {
  const much = same.filter((facts) => sizeOf(facts).bytes > MUCH_BYTES);
  const rest = same.filter((facts) => !much.includes(facts));
  const files = spreadOf(rest.map((facts) => sizeOf(facts).files)).median;
  const bytes = spreadOf(rest.map((facts) => sizeOf(facts).bytes)).median;
  const isOutlier = (facts: HaltFacts): boolean => {
    const size = sizeOf(facts);
    return size.more || isFar(size.files, files) || isFar(size.bytes, bytes);
  };
  const usual = rest.filter((facts) => !isOutlier(facts));
  return [
    ...(usual.length > 0 ? [groupOf(usual)] : []),
    ...(much.length > 0 ? [groupOf(much, 'more than 1 GB')] : []),
    ...rest.filter(isOutlier).map((facts) => groupOf([facts], 'far more than the others')),
  ];
}

function isFar(value: number, median: number): boolean {
  return value > OUTLIER_TIMES * Math.max(median, 1);
}

function groupOf(same: readonly HaltFacts[], apart?: string): Group {
  const [facts] = same;
  if (!facts) throw new Error('a group has a host');
  const hosts = same.map(({ host }) => host).sort();
  const looked = [...same].sort((a, b) => (a.host < b.host ? -1 : 1)).map((each) => [each.host, each.targets ?? null]);
  const why = facts.targets === undefined ? 'could not be looked at' : apart;
  return {
    digest: sha256(JSON.stringify([haltKey(facts), looked])),
    hosts,
    facts,
    files: spreadOf(same.map((each) => sizeOf(each).files)),
    bytes: spreadOf(same.map((each) => sizeOf(each).bytes)),
    ...(why === undefined ? {} : { apart: why }),
  };
}

function sizeOf({ targets = [] }: HaltFacts): Pick<TargetFacts, 'files' | 'bytes' | 'more'> {
  return {
    files: targets.reduce((sum, { files }) => sum + files, 0),
    bytes: targets.reduce((sum, { bytes }) => sum + bytes, 0),
    more: targets.some(({ more }) => more),
  };
}

/** The lower median, so that outliers are noticed sooner. */
function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const median = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
  return { min: sorted[0] ?? 0, median, max: sorted.at(-1) ?? 0 };
}

function differencesOf(group: Group, first: Group): readonly string[] {
  if (group === first) return [];
  const [a, b] = [first.facts, group.facts];
  const facts = FACTS.flatMap(([differs, text]) => (differs(a, b) ? [text(b)] : []));
  const targets = (b.targets ?? []).flatMap((target, at) => {
    const other = a.targets?.[at];
    const found = TARGETS.find(([differs]) => other === undefined || differs(other, target));
    return found ? [found[1](target)] : [];
  });
  const words = [...facts, ...targets, ...(group.apart === undefined ? [] : [group.apart])];
  return words.length === 0 ? ['judged otherwise'] : words;
}

type Difference<Facts> = readonly [differs: (one: Facts, other: Facts) => boolean, text: (facts: Facts) => string];

const FACTS: readonly Difference<HaltFacts>[] = [
  [(a, b) => a.command !== b.command, () => 'another command'],
  [(a, b) => a.cwd !== b.cwd, ({ cwd }) => `in ${cwd}`],
  [(a, b) => a.mode !== b.mode, ({ mode }) => `mode ${mode}`],
  [(a, b) => a.sandbox !== b.sandbox, ({ sandbox }) => `${sandbox ? 'with' : 'without'} a kernel sandbox`],
  [(a, b) => a.root !== b.root, ({ root }) => (root ? 'as root' : 'not as root')],
];

/** Finds for each target the first difference that applies. */
const TARGETS: readonly Difference<TargetFacts>[] = [
  [(a, b) => b.type === 'missing' && a.type !== b.type, ({ label }) => `${label}: nothing there`],
  [
    (a, b) => a.type !== b.type || a.link !== b.link,
    ({ label, type, link }) => `${label}: a ${type}${link === undefined ? '' : ` to ${link}`}`,
  ],
  [(a, b) => a.path !== b.path, ({ label, path }) => `${label} is ${path}`],
  [(a, b) => a.mount !== b.mount, ({ label, mount }) => `${label} lies on ${mount}`],
  [(a, b) => a.git !== b.git, ({ label, git }) => `${label}: git ${git}`],
  [
    (a, b) => a.undoable !== b.undoable,
    ({ label, undoable }) => `${label}: ${undoable ? 'can' : 'can’t'} be taken back`,
  ],
];
