/** Formats a fleet's result: a row for each host, and how the outputs differ. */
import type { FleetRow, HaltGroup } from '../contracts/fleet.ts';
import type { FleetAsked } from '../session/question.ts';
import { textWidth } from '../text/display.ts';
import { visible } from '../text/sanitize.ts';
import { bytesText } from '../text/spelled.ts';

const MAX_LINE_CHARS = 100;
const MAX_NAMES = 8;

/** Gives equal outputs the same letter; the most frequent one is A. */
export function outputClasses(rows: readonly FleetRow[]): ReadonlyMap<string, string> {
  const told = rows.filter(({ commands }) => commands.length > 0);
  const same = [...Map.groupBy(told, ({ output }) => output.trimEnd()).values()];
  const sorted = same.sort((a, b) => b.length - a.length);
  return new Map(sorted.flatMap((hosts, at) => hosts.map(({ host }) => [host, letterOf(at)] as const)));
}

function letterOf(at: number): string {
  const letter = String.fromCharCode(65 + (at % 26));
  return at < 26 ? letter : `${letterOf(Math.floor(at / 26) - 1)}${letter}`;
}

export function fleetTable(rows: readonly FleetRow[]): readonly string[] {
  const classes = outputClasses(rows);
  const cells = rows.map(({ host, status, milliseconds, commands, reason }) => [
    host,
    status,
    `${(milliseconds / 1000).toFixed(1)} s`,
    String(commands.length),
    classes.get(host) ?? '–',
    shortLine(reason),
  ]);
  const head = ['HOST', 'STATUS', 'TIME', 'COMMANDS', 'OUTPUT', ''];
  const widths = head.map((title, at) => Math.max(textWidth(title), ...cells.map((row) => textWidth(row[at] ?? ''))));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, at) => cell + ' '.repeat(Math.max(0, (widths[at] ?? 0) - textWidth(cell))))
      .join('  ')
      .trimEnd();
  return [line(head), ...cells.map(line), ...differences(rows, classes)];
}

/** Shows the first lines of the most frequent output, and where each other one first differs. */
function differences(rows: readonly FleetRow[], classes: ReadonlyMap<string, string>): readonly string[] {
  const byClass = Map.groupBy(
    rows.filter(({ host }) => classes.has(host)),
    ({ host }) => classes.get(host) ?? '',
  );
  const usual = byClass.get('A')?.[0]?.output.trimEnd().split('\n') ?? [];
  return [...byClass]
    .sort(([a], [b]) => a.length - b.length || (a < b ? -1 : 1))
    .map(([letter, hosts]) => {
      const own = hosts[0]?.output.trimEnd().split('\n') ?? [];
      const at = own.findIndex((text, index) => text !== usual[index]);
      const where = letter === 'A' ? 0 : at < 0 ? Math.max(0, own.length - 1) : at;
      const shown = own.join('') === '' ? 'no output' : shortLine(own[where] ?? '');
      return `${letter} (${namesOf(hosts.map(({ host }) => host))}): ${letter === 'A' || own.length < 2 ? '' : `line ${where + 1}: `}${shown}`;
    });
}

/** Lists names of hosts in one line. */
export function namesOf(hosts: readonly string[]): string {
  const more = hosts.length > MAX_NAMES ? ` and ${hosts.length - MAX_NAMES} more` : '';
  const count = hosts.length > 1 ? `${hosts.length} hosts: ` : '';
  return `${count}${hosts.slice(0, MAX_NAMES).join(', ')}${more}`;
}

/**
 * Formats a question about several hosts: the hosts first, then the command, and the files it names as the hosts report
 * them.
 */
export function groupLines(group: HaltGroup): readonly string[] {
  const { hosts, facts, differences: others } = group;
  const { command, cwd, root, opinion } = facts;
  return [
    `on ${namesOf(hosts)}${root ? ', as root' : ''}`,
    `  ${visible(command)}`,
    `  in ${visible(cwd)} · ${visible(reasonOf(opinion))}`,
    ...reportedLines(group).map((line) => `  ${line}`),
    ...(others.length === 0 ? [] : [`  unlike most: ${visible(others.join('; '))}`]),
  ];
}

/** Returns a group's question for the user. */
export function askedOf(
  { facts, differences, ...group }: HaltGroup,
  hosts: readonly string[],
  { goal, others, canary }: Pick<FleetAsked, 'goal' | 'others' | 'canary'>,
): FleetAsked {
  const { command, cwd, root, opinion, findings } = facts;
  const reported = reportedLines({ facts, differences, ...group });
  const asked = { goal, hosts, others, command, cwd, root, reason: reasonOf(opinion), findings, reported, differences };
  return canary === undefined ? asked : { ...asked, canary };
}

/** A model's opinion follows its author's name. */
function reasonOf(opinion: string): string {
  return opinion.replace(/^\w+: /, '');
}

function reportedLines({ hosts, facts: { targets }, files, bytes }: HaltGroup): readonly string[] {
  if (targets === undefined) return ['its files could not be checked'];
  const who = hosts.length === 1 ? `${hosts[0] ?? ''} reports` : 'they report';
  const lines = targets.map(({ label, type, link }) => {
    const to = link === undefined ? '' : ` to ${visible(link)}`;
    return `${visible(label)}: ${type === 'missing' ? 'nothing there' : `a ${type}${to}`}, as ${who}`;
  });
  const lost = targets.some(({ type }) => type !== 'missing');
  return lost ? [...lines, `${range(files, String)} files, ${range(bytes, bytesText)} on each`] : lines;
}

function range({ min, median, max }: HaltGroup['files'], text: (value: number) => string): string {
  return min === max ? text(min) : `${text(min)}–${text(median)}–${text(max)}`;
}

function shortLine(text: string): string {
  const one = visible(text.split('\n')[0] ?? '');
  return one.length <= MAX_LINE_CHARS ? one : `${one.slice(0, MAX_LINE_CHARS - 1)}…`;
}
