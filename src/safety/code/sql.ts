import { destructive, harmless, type StaticVerdict, unknown, worse } from '../verdict.ts';
import { whyNotKnown } from './sql-reads.ts';

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
  [/^\s*GRANT\b/i, 'sql GRANT', 'gives somebody rights in the database'],
  [/^\s*CREATE\s+(OR\s+REPLACE\s+)?(USER|ROLE|LOGIN)\b/i, 'sql account', 'adds a database account'],
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

/** The verdict on SQL text; several statements count together. */
export function judgeSql(source: string): StaticVerdict {
  const blocks = /^\s*DO\b/i.test(source) ? [...source.matchAll(/\$(\w*)\$([\s\S]*?)\$\1\$/g)] : [];
  for (const [, , body = ''] of blocks) {
    const run = [...body.matchAll(/\bEXECUTE\s+(?:format\s*\(\s*)?'((?:[^']|'')*)'/gi)].map((found) => found[1] ?? '');
    const inner = judgeSql(`${body.replace(/\bBEGIN\b/gi, ';').replace(/\b(?:THEN|LOOP)\b/gi, ';')};${run.join(';')}`);
    if (inner.verdict === 'destructive') return inner;
  }
  const text = withoutTexts(source);
  let verdict = isAmbiguous(source)
    ? unknown('SQL that not every database reads alike')
    : harmless('only reads or adds rows');
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

const LEXEME =
  /\/\*!\d*([\s\S]*?)\*\/|\/\*[\s\S]*?\*\/|(?:--|(?<=^|\s)#(?!>))[^\n]*|'(?:[^']|'')*'|"((?:[^"]|"")*)"|`[^`]*`|\$(\w*)\$[\s\S]*?\$\3\$/g;
/** The same where a backslash quotes within a string. */
const LEXEME_ESCAPED =
  /\/\*!\d*([\s\S]*?)\*\/|\/\*[\s\S]*?\*\/|(?:--|(?<=^|\s)#(?!>))[^\n]*|'(?:[^'\\]|''|\\[\s\S])*'|"((?:[^"\\]|""|\\[\s\S])*)"|`[^`]*`|\$(\w*)\$[\s\S]*?\$\3\$/g;

/** Comments dropped, strings empty, names in quotes without what stands for something else. */
function withoutTexts(source: string): string {
  return source.replace(source.includes("\\'") ? LEXEME_ESCAPED : LEXEME, (whole, executed?: string, name?: string) => {
    if (executed !== undefined) return executed;
    if (name !== undefined) return `"${name.replace(/[^\w ]/g, '_')}"`;
    if (whole.startsWith('`')) return whole.replace(/[^\w` ]/g, '_');
    return /^['$]/.test(whole) ? "''" : ' ';
  });
}

/** Do strings and comments end elsewhere for another database? */
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
  for (const [pattern, rule, reason] of LOSSES) {
    const found = pattern.exec(statement);
    if (!found) continue;
    // `SELECT … FOR UPDATE`, `ON UPDATE SET NULL`, `CREATE TABLE … ON DELETE …`
    if (
      /^\s*(CREATE\s+(TABLE|TRIGGER|FUNCTION|PROCEDURE|RULE|VIEW|INDEX))\b/i.test(statement) &&
      rule !== 'sql program'
    )
      continue;
    if (/^\s*GRANT\b/i.test(statement) && rule !== 'sql GRANT') continue;
    return destructive(rule, reason);
  }
  const why = whyNotKnown(statement);
  return why === undefined ? harmless() : unknown(why);
}
