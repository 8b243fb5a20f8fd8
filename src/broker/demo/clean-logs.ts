import type { Scene } from './conversation.ts';
import { blocked, counted, done, line, type Move, native, numberIn, pathsIn, type Script, setback } from './move.ts';
import { daysIn, placeIn, quotePath, whereIs } from './wishes.ts';

/** Up to here files are removed by name, so that the HALT shows each of them. */
const MAX_NAMES = 12;

/**
 * "clean up old logs in DIR": looks, removes (which HALTs), looks again. Old is what is rotated (`.log.1`, `.old`,
 * `.log.gz`), called old, or unchanged for the days the goal names (a week if the goal names none).
 */
export const cleanLogs: Script = {
  matches: (goal) => /\b(clean|delete|remove|purge|tidy|clear)\b.*\blogs?\b/i.test(goal),
  next(scene) {
    const place = placeIn(scene.goal);
    const days = daysIn(scene.goal) ?? 7;
    const search = `find ${place} -type f \\( -name '*.log.*' -o -name '*.old' -o -name '*old*.log' -o -name '*.log' -mtime +${days} \\)`;
    const [listed, ...after] = scene.outcomes;
    if (!listed) return line(`First I look for old logs ${whereIs(place)}.`, search);
    const paths = pathsIn(listed);
    if (paths.length === 0) {
      return (
        setback(listed) ??
        done(`There are no old logs ${whereIs(place)}: none is rotated or older than ${counted(days, 'day')}.`)
      );
    }
    const remove = paths.length <= MAX_NAMES ? `rm -f -- ${paths.map(quotePath).join(' ')}` : `${search} -delete`;
    return afterListing(scene, after, paths, remove, `${search} | wc -l`);
  },
};

function afterListing(
  scene: Scene,
  after: Scene['outcomes'],
  paths: readonly string[],
  remove: string,
  recount: string,
): Move {
  const [removal, second, third] = after;
  const found = counted(paths.length, 'old log');
  if (!removal) return line(`I found ${found}. What deletes files is put to you first.`, remove);
  if (removal.skipped) {
    return blocked(
      `You skipped the removal, so nothing was deleted. The ${found} stay:\n\n${bullets(paths)}`,
      'the removal was skipped',
    );
  }
  if (removal.exit !== 0 && removal.exit !== undefined) {
    const forbidden = /read-only|permission denied|not permitted/i.test(removal.text);
    if (!forbidden || !scene.tools.has('request_mode_upgrade')) return setback(removal) ?? done('');
    if (!second) {
      return {
        kind: 'tool',
        say: 'Writing is not allowed in this mode, so I ask for it.',
        name: 'request_mode_upgrade',
        args: { reason: `remove ${found}` },
      };
    }
    if (/den(y|ied)|refus|not approved|only the parent/i.test(second.text)) {
      return blocked('The upgrade was denied, so the logs stay.', 'writing is not allowed in this mode');
    }
    if (!third) return line('Thank you. I try the removal again.', remove);
    if (third.skipped) return blocked('You skipped the removal, so nothing was deleted.', 'the removal was skipped');
    return setback(third) ?? done(`Removed ${found}.`);
  }
  if (!second) return native('Removed. I look again to be sure.', recount);
  const left = numberIn(second);
  if (left === undefined) return setback(second) ?? done(`Removed ${found}.`);
  return left === 0
    ? done(`Removed ${found}; none is left.`)
    : blocked(`${counted(left, 'old log')} could not be removed.`, 'some logs are left');
}

function bullets(paths: readonly string[]): string {
  const shown = paths.slice(0, 10).map((path) => `- ${path}`);
  return [...shown, ...(paths.length > 10 ? [`- … and ${paths.length - 10} more`] : [])].join('\n');
}
