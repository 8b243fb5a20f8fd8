import { pattern } from '../../text/pattern.ts';
import { destructive, harmless, type StaticVerdict, unknown, worse } from '../verdict.ts';

/**
 * Statements that lose data or access, matched against each statement without its strings and comments. `rows`: a
 * rollback undoes it; `grant` and `program`: see `judgeStatement`.
 */
const LOSSES: readonly (readonly [RegExp, string, string, ('rows' | 'grant' | 'program')?])[] = [
  [/\bDROP\s+(DATABASE|SCHEMA|KEYSPACE|TABLESPACE|CATALOG)\b/i, 'DROP DATABASE', 'DROP DATABASE'],
  [/\bDROP\s+(TEMPORARY\s+)?(TABLE|MATERIALIZED|VIEW|COLLECTION|FOREIGN\s+TABLE)\b/i, 'DROP TABLE', 'DROP TABLE'],
  [/\bDROP\s+(USER|ROLE|LOGIN|OWNED|GROUP)\b/i, 'sql DROP USER', 'removes a database account'],
  [/^\s*(DROP|UNDROP)\s+\w+/i, 'sql DROP', 'drops a database object'],
  [/\bTRUNCATE\b(?!\s*\()/i, 'TRUNCATE TABLE', 'TRUNCATE TABLE'],
  [/\bDELETE\s+(LOW_PRIORITY\s+|QUICK\s+|IGNORE\s+)*(FROM\b|[\w.,\s]+\bFROM\b)/i, 'sql DELETE', 'deletes rows', 'rows'],
  [
    /\bUPDATE\s+(?!.*\bSKIP LOCKED)[\w."`[\]]+(\s+(AS\s+)?\w+)?(\s*,\s*[\w.]+(\s+\w+)?)*(\s+(INNER\s+|LEFT\s+)?JOIN\b[^;]*)?\s+SET\b/i,
    'sql UPDATE',
    'overwrites rows',
    'rows',
  ],
  [
    /\bALTER\s+(TABLE|TYPE|DATABASE|SCHEMA)\b[^;]*\b(DROP|TRUNCATE|DISABLE|DETACH|DELETE|UPDATE)\b/i,
    'sql ALTER DROP',
    'drops part of a table',
  ],
  [/\bALTER\s+TABLE\b[^;]*\b(MODIFY|CHANGE|ALTER)\b[^;]*\b(COLUMN|TYPE)\b/i, 'sql ALTER DROP', 'rewrites a column'],
  [/^\s*GRANT\b/i, 'sql GRANT', 'grants rights in the database', 'grant'],
  [/^\s*CREATE\s+(OR\s+REPLACE\s+)?(USER|ROLE|LOGIN)\b/i, 'sql account', 'adds a database account'],
  [/\bALTER\s+(USER|ROLE|LOGIN)\b|\bSET\s+PASSWORD\b/i, 'sql account', 'changes a database account'],
  [/\bREVOKE\b/i, 'sql REVOKE', 'takes away access'],
  [
    /^\s*REPLACE\s+INTO\b|\bMERGE\s+INTO\b[\s\S]*\b(DELETE|UPDATE)\b|\bINSERT\s+OVERWRITE\b/i,
    'sql REPLACE',
    'overwrites rows',
    'rows',
  ],
  [
    /\bPURGE\s+(BINARY|MASTER)\s+LOGS\b|\bRESET\s+(MASTER|SLAVE|REPLICA|BINARY)\b/i,
    'sql logs',
    'removes recovery logs',
  ],
  [
    /\b(pg_terminate_backend|pg_cancel_backend|pg_drop_replication_slot|lo_unlink|pg_file_unlink|pg_switch_wal)\s*\(|^\s*KILL\s+(QUERY|CONNECTION|\d)/i,
    'sql kill',
    'ends a session or drops a resource',
  ],
  [/^\s*SHUTDOWN\b|^\s*ALTER\s+SYSTEM\b/i, 'sql server', 'changes or stops the server'],
  [
    /\bINTO\s+(OUTFILE|DUMPFILE)\b|\bCOPY\b[^;]*\bTO\s+PROGRAM\b|\bFROM\s+PROGRAM\b|\bxp_cmdshell\b/i,
    'sql program',
    'writes files or runs programs',
    'program',
  ],
  [
    /^\s*OPTIMIZE\s+TABLE\b[^;]*\bFINAL\b|^\s*DETACH\s+TABLE\b|\bDROP\s+PARTITION\b/i,
    'sql DROP',
    'drops a database object',
  ],
];

/** The rules whose losses a rollback undoes. */
const OF_ROWS: ReadonlySet<string | undefined> = new Set(
  LOSSES.flatMap(([, rule, , kind]) => (kind === 'rows' ? rule : [])),
);

/** Returns the verdict on SQL text; several statements count together. */
export function judgeSql(source: string): StaticVerdict {
  const blocks = /^\s*DO\b/i.test(source) ? [...source.matchAll(/\$(\w*)\$([\s\S]*?)\$\1\$/g)] : [];
  for (const [, , body = ''] of blocks) {
    const run = [...body.matchAll(/\bEXECUTE\s+(?:format\s*\(\s*)?'((?:[^']|'')*)'/gi)].map((found) => found[1] ?? '');
    const inner = judgeSql(`${body.replace(/\bBEGIN\b/gi, ';').replace(/\b(?:THEN|LOOP)\b/gi, ';')};${run.join(';')}`);
    if (inner.verdict === 'destructive') return inner;
  }
  const text = withoutTexts(source);
  let verdict = isAmbiguous(source)
    ? unknown('SQL that databases read differently')
    : harmless('only reads or adds rows');
  const statements = text.split(';').filter((statement) => statement.trim() !== '');
  for (const statement of statements) verdict = worse(verdict, judgeStatement(statement));
  if (OF_ROWS.has(verdict.rule) && rolledBack(statements)) return unknown('a change that the same text rolls back');
  return verdict;
}

const LEXEME =
  /\/\*!\d*([\s\S]*?)\*\/|\/\*[\s\S]*?\*\/|(?:--|(?<=^|\s)#(?!>))[^\n]*|'(?:[^']|'')*'|"((?:[^"]|"")*)"|`[^`]*`|\$(\w*)\$[\s\S]*?\$\3\$/g;
/** A token of SQL in which a backslash escapes within a string. */
const LEXEME_ESCAPED =
  /\/\*!\d*([\s\S]*?)\*\/|\/\*[\s\S]*?\*\/|(?:--|(?<=^|\s)#(?!>))[^\n]*|'(?:[^'\\]|''|\\[\s\S])*'|"((?:[^"\\]|""|\\[\s\S])*)"|`[^`]*`|\$(\w*)\$[\s\S]*?\$\3\$/g;

/** Returns the text without comments and the contents of strings; quoted names lose special characters. */
function withoutTexts(source: string): string {
  return source.replace(source.includes("\\'") ? LEXEME_ESCAPED : LEXEME, (whole, executed?: string, name?: string) => {
    if (executed !== undefined) return executed;
    if (name !== undefined) return `"${name.replace(/[^\w ]/g, '_')}"`;
    if (whole.startsWith('`')) return whole.replace(/[^\w` ]/g, '_');
    return /^['$]/.test(whole) ? "''" : ' ';
  });
}

/** Returns whether another database would end a string or comment elsewhere. */
function isAmbiguous(source: string): boolean {
  if (/\\['"`]|\/\*!|\/\*(?:(?!\*\/)[\s\S])*\/\*/.test(source)) return true;
  return (
    [...source.matchAll(LEXEME)].some(([found]) => /^--\S|^#/.test(found)) || /['"`]/.test(source.replace(LEXEME, ''))
  );
}

function rolledBack(statements: readonly string[]): boolean {
  return (
    /^\s*(BEGIN|START)/i.test(statements[0] ?? '') &&
    /^\s*ROLLBACK\s*$/i.test(statements.at(-1) ?? '') &&
    !statements.some((statement) => /^\s*COMMIT/i.test(statement))
  );
}

function judgeStatement(statement: string): StaticVerdict {
  if (/^\s*(EXPLAIN|DESCRIBE|DESC|SHOW)\b/i.test(statement) && !/^\s*EXPLAIN\s+(\([^)]*ANALY|ANALY)/i.test(statement))
    return harmless();
  for (const [pattern, rule, reason, kind] of LOSSES) {
    const found = pattern.exec(statement);
    if (!found) continue;
    // `SELECT … FOR UPDATE`, `ON UPDATE SET NULL`, `CREATE TABLE … ON DELETE …`
    if (/^\s*(CREATE\s+(TABLE|TRIGGER|FUNCTION|PROCEDURE|RULE|VIEW|INDEX))\b/i.test(statement) && kind !== 'program')
      continue;
    if (/^\s*GRANT\b/i.test(statement) && kind !== 'grant') continue;
    return destructive(rule, reason);
  }
  const why = whyNotKnown(statement);
  return why === undefined ? harmless() : unknown(why);
}

/** Functions that compute from their arguments, or describe the session. */
const FUNCTIONS = new Set(
  `count sum avg min max total group_concat string_agg array_agg json_agg jsonb_agg json_object_agg jsonb_object_agg json_group_array
   json_group_object bool_and bool_or every stddev stddev_pop stddev_samp variance var_pop var_samp corr percentile_cont
   percentile_disc mode median approx_count_distinct listagg any_value first last bit_and bit_or
   row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value grouping
   abs ceil ceiling floor round trunc truncate mod power pow sqrt cbrt exp ln log log2 log10 sign sin cos tan asin acos atan
   atan2 degrees radians pi random rand greatest least width_bucket div gcd lcm
   length len char_length character_length octet_length bit_length lower upper ucase lcase initcap trim ltrim rtrim btrim lpad rpad left right
   substr substring substring_index mid instr position locate strpos concat concat_ws replace reverse repeat split_part translate
   ascii chr char unicode hex unhex quote quote_literal quote_ident quote_nullable format printf to_char to_number to_date to_timestamp md5 sha1 sha2 sha256 crc32
   encode decode starts_with regexp_replace regexp_match regexp_matches regexp_split_to_array regexp_split_to_table regexp_like
   regexp_substr regexp_instr like glob soundex levenshtein similarity overlay space field find_in_set elt make_set
   coalesce ifnull nullif nvl isnull if iif cast convert try_cast typeof pg_typeof
   now current_timestamp current_date current_time localtime localtimestamp clock_timestamp statement_timestamp
   transaction_timestamp timeofday date time datetime timestamp julianday unixepoch strftime date_trunc date_part extract age make_date
   make_time make_timestamp make_interval interval justify_days justify_hours to_days from_days date_add date_sub adddate subdate datediff
   date_format str_to_date from_unixtime unix_timestamp timestampdiff timestampadd year month day hour minute second quarter week
   weekday dayofweek dayofmonth dayofyear dayname monthname last_day curdate curtime utc_timestamp utc_date sysdate getdate dateadd
   json json_extract json_array json_object json_array_length json_type json_valid json_each json_tree json_keys json_length json_unquote
   json_quote json_contains json_value json_query json_array_elements json_array_elements_text json_object_keys json_build_object
   json_build_array json_each_text json_typeof json_extract_path json_extract_path_text jsonb_array_elements jsonb_array_elements_text jsonb_object_keys
   jsonb_each jsonb_each_text jsonb_build_object jsonb_build_array jsonb_array_length jsonb_typeof jsonb_extract_path jsonb_extract_path_text jsonb_pretty jsonb_path_query
   jsonb_strip_nulls to_json to_jsonb row_to_json array_to_json json_to_recordset jsonb_to_recordset jsonb_set
   array array_length array_to_string string_to_array unnest cardinality array_position array_append array_cat array_remove generate_series
   generate_subscripts row values set
   version database schema user current_user session_user current_database current_schema current_schemas current_setting
   current_catalog connection_id row_count found_rows last_insert_id last_insert_rowid changes total_changes sqlite_version
   pg_size_pretty pg_database_size pg_relation_size pg_total_relation_size pg_table_size pg_indexes_size pg_column_size
   pg_postmaster_start_time pg_backend_pid pg_is_in_recovery pg_get_viewdef pg_get_indexdef pg_get_constraintdef pg_get_functiondef
   pg_get_expr pg_get_userbyid pg_table_is_visible pg_last_wal_receive_lsn pg_last_wal_replay_lsn pg_current_wal_lsn
   pg_wal_lsn_diff pg_blocking_pids pg_last_xact_replay_timestamp pg_stat_get_activity pg_encoding_to_char format_type obj_description col_description
   has_table_privilege has_schema_privilege has_database_privilege to_regclass txid_current_if_assigned uuid gen_random_uuid
   pragma_table_info pragma_index_list pragma_foreign_key_list pragma_table_list
   st_asgeojson st_astext st_distance st_area st_length st_contains st_within st_intersects st_x st_y`.split(/\s+/),
);

/** Keywords that may precede a bracket without being a function call. */
const SYNTAX = new Set(
  `in values and or not on using as from join where select exists any all some over filter group by having limit offset
   union except intersect case when then else end between is like ilike similar distinct into table index key primary unique foreign references
   check constraint default partition range rows groups order with recursive lateral only materialized explain
   copy int integer bigint smallint tinyint mediumint serial numeric decimal number float double real varchar character nvarchar nchar char text
   blob bit varbit binary varbinary enum datetime2 timestamptz timetz vector within collate generated always stored identity`.split(
    /\s+/,
  ),
);

const READS = /^(SELECT|VALUES|TABLE|WITH|\(\s*SELECT)\b/i;
const LOOKS =
  /^(SHOW|DESCRIBE|DESC|HELP|STATUS|LISTEN|FETCH|CLOSE|ANALYZE|BEGIN|START\s+TRANSACTION|COMMIT|END|ROLLBACK|SAVEPOINT|RELEASE)\b[\w\s."`'*%,=<>]*$|^USE\s+[\w"`]+$/i;
const EXPLAINS = /^EXPLAIN\s+(?!\(?[^)]*\bANALY)(QUERY\s+PLAN\s+)?(\([\w\s,]*\)\s*|VERBOSE\s+|FORMAT\s*=\s*\w+\s+)*\w/i;
const EXPLAINS_RUN = /^EXPLAIN\s+(\([\w\s,]*\)|(ANALY[SZ]E|VERBOSE|BUFFERS)\s+)+/i;
const ADDS = pattern(
  String.raw`
    ^(INSERT\s+(IGNORE\s+)?INTO|CREATE\s+(TEMP(ORARY)?\s+)?TABLE|CREATE\s+(UNIQUE\s+)?INDEX
    |CREATE\s+(TEMP(ORARY)?\s+)?VIEW|CREATE\s+(MATERIALIZED\s+VIEW|DATABASE|SCHEMA|SEQUENCE|TYPE|DOMAIN)
    |ALTER\s+TABLE\s+[^;]*\bADD)\b
  `,
  'i',
);
const SETTING = pattern(
  String.raw`
    ^SET\s+((SESSION|LOCAL)\s+)?(search_path|statement_timeout|lock_timeout|work_mem|timezone|time\s+zone|names
    |client_encoding|datestyle|enable_\w+|client_min_messages|autocommit|@\w+|foreign_key_checks|row_security
    |extra_float_digits|intervalstyle|transaction)\b[^;]*$
  `,
  'i',
);
const LOOKING_PRAGMA = pattern(
  String.raw`
    ^PRAGMA\s+(\w+\.)?((table_x?info|table_list|index_x?info|index_list|foreign_key_list|foreign_key_check
    |integrity_check|quick_check)(\s*\([^()]*\))?|database_list|user_version|schema_version|page_count|page_size
    |freelist_count|journal_mode|encoding|compile_options|foreign_keys|cache_size|application_id|collation_list
    |function_list|module_list|pragma_list|synchronous|wal_autocheckpoint|auto_vacuum|busy_timeout)$
  `,
  'i',
);
const COPIES = /^COPY\s+([\w."]+(\s*\([\w\s,"]*\))?|\(\s*SELECT\b[\s\S]*\))\s+TO\s+STDOUT\b[\w\s(),']*$/i;

/** Tables in which servers keep their users' passwords. */
const SHOWS_PASSWORDS =
  /\b(pg_authid|pg_shadow|pg_user_mappings?|umoptions|srvoptions|subconninfo|rolpassword|mysql\s*\.\s*`?user|authentication_string|sql_logins|user\$)/i;

/**
 * Returns why a statement, without comments and string contents, is not known to be harmless; undefined: it is. Every
 * statement and every function in it must be on the list.
 */
function whyNotKnown(statement: string): string | undefined {
  const text = statement.trim();
  if (text === '' || LOOKS.test(text) || LOOKING_PRAGMA.test(text) || SETTING.test(text)) return undefined;
  const run = EXPLAINS_RUN.exec(text)?.[0];
  if (run === undefined && EXPLAINS.test(text)) return undefined;
  const body = run === undefined ? text : text.slice(run.length).trimStart();
  const reads = READS.test(body);
  if (!reads && !ADDS.test(body) && !COPIES.test(body)) return 'unknown SQL';
  if (SHOWS_PASSWORDS.test(body)) return 'shows passwords of a server';
  if (run !== undefined && !reads) return 'EXPLAIN runs this SQL instead of only showing its plan';
  if (/^CREATE\s+OR\s+REPLACE\b/i.test(body) || /\bON\s+(CONFLICT|DUPLICATE)\b/i.test(body))
    return 'may overwrite rows';
  if (reads && /\bINTO\b/i.test(body) && !/\bINSERT\s+INTO\b/i.test(body)) return 'selects into a table';
  return unknownFunction(body, /^(INSERT|CREATE|ALTER)/i.test(body));
}

function unknownFunction(text: string, names: boolean): string | undefined {
  for (const found of text.matchAll(/([\w$."`\]]+)\s*\(/g)) {
    const name = (found[1] ?? '').replace(/^.*\./, '').toLowerCase();
    if (SYNTAX.has(name) || FUNCTIONS.has(name)) continue;
    const before = text.slice(0, found.index).trimEnd();
    // `INSERT INTO t (a)`, `CREATE INDEX i ON t (a)`, `WITH x (a) AS (`, `… AS x(a)`: a name and its columns.
    if (names && /\b(INTO|TABLE|EXISTS|REFERENCES|ON|INDEX|KEY|UNIQUE|VIEW)$/i.test(before)) continue;
    if (
      /\b(WITH|RECURSIVE)$|\)\s*,$|\)\s*AS$/i.test(before) &&
      /^\s*[\w\s,"]*\)\s*(AS\b|$)/i.test(text.slice(found.index + found[0].length))
    )
      continue;
    return `calls ${name.slice(0, 40)}, which may have effects`;
  }
  return undefined;
}
