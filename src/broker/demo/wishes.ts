/** Reads the few things out of a goal that the script understands: a place, a span of time, a size, a kind of file. */

const NO_PLACE =
  /^(the|this|that|these|those|last|past|my|a|an|all|each|it|here|there|them|total|size|order|disk|files?)$/i;

/** The directory a goal names, ready for a command line; `.` when it names none. */
export function placeIn(goal: string): string {
  const quoted = /\b(?:in|under|inside|at|from|below)\s+(?:\w+\s+){0,2}?(["'`])(.+?)\1/i.exec(goal)?.[2];
  if (quoted !== undefined) return quotePath(quoted);
  const named = /\b(?:in|under|inside|at|from|below)\s+(?:the\s+)?(?:(?:directory|folder|dir)\s+)?([^\s,;]+)/gi;
  for (const [, word] of goal.matchAll(named)) {
    const path = /^\.{1,2}$/.test(word ?? '') ? (word ?? '') : (word ?? '').replace(/[.:!?)]+$/, '');
    if (path !== '' && !NO_PLACE.test(path)) return quotePath(path);
  }
  return '.';
}

/** A word for the shell; `~/…` stays open so that the shell finds the home. */
export function quotePath(path: string): string {
  const word = path.startsWith('-') ? `./${path}` : path;
  return /^[\w./~+@:-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

const DAYS: Readonly<Record<string, number>> = { hour: 1 / 24, day: 1, week: 7, month: 30, year: 365 };

/** The span of "last week", "past 3 days", "older than 2 months", in days. */
export function daysIn(goal: string): number | undefined {
  if (/\b(today|yesterday)\b/i.test(goal)) return 1;
  const found = /\b(?:last|past|older than|within|previous)\s+(?:the\s+)?(\d+)?\s*(hour|day|week|month|year)s?\b/i.exec(
    goal,
  );
  const unit = DAYS[found?.[2]?.toLowerCase() ?? ''];
  return unit === undefined ? undefined : Math.max(1, Math.round(Number(found?.[1] ?? 1) * unit));
}

/** Where a place lies, as a sentence says it. */
export function whereIs(place: string): string {
  return place === '.' ? 'here' : `in ${place}`;
}

/** A size as `find -size` takes it: "larger than 10 MB" or "> 10 MB" is `+10M`. */
export function sizeIn(goal: string): string | undefined {
  const found = /(?:\b(?:larger|bigger|greater|more|over|above)\s*(?:than\s+)?|>\s*)(\d+)\s*([kmg])i?b?\b/i.exec(goal);
  const unit = { k: 'k', m: 'M', g: 'G' }[found?.[2]?.toLowerCase() ?? ''];
  return found && unit ? `+${found[1]}${unit}` : undefined;
}

const KINDS: readonly (readonly [words: RegExp, name: string, pattern: string])[] = [
  [/\bpython\b|\.py\b/i, 'Python', '*.py'],
  [/\btypescript\b|\.tsx?\b/i, 'TypeScript', '*.ts'],
  [/\bjavascript\b|\.js\b/i, 'JavaScript', '*.js'],
  [/\brust\b|\.rs\b/i, 'Rust', '*.rs'],
  [/\bgo(lang)? files?\b|\.go\b/i, 'Go', '*.go'],
  [/\bmarkdown\b|\.md\b/i, 'Markdown', '*.md'],
  [/\bshell scripts?\b|\.sh\b/i, 'shell', '*.sh'],
  [/\btext files?\b|\.txt\b/i, 'text', '*.txt'],
];

/** The kind of file a goal is about. */
export function kindIn(goal: string): { name: string; pattern: string } | undefined {
  const row = KINDS.find(([words]) => words.test(goal));
  return row && { name: row[1], pattern: row[2] };
}
