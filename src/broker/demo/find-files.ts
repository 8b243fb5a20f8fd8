import {
  blocked,
  counted,
  done,
  line,
  type Move,
  native,
  numberIn,
  pathsIn,
  type Script,
  searchFailure,
  setback,
} from './move.ts';
import { daysIn, kindIn, placeIn, sizeIn, whereIs } from './wishes.ts';

/** "find all Python files modified in the last week and count them" */
export const findByKind: Script = {
  matches: (goal) => /\b(find|count|list|show|how many|which|search)\b/i.test(goal) && kindIn(goal) !== undefined,
  next({ goal, outcomes }) {
    const kind = kindIn(goal) ?? { name: '', pattern: '*' };
    const days = daysIn(goal);
    const place = placeIn(goal);
    const what = `${kind.name} file`;
    const since = days === undefined ? '' : ` modified in the last ${counted(days, 'day')}`;
    const search = `find ${place} -type f -name '${kind.pattern}'${days === undefined ? '' : ` -mtime -${days}`}`;
    const [listed, count] = outcomes;
    if (!listed) return line(`First I look for ${what}s${since}.`, `${search} | sort | head -n 20`);
    // Counted by the shell and not from the list, which is cut; by NUL, since a name may hold a line break.
    if (!count) {
      return (
        setback(listed) ??
        searchFailure(listed) ??
        native('Now I count all of them.', `${search} -print0 | tr -cd '\\0' | wc -c`)
      );
    }
    const total = numberIn(count);
    if (total === undefined) {
      return setback(count) ?? blocked('I could not read a number from the result.', 'no count in the result');
    }
    const names = pathsIn(listed).slice(0, 10);
    const list = total > 0 && names.length > 0 ? `\n\n${names.map((name) => `- ${name}`).join('\n')}` : '';
    const more = list !== '' && total > names.length ? `\n- … and ${total - names.length} more` : '';
    return done(`There ${total === 1 ? 'is' : 'are'} ${counted(total, what)}${since} ${whereIs(place)}.${list}${more}`);
  },
};

/** "list the largest files in DIR", "find files larger than 10MB in /var/log and report sizes" */
export const findLargest: Script = {
  matches: (goal) => /\b(largest|biggest|huge)\b/i.test(goal) || sizeIn(goal) !== undefined,
  next({ goal, outcomes }) {
    const place = placeIn(goal);
    const size = sizeIn(goal);
    const search = `find ${place} -type f${size === undefined ? '' : ` -size ${size}`} -exec du -k {} +`;
    const [measured] = outcomes;
    if (!measured) return line('I measure the files and sort them by size.', `${search} | sort -rn | head -n 10`);
    if (measured.skipped) return setback(measured) ?? done('');
    const rows = measured.lines.flatMap((text) => {
      const row = /^(\d+)\s+(\S.*)$/.exec(text);
      return row?.[1] && row[2]?.includes('/') ? [`- ${readable(Number(row[1]))}  ${row[2]}`] : [];
    });
    if (rows.length === 0) return emptyEnd(setback(measured) ?? searchFailure(measured), place, size);
    const title = size === undefined ? 'The largest files' : `Files over ${size.slice(1)}B`;
    return done(`${title} ${whereIs(place)}:\n\n${rows.join('\n')}`);
  },
};

function emptyEnd(failed: Move | undefined, place: string, size: string | undefined): Move {
  return failed ?? done(`There are no files${size === undefined ? '' : ` over ${size.slice(1)}B`} ${whereIs(place)}.`);
}

/** Kilobytes of `du -k` for a person. */
function readable(kilobytes: number): string {
  if (kilobytes < 1024) return `${kilobytes} KB`;
  const megabytes = kilobytes / 1024;
  return megabytes < 1024 ? `${megabytes.toFixed(1)} MB` : `${(megabytes / 1024).toFixed(1)} GB`;
}
