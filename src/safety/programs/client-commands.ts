/**
 * Commands of database clients that only look, or change how things look. Each must be written out: clients take
 * abbreviations, and what is short for another command nobody tells them apart from.
 */
const SQLITE =
  /^\.(tables|schema|indexes|indices|databases|headers?|mode|width|nullvalue|separator|show|stats|timer|help|quit|exit|dbinfo|fullschema|echo|eqp|explain|changes|bail|print|dump|limits?|sha3sum|version|timeout|recover|output stdout|columns|maxrows|maxwidth|rows)(\s+[^|\\`]*)?$/;
const PSQL =
  /^\\(d[a-zA-Z]{0,4}[S+]*|l[S+]*|list[S+]*|z|x|timing|conninfo|c|connect|q|pset|a|t|H|encoding|echo|qecho|warn|h|help|\?|sf\+?|sv\+?|p|r|errverbose|gx?|gdesc|crosstabview)(\s+[^\\|`:]*)?;?$/;
/** A connection may lead to another server: only the name of a database. */
const CONNECTS_PLAINLY = /^\\(c|connect)(\s+[\w-]+)?$/;
const PSQL_TARGET = /^\\gx?\s+\S/;
const MYSQL = /^\\[GgqsuhcWw]\s*\w*\s*;?$/;
const MYSQL_WORDS =
  /^\s*(system|source|tee|pager|edit|notee|nopager|delimiter|charset|connect|rehash|resetconnection|prompt|query_attributes|ssl_session_data_print)\b/i;

/** Does this line hold a command of the client itself? */
export function isOwnCommand(program: string, line: string): boolean {
  return /^(sqlite|litecli|duckdb)/.test(program) ? /^\s*\./.test(line) : outsideTexts(line).includes('\\');
}

/** Why a line with a command of the client is not known to be harmless; undefined: there is none, or it is. */
export function whyNotHarmless(program: string, line: string): string | undefined {
  if (/^mysql|^mycli|^dolt/.test(program) && MYSQL_WORDS.test(line))
    return 'a command of the client runs or reads a file';
  if (!isOwnCommand(program, line)) return undefined;
  if (/^(sqlite|litecli|duckdb)/.test(program))
    return SQLITE.test(line.trim()) ? undefined : `${/^\s*(\S{0,20})/.exec(line)?.[1] ?? ''} is not known`;
  const text = outsideTexts(line);
  const command = text.slice(text.indexOf('\\')).trim();
  const known = /^mysql|^mycli/.test(program)
    ? MYSQL.test(command)
    : PSQL.test(command) &&
      !PSQL_TARGET.test(command) &&
      (CONNECTS_PLAINLY.test(command) || !/^\\c(onnect)?\b/.test(command));
  return known ? undefined : `${command.slice(0, 20)} is not known, or writes or runs something`;
}

/** The line without its strings, so that a backslash in one is none. */
function outsideTexts(line: string): string {
  return line.replace(/'(?:[^'\\]|'')*'/g, "''");
}
