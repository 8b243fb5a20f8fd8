import { pattern } from '../../text/pattern.ts';
import { readCode } from '../code/read.ts';
import { judgeSql } from '../code/sql.ts';
import { FILE_TEXT, hasUnknown, UNKNOWN } from '../shell/taint.ts';
import { destructive, harmless, unknown } from '../verdict.ts';
import { type Call, forAll, type Handlers } from './call.ts';
import { runCode } from './code.ts';
import { lookAt, overwrite } from './paths.ts';

const REDIS_LOSSES = pattern(String.raw`
    ^(flushall|flushdb|del|unlink|getdel|hdel|srem|zrem|lrem|ltrim|lpop|rpop|spop|blpop|brpop|zpopmin|zpopmax
    |xdel|xtrim|zremrangebyscore|zremrangebyrank|zremrangebylex|expire|pexpire|expireat|rename|restore|swapdb
    |shutdown|replicaof|slaveof|failover|migrate|move|set|getset|mset|hset)$
  `);
const REDIS_OVERWRITES =
  /^(set|getset|mset|hset|expire|pexpire|expireat|move|lpop|rpop|spop|blpop|brpop|zpopmin|zpopmax)$/;
const REDIS_READS = pattern(String.raw`
    ^(get|mget|getrange|strlen|exists|keys|scan|type|ttl|pttl|dbsize|info|ping|time|hget|hgetall|hkeys|hvals
    |hlen|hmget|hscan|hexists|lrange|llen|lindex|smembers|scard|sismember|sscan|zrange|zcard|zscore|zscan
    |zrangebyscore|zcount|zrank|xrange|xlen|xinfo|xread|monitor|subscribe|psubscribe|lastsave|role|echo|select
    |auth|hello|randomkey|bitcount|getbit|pfcount|geopos|georadius|lolwut|dump|wait|incr|incrby|decr|lpush|rpush
    |sadd|zadd|xadd|publish|setnx|append|persist|touch|hsetnx|hincrby)$
  `);

/** Clients of databases: SQL and commands in arguments and on standard input. */
export const DATABASES: Handlers = {
  ...forAll(
    'psql mysql cockroach usql pgcli mycli duckdb clickhouse-client clickhouse sqlcmd bq snowsql trino presto beeline hive spark-sql impala-shell cqlsh sqlplus db2 isql tsql osqueryi vsql ksql influx h2 mysqlsh dolt',
    judgeSqlClient,
  ),
  ...forAll('sqlite3 sqlite litecli', (call) => {
    const [, ...rest] = call.operands;
    const texts = [...rest.map((operand) => operand.text), ...(call.options.values.get('-cmd') ?? [])];
    if (call.options.values.has('-init')) call.machine.note(unknown('runs a script file', { runsFiles: true }));
    if (texts.length === 0 && call.io.stdin !== undefined) texts.push(call.io.stdin);
    if (texts.length === 0) call.machine.note(unknown('a database session'));
    for (const text of texts) readSql(call, text);
    return UNKNOWN;
  }),
  'redis-cli'(call) {
    const words = call.operands.map((operand) => operand.text.toLowerCase());
    if (call.has('--scan', '--bigkeys', '--memkeys', '--stat', '--latency', '--latency-history', '--hotkeys'))
      return UNKNOWN;
    const lines =
      words.length > 0
        ? [words]
        : (call.io.stdin ?? '')
            .split('\n')
            .filter((line) => line.trim() !== '')
            .map((line) => line.trim().toLowerCase().split(/\s+/));
    if (lines.length === 0) call.machine.note(unknown('a database session'));
    if (call.has('-x') && /^(set|getset|restore|hset|mset)$/.test(words[0] ?? ''))
      call.machine.note(destructive('redis loss', 'overwrites a value'));
    for (const line of lines) readRedis(call, line);
    return UNKNOWN;
  },
  mongosh(call) {
    const texts = [...(call.options.values.get('--eval') ?? [])];
    if (texts.length === 0 && call.io.stdin !== undefined) texts.push(call.io.stdin);
    const scripts = call.operands.filter((operand) => /\.(m?js)$/.test(operand.text));
    if (scripts.length > 0) call.machine.note(unknown('runs a script file', { runsFiles: true }));
    if (texts.length === 0 && scripts.length === 0) call.machine.note(unknown('a database session'));
    for (const text of texts) readMongo(call, text);
    return UNKNOWN;
  },
};

/** Clients whose `-c`, `-q` and the like are not queries. */
const ONLY_EXECUTE = /^(cqlsh|mysql|hive|beeline|spark-sql|cockroach)$/;
const EXECUTE = ['-e', '--execute'];
const QUERY = ['-c', '--command', '-q', '--query', '-Q', ...EXECUTE, '--sql', '-execute'];

function judgeSqlClient(call: Call): string | undefined {
  const { machine, program } = call;
  const texts = [...textsInOptions(call)];
  for (const { text } of call.operands) if (/\s/.test(text) && /^\s*[A-Za-z(\\.]/.test(text)) texts.push(text);
  if (texts.length === 0 && /^(dolt|bq|influx)$/.test(program)) return undefined;
  const file = call.value('-f', '--file', '-i', '--input-file', '-init');
  if (file !== undefined) sqlFile(call, file);
  if (call.io.stdin !== undefined && texts.length === 0) texts.push(call.io.stdin);
  if (call.has('-l', '--list') && texts.length === 0) return UNKNOWN;
  if (texts.length === 0 && file === undefined) machine.note(unknown('a database session'));
  for (const text of texts) readSql(call, text);
  return UNKNOWN;
}

function textsInOptions({ program, options, args }: Call): readonly string[] {
  const known = (ONLY_EXECUTE.test(program) ? EXECUTE : QUERY).flatMap((name) => options.values.get(name) ?? []);
  if (known.length > 0) return known;
  // After an unknown option, the next word counts as query text.
  return args.flatMap(({ text }, index) => {
    const next = /^(-[a-zA-Z]*[ceqQ]|--(execute|command|query|sql))$/.test(text) ? [args[index + 1]?.text ?? ''] : [];
    const attached = /^(?:--(?:execute|command|query)=|-e(?=\S))([\s\S]+)$/.exec(text)?.[1];
    return attached === undefined ? next : [...next, attached];
  });
}

function sqlFile(call: Call, file: string): void {
  const known =
    call.machine.substituted.get(file) ?? call.machine.written.get(file) ?? (file === '-' ? call.io.stdin : undefined);
  if (known !== undefined) readSql(call, known);
  else call.machine.note(unknown('runs a script file', { runsFiles: true }));
}

/** Judges SQL mixed with the client’s own commands: `.shell`, `\!`, `\i`, `\o`. */
function readSql(call: Call, text: string): void {
  const { machine } = call;
  if (text.includes(FILE_TEXT)) machine.note(unknown('runs the content of a file', { runsFiles: true }));
  else if (hasUnknown(text)) machine.note(unknown('unknown SQL', { unresolved: true }));
  const rest: string[] = [];
  for (const line of text.split('\n')) {
    const why = whyNotHarmless(call.program, line);
    if (why !== undefined) machine.note(unknown(why, /file/.test(why) ? { runsFiles: true } : {}));
    const shell = /^\s*(?:\.(?:shell|system)|\\!|system|!)\s+([\s\S]*)$/.exec(line);
    const output =
      /^\s*(?:\.(?:output|once|log|save|backup|clone|excel)|\\o|\\w|\\g|tee)\s+(?:-\S+\s+)?(?:main\s+)?(\S+)/.exec(
        line,
      );
    if (shell) runCode(machine, (shell[1] ?? '').replace(/^'([\s\S]*)'$|^"([\s\S]*)"$/, '$1$2'));
    else if (output && !/^(stdout|off)$/.test(output[1] ?? '')) {
      const target = output[1] ?? '';
      if (target.startsWith('|')) runCode(machine, line.slice(line.indexOf('|') + 1), { stdin: UNKNOWN });
      else
        machine.note(
          /^\s*\.(backup|save|clone)/.test(line) && lookAt(machine, target) === 'unknown'
            ? harmless()
            : overwrite(machine, target, 'database output', 'empties an existing file'),
        );
    } else if (/^\s*\.restore\b/.test(line)) machine.note(destructive('database restore', 'overwrites the database'));
    else if (isOwnCommand(call.program, line)) {
      // Text before a client command on the same line is sent together with it.
      if (/^\s*[^\\.\s]/.test(line)) rest.push(line.replace(/\\[\s\S]*$/, ';'));
    } else rest.push(line);
  }
  machine.note(judgeSql(rest.join('\n')));
}

function readRedis(call: Call, words: readonly string[]): void {
  const { machine } = call;
  const [name = '', sub = ''] = words;
  const two = `${name} ${sub}`;
  if (
    pattern(String.raw`
      ^(script\x20flush|function\x20flush|config\x20set|config\x20resetstat|config\x20rewrite|acl\x20deluser
      |acl\x20setuser|cluster\x20reset|cluster\x20forget|cluster\x20flushslots|cluster\x20delslots
      |client\x20kill|xgroup\x20destroy|json\x20del|debug\x20\w+|memory\x20purge|slowlog\x20reset
      |latency\x20reset|module\x20unload)
    `).test(two)
  ) {
    machine.note(destructive('redis loss', 'removes data or changes the server'));
  } else if (name === 'eval' || name === 'evalsha') {
    const code = words[1] ?? '';
    machine.note(
      /['"](flushall|flushdb|del|unlink|hdel|srem|zrem|ltrim|rename)['"]/i.test(code)
        ? destructive('redis loss', 'removes data')
        : unknown('redis script'),
    );
  } else if (/^(geo|sort)/.test(name) && words.some((word) => /^store/.test(word))) {
    machine.note(unknown('may overwrite or remove a value'));
  } else if (REDIS_OVERWRITES.test(name))
    machine.note(name === 'set' && words.includes('nx') ? harmless() : unknown('may overwrite or remove a value'));
  else if (
    REDIS_LOSSES.test(name) ||
    /^(json\.del|json\.forget|ft\.dropindex|ts\.del|graph\.delete|bf\.del)$/.test(name)
  )
    machine.note(destructive('redis loss', 'removes data'));
  else if (
    (two === 'config get' && !/pass|auth|user|\*/i.test(words[2] ?? '*')) ||
    REDIS_READS.test(name) ||
    pattern(String.raw`
      ^(client\x20list|client\x20info|client\x20getname|cluster\x20info|cluster\x20nodes|memory\x20usage
      |memory\x20stats|object\x20\w+|slowlog\x20get|slowlog\x20len|acl\x20whoami|command|command\x20\w+
      |pubsub\x20\w+|latency\x20\w+|script\x20load|function\x20list|debug\x20object)
    `).test(two)
  )
    machine.note(harmless());
  else machine.note(unknown('redis command'));
}

const MONGO_READ = pattern(String.raw`
    ^(?:\s*(?:use\s+\w+|show\s+\w+|(?:print|printjson|JSON\.stringify|tojson|EJSON\.stringify)?\(?\s*(?:db|rs
    |sh)(?:\.getSiblingDB\("\d+"\)|\.getCollection\("\d+"\)|\.\w+)*\.(?:find|findOne|count|countDocuments
    |estimatedDocumentCount|distinct|stats|explain|getIndexes|getCollectionNames|getCollectionInfos|version
    |serverStatus|hello|isMaster|status|conf|printSecondaryReplicationInfo|currentOp|getUsers|getName|hostInfo
    |dataSize|totalSize|listCommands|adminCommand\(\{\s*(?:ping|listDatabases)|ping)\b[^;]*)\s*;?\s*)+$
  `);

function readMongo(call: Call, text: string): void {
  const { machine } = call;
  if (/\bsystem\s*\.\s*(users|new_users)\b|system\.(users|new_users)/.test(text))
    machine.note(unknown('shows password data'));
  if (/\$out\b|\$merge\b/.test(text)) machine.note(destructive('mongosh code', 'overwrites a collection'));
  if (
    /\.\s*drop\s*\(|\.dropDatabase|runCommand\s*\(\s*\{\s*["']?(drop\w*|delete|findAndModify|killOp|shutdown)\b/.test(
      text,
    )
  )
    machine.note(destructive('mongosh code', 'deletes data'));
  if (
    /\.(createUser|updateUser|changeUserPassword|createRole|updateRole|grant\w+)\s*\(|runCommand\s*\(\s*\{\s*["']?(createUser|grant\w+)\b/.test(
      text,
    )
  )
    machine.note(destructive('grant rights', 'grants rights or a login'));
  const plain = text.replace(/'[^']*'|"[^"]*"/g, '"0"');
  if (MONGO_READ.test(plain) && !/\b(delete|remove|drop|update|insert|replace|AndModify|AndDelete)\w*\(/i.test(plain))
    machine.note(harmless());
  else if (
    /^[\s\S]*\.(insertOne|insertMany|insert|createIndex|createCollection|createUser)\([\s\S]*\)\s*;?\s*$/.test(plain) &&
    !/;.*;/.test(plain)
  )
    machine.note(harmless());
  else readCode(machine, 'mongosh', text);
}

/**
 * Commands of database clients that only show data, or change how it is shown. Each must be written in full: clients
 * accept abbreviations, and a short form could mean another command.
 */
const SQLITE = pattern(String.raw`
    ^\.(tables|schema|indexes|indices|databases|headers?|mode|width|nullvalue|separator|show|stats|timer|help
    |quit|exit|dbinfo|fullschema|echo|eqp|explain|changes|bail|print|dump|limits?|sha3sum|version|timeout
    |recover|output\x20stdout|columns|maxrows|maxwidth|rows)(\s+[^|\\\x60]*)?$
  `);
const PSQL =
  /^\\(d[a-zA-Z]{0,4}[S+]*|l[S+]*|list[S+]*|z|x|timing|conninfo|c|connect|q|pset|a|t|H|encoding|echo|qecho|warn|h|help|\?|sf\+?|sv\+?|p|r|errverbose|gx?|gdesc|crosstabview)(\s+[^\\|`:]*)?;?$/;
/** Connecting may lead to another server, unless only a database's name is given. */
const CONNECTS_PLAINLY = /^\\(c|connect)(\s+[\w-]+)?$/;
const PSQL_TARGET = /^\\gx?\s+\S/;
const MYSQL = /^\\[GgqsuhcWw]\s*\w*\s*;?$/;
const MYSQL_WORDS =
  /^\s*(system|source|tee|pager|edit|notee|nopager|delimiter|charset|connect|rehash|resetconnection|prompt|query_attributes|ssl_session_data_print)\b/i;

/** Returns whether this line holds a command of the client itself. */
function isOwnCommand(program: string, line: string): boolean {
  return /^(sqlite|litecli|duckdb)/.test(program) ? /^\s*\./.test(line) : outsideTexts(line).includes('\\');
}

/** Returns why a line with a command of the client is not known to be harmless; undefined: nothing is wrong. */
function whyNotHarmless(program: string, line: string): string | undefined {
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
  return known ? undefined : `${command.slice(0, 20)} is unknown, or writes or runs something`;
}

/** Returns the line without its strings, in which a backslash has no meaning. */
function outsideTexts(line: string): string {
  return line.replace(/'(?:[^'\\]|'')*'/g, "''");
}

/** A subcommand that runs source text of its framework's language, or SQL. */
type Shell = {
  readonly sub: RegExp;
  readonly language: 'python' | 'ruby' | 'php' | 'elixir' | 'sql';
  /** Options whose value is the source. */
  readonly option?: RegExp;
  /** Whether the source is the operand after the subcommand. */
  readonly operand?: boolean;
};

const DJANGO: readonly Shell[] = [
  { sub: /^shell(_plus)?$/, language: 'python', option: /^(-c|--command)$/ },
  { sub: /^dbshell$/, language: 'sql', option: /^(-c|-e|--command|--execute)$/ },
];

const SHELLS_OF: Readonly<Record<string, readonly Shell[]>> = {
  'manage.py': DJANGO,
  'django-admin': DJANGO,
  flask: [{ sub: /^shell$/, language: 'python' }],
  rails: [
    { sub: /^(runner|r)$/, language: 'ruby', operand: true },
    { sub: /^(console|c)$/, language: 'ruby' },
    { sub: /^(dbconsole|db)$/, language: 'sql' },
  ],
  artisan: [
    { sub: /^tinker$/, language: 'php', option: /^--execute$/ },
    { sub: /^db$/, language: 'sql' },
  ],
  console: [{ sub: /^(dbal:run-sql|doctrine:query:sql)$/, language: 'sql', operand: true }],
  wp: [{ sub: /^eval$/, language: 'php', operand: true }],
  drush: [
    { sub: /^(php:eval|php-eval|ev|eval)$/, language: 'php', operand: true },
    { sub: /^(sql:query|sql-query|sqlq)$/, language: 'sql', operand: true },
  ],
  wrangler: [{ sub: /^d1$/, language: 'sql', option: /^--command$/ }],
  mix: [{ sub: /^run$/, language: 'elixir', option: /^(-e|--eval)$/ }],
};

/** Shells of web frameworks: code and SQL given to them is read like any other. */
export const APP_SHELLS: Handlers = forAll(Object.keys(SHELLS_OF).join(' '), (call) => {
  const sub = call.operands[0]?.text ?? '';
  for (const shell of SHELLS_OF[call.program] ?? []) if (shell.sub.test(sub)) readShell(call, shell);
  return undefined;
});

function readShell(call: Call, shell: Shell): void {
  const { args, io } = call;
  const found: string[] = [];
  for (const [index, { text }] of args.entries()) {
    const equals = text.startsWith('--') ? text.indexOf('=') : -1;
    if (!shell.option?.test(equals > 0 ? text.slice(0, equals) : text)) continue;
    found.push(equals > 0 ? text.slice(equals + 1) : (args[index + 1]?.text ?? ''));
  }
  if (shell.operand) for (const { text } of call.operands.slice(1)) found.push(text);
  if (found.length === 0 && io.stdin !== undefined && io.stdin !== '') found.push(io.stdin);
  if (found.length === 0) call.machine.note(unknown('starts a session'));
  for (const code of found) {
    if (hasUnknown(code) && code.trim().length < 3)
      call.machine.note(unknown('code that is not known', { unresolved: true }));
    else if (shell.language === 'sql') call.machine.note(judgeSql(code));
    else readCode(call.machine, shell.language, code);
  }
}
