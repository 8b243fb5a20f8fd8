import { destructive, harmless, type StaticVerdict, unknown, worse } from '../verdict.ts';

/** Statements that lose data or access, tried on each statement with strings and comments taken out. */
const LOSSES: readonly (readonly [RegExp, string, string])[] = [
  [/\bDROP\s+(DATABASE|SCHEMA|KEYSPACE|TABLESPACE|CATALOG)\b/i, 'DROP DATABASE', 'DROP DATABASE'],
  [/\bDROP\s+(TEMPORARY\s+)?(TABLE|MATERIALIZED|VIEW|COLLECTION|FOREIGN\s+TABLE)\b/i, 'DROP TABLE', 'DROP TABLE'],
  [/\bDROP\s+(USER|ROLE|LOGIN|OWNED|GROUP)\b/i, 'sql DROP USER', 'removes a database account'],
  [/^\s*(DROP|UNDROP)\s+\w+/i, 'sql DROP', 'drops a database object'],
  [/\bTRUNCATE\b(?!\s*\()/i, 'TRUNCATE TABLE', 'TRUNCATE TABLE'],
  [/\bDELETE\s+(LOW_PRIORITY\s+|QUICK\s+|IGNORE\s+)*(FROM\b|[\w.,\s]+\bFROM\b)/i, 'sql DELETE', 'deletes rows'],
  [
    /\bUPDATE\s+(?!.*\bSKIP LOCKED)[\w."`[\]]+(\s+(AS\s+)?\w+)?(\s*,\s*[\w.]+(\s+\w+)?)*(\s+(INNER\s+|LEFT\s+)?JOIN\b[^;]*)?\s+SET\b/i,
    'sql UPDATE',
    'overwrites rows',
  ],
  [
    /\bALTER\s+(TABLE|TYPE|DATABASE|SCHEMA)\b[^;]*\b(DROP|TRUNCATE|DISABLE|DETACH|DELETE|UPDATE)\b/i,
    'sql ALTER DROP',
    'drops part of a table',
  ],
  [/\bALTER\s+TABLE\b[^;]*\b(MODIFY|CHANGE|ALTER)\b[^;]*\b(COLUMN|TYPE)\b/i, 'sql ALTER DROP', 'rewrites a column'],
  [/\bALTER\s+(USER|ROLE|LOGIN)\b|\bSET\s+PASSWORD\b/i, 'sql account', 'changes a database account'],
  [/\bREVOKE\b/i, 'sql REVOKE', 'takes away access'],
  [
    /^\s*REPLACE\s+INTO\b|\bMERGE\s+INTO\b[\s\S]*\b(DELETE|UPDATE)\b|\bINSERT\s+OVERWRITE\b/i,
    'sql REPLACE',
    'overwrites rows',
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
  ],
  [
    /^\s*OPTIMIZE\s+TABLE\b[^;]*\bFINAL\b|^\s*DETACH\s+TABLE\b|\bDROP\s+PARTITION\b/i,
    'sql DROP',
    'drops a database object',
  ],
];

const READS =
  /^\s*(SELECT|EXPLAIN(?!\s+ANALY[SZ]E\s+(UPDATE|DELETE|INSERT))|SHOW|DESCRIBE|DESC|VALUES|TABLE|USE|SET\s+(?!PASSWORD|GLOBAL)|BEGIN|START\s+TRANSACTION|COMMIT|END|ROLLBACK|SAVEPOINT|RELEASE|ANALYZE|HELP|STATUS|LISTEN|FETCH|CLOSE|DECLARE|CHECK\s+TABLE|WITH|\(\s*SELECT)\b/i;
const ADDS =
  /^\s*(INSERT\s+(INTO|IGNORE)|CREATE\s+(?!OR\s+REPLACE)|COMMENT\s+ON|GRANT|ALTER\s+TABLE\b[^;]*\bADD\b|VACUUM|REINDEX|CHECKPOINT|REFRESH\s+MATERIALIZED|OPTIMIZE)/i;
/** Functions with effects; a SELECT that calls other unknown ones is left to the second opinion only if they look so. */
const EFFECT_FUNCTION =
  /\b(dblink_exec|setval|nextval|pg_reload_conf|pg_rotate_logfile|lo_import|lo_export|pg_read_file|writefile|load_extension|sys_exec|sys_eval|set_config)\s*\(/i;

/** The verdict on SQL text; several statements count together. */
export function judgeSql(source: string): StaticVerdict {
  const blocks = /^\s*DO\b/i.test(source) ? [...source.matchAll(/\$(\w*)\$([\s\S]*?)\$\1\$/g)] : [];
  for (const [, , body = ''] of blocks) {
    const run = [...body.matchAll(/\bEXECUTE\s+(?:format\s*\(\s*)?'((?:[^']|'')*)'/gi)].map((found) => found[1] ?? '');
    const inner = judgeSql(`${body.replace(/\bBEGIN\b/gi, ';').replace(/\b(?:THEN|LOOP)\b/gi, ';')};${run.join(';')}`);
    if (inner.verdict === 'destructive') return inner;
  }
  const text = source
    .replace(/\/\*!\d*([\s\S]*?)\*\//g, '$1')
    .replace(/\/\*[\s\S]*?\*\//g, ' ')
    .replace(/'(?:[^'\\]|''|\\[\s\S])*'/g, "''")
    .replace(/\$\$[\s\S]*?\$\$/g, "''")
    .replace(/(^|\s)(--|#)[^\n]*/g, '$1');
  let verdict = harmless('only reads or adds rows');
  const statements = text.split(';').filter((statement) => statement.trim() !== '');
  for (const statement of statements) verdict = worse(verdict, judgeStatement(statement));
  if (
    verdict.verdict === 'destructive' &&
    /^(sql DELETE|sql UPDATE|sql REPLACE)$/.test(verdict.rule ?? '') &&
    rolledBack(statements)
  ) {
    return unknown('a change that the same text rolls back');
  }
  return verdict;
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
  for (const [pattern, rule, reason] of LOSSES) {
    const found = pattern.exec(statement);
    if (!found) continue;
    // `SELECT … FOR UPDATE`, `ON UPDATE SET NULL`, `CREATE TABLE … ON DELETE …`
    if (
      /^\s*(CREATE\s+(TABLE|TRIGGER|FUNCTION|PROCEDURE|RULE|VIEW|INDEX))\b/i.test(statement) &&
      rule !== 'sql program'
    )
      continue;
    if (/^\s*GRANT\b/i.test(statement)) continue;
    return destructive(rule, reason);
  }
  if (/\bON\s+(CONFLICT|DUPLICATE\s+KEY)\b[\s\S]*\bUPDATE\b/i.test(statement)) return unknown('may overwrite rows');
  if (EFFECT_FUNCTION.test(statement)) return unknown('calls a function with effects');
  if (/^\s*PRAGMA\s+[\w.]+(\s*\([^)]*\))?\s*$/i.test(statement)) return harmless();
  if (READS.test(statement) || ADDS.test(statement))
    return /\bINTO\s+\w/i.test(statement) && /^\s*SELECT/i.test(statement)
      ? unknown('selects into a table')
      : harmless();
  return unknown('SQL that is not known');
}
